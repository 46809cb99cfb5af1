package font

import (
	_ "embed"
	"strconv"
	"strings"
)

// glyphList is searched by halves as it is, so that it costs nothing before a glyph name is met.
//
//go:embed glyphlist.txt
var glyphList string

// glyphRune returns the character of a glyph name on the Adobe Glyph List, 0 if it is not there.
func glyphRune(name string) rune {
	lo, hi := 0, len(glyphList)
	for lo < hi {
		mid := (lo + hi) / 2
		start := strings.LastIndexByte(glyphList[:mid], '\n') + 1
		end := start + strings.IndexByte(glyphList[start:], '\n')
		key, value, _ := strings.Cut(glyphList[start:end], " ")
		switch {
		case key == name:
			n, err := strconv.ParseUint(value, 16, 21)
			if err != nil {
				return 0
			}
			return rune(n)
		case key < name:
			lo = end + 1
		default:
			hi = start
		}
	}
	return 0
}

// glyphText returns the text of a glyph name by the rules of the Adobe Glyph List specification: what follows a point is dropped, parts
// between underscores are joined, uniXXXX and uXXXX are code points. It is "" for names that say nothing.
func glyphText(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if r := glyphRune(name); r != 0 {
		return string(r)
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		switch hex, isUni := strings.CutPrefix(part, "uni"); {
		case glyphRune(part) != 0:
			b.WriteRune(glyphRune(part))
		case isUni && len(hex) >= 4 && len(hex)%4 == 0:
			for ; len(hex) >= 4; hex = hex[4:] {
				writeHexRune(&b, hex[:4])
			}
		case len(part) >= 5 && len(part) <= 7 && part[0] == 'u':
			writeHexRune(&b, part[1:])
		}
	}
	return b.String()
}

func writeHexRune(b *strings.Builder, hex string) {
	if n, err := strconv.ParseUint(hex, 16, 21); err == nil && n > 0 && n <= 0x10ffff && (n < 0xd800 || n > 0xdfff) {
		b.WriteRune(rune(n))
	}
}

// baseEncoding is one of the encodings of ISO 32000-1, annex D.
type baseEncoding uint8

const (
	encStandard baseEncoding = iota
	encWinAnsi
	encMacRoman
	encSymbol
	encDingbats
)

// rune returns the character of a code, 0 if the encoding has none.
func (e baseEncoding) rune(c byte) rune {
	switch e {
	case encWinAnsi:
		return winAnsi(c)
	case encMacRoman:
		if c >= 0x80 {
			return rune(macRoman[c-0x80])
		}
	case encSymbol:
		return rune(symbolSet[c])
	case encDingbats:
		return dingbat(c)
	case encStandard:
		switch {
		case c == '\'':
			return '’'
		case c == '`':
			return '‘'
		case c >= 0xa0:
			return rune(standardHigh[c-0xa0])
		case c >= 0x7f:
			return 0
		}
	}
	if c < 0x20 || c == 0x7f {
		return 0
	}
	return rune(c)
}

// winAnsi is code page 1252; codes that it leaves free are bullets (D.2, note 3).
func winAnsi(c byte) rune {
	switch {
	case c < 0x20:
		return 0
	case c >= 0x80 && c < 0xa0:
		return rune(cp1252[c-0x80])
	case c == 0x7f:
		return '•'
	}
	return rune(c)
}

// dingbat maps ZapfDingbats, whose order Unicode's block of dingbats follows (D.6), with what Unicode had elsewhere already.
func dingbat(c byte) rune {
	if r := dingbatOdd(c); r != 0 {
		return r
	}
	switch {
	case c == ' ':
		return ' '
	case c > 0x20 && c < 0x7f:
		return 0x2700 + rune(c-0x20)
	case c >= 0xa1 && c <= 0xa7:
		return 0x2761 + rune(c-0xa1)
	case c >= 0xac && c <= 0xb5:
		return 0x2460 + rune(c-0xac)
	case c >= 0xb6 && c <= 0xd4:
		return 0x2776 + rune(c-0xb6)
	case c >= 0xd8 && c <= 0xfe && c != 0xf0:
		return 0x2798 + rune(c-0xd8)
	}
	return 0
}

func dingbatOdd(c byte) rune {
	switch c {
	case 0x25:
		return 0x260e
	case 0x2a:
		return 0x261b
	case 0x2b:
		return 0x261e
	case 0x48:
		return 0x2605
	case 0x6c:
		return 0x25cf
	case 0x6e:
		return 0x25a0
	case 0x73:
		return 0x25b2
	case 0x74:
		return 0x25bc
	case 0x75:
		return 0x25c6
	case 0x77:
		return 0x25d7
	case 0xa8:
		return 0x2663
	case 0xa9:
		return 0x2666
	case 0xaa:
		return 0x2665
	case 0xab:
		return 0x2660
	case 0xd5:
		return 0x2192
	case 0xd6:
		return 0x2194
	case 0xd7:
		return 0x2195
	}
	return 0
}
