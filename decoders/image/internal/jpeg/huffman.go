package jpeg

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// lookBits is how many bits a code is looked up by; the few longer codes are searched for.
const lookBits = 10

// huffman is a table of codes (T.81, C.2 and F.2.2.3).
type huffman struct {
	defined bool
	// look tells by the next lookBits bits what begins there. Of a coefficient that ends within them: its value in the high half, the zeros
	// before it in bits 8 to 15 (endOfBlock for none and no more), all its bits in bits 0 to 7, not 0. Of another: the symbol in the high half, the bits of its code
	// in bits 8 to 15, 0 when it is longer.
	look [1 << lookBits]int32
	// symbols tells the same way the symbol, in the high half, and the bits of its code; 0 when it is longer.
	symbols [1 << lookBits]uint16
	limit   [18]int32 // the first code of each length that is too large, as sixteen bits; behind sixteen: everything
	offset  [17]int32 // what a code of that length lacks to be an index of values
	values  [256]byte
}

// endOfBlock is a run that no code can have.
const endOfBlock = 100

// huffmanTables reads a DHT segment (T.81, B.2.4.2).
func (d *Decoder) huffmanTables(b []byte) error {
	for len(b) > 0 {
		class, to := b[0]>>4, b[0]&15
		if class > 1 || to > 3 || len(b) < 17 {
			return pdk.Malformed("a jpeg huffman table that cannot be")
		}
		counts, n := b[1:17], 0
		for _, c := range counts {
			n += int(c)
		}
		if n > 256 || len(b) < 17+n {
			return pdk.Malformed("a jpeg huffman table that cannot be")
		}
		t := &d.dcTables[to]
		if class == 1 {
			t = &d.acTables[to]
		}
		if !t.build(counts, b[17:17+n], class == 1) {
			return pdk.Malformed("a jpeg huffman table that cannot be")
		}
		b = b[17+n:]
	}
	return nil
}

// build makes the table of codes that are as many of each length as counts says, and reports whether there is room for them.
func (t *huffman) build(counts, values []byte, ac bool) bool {
	*t = huffman{defined: true}
	copy(t.values[:], values)
	code, at := int32(0), int32(0)
	for n := int32(1); n <= 16; n++ {
		count := int32(counts[n-1])
		if code+count > 1<<n {
			return false
		}
		t.offset[n] = at - code
		for range count {
			if n <= lookBits {
				t.entries(code, n, values[at], ac)
			}
			code++
			at++
		}
		t.limit[n] = code << (16 - n)
		code <<= 1
	}
	t.limit[17] = 1 << 16
	return true
}

// entries fills in what begins with code, of n bits.
func (t *huffman) entries(code, n int32, symbol byte, ac bool) {
	rest := lookBits - n
	run, size := int32(0), int32(symbol)
	if ac {
		run, size = int32(symbol>>4), int32(symbol&15)
	}
	for low := range int32(1) << rest {
		e := int32(symbol)<<16 | n<<8
		switch {
		case ac && symbol == 0:
			e = endOfBlock<<8 | n
		case size == 0 && (!ac || run == 15):
			e = run<<8 | n
		case size > 0 && size <= rest:
			v := low >> (rest - size)
			e = extend(v, uint(size))<<16 | run<<8 | (n + size)
		}
		t.look[code<<rest|low], t.symbols[code<<rest|low] = e, uint16(symbol)<<8|uint16(n)
	}
}

// extend is EXTEND of T.81, F.2.2.1: the value that size bits v stand for.
func extend(v int32, size uint) int32 {
	if size > 0 && v < 1<<(size-1) {
		return v - 1<<size + 1
	}
	return v
}

// bitReader reads coded data, the most significant bit first (T.81, F.2.2.5).
type bitReader struct {
	source
	acc uint64 // the next bits, from the top; zeros behind them
	n   int    // how many
	// end is the marker that ended the data, or endOfFile. Behind it are zeros: padding of the n bits are such.
	end     byte
	padding int
	short   bool // more was read than there is
	bad     int  // codes that no table has
}

// endOfFile stands for a marker where there is none; no marker is a fill byte.
const endOfFile = 0xff

// begin starts a stretch of coded data.
func (b *bitReader) begin() { b.acc, b.n, b.end, b.padding, b.short = 0, 0, 0, 0, false }

// ended reports whether more was read than there is.
func (b *bitReader) ended() bool { return b.short || b.n < b.padding }

// fill makes n at least 48.
func (b *bitReader) fill() {
	if b.pos+8 <= len(b.buf) && b.end == 0 {
		x := binary.BigEndian.Uint64(b.buf[b.pos:])
		if (^x-0x0101010101010101)&x&0x8080808080808080 == 0 { // no byte of it is 0xff
			whole := (63 - b.n) >> 3
			b.acc |= x >> (uint(b.n) & 63)
			b.n += whole << 3
			b.acc &= ^uint64(0) << (uint(64-b.n) & 63)
			b.pos += whole
			return
		}
	}
	b.fillSlow()
}

// fillSlow is fill byte by byte, past stuffed zeros and up to a marker.
func (b *bitReader) fillSlow() {
	for b.n <= 56 {
		if b.end != 0 {
			b.short = b.short || b.n < b.padding
			b.padding = min(b.padding, b.n) + 56 - b.n&^7
			b.n += 56 - b.n&^7
			return
		}
		c, ok := b.next1()
		if !ok {
			b.end = endOfFile
			continue
		}
		if c == 0xff && !b.stuffed() {
			continue
		}
		b.acc |= uint64(c) << uint(56-b.n)
		b.n += 8
	}
}

// stuffed looks behind a byte 0xff: it is data when a zero follows, which is passed over. Else a marker ends the data.
func (b *bitReader) stuffed() bool {
	for {
		c, ok := b.next1()
		switch {
		case !ok:
			b.end = endOfFile
			return false
		case c == 0:
			return true
		case c != 0xff:
			b.end = c
			return false
		}
	}
}

// long finds the code at the top of acc that look does not have: its symbol and its bits. A code that is none is the symbol 0 of seventeen
// bits, as libjpeg has it.
func (t *huffman) long(acc uint64) (symbol byte, n int) {
	top := int32(acc >> 48)
	for n = lookBits + 1; top >= t.limit[n]; n++ {
	}
	if n > 16 {
		return 0, 17
	}
	return t.values[(top>>(16-n)+t.offset[n])&255], n
}

// symbol reads a code and its symbol.
func (b *bitReader) symbol(t *huffman) byte {
	if b.n < 32 {
		b.fill()
	}
	if e := t.symbols[b.acc>>(64-lookBits)]; e != 0 {
		b.acc, b.n = b.acc<<(e&15), b.n-int(e&15)
		return byte(e >> 8)
	}
	s, n := t.long(b.acc)
	if n > 16 {
		b.bad++
	}
	b.acc, b.n = b.acc<<uint(n), b.n-n
	return s
}

// receive reads size bits, at most sixteen, which symbol left there.
func (b *bitReader) receive(size uint) int32 {
	v := int32(b.acc >> 1 >> (63 - size))
	b.acc, b.n = b.acc<<size, b.n-int(size)
	return v
}
