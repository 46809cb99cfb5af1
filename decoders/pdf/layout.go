package pdf

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// text collects what a page shows: glyphs that follow each other without a gap are a span, in the order of the content.
type text struct {
	buf     []byte // UTF-8 of all spans
	spans   []span
	glyphs  int
	unknown int // glyphs that nothing gives a text for

	// Of the string that is shown.
	x, y   float64 // where it begins on the page
	ux, uy float64 // direction of writing, of length 1
	unit   float64 // page units for one unit of text space along it
	size   float64 // height of the font on the page
	open   bool    // the last span can go on
}

// span is a run of text without a gap.
type span struct {
	start, end     int // in buf
	x0, y0, x1, y1 float64
	ux, uy, size   float64
	rtl            bool // some of it is written from right to left
}

// begin starts a string at the origin of m, which maps text space to the page. It reports false when the page has too many glyphs.
func (t *text) begin(m matrix, s *state) bool {
	m = m.moved(0, s.rise)
	t.x, t.y = m[4], m[5]
	t.ux, t.uy = m[0], m[1]
	if s.font.vertical {
		t.ux, t.uy = m[2], m[3]
	}
	t.unit = length(t.ux, t.uy)
	if t.unit > 0 {
		t.ux, t.uy = t.ux/t.unit, t.uy/t.unit
	}
	t.size = math.Abs(s.size) * length(m[2], m[3])
	if s.size < 0 || s.font.vertical { // written against the axis
		t.ux, t.uy, t.unit = -t.ux, -t.uy, -t.unit
	}
	t.open = false
	return t.room()
}

// room reports whether the page may have one more glyph.
func (t *text) room() bool { return t.glyphs < maxPageGlyphs && len(t.buf) < maxPageText }

// glyph adds the glyph of a code of n bytes that reaches from one place on the base line to another, in text space.
func (t *text) glyph(f *font, v uint32, n int, from, to float64) {
	t.glyphs++
	start := len(t.buf)
	var ok bool
	if t.buf, ok = f.appendText(t.buf, v, n); !ok {
		t.unknown++
	}
	t.clean(start)
	if len(t.buf) == start {
		return // its place shows as a gap, if it is one
	}
	rtl := t.buf[start] >= firstRTL && visual(t.buf[start:])
	a, b := from*t.unit, to*t.unit
	s := span{
		start: start, end: len(t.buf), x0: t.x + a*t.ux, y0: t.y + a*t.uy, x1: t.x + b*t.ux, y1: t.y + b*t.uy, ux: t.ux, uy: t.uy, size: t.size, rtl: rtl,
	}
	if k := len(t.spans); k > 0 {
		last := &t.spans[k-1]
		if t.open || last.size == s.size && last.ux == s.ux && last.uy == s.uy && between(last, &s) == gapNone {
			last.end, last.x1, last.y1, last.rtl = s.end, s.x1, s.y1, last.rtl || rtl
			t.open = true
			return
		}
	}
	t.spans = append(t.spans, s)
	t.open = true
}

// reset makes t empty and keeps its memory.
func (t *text) reset() { *t = text{buf: t.buf[:0], spans: t.spans[:0]} }

func length(x, y float64) float64 { return math.Sqrt(x*x + y*y) }

// clean replaces what was appended from start on: ligatures are spelled out, characters that no text has are dropped.
func (t *text) clean(start int) {
	if len(t.buf) == start+1 && t.buf[start] >= ' ' && t.buf[start] < 0x7f {
		return
	}
	raw := t.buf[start:]
	plain := true
	for _, r := range string(raw) {
		plain = plain && r >= ' ' && r != 0x7f && r != utf8.RuneError && !(r >= 0xfb00 && r <= 0xfb06) && r != 0xa0
	}
	if plain {
		return
	}
	t.buf = t.buf[:start]
	for _, r := range string(raw) {
		switch {
		case r >= 0xfb00 && r <= 0xfb06:
			t.buf = append(t.buf, ligatures[r-0xfb00]...)
		case r == 0xa0, r == '\t', r == '\n', r == '\r':
			t.buf = append(t.buf, ' ')
		case unicode.IsControl(r):
		default:
			t.buf = utf8.AppendRune(t.buf, r)
		}
	}
}

var ligatures = [7]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// gap is what lies between two spans.
type gap uint8

const (
	gapNone gap = iota
	gapWord
	gapLine
)

// In parts of the font's size. A space is a quarter to a third of it, kerning hardly a tenth.
const (
	wordGap = 0.17 // forward
	backGap = 0.6  // backward: overprinted or moved within the line
	lineGap = 0.6  // across
	farBack = 1.5  // backward: the next line, written at the same height
)

// between says what lies between the end of a and the start of b.
func between(a, b *span) gap {
	dx, dy := b.x0-a.x1, b.y0-a.y1
	along, across := dx*a.ux+dy*a.uy, math.Abs(dy*a.ux-dx*a.uy)
	larger, smaller := max(a.size, b.size), min(a.size, b.size)
	if larger == 0 {
		larger, smaller = 1, 1
	}
	switch {
	case across > lineGap*larger, a.ux*b.ux+a.uy*b.uy < 0.9, along < -farBack*larger:
		return gapLine
	case along > wordGap*smaller, along < -backGap*larger:
		return gapWord
	}
	return gapNone
}

// layout returns the page as lines of words, in the order of the content.
func (t *text) layout() string {
	out := make([]byte, 0, len(t.buf)+len(t.buf)/8+16)
	for i := 0; i < len(t.spans); {
		end, rtl := t.line(i)
		if i > 0 {
			out = append(trimRight(out), '\n')
		}
		if rtl {
			out = t.appendRTL(out, t.spans[i:end])
		} else {
			out = t.appendSpans(out, t.spans[i:end])
		}
		i = end
	}
	if out = trimRight(out); len(out) > 0 {
		out = append(out, '\n')
	}
	return string(out)
}

// line returns the end of the line that begins with span i, and whether some of it runs from right to left: such a line may be drawn in
// either direction.
func (t *text) line(i int) (end int, rtl bool) {
	rtl = t.spans[i].rtl
	for end = i + 1; end < len(t.spans); end++ {
		a, b := &t.spans[end-1], &t.spans[end]
		rtl = rtl || b.rtl
		if g := between(a, b); g == gapLine && !(rtl && beside(a, b)) {
			return end, rtl && anyRTL(t.spans[i:end])
		}
	}
	return end, rtl
}

// appendSpans appends the spans of a line with blanks where there are gaps.
func (t *text) appendSpans(out []byte, spans []span) []byte {
	for i := range spans {
		if n := len(out); i > 0 && n > 0 && out[n-1] != ' ' && between(&spans[i-1], &spans[i]) != gapNone {
			out = append(out, ' ')
		}
		out = append(out, t.buf[spans[i].start:spans[i].end]...)
	}
	return out
}

// trimRight drops blanks at the end.
func trimRight(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
