package image

import (
	"encoding/binary"
)

// bmpSpec describes a bitmap to make; quarters(w, h) is what it shows.
type bmpSpec struct {
	w, h        int32
	topDown     bool
	header      uint32 // bytes of the info header
	bpp         uint16
	compression uint32
	masks       []uint32
	pixels      []byte // nil: made from quarters
	noOffset    bool
}

func (s bmpSpec) build() []byte {
	h := s.h
	if s.topDown {
		h = -h
	}
	info := binary.LittleEndian.AppendUint32(nil, s.header)
	if s.header == 12 {
		info = binary.LittleEndian.AppendUint16(info, uint16(s.w))
		info = binary.LittleEndian.AppendUint16(info, uint16(h))
		info = binary.LittleEndian.AppendUint16(info, 1)
		info = binary.LittleEndian.AppendUint16(info, s.bpp)
	} else {
		info = binary.LittleEndian.AppendUint32(info, uint32(s.w))
		info = binary.LittleEndian.AppendUint32(info, uint32(h))
		info = binary.LittleEndian.AppendUint16(info, 1)
		info = binary.LittleEndian.AppendUint16(info, s.bpp)
		info = binary.LittleEndian.AppendUint32(info, s.compression)
		info = append(info, make([]byte, 20)...)
		for _, m := range s.masks {
			info = binary.LittleEndian.AppendUint32(info, m)
		}
		if n := int(s.header) - len(info); n > 0 {
			info = append(info, make([]byte, n)...)
		}
	}
	if s.bpp <= 8 {
		for i := range 1 << s.bpp {
			c := gifColors[min(i, len(gifColors)-1)]
			info = append(info, c.B, c.G, c.R)
			if s.header != 12 {
				info = append(info, 0)
			}
		}
	}
	pixels := s.pixels
	if pixels == nil {
		pixels = s.quarters()
	}
	off := uint32(bmpFileHeader + len(info))
	out := binary.LittleEndian.AppendUint32([]byte("BM"), off+uint32(len(pixels)))
	out = append(out, 0, 0, 0, 0)
	if s.noOffset {
		off = 0
	}
	out = binary.LittleEndian.AppendUint32(out, off)
	return append(append(out, info...), pixels...)
}

// rows returns the rows in the file's order.
func (s bmpSpec) rows() (out []int) {
	for y := range int(s.h) {
		if s.topDown {
			out = append(out, y)
		} else {
			out = append(out, int(s.h)-1-y)
		}
	}
	return out
}

func (s bmpSpec) quarters() (out []byte) {
	for _, y := range s.rows() {
		var bits uint
		var acc byte
		row := []byte{}
		for x := range int(s.w) {
			c := quarter(x, y, int(s.w), int(s.h))
			switch s.bpp {
			case 32:
				row = append(row, c.B, c.G, c.R, c.A)
			case 24:
				row = append(row, c.B, c.G, c.R)
			case 16: // by the masks of 5, 6 and 5 bits
				row = binary.LittleEndian.AppendUint16(row, uint16(c.R>>3)<<11|uint16(c.G>>2)<<5|uint16(c.B>>3))
			default:
				v := quarterIndex(x, y, int(s.w), int(s.h)) & (1<<s.bpp - 1)
				acc = acc<<s.bpp | v
				if bits += uint(s.bpp); bits == 8 {
					row, bits, acc = append(row, acc), 0, 0
				}
			}
		}
		if bits > 0 {
			row = append(row, acc<<(8-bits))
		}
		for len(row)%4 != 0 {
			row = append(row, 0)
		}
		out = append(out, row...)
	}
	return out
}
