package charset

import (
	"sync"
	"unicode/utf8"
)

// multiByte is a candidate among the charsets of East Asia: how its characters lie in bytes, and how frequent each row of its table is.
type multiByte struct {
	label  string
	points func(b []byte) (points, size int) // of the character at the beginning of b; size 0 when the end cuts it, negative when invalid
	common string                            // its most frequent characters
	bonus  int                               // points of those, on top

	once sync.Once
	set  [(0xd800 - 0x3000) / 64]uint64 // common as a bitmap
}

// multiBytes are the candidates. Kana rows come first: GB 2312 and KS X 1001 have them too, and hardly use them.
var multiBytes = []multiByte{
	{label: "euc-jp", points: eucJP, common: kanji, bonus: 35},
	{label: "shift_jis", points: shiftJIS, common: kanji, bonus: 35},
	{label: "gbk", points: gbk, common: simplified, bonus: 45},
	{label: "big5", points: big5, common: traditional, bonus: 45},
	{label: "euc-kr", points: eucKR, common: hangul, bonus: 20},
}

// score returns scale times the mean points of the sample's characters above ASCII. The sample is valid when at most one in a hundred is not.
func (m *multiByte) score(sample []byte) (score int, valid bool) {
	sum, chars, bad := 0, 0, 0
	for b := sample; len(b) > 0; {
		if n := ASCIIPrefix(b); n > 0 {
			b = b[n:]
			continue
		}
		points, size := m.points(b)
		if size == 0 {
			break
		}
		if size < 0 {
			bad++
			size = 1
		}
		sum += points
		chars++
		b = b[size:]
	}
	if chars == 0 || bad*100 > chars {
		return 0, false
	}
	if m.bonus > 0 {
		sum += m.bonus * m.commons(sample)
	}
	return sum * scale / chars, true
}

// commons counts the sample's frequent characters.
func (m *multiByte) commons(sample []byte) (n int) {
	m.once.Do(func() {
		for _, r := range m.common {
			m.set[(r-0x3000)/64] |= 1 << (r % 64)
		}
	})
	text := decodeSample(make([]byte, 16+2*len(sample)), Encoding(m.label).NewDecoder().Transformer, sample)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if 0x3000 <= r && r < 0xd800 && m.set[(r-0x3000)/64]&(1<<(r%64)) != 0 {
			n++
		}
		text = text[size:]
	}
	return n
}

// The points by row. Level 1 is the table's frequent half. Rows and trail bytes are those of GB 18030-2022, Big5 (WHATWG index), JIS X
// 0208 and KS X 1001.

const invalid = -300

func gbk(b []byte) (points, size int) {
	lead := b[0]
	if !between(lead, 0x81, 0xfe) {
		return invalid, -1
	}
	if len(b) < 2 {
		return 0, 0
	}
	trail := b[1]
	switch {
	case between(trail, 0x30, 0x39):
		if len(b) < 4 {
			return 0, 0
		}
		if between(b[2], 0x81, 0xfe) && between(b[3], 0x30, 0x39) {
			return 80, 4 // nothing else looks like this
		}
		return invalid, -1
	case trail < 0x40 || trail == 0x7f || trail == 0xff:
		return invalid, -1
	case trail < 0xa1: // the extension GBK/3 to GBK/5
		return -30, 2
	case lead < 0xa1:
		return -30, 2
	case lead == 0xa1, lead == 0xa3:
		return 60, 2 // punctuation, full-width forms
	case lead == 0xa8:
		return 30, 2 // pinyin letters
	case lead < 0xaa:
		return 0, 2
	case lead < 0xb0, lead > 0xf7:
		return -100, 2 // for users' own characters
	case lead < 0xd8:
		return 55, 2 // level 1
	}
	return 15, 2
}

