package image

import "io"

// runBytes is what a pixel of run-length data takes when it is unpacked: an index, or blue, green and red. 0: there are no such runs.
func (f *bmpFile) runBytes() int64 {
	switch {
	case !f.runs:
		return 0
	case f.compression == bmpRLE8 && f.bpp == 8, f.compression == bmpRLE4 && f.bpp == 4:
		return 1
	case f.compression == bmpRLE24 && f.bpp == 24:
		return 3
	}
	return 0
}

// unpackedRow writes row y of data that were unpacked.
func (m *bmpRows) unpackedRow(y int, dst []byte) {
	w := int(m.width)
	if m.bpp <= 8 {
		m.table.expand(dst, m.unpacked[y*w:(y+1)*w])
		return
	}
	for src := m.unpacked[3*y*w : 3*(y+1)*w]; len(src) >= 3; src, dst = src[3:], dst[4:] {
		dst[0], dst[1], dst[2], dst[3] = src[2], src[1], src[0], 0xff
	}
}

// bmpRuns is the state of unpacking.
type bmpRuns struct {
	out        []byte
	w, h, each int
	topDown    bool
	half       bool // two pixels a byte
	x, y       int
	in         byteReader
}

// unpack undoes RLE8 and RLE4 (MS-WMF, 3.1.6), and RLE24 of OS/2, which is RLE8 with three bytes for one. Pixels that no run names have index 0.
func (f *bmpFile) unpack() (out []byte, whole bool) {
	r := &bmpRuns{w: int(f.width), h: int(f.height), each: int(f.runBytes()), topDown: f.topDown, half: f.bpp == 4}
	r.out = make([]byte, r.each*r.w*r.h)
	r.in = byteReader{r: io.NewSectionReader(f.in, f.pixels, f.in.Size()-f.pixels)}
	for r.y < r.h {
		n, ok := r.in.next()
		if !ok {
			return r.out, false
		}
		if n > 0 {
			if !r.run(int(n)) {
				return r.out, false
			}
			continue
		}
		v, ok := r.in.next()
		switch {
		case !ok:
			return r.out, false
		case v == 0:
			r.x, r.y = 0, r.y+1
		case v == 1:
			return r.out, true
		case v == 2:
			dx, _ := r.in.next()
			dy, ok := r.in.next()
			if !ok {
				return r.out, false
			}
			r.x, r.y = r.x+int(dx), r.y+int(dy)
		case !r.literal(int(v)):
			return r.out, false
		}
	}
	return r.out, true
}

// room returns where the next n pixels are, those of them that lie in the row; what is beyond it is not seen.
func (r *bmpRuns) room(n int) []byte {
	at, end := r.w, r.w
	if r.y < r.h {
		at, end = min(r.x, r.w), min(r.x+n, r.w)
	}
	r.x += n
	if at == end {
		return nil
	}
	y := r.y
	if !r.topDown {
		y = r.h - 1 - y
	}
	return r.out[r.each*(y*r.w+at) : r.each*(y*r.w+end)]
}

// run repeats one pixel n times, or two in turn.
func (r *bmpRuns) run(n int) bool {
	var p [3]byte
	for i := range r.each {
		v, ok := r.in.next()
		if !ok {
			return false
		}
		p[i] = v
	}
	each := r.each
	if r.half {
		p[0], p[1], each = p[0]>>4, p[0]&15, 2
	}
	dst := r.room(n)
	for i, j := 0, 0; i < len(dst); i++ {
		dst[i] = p[j]
		if j++; j == each {
			j = 0
		}
	}
	return true
}

// literal copies n pixels; their bytes are padded to an even number.
func (r *bmpRuns) literal(n int) bool {
	dst, size := r.room(n), r.each*n
	if r.half {
		size = (n + 1) / 2
	}
	for i := range size {
		v, ok := r.in.next()
		switch {
		case !ok:
			return false
		case r.half:
			if 2*i < len(dst) {
				dst[2*i] = v >> 4
			}
			if 2*i+1 < len(dst) {
				dst[2*i+1] = v & 15
			}
		case i < len(dst):
			dst[i] = v
		}
	}
	if size&1 != 0 {
		r.in.next()
	}
	return true
}

// byteReader reads byte by byte.
type byteReader struct {
	r    io.Reader
	buf  [4096]byte
	rest []byte
}

func (b *byteReader) next() (v byte, ok bool) {
	if len(b.rest) == 0 {
		n, _ := io.ReadFull(b.r, b.buf[:])
		if b.rest = b.buf[:n]; n == 0 {
			return 0, false
		}
	}
	v = b.rest[0]
	b.rest = b.rest[1:]
	return v, true
}
