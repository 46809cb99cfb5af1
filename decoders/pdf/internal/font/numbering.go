package font

import "strings"

// numbering says what the numbers are in names that no list knows, as in g36, cid102, C65 and a97: programs that make fonts for files name
// glyphs so. They are believed only where all of the unknown names of a font are of one kind.
type numbering uint8

const (
	numbersUnread numbering = iota
	numbersNothing
	numbersCodes  // of characters, in decimal
	numbersHex    // of characters, in hexadecimal
	numbersGlyphs // of glyphs in the program
)

func (n numbering) base() int {
	if n == numbersHex {
		return 16
	}
	return 10
}

// numberingOf looks at the names of an encoding.
func numberingOf(names map[byte]string) numbering {
	prefix, count, low, letters := "", 0, 0, 0
	hex := true
	decimal := true
	for _, name := range names {
		if name == ".notdef" || glyphText(name) != "" {
			continue
		}
		p, digits := cutNumber(name)
		if digits == "" || count > 0 && p != prefix {
			return numbersNothing
		}
		prefix = p
		count++
		v := radix(10, []byte(digits))
		decimal = decimal && v >= 0 && v < 256
		hex = hex && len(digits) == 2 && radix(16, []byte(digits)) >= ' '
		if v >= 0 && v < ' ' {
			low++
		}
		if r := winAnsi(byte(max(v, 0))); v < 256 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			letters++
		}
	}
	switch {
	case count == 0:
		return numbersNothing
	case strings.EqualFold(prefix, "glyph"), strings.EqualFold(prefix, "cid"), strings.EqualFold(prefix, "gid"), strings.EqualFold(prefix, "index"), prefix == "g":
		return numbersGlyphs
	case prefix == "G" && hex:
		return numbersHex
	case decimal && 2*letters >= count && (low == 0 || prefix == "a" || prefix == "c" || prefix == "C"):
		return numbersCodes
	case hex && len(prefix) == 1:
		return numbersHex
	}
	return numbersNothing
}

// cutNumber cuts the letters of a name from the digits behind them; both are "" if it is no such name.
func cutNumber(name string) (prefix, digits string) {
	const longest = 6 // "glyph", "index"
	i := 0
	for i < len(name) && (name[i] < '0' || name[i] > '9') {
		i++
	}
	if len(name) == 3 && i > 1 { // hexadecimal digits can begin with a letter
		i = 1
	}
	if i == 0 || i > longest || i == len(name) || radix(16, []byte(name[i:])) < 0 {
		return "", ""
	}
	return name[:i], name[i:]
}
