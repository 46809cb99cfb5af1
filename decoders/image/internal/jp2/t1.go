package jp2

// The contexts of the arithmetic decoder (table D.7).
const (
	ctxZero    = 0  // of nine for zero coding
	ctxSign    = 9  // of five
	ctxRefine  = 14 // of three
	ctxRun     = 17
	ctxUniform = 18
	ctxCount   = 32 // a power of two, so that an index needs no check
)

// Flags of a coefficient: which of its neighbours are significant, and of which sign those beside it are; then what is known of itself.
const (
	sigNE = 1 << iota
	sigSE
	sigSW
	sigNW
	sigN
	sigE
	sigS
	sigW
	negN
	negE
	negS
	negW
	sig
	refined
	visited
	negative

	neighbours = 0xff
)

// Code-block styles (table A.19).
const (
	styleBypass   = 1 << 0
	styleReset    = 1 << 1
	styleTermAll  = 1 << 2
	styleCausal   = 1 << 3
	styleSegments = 1 << 5
	styleHT       = 1 << 6 // ISO/IEC 15444-15
)

// column is the flags of four coefficients one above the other: passes go through a code-block in stripes of four rows, column by column
// (D.1).
type column [4]uint16

// zeroContexts is table D.1, by the kind of subband and the lowest eight flags.
var zeroContexts = func() (t [3][256]uint8) {
	for f := range 256 {
		bit := func(m int) int {
			if f&m != 0 {
				return 1
			}
			return 0
		}
		h, v := bit(sigE)+bit(sigW), bit(sigN)+bit(sigS)
		d := bit(sigNE) + bit(sigSE) + bit(sigSW) + bit(sigNW)
		t[0][f], t[1][f], t[2][f] = zeroContext(h, v, d), zeroContext(v, h, d), zeroContextHH(h+v, d)
	}
	return t
}()

// zeroContext is for LL and LH, and with the directions changed for HL.
func zeroContext(h, v, d int) uint8 {
	switch {
	case h == 2:
		return 8
	case h == 1 && v >= 1:
		return 7
	case h == 1 && d >= 1:
		return 6
	case h == 1:
		return 5
	case v == 2:
		return 4
	case v == 1:
		return 3
	}
	return uint8(min(d, 2))
}

func zeroContextHH(hv, d int) uint8 {
	switch d {
	case 0:
		return uint8(min(hv, 2))
	case 1:
		return uint8(3 + min(hv, 2))
	case 2:
		return uint8(6 + min(hv, 1))
	}
	return 8
}

// signContexts is tables D.2 and D.3, by flags 4 to 11: the context, and in bit 7 whether the sign is turned.
var signContexts = func() (t [256]uint8) {
	for f := range 256 {
		side := func(s, n int) int {
			switch {
			case f<<4&s == 0:
				return 0
			case f<<4&n != 0:
				return -1
			}
			return 1
		}
		h := max(-1, min(1, side(sigE, negE)+side(sigW, negW)))
		v := max(-1, min(1, side(sigN, negN)+side(sigS, negS)))
		turn := uint8(0)
		if h < 0 || h == 0 && v < 0 {
			h, v, turn = -h, -v, 0x80
		}
		t[f] = turn | uint8(ctxSign+3*h+v)
		if h == 0 {
			t[f] = turn | uint8(ctxSign+v)
		}
	}
	return t
}()

// block decodes code-blocks, one after the other.
type block struct {
	mq
	raw    raw
	w, h   int
	stride int // of columns
	cols   []column
	mag    []uint32 // magnitudes, with one bit behind the point
	zc     *[256]uint8
	causal bool
}

// maxPlanes is how many bit-planes a magnitude has room for.
const maxPlanes = 30

// begin makes room for a code-block of w by h in a subband of this kind.
func (b *block) begin(w, h int, kind int, style byte) {
	b.w, b.h, b.stride = w, h, w+2
	n := (h+3)/4 + 2
	if need := n * b.stride; cap(b.cols) < need {
		b.cols = make([]column, need)
	} else {
		b.cols = b.cols[:need]
		clear(b.cols)
	}
	if cap(b.mag) < w*h {
		b.mag = make([]uint32, w*h)
	} else {
		b.mag = b.mag[:w*h]
		clear(b.mag)
	}
	b.zc = &zeroContexts[[4]int{0, 1, 0, 2}[kind]]
	b.causal = style&styleCausal != 0
	b.reset()
}

// decode decodes the passes of segments into b.mag and the signs of b.cols. planes is how many bit-planes there are.
func (b *block) decode(segments []segment, planes int, style byte) {
	pass, plane, kind := 0, planes-1, 2
	for i := range segments {
		s := &segments[i]
		bypass := style&styleBypass != 0 && pass >= 10 && kind < 2
		if bypass {
			b.raw.start(s.data)
		} else {
			b.start(s.data)
		}
		for range s.passes {
			if plane < 0 {
				return
			}
			switch one := uint32(2) << plane; {
			case kind == 0 && bypass:
				b.rawSignificance(one)
			case kind == 0:
				b.significance(one)
			case kind == 1 && bypass:
				b.rawRefinement(one)
			case kind == 1:
				b.refinement(one)
			default:
				b.cleanup(one)
				if style&styleSegments != 0 {
					for range 4 {
						b.bit(ctxUniform)
					}
				}
			}
			if style&styleReset != 0 {
				b.reset()
			}
			if pass++; kind == 2 {
				plane--
			}
			kind = (kind + 1) % 3
		}
	}
}

