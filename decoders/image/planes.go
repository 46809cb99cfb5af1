package image

import (
	"image"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
)

// planesOf returns the components of a decoded JPEG or VP8 frame.
func planesOf(m *image.YCbCr) []plane {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	cw, ch := w, h
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		cw = (w + 1) / 2
	case image.YCbCrSubsampleRatio420:
		cw, ch = (w+1)/2, (h+1)/2
	case image.YCbCrSubsampleRatio440:
		ch = (h + 1) / 2
	case image.YCbCrSubsampleRatio411:
		cw = (w + 3) / 4
	case image.YCbCrSubsampleRatio410:
		cw, ch = (w+3)/4, (h+1)/2
	}
	return []plane{{m.Y, m.YStride, w, h}, {m.Cb, m.CStride, cw, ch}, {m.Cr, m.CStride, cw, ch}}
}

// sizedPlanes is a raster that makes planes of the size that is asked for while it decodes: luma of tw by th and chroma of half that,
// rounded up, or luma alone; nil when its pixels are something else.
type sizedPlanes interface{ planesAt(tw, th int) []plane }

// encodePlanes makes a JPEG of tw by th out of a picture's luma and chroma. ok is false where the general way is the right one: the
// picture has no planes, is small, has less chroma than a JPEG wants and cannot enlarge it, or does not fit maxBytes so.
func encodePlanes(p picture, tw, th int, maxBytes int64) (e encoded, ok bool) {
	w, h := p.size()
	if tw*th <= smallArea || p.orientation > 1 && tw == w && (w|h)&1 != 0 { // turned, odd chroma would slip by a pixel
		return e, false
	}
	parts := planesFor(p.raster, tw, th)
	if parts == nil {
		return e, false
	}
	for i := range parts {
		parts[i] = parts[i].upright(p.orientation)
	}
	for _, q := range jpegQualities {
		b := jpeg.Encode(encodable(parts), q)
		if maxBytes <= 0 || int64(len(b)) <= maxBytes {
			return encoded{"image/jpeg", parts[0].w, parts[0].h, b}, true
		}
	}
	return e, false
}

// planesFor returns the planes of a JPEG of tw by th, nil when the raster has none for it.
func planesFor(r raster, tw, th int) []plane {
	if src, ok := r.(sizedPlanes); ok {
		return src.planesAt(tw, th)
	}
	src, ok := r.(planar)
	if !ok {
		return nil
	}
	parts, limited := src.planes()
	cw, ch := (tw+1)/2, (th+1)/2
	if len(parts) == 0 || len(parts) == 3 && (parts[1].w < cw || parts[1].h < ch) {
		return nil
	}
	for i := range parts {
		size := image.Pt(tw, th)
		if i > 0 {
			size = image.Pt(cw, ch)
		}
		if size != image.Pt(parts[i].w, parts[i].h) {
			parts[i] = parts[i].shrink(size.X, size.Y)
		}
		if limited {
			parts[i] = parts[i].fullRange(i == 0)
		}
	}
	return parts
}

// encodable gives planes to the encoder.
func encodable(p []plane) []jpeg.Plane {
	out := make([]jpeg.Plane, len(p))
	for i, c := range p {
		out[i] = jpeg.Plane{Pix: c.pix, Stride: c.stride, W: c.w, H: c.h}
	}
	return out
}

// fullRange spreads luma of 16 to 235, or chroma of 16 to 240, over all of a byte (BT.601).
func (p plane) fullRange(luma bool) plane {
	var table [256]byte
	for v := range table {
		if luma {
			table[v] = byte(max(0, min(255, ((v-16)*255+110)/219)))
		} else {
			table[v] = byte(max(0, min(255, ((v-128)*255+128*224+112)/224)))
		}
	}
	out := plane{make([]byte, p.w*p.h), p.w, p.w, p.h}
	for y := range p.h {
		src, dst := p.pix[y*p.stride:][:p.w], out.pix[y*p.w:][:p.w]
		for x, v := range src {
			dst[x] = table[v]
		}
	}
	return out
}

// upright is the function upright for a plane.
func (p plane) upright(orientation int) plane {
	start, dx, dy, swap := steps(p.w, p.h, p.stride, orientation)
	if orientation <= 1 {
		return p
	}
	out := plane{make([]byte, p.w*p.h), p.w, p.w, p.h}
	if swap {
		out.stride, out.w, out.h = p.h, p.h, p.w
	}
	for y := range out.h {
		dst, at := out.pix[y*out.w:][:out.w], start+y*dy
		for x := range dst {
			dst[x] = p.pix[at+x*dx]
		}
	}
	return out
}
