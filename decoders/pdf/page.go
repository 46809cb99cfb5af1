package pdf

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/layout"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// pageText is what one page gives.
type pageText struct {
	text     string
	data     []any // structured parts: tables, links, fields, notes
	tables   int   // of data
	files    []insideFile
	warnings []readapi.Warning
	tokens   int64 // of text and data
}

// A page that alone takes more work than a read may do would end every answer that begins with it, and with it the way to the pages behind.
// What was read of it is given; spentWork is what that may take.
const (
	tooMuchWork = "the page takes more work than a read may do"
	spentWork   = 4_000_000
)

// read returns what a page gives: its content, then the appearances of its annotations, then what the annotations say. Whatever is wrong
// with it costs this page only.
func (d *document) read(at int, p page) (out pageText) {
	in := content.New(d.file, &d.fonts, &d.content)
	var m marks
	defer func() {
		switch x := recover().(type) {
		case nil:
			return
		case object.Stop:
			if !d.alone {
				panic(x)
			}
			d.spent = true
			d.file.Leave(spentWork)
			d.content.Short = tooMuchWork
			in.Finish()
		default:
			d.content.Damaged = "the page is damaged"
		}
		out = d.laidOut(at, &p, &m)
	}()
	if !p.dict.Is(object.Dict) {
		d.content.Damaged = "the page cannot be found"
		return d.laidOut(at, &p, &m)
	}
	d.content.Box, d.content.Rotate = p.box(), p.turn()
	d.content.Unit, d.content.ShowHidden = p.dict.Key("UserUnit").Num(), d.unescaped
	in.Layers(d.layers)
	var notes []object.Node
	for _, dict := range append([]object.Node{p.dict}, p.more...) {
		if c := dict.Key("Contents"); !c.Null() {
			in.Contents(c, p.resources)
		} else if dict.Ref("Contents") != 0 {
			d.content.Damaged = "the content of the page cannot be found"
		}
		notes = append(notes, annotations(dict)...)
		for _, a := range annotations(dict) {
			d.appearance(in, a, p.resources)
		}
	}
	in.Finish()
	for _, a := range notes {
		d.mark(&m, a)
	}
	out = d.laidOut(at, &p, &m)
	out.files = d.hungFiles(at, &p)
	return out
}

// appearance runs the normal appearance of an annotation, or says what a viewer would show there of itself (12.5.5). What is not shown is
// noted as such.
func (d *document) appearance(in *content.Interp, a, resources object.Node) {
	if a.Key("Subtype").Name() == "Popup" {
		return
	}
	unseen := !d.shown(a)
	box := rect(a.Key("Rect"))
	if text, ok := d.ownLook(a); ok {
		in.Say(text, box, fontSize(inherit(a, "DA").Raw()), unseen)
		return
	}
	look := a.Key("AP").Key("N")
	if look.Is(object.Dict) { // one per state
		look = look.Key(a.Key("AS").Name())
	}
	before := len(d.content.Spans)
	if look.Is(object.Stream) {
		in.Appearance(look, a.Key("Rect"), resources, unseen)
	}
	if unseen && len(d.content.Spans) == before { // what it says elsewhere
		in.Say(a.Key("Contents").Text(), box, 0, true)
	}
}

// laidOut is the page as far as it was read.
func (d *document) laidOut(at int, p *page, m *marks) pageText {
	laid := layout.Lay(&d.content)
	out := pageText{text: laid.Text, tables: len(laid.Tables)}
	for _, t := range laid.Tables {
		out.data = append(out.data, tableValue(&t))
	}
	out.data = append(out.data, pieces("links", m.links)...)
	out.data = append(out.data, pieces("fields", m.fields)...)
	out.data = append(out.data, pieces("annotations", m.notes)...)
	out.tokens = readapi.EstimateTokens(out.text)
	for i, v := range out.data {
		if i < out.tables && d.words {
			continue
		}
		out.tokens += int64(valueSize(v)+3) / 4
	}
	out.warnings = d.warnings(at, m, out.text)
	d.scriptSeen = d.scriptSeen || m.scripts
	d.sight(at, p, &out)
	return out
}

// hasText reports whether a page has a text layer.
func (p *pageText) hasText() bool { return strings.TrimSpace(p.text) != "" }

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
