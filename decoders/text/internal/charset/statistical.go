package charset

import (
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

// statistical returns the most plausible reading of a sample in a legacy charset; the label is "" when there is none.
func statistical(t *sampled) guess {
	best, second := guess{score: -1000 * scale}, guess{score: -1000 * scale}
	consider := func(label string, score int, valid bool) {
		switch {
		case !valid:
		case score > best.score:
			best, second = guess{label: label, score: score}, best
		case score > second.score:
			second = guess{label: label, score: score}
		}
	}
	for i := range multiBytes {
		m := &multiBytes[i]
		score, valid := m.score(t.text)
		consider(m.label, score, valid)
	}
	for i := range singleBytes {
		s := &singleBytes[i]
		consider(s.label, s.score(t, second.score), true)
	}
	if best.score < leastScore {
		best.label = ""
	}
	if best.label == "gbk" && fourByte(t.text) {
		best.label = "gb18030"
	}
	best.percent = min(95, 40+min(best.score/scale, 100)/4+min(30, (best.score-second.score)/scale))
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
			return s.score(t, -1000*scale), true
		}
	}
	unusual := singleByte{label: label, languages: west}
	return unusual.score(t, -1000*scale), true
}

// decodeSample converts a sample, whose end may be cut, into dst.
func decodeSample(dst []byte, t transform.Transformer, sample []byte) []byte {
	t.Reset()
	n, _, _ := t.Transform(dst, sample, false)
	return dst[:n]
}
