package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
		turn(line)
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
		turn(line[i:end])
		i = end
	}
	numbers(line)
	return line
}

// turn turns what runs in one direction into the other. Brackets open to the other side then (UAX 9, rule L4).
func turn(run []rune) {
	slices.Reverse(run)
	const pairs = "()[]{}<>«»‹›"
	for i, r := range run {
		at := strings.IndexRune(pairs, r)
		if r < '(' || at < 0 {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(pairs[:at])
		after, _ := utf8.DecodeRuneInString(pairs[at+utf8.RuneLen(r):])
		if run[i] = after; utf8.RuneCountInString(pairs[:at])%2 == 1 {
			run[i] = before
		}
	}
}

// numbers turns the numbers in Arabic digits back: they run from left to right, in text that does not (UAX 9, class AN). A point, a comma,
// a colon or a slash between two digits is a part of the number.
func numbers(line []rune) {
	for i := 0; i < len(line); i++ {
		end := i
		for end < len(line) && isArabicDigit(line[end]) {
			if end++; end+1 < len(line) && strings.ContainsRune(".,:/٫٬", line[end]) && isArabicDigit(line[end+1]) {
				end++
			}
		}
		if end > i {
			slices.Reverse(line[i:end])
			i = end
		}
	}
}

func isArabicDigit(r rune) bool { return r >= 0x660 && r <= 0x669 || r >= 0x6f0 && r <= 0x6f9 }
