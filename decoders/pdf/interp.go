package pdf

import (
	"bytes"

	"github.com/ledongthuc/pdf"
)

// matrix is [a b c d e f] of ISO 32000-1, 8.3.3: x' = ax + cy + e, y' = bx + dy + f.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

// mul returns the matrix that applies m, then n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// moved returns m with its origin moved by (x, y) in its own units.
func (m matrix) moved(x, y float64) matrix {
	m[4], m[5] = x*m[0]+y*m[2]+m[4], x*m[1]+y*m[3]+m[5]
	return m
}

// state is the part of the graphics state that matters for text (8.4, 9.3).
type state struct {
	ctm  matrix
	font *font
	size float64
	char float64 // Tc
	word float64 // Tw
	wide float64 // Tz / 100
	lead float64 // TL
	rise float64 // Ts
}

// interp runs the content streams of one page and collects its text.
type interp struct {
	d     *document
	out   *text
	ops   int
	forms int
	short string // which limit ended the page, "" if none

	damaged string // what could not be read whole, "" if nothing
}

// frame is one content stream in its resources: a page's, a form's, an appearance's.
type frame struct {
	in        *interp
	resources node
	looked    map[string]node // what the names of resources stand for, "Font/F1"
	fonts     map[string]*font
	depth     int // of forms
	lexer     lexer
	args      []token
	state     state
	stack     []state
	deeper    int // q beyond maxStateDepth
	tm, line  matrix
}

// run interprets a content stream (8.2, annex A).
func (in *interp) run(content []byte, resources node, s state, depth int) {
	f := frame{in: in, resources: resources, depth: depth, lexer: lexer{b: content}, state: s, tm: identity, line: identity}
	f.args = make([]token, 0, 64)
	for in.short == "" {
		t := f.lexer.next()
		switch {
		case t.kind == tokEOF:
			in.d.file.budget.work(in.ops & 0xff)
			return
		case t.kind != tokKeyword:
			if len(f.args) < maxArgs {
				f.args = append(f.args, t)
			}
			continue
		}
		if in.ops++; in.ops&0xff == 0 {
			in.d.file.budget.work(0x100)
		}
		if in.ops > maxPageOps {
			in.short = "the page has more operators than the limit"
		}
		f.operator(t.s)
		f.args, f.lexer.text = f.args[:0], f.lexer.text[:0]
	}
}

// maxArgs bounds the operands of one operator; a long TJ array has some hundred.
const maxArgs = 1 << 16

// num returns the operand that stands i places before the operator, 1 being the last; 0 if it is missing.
func (f *frame) num(i int) float64 {
	if i > len(f.args) || f.args[len(f.args)-i].kind != tokNumber {
		return 0
	}
	return f.args[len(f.args)-i].num
}

// bytes returns the string or name that is the last operand but i-1.
func (f *frame) bytes(i int) []byte {
	if i > len(f.args) {
		return nil
	}
	return f.args[len(f.args)-i].s
}

func (f *frame) matrix() matrix {
	return matrix{f.num(6), f.num(5), f.num(4), f.num(3), f.num(2), f.num(1)}
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
			s.ctm = f.matrix().mul(s.ctm)
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
		f.tm, f.line = identity, identity
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
			switch t.kind {
			case tokString:
				f.show(t.s)
			case tokNumber:
				f.kern(t.num)
			}
		}
	}
}

func (f *frame) newLine(x, y float64) {
	f.line = f.line.moved(x, y)
	f.tm = f.line
}

// kern moves back by n thousandths (9.4.3).
func (f *frame) kern(n float64) {
	s := &f.state
	if by := -n / 1000 * s.size; s.font != nil && s.font.vertical {
		f.tm = f.tm.moved(0, by)
	} else {
		f.tm = f.tm.moved(by*s.wide, 0)
	}
}

const tooManyGlyphs = "the page has more characters than the limit"

