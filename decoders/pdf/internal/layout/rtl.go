package layout

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

// Text that runs from right to left is drawn from left to right by most writers, glyph by glyph as it looks, and from right to left by
// others. Such a line is put into the order in which it looks, and then turned into the order in which it is read.

// beside reports whether b stands on the line of a, on whichever side of it.
func beside(a, b *content.Span) bool {
	across := math.Abs((b.Y0-a.Y1)*a.UX - (b.X0-a.X1)*a.UY)
	return across <= content.LineGap*max(a.Size, b.Size, 1e-9) && a.UX*b.UX+a.UY*b.UY >= 0.9
}

func anyRTL(spans []content.Span) bool {
	return slices.ContainsFunc(spans, func(s content.Span) bool { return s.RTL })
}

// appendRTL appends a line of which some runs from right to left.
func (l *layout) appendRTL(out []byte, spans []content.Span) []byte {
	along := func(s content.Span) float64 { return s.X0*spans[0].UX + s.Y0*spans[0].UY }
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b content.Span) int { return cmp.Compare(along(a), along(b)) })
	line := []rune(string(l.appendSpans(nil, sorted)))
	return append(out, string(logical(line))...)
}

// logical turns a line from the order in which it looks into the order in which it is read. The line runs in the direction of most of its
// letters; what runs in the other is turned as a whole.
func logical(line []rune) []rune {
	var right, left int
	for _, r := range line {
		switch {
		case content.IsRTL(r):
			right++
		case unicode.IsLetter(r):
			left++
		}
	}
	foreign := content.IsRTL
	if right >= left {
		slices.Reverse(line)
		foreign = func(r rune) bool {
			return !content.IsRTL(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
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
			} else if content.IsRTL(line[j]) || unicode.IsLetter(line[j]) || unicode.IsDigit(line[j]) {
				break
			}
		}
		slices.Reverse(line[i:end])
		i = end
	}
	return line
}
