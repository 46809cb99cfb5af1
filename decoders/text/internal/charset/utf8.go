package charset

import (
	"encoding/binary"
	"unicode/utf8"
)

const highBits = 0x8080808080808080

// ASCIIPrefix returns how many bytes of b are ASCII before the first that is not.
func ASCIIPrefix(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		if binary.LittleEndian.Uint64(b[n:])&highBits != 0 {
			break
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// CutTail returns how many bytes at the end of b begin a character that b does not finish.
func CutTail(b []byte) int {
	for i := 1; i <= min(utf8.UTFMax-1, len(b)); i++ {
		if c := b[len(b)-i]; c >= 0xc0 {
			if utf8.FullRune(b[len(b)-i:]) {
				return 0
			}
			return i
		} else if c < utf8.RuneSelf {
			return 0
		}
	}
	return 0
}

// Repair appends b to dst with each maximal beginning of a character that is not finished, and each byte that begins none, replaced by
// one U+FFFD (Unicode 16.0, 3.9, "Substitution of Maximal Subparts"; the WHATWG decoder does the same), and counts them.
func Repair(dst, b []byte) (out []byte, replaced int64) {
	for len(b) > 0 {
		n := ValidPrefix(b)
		dst = append(dst, b[:n]...)
		if b = b[n:]; len(b) == 0 {
			break
		}
		dst = append(dst, "\uFFFD"...)
		replaced++
		b = b[subpart(b):]
	}
	return dst, replaced
}

// ValidPrefix returns how many bytes of b are UTF-8 before the first that is not.
func ValidPrefix(b []byte) int {
	n := 0
	for n < len(b) {
		if b[n] < utf8.RuneSelf {
			n += ASCIIPrefix(b[n:])
			continue
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

// subpart returns the length of the maximal subpart at the beginning of b, which is no valid character (Unicode 16.0, table 3-7).
func subpart(b []byte) int {
	lo, hi, size := byte(0x80), byte(0xbf), 0
	switch c := b[0]; {
	case c < 0xc2:
		return 1
	case c < 0xe0:
		size = 2
	case c < 0xf0:
		size = 3
		switch c {
		case 0xe0:
			lo = 0xa0
		case 0xed:
			hi = 0x9f
		}
	case c < 0xf5:
		size = 4
		switch c {
		case 0xf0:
			lo = 0x90
		case 0xf4:
			hi = 0x8f
		}
	default:
		return 1
	}
	n := 1
	for n < size && n < len(b) && lo <= b[n] && b[n] <= hi {
		n++
		lo, hi = 0x80, 0xbf
	}
	return n
}
