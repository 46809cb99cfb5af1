// Package vp8l decodes the lossless pictures of WebP (RFC 9649, 3). What comes before damage is given, and how many rows of it there are.
//
//	f, err := vp8l.Decode(data)
//	… f.Row(y, dst) for y up to f.Rows …
package vp8l

import (
	"encoding/binary"
	"errors"
)

// Why there is no picture at all.
var (
	ErrHeader = errors.New("vp8l: the header is damaged or cut")
	ErrEmpty  = errors.New("vp8l: the pixel data is damaged or cut")
)

// Frame is a decoded picture.
type Frame struct {
	Width, Height int
	Alpha         bool // pixels may be transparent
	Rows          int  // that were decoded; Height: all of them
	pix           []uint32
}

// Row writes row y to dst: red, green, blue, alpha, a byte each, not premultiplied.
func (f *Frame) Row(y int, dst []byte) {
	opaque := uint32(0xff000000)
	if f.Alpha {
		opaque = 0
	}
	pix := f.pix[y*f.Width : (y+1)*f.Width]
	for i := 0; i < len(pix) && len(dst) >= 4; i++ {
		v := pix[i] | opaque
		binary.LittleEndian.PutUint32(dst, v&0xff00ff00|v>>16&0xff|v&0xff<<16)
		dst = dst[4:]
	}
}

// Green returns the green of a row into dst: in an alpha plane that is what it is about.
func (f *Frame) Green(y int, dst []byte) {
	for i, v := range f.pix[y*f.Width : (y+1)*f.Width] {
		dst[i] = byte(v >> 8)
	}
}

// HeaderBytes is how much of a picture says its size.
const HeaderBytes = 5

// Size reads the size of a picture, and whether it has alpha (RFC 9649, 3.4).
func Size(b []byte) (w, h int, alpha, ok bool) {
	if len(b) < HeaderBytes || b[0] != 0x2f || b[4]>>5 != 0 {
		return 0, 0, false, false
	}
	v := int(b[1]) | int(b[2])<<8 | int(b[3])<<16 | int(b[4])<<24
	return v&0x3fff + 1, v>>14&0x3fff + 1, v>>28&1 != 0, true
}

// Decode decodes a picture. It takes up to six bytes a pixel: look at Size first.
func Decode(data []byte) (*Frame, error) {
	w, h, alpha, ok := Size(data)
	if !ok {
		return nil, ErrHeader
	}
	f, err := DecodeBody(data[HeaderBytes:], w, h)
	if err == nil {
		f.Alpha = alpha
	}
	return f, err
}

// DecodeBody decodes a picture that has no header, as an alpha plane is.
func DecodeBody(data []byte, w, h int) (*Frame, error) {
	d := &decoder{r: bitReader{data: data}}
	tw, ok := d.readTransforms(w, h)
	if !ok {
		return nil, ErrHeader
	}
	pix, n, ok := d.picture(tw, h, true)
	if !ok {
		return nil, ErrHeader
	}
	rows := n / tw
	if rows == 0 {
		return nil, ErrEmpty
	}
	for i := d.count - 1; i >= 0; i-- {
		pix = d.transforms[i].undo(pix, rows)
	}
	return &Frame{Width: w, Height: h, Rows: rows, pix: pix}, nil
}

// decoder is a picture in the making.
type decoder struct {
	r          bitReader
	transforms [4]transform
	count      int
}

