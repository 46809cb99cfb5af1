package png

import "math/bits"

// fastBits is the longest code that is found at one look. Longer ones are rare.
const fastBits = 10

// table finds the symbols of a Huffman code. An entry has the size of the code in its lowest four bits (0: there is no such code), how many
// bits follow the code in the next four, then the marks, and from bit 16 on a literal or what a length or distance begins at.
type table struct {
	fast  [1 << fastBits]uint32 // by the next bits; 0: a longer code, or none
	count [16]uint16            // codes by size
	long  [maxLiterals]uint32   // entries in the order of their codes
}

// The marks of an entry.
const (
	literal    = 1 << 8
	endOfBlock = 1 << 9
)

// The lengths and distances that symbols begin at, and how many bits follow them (RFC 1951, 3.2.5).
var (
	lengthBase   = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthExtra  = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [maxDistance]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
		8193, 12289, 16385, 24577}
	distanceExtra = [maxDistance]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// literalEntry is the entry of a literal or length, without the size of its code; 0 for those that no data have.
func literalEntry(s int) uint32 {
	switch {
	case s < 256:
		return literal | uint32(s)<<16
	case s == 256:
		return endOfBlock
	case s < 257+len(lengthBase):
		return uint32(lengthBase[s-257])<<16 | uint32(lengthExtra[s-257])<<4
	}
	return 0
}

func distanceEntry(s int) uint32 {
	if s >= maxDistance {
		return 0
	}
	return uint32(distanceBase[s])<<16 | uint32(distanceExtra[s])<<4
}

// plainEntry is the entry of a code for sizes.
func plainEntry(s int) uint32 { return literal | uint32(s)<<16 }

// build makes the table for codes of these sizes (RFC 1951, 3.2.2). It fails when they are no code: too many, or, except for one code of one
// bit and for none at all, too few.
func (t *table) build(sizes []uint8, entry func(s int) uint32) bool {
	clear(t.count[:])
	for _, n := range sizes {
		t.count[n]++
	}
	t.count[0] = 0
	var offset, code [16]uint16
	left, used := 1, 0
	for n := 1; n < 16; n++ {
		used += int(t.count[n])
		if left = left<<1 - int(t.count[n]); left < 0 {
			return false
		}
		if n < 15 {
			offset[n+1] = offset[n] + t.count[n]
			code[n+1] = (code[n] + t.count[n]) << 1
		}
	}
	clear(t.fast[:])
	if left > 0 && used > 0 && (used > 1 || t.count[1] == 0) {
		return false
	}
	for s, n := range sizes {
		if n == 0 {
			continue
		}
		e := entry(s)
		if e != 0 {
			e |= uint32(n)
		}
		t.long[offset[n]] = e
		offset[n]++
		if n <= fastBits {
			for i := int(bits.Reverse16(code[n]) >> (16 - n)); i < len(t.fast); i += 1 << n {
				t.fast[i] = e
			}
		}
		code[n]++
	}
	return true
}

// find returns the entry of the code that acc begins with.
func (t *table) find(acc uint64) uint32 {
	if e := t.fast[acc&(1<<fastBits-1)]; e != 0 {
		return e
	}
	return t.slow(acc)
}

// slow goes bit by bit: the codes of one size follow those of the shorter ones.
func (t *table) slow(acc uint64) uint32 {
	code, first, index := 0, 0, 0
	for n := 1; n < 16; n++ {
		code |= int(acc) & 1
		acc >>= 1
		count := int(t.count[n])
		if code-first < count {
			return t.long[index+code-first]
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0
}

// fixed makes the tables of a block with fixed codes (RFC 1951, 3.2.6).
func (d *inflater) fixed() bool {
	for i := range maxLiterals {
		switch {
		case i < 144, i >= 280:
			d.sizes[i] = 8
		case i < 256:
			d.sizes[i] = 9
		default:
			d.sizes[i] = 7
		}
	}
	for i := range maxDistances {
		d.sizes[maxLiterals+i] = 5
	}
	return d.literals.build(d.sizes[:maxLiterals], literalEntry) && d.distances.build(d.sizes[maxLiterals:], distanceEntry)
}

// codeOrder is the order in which the sizes of the codes for sizes come (RFC 1951, 3.2.7).
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the tables of a block that has its own codes (RFC 1951, 3.2.7).
func (d *inflater) dynamic() bool {
	head, ok := d.bits(14)
	literals, distances, codes := head&31+257, head>>5&31+1, head>>10+4
	if !ok || literals > 286 || distances > maxDistance {
		return false
	}
	clear(d.sizes[:])
	for _, k := range codeOrder[:codes] {
		n, ok := d.bits(3)
		if !ok {
			return false
		}
		d.sizes[k] = uint8(n)
	}
	if !d.distances.build(d.sizes[:len(codeOrder)], plainEntry) { // its place is free until the sizes are there
		return false
	}
	clear(d.sizes[:])
	return d.readSizes(d.sizes[:literals+distances]) && d.sizes[256] != 0 &&
		d.literals.build(d.sizes[:literals], literalEntry) && d.distances.build(d.sizes[literals:literals+distances], distanceEntry)
}

// readSizes reads the sizes of both codes, which may be repeated from one into the other.
func (d *inflater) readSizes(sizes []uint8) bool {
	for i := 0; i < len(sizes); {
		if d.n < 15 {
			d.refill()
		}
		e := d.distances.find(d.acc)
		size := int(e & 15)
		if size == 0 || size > d.n {
			return false
		}
		d.acc >>= uint(size)
		d.n -= size
		s := int(e >> 16)
		if s < 16 {
			sizes[i] = uint8(s)
			i++
			continue
		}
		value, least, extra := uint8(0), 3, 3 // 17
		switch s {
		case 16:
			if i == 0 {
				return false
			}
			value, extra = sizes[i-1], 2
		case 18:
			least, extra = 11, 7
		}
		n, ok := d.bits(extra)
		if n += least; !ok || i+n > len(sizes) {
			return false
		}
		for range n {
			sizes[i] = value
			i++
		}
	}
	return true
}
