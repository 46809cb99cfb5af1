package layout

import (
	"slices"
	"unicode"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

// Text that runs from right to left is drawn from left to right by most writers, glyph by glyph as it looks, and from right to left by
// others. Such a line is put into the order in which it looks, and then turned into the order in which it is read.

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
