package text

import (
	"sync"
	"unicode"
	"unicode/utf8"
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

// singleByte is a candidate: a charset and the languages that are written in it.
type singleByte struct {
	label     string
	alphabets []string

	once    sync.Once
	points  [][128]int8 // of the bytes above ASCII, for each alphabet
	classes [256]class
}

func (s *singleByte) fill() {
	c := charmapOf(s.label)
	for b := range 256 {
		s.classes[b] = classOf(c.DecodeByte(byte(b)))
	}
	s.points = make([][128]int8, len(s.alphabets))
	for i, alphabet := range s.alphabets {
		for b := range 128 {
			if r := c.DecodeByte(byte(b + utf8.RuneSelf)); s.classes[b+utf8.RuneSelf].letter() {
				s.points[i][b] = letterPoints(alphabet, r)
			}
		}
	}
}

// letterPoints is 100 for a letter of the first third of an alphabet, less for the others, and a penalty for those that it does not have.
func letterPoints(alphabet string, r rune) int8 {
	low, at := unicode.ToLower(r), 0
	for _, a := range alphabet {
		if a == low {
			points := [...]int8{100, 80, 55}[at*3/utf8.RuneCountInString(alphabet)]
			if low != r {
				points -= 10
			}
			return points
		}
		at++
	}
	return -60
}

// score returns how plausible a sample is: by its letters in the alphabet that fits best, and by their neighbours. count is countHigh of
// the sample. A score that cannot exceed floor may come back too high, but not above floor.
func (s *singleByte) score(sample []byte, count *[128]int, floor int) int {
	s.once.Do(s.fill)
	chars, base := 0, 0
	for b, n := range count {
		chars += n
		switch s.classes[b+utf8.RuneSelf] {
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
	for i := range s.points {
		sum := 0
		for b, n := range count {
			sum += n * int(s.points[i][b])
		}
		best = max(best, sum)
	}
	if most := (base + best) / chars; most <= floor {
		return most // neighbours only take away
	}
	// Scripts written without Latin letters touch none within a word.
	foreign := s.alphabets[0] > "\u0370"
	return (base + best + neighbours(sample, &s.classes, foreign)) / chars
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

// neighbours adds up what is wrong with letters next to each other: an upper-case letter after a lower-case one, a symbol inside a word,
// a mark without a letter, and, in foreign scripts, Latin letters inside a word and words of one letter, which are rare.
func neighbours(sample []byte, classes *[256]class, foreign bool) (sum int) {
	prev, run := other, 0 // run is the length of the word above ASCII that ends in prev
	for _, c := range sample {
		cur := classes[c]
		if c < utf8.RuneSelf && run == 0 && prev != symbol {
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
		case foreign && (cur.high() && (prev == lower || prev == upper) || run > 0 && (cur == lower || cur == upper)):
			sum -= 100
		}
		switch {
		case cur.high():
			run++
		default:
			if foreign && run == 1 {
				sum -= 60
			}
			run = 0
		}
		prev = cur
	}
	return sum
}
