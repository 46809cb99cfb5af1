package pdf

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/layout"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
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
	in := content.New(d.file, &d.fonts, &d.content)
	defer func() {
		if x := recover(); x != nil {
			if s, mine := x.(object.Stop); mine {
				panic(s)
			}
			out = d.laidOut()
			out.partial = "the page is damaged"
		}
	}()
	if !p.dict.Is(object.Dict) {
		return pageText{partial: "the page cannot be found"}
	}
	d.content.Box, d.content.Rotate = p.box(), p.turn()
	in.Layers(d.layers)
	for _, dict := range append([]object.Node{p.dict}, p.more...) {
		if c := dict.Key("Contents"); !c.Null() {
			in.Contents(c, p.resources)
		} else if dict.Ref("Contents") != 0 {
			d.content.Damaged = "the content of the page cannot be found"
		}
		annots := dict.Key("Annots")
		for i := range annots.Len() {
			appearance(in, annots.Index(i), p.resources)
		}
	}
	in.Finish()
	return d.laidOut()
}

// appearance runs the normal appearance of an annotation that is seen (12.5.5).
func appearance(in *content.Interp, a, resources object.Node) {
	if a.Key("F").Int()&(flagHidden|flagNoView) != 0 || a.Key("Subtype").Name() == "Popup" {
		return
	}
	look := a.Key("AP").Key("N")
	if look.Is(object.Dict) { // one per state
		look = look.Key(a.Key("AS").Name())
	}
	if look.Is(object.Stream) {
		in.Appearance(look, a.Key("Rect"), resources)
	}
}

// laidOut is the page as far as it was read.
func (d *document) laidOut() pageText {
	p := &d.content
	out := pageText{text: layout.Lay(p).Text, partial: p.Short}
	if out.partial == "" {
		out.partial = p.Damaged
	}
	out.lowConfidence = p.Unknown*5 > p.Glyphs
	return out
}

// letter is the page where a file does not say how large its pages are.
var letter = content.Rect{X1: 612, Y1: 792}

// box is what of the page is seen (14.11.2).
func (p *page) box() content.Rect {
	media, crop := rect(p.media), rect(p.crop)
	if media.Empty() {
		media = letter
	}
	if crop.Empty() {
		return media
	}
	both := content.Rect{X0: max(media.X0, crop.X0), Y0: max(media.Y0, crop.Y0), X1: min(media.X1, crop.X1), Y1: min(media.Y1, crop.Y1)}
	if both.Empty() {
		return media
	}
	return both
}

func rect(n object.Node) content.Rect {
	r, ok := n.Nums(4)
	if !ok {
		return content.Rect{}
	}
	return content.RectOf(r[0], r[1], r[2], r[3])
}

// turn is how the page is turned when it is shown: 0, 90, 180 or 270 degrees clockwise.
func (p *page) turn() int {
	return ((p.rotate.Int()/90*90)%360 + 360) % 360
}
