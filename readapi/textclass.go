package readapi

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// TextPrefixBytes is how much of a file's beginning ClassifyText wants to see.
const TextPrefixBytes = 8 << 10

// TextClass is what the beginning of a file says about its being text.
type TextClass struct {
	Text bool // the bytes are text in some charset; all else is only set when they are

	// Charset is the WHATWG label of the charset that the bytes prove: utf-8, utf-16le, utf-16be, or, which WHATWG lacks, utf-32le,
	// utf-32be. It is utf-8 for ASCII, and "" for text in a legacy charset or damaged UTF-8, about which only statistics can tell.
	Charset string
	ASCII   bool // no byte of the text is above 0x7f
	BOM     int  // bytes of the byte order mark at the beginning
	NULs    int  // NUL characters within the text
	Padding int  // NUL bytes behind the text, up to the end of the prefix
}

// ClassifyText says whether a file that begins with prefix is text. whole means that prefix is the whole file. The host's sniffer and the
// text decoder both ask it, so that they cannot disagree. It is a pure function and looks at no more than TextPrefixBytes. An empty
// prefix is text.
//
// Text is, in this order: what a byte order mark announces; UTF-16 or UTF-32 by the pattern of its NULs, both byte orders scored; and
// bytes with few control characters: at most one NUL per KiB within the text, controls (all of C0 but tab, line ends, form feed and
// escape, which ISO-2022 and terminals use) at most 10 % of valid UTF-8, one at least, and at most 2 % of anything else, where random bytes have 10 %.
// NULs at the end are the padding of a log that was cut off by a crash, not part of the text.
func ClassifyText(prefix []byte, whole bool) TextClass {
	if len(prefix) > TextPrefixBytes {
		prefix, whole = prefix[:TextPrefixBytes], false
	}
	if c, ok := classifyBOM(prefix); ok {
		return c
	}
	text := bytes.TrimRight(prefix, "\x00")
	switch {
	case len(prefix) == 0:
		return TextClass{Text: true, Charset: "utf-8", ASCII: true}
	case len(text) == 0:
		return TextClass{}
	}
	k := countBytes(text)
	if k.nuls > 0 || len(text) < len(prefix) {
		if c, ok := classifyWide(prefix, k); ok {
			return c
		}
	}
	c := TextClass{ASCII: k.high == 0, NULs: k.nuls, Padding: len(prefix) - len(text)}
	valid := c.ASCII || validUTF8(text, whole)
	if valid {
		c.Charset = "utf-8"
	}
	if !valid && monotone(text) {
		return TextClass{}
	}
	const leastText = 5 // bytes of which one may be a control: a line that rings the bell is text
	limit := len(text) / 50
	if valid {
		limit = len(text) / 10
		if len(text) >= leastText {
			limit = max(1, limit)
		}
	}
	const leastPadded = 16 // a magic word before zeros is no text
	c.Text = k.controls <= limit && k.nuls <= max(1, len(text)/1024) && (c.Padding == 0 || len(text) >= leastPadded || whole && c.Padding == 1)
	if !c.Text {
		return TextClass{}
	}
	return c
}

// boms are the byte order marks; that of UTF-32LE begins like that of UTF-16LE, so it comes first.
var boms = []struct{ mark, charset string }{
	{"\xef\xbb\xbf", "utf-8"}, {"\xff\xfe\x00\x00", "utf-32le"}, {"\x00\x00\xfe\xff", "utf-32be"}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
}

func classifyBOM(prefix []byte) (TextClass, bool) {
	for _, b := range boms {
		rest, found := bytes.CutPrefix(prefix, []byte(b.mark))
		if !found {
			continue
		}
		c := TextClass{Text: true, Charset: b.charset, BOM: len(b.mark)}
		if b.charset == "utf-8" {
			text := bytes.TrimRight(rest, "\x00")
			k := countBytes(text)
			c.ASCII, c.NULs, c.Padding = k.high == 0, k.nuls, len(rest)-len(text)
			c.Text = k.controls <= len(text)/10
		} else {
			s := scoreWide(trimWide(rest, wideSize(b.charset)), b.charset)
			if s.bad*10 > s.units && (s.bad > 1 || s.units < 3) {
				continue // not a mark: sound and other binaries may begin so
			}
			c.NULs = s.nuls
		}
		if !c.Text {
			return TextClass{}, true
		}
		return c, true
	}
	return TextClass{}, false
}

type byteCounts struct{ nuls, controls, high int }

// countBytes counts NULs, C0 controls that text does not use (NULs among them), and bytes above ASCII. Where a text announces ISO-2022
// with shifts (RFC 1557, RFC 1922: ESC $ ) F), shift-out and shift-in are no controls either.
func countBytes(b []byte) (k byteCounts) {
	shifts := bytes.Contains(b, []byte("\x1b$)"))
	for _, c := range b {
		switch {
		case c >= 0x80:
			k.high++
		case c >= 0x20, c == '\t', c == '\n', c == '\r', c == '\f', c == 0x1b:
		case shifts && (c == 0x0e || c == 0x0f):
		default:
			k.controls++
			if c == 0 {
				k.nuls++
			}
		}
	}
	return k
}

