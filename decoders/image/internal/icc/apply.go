package icc

// Pixels converts red, green, blue and alpha, four bytes a pixel, in place. Of a gray transform all three are the gray.
func (t *Transform) Pixels(pix []byte) {
	switch {
	case t.gray != nil:
		for i := 0; i+4 <= len(pix); i += 4 {
			v := t.gray[pix[i]]
			pix[i], pix[i+1], pix[i+2] = v, v, v
		}
	case t.grid != nil:
		t.throughGrid(pix)
	default:
		t.throughMatrix(pix)
	}
}

func (t *Transform) throughMatrix(pix []byte) {
	m, table := &t.matrix, t.table[:linearOne+1]
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		r, g, b := int64(t.levels[0][p[0]]), int64(t.levels[1][p[1]]), int64(t.levels[2][p[2]])
		p[0] = table[inRange((m[0][0]*r+m[0][1]*g+m[0][2]*b+1<<13)>>14)]
		p[1] = table[inRange((m[1][0]*r+m[1][1]*g+m[1][2]*b+1<<13)>>14)]
		p[2] = table[inRange((m[2][0]*r+m[2][1]*g+m[2][2]*b+1<<13)>>14)]
	}
}

func inRange(v int64) int64 { return max(0, min(linearOne, v)) }

func (t *Transform) throughGrid(pix []byte) {
	var last uint32
	var known [3]byte
	for i := 0; i+4 <= len(pix); i += 4 {
		p := pix[i : i+4 : i+4]
		if key := 1<<24 | uint32(p[0])<<16 | uint32(p[1])<<8 | uint32(p[2]); key != last {
			last = key
			a, b, c := t.cells[0][p[0]], t.cells[1][p[1]], t.cells[2][p[2]]
			// The fractions stand in the higher halves: the steps are taken in the order of those, from the corner of the cell that is
			// nearest to black to the one opposite.
			x, y, z := a.step, b.step, c.step
			x, y = max(x, y), min(x, y)
			y, z = max(y, z), min(y, z)
			x, y = max(x, y), min(x, y)
			known = t.between(a.base+b.base+c.base, [4]uint64{x, y, z})
		}
		p[0], p[1], p[2] = known[0], known[1], known[2]
	}
}

// Inks converts cyan, magenta, yellow and black, 255 for all of an ink, four bytes a pixel, to opaque pixels.
func (t *Transform) Inks(dst, inks []byte) {
	var last, key uint32
	var known [3]byte
	for i := 0; i+4 <= len(inks) && i+4 <= len(dst); i += 4 {
		p, o := inks[i:i+4:i+4], dst[i:i+4:i+4]
		if key = uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3]); key != last || i == 0 {
			last = key
			a, b, c, d := t.cells[0][p[0]], t.cells[1][p[1]], t.cells[2][p[2]], t.cells[3][p[3]]
			w, x, y, z := a.step, b.step, c.step, d.step
			w, x = max(w, x), min(w, x)
			y, z = max(y, z), min(y, z)
			w, y = max(w, y), min(w, y)
			x, z = max(x, z), min(x, z)
			x, y = max(x, y), min(x, y)
			known = t.between(a.base+b.base+c.base+d.base, [4]uint64{w, x, y, z})
		}
		o[0], o[1], o[2], o[3] = known[0], known[1], known[2], 0xff
	}
}

// between returns what lies between the points of the simplex that begins at a point of the grid and goes on by steps, the largest fraction
// first; a step of nothing has no weight.
func (t *Transform) between(at int, steps [4]uint64) [3]byte {
	const stepBits = 32
	g := t.grid
	left := fracOne
	var r, gr, b int
	for _, s := range steps {
		f := int(s >> stepBits)
		if w := left - f; w > 0 {
			v := g[at : at+3 : at+3]
			r, gr, b = r+w*int(v[0]), gr+w*int(v[1]), b+w*int(v[2])
		}
		if left = f; f == 0 {
			break
		}
		at += int(uint32(s))
	}
	if left > 0 {
		v := g[at : at+3 : at+3]
		r, gr, b = r+left*int(v[0]), gr+left*int(v[1]), b+left*int(v[2])
	}
	return [3]byte{byteOf(r), byteOf(gr), byteOf(b)}
}

// byteOf is a sum of a grid's levels, with weights of fracOne together, as a byte.
func byteOf(sum int) byte {
	const full = gridOne * fracOne
	return byte((max(0, min(full, sum))*255 + full/2) / full)
}
