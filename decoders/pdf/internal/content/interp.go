package content

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// state is the part of the graphics state that matters for text (8.4, 9.3).
type state struct {
	ctm  Matrix
	font *font.Font
	size float64
	char float64 // Tc
	word float64 // Tw
	wide float64 // Tz / 100
	lead float64 // TL
	rise float64 // Ts
}

// Interp runs the content streams of one page and collects its text.
type Interp struct {
	file  *object.File
	fonts *font.Cache
	out   text
	page  *Page
	ops   int
	forms int
}

// frame is one content stream in its resources: a page's, a form's, an appearance's.
type frame struct {
	in        *Interp
	resources object.Node
	looked    map[string]object.Node // what the names of resources stand for, "Font/F1"
	fonts     map[string]*font.Font
	depth     int // of forms
	lexer     object.Lexer
	args      []object.Token
	state     state
	stack     []state
	deeper    int // q beyond maxStateDepth
	tm, line  Matrix
}

// run interprets a content stream (8.2, annex A).
func (in *Interp) run(content []byte, resources object.Node, s state, depth int) {
	f := frame{in: in, resources: resources, depth: depth, lexer: object.Lexer{B: content}, state: s, tm: Identity, line: Identity}
	f.args = make([]object.Token, 0, 64)
	for in.page.Short == "" {
		t := f.lexer.Next()
		switch {
		case t.Kind == object.TokEOF:
			in.file.Work(in.ops & 0xff)
			return
		case t.Kind != object.TokKeyword:
			if len(f.args) < maxArgs {
				f.args = append(f.args, t)
			}
			continue
		}
		if in.ops++; in.ops&0xff == 0 {
			in.file.Work(0x100)
		}
		if in.ops > maxPageOps {
			in.page.Short = "the page has more operators than the limit"
		}
		f.operator(t.S)
		f.args, f.lexer.Text = f.args[:0], f.lexer.Text[:0]
	}
}

// maxArgs bounds the operands of one operator; a long TJ array has some hundred.
const maxArgs = 1 << 16

// num returns the operand that stands i places before the operator, 1 being the last; 0 if it is missing.
func (f *frame) num(i int) float64 {
	if i > len(f.args) || f.args[len(f.args)-i].Kind != object.TokNumber {
		return 0
	}
	return f.args[len(f.args)-i].Num
}

// bytes returns the string or name that is the last operand but i-1.
func (f *frame) bytes(i int) []byte {
	if i > len(f.args) {
		return nil
	}
	return f.args[len(f.args)-i].S
}

func (f *frame) matrix() Matrix {
	return Matrix{f.num(6), f.num(5), f.num(4), f.num(3), f.num(2), f.num(1)}
}

func (f *frame) operator(op []byte) {
	s := &f.state
	switch string(op) {
	case "q":
		if len(f.stack) == maxStateDepth {
			f.deeper++
			return
		}
		f.stack = append(f.stack, *s)
	case "Q":
		f.restore()
	case "cm":
		if len(f.args) >= 6 {
			s.ctm = f.matrix().Mul(s.ctm)
		}
	case "Do":
		f.draw(string(f.bytes(1)))
	case "gs":
		f.external(string(f.bytes(1)))
	case "BI":
		f.skipInlineImage()
	default:
		f.textOperator(op)
	}
}

func (f *frame) restore() {
	switch n := len(f.stack); {
	case f.deeper > 0:
		f.deeper--
	case n > 0:
		f.state = f.stack[n-1]
		f.stack = f.stack[:n-1]
	}
}

// textOperator runs the operators of 9.3 and 9.4; the others do not change text.
func (f *frame) textOperator(op []byte) {
	s := &f.state
	switch string(op) {
	case "BT":
		f.tm, f.line = Identity, Identity
	case "Tf":
		if len(f.args) >= 2 {
			s.size, s.font = f.num(1), f.font(f.bytes(2))
		}
	case "Tc":
		s.char = f.num(1)
	case "Tw":
		s.word = f.num(1)
	case "Tz":
		s.wide = f.num(1) / 100
	case "TL":
		s.lead = f.num(1)
	case "Ts":
		s.rise = f.num(1)
	case "Td":
		f.newLine(f.num(2), f.num(1))
	case "TD":
		s.lead = -f.num(1)
		f.newLine(f.num(2), f.num(1))
	case "Tm":
		if len(f.args) >= 6 {
			f.line = f.matrix()
			f.tm = f.line
		}
	case "T*":
		f.newLine(0, -s.lead)
	case "Tj":
		f.show(f.bytes(1))
	case "'":
		f.newLine(0, -s.lead)
		f.show(f.bytes(1))
	case "\"":
		s.word, s.char = f.num(3), f.num(2)
		f.newLine(0, -s.lead)
		f.show(f.bytes(1))
	case "TJ":
		for _, t := range f.args {
			switch t.Kind {
			case object.TokString:
				f.show(t.S)
			case object.TokNumber:
				f.kern(t.Num)
			}
		}
	}
}

func (f *frame) newLine(x, y float64) {
	f.line = f.line.Moved(x, y)
	f.tm = f.line
}

