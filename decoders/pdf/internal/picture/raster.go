package picture

import "math/bits"

// raster gives the pixels of a picture row by row.
type raster struct {
	w, h    int
	kind    rasterKind
	row     func(y int, dst []byte) // writes a row of stride bytes
	partial string
}

// rasterKind is what pixels are held as.
type rasterKind uint8

const (
	rasterBits rasterKind = iota // eight to a byte, the first in the highest bit, 1 for black
	rasterGray
	rasterRGB
)

// stride is the bytes of a row of w pixels.
func (k rasterKind) stride(w int) int {
	switch k {
	case rasterBits:
		return (w + 7) / 8
	case rasterGray:
		return w
	}
	return 3 * w
}

// factor is the least number of pixels to a side that are taken together for the longer side to be twice long at most, so that it still
// is as long when they are scaled down to that, and for all of them to take most bytes at most.
func (r *raster) factor(long, most int64) int {
	k := 1
	for ; ; k++ {
		w, h, kind := (r.w+k-1)/k, (r.h+k-1)/k, r.kind
		if k > 1 {
			kind = max(kind, rasterGray)
		}
		if int64(max(w, h)) <= 2*long && int64(kind.stride(w)+kind.stride(w)/64+2)*int64(h) <= most-tiffOverhead || w == 1 && h == 1 {
			return k
		}
	}
}

// shrink returns r with kx by ky pixels as one, their mean: gray if r is bits. What stands over at the right and at the bottom is the mean of
// fewer.
func shrink(r *raster, kx, ky int) *raster {
	out := &raster{w: (r.w + kx - 1) / kx, h: (r.h + ky - 1) / ky, kind: max(r.kind, rasterGray), partial: r.partial}
	line := make([]byte, r.kind.stride(r.w))
	n := out.kind.stride(1)
	sum := make([]uint32, n*out.w)
	out.row = func(y int, dst []byte) {
		clear(sum)
		rows := min(ky, r.h-y*ky)
		for i := range rows {
			r.row(y*ky+i, line)
			r.add(sum, line, kx)
		}
		for i := range sum {
			count := uint32(rows * min(kx, r.w-i/n*kx))
			if r.kind == rasterBits {
				dst[i] = byte(255 - (sum[i]*255+count/2)/count)
			} else {
				dst[i] = byte((sum[i] + count/2) / count)
			}
		}
	}
	return out
}

// add adds up the pixels of a row, k by k; of bits it counts the black ones.
func (r *raster) add(sum []uint32, line []byte, k int) {
	switch r.kind {
	case rasterBits:
		for x := range sum {
			sum[x] += ones(line, x*k, min(k, r.w-x*k))
		}
	case rasterGray:
		for x := range sum {
			for _, v := range line[x*k : min((x+1)*k, r.w)] {
				sum[x] += uint32(v)
			}
		}
	default:
		for x := range len(sum) / 3 {
			s := sum[3*x : 3*x+3]
			for px := line[3*x*k : 3*min((x+1)*k, r.w)]; len(px) >= 3; px = px[3:] {
				s[0] += uint32(px[0])
				s[1] += uint32(px[1])
				s[2] += uint32(px[2])
			}
		}
	}
}

// ones counts the bits that are set among n from a place on.
func ones(line []byte, pos, n int) (count uint32) {
	for n > 0 {
		take := min(n, 8-pos&7)
		v := line[pos>>3] << (pos & 7) >> (8 - take)
		count += uint32(bits.OnesCount8(v))
		pos, n = pos+take, n-take
	}
	return count
}
