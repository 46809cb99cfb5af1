package vp8l

import (
	"encoding/binary"
	"math/bits"
)

// bitReader reads numbers, the lowest bit first.
type bitReader struct {
	data []byte
	at   int    // of data: what is used. A slice that is cut instead would be a pointer that is written, which the collector wants to know of
	acc  uint64 // bits that were taken from data and are not used yet
	n    int    // how many; negative when more were used than there are
}

// refill takes bits until there are 56 or the data end.
func (r *bitReader) refill() {
	if r.n < 0 {
		return
	}
	if b := r.data[r.at:]; len(b) >= 8 {
		r.acc |= binary.LittleEndian.Uint64(b) << uint(r.n&63)
		r.at += (63 - r.n) >> 3
		r.n |= 56
		return
	}
	for r.n < 56 && r.at < len(r.data) {
		r.acc |= uint64(r.data[r.at]) << uint(r.n)
		r.at++
		r.n += 8
	}
}

// number reads n bits, up to 32.
func (r *bitReader) number(n int) int {
	if r.n < n {
		r.refill()
	}
	v := int(r.acc & (1<<uint(n) - 1))
	r.acc >>= uint(n)
	r.n -= n
	return v
}

func (r *bitReader) ended() bool { return r.n < 0 }

// code finds the symbols of a prefix code in the tables of its picture: the next bits, as many as mask has, choose an entry.
type code struct {
	at   uint32
	mask uint16
	root uint8 // bits of mask
}

// An entry has the size of a code in its lowest seven bits, and the symbol from bit 8 on; or second, how many more bits choose, and where.
const second = 0x80

const rootBits = 8

// maxEntries bounds the tables of a picture, of which there can be 65,536 times five (RFC 9649, 3.7.2.2.2).
const maxEntries = 8 << 20

// tables are those of all codes of a picture.
type tables struct {
	entries []uint32
}

// build makes a code of the sizes of its symbols' codes (3.7.2.1). It fails when they are none.
func (t *tables) build(sizes []uint8) (c code, ok bool) {
	var count, next [16]int
	last, used := 0, 0
	for s, n := range sizes {
		if n > 0 {
			count[n]++
			used++
			last = s
		}
	}
	c.at = uint32(len(t.entries))
	if used <= 1 {
		t.entries = append(t.entries, uint32(last)<<8) // the only symbol takes no bits
		return c, used == 1
	}
	longest, left := 0, 1
	for n := 1; n < 16; n++ {
		left = left<<1 - count[n]
		if left < 0 {
			return c, false
		}
		if count[n] > 0 {
			longest = n
		}
		if n < 15 {
			next[n+1] = (next[n] + count[n]) << 1
		}
	}
	if left != 0 {
		return c, false
	}
	c.root = uint8(min(longest, rootBits))
	c.mask = 1<<c.root - 1
	t.entries = append(t.entries, make([]uint32, int(c.mask)+1)...)
	t.fill(c, sizes, next)
	return c, len(t.entries) <= maxEntries
}

// fill makes the entries; next is the first code of each size.
func (t *tables) fill(c code, sizes []uint8, next [16]int) {
	root := t.entries[c.at:]
	var deep [1 << rootBits]uint8 // by the first bits: the longest code that begins with them
	start := next
	for _, n := range sizes {
		if n == 0 {
			continue
		}
		v := reversed(next[n], n)
		next[n]++
		if n > c.root {
			deep[v&int(c.mask)] = max(deep[v&int(c.mask)], n)
		}
	}
	size := len(root)
	for i, n := range deep {
		if n > 0 {
			root[i] = uint32(size)<<8 | second | uint32(n-c.root)
			size += 1 << (n - c.root)
		}
	}
	t.entries = append(t.entries, make([]uint32, size-len(root))...)
	root = t.entries[c.at:]
	next = start
	for s, n := range sizes {
		if n == 0 {
			continue
		}
		v := reversed(next[n], n)
		next[n]++
		e := uint32(s)<<8 | uint32(n)
		if n <= c.root {
			for i := v; i <= int(c.mask); i += 1 << n {
				root[i] = e
			}
			continue
		}
		p := root[v&int(c.mask)]
		rest := root[p>>8 : p>>8+1<<(p&0x7f)]
		for i := v >> c.root; i < len(rest); i += 1 << (n - c.root) {
			rest[i] = e
		}
	}
}

// reversed is a code as the bits come: the highest first.
func reversed(v int, n uint8) int { return int(bits.Reverse16(uint16(v)) >> (16 - n)) }

// symbol reads one symbol. There must be 15 bits, unless the data end.
func (r *bitReader) symbol(t []uint32, c code) int {
	e := t[c.at+uint32(r.acc)&uint32(c.mask)]
	if e&second != 0 {
		e = t[c.at+e>>8+uint32(r.acc>>c.root)&(1<<(e&0x7f)-1)]
	}
	n := e & 0x7f
	r.acc >>= n & 63
	r.n -= int(n)
	return int(e >> 8)
}
