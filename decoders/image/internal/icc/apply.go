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
			last, known = key, bytesOf(t.between(0, p))
		}
		p[0], p[1], p[2] = known[0], known[1], known[2]
	}
}

// Inks converts cyan, magenta, yellow and black, 255 for all of an ink, four bytes a pixel, to opaque pixels.
func (t *Transform) Inks(dst, inks []byte) {
	var last, key uint32
	var known [3]byte
	plane := 3 * t.side * t.side * t.side
	for i := 0; i+4 <= len(inks) && i+4 <= len(dst); i += 4 {
		p, d := inks[i:i+4:i+4], dst[i:i+4:i+4]
		if key = uint32(p[0])<<24 | uint32(p[1])<<16 | uint32(p[2])<<8 | uint32(p[3]); key != last || i == 0 {
			last = key
			first := t.cells[p[0]]
			v := t.between(first.index*plane, p[1:4])
			if first.frac > 0 {
				w := t.between((first.index+1)*plane, p[1:4])
				for c := range v {
					v[c] += (w[c] - v[c]) * first.frac / fracOne
				}
			}
			known = bytesOf(v)
		}
		d[0], d[1], d[2], d[3] = known[0], known[1], known[2], 0xff
	}
}

func bytesOf(v [3]int) [3]byte {
	var out [3]byte
	for i, x := range v {
		out[i] = byte((max(0, min(65535, x))*255 + 32767) / 65535)
	}
	return out
}

// between returns what lies between the points of the cube of the grid that begins at base, for three samples: in the tetrahedron that
// holds them, from one corner of the cell to the opposite one by the largest part first.
func (t *Transform) between(base int, p []byte) [3]int {
	a, b, c := t.cells[p[0]], t.cells[p[1]], t.cells[p[2]]
	sa, sb, sc := 3*t.side*t.side, 3*t.side, 3
	at := base + a.index*sa + b.index*sb + c.index*sc
	fa, fb, fc := a.frac, b.frac, c.frac
	if fa < fb {
		fa, fb, sa, sb = fb, fa, sb, sa
	}
	if fb < fc {
		fb, fc, sb, sc = fc, fb, sc, sb
		if fa < fb {
			fa, fb, sa, sb = fb, fa, sb, sa
		}
	}
	v0, v1, v2, v3 := t.grid[at:at+3], t.grid[at+sa:at+sa+3], t.grid[at+sa+sb:at+sa+sb+3], t.grid[at+sa+sb+sc:at+sa+sb+sc+3]
	var out [3]int
	for i := range out {
		out[i] = (int(v0[i])*(fracOne-fa) + int(v1[i])*(fa-fb) + int(v2[i])*(fb-fc) + int(v3[i])*fc + fracOne/2) / fracOne
	}
	return out
}
