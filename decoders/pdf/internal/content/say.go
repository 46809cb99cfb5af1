package content

import (
	"strings"
	"unicode"
)

// Of text that a viewer would put into a field by itself.
const (
	saidSize   = 10.0 // where the field leaves it open
	saidMargin = 2.0  // between a field's edge and its text
	saidHeight = 0.8  // how much of a field's height a single line takes at most
	saidLead   = 1.2  // from line to line, in sizes
)

// Say adds lines of text in a box of the page, from its top down: what a viewer would show there of itself, or would not where it is
// unseen. size is that of the font, 0 for one that fits.
func (in *Interp) Say(text string, box Rect, size float64, unseen bool) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
	if size <= 0 {
		size = saidSize
	}
	if h := saidHeight * (box.Y1 - box.Y0); len(lines) == 1 && h > leastSize {
		size = min(size, h)
	}
	y := box.Y1 - saidMargin - size
	if len(lines) == 1 {
		y = (box.Y0+box.Y1-size)/2 + size/4
	}
	for _, line := range lines {
		in.sayLine(strings.TrimFunc(line, unicode.IsSpace), box.X0+saidMargin, y, size, unseen)
		y -= saidLead * size
	}
	in.out.open, in.out.sealed = false, true
}

// sayLine adds one line that begins at (x, y).
func (in *Interp) sayLine(line string, x, y, size float64, unseen bool) {
	p := in.page
	n := len([]rune(line))
	if n == 0 || len(p.Buf)+len(line) > maxPageText || p.Glyphs+n > MaxPageGlyphs {
		return
	}
	start := len(p.Buf)
	p.Buf = append(p.Buf, line...)
	p.Glyphs += n
	s := Span{
		Start: int32(start), End: int32(len(p.Buf)), X0: x, Y0: y, X1: x + float64(n)*size/2, Y1: y, UX: 1, Size: size,
		order: p.canvas.order, stop: -1, up: [2]float64{0, size},
	}
	switch b := in.box(); {
	case unseen:
		s.Hidden = HiddenNote
	case size < leastSize:
		s.Hidden = HiddenTiny
	case x < b.X0 || x > b.X1 || y < b.Y0 || y > b.Y1:
		s.Hidden = HiddenOffPage
	}
	p.Spans = append(p.Spans, s)
}
