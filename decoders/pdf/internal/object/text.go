package object

import (
	"strings"
	"unicode/utf16"
)

// Text returns a text string (ISO 32000-1, 7.9.2.2) as UTF-8 with line feeds at its line ends, "" for anything else.
func (n Node) Text() string { return TextOf(n.Raw()) }

// TextOf is Node.Text for a string that stands elsewhere, as in a content stream.
func TextOf(s string) string {
	var b strings.Builder
	switch {
	case strings.HasPrefix(s, "\xfe\xff"):
		writeUTF16(&b, s[2:], 8, 0)
	case strings.HasPrefix(s, "\xff\xfe"):
		writeUTF16(&b, s[2:], 0, 8)
	case strings.HasPrefix(s, "\xef\xbb\xbf"):
		b.WriteString(strings.ToValidUTF8(s[3:], "\ufffd"))
	default:
		for i := range len(s) {
			if r := docEncoding(s[i]); r != 0 {
				b.WriteRune(r)
			}
		}
	}
	s = strings.ReplaceAll(b.String(), "\x00", "")
	if strings.Contains(s, "\r") { // how fields and notes end their lines
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	return strings.TrimSpace(s)
}

// writeUTF16 decodes UTF-16 whose two bytes are shifted by first and second. Language escapes (ESC … ESC) are left out.
func writeUTF16(b *strings.Builder, s string, first, second int) {
	escape := false
	for i := 0; i+1 < len(s); i += 2 {
		r := rune(s[i])<<first | rune(s[i+1])<<second
		if r == 0x1b {
			escape = !escape
			continue
		}
		if utf16.IsSurrogate(r) && i+3 < len(s) {
			if full := utf16.DecodeRune(r, rune(s[i+2])<<first|rune(s[i+3])<<second); full != 0xfffd {
				r = full
				i += 2
			}
		}
		if !escape {
			b.WriteRune(r)
		}
	}
}

// docEncoding is PDFDocEncoding (D.2), for text strings outside content.
func docEncoding(c byte) rune {
	switch {
	case c >= 0x18 && c < 0x20:
		return rune(docLow[c-0x18])
	case c >= 0x80 && c <= 0xa0:
		return rune(docHigh[c-0x80])
	case c == 0x7f || c == 0xad:
		return 0
	}
	return rune(c)
}

// docLow is PDFDocEncoding from 0x18 to 0x1f.
var docLow = [8]uint16{
	0x02d8, 0x02c7, 0x02c6, 0x02d9, 0x02dd, 0x02db, 0x02da, 0x02dc,
}

// docHigh is PDFDocEncoding from 0x80 to 0xa0.
var docHigh = [33]uint16{
	0x2022, 0x2020, 0x2021, 0x2026, 0x2014, 0x2013, 0x0192, 0x2044,
	0x2039, 0x203a, 0x2212, 0x2030, 0x201e, 0x201c, 0x201d, 0x2018,
	0x2019, 0x201a, 0x2122, 0xfb01, 0xfb02, 0x0141, 0x0152, 0x0160,
	0x0178, 0x017d, 0x0131, 0x0142, 0x0153, 0x0161, 0x017e, 0x0000,
	0x20ac,
}

// toDocEncoding encodes text as PDFDocEncoding; what that has no code for becomes a question mark.
func toDocEncoding(s string) []byte {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		c := byte('?')
		switch {
		case r < 0x18 || r >= 0x20 && r < 0x7f || r > 0xa0 && r <= 0xff && r != 0xad:
			c = byte(r)
		default:
			for i := 0x18; i <= 0xa0; i++ {
				if docEncoding(byte(i)) == r {
					c = byte(i)
				}
			}
		}
		out = append(out, c)
	}
	return out
}
