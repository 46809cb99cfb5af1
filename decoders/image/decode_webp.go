package image

import (
	"io"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/vp8"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/vp8l"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const webpMissing = "the pixel data is damaged or cut"

// frame decodes the picture, or composes a frame of the animation.
func (f *webpFile) frame(at int64, b *budget) (picture, error) {
	if len(f.pieces) == 0 {
		r, whole, err := f.still.decode(f.in, f.width, f.height, b)
		p := picture{raster: r, orientation: f.orientation}
		if !whole {
			p.partial = webpMissing
		}
		return p, err
	}
	if err := b.size(f.width, f.height, 4+6); err != nil { // the canvas, and a frame as large
		return picture{}, err
	}
	if f.played == nil {
		f.played = newCanvas(int(f.width), int(f.height), [4]byte{})
	}
	whole, err := f.played.play(at, func(at int64) (layer, error) {
		p := &f.pieces[at-1]
		if p.x+p.w > f.width || p.y+p.h > f.height {
			return layer{}, pdk.Malformed("a frame that is not on the canvas")
		}
		r, _, err := p.image.decode(f.in, p.w, p.h, b)
		l := layer{raster: r, x: int(p.x), y: int(p.y), over: p.blend}
		if p.clear {
			l.dispose = disposeClear
		}
		return l, err
	})
	p := picture{raster: &f.played.nrgba, orientation: f.orientation}
	if !whole {
		p.partial = webpMissing
	}
	return p, err
}

// decode decodes one coded picture, which must be of w by h pixels as its container says. whole says that no row is missing.
func (m *webpImage) decode(in readapi.Input, w, h int64, b *budget) (r raster, whole bool, err error) {
	cw, ch, _ := m.bounds(in)
	if cw != w || ch != h {
		return nil, false, pdk.Malformed("no picture of the size that the file says")
	}
	each := int64(2) // planes at half size, and what the loop filter needs
	if m.lossless || m.alpha.n > 0 {
		each = 6
	}
	if err := b.size(w, h, each); err != nil {
		return nil, false, err
	}
	if err := b.spend(w, h); err != nil {
		return nil, false, err
	}
	data := readUpTo(in, m.data.off, m.data.n)
	if m.lossless {
		f, err := vp8l.Decode(data)
		if err != nil {
			return nil, false, pdk.Malformed(webpMissing)
		}
		return &vp8lRows{f}, f.Rows == f.Height, nil
	}
	alpha, rows := m.alphaPlane(in, int(w), int(h))
	if rows == 0 {
		return nil, false, pdk.Malformed("the alpha plane is damaged or cut")
	}
	f, err := vp8.Decode(data)
	if err != nil {
		return nil, false, pdk.Malformed(webpMissing)
	}
	v := newVP8Rows(f, alpha, min(f.Rows, rows))
	return v, v.rows == f.Height, nil
}

// alphaPlane decodes the ALPH chunk (RFC 9649, 2.7.1.2), nil without one, and says how many rows there are.
func (m *webpImage) alphaPlane(in readapi.Input, w, h int) (plane []byte, rows int) {
	if m.alpha.n == 0 {
		return nil, h
	}
	data := readUpTo(in, m.alpha.off, m.alpha.n)
	if len(data) == 0 {
		return nil, 0
	}
	plane = make([]byte, w*h)
	switch data[0] & 3 {
	case 0:
		rows = copy(plane, data[1:]) / w
	case 1: // a lossless picture without its header, whose green is alpha
		f, err := vp8l.DecodeBody(data[1:], w, h)
		if err != nil {
			return nil, 0
		}
		for y := range f.Rows {
			f.Green(y, plane[y*w:(y+1)*w])
		}
		rows = f.Rows
	}
	unfilter(plane[:w*rows], w, data[0]>>2&3)
	return plane, rows
}

// unfilter undoes the prediction of an alpha plane (RFC 9649, 2.7.1.2): 1 from the left, 2 from above, 3 from both.
func unfilter(p []byte, w int, filter byte) {
	if filter == 0 || len(p) == 0 {
		return
	}
	for i := 1; i < w; i++ {
		p[i] += p[i-1]
	}
	for at := w; at < len(p); at += w {
		above, row := p[at-w:at], p[at:at+w]
		row[0] += above[0]
		for x := 1; x < w; x++ {
			switch filter {
			case 1:
				row[x] += row[x-1]
			case 2:
				row[x] += above[x]
			default:
				row[x] += byte(max(0, min(255, int(row[x-1])+int(above[x])-int(above[x-1]))))
			}
		}
	}
}

// vp8lRows gives the rows of a lossless picture.
type vp8lRows struct{ *vp8l.Frame }

func (m *vp8lRows) size() (int, int) { return m.Width, m.Height }
func (m *vp8lRows) opaque() bool     { return !m.Alpha }
func (m *vp8lRows) row(y int, dst []byte) error {
	if y >= m.Rows {
		return io.ErrUnexpectedEOF
	}
	m.Row(y, dst)
	return nil
}

// vp8Rows gives the rows of a lossy picture. Its YCbCr is of limited range (RFC 9649, 2.5: BT.601, 16 to 235), which image.YCbCr is not:
// taken for that, colours are off by up to 19 of 255. The constants are those of libwebp's dsp/yuv.h.
type vp8Rows struct {
	*vp8.Frame
	alpha  []byte
	rows   int
	cb, cr []byte // a row of chroma at full size
}

func newVP8Rows(f *vp8.Frame, alpha []byte, rows int) *vp8Rows {
	return &vp8Rows{Frame: f, alpha: alpha, rows: rows, cb: make([]byte, f.Width), cr: make([]byte, f.Width)}
}

func (m *vp8Rows) size() (int, int) { return m.Width, m.Height }
func (m *vp8Rows) opaque() bool     { return m.alpha == nil }

func (m *vp8Rows) planes() ([]plane, bool) {
	if m.alpha != nil || m.rows < m.Height {
		return nil, false
	}
	cw, ch := (m.Width+1)/2, (m.Height+1)/2
	return []plane{{m.Y, m.YStride, m.Width, m.Height}, {m.Cb, m.CStride, cw, ch}, {m.Cr, m.CStride, cw, ch}}, true
}

func (m *vp8Rows) row(y int, dst []byte) error {
	if y >= m.rows {
		return io.ErrUnexpectedEOF
	}
	w := m.Width
	m.chroma(y)
	for i, l := range m.Y[y*m.YStride:][:w] {
		v, u, r := int32(l)*19077>>8, int32(m.cb[i]), int32(m.cr[i])
		d := dst[4*i : 4*i+4 : 4*i+4]
		d[0] = clip6(v + r*26149>>8 - 14234)
		d[1] = clip6(v - u*6419>>8 - r*13320>>8 + 8708)
		d[2] = clip6(v + u*33050>>8 - 17685)
		d[3] = 0xff
	}
	if m.alpha != nil {
		for i, a := range m.alpha[y*w : (y+1)*w] {
			dst[4*i+3] = a
		}
	}
	return nil
}

// chroma makes a row of chroma at full size. A sample lies between the four nearest ones, and counts nine times as much as the one across,
// three times as much as the others: what libwebp calls fancy, and what the pictures were made for.
func (m *vp8Rows) chroma(y int) {
	last := (m.rows+1)/2 - 1
	near := y / 2
	far := min(last, near+1)
	if y&1 == 0 {
		far = max(0, near-1)
	}
	w := (m.Width + 1) / 2
	spread(m.cb, m.Cb[near*m.CStride:][:w], m.Cb[far*m.CStride:][:w])
	spread(m.cr, m.Cr[near*m.CStride:][:w], m.Cr[far*m.CStride:][:w])
}

func spread(dst, near, far []byte) {
	n0, f0 := int32(near[0]), int32(far[0])
	edge := func(n, f int32) byte { return byte((3*n + f + 2) >> 2) }
	dst[0] = edge(n0, f0)
	far = far[:len(near)]
	for i := 1; i < len(near); i++ {
		n1, f1 := int32(near[i]), int32(far[i])
		d := dst[2*i-1 : 2*i : 2*i]
		d[0] = byte(((n0+3*n1+3*f0+f1+8)>>3 + n0) >> 1)
		if 2*i < len(dst) {
			dst[2*i] = byte(((n1+3*n0+3*f1+f0+8)>>3 + n1) >> 1)
		}
		n0, f0 = n1, f1
	}
	if len(dst)&1 == 0 {
		dst[len(dst)-1] = edge(n0, f0)
	}
}

// clip6 drops the six bits behind the point.
func clip6(v int32) byte { return byte(max(0, min(255, v>>6))) }
