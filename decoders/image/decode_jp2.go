package image

import (
	"image/color"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jp2"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame decodes the picture, at a half, a quarter and so on of its size where no more is asked for: the coefficients beyond are not looked at.
func (f *jp2File) frame(_ int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, 0); err != nil {
		return picture{}, err
	}
	o := jp2.Options{Components: f.used(), Raw: f.header.color == "palette"}
	for tw, th := b.fit.Size(f.width, f.height); !o.Raw && o.Reduce < f.code.Levels() && f.width>>(o.Reduce+1) >= tw && f.height>>(o.Reduce+1) >= th; {
		o.Reduce++
	}
	if cost := f.code.Cost(o); cost > maxPixelBytes {
		return picture{}, pdk.OverLimit(readapi.CodeLimitMemory, "pixel_bytes", maxPixelBytes, cost)
	}
	if err := b.spend(f.width, f.height); err != nil {
		return picture{}, err
	}
	planes, partial, err := f.code.Decode(o)
	if err != nil {
		return picture{}, err
	}
	half := func(v int64) int64 { return (v + 1<<o.Reduce - 1) >> o.Reduce }
	x0, y0 := half(f.code.X0), half(f.code.Y0)
	r := &jp2Raster{file: f, planes: planes, x0: x0, y0: y0, w: int(half(f.code.X1) - x0), h: int(half(f.code.Y1) - y0)}
	p := picture{raster: r, orientation: f.orientation, full: [2]int64{f.width, f.height}}
	if partial {
		p.partial = "the file ends early: detail or pixels are missing"
	}
	return p, nil
}

// jp2Raster gives the rows of decoded planes.
type jp2Raster struct {
	file   *jp2File
	planes []jp2.Plane
	x0, y0 int64 // of the upper left pixel on the reference grid
	w, h   int
	line   [5][]byte // of a row: the channels of the colours, and opacity
}

func (r *jp2Raster) size() (int, int) { return r.w, r.h }
func (r *jp2Raster) opaque() bool     { return r.file.alpha < 0 }

// channel returns row y of a channel, a byte for each pixel; it may be the plane's own.
func (r *jp2Raster) channel(slot, channel, y int) []byte {
	c := r.file.channels[channel]
	p := &r.planes[c.component]
	src := p.Pix[p.Row(r.y0+int64(y))*p.W:][:p.W]
	if c.column < 0 && p.DX == 1 && p.W >= r.w {
		return src[:r.w]
	}
	if r.line[slot] == nil {
		r.line[slot] = make([]byte, r.w)
	}
	line := r.line[slot]
	for x := range line {
		line[x] = src[p.Column(r.x0+int64(x))]
	}
	if c.column >= 0 {
		t := r.file.table
		for x, v := range line {
			line[x] = t.columns[c.column][min(int(v), t.last)]
		}
	}
	return line
}

// inks implements inker.
func (r *jp2Raster) inks(y int, dst []byte) (alpha []byte, err error) {
	for i, channel := range r.file.colours {
		for x, v := range r.channel(i, channel, y) {
			dst[4*x+i] = v
		}
	}
	if r.file.alpha >= 0 {
		alpha = r.channel(len(r.file.colours), r.file.alpha, y)
	}
	return alpha, nil
}

func (r *jp2Raster) row(y int, dst []byte) error {
	f := r.file
	first := r.channel(0, f.colours[0], y)
	switch f.colour {
	case jp2Gray:
		for x, v := range first {
			d := dst[4*x : 4*x+4 : 4*x+4]
			d[0], d[1], d[2], d[3] = v, v, v, 0xff
		}
	case jp2CMYK:
		c, m, k := r.channel(1, f.colours[1], y), r.channel(2, f.colours[2], y), r.channel(3, f.colours[3], y)
		for x, v := range first {
			d := dst[4*x : 4*x+4 : 4*x+4]
			d[0], d[1], d[2] = color.CMYKToRGB(v, c[x], m[x], k[x])
			d[3] = 0xff
		}
	default:
		g, b := r.channel(1, f.colours[1], y), r.channel(2, f.colours[2], y)
		for x, v := range first {
			d := dst[4*x : 4*x+4 : 4*x+4]
			if d[0], d[1], d[2], d[3] = v, g[x], b[x], 0xff; f.colour == jp2YCC {
				d[0], d[1], d[2] = color.YCbCrToRGB(v, g[x], b[x])
			}
		}
	}
	if f.alpha < 0 {
		return nil
	}
	for x, v := range r.channel(4, f.alpha, y) {
		dst[4*x+3] = v
	}
	if f.matte {
		copyRGBA(dst[:4*r.w], dst[:4*r.w])
	}
	return nil
}