// mark makes the coefficient in row r of column i significant.
func (b *block) mark(i, r int, neg uint32) {
	var beside, above, below uint16 // what the neighbours know of its sign
	own := &b.cols[i]
	own[r&3] |= sig
	if neg != 0 {
		own[r&3] |= negative
		above, below = negS, negN
	}
	left, right := &b.cols[i-1], &b.cols[i+1]
	if neg != 0 {
		beside = negE
	}
	left[r&3] |= sigE | beside
	if neg != 0 {
		beside = negW
	}
	right[r&3] |= sigW | beside
	if r > 0 {
		own[(r-1)&3] |= sigS | above
		left[(r-1)&3] |= sigSE
		right[(r-1)&3] |= sigSW
	} else if !b.causal { // else the stripe above does not know of this one (D.7)
		up := b.cols[i-b.stride-1 : i-b.stride+2]
		up[0][3] |= sigSE
		up[1][3] |= sigS | above
		up[2][3] |= sigSW
	}
	if r < 3 {
		own[(r+1)&3] |= sigN | below
		left[(r+1)&3] |= sigNE
		right[(r+1)&3] |= sigNW
	} else {
		down := b.cols[i+b.stride-1 : i+b.stride+2]
		down[0][0] |= sigNE
		down[1][0] |= sigN | below
		down[2][0] |= sigNW
	}
}

// sign decodes the sign of a coefficient with these flags (D.3.2).
func (b *block) sign(f uint16) uint32 {
	c := signContexts[f>>4&0xff]
	return b.bit(c&0x7f) ^ uint32(c>>7)
}

// significance is the significance propagation pass (D.3.1).
func (b *block) significance(one uint32) {
	for y, base := 0, b.stride+1; y < b.h; y, base = y+4, base+b.stride {
		rows := min(4, b.h-y)
		for x := range b.w {
			c := &b.cols[base+x]
			if (c[0]|c[1]|c[2]|c[3])&neighbours == 0 {
				continue
			}
			for r := 0; r < rows; r++ {
				f := c[r&3]
				if f&sig != 0 || f&neighbours == 0 {
					continue
				}
				if b.bit(b.zc[f&neighbours]) != 0 {
					b.mag[(y+r)*b.w+x] = one | one>>1
					b.mark(base+x, r, b.sign(f))
				}
				c[r&3] |= visited
			}
		}
	}
}

// rawSignificance is significance without the arithmetic coder.
func (b *block) rawSignificance(one uint32) {
	for y, base := 0, b.stride+1; y < b.h; y, base = y+4, base+b.stride {
		rows := min(4, b.h-y)
		for x := range b.w {
			c := &b.cols[base+x]
			for r := 0; r < rows; r++ {
				f := c[r&3]
				if f&sig != 0 || f&neighbours == 0 {
					continue
				}
				if b.raw.bit() != 0 {
					b.mag[(y+r)*b.w+x] = one | one>>1
					b.mark(base+x, r, b.raw.bit())
				}
				c[r&3] |= visited
			}
		}
	}
}

// refinement is the magnitude refinement pass (D.3.3).
func (b *block) refinement(one uint32) {
	for y, base := 0, b.stride+1; y < b.h; y, base = y+4, base+b.stride {
		rows := min(4, b.h-y)
		for x := range b.w {
			c := &b.cols[base+x]
			if (c[0]|c[1]|c[2]|c[3])&sig == 0 {
				continue
			}
			for r := 0; r < rows; r++ {
				f := c[r&3]
				if f&(sig|visited) != sig {
					continue
				}
				cx := uint8(ctxRefine)
				if f&refined != 0 {
					cx += 2
				} else if f&neighbours != 0 {
					cx++
				}
				b.refine((y+r)*b.w+x, one, b.bit(cx))
				c[r&3] |= refined
			}
		}
	}
}

// rawRefinement is refinement without the arithmetic coder.
func (b *block) rawRefinement(one uint32) {
	for y, base := 0, b.stride+1; y < b.h; y, base = y+4, base+b.stride {
		rows := min(4, b.h-y)
		for x := range b.w {
			c := &b.cols[base+x]
			for r := 0; r < rows; r++ {
				if c[r&3]&(sig|visited) == sig {
					b.refine((y+r)*b.w+x, one, b.raw.bit())
					c[r&3] |= refined
				}
			}
		}
	}
}

// refine adds a bit to the magnitude at i, which lies in the middle of what it may be.
func (b *block) refine(i int, one, bit uint32) {
	if bit != 0 {
		b.mag[i] += one >> 1
	} else {
		b.mag[i] -= one >> 1
	}
}

// cleanup is the cleanup pass (D.3.4).
func (b *block) cleanup(one uint32) {
	for y, base := 0, b.stride+1; y < b.h; y, base = y+4, base+b.stride {
		rows := min(4, b.h-y)
		for x := range b.w {
			c := &b.cols[base+x]
			r := 0
			if rows == 4 && (c[0]|c[1]|c[2]|c[3])&(sig|visited|neighbours) == 0 {
				if b.bit(ctxRun) == 0 {
					continue
				}
				r = int(b.bit(ctxUniform) << 1)
				r |= int(b.bit(ctxUniform))
				b.mag[(y+r)*b.w+x] = one | one>>1
				b.mark(base+x, r, b.sign(c[r&3]))
				r++
			}
			for ; r < rows; r++ {
				f := c[r&3]
				if f&(sig|visited) == 0 && b.bit(b.zc[f&neighbours]) != 0 {
					b.mag[(y+r)*b.w+x] = one | one>>1
					b.mark(base+x, r, b.sign(f))
				}
			}
			c[0] &^= visited
			c[1] &^= visited
			c[2] &^= visited
			c[3] &^= visited
		}
	}
}
