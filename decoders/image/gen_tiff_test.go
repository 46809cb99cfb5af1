package image

import (
	"encoding/binary"
	"image"
	"image/color"
)

// tiffSpec describes a TIFF of one page to make.
type tiffSpec struct {
	order       binary.AppendByteOrder // nil: little endian
	big         bool
	w, h        uint64
	bits        []uint64
	photometric uint64
	compression uint64 // 0: none
	planar      bool
	rows        uint64 // of a strip; 0: all
	tile        uint64 // side of a tile; 0: strips
	segments    [][]byte
	extra       []entry // in rising order of tags above 340, or anywhere: readers here do not mind
}

func (s tiffSpec) build() []byte {
	t := s.begin()
	at, _ := s.page(t)
	t.point(t.root(), at)
	return t.b
}

func (s tiffSpec) begin() *tiffBuilder {
	if s.order == nil {
		s.order = binary.LittleEndian
	}
	return newTIFF(s.order, s.big)
}

// page appends the page and returns where its directory and the pointer behind it are.
func (s tiffSpec) page(t *tiffBuilder) (at, next uint64) {
	var offsets, counts []uint64
	for _, seg := range s.segments {
		offsets, counts = append(offsets, t.data(seg)), append(counts, uint64(len(seg)))
	}
	compression, planar, rows := max(1, s.compression), uint64(1), s.rows
	if s.planar {
		planar = 2
	}
	if rows == 0 {
		rows = s.h
	}
	e := []entry{
		short(256, s.w), short(257, s.h), short(258, s.bits...), short(259, compression), short(262, s.photometric),
		short(277, uint64(len(s.bits))), short(284, planar),
	}
	if s.tile > 0 {
		e = append(e, short(322, s.tile), short(323, s.tile), long(324, offsets...), long(325, counts...))
	} else {
		e = append(e, long(273, offsets...), short(278, rows), long(279, counts...))
	}
	return t.directory(append(e, s.extra...)...)
}

// rgb is m as samples of three bytes.
func rgb(m *image.NRGBA) (out []byte) {
	for i := 0; i < len(m.Pix); i += 4 {
		out = append(out, m.Pix[i:i+3]...)
	}
	return out
}

// cut is the part of m at (x, y), as large as a tile and empty beyond m.
func cut(m *image.NRGBA, x, y, size int) *image.NRGBA {
	out := image.NewNRGBA(image.Rect(0, 0, size, size))
	for dy := range size {
		for dx := range size {
			out.SetNRGBA(dx, dy, m.NRGBAAt(x+dx, y+dy))
		}
	}
	return out
}

// planes are the three planes of m, each sample in two bytes.
func planes(m *image.NRGBA, order binary.AppendByteOrder) (out [3][]byte) {
	for i := 0; i < len(m.Pix); i += 4 {
		for c := range 3 {
			out[c] = order.AppendUint16(out[c], uint16(m.Pix[i+c])<<8|0x7f)
		}
	}
	return out
}

// differ replaces each sample of rows of n bytes by its difference to the one step before.
func differ(b []byte, n, step int) []byte {
	out := make([]byte, len(b))
	for i, v := range b {
		out[i] = v
		if i%n >= step {
			out[i] = v - b[i-step]
		}
	}
	return out
}

// runs packs b with PackBits, in runs and literals.
func runs(b []byte) (out []byte) {
	for i := 0; i < len(b); {
		n := 1
		for i+n < len(b) && n < 128 && b[i+n] == b[i] {
			n++
		}
		if n > 1 {
			out = append(out, byte(257-n), b[i])
		} else {
			out = append(out, 0, b[i])
		}
		i += n
	}
	return append(out, 0x80)
}

// cmyk is m as four inks without black.
func cmyk(m *image.NRGBA) (out []byte) {
	for i := 0; i < len(m.Pix); i += 4 {
		out = append(out, 255-m.Pix[i], 255-m.Pix[i+1], 255-m.Pix[i+2], 0)
	}
	return out
}

// colorMap is the palette of gifColors, padded to n colours.
func colorMap(n int) entry {
	var v [3][]uint64
	for i := range n {
		c := gifColors[min(i, len(gifColors)-1)]
		for j, s := range [3]uint8{c.R, c.G, c.B} {
			v[j] = append(v[j], uint64(s)*257)
		}
	}
	return short(320, append(append(v[0], v[1]...), v[2]...)...)
}

var white = color.NRGBA{255, 255, 255, 255}
