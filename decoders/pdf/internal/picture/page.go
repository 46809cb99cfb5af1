package picture

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// View is a page as its images show it.
type View struct {
	Pictures    []Encoded // one; more where what lies on each other or side by side cannot be joined
	Unsupported string    // the codec of an image that is left out, "" if there is none
	Partial     string    // what is wrong with the pictures, "" if nothing
	None        string    // why there is no picture, in words; "" if there is
}

// Of the images of a page.
const (
	maxLayers = 4096 // that are painted; scanners cut a page into some hundred strips
	maxApart  = 16   // that are given one by one

	speckPixels = 64  // of an image that is no picture
	pagePart    = 0.5 // of the page that images cover at least where they are the page
	finer       = 2   // how much more a mask has than its picture, at least, to be what matters
	coverCells  = 32  // to a side, to see how much is covered
)

// placed is an image of a page that is seen.
type placed struct {
	Picture
	ctm    content.Matrix
	bounds content.Rect // of what is seen
	ink    color        // of a stencil
}

// apart reports whether the image is data of JPEG or JPEG 2000, which are not decoded here.
func (p *placed) apart() bool { return p.codec == "DCTDecode" || p.codec == "JPXDecode" }

// speck reports whether the image is no picture but a colour or a pattern.
func (p *placed) speck() bool { return p.Width*p.Height <= speckPixels }

// PageView returns what the images of a page show, upright. A page with text has a picture only if images cover a good part of it.
//
// Errors: unsupported_feature when all that there is has codecs that nobody decodes; else that of the first image, if none can be had.
func PageView(p *content.Page, l *Limits) (View, error) {
	v := view{page: p, limits: l, flat: shown(p.Box, p.Rotate, 1)}
	v.look()
	text := hasText(p)
	switch {
	case !v.any && v.Unsupported != "":
		return v.View, pdk.Unsupported(v.Unsupported)
	case !v.any && text:
		v.None = "the page has text and no picture: the form text has it"
	case !v.any:
		v.None = "the page is neither text nor a picture"
	case text && v.coverage() < pagePart:
		v.None = "the page has text, which the form text has; its pictures are listed as files inside"
	default:
		err := v.show()
		return v.View, err
	}
	return v.View, nil
}

// view is a View in the making.
type view struct {
	View
	page          *content.Page
	limits        *Limits
	flat          content.Matrix // to the page as it is shown, in points
	joined, apart []*placed      // that are painted on one board, and that are not
	any           bool           // there is a picture among them
	first         error          // of the images that cannot be had
}

// look takes the images of the page that a person sees.
func (v *view) look() {
	for i := range v.page.Images {
		img := &v.page.Images[i]
		if img.Hidden != content.Visible {
			continue
		}
		at := &placed{Of(img), img.CTM, both(img.CTM.Bounds(unit), v.page.Box), img.Fill}
		if img.Clip != (content.Rect{}) {
			at.bounds = both(at.bounds, img.Clip)
		}
		if at.bounds.Empty() || at.Width <= 0 || at.Height <= 0 {
			continue
		}
		if feature := at.Unsupported(); feature != "" {
			v.Unsupported = feature
			continue
		}
		if len(v.joined)+len(v.apart) >= maxLayers {
			v.Partial = "the page has more images than are painted"
			return
		}
		v.take(at)
	}
}

// take adds an image.
func (v *view) take(at *placed) {
	v.any = v.any || !at.speck()
	if !at.apart() {
		v.joined = append(v.joined, at)
		return
	}
	// A page in layers: a small picture of the colours, and the letters in its mask.
	if mask, ok := at.maskOf(); ok && mask.Width >= finer*at.Width {
		v.joined = append(v.joined, &placed{mask, at.ctm, at.bounds, black})
	}
	v.apart = append(v.apart, at)
}

// hasText reports whether a page has text that is seen.
func hasText(p *content.Page) bool {
	for i := range p.Spans {
		s := &p.Spans[i]
		if s.Hidden != content.Visible {
			continue
		}
		for _, c := range p.Text(s) {
			if c > ' ' {
				return true
			}
		}
	}
	return false
}

