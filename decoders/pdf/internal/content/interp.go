package content

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// Interp runs the content streams of one page and collects its text.
type Interp struct {
	file  *object.File
	own   object.Node // the resources of the page
	fonts *font.Cache
	out   text
	page  *Page
	off   func(oc object.Node) bool // nil: no layers
	ops   int
	forms int
	bulk  int // work of painting

	letters    []letters
	type3s     map[int]*type3
	tiles      map[int]glyphKind // what patterns paint
	shadings   map[int]ink
	masks      map[int]bool // by their groups: they let nothing through
	annotation bool         // an appearance is run
}

// frame is one content stream in its resources: a page's, a form's, an appearance's.
type frame struct {
	in        *Interp
	resources object.Node
	looked    map[string]object.Node // what the names of resources stand for, "Font/F1"
	fonts     map[string]*font.Font
	spaces    map[string]*space
	depth     int // of forms
	lexer     object.Lexer
	args      []object.Token
	array     bool // the last of them is inside an array
	state     state
	stack     []state
	deeper    int // q beyond maxStateDepth
	tm, line  Matrix

	path, quad    path
	marks         []mark
	off, artifact bool // of what runs this stream
	scrolls       bool
	textFrom      int  // the first span of the text object
	clipping      bool // some of its text becomes the clip
}

// run interprets a content stream (8.2, annex A).
func (in *Interp) run(content []byte, resources object.Node, s state, depth int) {
	f := frame{in: in, resources: resources, depth: depth, lexer: object.Lexer{B: content}, state: s, tm: Identity, line: Identity}
	f.args = make([]object.Token, 0, 64)
	f.off, f.artifact, f.scrolls = s.off, s.artifact, s.scrolls
	f.path.reset()
	defer f.closeMarks()
	for in.page.Short == "" {
		t := f.lexer.Next()
		switch {
		case t.Kind == object.TokEOF:
			in.file.Work(in.ops & 0xff)
			return
		case t.Kind != object.TokKeyword || t.Is("true") || t.Is("false") || t.Is("null"):
			if len(f.args) < maxArgs {
				f.args = append(f.args, t)
			}
			if t.Kind == object.TokArrayOpen || t.Kind == object.TokArrayClose {
				f.array = t.Kind == object.TokArrayOpen
			}
			continue
		}
		if f.inArray(t.S) {
			continue
		}
		if in.ops++; in.ops&0xff == 0 {
			in.file.Work(0x100)
		}
		if in.ops > maxPageOps {
			in.page.Short = "the page has more operators than the limit"
		}
		f.operator(t.S)
		f.args, f.lexer.Text, f.array = f.args[:0], f.lexer.Text[:0], false
	}
}

// inArray leaves out an operator of the text state that stands among the elements of an array, with its operands, as viewers do: the array
// goes on behind it.
func (f *frame) inArray(op []byte) bool {
	if !f.array {
		return false
	}
	operands := 1
	switch string(op) {
	case "Tf":
		operands = 2
	case "Tc", "Tw", "Tz", "Ts", "Tr", "TL":
	default:
		return false
	}
	for n := len(f.args) - 1; operands > 0 && (f.args[n].Kind == object.TokNumber || f.args[n].Kind == object.TokName); operands-- {
		f.args = f.args[:n]
		n--
	}
	return true
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

// operator runs one operator with the operands that stand before it.
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
	case "w":
		s.width = f.num(1)
	case "Do":
		f.draw(string(f.bytes(1)))
	case "gs":
		f.external(string(f.bytes(1)))
	case "sh":
		f.shade(string(f.bytes(1)))
	case "BI":
		f.inlineImage()
	default:
		if !f.textOperator(op) && !f.pathOperator(op) && !f.colorOperator(op) && !f.markOperator(op) {
			f.glued(op)
		}
	}
}

// glued runs operators that stand together without a blank, "ETBT" or "Qq", as viewers do.
func (f *frame) glued(op []byte) {
	for n := min(len(op)-1, 3); n > 0; n-- {
		if isOperator(op[:n]) && isOperator(op[n:min(len(op), n+3)]) {
			f.operator(op[:n])
			f.args = f.args[:0]
			f.operator(op[n:])
			return
		}
	}
}

