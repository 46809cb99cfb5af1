package readapi

import (
	"unicode/utf8"
	"unsafe"
)

// HiddenAt reports whether the character that begins at s[i] is hidden where it stands, and how long it is. What stands before it in s
// decides, never what follows, so that a text that is cut is judged as it was whole. Always hidden is what Hidden names, except for
//
//   - a form feed that begins a line, the page break of printed text;
//   - a soft hyphen behind a letter;
//   - a zero width space behind a letter of Thai, Lao, Khmer, Myanmar and their neighbours, which write no blanks;
//   - one zero width joiner or non-joiner behind a letter of a script that joins (Arabic and its kin, the scripts of India, Mongolian), and
//     a joiner behind an emoji;
//   - one left-to-right, right-to-left or Arabic letter mark where the line had a letter of Hebrew or Arabic within 32 characters;
//   - the tags behind a black flag that spell England, Scotland or Wales;
//   - one variation selector behind a character that has variants: a symbol, a digit that an emoji key is made of, a character of East Asia
//     or Myanmar; one of the supplementary selectors behind an ideograph.
//
// The other joiners and variation selectors are hidden, which Hidden does not say: runs of them carry text that nobody sees.
func HiddenAt(s string, i int) (hidden bool, size int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	return hiddenAt(s, i, r), size
}

// unseen is the part of Hidden above the controls.
func unseen(r rune) bool {
	switch {
	case r == 0xad, r == 0x61c, r == 0x180e, 0x200b <= r && r <= 0x200f, 0x2028 <= r && r <= 0x202e, 0x2060 <= r && r <= 0x206f, r == 0x3164, r == 0xfeff,
		r == 0xffa0, 0xfff9 <= r && r <= 0xfffb, 0x1d173 <= r && r <= 0x1d17a, 0xe0000 <= r && r <= 0xe01ef, 0xf0000 <= r && r <= 0xffffd, 0x100000 <= r && r <= 0x10fffd:
		return true
	}
	return false
}

func hiddenAt(s string, i int, r rune) bool {
	switch {
	case r >= 0x20 && r < 0x7f || r == '\t' || r == '\n' || r == '\r':
		return false
	case r == '\f':
		return i > 0 && s[i-1] != '\n' && s[i-1] != '\r'
	case r < 0xa0:
		return true
	case r < 0xad:
		return false
	case 0xfe00 <= r && r <= 0xfe0f:
		return !hasVariants(before(s, i), r)
	case !unseen(r):
		return false
	}
	switch prev := before(s, i); {
	case r == 0xad:
		return !letter(prev)
	case r == 0x200b:
		return !spaceless(prev)
	case r == 0x200c:
		return !joining(prev)
	case r == 0x200d:
		return !joining(prev) && !emoji(prev) && !(prev == 0xfe0f && emoji(before(s, i-len("\ufe0f"))))
	case r == 0x200e || r == 0x200f || r == 0x61c:
		return !besideRightToLeft(s[:i])
	case 0xe0020 <= r && r <= 0xe007f:
		return !flagTag(s[:i], r)
	case 0xe0100 <= r && r <= 0xe01ef:
		return !ideograph(prev)
	}
	return true
}

// before is the character before s[i], 0 at the beginning.
func before(s string, i int) rune {
	if i <= 0 {
		return 0
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r
}

// letter is roughly: anything above the signs of Latin-1 but punctuation, and the letters of ASCII.
func letter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || 0xc0 <= r && r < 0x2000
}

// spaceless are Thai and Lao, Tibetan, Myanmar, Khmer, Tai Le to Tai Tham, and kana and ideographs, where it tells where a line may break.
func spaceless(r rune) bool {
	return 0xe00 <= r && r < 0x10a0 || 0x1780 <= r && r < 0x1800 || 0x1950 <= r && r < 0x1ab0 || 0x3040 <= r && r < 0x3100 || ideograph(r)
}

// joining are Arabic to Mandaic, the scripts of India with Sinhala, Tibetan and Myanmar, Khmer and Mongolian.
func joining(r rune) bool {
	return 0x620 <= r && r < 0x660 || 0x66e <= r && r < 0x8ff || 0x900 <= r && r < 0xe00 || 0xf00 <= r && r < 0x10a0 || 0x1780 <= r && r < 0x1800 ||
		0x1820 <= r && r < 0x18b0 || 0xfb50 <= r && r < 0xfe00 || 0xfe70 <= r && r < 0xfeff
}

func emoji(r rune) bool {
	return 0x2190 <= r && r < 0x2c00 || 0x1f000 <= r && r < 0x1fb00 || r == 0xa9 || r == 0xae || r == 0x203c || r == 0x2049 || r == 0x2122 || r == 0x2139 ||
		r == 0x3030 || r == 0x303d || r == 0x3297 || r == 0x3299
}

func ideograph(r rune) bool {
	return 0x3400 <= r && r < 0xa000 || 0xf900 <= r && r < 0xfb00 || 0x20000 <= r && r < 0x40000 || r == 0x3005 || r == 0x3007
}

