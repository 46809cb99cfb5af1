package jpeg

// firstDC reads a block's first coefficient, all but its low bits (T.81, G.1.2.1).
func (b *bitReader) firstDC(blk *[64]int16, c *component, t *huffman, low uint) {
	c.pred += b.difference(t)
	blk[0] = int16(c.pred << low)
}

// refineDC reads one bit more of a block's first coefficient.
func (b *bitReader) refineDC(blk *[64]int16, low uint) {
	if b.n < 32 {
		b.fill()
	}
	blk[0] |= int16(b.receive(1) << low)
}

// firstAC reads a band of a block's other coefficients, all but their low bits (T.81, G.1.2.2).
func (b *bitReader) firstAC(blk *[64]int16, s *scan, t *huffman) {
	if s.run > 0 {
		s.run--
		return
	}
	low := s.low & 15
	for k := s.from; k <= s.to; k++ {
		if b.n < 32 {
			b.fill()
		}
		e := int(t.look[b.acc>>(64-lookBits)])
		if size := e & 0xff; size != 0 {
			b.acc, b.n = b.acc<<uint(size), b.n-size
			if k += e >> 8 & 0xff; k >= endOfBlock {
				return
			}
			blk[natural[k&255]&63] = int16(e >> 16 << low)
			continue
		}
		symbol := b.symbol(t)
		run, size := int(symbol>>4), uint(symbol&15)
		if size == 0 && run < 15 {
			s.run = 1<<run - 1 + int(b.receive(uint(run)))
			return
		}
		k += run
		if size > 0 {
			blk[natural[k&255]&63] = int16(extend(b.receive(size), size) << low)
		}
	}
}

// refineAC reads one bit more of a band of a block's other coefficients (T.81, G.1.2.3).
func (b *bitReader) refineAC(blk *[64]int16, s *scan, t *huffman) {
	one := int16(1) << (s.low & 15)
	k := s.from
	if s.run == 0 {
		for ; k <= s.to; k++ {
			symbol := b.symbol(t)
			zeros, fresh := int(symbol>>4), int16(0)
			switch size := symbol & 15; {
			case size != 0: // it should be 1
				if fresh = -one; b.receive(1) != 0 {
					fresh = one
				}
			case zeros < 15:
				s.run = 1<<zeros + int(b.receive(uint(zeros)))
			}
			if s.run > 0 {
				break
			}
			if k = b.refineUpTo(blk, k, s.to, zeros, one); fresh != 0 && k <= s.to {
				blk[natural[k]&63] = fresh
			}
		}
	}
	if s.run > 0 {
		b.refineUpTo(blk, k, s.to, 64, one)
		s.run--
	}
}

// refineUpTo refines coefficients from k on that are not zero, and passes over zeros of them. It returns where the next zero is, or
// what is behind the last.
func (b *bitReader) refineUpTo(blk *[64]int16, k, last, zeros int, one int16) int {
	for ; k <= last; k++ {
		v := &blk[natural[k&255]&63]
		if *v == 0 {
			if zeros == 0 {
				return k
			}
			zeros--
			continue
		}
		if b.n < 1 {
			b.fill()
		}
		bit := b.acc >> 63
		b.acc <<= 1
		b.n--
		if bit != 0 && *v&one == 0 {
			if *v > 0 {
				*v += one
			} else {
				*v -= one
			}
		}
	}
	return k
}
