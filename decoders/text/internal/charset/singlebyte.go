package charset

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// singleByte is a candidate: a charset and the languages that are written in it.
type singleByte struct {
	label     string
	alphabets []string
	prior     int // points for being the common one

	once    sync.Once
	points  [][128]int8 // of the bytes above ASCII, for each alphabet
	classes [256]class
	lonely  [256]bool   // letters above ASCII that are no word by themselves
	wrong   [256]string // letters of ASCII that do not follow the byte
}

func (s *singleByte) fill() {
	c := charmapOf(s.label)
	for b := range 256 {
		r := c.DecodeByte(byte(b))
		s.classes[b] = classOf(r)
		s.lonely[b] = s.classes[b].high() && (s.foreign() || !strings.ContainsRune(oneLetterWords, r))
		s.wrong[b] = neverBefore(r)
	}
	s.points = make([][128]int8, len(s.alphabets))
	for i, alphabet := range s.alphabets {
		for b := range 128 {
			if s.classes[b+utf8.RuneSelf].letter() {
				s.points[i][b] = letterPoints(alphabet, c.DecodeByte(byte(b+utf8.RuneSelf)))
			}
		}
	}
}

// foreign reports whether the charset is for a script whose words have no Latin letters.
func (s *singleByte) foreign() bool { return s.alphabets[0] > "\u0370" }

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

// countHigh counts the bytes above ASCII of a sample.
func countHigh(sample []byte) (count [128]int) {
	for _, c := range sample {
		if c >= utf8.RuneSelf {
			count[c-utf8.RuneSelf]++
		}
	}
	return count
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
			base += n * 40
		case quote:
			base += n * 80
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
	if most := (base+best)/chars + s.prior; most <= floor {
		return most // neighbours only take away
	}
	return (base+best+s.neighbours(sample))/chars + s.prior
}

// neighbours adds up what is wrong with letters next to each other: an upper-case letter after a lower-case one, a symbol inside a word, a
// mark without a letter, Latin letters inside a word of another script, words of one letter that are none, and pairs that no language has.
func (s *singleByte) neighbours(sample []byte) (sum int) {
	foreign := s.foreign()
	prev, last := other, byte(0) // the byte before and its class
	run, before := 0, other      // length of the word above ASCII that ends there, and what stands before it
	glued := false               // that byte is a quote behind a letter
	for _, c := range sample {
		cur := s.classes[c]
		if c < utf8.RuneSelf && run == 0 && prev != symbol && !glued {
			prev, last = cur, c
			continue
		}
		switch {
		case cur == highUpper && (prev == lower || prev == highLower):
			sum -= 150
		case cur == upper && prev == highLower:
			sum -= 100
		case cur == mark && !prev.letter():
			sum -= 100
		case cur == symbol && prev.letter(), prev == symbol && cur.letter(), prev == quote && cur.letter() && glued:
			sum -= 100
		case foreign && (cur.high() && (prev == lower || prev == upper) || run > 0 && (cur == lower || cur == upper)):
			sum -= 100
		case cur == lower && s.wrong[last] != "" && strings.IndexByte(s.wrong[last], c) >= 0:
			sum -= 80
		}
		switch {
		case cur.high() && run == 0:
			run, before = 1, prev
		case cur.high():
			run++
		default:
			if run == 1 && !before.letter() && !cur.letter() && s.lonely[last] {
				sum -= 60
			}
			run = 0
		}
		glued = cur == quote && prev.letter()
		prev, last = cur, c
	}
	return sum
}
