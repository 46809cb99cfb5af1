package readapi

import "unicode/utf8"

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
