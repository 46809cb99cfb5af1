package content

import (
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// mark is one open marked-content sequence (14.6).
type mark struct {
	off      bool
	artifact bool
	scrolls  bool   // the text of a field
	actual   bool   // text stands instead of what is shown
	text     string // that text
	span     int    // where what is shown begins, in Page.Spans
	glyphs   int
	plain    int // sequences that say nothing, which are open inside
}

// maxMarks bounds how deeply sequences that say something are nested.
const maxMarks = 256

// markOperator runs the operators of 14.6; it reports false for any other.
func (f *frame) markOperator(op []byte) bool {
	switch string(op) {
	case "BMC":
		f.begin(string(f.bytes(1)), nil, object.Node{})
	case "BDC":
		f.beginWith()
	case "EMC":
		f.end()
	case "MP", "DP":
	default:
		return false
	}
	return true
}

// beginWith begins a sequence with properties, which stand there or have a name.
func (f *frame) beginWith() {
	if len(f.args) == 0 {
		return
	}
	tag := string(f.args[0].S)
	if last := f.args[len(f.args)-1]; last.Kind == object.TokName {
		f.begin(tag, nil, f.resource("Properties", string(last.S)))
		return
	}
	f.begin(tag, f.args[1:], object.Node{})
}

func (f *frame) begin(tag string, inline []object.Token, props object.Node) {
	m := mark{artifact: tag == "Artifact", scrolls: tag == "Tx" && f.in.annotation, span: len(f.in.page.Spans), glyphs: f.in.page.Glyphs}
	m.off = tag == "OC" && !props.Null() && f.in.off != nil && f.in.off(props)
	if t := props.Key("ActualText"); t.Is(object.String) {
		if t.Size() > maxActual {
			f.in.page.Refused++
		} else {
			f.in.file.Parsed(t.Size())
			m.actual, m.text = true, t.Text()
		}
	}
	for i := 0; i+1 < len(inline); i++ {
		if inline[i].Kind == object.TokName && string(inline[i].S) == "ActualText" && inline[i+1].Kind == object.TokString {
			m.actual, m.text = true, object.TextOf(string(inline[i+1].S))
		}
	}
	if n := len(f.marks); n > 0 && !m.off && !m.artifact && !m.scrolls && !m.actual { // it says nothing
		f.marks[n-1].plain++
		return
	}
	if len(f.marks) == maxMarks {
		f.in.page.Short = "marked content is nested more deeply than the limit"
		return
	}
	if m.actual {
		f.in.out.open, f.in.out.sealed = false, true // what is replaced begins with its own span
	}
	f.marks = append(f.marks, m)
	f.marked()
}

// end ends the innermost sequence.
func (f *frame) end() {
	n := len(f.marks)
	switch {
	case n > 0 && f.marks[n-1].plain > 0:
		f.marks[n-1].plain--
	case n > 0:
		m := f.marks[n-1]
		f.marks = f.marks[:n-1]
		if m.actual {
			f.in.replace(&m)
		}
		f.marked()
	}
}

// marked brings the state in line with the open sequences, which q and Q do not touch.
func (f *frame) marked() {
	f.state.off, f.state.artifact, f.state.scrolls = f.off, f.artifact, f.scrolls
	for i := range f.marks {
		f.state.off = f.state.off || f.marks[i].off
		f.state.artifact = f.state.artifact || f.marks[i].artifact
		f.state.scrolls = f.state.scrolls || f.marks[i].scrolls
	}
}

// A replacement may be longer than what is shown: a ligature, an abbreviation. One that is much longer says what nobody can see there.
const (
	actualTimes = 3
	actualMore  = 8
	maxActual   = 16 << 10 // bytes
)

// replace puts the text of a sequence in the place of what it shows (14.9.4). The text has to be about as long as what is shown: else it
// would be a way to say to a program what no person sees.
func (in *Interp) replace(m *mark) {
	p := in.page
	in.out.open, in.out.sealed = false, true
	spans := p.Spans[min(m.span, len(p.Spans)):]
	glyphs := p.Glyphs - m.glyphs
	if glyphs == 0 || isBlank([]byte(m.text)) || m.text == "\u00ad" {
		return
	}
	if utf8.RuneCountInString(m.text) > actualTimes*glyphs+actualMore {
		p.Refused++
		return
	}
	blank := len(spans) > 0
	for i := range spans {
		blank = blank && isBlank(p.Text(&spans[i]))
	}
	if blank { // nobody sees anything there
		p.Refused++
		return
	}
	if len(spans) == 0 { // nothing gave a text for these glyphs
		if in.out.last.Size > 0 {
			s := in.out.last
			s.Start, s.stop = int32(len(p.Buf)), -1
			p.Buf = append(p.Buf, m.text...)
			in.out.clean(int(s.Start))
			s.End = int32(len(p.Buf))
			p.Spans = append(p.Spans, s)
			p.Unknown = max(0, p.Unknown-glyphs)
		}
		return
	}
	first, last := &spans[0], &spans[len(spans)-1]
	if string(p.Buf[first.Start:last.End]) == m.text {
		return
	}
	for i := range spans { // seen in part, or on several lines: what is shown is the better text
		if spans[i].Hidden != first.Hidden || i > 0 && Between(&spans[i-1], &spans[i]) == GapLine {
			return
		}
	}
	s := *first
	s.X1, s.Y1, s.stop = last.X1, last.Y1, -1
	s.Start = int32(len(p.Buf))
	p.Buf = append(p.Buf, m.text...)
	in.out.clean(int(s.Start))
	s.End = int32(len(p.Buf))
	r, _ := utf8.DecodeRuneInString(m.text)
	if s.RTL = IsRTL(r); s.RTL {
		visual(p.Buf[s.Start:s.End])
	}
	p.Spans = append(p.Spans[:m.span], s)
}
