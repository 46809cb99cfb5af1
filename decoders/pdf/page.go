package pdf

import (
	"errors"

	"github.com/ledongthuc/pdf"
)

// pageText is what one page gives.
type pageText struct {
	text          string
	partial       string // why it is not whole, "" if it is
	lowConfidence bool
}

// Annotation flags (ISO 32000-1, table 165).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// read returns the text of a page: its content, then the appearances of its annotations. Whatever is wrong with it costs this page only.
func (d *document) read(p page) (out pageText) {
	d.text.reset()
	in := &interp{d: d, out: &d.text}
	defer func() {
		if x := recover(); x != nil {
			if s, mine := x.(stop); mine {
				panic(s)
			}
			out = in.result()
			out.partial = "the page is damaged"
		}
	}()
	if p.dict.kind() != pdf.Dict {
		return pageText{partial: "the page cannot be found"}
	}
	in.page(p.dict, p.resources)
	for _, more := range p.contents {
		in.page(more, p.resources)
	}
	return in.result()
}

func (in *interp) page(dict, resources node) {
	start := state{ctm: identity, wide: 1}
	in.run(in.contents(dict.key("Contents")), resources, start, 0)
	annots := dict.key("Annots")
	for i := range annots.len() {
		if in.short != "" {
			return
		}
		in.annotation(annots.index(i), resources, start)
	}
}

// contents joins the content streams of a page: together they are one, and a token never goes over a border (7.8.2).
func (in *interp) contents(c node) []byte {
	one := func(n node, limit int) []byte {
		b, err := n.data(limit)
		if err == nil && n.kind() != pdf.Stream {
			err = errDamaged
		}
		in.damage(err)
		return b
	}
	switch c.kind() {
	case pdf.Stream:
		return one(c, maxPageBytes)
	case pdf.Array:
		var all []byte
		for i := range c.len() {
			if len(all) >= maxPageBytes {
				in.damage(errBudget)
				break
			}
			all = append(all, one(c.index(i), maxPageBytes-len(all))...)
			all = append(all, '\n')
		}
		return all
	}
	return nil
}

// damage notes why a content stream could not be read whole.
func (in *interp) damage(err error) {
	switch {
	case err == nil:
	case errors.Is(err, errBudget):
		in.damaged = "a content stream is larger than the limit"
	case errors.Is(err, errFilter):
		in.damaged = "a content stream has a filter that is not decoded"
	default:
		in.damaged = "a content stream is damaged"
	}
}

// annotation runs the normal appearance of an annotation that is seen (12.5.5).
func (in *interp) annotation(a, resources node, s state) {
	if a.key("F").integer()&(flagHidden|flagNoView) != 0 || a.key("Subtype").name() == "Popup" {
		return
	}
	look := a.key("AP").key("N")
	if look.kind() == pdf.Dict { // one per state
		look = look.key(a.key("AS").name())
	}
	if look.kind() != pdf.Stream {
		return
	}
	if rect := a.key("Rect"); rect.len() == 4 { // where it stands; its scale does not matter for its own words
		s.ctm = s.ctm.moved(rect.index(0).num(), rect.index(1).num())
	}
	in.form(look, resources, s, 1)
}

// result is the page as far as it was read.
func (in *interp) result() pageText {
	t := in.out
	out := pageText{text: t.layout(), partial: in.short}
	if out.partial == "" {
		out.partial = in.damaged
	}
	out.lowConfidence = t.unknown*5 > t.glyphs
	return out
}