// kern moves back by n thousandths (9.4.3).
func (f *frame) kern(n float64) {
	s := &f.state
	if by := -n / 1000 * s.size; s.font != nil && s.font.Vertical() {
		f.tm = f.tm.Moved(0, by)
	} else {
		f.tm = f.tm.Moved(by*s.wide, 0)
	}
}

const tooManyGlyphs = "the page has more characters than the limit"

// show shows a string (9.4.4).
func (f *frame) show(b []byte) {
	s := &f.state
	if s.font == nil {
		s.font = font.Fallback()
	}
	if len(b) == 0 {
		return
	}
	if !f.in.out.begin(f.tm.Mul(s.ctm), s) {
		f.in.page.Short = tooManyGlyphs
		return
	}
	moved, glyphs := 0.0, 0
	for len(b) > 0 && f.in.out.room() {
		v, n := s.font.Next(b)
		b = b[n:]
		by := s.font.Advance(v)
		if s.font.Vertical() {
			by = -1 // the default of DW2 (9.7.4.3)
		}
		by = by*s.size + s.char
		if n == 1 && v == ' ' {
			by += s.word
		}
		if !s.font.Vertical() {
			by *= s.wide
		}
		f.in.out.glyph(s.font, v, n, moved, moved+by)
		moved += by
		glyphs++
	}
	f.in.file.Work(glyphs)
	if len(b) > 0 {
		f.in.page.Short = tooManyGlyphs
	}
	if s.font.Vertical() {
		f.tm = f.tm.Moved(0, moved)
	} else {
		f.tm = f.tm.Moved(moved, 0)
	}
}

// resource returns what a name stands for in a category of the resources. Each name is looked up once: content can ask a million times,
// and a look-up parses the dictionary.
func (f *frame) resource(category, name string) object.Node {
	if n, ok := f.looked[category+"/"+name]; ok {
		return n
	}
	all, ok := f.looked[category]
	if f.looked == nil {
		f.looked = map[string]object.Node{}
	}
	if !ok {
		all = f.resources.Key(category)
		f.looked[category] = all
	}
	n := all.Key(name)
	if len(f.looked) < maxNames {
		f.looked[category+"/"+name] = n
	}
	return n
}

// maxNames bounds how many resources of one content stream are remembered.
const maxNames = 1 << 14

// font returns the font that a resource name stands for.
func (f *frame) font(name []byte) *font.Font {
	if known, ok := f.fonts[string(name)]; ok {
		return known
	}
	n := f.resource("Font", string(name))
	loaded := f.in.fonts.Load(n)
	if n.ID() != 0 { // the document keeps it
		return loaded
	}
	if f.fonts == nil || len(f.fonts) >= maxOwnFonts {
		f.fonts = map[string]*font.Font{}
	}
	f.fonts[string(name)] = loaded
	return loaded
}

// maxOwnFonts is how many fonts without an object of their own are kept for one content stream.
const maxOwnFonts = 32

// external applies the font of an external graphics state (8.4.5).
func (f *frame) external(name string) {
	if pair := f.resource("ExtGState", name).Key("Font"); pair.Len() == 2 {
		f.state.font, f.state.size = f.in.fonts.Load(pair.Index(0)), pair.Index(1).Num()
	}
}

// draw runs a form XObject (8.10); images have no text.
func (f *frame) draw(name string) {
	if x := f.resource("XObject", name); x.Is(object.Stream) && x.Key("Subtype").Name() == "Form" {
		f.in.form(x, f.resources, f.state, f.depth+1)
	}
}

// form runs a form XObject or an appearance with the resources it has or inherits.
func (in *Interp) form(x, resources object.Node, s state, depth int) {
	if in.forms++; in.forms > maxPageForms {
		in.page.Short = "the page draws more forms than the limit"
		return
	}
	if depth > MaxFormDepth {
		in.page.Short = "forms are nested more deeply than the limit"
		return
	}
	if m := x.Key("Matrix"); m.Len() == 6 {
		var own Matrix
		for i := range own {
			own[i] = m.Index(i).Num()
		}
		s.ctm = own.Mul(s.ctm)
	}
	if r := x.Key("Resources"); r.Is(object.Dict) {
		resources = r
	}
	content, err := x.Data(MaxPageBytes)
	in.damage(err)
	in.run(content, resources, s, depth)
}

// skipInlineImage moves behind an inline image (8.9.7), whose data ends at an EI between white space that is followed by what could be
// content again.
func (f *frame) skipInlineImage() {
	l := &f.lexer
	for t := l.Next(); !t.Is("ID"); t = l.Next() {
		if t.Kind == object.TokEOF {
			return
		}
	}
	for {
		i := bytes.Index(l.B[l.Pos:], []byte("EI"))
		if i < 0 {
			l.Pos = len(l.B)
			return
		}
		at := l.Pos + i
		l.Pos = at + 2
		if object.IsSpace(l.B[at-1]) && (l.Pos == len(l.B) || object.IsSpace(l.B[l.Pos])) && printable(l.B[l.Pos:]) {
			return
		}
	}
}

// printable reports whether the bytes behind an EI look like content, not like more of the picture.
func printable(b []byte) bool {
	for _, c := range b[:min(len(b), 16)] {
		if c > 0x7e || c < ' ' && !object.IsSpace(c) || c == 0 {
			return false
		}
	}
	return true
}
