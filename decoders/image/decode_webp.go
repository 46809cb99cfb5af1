package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"io"

	"golang.org/x/image/vp8"
	"golang.org/x/image/vp8l"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame decodes the picture, or composes a frame of the animation.
func (f *webpFile) frame(at int64, b *budget) (picture, error) {
	if len(f.pieces) == 0 {
		r, err := f.still.decode(f.in, f.width, f.height, b)
		return picture{raster: r, orientation: f.orientation}, err
	}
	if err := b.size(f.width, f.height, 4+5); err != nil { // the canvas, and a frame as large
		return picture{}, err
	}
	if f.played == nil {
		f.played = newCanvas(int(f.width), int(f.height), [4]byte{})
	}
	_, err := f.played.play(at, func(at int64) (layer, error) {
		p := &f.pieces[at-1]
		if p.x+p.w > f.width || p.y+p.h > f.height {
			return layer{}, pdk.Malformed("a frame that is not on the canvas")
		}
		r, err := p.image.decode(f.in, p.w, p.h, b)
		l := layer{raster: r, x: int(p.x), y: int(p.y), over: p.blend}
		if p.clear {
			l.dispose = disposeClear
		}
		return l, err
	})
	return picture{raster: &f.played.nrgba, orientation: f.orientation}, err
}

// decode decodes one coded picture, which must be of w by h pixels as its container says.
func (m *webpImage) decode(in readapi.Input, w, h int64, b *budget) (raster, error) {
	cw, ch, _ := m.bounds(in)
	if cw != w || ch != h {
		return nil, pdk.Malformed("no picture of the size that the file says")
	}
	each := int64(2) // planes at half size, and what the loop filter needs
	if m.lossless || m.alpha.n > 0 {
		each = 5
	}
	if err := b.size(w, h, each); err != nil {
		return nil, err
	}
	if err := b.spend(w, h); err != nil {
		return nil, err
	}
	data := io.NewSectionReader(in, m.data.off, m.data.n)
	if m.lossless {
		img, err := vp8l.Decode(data)
		if err != nil {
			return nil, pdk.Malformed("the pixel data is damaged or cut")
		}
		return fromStd(img), nil
	}
	alpha, err := m.alphaPlane(in, w, h)
	if err != nil {
		return nil, err
	}
	d := vp8.NewDecoder()
	d.Init(data, int(m.data.n))
	if _, err := d.DecodeFrameHeader(); err != nil {
		return nil, pdk.Malformed("the frame header is damaged")
	}
	img, err := d.DecodeFrame()
	if err != nil {
		return nil, pdk.Malformed("the pixel data is damaged or cut")
	}
	return &vp8Rows{img: img, alpha: alpha}, nil
}

// alphaPlane decodes the ALPH chunk (RFC 9649, 2.7.1.2); nil without one.
func (m *webpImage) alphaPlane(in readapi.Input, w, h int64) ([]byte, error) {
	if m.alpha.n == 0 {
		return nil, nil
	}
	bad := pdk.Malformed("the alpha plane is damaged or cut")
	flags := readUpTo(in, m.alpha.off, 1)
	if len(flags) == 0 {
		return nil, bad
	}
	plane := make([]byte, w*h)
	switch flags[0] & 3 {
	case 0:
		if int64(len(plane)) > m.alpha.n-1 || !readInto(in, plane, m.alpha.off+1) {
			return nil, bad
		}
	case 1: // a lossless picture without its header, whose green is alpha
		head := binary.LittleEndian.AppendUint32([]byte{0x2f}, uint32(w-1)|uint32(h-1)<<14)
		img, err := vp8l.Decode(io.MultiReader(bytes.NewReader(head), io.NewSectionReader(in, m.alpha.off+1, m.alpha.n-1)))
		green, ok := img.(*image.NRGBA)
		if err != nil || !ok || len(green.Pix) < 4*len(plane) {
			return nil, bad
		}
		for i := range plane {
			plane[i] = green.Pix[4*i+1]
		}
	default:
		return nil, pdk.Malformed("alpha of an unknown compression")
	}
	unfilter(plane, int(w), flags[0]>>2&3)
	return plane, nil
}

// unfilter undoes the prediction of an alpha plane (RFC 9649, 2.7.1.2): 1 from the left, 2 from above, 3 from both.
func unfilter(p []byte, w int, filter byte) {
	if filter == 0 {
		return
	}
	for i := 1; i < len(p); i++ {
		x := i % w
		switch {
		case i < w || x > 0 && filter == 1:
			p[i] += p[i-1]
		case x == 0 || filter == 2:
			p[i] += p[i-w]
		default:
			g := int(p[i-1]) + int(p[i-w]) - int(p[i-w-1])
			p[i] += byte(max(0, min(255, g)))
		}
	}
}

// vp8Rows gives the rows of a lossy picture. Its YCbCr is of limited range (RFC 9649, 2.5: BT.601, 16 to 235), which image.YCbCr is not:
// taken for that, colours are off by up to 19 of 255. The constants are those of libwebp's dsp/yuv.h.
type vp8Rows struct {
	img   *image.YCbCr
	alpha []byte
}

func (m *vp8Rows) size() (int, int) { return m.img.Rect.Dx(), m.img.Rect.Dy() }
func (m *vp8Rows) opaque() bool     { return m.alpha == nil }

func (m *vp8Rows) planes() ([]plane, bool) {
	if m.alpha != nil {
		return nil, false
	}
	return planesOf(m.img), true
}

func (m *vp8Rows) row(y int, dst []byte) error {
	w := m.img.Rect.Dx()
	luma := m.img.Y[y*m.img.YStride:][:w]
	cb, cr := m.img.Cb[y/2*m.img.CStride:], m.img.Cr[y/2*m.img.CStride:]
	for i, l := range luma {
		v, u, r := int32(l)*19077>>8, int32(cb[i/2]), int32(cr[i/2])
		dst[4*i] = clip6(v + r*26149>>8 - 14234)
		dst[4*i+1] = clip6(v - u*6419>>8 - r*13320>>8 + 8708)
		dst[4*i+2] = clip6(v + u*33050>>8 - 17685)
		dst[4*i+3] = 0xff
	}
	if m.alpha != nil {
		for i, a := range m.alpha[y*w : (y+1)*w] {
			dst[4*i+3] = a
		}
	}
	return nil
}

// clip6 drops the six bits behind the point.
func clip6(v int32) byte { return byte(max(0, min(255, v>>6))) }
