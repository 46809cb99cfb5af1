package content

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// type3 is a font whose glyphs are content streams (9.6.5).
type type3 struct {
	dict   object.Node
	matrix Matrix
	em     float64 // how high its letters are, in parts of the size
	names  [256]string
	glyphs [256]glyphKind
}

type glyphKind uint8

const (
	glyphNew   glyphKind = iota
	glyphDrawn           // it paints something in the colour of the text
	glyphOwn             // it paints something in colours of its own
	glyphPaper           // it paints something in the colour of paper
	glyphBlank           // it paints nothing, or is not there
	glyphText            // it shows text
)

// maxGlyphBytes bounds the procedure of one glyph.
const maxGlyphBytes = 1 << 20

// setFont sets the font of the text that follows.
func (f *frame) setFont(dict object.Node, loaded *font.Font) {
	f.state.font, f.state.type3 = loaded, nil
	if dict.Key("Subtype").Name() == "Type3" {
		f.state.type3 = f.in.loadType3(dict)
	}
}

// loadType3 returns the glyphs of a Type 3 font.
func (in *Interp) loadType3(dict object.Node) *type3 {
	if t := in.type3s[dict.ID()]; t != nil && dict.ID() != 0 {
		return t
	}
	t := &type3{dict: dict, matrix: Matrix{0.001, 0, 0, 0.001, 0, 0}}
	if m, ok := dict.Key("FontMatrix").Nums(6); ok {
		copy(t.matrix[:], m)
	}
	t.em = emOf(dict, t.matrix)
	at, diff := 0, dict.Key("Encoding").Key("Differences")
	for i := range min(diff.Len(), 1024) {
		if v := diff.Index(i); v.Is(object.Number) {
			at = v.Int()
		} else if at >= 0 && at < 256 {
			t.names[at] = v.Name()
			at++
		}
	}
	if in.type3s == nil || len(in.type3s) > maxType3s {
		in.type3s = map[int]*type3{}
	}
	in.file.Work(100)
	in.type3s[dict.ID()] = t
	return t
}

// emOf is how high the letters of a Type 3 font are, whose glyph space may be anything: by its box or its widest letter: either
// may be wrong.
func emOf(dict object.Node, m Matrix) float64 {
	high := 0.0
	if b, ok := dict.Key("FontBBox").Nums(4); ok {
		high = math.Abs((b[3] - b[1]) * m[3])
	}
	widths := dict.Key("Widths")
	for i := range min(widths.Len(), 256) {
		high = max(high, math.Abs(widths.Index(i).Num()*m[0]))
	}
	if !(high > 0) {
		return 1
	}
	return high
}

// maxType3s is how many Type 3 fonts of one page are kept.
const maxType3s = 64

// glyph says what the glyph of a code is.
func (t *type3) glyph(c byte) glyphKind {
	if t.glyphs[c] == glyphNew {
		t.glyphs[c] = t.look(c)
	}
	return t.glyphs[c]
}

func (t *type3) look(c byte) glyphKind {
	procs := t.dict.Key("CharProcs")
	if len(procs.Keys()) == 0 || t.names[c] == "" { // nothing to look at: a font that is broken, or encoded otherwise
		return glyphDrawn
	}
	proc := procs.Key(t.names[c])
	data, err := proc.Data(maxGlyphBytes)
	if err != nil && len(data) == 0 {
		return glyphDrawn
	}
	t.dict.File().Parsed(len(data))
	return paintsOf(data)
}

// paintsOf says what a content stream paints, without running it.
func paintsOf(data []byte) glyphKind {
	kind, ink := glyphBlank, glyphDrawn
	var v []float64               // operands that are numbers
	stencil, path := false, false // path: it has an area
	for l := (object.Lexer{B: data}); ; l.Text = l.Text[:0] {
		token := l.Next()
		if token.Kind == object.TokNumber && len(v) < maxTints {
			v = append(v, token.Num)
		}
		if token.Kind == object.TokEOF {
			return kind
		}
		if token.Kind != object.TokKeyword {
			continue
		}
		switch string(token.S) {
		case "re":
			path = path || len(v) >= 4 && v[2] != 0 && v[3] != 0
		case "l", "c", "v", "y":
			path = true
		case "n":
			path = false
		case "f", "F", "f*", "B", "B*", "b", "b*", "S", "s":
			if !path {
				break
			}
			path = false
			if kind != glyphBlank && kind != ink || ink == glyphOwn {
				return glyphOwn
			}
			kind = ink
		case "sh", "Do", "BI":
			if kind = glyphDrawn; ink != glyphDrawn {
				return glyphOwn
			}
			return kind
		case "Tj", "TJ", "'", "\"":
			return glyphText
		case "d1": // whatever colours are set behind it do not count (9.6.5)
			stencil = true
		case "g", "rg", "k", "G", "RG", "K":
			if stencil {
				break
			}
			ink = glyphOwn
			if space := [5]*space{1: deviceGray, 3: deviceRGB, 4: deviceCMYK}[min(len(v), 4)]; space != nil && space.ink(v).like(paper) {
				ink = glyphPaper
			}
		case "sc", "SC", "scn", "SCN", "cs", "CS":
			if !stencil {
				ink = glyphOwn
			}
		}
		v = v[:0]
	}
}

// runGlyph runs the procedure of a glyph that stands at m, for the text that it shows.
func (f *frame) runGlyph(t *type3, c byte, m Matrix) {
	in := f.in
	if in.forms++; in.forms > maxPageForms {
		in.page.Short = "the page draws more forms than the limit"
		return
	}
	if f.depth >= MaxFormDepth {
		return
	}
	resources := f.resources
	if r := t.dict.Key("Resources"); r.Is(object.Dict) {
		resources = r
	}
	data, _ := t.dict.Key("CharProcs").Key(t.names[c]).Data(maxGlyphBytes)
	s := f.state
	s.ctm = t.matrix.Mul(m)
	s.char, s.word, s.wide, s.rise, s.mode, s.font, s.type3 = 0, 0, 1, 0, 0, nil, nil
	in.run(data, resources, s, f.depth+1)
}

// type3Glyph looks at a glyph of a Type 3 font before it is shown: one that paints nothing hides its text, one that itself shows text says
// what it is if the font does not.
func (f *frame) type3Glyph(v uint32, moved float64) {
	t, out := f.state.type3, &f.in.out
	out.blank = false
	kind := t.glyph(byte(v))
	k, _ := f.state.lettersInk()
	switch kind {
	case glyphOwn:
		k.kind = inkUnknown
	case glyphPaper:
		k = ink{rgb: paper}
	}
	out.paintedIn(k)
	switch kind {
	case glyphBlank:
		out.blank = true
	case glyphText:
		if text, ok := f.state.font.AppendText(nil, v, 1); !ok || len(text) == 0 {
			s := &f.state
			m := Matrix{s.size * s.wide, 0, 0, s.size, moved, s.rise}
			f.runGlyph(t, byte(v), m.Mul(f.tm).Mul(s.ctm))
			out.begin(f.tm.Mul(s.ctm), s, f.in.page.canvas.order)
		}
	}
}
