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
	gap    float64 // what was moved since the last glyph

	style    font.Style
	vertical bool
	artifact bool

	// Whether a person sees it.
	hidden  Hidden // whatever stands where it stands
	clip    *clip
	ink     ink
	alpha   float64    // how much of it reaches the page
	behind  bool       // its ink is compared with what lies behind it
	up      [2]float64 // from the base line to the top of the letters
	order   uint32     // how many things were painted before
	scrolls bool       // it is not cut off for good
	sealed  bool       // the last span does not go on
	blank   bool       // the glyph of a Type 3 font paints nothing
	last    Span       // that the last glyph would have made
	shows   recent
}

// begin starts a string at the origin of m, which maps text space to the page. It reports false when the page has too many glyphs.
func (t *text) begin(m Matrix, s *state, order uint32) bool {
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
	em := 1.0
	if s.type3 != nil {
		em = s.type3.em
	}
	t.size = math.Abs(s.size) * length(m[2], m[3]) * em
	if s.size < 0 || s.font.Vertical() { // written against the axis
		t.ux, t.uy, t.unit = -t.ux, -t.uy, -t.unit
	}
	t.style, t.vertical, t.artifact, t.open = s.font.Style(), s.font.Vertical(), s.artifact, false
	t.gap = 0
	t.up = [2]float64{m[2] * s.size * em, m[3] * s.size * em}
	if t.vertical { // written through its middle
		t.up = [2]float64{}
	}
	t.blank = false
	// How thick a letter is at its thinnest: one that leans until it lies flat has its width and its height still.
	thin := math.Abs(m[0]*m[3]-m[1]*m[2]) / max(length(m[0], m[1]), length(m[2], m[3]), 1e-9)
	t.seen(min(math.Abs(s.size*s.wide*em)*length(m[0], m[1]), math.Abs(s.size*em)*thin), s, order)
	return t.room()
}

// leastSize is the size in points below which nobody reads a letter.
const leastSize = 1.0

// seen finds out whether the text of a string is seen, as far as that does not depend on where it stands. Its letters are wide points to
// the em.
func (t *text) seen(wide float64, s *state, order uint32) {
	t.order, t.clip, t.hidden = order, s.clip, Visible
	// A field shows one line of its text at least, and the rest when a person moves it.
	r := s.clip.rect
	t.scrolls = s.scrolls && r.Y1-r.Y0 >= fieldHeight*t.size && r.X1-r.X0 >= fieldWidth*t.size
	k, alpha := s.lettersInk()
	unit := t.page.Unit
	if unit <= 0 {
		unit = 1
	}
	switch {
	case s.off:
		t.hidden = HiddenLayer
	case !(min(t.size, wide)*unit >= leastSize):
		t.hidden = HiddenTiny
	case s.mode&3 == 3:
		t.hidden = HiddenInvisible
	case alpha*s.group <= leastAlpha, s.blocked, k.kind == inkNone:
		t.hidden = HiddenColor
	}
	t.alpha = alpha * s.group
	t.paintedIn(k)
}

// paintedIn sets the ink of the letters that follow.
func (t *text) paintedIn(k ink) {
	t.ink = k
	t.behind = t.hidden == Visible && k.kind == inkKnown && (t.order > 0 || k.like(paper) || t.alpha < opaqueAlpha)
}

// How large a field is at least that a person can read text in, in parts of the font's size.
const (
	fieldHeight = 0.7
	fieldWidth  = 2.0
)

// leastAlpha is how much of a letter's ink has to reach the page.
const leastAlpha = 0.05

// look returns whether the letter in the middle of a place along the base line is seen.
func (t *text) look(at float64) Hidden {
	h := t.hidden
	if h == HiddenLayer || h == HiddenTiny {
		return h
	}
	if t.blank {
		h = HiddenInvisible
	}
	x, y, cv := t.x+at*t.ux, t.y+at*t.uy, &t.page.canvas
	if !t.clip.hasPoint(cv, x+glyphMid*t.up[0], y+glyphMid*t.up[1]) {
		inside := false
		for _, up := range glyphLooks[1:] {
			inside = inside || t.clip.hasPoint(cv, x+up*t.up[0], y+up*t.up[1])
		}
		if !inside && !(t.scrolls && t.page.Box.has(x, y)) {
			return HiddenOffPage
		}
	}
	if !t.behind {
		return h
	}
	for _, up := range glyphLooks {
		below := cv.at(x+up*t.up[0], y+up*t.up[1]).color
		k := t.ink
		if t.alpha < opaqueAlpha && below&cellUnknown == 0 { // what is seen is a mixture
			c := coat{ink: k, alpha: t.alpha}
			k.rgb = c.over(below)
		}
		if !k.like(below) {
			return h
		}
	}
	return HiddenColor
}

