package vp8

// The macroblock that is made lies in a frame of the samples around it: luma, then both chromas side by side, each with a row above and a
// column to the left, luma with four samples above to the right too.
const (
	workStride = 32
	workRows   = 1 + 16 + 1 + 8
	lumaAt     = 1*workStride + 8
	cbAt       = 18*workStride + 8
	crAt       = cbAt + 16
)

// What is seen above and to the left of the picture (RFC 6386, 12.2 and 12.3).
const (
	aboveEdge = 127
	leftEdge  = 129
)

// reconstruct makes the samples of macroblock (x, y), unfiltered: that is what the ones behind it are predicted by.
func (f *Frame) reconstruct(x, y int) {
	w, m := &f.work, &f.mb
	f.surround(f.Y, f.YStride, x, y, 16, lumaAt)
	f.surround(f.Cb, f.CStride, x, y, 8, cbAt)
	f.surround(f.Cr, f.CStride, x, y, 8, crAt)
	if m.blocks {
		f.aboveRight(x, y)
		for i, mode := range m.sub {
			at := lumaAt + i/4*4*workStride + i%4*4
			predictBlock(w[at-workStride-1:], mode)
			m.add(w[at:], i)
		}
	} else {
		predict(w[:], lumaAt, 16, m.luma, x > 0, y > 0)
		for i := range 16 {
			m.add(w[lumaAt+i/4*4*workStride+i%4*4:], i)
		}
	}
	predict(w[:], cbAt, 8, m.chroma, x > 0, y > 0)
	predict(w[:], crAt, 8, m.chroma, x > 0, y > 0)
	for i := range 4 {
		at := i/2*4*workStride + i%2*4
		m.add(w[cbAt+at:], 16+i)
		m.add(w[crAt+at:], 20+i)
	}
	for i := range 16 {
		copy(f.Y[(16*y+i)*f.YStride+16*x:][:16], w[lumaAt+i*workStride:])
	}
	for i := range 8 {
		copy(f.Cb[(8*y+i)*f.CStride+8*x:][:8], w[cbAt+i*workStride:])
		copy(f.Cr[(8*y+i)*f.CStride+8*x:][:8], w[crAt+i*workStride:])
	}
}

// add adds the coefficients of block i to dst.
func (m *macroblock) add(dst []byte, i int) {
	switch m.some[i] {
	case 1:
		inverseFirst(dst, m.coef[16*i])
	case 2:
		inverse(dst, m.coef[16*i:])
	}
}

// surround copies what is above and to the left of macroblock (x, y) of a plane, n samples a side.
func (f *Frame) surround(plane []byte, stride, x, y, n, at int) {
	w := &f.work
	top := at - workStride
	switch {
	case y == 0:
		for i := -1; i < n; i++ {
			w[top+i] = aboveEdge
		}
	default:
		copy(w[top:top+n], plane[(n*y-1)*stride+n*x:])
		w[top-1] = leftEdge
		if x > 0 {
			w[top-1] = plane[(n*y-1)*stride+n*x-1]
		}
	}
	for i := range n {
		v := byte(leftEdge)
		if x > 0 {
			v = plane[(n*y+i)*stride+n*x-1]
		}
		w[at+i*workStride-1] = v
	}
}

// aboveRight sets the four samples above to the right of a macroblock, which all its blocks at the right edge see (RFC 6386, 12.3).
func (f *Frame) aboveRight(x, y int) {
	var v [4]byte
	switch {
	case y == 0:
		v = [4]byte{aboveEdge, aboveEdge, aboveEdge, aboveEdge}
	case x == f.columns-1:
		last := f.Y[(16*y-1)*f.YStride+16*x+15]
		v = [4]byte{last, last, last, last}
	default:
		copy(v[:], f.Y[(16*y-1)*f.YStride+16*x+16:])
	}
	for i := range 4 {
		copy(f.work[lumaAt+(4*i-1)*workStride+16:], v[:])
	}
}

