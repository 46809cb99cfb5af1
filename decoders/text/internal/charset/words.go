package charset

import (
	"strings"
	"sync"
)

// languageWords is which of the Latin languages, as bits, a word belongs to.
var languageWords = sync.OnceValue(func() map[string]uint32 {
	m := make(map[string]uint32, 640)
	for i, l := range latin {
		for w := range strings.FieldsSeq(l.words) {
			m[w] |= 1 << i
		}
	}
	return m
})

// longestWord bounds what is looked up.
const longestWord = 7

func sampleOf(text []byte) *sampled {
	t := &sampled{text: text}
	for _, c := range text {
		if c >= 0x80 {
			t.count[c-0x80]++
			t.high++
		}
	}
	t.countWords()
	return t
}

// countWords counts the frequent words of each language. What stands in a tag is no word, nor is what touches a byte above ASCII.
func (t *sampled) countWords() {
	known := languageWords()
	var hits [len(latin)]int
	var lowered [longestWord]byte
	words := 0
	before := byte(' ')
	for i := 0; i < len(t.text); i++ {
		c := t.text[i]
		if c|0x20 < 'a' || c|0x20 > 'z' {
			before = c
			continue
		}
		start := i
		for i < len(t.text) && t.text[i]|0x20 >= 'a' && t.text[i]|0x20 <= 'z' {
			if n := i - start; n < longestWord {
				lowered[n] = t.text[i] | 0x20
			}
			i++
		}
		after := byte(' ')
		if i < len(t.text) {
			after = t.text[i]
		}
		if before < 0x80 && after < 0x80 && before != '<' && before != '/' && after != '=' && after != '>' {
			words++
			if n := i - start; 2 <= n && n <= longestWord {
				for bits, k := known[string(lowered[:n])], 0; bits != 0; bits, k = bits>>1, k+1 {
					hits[k] += int(bits & 1)
				}
			}
		}
		before = after
	}
	const least = 5 // words, of fewer chance decides
	for k, n := range hits {
		t.words[k] = min(mostBonus, mostBonus*4*n/max(words, 4*least))
	}
}

// mostBonus is how many points a language gains where a quarter of the words are its frequent ones.
const mostBonus = 20

// bonus is the points of each letter above ASCII that a language gains from its words.
func (t *sampled) bonus(l *language) int {
	for k := range latin {
		if latin[k] == l {
			return t.words[k]
		}
	}
	return 0
}
