package font

import "unicode/utf8"

// baseEncoding is one of the encodings of ISO 32000-1, annex D.
type baseEncoding uint8

const (
	encStandard baseEncoding = iota
	encWinAnsi
	encMacRoman
	encSymbol
	encDingbats
	encMacExpert
	encWingdings
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
	case encMacExpert:
		return runeAt(macExpert, int(c)-' ')
	case encWingdings:
		return wingding(c)
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

// wingding maps what of Wingdings stands in running text: bullets, ticks, arrows, faces. The rest says nothing in words.
func wingding(c byte) rune {
	const marks = "\x4a☺\x4c☹\x6c●\x6d❍\x6e■\x6f□\x70❐\x71❑\x72❒\x73⬧\x74⧫\x75◆\x76❖\x77⬥\x9e·\x9f•\xa0▪\xa1○\xa2⭕\xa7▪\xa8◻\xaa✦\xab★\xd8➢\xdc➲\xdf←\xe0→" +
		"\xe1↑\xe2↓\xe8➔\xef⇦\xf0⇨\xf1⇧\xf2⇩\xf3⬄\xfb✗\xfc✔\xfd☒\xfe☑"
	if c == ' ' {
		return ' '
	}
	for i := 0; i < len(marks); {
		r, n := utf8.DecodeRuneInString(marks[i+1:])
		if marks[i] == c {
			return r
		}
		i += 1 + n
	}
	return 0
}

// dingbatName knows the names that ZapfDingbats gives its glyphs: a1 to a206, which do not follow the order of the codes (D.6).
func dingbatName(name string) rune {
	if len(name) < 2 || len(name) > 4 || name[0] != 'a' {
		return 0
	}
	n := radix(10, []byte(name[1:]))
	if n < 0 || name[1] == '0' {
		return 0
	}
	for i := 0; i < len(dingbatNames); i++ {
		if int(dingbatNames[i]) == n {
			switch c := i + '!'; {
			case c < 0x7f:
				return dingbat(byte(c))
			default:
				return dingbat(byte(c - 0x7f + 0xa1))
			}
		}
	}
	return 0
}

// dingbatNames are the numbers of the names by code, from 0x21 to 0x7e and on from 0xa1; 0 where there is none.
var dingbatNames = [...]uint8{
	1, 2, 202, 3, 4, 5, 119, 118, 117, 11, 12, 13, 14, 15, 16, 105, 17, 18, 19, 20, 21, 22, 23, 24,
	25, 26, 27, 28, 6, 7, 8, 9, 10, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
	44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63, 64, 65, 66, 67,
	68, 69, 70, 71, 72, 73, 74, 203, 75, 204, 76, 77, 78, 79, 81, 82, 83, 84, 97, 98, 99, 100, 101, 102,
	103, 104, 106, 107, 108, 112, 111, 110, 109, 120, 121, 122, 123, 124, 125, 126, 127, 128, 129, 130, 131, 132, 133, 134,
	135, 136, 137, 138, 139, 140, 141, 142, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 153, 154, 155, 156, 157, 158,
	159, 160, 161, 163, 164, 196, 165, 192, 166, 167, 168, 169, 170, 171, 172, 173, 162, 174, 175, 176, 177, 178, 179, 193,
	180, 199, 181, 200, 182, 0, 201, 183, 184, 197, 185, 194, 198, 186, 195, 187, 188, 189, 190, 191,
}
