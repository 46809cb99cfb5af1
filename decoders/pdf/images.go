package pdf

import (
	"errors"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/picture"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// warnNoPageImage is the warning that a page has no picture in the form image.
const warnNoPageImage = "no_page_image"

// Of the pictures of a page, which are files inside.
const (
	maxPagePictures = 100 // that are listed; a scan has one, a page of a catalogue some dozen
	leastSide       = 16  // pixels to a side, which a picture has more of: what is smaller is a rule, a bullet or a pattern
)

// pagePicture is a picture of a page.
type pagePicture struct {
	picture.Picture
	hidden bool // wherever it is painted
}

// pictures returns the pictures of the page that was read last, in the order in which they are painted, each once; also those that are not
// seen, so that numbers are the same whoever asks. Only dictionaries are looked at.
func (d *document) pictures() (out []pagePicture) {
	seen := map[int]int{}
	for i := range d.content.Images {
		img := &d.content.Images[i]
		hidden := img.Hidden != content.Visible
		id := img.Object.ID()
		if k, again := seen[id]; again && img.Inline == nil {
			if k >= 0 {
				out[k].hidden = out[k].hidden && hidden
			}
			continue
		}
		p := picture.Of(img)
		seen[id] = -1
		if p.Width > leastSide && p.Height > leastSide && len(out) < maxPagePictures {
			seen[id] = len(out)
			out = append(out, pagePicture{p, hidden})
		}
	}
	return out
}

// pictureChild is how picture i, from 1, of page at is listed.
func pictureChild(p *picture.Picture, at, i int) readapi.Child {
	mediaType, ext := p.MediaType()
	return readapi.Child{
		N: at*perPage + i, Name: "page-" + strconv.Itoa(at) + "-image-" + strconv.Itoa(i) + "." + ext, MediaType: mediaType, Bytes: p.Bytes(),
	}
}

// listPictures lists the pictures of page at, which was read last.
func (a *answer) listPictures(at int) error {
	all := a.d.pictures()
	for i := range all {
		if all[i].hidden && !a.d.unescaped {
			continue
		}
		if err := a.list(pictureChild(&all[i].Picture, at, i+1)); err != nil {
			return err
		}
	}
	return nil
}

// picture hands on picture i, from 1, of page at.
func (d *document) picture(at, i int, req *readapi.Request, w *pdk.Writer) error {
	d.read(at, d.page(at))
	all := d.pictures()
	if i < 1 || i > len(all) {
		return pdk.Invalid("there is no such picture on the page; the answer to a read of the page lists them")
	}
	p := &all[i-1].Picture
	e, err := p.Encode(picture.NewLimits(req))
	if err != nil {
		return err
	}
	if e.Partial != "" {
		if err := w.Warn(readapi.WarnPartial, e.Partial, 0); err != nil {
			return err
		}
	}
	c := pictureChild(p, at, i)
	c.MediaType, c.Bytes = e.MediaType, int64(len(e.Bytes))
	return w.File(0, c, e.Bytes)
}

// view is the form image: the selected pages as their images show them. A page without a picture is a warning, so that none is passed over
// in silence; what only has codecs that nobody decodes is unsupported_feature where all pages are so.
type view struct {
	limits    *picture.Limits
	refused   error // of the first page that has pictures of such codecs alone
	failed    error // of the first page whose pictures cannot be had for another reason
	otherwise bool  // a page was answered, or has no picture
}

// views answers the form image.
func (a *answer) views() error {
	v := view{limits: picture.NewLimits(a.req)}
	for at := range a.w.Units(int64(a.d.total)) {
		if a.current = at; a.emitted >= v.limits.MaxFrames || a.emitted > 0 && (a.listed > mostListed || a.d.spent) {
			return a.w.Stop(at)
		}
		if err := a.view(&v); err != nil {
			return err
		}
	}
	switch {
	case a.emitted > 0 || v.otherwise:
		return nil
	case v.failed != nil:
		return v.failed
	}
	return v.refused
}

// view emits the current page as a picture.
func (a *answer) view(v *view) error {
	at := a.current
	a.d.alone = a.emitted == 0
	a.d.read(int(at), a.d.page(int(at)))
	shown, err := a.shown(v.limits)
	if err != nil {
		return a.noView(v, err)
	}
	v.otherwise = true
	for i := range shown.Pictures {
		e := &shown.Pictures[i]
		c := readapi.Child{N: i + 1, Name: "page-" + strconv.FormatInt(at, 10), MediaType: e.MediaType, Bytes: int64(len(e.Bytes))}
		if err := a.w.File(at, c, e.Bytes); err != nil {
			return err
		}
		a.emitted++
	}
	if a.goesOn() {
		return nil
	}
	return errors.Join(a.listPictures(int(at)), a.viewWarnings(&shown))
}

// shown is what the images of the page that was read last show. Whatever is wrong with them costs this page only.
func (a *answer) shown(l *picture.Limits) (v picture.View, err error) {
	defer func() {
		if x := recover(); x != nil {
			if s, mine := x.(object.Stop); mine {
				panic(s)
			}
			err = pdk.Malformed("the images of a page break the decoder")
		}
	}()
	return picture.PageView(&a.d.content, l)
}

// goesOn reports whether a former answer gave the beginning of the current page, with what is said of it.
func (a *answer) goesOn() bool { return a.req.Start.At == a.current && a.req.Start.Part > 0 }

// viewWarnings says what is wrong with the picture of the current page.
func (a *answer) viewWarnings(shown *picture.View) error {
	unsupported := ""
	if shown.Unsupported != "" {
		unsupported = "some of the page is left out: nobody here decodes " + shown.Unsupported
	}
	for _, w := range [...][2]string{
		{warnNoPageImage, shown.None}, {readapi.WarnPartial, shown.Partial}, {readapi.WarnUnsupportedFilter, unsupported},
		{readapi.WarnPartial, a.d.content.Short}, {readapi.WarnPartial, a.d.content.Damaged},
	} {
		if w[1] == "" {
			continue
		}
		if err := a.w.Warn(w[0], w[1], a.current); err != nil {
			return err
		}
	}
	return nil
}

// noView says why the current page has no picture. A limit that another answer has for itself ends this one.
func (a *answer) noView(v *view, err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	switch {
	case !ok:
		return err
	case a.emitted > 0 && e.Limit != nil && e.Limit.Name == "max_total_pixels":
		return a.w.Stop(a.current)
	}
	if err := a.listPictures(int(a.current)); err != nil {
		return err
	}
	if e.Code == readapi.CodeUnsupportedFeature {
		if v.refused == nil {
			v.refused = err
		}
		return a.w.Warn(readapi.WarnUnsupportedFilter, "the page is a picture that nobody here decodes: "+e.Detail, a.current)
	}
	if v.failed == nil {
		v.failed = err
	}
	return a.w.Warn(readapi.WarnPartial, "the picture of the page cannot be had: "+string(e.Code), a.current)
}
