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
	languages []*language
	prior     int // points for being the common one, once for the whole sample
	syllables int // letters of the longest word, 0: any; where words are syllables every second one has a letter above ASCII

	once    sync.Once
	points  [][128]int8 // of the bytes above ASCII, for each language
	classes [256]class
	lonely  [256]bool   // letters above ASCII that are no word by themselves
	wrong   [256]string // letters of ASCII that do not follow the byte
}

func (s *singleByte) fill() {
	c := tableOf(s.label)
	var low, as [128]rune // the letters above ASCII in lower case, and as they are; 0 for what is none
	for b := range 256 {
		r := c.DecodeByte(byte(b))
		s.classes[b] = classOf(r)
		s.lonely[b] = s.classes[b].high() && (s.foreign() || !strings.ContainsRune(oneLetterWords, r))
		s.wrong[b] = neverBefore(r)
		if b >= utf8.RuneSelf && s.classes[b].letter() {
			low[b-utf8.RuneSelf], as[b-utf8.RuneSelf] = unicode.ToLower(r), r
		}
	}
	s.points = make([][128]int8, len(s.languages))
	for i, l := range s.languages {
		rate(&s.points[i], l.letters, &low, &as)
	}
}

// foreign reports whether the charset is for a script whose words have no Latin letters.
func (s *singleByte) foreign() bool { return s.languages[0].words == "" }

// notIts is for a letter that a language does not have.
const notIts = -60

// rate gives 100 to the letters of the first third of an alphabet, less to the others, and a penalty to those that it does not have. An alphabet
// is gone over once, not once for each letter: all of this is done before the first legacy text is read.
func rate(points *[128]int8, alphabet string, low, as *[128]rune) {
	for b, r := range low {
		if r != 0 {
			points[b] = notIts
		}
	}
	at, all := 0, utf8.RuneCountInString(alphabet)
	for _, a := range alphabet {
		p := [...]int8{100, 80, 55}[at*3/all]
		for b, r := range low {
			if r != a || points[b] != notIts {
				continue
			}
			if points[b] = p; as[b] != r {
				points[b] -= 10
			}
		}
		at++
	}
}

// sampled is a sample and what all candidates want to know of it.
type sampled struct {
	text  []byte
	count [128]int // of the bytes above ASCII
	high  int      // their sum
	words [len(latin)]int
}

// scale is how finely scores are told apart. A single letter decides between charsets that agree in all the others.
const scale = 64

// score returns how plausible a sample is whose letters have that many points: scale times the mean points of its bytes above ASCII, by its
// letters in the language that fits best, and by their neighbours, which only take away. A score below floor may come back too high, but
// below floor.
func (s *singleByte) score(t *sampled, letters, floor int) int {
	if t.high == 0 {
		return 0
	}
	least := (floor-1)*t.high/scale - letters - 1
	return (letters + s.neighbours(t.text, least)) * scale / t.high
}

// letters adds up the points of the bytes above ASCII by themselves, in the language that fits best.
func (s *singleByte) letters(t *sampled) int {
	s.once.Do(s.fill)
	base := s.prior
	for b, n := range t.count {
		switch s.classes[b+utf8.RuneSelf] {
		case undefined:
			base += n * invalid
		case symbol:
			base -= n * 30
		case rare:
			base -= n * 100
		case box:
			base += n * 10
		case other:
			base += n * 40
		case quote:
			base += n * 80
		}
	}
	best := -100 * t.high
	for i, l := range s.languages {
		sum := t.bonus(l) * t.high
		for b, n := range t.count {
			sum += n * int(s.points[i][b])
		}
		best = max(best, sum)
	}
	return base + best
}

// neighbours adds up what is wrong with letters next to each other: an upper-case letter after a lower-case one, a symbol inside a word, a
// mark without a letter, Latin letters inside a word of another script, words of one letter that are none, and pairs that no language has.
// Below least it stops.
func (s *singleByte) neighbours(sample []byte, least int) (sum int) {
	if s.syllables > 0 {
		sum += s.misspelt(sample)
	}
	foreign := s.foreign()
	prev, last := other, byte(0) // the byte before and its class
	older := other               // the class of the one before that
	run, before := 0, other      // length of the word above ASCII that ends there, and what stands before it
	glued := false               // that byte is a quote behind a letter, or another sign behind that
	for _, c := range sample {
		if sum < least {
			break
		}
		cur := s.classes[c]
		if c < utf8.RuneSelf && run == 0 && prev != symbol && prev != box && prev != rare && !glued {
			older, prev, last = prev, cur, c
			continue
		}
		switch {
		case (cur == lower || cur == highLower) && prev == highUpper && older.letter(): // the case changes twice
			sum -= 100
		case cur == highUpper && (prev == lower || prev == highLower):
			sum -= 150
		case cur == upper && prev == highLower:
			sum -= 100
		case cur == mark && !prev.letter():
			sum -= 100
		case cur == box && prev.letter() || prev == box && cur.letter():
			sum -= 130
		case cur.sign() && prev.letter(), prev.sign() && cur.letter():
			sum -= 100
		case glued && cur.letter():
			sum -= 250
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
		glued = cur == quote && prev.letter() || glued && c >= utf8.RuneSelf && !cur.letter()
		older, prev, last = prev, cur, c
	}
	return sum
}

// misspelt adds up what is wrong with words where each is a syllable: those that are too long for one or have no letter of ASCII, and a text with too few letters
// above ASCII for a language that can hardly write a sentence without.
func (s *singleByte) misspelt(sample []byte) (sum int) {
	length, high, marked, words := 0, 0, 0, 0
	for _, c := range sample {
		cur := s.classes[c]
		switch {
		case cur == mark: // spelt apart, it makes no word longer
			continue
		case cur.letter():
			length++
			if cur.high() {
				high++
			}
			continue
		case length == 0:
			continue
		}
		words++
		if high > 0 {
			marked++
			if length > s.syllables || high > 1 && high >= length {
				sum -= 150 * high
			}
		}
		length, high = 0, 0
	}
	if marked*4 < words {
		for _, c := range sample {
			if c >= utf8.RuneSelf {
				sum -= 50
			}
		}
	}
	return sum
}
