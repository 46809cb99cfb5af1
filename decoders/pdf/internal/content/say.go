package content

import (
	"strings"
	"unicode"
)

// Of text that a viewer would put into a field by itself.
const (
	saidSize   = 10.0 // where the field leaves it open and is higher
	saidMargin = 2.0  // between a field's edge and its text
	saidHeight = 0.8  // how much of a field's height a single line takes at most
)

// Say adds lines of text in a box of the page, from its top down: what a viewer would show there of itself. size is that of the font, 0 for
// one that fits.
func (in *Interp) Say(text string, box Rect, size float64) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' })
	if size <= 0 {
		size = saidSize
	}
	if h := saidHeight * (box.Y1 - box.Y0); len(lines) == 1 && h > 0 {
		size = min(size, h)
	}
	y := box.Y1 - saidMargin - size
	if len(lines) == 1 {
		y = (box.Y0+box.Y1-size)/2 + size/4
	}
	for _, line := range lines {
		line = strings.TrimFunc(line, unicode.IsSpace)
		if line == "" || len(in.page.Buf)+len(line) > maxPageText {
			continue
		}
		start := len(in.page.Buf)
		in.page.Buf = append(in.page.Buf, line...)
		x := box.X0 + saidMargin
		n := float64(len([]rune(line)))
		in.page.Glyphs += int(n)
		in.page.Spans = append(in.page.Spans, Span{
			Start: int32(start), End: int32(len(in.page.Buf)), X0: x, Y0: y, X1: x + n*size/2, Y1: y, UX: 1, Size: size,
		})
		y -= 1.2 * size
	}
	in.out.open = false
}
