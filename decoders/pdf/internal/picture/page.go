package picture

import (
	"errors"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
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
	maxLayers  = 4096 // that are painted; scanners cut a page into some hundred strips
	maxApart   = 16   // that are given one by one
	speck      = 256  // pixels of an image that is no picture but a colour or a pattern
	pagePart   = 0.5  // of the page that images cover at least where they are the page
	finer      = 2    // how much more a mask has than its picture, at least, to be what matters
	coverCells = 32   // to a side, to see how much is covered
)

// placed is an image of a page that is seen.
type placed struct {
	Picture
	ctm    content.Matrix
	bounds content.Rect // of what is seen
	apart  bool         // JPEG data, which are not decoded here
}

// PageView returns what the images of a page show, upright. A page with text has a picture only if images cover a good part of it.
//
// Errors: unsupported_feature when all that there is has codecs that nobody decodes; else that of the first image, if none can be had.
func PageView(p *content.Page, l Limits) (View, error) {
	var v View
	all, text := seen(p, &v), hasText(p)
	covered := coverage(p.Box, all)
	switch {
	case len(all) == 0 && v.Unsupported != "":
		return v, pdk.Unsupported(v.Unsupported)
	case len(all) == 0 && text:
		v.None = "the page has text and no picture: the form text has it"
	case len(all) == 0:
		v.None = "the page is neither text nor a picture"
	case text && covered < pagePart:
		v.None = "the page has text, which the form text has; its pictures are listed as files inside"
	default:
		return v, v.show(p, all, l)
	}
	return v, nil
}

// seen returns the images of a page that a person sees and that can be had.
func seen(p *content.Page, v *View) (all []placed) {
	for i := range p.Images {
		img := &p.Images[i]
		at := placed{Picture: Of(img), ctm: img.CTM, bounds: both(img.CTM.Bounds(unit), p.Box)}
		if img.Hidden != content.Visible || at.bounds.Empty() || at.Width <= 0 || at.Height <= 0 {
			continue
		}
		if feature := at.Unsupported(); feature != "" {
			v.Unsupported = feature
			continue
		}
		if len(all) >= maxLayers {
			v.Partial = "the page has more images than are painted"
			break
		}
		if at.apart = at.codec == "DCTDecode"; at.apart {
			// A page in layers: a small picture of the colours, and the letters in its mask.
			if mask, ok := at.maskOf(); ok && mask.Width >= finer*at.Width {
				all = append(all, placed{Picture: mask, ctm: at.ctm, bounds: at.bounds})
			}
		}
		all = append(all, at)
	}
	if !slices.ContainsFunc(all, func(at placed) bool { return at.Width*at.Height > speck }) {
		return nil
	}
	return all
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

// coverage is about how much of box images cover.
func coverage(box content.Rect, all []placed) float64 {
	var cells [coverCells * coverCells]bool
	w, h := (box.X1-box.X0)/coverCells, (box.Y1-box.Y0)/coverCells
	count := 0
	for i := range all {
		if all[i].Width*all[i].Height <= speck {
			continue
		}
		b := all[i].bounds
		for y := range coverCells {
			cy := box.Y0 + (float64(y)+0.5)*h
			if cy < b.Y0 || cy > b.Y1 {
				continue
			}
			for x := range coverCells {
				cx := box.X0 + (float64(x)+0.5)*w
				if cell := &cells[y*coverCells+x]; !*cell && cx >= b.X0 && cx <= b.X1 {
					*cell = true
					count++
				}
			}
		}
	}
	return float64(count) / float64(len(cells))
}

// show makes the pictures of a page.
func (v *View) show(p *content.Page, all []placed, l Limits) error {
	flat := shown(p.Box, p.Rotate, 1)
	if len(all) == 1 {
		at := &all[0]
		m := at.ctm.Mul(flat)
		inside := area(at.bounds) > 0.9*area(at.ctm.Bounds(unit))
		if at.apart || inside && square(m, at.Width, at.Height) {
			return v.add(at.encode(l, l.MaxEdge, turned(m)))
		}
	}
	apart := slices.DeleteFunc(slices.Clone(all), func(at placed) bool { return !at.apart })
	joined := slices.DeleteFunc(slices.Clone(all), func(at placed) bool { return at.apart })
	var first error
	if len(joined) > 0 {
		first = v.add(compose(p, joined, l))
	}
	if len(apart) > 0 {
		if e, ok := strips(apart, flat); ok {
			v.keep(e)
		} else {
			first = errors.Join(first, v.each(apart, flat, l))
		}
	}
	if len(v.Pictures) > 1 && v.Partial == "" {
		v.Partial = "the images of the page are given one by one: they cannot be joined here"
	}
	if len(v.Pictures) == 0 {
		return firstFailure(first)
	}
	return nil
}

// firstFailure is the first typed error among those that err joins.
func firstFailure(err error) error {
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return e
	}
	return pdk.Malformed("a page whose images cannot be decoded")
}

func (v *View) keep(e Encoded) {
	v.Pictures = append(v.Pictures, e)
	if v.Partial == "" {
		v.Partial = e.Partial
	}
}

// add keeps a picture, or notes that it cannot be had.
func (v *View) add(e Encoded, err error) error {
	if err == nil {
		v.keep(e)
	} else if v.Partial == "" {
		v.Partial = "an image of the page cannot be decoded"
	}
	return err
}

// each gives images one by one, specks left out.
func (v *View) each(all []placed, flat content.Matrix, l Limits) (first error) {
	for i := range all {
		at := &all[i]
		if at.Width*at.Height <= speck && len(all) > 1 {
			continue
		}
		if i >= maxApart {
			v.Partial = "the page has more images than are given one by one"
			break
		}
		if err := v.add(at.encode(l, l.MaxEdge, turned(at.ctm.Mul(flat)))); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// strips joins JPEGs that lie below each other, all of one width, height (but for the last) and kind: a page as many scanners cut it.
func strips(all []placed, flat content.Matrix) (e Encoded, ok bool) {
	if len(all) < 2 {
		return e, false
	}
	turn := turned(all[0].ctm.Mul(flat))
	// In the order of the rows: v becomes less downward.
	back, ok := inverse(all[0].ctm)
	if !ok {
		return e, false
	}
	at := func(p *placed) content.Rect { return p.ctm.Mul(back).Bounds(unit) } // in units of the first
	order.By(all, func(a, b placed) int { return -compare(at(&a).Y1, at(&b).Y1) })
	var heads []jpegHead
	var transform byte
	negative := false
	for i := range all {
		p := &all[i]
		h, t, err := p.jpeg()
		if err != nil {
			return e, false
		}
		if i == 0 {
			transform, negative = t, p.negative(h.components)
		}
		here := at(p)
		same := t == transform && negative == p.negative(h.components) && turned(p.ctm.Mul(flat)) == turn
		if i > 0 {
			before, head := at(&all[i-1]), heads[i-1]
			const slack = 0.05 // of a strip
			high := here.Y1 - here.Y0
			same = same && h.w == head.w && h.components == head.components && h.h <= head.h && heads[0].h == head.h &&
				near(here.Y1, before.Y0, slack*max(high, before.Y1-before.Y0)) && near(here.X0, before.X0, slack) && near(here.X1, before.X1, slack)
		}
		if !same {
			return e, false
		}
		heads = append(heads, h)
	}
	return joinJPEG(heads, transform, negative, turn), true
}

func near(a, b, slack float64) bool { return a-b <= slack && b-a <= slack }

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