// isOperator reports whether an operator without operands begins b: only those are seen glued to others.
func isOperator(b []byte) bool {
	for _, op := range [...]string{"BT", "ET", "EMC", "q", "Q", "T*", "W*", "f*", "B*", "b*", "W", "n", "f", "F", "S", "s", "B", "b", "h"} {
		if len(b) >= len(op) && string(b[:len(op)]) == op {
			return true
		}
	}
	return false
}

func (f *frame) restore() {
	switch n := len(f.stack); {
	case f.deeper > 0:
		f.deeper--
	case n > 0:
		f.state = f.stack[n-1]
		f.stack = f.stack[:n-1]
		if len(f.marks) > 0 || f.off != f.state.off {
			f.marked()
		}
	}
}

// closeMarks ends the sequences that the stream left open.
func (f *frame) closeMarks() {
	for len(f.marks) > 0 {
		f.marks[len(f.marks)-1].plain = 0
		f.end()
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
	if n.Null() && f.depth > 0 { // forms of old took what they lack from the page (7.8.3)
		n = f.in.own.Key(category).Key(name)
	}
	if len(f.looked) < maxNames {
		f.looked[category+"/"+name] = n
	}
	return n
}

// maxNames bounds how many resources of one content stream are remembered.
const maxNames = 1 << 14

// font returns the font that a resource name stands for.
func (f *frame) font(name []byte) (object.Node, *font.Font) {
	return f.loaded(string(name), f.resource("Font", string(name)))
}

// loaded returns a font that a name stands for, and remembers it under that name if it is no object of its own.
func (f *frame) loaded(name string, n object.Node) (object.Node, *font.Font) {
	if known, ok := f.fonts[name]; ok {
		return n, known
	}
	loaded := f.in.fonts.Load(n)
	if n.ID() != 0 { // the document keeps it
		return n, loaded
	}
	if f.fonts == nil || len(f.fonts) >= maxOwnFonts {
		f.fonts = map[string]*font.Font{}
	}
	f.fonts[name] = loaded
	return n, loaded
}

// maxOwnFonts is how many fonts without an object of their own are kept for one content stream.
const maxOwnFonts = 32

// draw runs a form XObject (8.10), or places an image.
func (f *frame) draw(name string) {
	x, s := f.resource("XObject", name), f.state
	if !x.Is(object.Stream) {
		return
	}
	if oc := x.Key("OC"); !oc.Null() && f.in.off != nil && f.in.off(oc) {
		s.off = true
	}
	switch x.Key("Subtype").Name() {
	case "Form":
		f.in.form(x, f.resources, s, f.depth+1)
	case "Image":
		was := f.state.off
		f.state.off = s.off
		f.image(Image{Object: x}, sheer(x))
		f.state.off = was
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
	if m, ok := x.Key("Matrix").Nums(6); ok {
		s.ctm = Matrix(m).Mul(s.ctm)
	}
	if b, ok := x.Key("BBox").Nums(4); ok {
		s.clip = in.boxed(s.clip, s.ctm, RectOf(b[0], b[1], b[2], b[3]))
	}
	if r := x.Key("Resources"); r.Is(object.Dict) {
		resources = r
	}
	if x.Key("Group").Key("S").Name() == "Transparency" {
		s.grouped()
	}
	content, err := x.Data(MaxPageBytes)
	in.damage(err)
	in.run(content, resources, s, depth)
}

// boxed returns the clip that a rectangle leaves of c.
func (in *Interp) boxed(c *clip, m Matrix, r Rect) *clip {
	var p path
	p.reset()
	p.move(m.Apply(r.X0, r.Y0))
	p.add(m.Apply(r.X1, r.Y0))
	p.add(m.Apply(r.X1, r.Y1))
	p.add(m.Apply(r.X0, r.Y1))
	p.close()
	return in.clipped(c, &p, false)
}
