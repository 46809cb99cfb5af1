package font

import (
	"cmp"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// textMap maps codes to text.
type textMap struct {
	ranges []textRange
	pool   []byte // UTF-8 that ranges point into
}

// textRange maps lo to pool[off:end], and the codes behind it to the same text with its last character raised.
type textRange struct {
	lo, hi   uint32
	off, end uint32
}

func (m *textMap) add(lo, hi uint32, text []byte) {
	off := uint32(len(m.pool))
	m.pool = append(m.pool, text...)
	m.ranges = append(m.ranges, textRange{lo, hi, off, uint32(len(m.pool))})
}

// sort brings the ranges into order. Of two for the same code the one that was said last counts.
func (m *textMap) sort() {
	byLow := func(a, b textRange) int { return cmp.Compare(a.lo, b.lo) }
	if !slices.IsSortedFunc(m.ranges, byLow) {
		order.By(m.ranges, byLow)
	}
}

// appendText appends the text of a code; ok is false if the map has none.
func (m *textMap) appendText(dst []byte, v uint32) (out []byte, ok bool) {
	i, _ := slices.BinarySearchFunc(m.ranges, v, func(r textRange, v uint32) int {
		if r.lo <= v {
			return -1
		}
		return 1
	})
	const overlap = 4 // how many ranges before it may reach over a later one
	for j := i - 1; j >= max(0, i-overlap); j-- {
		r := m.ranges[j]
		if v > r.hi {
			continue
		}
		text := m.pool[r.off:r.end]
		if len(text) == 0 {
			return dst, false
		}
		if v == r.lo {
			return append(dst, text...), true
		}
		last, n := utf8.DecodeLastRune(text)
		dst = append(dst, text[:len(text)-n]...)
		return utf8.AppendRune(dst, last+rune(v-r.lo)), true
	}
	return dst, false
}

// silent reports whether the map says of a code that it has no text: its glyph is one of several that stand for a text together, which
// another of them has. A map whose codes are all like that is one that a writer left empty.
func (m *textMap) silent(v uint32) bool {
	if len(m.pool) == 0 {
		return false
	}
	i, _ := slices.BinarySearchFunc(m.ranges, v, func(r textRange, v uint32) int {
		if r.lo <= v {
			return -1
		}
		return 1
	})
	return i > 0 && v <= m.ranges[i-1].hi && m.ranges[i-1].off == m.ranges[i-1].end
}

// useless reports whether the map says nothing, code by code though it looks as if it did: it is empty, or many codes are all the same text.
func (m *textMap) useless() bool {
	const many = 8
	for _, r := range m.ranges {
		first := m.ranges[0]
		if r.lo != r.hi || string(m.pool[r.off:r.end]) != string(m.pool[first.off:first.end]) {
			return false
		}
	}
	return len(m.ranges) == 0 || len(m.ranges) >= many
}

// identity reports whether the map says of a great many codes in one breath that they are Unicode, and nothing else.
func (m *textMap) identity() bool {
	const many = 0x1000
	if len(m.ranges) != 1 || m.ranges[0].hi-m.ranges[0].lo < many {
		return false
	}
	r, n := utf8.DecodeRune(m.pool)
	return n == len(m.pool) && uint32(r) == m.ranges[0].lo
}

// says reports whether a text is one that a reader could read: not empty, and no character that is unknown, private or a control.
func says(text []byte) bool {
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f {
			i++
			continue
		}
		r, n := utf8.DecodeRune(text[i:])
		if isNothing(r) {
			return false
		}
		i += n
	}
	return len(text) > 0
}

// isNothing reports whether a character tells a reader nothing.
func isNothing(r rune) bool {
	switch {
	case r == '\t', r == '\n', r == '\r':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0, r == utf8.RuneError, isPrivate(r):
		return true
	}
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef // no characters
}

// isPrivate reports whether what a character means was agreed upon elsewhere.
func isPrivate(r rune) bool { return r >= 0xe000 && r <= 0xf8ff || r >= 0xf0000 }

// maxCodeText is how many bytes of UTF-16 one code may stand for (ISO 32000-1, 9.10.3). A map could else make a book of a letter.
const maxCodeText = 512

// appendUTF16 appends big-endian UTF-16 as UTF-8, maxCodeText bytes of it at most. A single byte stands for itself.
func appendUTF16(dst, s []byte) []byte {
	s = s[:min(len(s), maxCodeText)]
	if len(s) == 1 {
		return utf8.AppendRune(dst, rune(s[0]))
	}
	if len(s) > 2 && s[0] == 0xfe && s[1] == 0xff { // a byte order mark, which does not belong here
		s = s[2:]
	}
	for i := 0; i+1 < len(s); i += 2 {
		r := rune(s[i])<<8 | rune(s[i+1])
		if utf16.IsSurrogate(r) && i+3 < len(s) {
			r = utf16.DecodeRune(r, rune(s[i+2])<<8|rune(s[i+3]))
			i += 2
		}
		if r != 0 || len(s) == 2 { // some pad with zeros
			dst = utf8.AppendRune(dst, r)
		}
	}
	return dst
}
