package content

import (
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// text collects what a page shows: glyphs that follow each other without a gap are a span, in the order of the content.
type text struct {
	page *Page

	// Of the string that is shown.
	x, y   float64 // where it begins on the page
	ux, uy float64 // direction of writing, of length 1
	unit   float64 // page units for one unit of text space along it
	size   float64 // height of the font on the page
	open   bool    // the last span can go on

	style    font.Style
	vertical bool
}

// begin starts a string at the origin of m, which maps text space to the page. It reports false when the page has too many glyphs.
func (t *text) begin(m Matrix, s *state) bool {
	m = m.Moved(0, s.rise)
	t.x, t.y = m[4], m[5]
	t.ux, t.uy = m[0], m[1]
	if s.font.Vertical() {
		t.ux, t.uy = m[2], m[3]
	}
	t.unit = length(t.ux, t.uy)
	if t.unit > 0 {
		t.ux, t.uy = t.ux/t.unit, t.uy/t.unit
	}
	t.size = math.Abs(s.size) * length(m[2], m[3])
	if s.size < 0 || s.font.Vertical() { // written against the axis
		t.ux, t.uy, t.unit = -t.ux, -t.uy, -t.unit
	}
	t.style, t.vertical, t.open = s.font.Style(), s.font.Vertical(), false
	return t.room()
}

// room reports whether the page may have one more glyph.
func (t *text) room() bool { return t.page.Glyphs < MaxPageGlyphs && len(t.page.Buf) < maxPageText }

// glyph adds the glyph of a code of n bytes that reaches from one place on the base line to another, in text space.
func (t *text) glyph(f *font.Font, v uint32, n int, from, to float64) {
	t.page.Glyphs++
	start := len(t.page.Buf)
	var ok bool
	if t.page.Buf, ok = f.AppendText(t.page.Buf, v, n); !ok {
		t.page.Unknown++
	}
	t.clean(start)
	if len(t.page.Buf) == start {
		return // its place shows as a gap, if it is one
	}
	rtl := t.page.Buf[start] >= firstRTL && visual(t.page.Buf[start:])
	a, b := from*t.unit, to*t.unit
	s := Span{
		Start: int32(start), End: int32(len(t.page.Buf)), X0: t.x + a*t.ux, Y0: t.y + a*t.uy, X1: t.x + b*t.ux, Y1: t.y + b*t.uy, UX: t.ux, UY: t.uy,
		Size: t.size, Style: t.style, RTL: rtl, Vertical: t.vertical,
	}
	if k := len(t.page.Spans); k > 0 {
		last := &t.page.Spans[k-1]
		if t.open || last.Size == s.Size && last.UX == s.UX && last.UY == s.UY && last.Style == s.Style && Between(last, &s) == GapNone {
			last.End, last.X1, last.Y1, last.RTL = s.End, s.X1, s.Y1, last.RTL || rtl
			t.open = true
			return
		}
	}
	t.page.Spans = append(t.page.Spans, s)
	t.open = true
}

// clean replaces what was appended from start on: ligatures are spelled out, characters that no text has are dropped.
func (t *text) clean(start int) {
	if len(t.page.Buf) == start+1 && t.page.Buf[start] >= ' ' && t.page.Buf[start] < 0x7f {
		return
	}
	raw := t.page.Buf[start:]
	plain := true
	for _, r := range string(raw) {
		plain = plain && r >= ' ' && r != 0x7f && r != utf8.RuneError && !(r >= 0xfb00 && r <= 0xfb06) && r != 0xa0
	}
	if plain {
		return
	}
	t.page.Buf = t.page.Buf[:start]
	for _, r := range string(raw) {
		switch {
		case r >= 0xfb00 && r <= 0xfb06:
			t.page.Buf = append(t.page.Buf, ligatures[r-0xfb00]...)
		case r == 0xa0, r == '\t', r == '\n', r == '\r':
			t.page.Buf = append(t.page.Buf, ' ')
		case unicode.IsControl(r):
		default:
			t.page.Buf = utf8.AppendRune(t.page.Buf, r)
		}
	}
}

var ligatures = [7]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

// Gap is what lies between two spans.
type Gap uint8

// The gaps.
const (
	GapNone Gap = iota
	GapWord
	GapLine
)

// In parts of the font's size. A space is a quarter to a third of it, kerning hardly a tenth.
const (
	wordGap = 0.17 // forward
	backGap = 0.6  // backward: overprinted or moved within the line
	LineGap = 0.6  // across
	farBack = 1.5  // backward: the next line, written at the same height
)

// Between says what lies between the end of a and the start of b.
func Between(a, b *Span) Gap {
	dx, dy := b.X0-a.X1, b.Y0-a.Y1
	along, across := dx*a.UX+dy*a.UY, math.Abs(dy*a.UX-dx*a.UY)
	larger, smaller := max(a.Size, b.Size), min(a.Size, b.Size)
	if larger == 0 {
		larger, smaller = 1, 1
	}
	switch {
	case across > LineGap*larger, a.UX*b.UX+a.UY*b.UY < 0.9, along < -farBack*larger:
		return GapLine
	case along > wordGap*smaller, along < -backGap*larger:
		return GapWord
	}
	return GapNone
}

// firstRTL is the first byte of U+0580 and above in UTF-8: no character below runs from right to left.
const firstRTL = 0xd6

// IsRTL reports whether r is a letter or mark of a script that runs from right to left, by its block.
func IsRTL(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff ||
		r >= 0x1e800 && r <= 0x1efff
}

// visual brings the text of one glyph, which is in reading order, into the order in which it looks. It reports whether it runs from right
// to left.
func visual(b []byte) bool {
	r, n := utf8.DecodeRune(b)
	if !IsRTL(r) {
		return false
	}
	if n < len(b) {
		runes := []rune(string(b))
		slices.Reverse(runes)
		copy(b, string(runes))
	}
	return true
}
