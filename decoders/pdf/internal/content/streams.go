package content

import (
	"errors"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// New returns an interpreter that puts what it meets into p, which it empties. Box and Rotate are for the caller to set afterwards.
func New(f *object.File, fonts *font.Cache, p *Page) *Interp {
	p.reset()
	return &Interp{file: f, fonts: fonts, page: p, out: text{page: p}}
}

// Contents runs the content of a page: a stream or an array of streams.
func (in *Interp) Contents(c, resources object.Node) {
	in.own = resources
	in.run(in.contents(c), resources, in.initialState(), 0)
}

// Appearance runs an annotation's appearance, whose box is made to fill rect (12.5.5). That of an annotation that is not shown paints
// nothing, and its text is hidden.
func (in *Interp) Appearance(look, rect, resources object.Node, unseen bool) {
	if in.page.Short != "" {
		return
	}
	s := in.initialState()
	s.off = unseen
	first := len(in.page.Spans)
	to, ok := rect.Nums(4)
	box, boxed := look.Key("BBox").Nums(4)
	if ok && boxed {
		m := Identity
		if own, ok := look.Key("Matrix").Nums(6); ok {
			m = Matrix(own)
		}
		from, r := m.Bounds(RectOf(box[0], box[1], box[2], box[3])), RectOf(to[0], to[1], to[2], to[3])
		sx, sy := 1.0, 1.0
		if !from.Empty() {
			sx, sy = (r.X1-r.X0)/(from.X1-from.X0), (r.Y1-r.Y0)/(from.Y1-from.Y0)
		}
		s.ctm = Matrix{sx, 0, 0, sy, r.X0 - sx*from.X0, r.Y0 - sy*from.Y0}
	} else if ok {
		s.ctm = s.ctm.Moved(to[0], to[1])
	}
	in.annotation = true
	in.out.sealed = true
	in.form(look, resources, s, 1)
	in.annotation = false
	if unseen {
		for i := range in.page.Spans[first:] {
			in.page.Spans[first+i].Hidden = HiddenNote
		}
	}
	in.out.sealed = true
}

// contents joins the content streams of a page: together they are one, and a token never goes over a border (7.8.2).
func (in *Interp) contents(c object.Node) []byte {
	one := func(n object.Node, limit int) []byte {
		b, err := n.Data(limit)
		if err == nil && !n.Is(object.Stream) {
			err = object.ErrDamaged
		}
		in.damage(err)
		return b
	}
	switch c.Kind() {
	case object.Stream:
		return one(c, MaxPageBytes)
	case object.Array:
		var all []byte
		for i := range c.Len() {
			if len(all) >= MaxPageBytes {
				in.damage(object.ErrBudget)
				break
			}
			all = append(all, one(c.Index(i), MaxPageBytes-len(all))...)
			all = append(all, '\n')
		}
		return all
	}
	return nil
}

// damage notes why a content stream could not be read whole.
func (in *Interp) damage(err error) {
	switch {
	case err == nil:
	case errors.Is(err, object.ErrBudget):
		in.page.Damaged = "a content stream is larger than the limit"
	case errors.Is(err, object.ErrFilter):
		in.page.Damaged = "a content stream has a filter that is not decoded"
	default:
		in.page.Damaged = "a content stream is damaged"
	}
}