// monotone reports whether one byte above ASCII makes up most of b. No charset has a text of that kind, and erased memory is full of 0xff;
// read in an 8-bit charset it would be a fine row of one letter.
func monotone(b []byte) bool {
	const least = 64 // bytes, fewer are any word
	if len(b) < least {
		return false
	}
	var seen [256]int
	for _, c := range b {
		seen[c]++
	}
	return slices.Max(seen[0x80:])*5 > len(b)*3
}

// validUTF8 is utf8.Valid, but the last character may be cut off: by the end of the prefix, or in a file that was itself cut. There it must
// not be the only one: a legacy text may well end in its first letter above ASCII.
func validUTF8(b []byte, whole bool) bool {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; c >= 0xc0 {
			if !utf8.FullRune(b[len(b)-i:]) {
				b = b[:len(b)-i]
				if whole && countBytes(b).high == 0 {
					return false
				}
			}
			break
		}
	}
	return utf8.Valid(b)
}

// leastWide is how many characters it takes to tell wide text without a byte order mark from any two bytes.
const leastWide = 2

// classifyWide looks for UTF-32 and UTF-16 without a byte order mark.
func classifyWide(prefix []byte, k byteCounts) (TextClass, bool) {
	// As bytes, UTF-16 of Latin script is half NULs and that of others full of controls. Where there are few, the bytes are an 8-bit
	// text with a stray NUL, whose pairs would make fine CJK characters.
	if k.controls*100 <= len(prefix) && k.nuls*5 < len(prefix) {
		return TextClass{}, false
	}
	best, charset := wideScore{}, ""
	for _, c := range []string{"utf-32le", "utf-32be", "utf-16le", "utf-16be"} {
		b := trimWide(prefix, wideSize(c))
		if len(b) >= 2 && wideUnit(b[:2], c[6] == 'b') == 0xfffe {
			continue // a byte order mark, the wrong way round
		}
		s := scoreWide(b, c)
		// One character in a hundred may be damaged; the rest have to be ones that texts are made of.
		if s.units < leastWide || s.bad*100 > s.units || s.points < 2*s.units {
			continue
		}
		if s.points*max(best.units, 1) > best.points*s.units || charset == "" {
			best, charset = s, c
		}
	}
	if charset == "" {
		return TextClass{}, false
	}
	return TextClass{Text: true, Charset: charset, NULs: best.nuls}, true
}

func wideSize(charset string) int {
	if charset[4] == '3' { // utf-32
		return 4
	}
	return 2
}

// trimWide drops an incomplete unit and NUL units from the end.
func trimWide(b []byte, size int) []byte {
	b = b[:len(b)-len(b)%size]
	for len(b) > 0 && len(bytes.TrimRight(b[len(b)-size:], "\x00")) == 0 {
		b = b[:len(b)-size]
	}
	return b
}

// wideScore is how much a reading of bytes as UTF-16 or UTF-32 looks like text.
type wideScore struct {
	units  int // code points read
	bad    int // surrogates without a partner, controls, non-characters, private use
	nuls   int
	points int // 4 for ASCII, 3 for other common characters
}

func scoreWide(b []byte, charset string) (s wideScore) {
	size, big := wideSize(charset), charset[6] == 'b'
	for len(b) >= size {
		r := wideUnit(b[:size], big)
		b = b[size:]
		if size == 2 && r&0xfc00 == 0xd800 {
			if len(b) < size {
				return s // its partner lies behind the prefix
			}
			if low := wideUnit(b[:size], big); low&0xfc00 == 0xdc00 {
				r = (r-0xd800)<<10 | (low - 0xdc00) + 0x10000
				b = b[size:]
			}
		}
		s.units++
		switch {
		case r == 0:
			s.nuls++
			s.bad++
		case r > utf8.MaxRune || 0xd800 <= r && r < 0xe000 || 0xe000 <= r && r < 0xf900 || r&0xfffe == 0xfffe || 0x80 <= r && r < 0xa0,
			r < 0x20 && r != '\t' && r != '\n' && r != '\r' && r != '\f' && r != 0x1b:
			s.bad++
		case r < 0x80:
			s.points += 4
		case common(r):
			s.points += 3
		}
	}
	return s
}

func wideUnit(b []byte, big bool) (r uint32) {
	for i := range b {
		if big {
			r = r<<8 | uint32(b[i])
		} else {
			r |= uint32(b[i]) << (8 * i)
		}
	}
	return r
}

// common reports whether r lies in a block that everyday texts above ASCII are made of.
func common(r uint32) bool {
	switch {
	case r < 0x180, // Latin
		0x370 <= r && r < 0x530,   // Greek, Cyrillic
		0x590 <= r && r < 0x700,   // Hebrew, Arabic
		0x900 <= r && r < 0x980,   // Devanagari
		0xe00 <= r && r < 0xe80,   // Thai
		0x2010 <= r && r < 0x203b, // punctuation
		0x3000 <= r && r < 0x3100, // CJK punctuation, kana
		0x4e00 <= r && r < 0xa000, // unified ideographs
		0xac00 <= r && r < 0xd7a4, // hangul
		0xff01 <= r && r < 0xffa0, // full and half width
		0x1f300 <= r && r < 0x1fb00:
		return true
	}
	return false
}
