package image

import (
	"image"
	"image/color"
)

// raster gives the pixels of a picture row by row, so that a large one can be shrunk without a second full copy.
type raster interface {
	size() (w, h int)
	// opaque reports whether no pixel can be transparent.
	opaque() bool
	// row writes row y to dst: red, green, blue, alpha, 8 bits each, not premultiplied. Rows are asked for in rising order, each once. An
	// error means that this and the later rows are missing.
	row(y int, dst []byte) error
}

// nrgba is a raster that is held as it is given out. See stdRaster for others.
type nrgba struct {
	pix   []byte // 4 bytes a pixel
	w, h  int
	solid bool // no pixel is transparent
}

func newNRGBA(w, h int) *nrgba { return &nrgba{pix: make([]byte, 4*w*h), w: w, h: h} }

func (m *nrgba) size() (int, int) { return m.w, m.h }
func (m *nrgba) opaque() bool     { return m.solid }
func (m *nrgba) row(y int, dst []byte) error {
	copy(dst, m.pix[4*m.w*y:4*m.w*(y+1)])
	return nil
}

// stdRaster gives the rows of a picture that the standard library decoded.
type stdRaster struct {
	img   image.Image
	solid bool
	fill  func(y int, dst []byte)
	parts []plane // of a lossy picture: luma and chroma, or luma alone
}

// planar is a raster that has its pixels as luma and chroma. Shrinking those, and encoding them as they are, saves most of the work of a
// photo and two conversions.
type planar interface {
	// planes returns luma and chroma, or luma alone; nil when there are none. limited says that they are of limited range, as in video.
	planes() (p []plane, limited bool)
}

func (m *stdRaster) planes() ([]plane, bool) { return m.parts, false }

// inkRaster is a stdRaster of four inks.
type inkRaster struct {
	stdRaster
	src *image.CMYK
}

func (m *inkRaster) inks(y int, dst []byte) (alpha []byte, err error) {
	copy(dst, m.src.Pix[y*m.src.Stride:][:4*m.src.Rect.Dx()])
	return nil, nil
}

func (m *stdRaster) size() (int, int) { return m.img.Bounds().Dx(), m.img.Bounds().Dy() }
func (m *stdRaster) opaque() bool     { return m.solid }
func (m *stdRaster) row(y int, dst []byte) error {
	m.fill(y+m.img.Bounds().Min.Y, dst)
	return nil
}

// fromStd wraps img. The common types have a loop of their own: the general path costs an allocation a pixel.
func fromStd(img image.Image) raster {
	m := &stdRaster{img: img}
	b := img.Bounds()
	switch src := img.(type) {
	case *image.NRGBA:
		m.fill = func(y int, dst []byte) { copy(dst, src.Pix[src.PixOffset(b.Min.X, y):][:4*b.Dx()]) }
	case *image.RGBA: // the decoders that give it give opaque pixels only
		m.solid = src.Opaque()
		m.fill = func(y int, dst []byte) { copyRGBA(dst, src.Pix[src.PixOffset(b.Min.X, y):][:4*b.Dx()]) }
	case *image.Gray:
		m.solid = true
		m.fill = func(y int, dst []byte) { copyGray(dst, src.Pix[src.PixOffset(b.Min.X, y):][:b.Dx()], 1) }
		m.parts = []plane{{src.Pix, src.Stride, b.Dx(), b.Dy()}}
	case *image.Gray16:
		m.solid = true
		m.fill = func(y int, dst []byte) { copyGray(dst, src.Pix[src.PixOffset(b.Min.X, y):][:2*b.Dx()], 2) }
	case *image.NRGBA64:
		m.fill = func(y int, dst []byte) { copyHigh(dst, src.Pix[src.PixOffset(b.Min.X, y):][:8*b.Dx()]) }
	case *image.RGBA64:
		if m.solid = src.Opaque(); m.solid {
			m.fill = func(y int, dst []byte) { copyHigh(dst, src.Pix[src.PixOffset(b.Min.X, y):][:8*b.Dx()]) }
		}
	case *image.Paletted:
		p := palette(src.Palette)
		m.solid = src.Opaque()
		m.fill = func(y int, dst []byte) { p.expand(dst, src.Pix[src.PixOffset(b.Min.X, y):][:b.Dx()]) }
	case *image.YCbCr:
		m.solid = true
		m.fill = func(y int, dst []byte) { copyYCbCr(dst, src, y) }
		m.parts = planesOf(src)
	case *image.CMYK:
		m.solid = true
		m.fill = func(y int, dst []byte) { copyCMYK(dst, src.Pix[src.PixOffset(b.Min.X, y):][:4*b.Dx()]) }
		return &inkRaster{stdRaster: *m, src: src}
	}
	if m.fill == nil {
		m.fill = func(y int, dst []byte) { copyAny(dst, img, y) }
	}
	return m
}

