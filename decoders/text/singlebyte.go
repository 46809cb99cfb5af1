package text

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// countHigh counts the bytes above ASCII of a sample.
func countHigh(sample []byte) (count [128]int) {
	for _, c := range sample {
		if c >= utf8.RuneSelf {
			count[c-utf8.RuneSelf]++
		}
	}
	return count
}

// class is what a byte is in one charset, as far as its neighbours care.
type class uint8

const (
	other class = iota // ASCII that is no letter; typographic punctuation
	lower              // letters of ASCII
	upper
	highLower // letters above ASCII
	highUpper
	caseless
	mark // combines with the letter before it
	symbol
	undefined
)

func (c class) letter() bool { return lower <= c && c <= mark }
func (c class) high() bool   { return highLower <= c && c <= mark }

// typographic is punctuation that stands in good texts next to letters.
const typographic = "’‘“”„‚–—…«»‹›•·¿¡§°€£№©®™ \u00a0؟،؛\u200c\u200d\u200e\u200f"

// scoreSingle returns how plausible a sample is in a single-byte charset: by its letters in the alphabet that fits best, and by their
// neighbours. count is countHigh of the sample.
func scoreSingle(c *charmap.Charmap, alphabets []string, sample []byte, count *[128]int) int {
	var runes [128]rune
	var classes [256]class
	chars, base := 0, 0
	for b := range 256 {
		r := rune(b)
		if b >= utf8.RuneSelf {
			r = c.DecodeByte(byte(b))
			runes[b-utf8.RuneSelf] = r
		}
		classes[b] = classOf(r)
	}
	for b, n := range count {
		chars += n
		switch classes[b+utf8.RuneSelf] {
		case undefined:
			base += n * invalid
		case symbol:
			base -= n * 30
		case other:
			base += n * 30
		}
	}
	if chars == 0 {
		return 0
	}
	best := -100 * chars
	for _, a := range alphabets {
		best = max(best, lettersOf(a, &runes, &classes, count))
	}
	// Scripts written without Latin letters touch none within a word.
	foreign := alphabets[0] > "\u0370"
	return (base + best + neighbours(sample, &classes, foreign)) / chars
}

func classOf(r rune) class {
	switch {
	case 'a' <= r && r <= 'z':
		return lower
	case 'A' <= r && r <= 'Z':
		return upper
	case r < utf8.RuneSelf:
		return other
	case r < 0xa0, r == utf8.RuneError, unicode.Is(unicode.Co, r):
		return undefined
	case unicode.IsLower(r):
		return highLower
	case unicode.IsUpper(r):
		return highUpper
	case r == 'º', r == 'ª':
		return other
	case unicode.IsLetter(r):
		return caseless
	case unicode.Is(unicode.Mn, r):
		return mark
	}
	for _, t := range typographic {
		if r == t {
			return other
		}
	}
	return symbol
}

// lettersOf adds up the points of the sample's letters in one alphabet: 100 for its first third, less for the others, a penalty for
// letters that it does not have.
func lettersOf(alphabet string, runes *[128]rune, classes *[256]class, count *[128]int) (sum int) {
	size := utf8.RuneCountInString(alphabet)
	for b, n := range count {
		if n == 0 || !classes[b+utf8.RuneSelf].letter() {
			continue
		}
		points, at, low := -60, 0, unicode.ToLower(runes[b])
		for _, r := range alphabet {
			if r == low {
				points = [...]int{100, 80, 55}[at*3/size]
				if low != runes[b] {
					points -= 10
				}
				break
			}
			at++
		}
		sum += n * points
	}
	return sum
}

// neighbours adds up what is wrong with letters next to each other: an upper-case letter after a lower-case one, a symbol inside a word,
// a mark without a letter, and, in foreign scripts, Latin letters inside a word.
func neighbours(sample []byte, classes *[256]class, foreign bool) (sum int) {
	prev := other
	for _, c := range sample {
		cur := classes[c]
		if c < utf8.RuneSelf && !prev.high() && prev != symbol {
			prev = cur
			continue
		}
		switch {
		case cur == highUpper && (prev == lower || prev == highLower):
			sum -= 150
		case cur == upper && prev == highLower:
			sum -= 100
		case cur == mark && !prev.letter():
			sum -= 100
		case cur == symbol && prev.letter(), prev == symbol && cur.letter():
			sum -= 100
		case foreign && (cur.high() && (prev == lower || prev == upper) || prev.high() && (cur == lower || cur == upper)):
			sum -= 100
		}
		prev = cur
	}
	return sum
}