// coverage is about how much of the page images cover.
func (v *view) coverage() float64 {
	var cells [coverCells * coverCells]bool
	box := v.page.Box
	w, h := (box.X1-box.X0)/coverCells, (box.Y1-box.Y0)/coverCells
	count := 0
	for _, list := range [...][]*placed{v.joined, v.apart} {
		for _, at := range list {
			if at.speck() {
				continue
			}
			for i := range cells {
				x, y := box.X0+(float64(i%coverCells)+0.5)*w, box.Y0+(float64(i/coverCells)+0.5)*h
				if !cells[i] && x >= at.bounds.X0 && x <= at.bounds.X1 && y >= at.bounds.Y0 && y <= at.bounds.Y1 {
					cells[i] = true
					count++
				}
			}
		}
	}
	return float64(count) / float64(len(cells))
}

// show makes the pictures.
func (v *view) show() error {
	switch {
	case len(v.joined) == 1 && len(v.apart) == 0 && v.alone(v.joined[0]):
		v.add(v.joined[0].encode(v.limits, v.limits.MaxEdge, v.turn(v.joined[0])))
	case len(v.joined) > 0:
		v.add(v.compose())
	}
	if e, ok := v.strips(); ok {
		v.add(e, nil)
	} else {
		v.each()
	}
	if len(v.Pictures) > 1 && v.Partial == "" {
		v.Partial = "the images of the page are given one by one: they cannot be joined here"
	}
	if len(v.Pictures) == 0 {
		return v.first
	}
	return nil
}

// alone reports whether an image is the picture of the page as it is: all of it is seen, straight, in its proportions and in its colours.
func (v *view) alone(at *placed) bool {
	const seen = 0.9
	return (at.ink == black || !at.Stencil) && area(at.bounds) > seen*area(at.ctm.Bounds(unit)) && square(at.ctm.Mul(v.flat), at.Width, at.Height)
}

// turn is how an image has to be turned.
func (v *view) turn(at *placed) orientation { return turned(at.ctm.Mul(v.flat)) }

// add keeps a picture, or notes that it cannot be had.
func (v *view) add(e Encoded, err error) {
	partial := e.Partial
	if err == nil {
		v.Pictures = append(v.Pictures, e)
	} else {
		partial = partImage
		if v.first == nil {
			v.first = err
		}
	}
	if v.Partial == "" {
		v.Partial = partial
	}
}

const partImage = "an image of the page cannot be decoded"

// each gives the images that cannot be joined one by one, specks left out.
func (v *view) each() {
	given := 0
	for _, at := range v.apart {
		if at.speck() {
			continue
		}
		if given++; given > maxApart {
			v.Partial = "the page has more images than are given one by one"
			return
		}
		v.add(at.encode(v.limits, v.limits.MaxEdge, v.turn(at)))
	}
}

// strips joins JPEGs that lie below each other, all of one width, height (but for the last) and kind: a page as many scanners cut it.
func (v *view) strips() (e Encoded, ok bool) {
	all := v.apart
	if len(all) < 2 {
		return e, false
	}
	back, ok := inverse(all[0].ctm)
	if !ok {
		return e, false
	}
	in := make([]content.Rect, len(all)) // where they lie, in units of the first
	for i, at := range all {
		here := at.ctm.Mul(back).Bounds(unit)
		k := i
		for ; k > 0 && in[k-1].Y1 < here.Y1; k-- { // rows are from above; most lie in order
			in[k], all[k] = in[k-1], all[k-1]
		}
		in[k], all[k] = here, at
	}
	j := jpegStrips{}
	turn := v.turn(all[0])
	for i, at := range all {
		const slack = 0.05 // of a strip
		if i > 0 {
			high := max(in[i].Y1-in[i].Y0, in[i-1].Y1-in[i-1].Y0)
			ok = near(in[i].Y1, in[i-1].Y0, slack*high) && near(in[i].X0, in[0].X0, slack) && near(in[i].X1, in[0].X1, slack)
		}
		if !ok || v.turn(at) != turn || !j.take(&at.Picture) {
			return e, false
		}
	}
	return j.file(turn), true
}

func near(a, b, slack float64) bool { return a-b <= slack && b-a <= slack }
