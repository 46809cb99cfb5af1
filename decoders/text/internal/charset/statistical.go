package charset

import (
	"math"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// guess is a reading of a sample and how plausible it is: scale times the mean over its characters above ASCII, in points of which the most
// frequent characters of a language have 100. Integers throughout: the answer must not depend on how a machine rounds.
type guess struct {
	label   string
	score   int
	percent int
}

// leastScore is the plausibility below which no reading is better than the default.
const leastScore = 15 * scale

// lead is the lead of one reading, in points, beyond which it does not matter how far behind the next one is.
const lead = 30

// statistical returns the most plausible reading of a sample in a legacy charset; the label is "" when there is none.
func statistical(t *sampled) guess {
	best, second := guess{score: -1000 * scale}, guess{score: -1000 * scale}
	for i := range multiBytes {
		m := &multiBytes[i]
		score, valid := m.score(t.text)
		switch {
		case !valid:
		case score > best.score:
			best, second = guess{label: m.label, score: score}, best
		case score > second.score:
			second = guess{label: m.label, score: score}
		}
	}
	// Of the others the one that promises most comes first, so that few have to be looked at closely.
	letters := make([]int, len(singleBytes))
	for i := range singleBytes {
		letters[i] = singleBytes[i].letters(t)
	}
	at := -1 // of the best one; of two that are equal the first is it
	for {
		next := 0
		for i := range letters {
			if letters[i] > letters[next] {
				next = i
			}
		}
		sum, floor := letters[next], max(second.score, best.score-lead*scale)
		if sum == math.MinInt || sum*scale/max(t.high, 1) < floor {
			break
		}
		letters[next] = math.MinInt
		s := &singleBytes[next]
		switch score := s.score(t, sum, floor); {
		case score > best.score || score == best.score && next < at:
			best, second, at = guess{label: s.label, score: score}, best, next
		case score > second.score:
			second = guess{label: s.label, score: score}
		}
	}
	if best.score < leastScore {
		best.label = ""
	}
	if best.label == "gbk" && fourByte(t.text) {
		best.label = "gb18030"
	}
	best.percent = min(95, 40+min(best.score/scale, 100)/4+min(lead, (best.score-second.score)/scale))
	return best
}

// scoreOf returns how plausible one charset is for a sample, and whether the sample is valid in it.
func scoreOf(label string, t *sampled) (score int, valid bool) {
	for i := range multiBytes {
		if m := &multiBytes[i]; m.label == label || m.label == "gbk" && label == "gb18030" {
			return m.score(t.text)
		}
	}
	c := tableOf(label)
	if c == nil {
		return 0, false
	}
	for b, n := range t.count {
		if r := c.DecodeByte(byte(b) + 0x80); n > 0 && (r == utf8.RuneError || 0x80 <= r && r < 0xa0) {
			return 0, false
		}
	}
	for i := range singleBytes {
		if s := &singleBytes[i]; s.label == label {
			return s.score(t, s.letters(t), -1000*scale), true
		}
	}
	unusual := singleByte{label: label, languages: west}
	return unusual.score(t, unusual.letters(t), -1000*scale), true
}

// decodeSample converts a sample, whose end may be cut, into dst.
func decodeSample(dst []byte, t transform.Transformer, sample []byte) []byte {
	t.Reset()
	n, _, _ := t.Transform(dst, sample, false)
	return dst[:n]
}
