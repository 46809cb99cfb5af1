package png

import "encoding/binary"

// The filters of a row (W3C PNG, third edition, 9.2).
const (
	noFilter = iota
	sub
	up
	average
	paeth
)

// unfilter undoes a row's filter: dst is src and what was predicted from the bytes of the pixel before and of the row above. n is the bytes
// of a pixel.
func unfilter(dst, src, above []byte, n int, filter byte) {
	src, above = src[:len(dst)], above[:len(dst)]
	switch filter {
	case noFilter:
		copy(dst, src)
	case sub:
		if n == 3 {
			subThree(dst, src)
			return
		}
		for c := range min(n, len(dst)) {
			var a byte
			for i := c; i < len(dst); i += n {
				a += src[i]
				dst[i] = a
			}
		}
	case up:
		addRows(dst, src, above)
	case average:
		if n == 3 {
			averageThree(dst, src, above)
			return
		}
		for c := range min(n, len(dst)) {
			var a byte
			for i := c; i < len(dst); i += n {
				a = src[i] + byte((int(a)+int(above[i]))/2)
				dst[i] = a
			}
		}
	case paeth:
		if n == 3 {
			paethThree(dst, src, above)
			return
		}
		for c := range min(n, len(dst)) {
			a, b := 0, 0 // of the pixel before: its byte, and the one above that
			for i := c; i < len(dst); i += n {
				a, b = paethByte(int(src[i]), a, int(above[i]), b)
				dst[i] = byte(a)
			}
		}
	}
}

// paethByte returns the next byte, and the one above it: v is what the row has, left, above and corner are its neighbours.
func paethByte(v, left, above, corner int) (next, up int) {
	pa, pb := above-corner, left-corner
	pc := pa + pb
	if pa < 0 {
		pa = -pa
	}
	if pb < 0 {
		pb = -pb
	}
	if pc < 0 {
		pc = -pc
	}
	best := left
	if pb < pa {
		best, pa = above, pb
	}
	if pc < pa {
		best = corner
	}
	return (v + best) & 0xff, above
}

// subThree is sub for pixels of three bytes, all three in one round: a round costs more than what is done in it.
func subThree(dst, src []byte) {
	var r, g, b byte
	for len(dst) >= 3 && len(src) >= 3 {
		r, g, b = r+src[0], g+src[1], b+src[2]
		dst[2], dst[1], dst[0] = b, g, r
		dst, src = dst[3:], src[3:]
	}
}

// averageThree is average for pixels of three bytes.
func averageThree(dst, src, above []byte) {
	var r, g, b uint32
	for len(dst) >= 3 && len(src) >= 3 && len(above) >= 3 {
		r = (uint32(src[0]) + (r+uint32(above[0]))>>1) & 0xff
		g = (uint32(src[1]) + (g+uint32(above[1]))>>1) & 0xff
		b = (uint32(src[2]) + (b+uint32(above[2]))>>1) & 0xff
		dst[2], dst[1], dst[0] = byte(b), byte(g), byte(r)
		dst, src, above = dst[3:], src[3:], above[3:]
	}
}

// paethThree is paeth for pixels of three bytes.
func paethThree(dst, src, above []byte) {
	r, g, b, ur, ug, ub := 0, 0, 0, 0, 0, 0
	for len(dst) >= 3 && len(src) >= 3 && len(above) >= 3 {
		b, ub = paethByte(int(src[2]), b, int(above[2]), ub)
		g, ug = paethByte(int(src[1]), g, int(above[1]), ug)
		r, ur = paethByte(int(src[0]), r, int(above[0]), ur)
		dst[2], dst[1], dst[0] = byte(b), byte(g), byte(r)
		dst, src, above = dst[3:], src[3:], above[3:]
	}
}

