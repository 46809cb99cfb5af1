package picture

import (
	"math"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

// board is what images are painted on: white, red, green and blue.
type board struct {
	w, h int
	pix  []byte
}

// compose paints images in their order, each where it stands, and gives what they cover together. Pixels of the finest image are pixels of
// the whole, or a whole number of them is one.
func (v *view) compose() (Encoded, error) {
	region := v.joined[0].bounds
	for _, at := range v.joined {
		region = around(region, at.bounds)
	}
	l := v.limits
	scale := resolution(v.joined, region, min(2*l.MaxEdge, int64(math.Sqrt(float64(l.MaxBytes)/3.2))))
	w, h := whole((region.X1-region.X0)*scale), whole((region.Y1-region.Y0)*scale)
	if v.page.Rotate%180 != 0 {
		w, h = h, w
	}
	if err := l.size(int64(w), int64(h)); err != nil {
		return Encoded{}, err
	}
	b := board{w: w, h: h, pix: make([]byte, 3*w*h)}
	whiten(b.pix)
	painted, partial, first := false, "", error(nil)
	to := shown(region, v.page.Rotate, scale)
	for _, at := range v.joined {
		missing, err := b.draw(at, at.ctm.Mul(to), to.Bounds(at.bounds), l)
		if err == nil {
			painted = true
		} else if missing = partImage; first == nil {
			first = err
		}
		if partial == "" {
			partial = missing
		}
	}
	if !painted {
		return Encoded{}, first
	}
	e := encodeRaster(b.raster(), upright)
	e.Partial = partial
	return e, nil
}

// whole is a length in pixels.
func whole(v float64) int { return int(max(1, min(math.Round(v), 1<<20))) }

// resolution is the pixels to a point at which the images of a region are painted, so that the longer side is most at most: that of the
// finest image that is a good part of it, or of any if there are many or none is, divided by a whole number.
func resolution(all []*placed, region content.Rect, most int64) float64 {
	const part, many = 0.1, 10
	finest, any := 0.0, 0.0
	for _, at := range all {
		across, down := math.Hypot(at.ctm[0], at.ctm[1]), math.Hypot(at.ctm[2], at.ctm[3])
		if !(across > 0 && down > 0) {
			continue
		}
		fine := max(float64(at.Width)/across, float64(at.Height)/down)
		if any = max(any, fine); area(at.bounds) >= part*area(region) {
			finest = max(finest, fine)
		}
	}
	if finest == 0 || len(all) >= many {
		finest = any
	}
	long := max(region.X1-region.X0, region.Y1-region.Y0) * finest
	return finest / max(1, math.Ceil(long/float64(most)-0.001))
}

// draw paints what is seen of an image, which r holds, with matrix m from the unit square to the board.
func (b *board) draw(p *placed, m content.Matrix, r content.Rect, l *Limits) (partial string, err error) {
	back, ok := inverse(m)
	if !ok {
		return "", nil // of no extent
	}
	y, err := p.layer(l)
	if err != nil {
		return "", err
	}
	y.ink = p.ink
	// So many pixels of the image are one of the board.
	parts := func(n int, length float64) int { return max(1, min(n, int(float64(n)/max(1, length)+0.01))) }
	t := reduce(y, parts(y.w, math.Hypot(m[0], m[1])), parts(y.h, math.Hypot(m[2], m[3])))
	p.dict.File().Work(y.w * y.h / workPixels)
	x0, x1 := int(max(0, math.Floor(r.X0+edge))), int(min(float64(b.w), math.Ceil(r.X1-edge)))
	y0, y1 := int(max(0, math.Floor(r.Y0+edge))), int(min(float64(b.h), math.Ceil(r.Y1-edge)))
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

// edge is how much of a pixel an image has to reach into, for the pixel to be looked at: places are not exact.
const edge = 1e-6

// tile is a layer in memory: red, green, blue and share of each pixel.
type tile struct {
	w, h int
	pix  []byte
}

// reduce takes kx by ky pixels of a layer together, the colours weighed by their shares.
func reduce(y *layer, kx, ky int) *tile {
	t := &tile{w: (y.w + kx - 1) / kx, h: (y.h + ky - 1) / ky}
	t.pix = make([]byte, 4*t.w*t.h)
	if y.base == nil {
		t.stencil(y, shrink(y.mask.raster(), kx, ky))
		return t
	}
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
	return t
}

// stencil fills t with the ink of a layer, as much as r says of the mask.
func (t *tile) stencil(y *layer, r *raster) {
	line := make([]byte, t.w)
	for at := range t.h {
		r.row(at, line)
		for x, v := range line {
			px := t.pix[4*(at*t.w+x):][:4]
			copy(px, y.ink[:])
			if px[3] = v; !y.paints {
				px[3] = ^v
			}
		}
	}
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