// fourByte reports whether a sample in GBK has characters that only GB 18030 has.
func fourByte(sample []byte) bool {
	for b := sample; len(b) > 0; {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		_, size := gbk(b)
		switch {
		case size == 4:
			return true
		case size == 0:
			return false
		}
		b = b[max(size, 1):]
	}
	return false
}

func big5(b []byte) (points, size int) {
	lead := b[0]
	if !between(lead, 0x81, 0xfe) {
		return invalid, -1
	}
	if len(b) < 2 {
		return 0, 0
	}
	switch trail := b[1]; {
	case !between(trail, 0x40, 0x7e) && !between(trail, 0xa1, 0xfe):
		return invalid, -1
	case lead < 0xa1:
		return -60, 2 // Hong Kong's extension
	case lead == 0xa1:
		return 60, 2 // punctuation
	case lead < 0xa4:
		return 10, 2
	case lead < 0xc7:
		return 55, 2 // level 1
	case lead < 0xc9:
		return -60, 2
	case lead < 0xfa:
		return 10, 2
	}
	return -60, 2
}

func eucJP(b []byte) (points, size int) {
	lead := b[0]
	if !between(lead, 0xa1, 0xfe) && lead != 0x8e && lead != 0x8f {
		return invalid, -1
	}
	if len(b) < 2 || lead == 0x8f && len(b) < 3 {
		return 0, 0
	}
	switch trail := b[1]; {
	case !between(trail, 0xa1, 0xfe), lead == 0x8e && trail > 0xdf, lead == 0x8f && !between(b[2], 0xa1, 0xfe):
		return invalid, -1
	case lead == 0x8e:
		return -20, 2 // half-width katakana
	case lead == 0x8f:
		return -30, 3
	}
	return jis(lead-0xa0, b[1]-0xa0), 2
}

// jis returns the points of a character of JIS X 0208 by row and cell, from 1.
func jis(row, cell byte) int {
	switch {
	case row == 1:
		return 60 // punctuation
	case row == 3:
		return 30
	case row == 4 && cell <= 83:
		return 100 // hiragana
	case row == 5 && cell <= 86:
		return 80 // katakana
	case row < 9:
		return -20
	case row < 16, row > 84:
		return -100
	case row < 48:
		return 50 // level 1
	}
	return 10
}

func shiftJIS(b []byte) (points, size int) {
	lead := b[0]
	if between(lead, 0xa1, 0xdf) {
		return -10, 1 // half-width katakana
	}
	if !between(lead, 0x81, 0x9f) && !between(lead, 0xe0, 0xfc) {
		return invalid, -1
	}
	if len(b) < 2 {
		return 0, 0
	}
	trail := b[1]
	if !between(trail, 0x40, 0xfc) || trail == 0x7f {
		return invalid, -1
	}
	if lead >= 0xe0 {
		lead -= 0x40
	}
	row, cell := (lead-0x81)*2+1, trail-0x3f
	switch {
	case trail >= 0x9f:
		row, cell = row+1, trail-0x9e
	case trail > 0x7f:
		cell--
	}
	return jis(row, cell), 2
}

func eucKR(b []byte) (points, size int) {
	lead := b[0]
	if !between(lead, 0x81, 0xfe) {
		return invalid, -1
	}
	if len(b) < 2 {
		return 0, 0
	}
	switch trail := b[1]; {
	case !between(trail, 0x41, 0x5a) && !between(trail, 0x61, 0x7a) && !between(trail, 0x81, 0xfe):
		return invalid, -1
	case trail < 0xa1 || lead < 0xa1:
		return -20, 2 // the extension of windows-949
	case lead == 0xa1, lead == 0xa3, lead == 0xa4:
		return 20, 2
	case lead < 0xb0:
		return -20, 2
	case lead < 0xc9:
		return 75, 2 // hangul
	case lead == 0xc9, lead == 0xfe:
		return -100, 2
	}
	return -10, 2 // hanja
}

// between reports lo <= c <= hi.
func between(c, lo, hi byte) bool { return lo <= c && c <= hi }