// addRows adds two rows, eight bytes at a time: the highest bit of each byte apart, so that no carry reaches the next byte.
func addRows(dst, a, b []byte) {
	const low = 0x7f7f7f7f7f7f7f7f
	for len(dst) >= 8 && len(a) >= 8 && len(b) >= 8 {
		x, y := binary.LittleEndian.Uint64(a), binary.LittleEndian.Uint64(b)
		binary.LittleEndian.PutUint64(dst, (x&low+y&low)^(x^y)&^low)
		dst, a, b = dst[8:], a[8:], b[8:]
	}
	for i := range dst {
		dst[i] = a[i] + b[i]
	}
}

// expand writes w pixels of an unfiltered row as red, green, blue, alpha. Of 16 bits the high eight are taken.
func (d *Decoder) expand(dst, row []byte, w int) {
	dst = dst[:4*w]
	switch {
	case d.Depth < 8:
		d.expandBits(dst, row)
	case d.Depth == 16:
		d.expandDeep(dst, row)
	case d.Type == TrueColor && d.hidden == noColor:
		const opaque = 0xff000000ff000000
		for len(dst) >= 16 && len(row) >= 12 { // four pixels
			q, p := uint64(binary.LittleEndian.Uint32(row[8:])), binary.LittleEndian.Uint64(row)
			binary.LittleEndian.PutUint64(dst[8:], (p>>48|q<<16)&0xffffff|q>>8<<32|opaque)
			binary.LittleEndian.PutUint64(dst, p&0xffffff|p>>24<<32|opaque)
			dst, row = dst[16:], row[12:]
		}
		for len(dst) >= 4 && len(row) >= 3 {
			binary.LittleEndian.PutUint32(dst, uint32(row[0])|uint32(row[1])<<8|uint32(row[2])<<16|0xff<<24)
			dst, row = dst[4:], row[3:]
		}
	case d.Type == TrueColor:
		for len(dst) >= 4 && len(row) >= 3 {
			v := uint32(row[0]) | uint32(row[1])<<8 | uint32(row[2])<<16 | 0xff<<24
			if uint64(row[0])<<32|uint64(row[1])<<16|uint64(row[2]) == d.hidden {
				v &= 0xffffff
			}
			binary.LittleEndian.PutUint32(dst, v)
			dst, row = dst[4:], row[3:]
		}
	case d.Type == RGBA:
		copy(dst, row)
	case d.Type == GrayAlpha:
		for len(dst) >= 4 && len(row) >= 2 {
			dst[0], dst[1], dst[2], dst[3] = row[0], row[0], row[0], row[1]
			dst, row = dst[4:], row[2:]
		}
	default:
		for i, v := range row[:w] {
			copy(dst[4*i:4*i+4], d.colors[v][:])
		}
	}
}

// expandBits takes samples of less than a byte, the first one highest.
func (d *Decoder) expandBits(dst, row []byte) {
	mask := byte(1)<<d.Depth - 1
	for i := 0; len(dst) >= 4; i++ {
		v := row[i]
		for s := 8 - d.Depth; s >= 0 && len(dst) >= 4; s -= d.Depth {
			copy(dst[:4], d.colors[v>>s&mask][:])
			dst = dst[4:]
		}
	}
}

func (d *Decoder) expandDeep(dst, row []byte) {
	step := 2 * d.samples()
	for len(dst) >= 4 && len(row) >= step {
		p := dst[:4:4]
		p[3] = 0xff
		switch d.Type {
		case Gray, GrayAlpha:
			p[0], p[1], p[2] = row[0], row[0], row[0]
			if d.Type == GrayAlpha {
				p[3] = row[2]
			} else if uint64(binary.BigEndian.Uint16(row)) == d.hidden {
				p[3] = 0
			}
		default:
			p[0], p[1], p[2] = row[0], row[2], row[4]
			if d.Type == RGBA {
				p[3] = row[6]
			} else if d.hidden != noColor && uint64(binary.BigEndian.Uint16(row))<<32|uint64(binary.BigEndian.Uint32(row[2:])) == d.hidden {
				p[3] = 0
			}
		}
		dst, row = dst[4:], row[step:]
	}
}
