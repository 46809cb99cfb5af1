package picture

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
)

// board is what images are painted on: white, red, green and blue.
type board struct {
	w, h int
	pix  []byte
}

// compose paints images in their order, each where it stands, and gives what they cover together. Pixels of the image that has the most are
// pixels of the whole, or a whole number of them is.
func compose(p *content.Page, all []placed, l Limits) (Encoded, error) {
	region := all[0].bounds
	for i := range all {
		region = around(region, all[i].bounds)
	}
	scale := resolution(all, region, min(2*l.MaxEdge, int64(math.Sqrt(float64(l.MaxBytes)/3.2))))
	w, h := size(region, scale)
	if p.Rotate%180 != 0 {
		w, h = h, w
	}
	if err := l.size(w, h); err != nil {
		return Encoded{}, err
	}
	b := board{w: int(w), h: int(h), pix: make([]byte, 3*w*h)}
	whiten(b.pix)
	out, painted, first := "", 0, error(nil)
	to := shown(region, p.Rotate, scale)
	for i := range all {
		partial, err := b.draw(&all[i], all[i].ctm.Mul(to), l)
		if err == nil {
			painted++
		} else if first == nil {
			first = err
			partial = "an image of the page cannot be decoded"
		}
		if out == "" {
			out = partial
		}
	}
	if painted == 0 {
		return Encoded{}, first
	}
	e := encodeRaster(b.raster(), upright)
	e.Partial = out
	return e, nil
}

// size is the pixels of region at a scale.
func size(region content.Rect, scale float64) (w, h int64) {
	whole := func(v float64) int64 { return int64(max(1, min(math.Round(v*scale), 1<<20))) }
	return whole(region.X1 - region.X0), whole(region.Y1 - region.Y0)
}

// resolution is the pixels to a point at which the images of a region are painted, so that the longer side is most at most: that of the
// finest image that is a good part of it, divided by a whole number.
func resolution(all []placed, region content.Rect, most int64) float64 {
	const part = 0.1
	finest := 0.0
	for _, whole := range []bool{false, true} { // where all are small, any
		for i := range all {
			at := &all[i]
			if !whole && area(at.bounds) < part*area(region) && len(all) < 10 {
				continue
			}
			across, down := math.Hypot(at.ctm[0], at.ctm[1]), math.Hypot(at.ctm[2], at.ctm[3])
			if across > 0 && down > 0 {
				finest = max(finest, float64(at.Width)/across, float64(at.Height)/down)
			}
		}
		if finest > 0 {
			break
		}
	}
	long := max(region.X1-region.X0, region.Y1-region.Y0) * finest
	return finest / max(1, math.Ceil(long/float64(most)-0.001))
}

// draw paints an image with matrix m from the unit square to the board.
func (b *board) draw(p *placed, m content.Matrix, l Limits) (partial string, err error) {
	back, ok := inverse(m)
	if !ok {
		return "", nil // of no extent
	}
	y, err := p.layer(l)
	if err != nil {
		return "", err
	}
	// So many pixels of the image are one of the board.
	whole := func(n int, length float64) int { return max(1, min(n, int(float64(n)/max(1, length)+0.01))) }
	t := reduce(y, whole(y.w, math.Hypot(m[0], m[1])), whole(y.h, math.Hypot(m[2], m[3])), p.dict.File())
	r := m.Bounds(unit)
	x0, x1 := int(max(0, math.Floor(r.X0))), int(min(float64(b.w), math.Ceil(r.X1)))
	y0, y1 := int(max(0, math.Floor(r.Y0))), int(min(float64(b.h), math.Ceil(r.Y1)))
	p.dict.File().Work(max(0, x1-x0) * max(0, y1-y0) / workPixels)
	for by := y0; by < y1; by++ {
		for bx := x0; bx < x1; bx++ {
			u, v := back.Apply(float64(bx)+0.5, float64(by)+0.5)
			if u < 0 || u >= 1 || v <= 0 || v > 1 {
				continue
			}
			at := int((1-v)*float64(t.h))*t.w + int(u*float64(t.w))
			over(b.pix[3*(by*b.w+bx):][:3], t.pix[4*at:4*at+4])
		}
	}
	return y.partial, nil
}

// tile is a layer in memory: red, green, blue and share of each pixel.
type tile struct {
	w, h int
	pix  []byte
}

// reduce takes kx by ky pixels of a layer together, the colours weighed by their shares.
func reduce(y *layer, kx, ky int, f *object.File) *tile {
	t := &tile{w: (y.w + kx - 1) / kx, h: (y.h + ky - 1) / ky}
	t.pix = make([]byte, 4*t.w*t.h)
	line, sum := make([]byte, 4*y.w), make([]uint32, 4*t.w)
	for ty := range t.h {
		dst := t.pix[4*ty*t.w : 4*(ty+1)*t.w]
		if kx == 1 && ky == 1 {
			y.pixels(ty, dst)
			continue
		}
		clear(sum)
		rows := min(ky, y.h-ty*ky)
		for i := range rows {
			y.pixels(ty*ky+i, line)
			for x := range t.w {
				s := sum[4*x : 4*x+4]
				for px := line[4*x*kx : 4*min((x+1)*kx, y.w)]; len(px) >= 4; px = px[4:] {
					a := uint32(px[3])
					s[0] += uint32(px[0]) * a / 255
					s[1] += uint32(px[1]) * a / 255
					s[2] += uint32(px[2]) * a / 255
					s[3] += a
				}
			}
		}
		for x := range t.w {
			s, count := sum[4*x:4*x+4], uint32(rows*min(kx, y.w-x*kx))
			if s[3] == 0 {
				continue
			}
			for c := range 3 {
				dst[4*x+c] = byte(min(255, (uint64(s[c])*255+uint64(s[3])/2)/uint64(s[3])))
			}
			dst[4*x+3] = byte((s[3] + count/2) / count)
		}
	}
	f.Work(y.w * y.h / workPixels)
	return t
}

// raster is the board as a picture, in gray if all of it is.
func (b *board) raster() *raster {
	r := &raster{w: b.w, h: b.h, kind: rasterGray}
	for i := 0; i < len(b.pix); i += 3 {
		if b.pix[i] != b.pix[i+1] || b.pix[i] != b.pix[i+2] {
			r.kind = rasterRGB
			break
		}
	}
	r.row = func(y int, dst []byte) {
		row := b.pix[3*y*b.w : 3*(y+1)*b.w]
		if r.kind == rasterRGB {
			copy(dst, row)
			return
		}
		for x := range dst {
			dst[x] = row[3*x]
		}
	}
	return r
}
