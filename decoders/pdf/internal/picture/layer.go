package picture

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"

// layer is an image with its mask: what is painted where (8.9.6, 11.6.5).
type layer struct {
	w, h    int
	base    *samples // nil: ink, which is black unless it is said
	ink     color
	mask    *samples // nil: all is painted
	paints  bool     // the mask is light where the image is painted (SMask), not dark
	key     []int    // colours that are not painted, a range for each component
	partial string

	rgbRow, maskRow []byte
}

// layer decodes the image with its mask. A mask that cannot be decoded is left out.
func (p *Picture) layer(l *Limits) (*layer, error) {
	s, err := p.open(l)
	if err != nil {
		return nil, err
	}
	y := &layer{w: s.w, h: s.h, base: s, partial: s.partial}
	if p.Stencil || p.soft {
		y.base, y.mask, y.paints = nil, s, p.soft
		return y, nil
	}
	y.mask, y.paints = p.mask(l)
	if m := y.mask; m != nil { // of a page in layers it is the mask that has the letters
		y.w, y.h = max(y.w, m.w), max(y.h, m.h)
		if err := l.size(int64(y.w), int64(y.h)); err != nil {
			return nil, err
		}
	} else if key := p.dict.Key("Mask"); key.Len() == 2*s.n {
		for i := range key.Len() {
			v := key.Index(i).Int()
			if s.bits == 16 {
				v >>= 8
			}
			y.key = append(y.key, v)
		}
	}
	return y, nil
}

// mask decodes the mask of an image, nil if it has none that can be had.
func (p *Picture) mask(l *Limits) (mask *samples, paints bool) {
	m, ok := p.maskOf()
	if !ok {
		return nil, false
	}
	s, err := m.open(l)
	if err != nil || !s.gray {
		return nil, false
	}
	return s, m.soft
}

// maskOf describes the mask of an image as a picture in black; ok is false if there is none that can be decoded.
func (p *Picture) maskOf() (m Picture, ok bool) {
	n := p.dict.Key("SMask")
	soft := n.Is(object.Stream)
	if !soft {
		n = p.dict.Key("Mask")
	}
	if p.inline || !n.Is(object.Stream) {
		return m, false
	}
	m = describe(n, nil, false)
	m.Stencil, m.soft = !soft, soft
	return m, m.codec == "" || m.codec == "CCITTFaxDecode"
}

// pixels writes a row as red, green, blue and how much of it is painted.
func (y *layer) pixels(at int, dst []byte) {
	if y.base == nil {
		for i := 0; i < len(dst); i += 4 {
			copy(dst[i:i+3], y.ink[:])
		}
	} else {
		y.rgbRow = sized(y.rgbRow, 3*y.base.w)
		y.base.rgb(at*y.base.h/y.h, y.rgbRow)
		for x := range y.w {
			copy(dst[4*x:4*x+3], y.rgbRow[x*y.base.w/y.w*3:])
			dst[4*x+3] = 0xff
		}
	}
	switch {
	case y.mask != nil:
		y.maskRow = sized(y.maskRow, y.mask.w)
		y.mask.grays(at*y.mask.h/y.h, y.maskRow)
		for x := range y.w {
			v := y.maskRow[x*y.mask.w/y.w]
			if !y.paints {
				v = ^v
			}
			dst[4*x+3] = v
		}
	case y.key != nil:
		y.unkey(at, dst)
	}
}

// unkey leaves out the pixels whose samples all lie in the ranges of the key (8.9.6.4).
func (y *layer) unkey(at int, dst []byte) {
	n := y.base.n
	v := y.base.unpacked(at)
	for x := range len(v) / n {
		out := true
		for k, sample := range v[x*n : x*n+n] {
			out = out && int(sample) >= y.key[2*k] && int(sample) <= y.key[2*k+1]
		}
		if out {
			dst[4*x+3] = 0
		}
	}
}

func sized(b []byte, n int) []byte {
	if len(b) < n {
		return make([]byte, n)
	}
	return b[:n]
}

// raster is the layer on white.
func (y *layer) raster() *raster {
	var r *raster
	switch {
	case y.base == nil && !y.paints: // in black
		r = y.mask.raster()
	case y.base != nil && y.mask == nil && y.key == nil:
		r = y.base.raster()
	default:
		r = &raster{w: y.w, h: y.h, kind: rasterRGB}
		line := make([]byte, 4*y.w)
		r.row = func(at int, dst []byte) {
			y.pixels(at, line)
			whiten(dst)
			for x := range y.w {
				over(dst[3*x:3*x+3], line[4*x:4*x+4])
			}
		}
	}
	r.partial = y.partial
	return r
}

// raster is the image without a mask.
func (s *samples) raster() *raster {
	r := &raster{w: s.w, h: s.h, kind: rasterRGB, row: s.rgb}
	blackIs, two := s.bilevel()
	switch {
	case two:
		flip := byte(blackIs - 1) // to 1 for black
		r.kind = rasterBits
		r.row = func(at int, dst []byte) {
			row := s.row(at)
			for i := range dst {
				dst[i] = 0
				if i < len(row) {
					dst[i] = row[i] ^ flip
				}
			}
			if rest := r.w & 7; rest > 0 {
				dst[len(dst)-1] &= 0xff << (8 - rest)
			}
		}
	case s.gray:
		r.kind, r.row = rasterGray, s.grays
	}
	return r
}

// over paints a pixel with its share on dst.
func over(dst, px []byte) {
	switch a := int(px[3]); a {
	case 0xff:
		copy(dst, px[:3])
	case 0:
	default:
		for i := range dst {
			dst[i] = byte((int(px[i])*a + int(dst[i])*(255-a) + 127) / 255)
		}
	}
}