// move moves by so much between two strings, in text space.
func (t *text) move(by float64) {
	if t.gap += by * t.unit; t.gap > wordGap*t.size || t.gap < -backGap*t.size {
		t.open = false
	}
}

// room reports whether the page may have one more glyph.
func (t *text) room() bool { return t.page.Glyphs < MaxPageGlyphs && len(t.page.Buf) < maxPageText }

// glyph adds the glyph of a code of n bytes that reaches from one place on the base line to another, in text space.
func (t *text) glyph(f *font.Font, v uint32, n int, from, to float64) {
	p := t.page
	p.Glyphs++
	start := len(p.Buf)
	var ok bool
	if p.Buf, ok = f.AppendText(p.Buf, v, n); !ok {
		p.Unknown++
	}
	t.clean(start)
	a, b := from*t.unit, to*t.unit
	if len(p.Buf) == start { // its place shows as a gap, if it is one
		t.last = t.span(start, a, b)
		return
	}
	t.gap = 0
	rtl := p.Buf[start] >= firstRTL && visual(p.Buf[start:])
	h := t.look((a + b) / 2)
	if k := len(p.Spans); k > 0 && !t.sealed {
		last := &p.Spans[k-1]
		if last.Hidden == h && last.order == t.order && last.Artifact == t.artifact && (t.open || t.goesOn(last, a)) {
			last.End, last.X1, last.Y1, last.RTL = int32(len(p.Buf)), t.x+b*t.ux, t.y+b*t.uy, last.RTL || rtl
			t.open = true
			t.stop(last)
			return
		}
	}
	s := t.span(start, a, b)
	s.RTL, s.Hidden = rtl, h
	p.Spans = append(p.Spans, s)
	t.open, t.sealed = true, false
	t.stop(&p.Spans[len(p.Spans)-1])
}

// span is the span of what was appended from start on, from one place along the base line to another.
func (t *text) span(start int, a, b float64) Span {
	return Span{
		Start: int32(start), End: int32(len(t.page.Buf)), X0: t.x + a*t.ux, Y0: t.y + a*t.uy, X1: t.x + b*t.ux, Y1: t.y + b*t.uy,
		UX: t.ux, UY: t.uy, Size: t.size, Style: t.style, Vertical: t.vertical, Artifact: t.artifact,
		order: t.order, stop: int32(len(t.page.stops)), up: t.up,
	}
}

// goesOn reports whether what begins at a place along the base line goes on with a span.
func (t *text) goesOn(last *Span, a float64) bool {
	if last.Size != t.size || last.UX != t.ux || last.UY != t.uy || last.Style != t.style {
		return false
	}
	next := Span{X0: t.x + a*t.ux, Y0: t.y + a*t.uy, UX: t.ux, UY: t.uy, Size: t.size}
	return Between(last, &next) == GapNone
}

// stop notes where the last glyph of a span ends.
func (t *text) stop(s *Span) {
	t.page.stops = append(t.page.stops, stop{s.End, float32((s.X1-s.X0)*s.UX + (s.Y1-s.Y0)*s.UY)})
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

// In parts of the font's size. A space is a quarter to a third of it, in tight lines half as much; kerning is less than a tenth. On 1,116
// public files 0.1 finds more of the words than 0.13, 0.17 or 0.2, and makes fewer wrong ones.
const (
	wordGap = 0.1 // forward
	backGap = 0.6 // backward: overprinted or moved within the line
	stepGap = 0.4 // across: more than an index is raised
	LineGap = 0.6 // across
	farBack = 1.5 // backward: the next line, written at the same height
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
	case along > wordGap*smaller, along < -backGap*larger, across > stepGap*larger:
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

// visual brings the text of one glyph, which is in reading order, into the order in which it looks. It reports whether it begins with what
// runs from right to left.
func visual(b []byte) bool {
	if r, _ := utf8.DecodeRune(b); !IsRTL(r) {
		return false
	}
	runes := []rune(string(b))
	n := len(runes)
	for n > 1 && !IsRTL(runes[n-1]) { // what runs from left to right stays
		n--
	}
	slices.Reverse(runes[:n])
	copy(b, string(runes))
	return true
}
