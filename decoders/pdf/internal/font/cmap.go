package font

import (
	"cmp"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// cmap maps the codes of a font's strings: to text (ToUnicode, ISO 32000-1, 9.10.3) or to character identifiers (9.7.5). Ranges stay
// ranges, so that what a file says costs what it takes to say it.
type cmap struct {
	spaces []codeSpace
	texts  []textRange
	cids   []cidRange
	pool   []byte // UTF-8 that texts point into
}

// codeSpace is a range of valid codes of n bytes; each byte has its own range.
type codeSpace struct {
	n      int
	lo, hi uint32
}

// textRange maps lo to pool[off:end], and the codes behind it to the same text with its last character raised.
type textRange struct {
	lo, hi   uint32
	off, end uint32
}

type cidRange struct {
	lo, hi uint32
	cid    uint32
}

// maxRanges bounds the ranges of one CMap, and the operands of one of its operators; 65,536 codes of two bytes can each have a range.
const maxRanges = 1 << 17

// parseCMap reads a CMap file. What it does not understand it skips.
func parseCMap(data []byte) *cmap {
	c := &cmap{}
	l := object.Lexer{B: data}
	var args []object.Token
	for {
		t := l.Next()
		if t.Kind == object.TokEOF {
			break
		}
		if t.Kind != object.TokKeyword {
			if len(args) < maxRanges {
				args = append(args, t)
			}
			continue
		}
		switch string(t.S) {
		case "endcodespacerange":
			c.codeSpaces(args)
		case "endbfchar":
			c.chars(args)
		case "endbfrange":
			c.ranges(args)
		case "endcidchar":
			for ; len(args) >= 2; args = args[2:] {
				c.cid(args[0].S, args[0].S, args[1].Num)
			}
		case "endcidrange":
			for ; len(args) >= 3; args = args[3:] {
				c.cid(args[0].S, args[1].S, args[2].Num)
			}
		}
		args = args[:0]
	}
	byLow := func(a, b textRange) int { return cmp.Compare(a.lo, b.lo) }
	if !slices.IsSortedFunc(c.texts, byLow) {
		slices.SortStableFunc(c.texts, byLow)
	}
	slices.SortStableFunc(c.cids, func(a, b cidRange) int { return cmp.Compare(a.lo, b.lo) })
	return c
}

func (c *cmap) codeSpaces(args []object.Token) {
	for ; len(args) >= 2 && len(c.spaces) < 256; args = args[2:] {
		if n := len(args[0].S); n >= 1 && n <= 4 && n == len(args[1].S) {
			c.spaces = append(c.spaces, codeSpace{n, code(args[0].S), code(args[1].S)})
		}
	}
}

// code is the number that the bytes of a code make.
func code(s []byte) (v uint32) {
	for _, b := range s {
		v = v<<8 | uint32(b)
	}
	return v
}

func (c *cmap) chars(args []object.Token) {
	for ; len(args) >= 2; args = args[2:] {
		lo := code(args[0].S)
		if args[1].Kind == object.TokName {
			c.text(lo, lo, []byte(glyphText(string(args[1].S))))
			continue
		}
		c.text(lo, lo, appendUTF16(nil, args[1].S))
	}
}

func (c *cmap) ranges(args []object.Token) {
	for len(args) >= 3 {
		lo, hi, dst := code(args[0].S), code(args[1].S), args[2]
		args = args[3:]
		if dst.Kind != object.TokArrayOpen {
			c.text(lo, hi, appendUTF16(nil, dst.S))
			continue
		}
		for at := lo; len(args) > 0; at++ {
			dst, args = args[0], args[1:]
			if dst.Kind == object.TokArrayClose {
				break
			}
			if at <= hi {
				c.text(at, at, appendUTF16(nil, dst.S))
			}
		}
	}
}

func (c *cmap) text(lo, hi uint32, text []byte) {
	if hi < lo || len(c.texts) >= maxRanges {
		return
	}
	off := uint32(len(c.pool))
	c.pool = append(c.pool, text...)
	c.texts = append(c.texts, textRange{lo, hi, off, uint32(len(c.pool))})
}

func (c *cmap) cid(lo, hi []byte, cid float64) {
	if l, h := code(lo), code(hi); l <= h && cid >= 0 && cid <= 0xffff && len(c.cids) < maxRanges {
		c.cids = append(c.cids, cidRange{l, h, uint32(cid)})
	}
}

// maxCodeText is how many bytes of UTF-16 one code may stand for (ISO 32000-1, 9.10.3). A map could else make a book of a letter.
const maxCodeText = 512

// appendUTF16 appends big-endian UTF-16 as UTF-8, maxCodeText bytes of it at most. A single byte stands for itself.
func appendUTF16(dst, s []byte) []byte {
	s = s[:min(len(s), maxCodeText)]
	if len(s) == 1 {
		return utf8.AppendRune(dst, rune(s[0]))
	}
	for i := 0; i+1 < len(s); i += 2 {
		r := rune(s[i])<<8 | rune(s[i+1])
		if utf16.IsSurrogate(r) && i+3 < len(s) {
			r = utf16.DecodeRune(r, rune(s[i+2])<<8|rune(s[i+3]))
			i += 2
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// appendText appends the text of a code; ok is false if the map has none.
func (c *cmap) appendText(dst []byte, v uint32) (out []byte, ok bool) {
	i, _ := slices.BinarySearchFunc(c.texts, v, func(r textRange, v uint32) int {
		if r.lo <= v {
			return -1
		}
		return 1
	})
	const overlap = 4 // how many ranges before it may reach over a later one
	for j := i - 1; j >= max(0, i-overlap); j-- {
		r := c.texts[j]
		if v > r.hi {
			continue
		}
		text := c.pool[r.off:r.end]
		if len(text) == 0 {
			return dst, false
		}
		if v == r.lo {
			return append(dst, text...), true
		}
		last, n := utf8.DecodeLastRune(text)
		dst = append(dst, text[:len(text)-n]...)
		return utf8.AppendRune(dst, last+rune(v-r.lo)), true
	}
	return dst, false
}

// lookupCID returns the character identifier of a code; ok is false if the map has none.
func (c *cmap) lookupCID(v uint32) (cid uint32, ok bool) {
	i, _ := slices.BinarySearchFunc(c.cids, v, func(r cidRange, v uint32) int {
		if r.lo <= v {
			return -1
		}
		return 1
	})
	if i == 0 || v > c.cids[i-1].hi {
		return 0, false
	}
	return c.cids[i-1].cid + v - c.cids[i-1].lo, true
}

// next cuts the first code off s by the code spaces (9.7.6.3); where none fits it takes as many bytes as the shortest.
func (c *cmap) next(s []byte) (v uint32, n int) {
	shortest := 2
	if len(c.spaces) > 0 {
		shortest = 4
	}
	for _, sp := range c.spaces {
		shortest = min(shortest, sp.n)
		if sp.n <= len(s) && sp.contains(s[:sp.n]) {
			return code(s[:sp.n]), sp.n
		}
	}
	n = min(shortest, len(s))
	return code(s[:n]), n
}

func (sp codeSpace) contains(s []byte) bool {
	for i, b := range s {
		shift := 8 * (sp.n - 1 - i)
		if b < byte(sp.lo>>shift) || b > byte(sp.hi>>shift) {
			return false
		}
	}
	return true
}
