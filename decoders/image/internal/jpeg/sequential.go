package jpeg

// natural gives the place in a block of a coefficient in zigzag order (T.81, figure A.6). What damaged data puts behind the last goes to the
// last, as in libjpeg.
var natural = [256]uint8{
	0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5,
	12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14, 21, 28,
	35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
	58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
	63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63, 63,
}

// difference reads what a block's first coefficient has more than the last block's (T.81, F.2.2.1).
func (b *bitReader) difference(t *huffman) int {
	if b.n < 32 {
		b.fill()
	}
	e := t.look[b.acc>>(64-lookBits)]
	if n := e & 0xff; n != 0 {
		b.acc, b.n = b.acc<<uint(n), b.n-int(n)
		return int(e >> 16)
	}
	size := uint(b.symbol(t))
	if size > 15 { // libjpeg refuses such a table; a difference of so many bits has no place
		b.bad++
		return 0
	}
	return int(extend(b.receive(size), size))
}

// block reads a block of a sequential scan (T.81, F.2.2), times the component's quantisation table, into out, which is zero. end is behind
// the last coefficient in zigzag order that is not zero.
func (b *bitReader) block(out *[64]int32, c *component, dc, ac *huffman) (end int) {
	c.pred += b.difference(dc)
	q := &c.quant
	out[0] = int32(c.pred) * q[0]
	acc, n := b.acc, b.n
	k := 1
	for k < 64 {
		if n < 32 {
			b.acc, b.n = acc, n
			b.fill()
			acc, n = b.acc, b.n
		}
		end = k
		e := int(ac.look[acc>>(64-lookBits)])
		if size := e & 0xff; size != 0 {
			acc <<= uint(size)
			n -= size
			k += e >> 8 & 0xff
			out[natural[k&255]&63] = int32(e>>16) * q[min(k, 63)]
			k++
			continue
		}
		b.acc, b.n = acc, n
		symbol := b.symbol(ac)
		size := uint(symbol & 15)
		if size == 0 && symbol != 0xf0 {
			acc, n = b.acc, b.n
			k += endOfBlock
			break
		}
		k += int(symbol >> 4)
		out[natural[k&255]&63] = extend(b.receive(size), size) * q[min(k, 63)]
		acc, n = b.acc, b.n
		k++
	}
	b.acc, b.n = acc, n
	if k < endOfBlock {
		return 64
	}
	return end
}

// passBlock reads a block as block does, of which only the first coefficient is wanted.
func (b *bitReader) passBlock(c *component, dc, ac *huffman) {
	c.pred += b.difference(dc)
	acc, n := b.acc, b.n
	for k := 1; k < 64; k++ {
		if n < 32 {
			b.acc, b.n = acc, n
			b.fill()
			acc, n = b.acc, b.n
		}
		e := int(ac.look[acc>>(64-lookBits)])
		if size := e & 0xff; size != 0 {
			acc <<= uint(size)
			n -= size
			k += e >> 8 & 0xff
			continue
		}
		b.acc, b.n = acc, n
		symbol := b.symbol(ac)
		size := uint(symbol & 15)
		if acc, n = b.acc<<size, b.n-int(size); size == 0 && symbol != 0xf0 {
			break
		}
		k += int(symbol >> 4)
	}
	b.acc, b.n = acc, n
}