// predict fills n by n samples at at (12.2 and 12.3).
func predict(w []byte, at, n int, mode uint8, left, above bool) {
	top := w[at-workStride:][:n]
	switch mode {
	case modeVE:
		for y := range n {
			copy(w[at+y*workStride:][:n], top)
		}
	case modeHE:
		for y := range n {
			fill(w[at+y*workStride:][:n], w[at+y*workStride-1])
		}
	case modeTM:
		corner := int32(w[at-workStride-1])
		for y := range n {
			row := w[at+y*workStride:][:n]
			d := int32(w[at+y*workStride-1]) - corner
			for x := range row {
				row[x] = clip(int32(top[x]) + d)
			}
		}
	default:
		sum, count := 0, 0
		if above {
			for _, v := range top {
				sum += int(v)
			}
			count += n
		}
		if left {
			for y := range n {
				sum += int(w[at+y*workStride-1])
			}
			count += n
		}
		v := byte(128)
		if count > 0 {
			v = byte((sum + count/2) / count)
		}
		for y := range n {
			fill(w[at+y*workStride:][:n], v)
		}
	}
}

func fill(b []byte, v byte) {
	for i := range b {
		b[i] = v
	}
}

// predictBlock fills four by four samples, w beginning at the corner above to their left (12.3).
func predictBlock(w []byte, mode uint8) {
	const s = workStride
	w = w[:4*s+5]
	var e [13]int32 // from the lowest at the left over the corner, 4, to the last above
	for i := range 4 {
		e[i] = int32(w[(4-i)*s])
	}
	for i := range 9 {
		e[4+i] = int32(w[i])
	}
	two := func(i int) byte { return byte((e[i] + e[i+1] + 1) >> 1) }
	three := func(i int) byte { return byte((e[i-1] + 2*e[i] + e[i+1] + 2) >> 2) } // around i
	var p [16]byte
	switch mode {
	case modeDC:
		v := byte((e[0] + e[1] + e[2] + e[3] + e[5] + e[6] + e[7] + e[8] + 4) >> 3)
		fill(p[:], v)
	case modeTM:
		for i := range p {
			p[i] = clip(e[3-i/4] + e[5+i%4] - e[4])
		}
	case modeVE:
		for i := range p {
			p[i] = three(5 + i%4)
		}
	case modeHE:
		for i := range 12 {
			p[i] = three(3 - i/4)
		}
		fill(p[12:], byte((e[1]+3*e[0]+2)>>2))
	case modeLD:
		for i := range 15 {
			p[i] = three(6 + i/4 + i%4)
		}
		p[15] = byte((e[11] + 3*e[12] + 2) >> 2)
	case modeRD:
		for i := range p {
			p[i] = three(4 - i/4 + i%4)
		}
	case modeVR:
		p[12], p[8] = three(2), three(3)
		p[13], p[4], p[9], p[0] = three(4), three(4), two(4), two(4)
		p[14], p[5], p[10], p[1] = three(5), three(5), two(5), two(5)
		p[15], p[6], p[11], p[2] = three(6), three(6), two(6), two(6)
		p[7], p[3] = three(7), two(7)
	case modeVL:
		p[0], p[4] = two(5), three(6)
		p[8], p[1], p[5], p[12] = two(6), two(6), three(7), three(7)
		p[9], p[2], p[13], p[6] = two(7), two(7), three(8), three(8)
		p[10], p[3], p[14], p[7] = two(8), two(8), three(9), three(9)
		p[11], p[15] = three(10), three(11)
	case modeHD:
		p[12], p[13] = two(0), three(1)
		p[8], p[14], p[9], p[15] = two(1), two(1), three(2), three(2)
		p[10], p[4], p[11], p[5] = two(2), two(2), three(3), three(3)
		p[6], p[0], p[7], p[1] = two(3), two(3), three(4), three(4)
		p[2], p[3] = three(5), three(6)
	case modeHU:
		p[0], p[1] = two(2), three(2)
		p[2], p[4], p[3], p[5] = two(1), two(1), three(1), three(1)
		p[6], p[8], p[7], p[9] = two(0), two(0), byte((e[1]+3*e[0]+2)>>2), byte((e[1]+3*e[0]+2)>>2)
		fill(p[10:], byte(e[0]))
	}
	for y := range 4 {
		copy(w[(y+1)*s+1:(y+1)*s+5], p[4*y:4*y+4])
	}
}
