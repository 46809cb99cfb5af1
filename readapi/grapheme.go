package readapi

import (
	"unicode"
	"unicode/utf8"
)

// mostGrapheme bounds how many bytes one user-perceived character may have; what is longer is made to break things and is cut anywhere.
const mostGrapheme = 1 << 10

// CutGrapheme returns the last place in s, at or before n, that lies between two user-perceived characters, so that s[:CutGrapheme(s, n)]
// leaves no accent, joined emoji, flag, Hangul syllable, Indic conjunct or CRLF behind. It is 0 when the first of them is longer than n, but
// where 1 KiB holds no such place it is the last one between two code points.
//
// The rules are those of extended grapheme clusters (UAX #29), drawn a little wider so that they need no tables but those of package
// unicode: every place is a border by the standard, though not every border is given.
func CutGrapheme(s string, n int) int {
	if n >= len(s) {
		return len(s)
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	for at := n; at > n-mostGrapheme; {
		if at <= 0 {
			return 0
		}
		if graphemeBorder(s, at) {
			return at
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return n
}

// graphemeBorder reports whether s may be cut at at, which is neither its beginning nor its end.
func graphemeBorder(s string, at int) bool {
	b, _ := utf8.DecodeRuneInString(s[at:])
	a, size := utf8.DecodeLastRuneInString(s[:at])
	switch {
	case a == '\r' && b == '\n':
		return false
	case a < 0x20, b < 0x20:
		return true
	case a < 0x300 && b < 0x300:
		return a != 0xad // a soft hyphen is a control there; this is only a wider rule
	case extends(b), a == 0x200d, prepended(a):
		return false
	case regional(a) && regional(b):
		return regionalsBefore(s[:at])%2 == 0
	case hangulJoin(a, b):
		return false
	case b >= 0x900 && unicode.IsLetter(b):
		return !conjunct(s[:at-size], a)
	}
	return true
}

// extends reports whether r belongs to what stands before it: marks, joiners, emoji modifiers and tags, and the vowel signs of Thai and Lao
// that are letters by category.
func extends(r rune) bool {
	return unicode.Is(unicode.M, r) || r == 0x200c || r == 0x200d || r == 0xe33 || r == 0xeb3 || r == 0xff9e || r == 0xff9f || 0x1f3fb <= r && r <= 0x1f3ff ||
		0xe0020 <= r && r <= 0xe007f
}

// prepended reports whether r belongs to what stands behind it (Grapheme_Cluster_Break=Prepend).
func prepended(r rune) bool {
	switch {
	case 0x600 <= r && r <= 0x605, r == 0x6dd, r == 0x70f, r == 0x890, r == 0x891, r == 0x8e2, r == 0xd4e, r == 0x110bd, r == 0x110cd, r == 0x111c2, r == 0x111c3,
		r == 0x113d1, r == 0x1193f, r == 0x11941, 0x11a3a <= r && r <= 0x11a3f, 0x11a84 <= r && r <= 0x11a89, r == 0x11d46, r == 0x11f02:
		return true
	}
	return false
}

func regional(r rune) bool { return 0x1f1e6 <= r && r <= 0x1f1ff }

// regionalsBefore counts the regional indicators at the end of s, which make flags in pairs.
func regionalsBefore(s string) (n int) {
	for n < mostGrapheme/4 {
		r, size := utf8.DecodeLastRuneInString(s)
		if !regional(r) {
			break
		}
		n++
		s = s[:len(s)-size]
	}
	return n
}

// hangulJoin reports whether two jamo or syllables are parts of one syllable (UAX #29, GB6 to GB8).
func hangulJoin(a, b rune) bool {
	if a < 0x1100 || b < 0x1100 {
		return false
	}
	syllable := func(r rune) bool { return 0xac00 <= r && r <= 0xd7a3 }
	lead := func(r rune) bool { return 0x1100 <= r && r <= 0x115f || 0xa960 <= r && r <= 0xa97c }
	vowel := func(r rune) bool { return 0x1160 <= r && r <= 0x11a7 || 0xd7b0 <= r && r <= 0xd7c6 }
	tail := func(r rune) bool { return 0x11a8 <= r && r <= 0x11ff || 0xd7cb <= r && r <= 0xd7fb }
	switch {
	case lead(a):
		return lead(b) || vowel(b) || syllable(b)
	case vowel(a), syllable(a) && (a-0xac00)%28 == 0:
		return vowel(b) || tail(b)
	case tail(a), syllable(a):
		return tail(b)
	}
	return false
}

// conjunct reports whether a, the last mark before a letter, or one of the marks before it, is a virama, which joins two consonants
// (GB9c; the viramas of the scripts for which Unicode 16.0 names an Indic_Conjunct_Break of Linker).
func conjunct(s string, a rune) bool {
	for range 8 {
		switch a {
		case 0x94d, 0x9cd, 0xacd, 0xb4d, 0xc4d, 0xd4d, 0x1039, 0x17d2, 0x1a60, 0x1b44, 0x1bab, 0xa9c0, 0xaaf6, 0x10a3f, 0x11133, 0x113d0, 0x1193e, 0x11a47, 0x11a99, 0x11f42:
			return true
		}
		if !extends(a) {
			return false
		}
		var size int
		a, size = utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return false
}
