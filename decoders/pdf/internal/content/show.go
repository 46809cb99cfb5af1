package content

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// textOperator runs the operators of 9.3 and 9.4; it reports false for any other.
func (f *frame) textOperator(op []byte) bool {
	s := &f.state
	switch string(op) {
	case "BT":
		f.tm, f.line = Identity, Identity
		f.textFrom, f.clipping = len(f.in.page.Spans), false
	case "ET":
		if f.clipping {
			f.clipLetters()
		}
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
		f.show(f.last())
	case "TJ":
		f.show(f.args)
	case "'":
		f.newLine(0, -s.lead)
		f.show(f.last())
	case "\"":
		s.word, s.char = f.num(3), f.num(2)
		f.newLine(0, -s.lead)
		f.show(f.last())
	default:
		return f.textState(op)
	}
	return true
}

// textState runs the operators of 9.3.
func (f *frame) textState(op []byte) bool {
	s := &f.state
	switch string(op) {
	case "Tf":
		if len(f.args) >= 2 {
			s.size = f.num(1)
			f.setFont(f.font(f.bytes(2)))
		}
	case "Tr":
		s.mode = int(min(max(f.num(1), 0), 7))
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
	default:
		return false
	}
	return true
}

// last returns the last operand.
func (f *frame) last() []object.Token { return f.args[max(0, len(f.args)-1):] }

func (f *frame) newLine(x, y float64) {
	f.line = f.line.Moved(x, y)
	f.tm = f.line
}

const tooManyGlyphs = "the page has more characters than the limit"

// show shows the strings of an operator, with numbers between them that move back by thousandths (9.4.3, 9.4.4).
func (f *frame) show(args []object.Token) {
	s, out := &f.state, &f.in.out
	if s.font == nil {
		s.font = font.Fallback()
	}
	if !out.begin(f.tm.Mul(s.ctm), s, f.in.page.canvas.order) {
		f.in.page.Short = tooManyGlyphs
		return
	}
	f.clipping = f.clipping || s.mode >= 4
	twice, down := out.again(args), s.font.Vertical()
	moved := 0.0
	for i := range args {
		switch t := &args[i]; t.Kind {
		case object.TokString:
			moved = f.string(t.S, moved, twice)
		case object.TokNumber:
			by := -t.Num / 1000 * s.size
			if !down {
				by *= s.wide
			}
			moved += by
			out.move(by)
		}
	}
	if down {
		f.tm = f.tm.Moved(0, moved)
	} else {
		f.tm = f.tm.Moved(moved, 0)
	}
}

// letterGap is from where on letters that are set apart are not read as a word, in parts of the font's size.
const letterGap = 0.4

// blankGap is from where on a blank that is stretched is a gap between two texts, the cells of a table as like as not.
const blankGap = 1.0

// string shows a string that begins where the operator has moved to, and returns where it ends.
func (f *frame) string(b []byte, moved float64, twice bool) float64 {
	s, out := &f.state, &f.in.out
	down, apart, glyphs := s.font.Vertical(), s.char > letterGap*s.size, 0
	for len(b) > 0 && out.room() {
		v, n := s.font.Next(b)
		b = b[n:]
		var by float64
		if down {
			by = s.font.AdvanceDown(v)
		} else {
			by = s.font.Advance(v)
		}
		by *= s.size
		end := by
		by += s.char
		stretched := false
		if n == 1 && v == ' ' {
			by += s.word
			stretched = s.word > blankGap*s.size
		}
		if !apart && !stretched {
			end = by
		}
		if !down {
			by, end = by*s.wide, end*s.wide
		}
		if s.type3 != nil {
			f.type3Glyph(v, moved)
		}
		if !twice {
			out.glyph(s.font, v, n, moved, moved+end)
			out.open = out.open && !apart && !stretched
		}
		moved += by
		glyphs++
	}
	f.in.file.Work(glyphs)
	if len(b) > 0 {
		f.in.page.Short = tooManyGlyphs
	}
	return moved
}