// lut is a palette as pixels.
type lut [256][4]byte

func palette(p color.Palette) *lut {
	var t lut
	for i := range t {
		t[i][3] = 0xff
	}
	for i, c := range p[:min(len(p), len(t))] {
		n := color.NRGBAModel.Convert(c).(color.NRGBA)
		t[i] = [4]byte{n.R, n.G, n.B, n.A}
	}
	return &t
}

func (t *lut) expand(dst, indices []byte) {
	for i, v := range indices {
		copy(dst[4*i:4*i+4], t[v][:])
	}
}

func copyRGBA(dst, src []byte) {
	copy(dst, src)
	for i := 0; i+4 <= len(dst); i += 4 {
		if a := uint32(dst[i+3]); a != 0 && a != 0xff {
			for c := range 3 {
				dst[i+c] = uint8(min(255, (uint32(dst[i+c])*255+a/2)/a))
			}
		}
	}
}

// copyGray widens gray samples; of those with two bytes (big endian) it takes the high one.
func copyGray(dst, src []byte, bytes int) {
	for i := 0; i*bytes < len(src); i++ {
		v := src[i*bytes]
		dst[4*i], dst[4*i+1], dst[4*i+2], dst[4*i+3] = v, v, v, 0xff
	}
}

// copyHigh takes the high byte of each 16-bit sample.
func copyHigh(dst, src []byte) {
	for i := range len(src) / 2 {
		dst[i] = src[2*i]
	}
}

// copyYCbCr converts a row of src, whose left edge is at 0 as in every decoded JPEG.
func copyYCbCr(dst []byte, src *image.YCbCr, y int) {
	b := src.Bounds()
	yo := src.YOffset(b.Min.X, y)
	luma := src.Y[yo : yo+b.Dx()]
	shift := 0 // of the column: how many pixels share a chroma sample
	switch src.SubsampleRatio {
	case image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420:
		shift = 1
	case image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410:
		shift = 2
	}
	co := src.COffset(b.Min.X, y)
	cb, cr := src.Cb[co:], src.Cr[co:]
	for i, l := range luma {
		// JFIF, 1.02, page 3, in sixteen bits behind the point: color.YCbCrToRGB without a call for each pixel.
		v, u, w := int(l)*0x10101, int(cb[i>>shift])-128, int(cr[i>>shift])-128
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[0] = clip16(v + 91881*w)
		d[1] = clip16(v - 22554*u - 46802*w)
		d[2] = clip16(v + 116130*u)
		d[3] = 0xff
	}
}

// clip16 drops the sixteen bits behind the point.
func clip16(v int) byte { return byte(max(0, min(255, v>>16))) }

func copyCMYK(dst, src []byte) {
	for i := 0; i+4 <= len(src); i += 4 {
		r, g, b := color.CMYKToRGB(src[i], src[i+1], src[i+2], src[i+3])
		dst[i], dst[i+1], dst[i+2], dst[i+3] = r, g, b, 0xff
	}
}

func copyAny(dst []byte, img image.Image, y int) {
	b := img.Bounds()
	for i := range b.Dx() {
		n := color.NRGBAModel.Convert(img.At(b.Min.X+i, y)).(color.NRGBA)
		dst[4*i], dst[4*i+1], dst[4*i+2], dst[4*i+3] = n.R, n.G, n.B, n.A
	}
}
