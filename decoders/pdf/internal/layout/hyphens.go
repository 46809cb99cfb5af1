package layout

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// A word that is split at the end of a line is written whole, on the line where it begins: a search for the word finds it, and so does a
// model. The hyphen goes, but where the page itself, or the word, says that it belongs to it.

// maxSearched bounds the text that is searched for a word with a hyphen, and maxSplit how often.
const (
	maxSearched = 64 << 10
	maxSplit    = 400
)

// hyphens joins the split words, and drops the lines of which nothing is left.
func (f *flow) hyphens(lines []line) []line {
	tries := 0
	out := lines[:0]
	for i := range lines {
		l := lines[i]
		if l.grid == nil && len(l.text) == 0 {
			continue
		}
		if n := len(out); n > 0 && tries < maxSplit {
			if f.join(&out[n-1], &l) {
				tries++
			}
			if l.grid == nil && len(l.text) == 0 {
				continue
			}
		}
		out = append(out, l)
	}
	return out
}

// join moves the end of a word that is split from b to a.
func (f *flow) join(a, b *line) bool {
	if a.grid != nil || b.grid != nil || b.broken || b.heading > 0 || (a.style|b.style)&font.Mono != 0 {
		return false
	}
	hyphen, n := utf8.DecodeLastRune(a.text)
	if hyphen != '-' && hyphen != '‐' && hyphen != '\u00ad' {
		return false
	}
	head, tail := lastWord(a.text[:len(a.text)-n]), firstWord(b.text)
	if len(head) == 0 || len(tail) == 0 {
		return false
	}
	text := a.text[: len(a.text)-n : len(a.text)-n]
	if hyphen != '\u00ad' && f.hyphenated(head, tail) {
		text = append(text, '-')
	}
	end := b.text[len(tail):]
	if i := bytes.IndexByte(end, ' '); i >= 0 { // with the mark behind it
		tail, end = b.text[:len(tail)+i], end[i+1:]
	} else {
		tail, end = b.text, nil
	}
	a.text, b.text = append(text, tail...), end
	return true
}

// hyphenated reports whether the hyphen belongs to the word: it has another one, or capitals or figures before it, or stands with it
// elsewhere on the page.
func (f *flow) hyphenated(head, tail []byte) bool {
	upper := 0
	for _, r := range string(head) {
		if r == '-' || r == '‐' || unicode.IsDigit(r) {
			return true
		}
		if unicode.IsUpper(r) {
			upper++
		}
	}
	if upper > 1 {
		return true
	}
	word := append(append(append([]byte(nil), head...), '-'), tail...)
	return len(f.buf) <= maxSearched && bytes.Contains(f.buf, word)
}

// lastWord returns the word at the end of b: letters, figures and hyphens, a letter last.
func lastWord(b []byte) []byte {
	i := len(b)
	for i > 0 {
		r, n := utf8.DecodeLastRune(b[:i])
		if !(unicode.IsLetter(r) || unicode.IsMark(r) || i < len(b) && (unicode.IsDigit(r) || r == '-' || r == '‐')) {
			break
		}
		i -= n
	}
	return b[i:]
}

// firstWord returns the letters at the begin of b if they are small ones.
func firstWord(b []byte) []byte {
	i := 0
	for i < len(b) {
		r, n := utf8.DecodeRune(b[i:])
		if i == 0 && !unicode.IsLower(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			break
		}
		i += n
	}
	return b[:i]
}
