package pdf

import (
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Of the annotations of one page.
const (
	maxAnnotations = 2000 // that are looked at
	maxNotes       = 300  // that are given
	maxLinks       = 500  // that are given
	maxNoteBytes   = 4000 // of the text of one
)

// Annotation flags (ISO 32000-1, table 165).
const (
	flagHidden = 1 << 1
	flagNoView = 1 << 5
)

// annotations returns the annotations of a page, each once.
func annotations(dict object.Node) []object.Node {
	list := dict.Key("Annots")
	out := make([]object.Node, 0, min(list.Len(), maxAnnotations))
	var seen map[int]bool
	for i := range min(list.Len(), maxAnnotations) {
		a := list.Index(i)
		if !a.Is(object.Dict) {
			continue
		}
		if id := a.ID(); id != 0 {
			if seen[id] {
				continue
			}
			if seen == nil {
				seen = map[int]bool{}
			}
			seen[id] = true
		}
		out = append(out, a)
	}
	return out
}

// marks are what the annotations of a page say: links, fields and notes, as they stand in the answer.
type marks struct {
	links, fields, notes []any

	scripts bool         // an annotation would run JavaScript
	left    int          // links, fields and notes beyond what one page gives
	seen    map[int]bool // fields
}

// shown reports whether an annotation is seen on the page (12.5.3, 8.11.3.3).
func (d *document) shown(a object.Node) bool {
	return a.Key("F").Int()&(flagHidden|flagNoView) == 0 && !d.off(a.Key("OC"))
}

// mark notes what an annotation says. It is called when the page's content and all appearances have been run: the text under a link or a
// highlight is looked up there.
func (d *document) mark(m *marks, a object.Node) {
	kind := a.Key("Subtype").Name()
	if kind == "Popup" { // the window of another note
		return
	}
	m.scripts = m.scripts || runsScript(a)
	if !d.shown(a) && !d.unescaped { // it counts as hidden text
		return
	}
	switch kind {
	case "Link":
		m.add(&m.links, maxLinks, d.link(a))
	case "Widget":
		d.markField(m, a)
	case "PrinterMark", "TrapNet", "Watermark":
	default:
		m.add(&m.notes, maxNotes, d.note(a, kind))
	}
}

// add appends a value that is not nil to a list that has room.
func (m *marks) add(list *[]any, limit int, v map[string]any) {
	switch {
	case v == nil:
	case len(*list) == limit:
		m.left++
	default:
		*list = append(*list, v)
	}
}

// link returns where a link leads, nil where it leads nowhere that can be said. Nothing follows it.
func (d *document) link(a object.Node) map[string]any {
	v := map[string]any{}
	action, dest := a.Key("A"), a.Key("Dest")
	switch action.Key("S").Name() {
	case "URI":
		put(v, "uri", cutText(action.Key("URI").Text(), maxMetaBytes))
	case "GoTo":
		dest = action.Key("D")
	case "GoToR", "Launch":
		name := fileSpec(action.Key("F"))
		if name == "" {
			name = fileSpec(action.Key("Win"))
		}
		put(v, "file", name)
		dest = object.Node{}
	case "GoToE":
		put(v, "file", cutText(action.Key("T").Key("N").Text(), maxTitleBytes))
		dest = object.Node{}
	}
	if page := d.destination(dest); page > 0 {
		v["page"] = page
	}
	if len(v) == 0 {
		return nil
	}
	put(v, "text", cutText(d.textUnder(a), maxTitleBytes))
	return v
}

// fileSpec returns the name in a file specification, which may be a string (7.11).
func fileSpec(n object.Node) string {
	for _, s := range [...]string{n.Key("UF").Text(), n.Key("F").Text(), n.Text()} {
		if s != "" {
			return cutText(oneLine(s), maxTitleBytes)
		}
	}
	return ""
}

// note returns what a note says, nil for one that says nothing.
func (d *document) note(a object.Node, kind string) map[string]any {
	text := a.Key("Contents").Text()
	if text == "" {
		text = richText(a.Key("RC"))
	}
	quote := ""
	switch kind {
	case "Highlight", "Underline", "StrikeOut", "Squiggly":
		quote = d.textUnder(a)
	case "FileAttachment":
		if text == "" {
			text = fileSpec(a.Key("FS"))
		}
	}
	if text == "" && quote == "" {
		return nil
	}
	v := map[string]any{"type": nameText(kind)}
	put(v, "contents", cutText(text, maxNoteBytes))
	put(v, "quote", cutText(quote, maxNoteBytes))
	put(v, "author", cutText(oneLine(a.Key("T").Text()), maxTitleBytes))
	put(v, "subject", cutText(oneLine(a.Key("Subj").Text()), maxTitleBytes))
	put(v, "modified", date(a.Key("M").Text()))
	if a.Ref("IRT") != 0 {
		v["reply"] = true
	}
	return v
}

// richText returns the text of a rich text string or stream (12.7.3.4).
func richText(n object.Node) string {
	s := n.Text()
	if n.Is(object.Stream) {
		b, _ := n.Data(maxXMPBytes)
		s = string(newXMP(b))
	}
	return plainXML(s)
}

// textUnder returns the text of the page that lies under an annotation: in its quadrilaterals if it has any (12.5.6.10), else in its
// rectangle.
func (d *document) textUnder(a object.Node) string {
	var out []byte
	quads := a.Key("QuadPoints")
	d.file.Work((1 + min(quads.Len()/8, maxQuads)) * len(d.content.Spans) / 8)
	if n := quads.Len(); n >= 8 {
		for i := 0; i+8 <= min(n, 8*maxQuads); i += 8 {
			r := content.RectOf(quads.Index(i).Num(), quads.Index(i+1).Num(), quads.Index(i).Num(), quads.Index(i+1).Num())
			for k := 2; k < 8; k += 2 {
				x, y := quads.Index(i+k).Num(), quads.Index(i+k+1).Num()
				r = content.Rect{X0: min(r.X0, x), Y0: min(r.Y0, y), X1: max(r.X1, x), Y1: max(r.Y1, y)}
			}
			out = d.content.TextIn(out, r)
		}
	} else {
		out = d.content.TextIn(out, rect(a.Key("Rect")))
	}
	return strings.TrimSpace(string(out))
}

// maxQuads bounds the quadrilaterals of one annotation.
const maxQuads = 64
