package pdf

import (
	"cmp"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Text that runs from right to left is drawn from left to right by most writers, glyph by glyph as it looks, and from right to left by
// others. Such a line is put into the order in which it looks, and then turned into the order in which it is read.

// firstRTL is the first byte of U+0580 and above in UTF-8: no character below runs from right to left.
const firstRTL = 0xd6

// isRTL reports whether r is a letter or mark of a script that runs from right to left, by its block.
func isRTL(r rune) bool {
	return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff ||
		r >= 0x1e800 && r <= 0x1efff
}

// visual brings the text of one glyph, which is in reading order, into the order in which it looks. It reports whether it runs from right
// to left.
func visual(b []byte) bool {
	r, n := utf8.DecodeRune(b)
	if !isRTL(r) {
		return false
	}
	if n < len(b) {
		runes := []rune(string(b))
		slices.Reverse(runes)
		copy(b, string(runes))
	}
	return true
}

// beside reports whether b stands on the line of a, on whichever side of it.
func beside(a, b *span) bool {
	across := math.Abs((b.y0-a.y1)*a.ux - (b.x0-a.x1)*a.uy)
	return across <= lineGap*max(a.size, b.size, 1e-9) && a.ux*b.ux+a.uy*b.uy >= 0.9
}

func anyRTL(spans []span) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.rtl })
}

// appendRTL appends a line of which some runs from right to left.
func (t *text) appendRTL(out []byte, spans []span) []byte {
	along := func(s span) float64 { return s.x0*spans[0].ux + s.y0*spans[0].uy }
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b span) int { return cmp.Compare(along(a), along(b)) })
	line := []rune(string(t.appendSpans(nil, sorted)))
	return append(out, string(logical(line))...)
}

// logical turns a line from the order in which it looks into the order in which it is read. The line runs in the direction of most of its
// letters; what runs in the other is turned as a whole.
func logical(line []rune) []rune {
	var right, left int
	for _, r := range line {
		switch {
		case isRTL(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	foreign := isRTL
	if right >= left {
		slices.Reverse(line)
		foreign = func(r rune) bool {
			return !isRTL(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
		}
	}
	for i := 0; i < len(line); i++ {
		if !foreign(line[i]) {
			continue
		}
		end := i + 1
		for j := end; j < len(line); j++ { // blanks and marks between two foreign characters belong to them
			if foreign(line[j]) {
				end = j + 1
			} else if isRTL(line[j]) || unicode.IsLetter(line[j]) || unicode.IsDigit(line[j]) {
				break
			}
		}
		slices.Reverse(line[i:end])
		i = end
	}
	return line
}