// show shows a string (9.4.4).
func (f *frame) show(b []byte) {
	s := &f.state
	if s.font == nil {
		s.font = fallbackFont()
	}
	if len(b) == 0 {
		return
	}
	if !f.in.out.begin(f.tm.mul(s.ctm), s) {
		f.in.short = tooManyGlyphs
		return
	}
	moved, glyphs := 0.0, 0
	for len(b) > 0 && f.in.out.room() {
		v, n := s.font.next(b)
		b = b[n:]
		by := s.font.advance(v)
		if s.font.vertical {
			by = -1 // the default of DW2 (9.7.4.3)
		}
		by = by*s.size + s.char
		if n == 1 && v == ' ' {
			by += s.word
		}
		if !s.font.vertical {
			by *= s.wide
		}
		f.in.out.glyph(s.font, v, n, moved, moved+by)
		moved += by
		glyphs++
	}
	f.in.d.file.budget.work(glyphs)
	if len(b) > 0 {
		f.in.short = tooManyGlyphs
	}
	if s.font.vertical {
		f.tm = f.tm.moved(0, moved)
	} else {
		f.tm = f.tm.moved(moved, 0)
	}
}

// resource returns what a name stands for in a category of the resources. Each name is looked up once: content can ask a million times,
// and a look-up parses the dictionary.
func (f *frame) resource(category, name string) node {
	if n, ok := f.looked[category+"/"+name]; ok {
		return n
	}
	all, ok := f.looked[category]
	if f.looked == nil {
		f.looked = map[string]node{}
	}
	if !ok {
		all = f.resources.key(category)
		f.looked[category] = all
	}
	n := all.key(name)
	if len(f.looked) < maxNames {
		f.looked[category+"/"+name] = n
	}
	return n
}

// maxNames bounds how many resources of one content stream are remembered.
const maxNames = 1 << 14

// font returns the font that a resource name stands for.
func (f *frame) font(name []byte) *font {
	if font, ok := f.fonts[string(name)]; ok {
		return font
	}
	n := f.resource("Font", string(name))
	loaded := f.in.d.font(n)
	if n.id != 0 { // the document keeps it
		return loaded
	}
	if f.fonts == nil || len(f.fonts) >= maxOwnFonts {
		f.fonts = map[string]*font{}
	}
	f.fonts[string(name)] = loaded
	return loaded
}

// maxOwnFonts is how many fonts without an object of their own are kept for one content stream.
const maxOwnFonts = 32

// external applies the font of an external graphics state (8.4.5).
func (f *frame) external(name string) {
	if pair := f.resource("ExtGState", name).key("Font"); pair.len() == 2 {
		f.state.font, f.state.size = f.in.d.font(pair.index(0)), pair.index(1).num()
	}
}

// draw runs a form XObject (8.10); images have no text.
func (f *frame) draw(name string) {
	if x := f.resource("XObject", name); x.v.Kind() == pdf.Stream && x.key("Subtype").name() == "Form" {
		f.in.form(x, f.resources, f.state, f.depth+1)
	}
}

// form runs a form XObject or an appearance with the resources it has or inherits.
func (in *interp) form(x, resources node, s state, depth int) {
	if in.forms++; in.forms > maxPageForms {
		in.short = "the page draws more forms than the limit"
		return
	}
	if depth > maxFormDepth {
		in.short = "forms are nested more deeply than the limit"
		return
	}
	if m := x.key("Matrix"); m.len() == 6 {
		var own matrix
		for i := range own {
			own[i] = m.index(i).num()
		}
		s.ctm = own.mul(s.ctm)
	}
	if r := x.key("Resources"); r.kind() == pdf.Dict {
		resources = r
	}
	content, err := x.data(maxPageBytes)
	in.damage(err)
	in.run(content, resources, s, depth)
}

// skipInlineImage moves behind an inline image (8.9.7), whose data ends at an EI between white space that is followed by what could be
// content again.
func (f *frame) skipInlineImage() {
	l := &f.lexer
	for t := l.next(); !t.is("ID"); t = l.next() {
		if t.kind == tokEOF {
			return
		}
	}
	for {
		i := bytes.Index(l.b[l.pos:], []byte("EI"))
		if i < 0 {
			l.pos = len(l.b)
			return
		}
		at := l.pos + i
		l.pos = at + 2
		if isSpace(l.b[at-1]) && (l.pos == len(l.b) || isSpace(l.b[l.pos])) && printable(l.b[l.pos:]) {
			return
		}
	}
}

// printable reports whether the bytes behind an EI look like content, not like more of the picture.
func printable(b []byte) bool {
	for _, c := range b[:min(len(b), 16)] {
		if c > 0x7e || c < ' ' && !isSpace(c) || c == 0 {
			return false
		}
	}
	return true
}