// hasVariants reports whether a variation selector may follow r (Unicode's StandardizedVariants.txt and emoji-variation-sequences.txt, by
// blocks).
func hasVariants(r, selector rune) bool {
	if '0' <= r && r <= '9' || r == '#' || r == '*' {
		return selector == 0xfe0f || selector == 0xfe0e || r == '0' && selector == 0xfe00
	}
	return emoji(r) || ideograph(r) || 0x1000 <= r && r < 0x10a0 || 0x2010 <= r && r < 0x2028 || 0x2030 <= r && r < 0x2060 || 0x2070 <= r && r < 0x2190 || 0x3001 <= r && r < 0x3004 || 0xa840 <= r && r < 0xa880 ||
		0xff01 <= r && r < 0xffa0
}

// besideRightToLeft looks for a letter of a right-to-left script before the end of s, within the line and not beyond anything hidden.
func besideRightToLeft(s string) bool {
	const near = 32
	for k := 0; k < near && s != ""; k++ {
		r, n := utf8.DecodeLastRuneInString(s)
		switch {
		case 0x5be <= r && r < 0x61c, 0x620 <= r && r < 0x8ff, 0xfb1d <= r && r < 0xfe00, 0xfe70 <= r && r < 0xfeff, 0x10800 <= r && r < 0x11000, 0x1e800 <= r && r < 0x1f000:
			return true
		case r == '\n', r == '\r', r == 0x200d, r == utf8.RuneError, Hidden(r), 0xfe00 <= r && r <= 0xfe0f:
			return false
		}
		s = s[:len(s)-n]
	}
	return false
}

// flagTag reports whether r is the next tag of one of the three flags that are spelt with tags, at the end of s (UTS #51, annex C).
func flagTag(s string, r rune) bool {
	const tag = 0xe0000
	var spelt [6]byte
	at := len(spelt)
	spelt[at-1], at = byte(r-tag), at-1
	for s != "" {
		prev, n := utf8.DecodeLastRuneInString(s)
		if prev == 0x1f3f4 {
			break
		}
		if prev < tag+0x20 || prev > tag+0x7f || at == 0 {
			return false
		}
		spelt[at-1], at = byte(prev-tag), at-1
		s = s[:len(s)-n]
	}
	if s == "" {
		return false
	}
	so := string(spelt[at:])
	for _, flag := range []string{"gbeng\x7f", "gbsct\x7f", "gbwls\x7f"} {
		if flag[:len(so)] == so {
			return true
		}
	}
	return false
}

// NextSuspect returns where in s, from at on, the next character stands that may be hidden, or the next byte that is no UTF-8; len(s) if
// there is none. What lies before is seen as it is. It is made for long texts: printable ASCII goes by eight bytes at a time.
func NextSuspect(s string, at int) int {
	const ones = 0x0101010101010101
	for at < len(s) {
		if len(s)-at >= 8 {
			v := load64(s[at:])
			// A byte below 0x20 borrows into its high bit; one of 0x7f or above carries into it.
			if ((v-0x20*ones)|(v+ones)|v)&(0x80*ones) == 0 {
				at += 8
				continue
			}
		}
		switch c := s[at]; {
		case c < 0x20:
			if c != '\n' && c != '\t' && c != '\r' {
				return at
			}
			at++
		case c < 0x7f:
			at++
		case 0xe4 <= c && c <= 0xec && len(s)-at >= 3: // most of CJK and Hangul
			if (s[at+1]^0x80)|(s[at+2]^0x80) >= 0x40 {
				return at
			}
			at += 3
		default:
			n := seenAt(s[at:])
			if n == 0 {
				return at
			}
			at += n
		}
	}
	return len(s)
}

// load64 is the first eight bytes of s, in the order of the machine: its callers treat all bytes alike. Not every compiler makes one load
// of eight, that for WebAssembly among them.
func load64(s string) uint64 {
	_ = s[7]
	return *(*uint64)(unsafe.Pointer(unsafe.StringData(s)))
}

// seenAt is the length of the character at the beginning of s, 0 when it may be hidden or is none.
func seenAt(s string) int {
	c := s[0]
	switch {
	case c < 0xc2, c > 0xf2:
		return 0
	case c < 0xe0:
		if len(s) < 2 || s[1]&0xc0 != 0x80 || c == 0xc2 && (s[1] < 0xa0 || s[1] == 0xad) || c == 0xd8 && s[1] == 0x9c {
			return 0
		}
		return 2
	case len(s) < 3 || (s[1]^0x80)|(s[2]^0x80) >= 0x40:
		return 0
	case c < 0xf0:
		switch d, e := s[1], s[2]; {
		case c == 0xe0 && d < 0xa0, c == 0xed && d >= 0xa0, // no UTF-8
			c == 0xe1 && d == 0xa0 && e == 0x8e, // U+180E
			c == 0xe2 && (d == 0x80 && (0x8b <= e && e <= 0x8f || 0xa8 <= e && e <= 0xae) || d == 0x81 && e >= 0xa0), // U+200B and on, U+2028 and on, U+2060 and on
			c == 0xe3 && d == 0x85 && e == 0xa4, // U+3164
			c == 0xef && (d == 0xb8 && e < 0x90 || d == 0xbb && e == 0xbf || d == 0xbe && e == 0xa0 || d == 0xbf && 0xb9 <= e && e <= 0xbb): // U+FE00 and on, U+FEFF, U+FFA0, U+FFF9 and on
			return 0
		}
		return 3
	case len(s) < 4 || s[3]&0xc0 != 0x80 || c == 0xf0 && (s[1] < 0x90 || s[1] == 0x9d && s[2] == 0x85): // the controls of music, U+1D173 and on
		return 0
	}
	return 4
}
