package vp8

// The types of blocks (RFC 6386, 13.3).
const (
	lumaRest  = iota // luma whose first coefficients are coded apart
	lumaFirst        // those
	chromaAll
	lumaAll
)

var (
	zigzag = [16]uint8{0, 1, 4, 8, 5, 2, 3, 6, 9, 12, 13, 10, 7, 11, 14, 15}        // RFC 6386, 13
	bands  = [17]uint8{0, 1, 2, 3, 6, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 0 /* end */} // 13.3
)

// The probabilities of the bits behind a token for a range of values (13.2), from the third range on.
var extraBits = [4][]uint8{
	{173, 148, 140}, {176, 155, 140, 135}, {180, 157, 141, 134, 130}, {254, 254, 243, 230, 196, 177, 153, 140, 133, 130, 129},
}

// readCoefs reads the coefficients of a macroblock (13).
func (f *Frame) readCoefs(r *boolReader, above *context) {
	m, left := &f.mb, &f.left
	clear(m.coef[:])
	clear(m.some[:])
	if m.skip {
		y2, l2 := above.y2, left.y2
		if !m.blocks {
			y2, l2 = 0, 0
		}
		*above = context{modes: above.modes, y2: y2}
		*left = context{modes: left.modes, y2: l2}
		return
	}
	q := &f.quants[m.segment]
	kind, first := lumaAll, 0
	if !m.blocks {
		kind, first = lumaRest, 1
		y2 := m.coef[24*16:]
		n := r.block(&f.coefs[lumaFirst], above.y2+left.y2, &q.y2, 0, y2)
		above.y2 = flag(n > 0)
		left.y2 = above.y2
		if n > 0 {
			walsh(&m.coef, y2)
		}
	}
	for y := range 4 {
		for x := range 4 {
			i := 4*y + x
			dst := m.coef[16*i : 16*i+16]
			n := r.block(&f.coefs[kind], above.y[x]+left.y[y], &q.y, first, dst)
			above.y[x] = flag(n > first)
			left.y[y] = above.y[x]
			m.some[i] = amount(n, dst)
		}
	}
	f.readChroma(r, 16, &above.u, &left.u)
	f.readChroma(r, 20, &above.v, &left.v)
	m.skip = m.some == [24]uint8{}
}

func (f *Frame) readChroma(r *boolReader, at int, above, left *[2]uint8) {
	m := &f.mb
	for y := range 2 {
		for x := range 2 {
			i := at + 2*y + x
			dst := m.coef[16*i : 16*i+16]
			n := r.block(&f.coefs[chromaAll], above[x]+left[y], &f.quants[m.segment].uv, 0, dst)
			above[x] = flag(n > 0)
			left[y] = above[x]
			m.some[i] = amount(n, dst)
		}
	}
}

// amount says what a block has, n being where its coefficients end.
func amount(n int, coef []int16) uint8 {
	if n > 1 {
		return 2
	}
	return flag(coef[0] != 0)
}

func flag(b bool) uint8 {
	if b {
		return 1
	}
	return 0
}

// block reads the coefficients of one block from number n on, and returns where they end: 0 or n when there are none.
func (r *boolReader) block(probs *[8][3][11]uint8, ctx uint8, steps *[2]int32, n int, dst []int16) int {
	p := &probs[bands[n]][ctx]
	if !r.bit(p[0]) {
		return n
	}
	for {
		for !r.bit(p[1]) { // a zero, behind which the end cannot come
			if n++; n == 16 {
				return 16
			}
			p = &probs[bands[n]][0]
		}
		v, ctx := int32(1), 1
		if r.bit(p[2]) {
			v, ctx = r.large(p), 2
		}
		if r.bit(128) {
			v = -v
		}
		dst[zigzag[n]] = int16(v * steps[min(n, 1)]) // what does not fit is cut off, as libwebp does it
		if n++; n == 16 {
			return 16
		}
		if p = &probs[bands[n]][ctx]; !r.bit(p[0]) {
			return n
		}
	}
}

// large reads a value of 2 or more (13.2).
func (r *boolReader) large(p *[11]uint8) int32 {
	if !r.bit(p[3]) {
		if !r.bit(p[4]) {
			return 2
		}
		return int32(3 + r.is1(p[5]))
	}
	if !r.bit(p[6]) {
		if !r.bit(p[7]) {
			return int32(5 + r.is1(159))
		}
		high := 2 * r.is1(165)
		return int32(7 + high + r.is1(145))
	}
	kind := r.is1(p[8])
	kind = 2*kind + r.is1(p[9+kind])
	v := 0
	for _, p := range extraBits[kind] {
		v = v<<1 | r.is1(p)
	}
	return int32(v + 3 + 8<<kind)
}

// walsh makes the first coefficients of all luma blocks (14.3).
func walsh(coef *[25 * 16]int16, coded []int16) {
	var in, t [16]int32
	for i, v := range coded[:16] {
		in[i] = int32(v)
	}
	for i := range 4 {
		a, b := in[i]+in[12+i], in[4+i]+in[8+i]
		c, d := in[4+i]-in[8+i], in[i]-in[12+i]
		t[i], t[4+i], t[8+i], t[12+i] = a+b, c+d, a-b, d-c
	}
	for i := range 4 {
		a, b := t[4*i]+3+t[4*i+3], t[4*i+1]+t[4*i+2]
		c, d := t[4*i+1]-t[4*i+2], t[4*i]+3-t[4*i+3]
		dst := coef[64*i : 64*i+64]
		dst[0], dst[16], dst[32], dst[48] = int16((a+b)>>3), int16((c+d)>>3), int16((a-b)>>3), int16((d-c)>>3)
	}
}

// inverse adds what the coefficients of a block stand for to its prediction (14.4).
func inverse(dst []byte, coef []int16) {
	const c1, c2 = 20091, 35468 // the square root of 2 times the cosine of 22.5 degrees, less 1, and times its sine, of 65536
	coef = coef[:16]
	var t [16]int32
	for i := range 4 {
		i0, i1, i2, i3 := int32(coef[i]), int32(coef[4+i]), int32(coef[8+i]), int32(coef[12+i])
		a, b := i0+i2, i0-i2
		c := i1*c2>>16 - (i3 + i3*c1>>16)
		d := i1 + i1*c1>>16 + i3*c2>>16
		t[4*i], t[4*i+1], t[4*i+2], t[4*i+3] = a+d, b+c, b-c, a-d
	}
	for i := range 4 {
		a, b := t[i]+4+t[8+i], t[i]+4-t[8+i]
		c := t[4+i]*c2>>16 - (t[12+i] + t[12+i]*c1>>16)
		d := t[4+i] + t[4+i]*c1>>16 + t[12+i]*c2>>16
		row := dst[i*workStride:][:4:4]
		row[0] = clip(int32(row[0]) + (a+d)>>3)
		row[1] = clip(int32(row[1]) + (b+c)>>3)
		row[2] = clip(int32(row[2]) + (b-c)>>3)
		row[3] = clip(int32(row[3]) + (a-d)>>3)
	}
}

// inverseFirst is inverse for a block with nothing but its first coefficient.
func inverseFirst(dst []byte, first int16) {
	v := (int32(first) + 4) >> 3
	for i := range 4 {
		row := dst[i*workStride:][:4:4]
		row[0], row[1] = clip(int32(row[0])+v), clip(int32(row[1])+v)
		row[2], row[3] = clip(int32(row[2])+v), clip(int32(row[3])+v)
	}
}

func clip(v int32) byte { return byte(max(0, min(255, v))) }