// readTransforms reads what was done to the pixels (3.5), and returns how many are coded for each row.
func (d *decoder) readTransforms(w, h int) (coded int, ok bool) {
	var seen [4]bool
	for d.r.number(1) != 0 {
		t := &d.transforms[d.count%len(d.transforms)]
		t.kind, t.w = d.r.number(2), w
		if seen[t.kind] || d.r.ended() {
			return 0, false
		}
		seen[t.kind] = true
		d.count++
		switch t.kind {
		case predictor, crossColor:
			t.bits = d.r.number(3) + 2
			t.bw = cells(w, t.bits)
			n := 0
			if t.data, n, ok = d.picture(t.bw, cells(h, t.bits), false); !ok || n < len(t.data) {
				return 0, false
			}
		case indexed:
			n, got := d.r.number(8)+1, 0
			if t.data, got, ok = d.picture(n, 1, false); !ok || got < n {
				return 0, false
			}
			for i := 1; i < n; i++ {
				t.data[i] = addPixels(t.data[i], t.data[i-1])
			}
			switch {
			case n <= 2:
				t.bits = 3
			case n <= 4:
				t.bits = 2
			case n <= 16:
				t.bits = 1
			}
			w = cells(w, t.bits)
		}
	}
	return w, !d.r.ended()
}

// cells is how many squares of 1<<bits cover n.
func cells(n, bits int) int { return (n + 1<<bits - 1) >> bits }

// group is the codes of a part of the picture: green, lengths and cached colours; red; blue; alpha; distances.
type group struct {
	codes [5]code
	one   bool   // red, blue and alpha are always the same
	plain bool   // and green too
	rest  uint32 // what they are
}

// picture reads w by h pixels (3.6, 3.7), and returns how many came before the data end. Only the main one has groups in squares.
func (d *decoder) picture(w, h int, main bool) (pix []uint32, n int, ok bool) {
	p := pixels{r: &d.r, w: w}
	if d.r.number(1) != 0 {
		bits := d.r.number(4)
		if bits < 1 || bits > 11 {
			return nil, 0, false
		}
		p.cacheShift = 32 - uint(bits)
		p.cache = make([]uint32, 1<<bits)
	}
	groups := 1
	if main && d.r.number(1) != 0 {
		p.bits = d.r.number(3) + 2
		p.bw = cells(w, p.bits)
		var got int
		if p.which, got, ok = d.picture(p.bw, cells(h, p.bits), false); !ok || got < len(p.which) {
			return nil, 0, false
		}
		for i, v := range p.which {
			p.which[i] = v >> 8 & 0xffff
			groups = max(groups, int(p.which[i])+1)
		}
	}
	if d.r.ended() || !p.readGroups(groups) {
		return nil, 0, false
	}
	pix = make([]uint32, w*h)
	n = p.read(pix)
	return pix, n, true
}

// distances are where the first 120 distance codes lie: 8 less what is to the left in the lower half of a byte, and rows up in the upper (3.6.2.2).
var distances = [120]uint8{
	0x18, 0x07, 0x17, 0x19, 0x28, 0x06, 0x27, 0x29, 0x16, 0x1a, 0x26, 0x2a, 0x38, 0x05, 0x37, 0x39, 0x15, 0x1b, 0x36, 0x3a, 0x25, 0x2b, 0x48, 0x04,
	0x47, 0x49, 0x14, 0x1c, 0x35, 0x3b, 0x46, 0x4a, 0x24, 0x2c, 0x58, 0x45, 0x4b, 0x34, 0x3c, 0x03, 0x57, 0x59, 0x13, 0x1d, 0x56, 0x5a, 0x23, 0x2d,
	0x44, 0x4c, 0x55, 0x5b, 0x33, 0x3d, 0x68, 0x02, 0x67, 0x69, 0x12, 0x1e, 0x66, 0x6a, 0x22, 0x2e, 0x54, 0x5c, 0x43, 0x4d, 0x65, 0x6b, 0x32, 0x3e,
	0x78, 0x01, 0x77, 0x79, 0x53, 0x5d, 0x11, 0x1f, 0x64, 0x6c, 0x42, 0x4e, 0x76, 0x7a, 0x21, 0x2f, 0x75, 0x7b, 0x31, 0x3f, 0x63, 0x6d, 0x52, 0x5e,
	0x00, 0x74, 0x7c, 0x41, 0x4f, 0x10, 0x20, 0x62, 0x6e, 0x30, 0x73, 0x7d, 0x51, 0x5f, 0x40, 0x72, 0x7e, 0x61, 0x6f, 0x50, 0x71, 0x7f, 0x60, 0x70,
}
