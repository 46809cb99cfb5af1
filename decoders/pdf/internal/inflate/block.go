package inflate

import "math/bits"

// fastBits is the longest code that is found at one look. Longer ones are rare.
const fastBits = 10

// table finds the symbols of a Huffman code.
type table struct {
	fast    [1 << fastBits]uint16 // by the next bits: the symbol times 16, and the size of its code; 0: a longer code, or none
	count   [16]uint16            // codes by size
	symbols [maxLiterals]uint16   // in the order of their codes
}

// build makes the table for codes of these sizes (3.2.2). It fails when they are no code: too many, or, except for one code of one bit and
// for none at all, too few.
func (t *table) build(sizes []uint8) bool {
	clear(t.count[:])
	for _, n := range sizes {
		t.count[n]++
	}
	t.count[0] = 0
	var offset, code [16]uint16
	left := 1
	for n := 1; n < 16; n++ {
		if left = left<<1 - int(t.count[n]); left < 0 {
			return false
		}
		if n < 15 {
			offset[n+1] = offset[n] + t.count[n]
			code[n+1] = (code[n] + t.count[n]) << 1
		}
	}
	clear(t.fast[:])
	used := offset[15] + t.count[15]
	if left > 0 && used > 0 && (used > 1 || t.count[1] == 0) {
		return false
	}
	for s, n := range sizes {
		if n == 0 {
			continue
		}
		t.symbols[offset[n]] = uint16(s)
		offset[n]++
		if n <= fastBits {
			first := bits.Reverse16(code[n]) >> (16 - n)
			for i := int(first); i < len(t.fast); i += 1 << n {
				t.fast[i] = uint16(s)<<4 | uint16(n)
			}
		}
		code[n]++
	}
	return true
}

// slow finds the symbol at the beginning of acc bit by bit: the codes of one size follow those of the shorter ones. It returns an entry as in
// fast, 0 if there is none.
func (t *table) slow(acc uint64) uint16 {
	code, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		code |= int(acc) & 1
		acc >>= 1
		count := int(t.count[n])
		if code-first < count {
			return t.symbols[index+code-first]<<4 | uint16(n)
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0
}

// symbol reads one symbol.
func (d *Decoder) symbol(t *table) (symbol int, ok bool) {
	d.refill()
	e := t.fast[d.acc&(1<<fastBits-1)]
	if e == 0 {
		e = t.slow(d.acc)
	}
	n := uint(e & 15)
	if n == 0 || n > d.bits {
		return 0, false
	}
	d.acc >>= n
	d.bits -= n
	return int(e >> 4), true
}

// The lengths and distances that symbols begin at, and how many bits follow them (3.2.5).
var (
	lengthBase   = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra  = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193,
		12289, 16385, 24577}
	distanceExtra = [30]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// most is how many bits a length and its distance take at most: two codes and what follows them.
const most = 15 + 5 + 15 + 13

// block reads compressed data up to the end of the block, or until there are more than limit bytes. It is where the time goes, so the bits are
// in variables of its own, and that they were there at all is looked at once a round: behind the end of src they are zero.
func (d *Decoder) block(out []byte, limit int) ([]byte, bool) {
	acc, have := d.acc, int(d.bits)
	for len(out) <= limit {
		if have < most {
			d.acc, d.bits = acc, uint(have)
			d.refill()
			acc, have = d.acc, int(d.bits)
		}
		e := d.literals.fast[acc&(1<<fastBits-1)]
		if e == 0 {
			e = d.literals.slow(acc)
		}
		size := int(e & 15)
		acc >>= size & 15
		have -= size
		s := int(e >> 4)
		switch {
		case have < 0 || size == 0:
			return out, false
		case s < endOfBlock:
			out = append(out, byte(s))
			continue
		case s == endOfBlock:
			d.acc, d.bits = acc, uint(have)
			return out, true
		}
		if s -= endOfBlock + 1; s >= len(lengthBase) {
			return out, false
		}
		extra := lengthExtra[s]
		n := int(lengthBase[s]) + int(acc&(1<<extra-1))
		acc >>= extra & 15
		e = d.distances.fast[acc&(1<<fastBits-1)]
		if e == 0 {
			e = d.distances.slow(acc)
		}
		acc >>= e & 15
		have -= int(extra) + int(e&15)
		back := int(e >> 4)
		if e&15 == 0 || back >= len(distanceBase) {
			return out, false
		}
		extra = distanceExtra[back]
		from := len(out) - int(distanceBase[back]) - int(acc&(1<<extra-1))
		acc >>= extra & 15
		have -= int(extra)
		if have < 0 || from < 0 {
			return out, false
		}
		out = repeat(out, from, n)
	}
	return out, true
}

// repeat appends n bytes of out from from on. They may run into themselves: what there is to copy grows from round to round then.
func repeat(out []byte, from, n int) []byte {
	for n > 0 {
		k := min(n, len(out)-from)
		out = append(out, out[from:from+k]...)
		n -= k
	}
	return out
}
