package image

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// frame decodes the bitmap. Rows are read as they are asked for; only run-length data is unpacked first.
func (f *bmpFile) frame(_ int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, max(1, f.runBytes())); err != nil {
		return picture{}, err
	}
	if err := b.spend(f.width, f.height); err != nil {
		return picture{}, err
	}
	m := &bmpRows{bmpFile: f, stride: (f.width*int64(f.bpp) + 31) / 32 * 4}
	m.line = make([]byte, m.stride)
	if f.bpp <= 8 {
		if m.table = f.palette(); m.table == nil {
			return picture{}, pdk.Malformed("no colour table")
		}
	}
	if f.pixels >= f.in.Size() {
		return picture{}, pdk.Malformed("no pixels")
	}
	p := picture{raster: m, orientation: 1}
	if f.runs {
		if f.runBytes() == 0 {
			return picture{}, pdk.Malformed("runs of a bit depth that has none")
		}
		var whole bool
		if m.unpacked, whole = f.unpack(); !whole {
			p.partial = "the runs are damaged or cut"
		}
	} else if last := (f.width*int64(f.bpp) + 7) / 8; f.pixels+m.stride*(f.height-1)+last > f.in.Size() { // padding may be missing
		p.partial = "the pixel data is cut"
	}
	if f.icon && !m.findMask() && f.masked {
		p.partial = "the mask is cut"
	}
	return p, nil
}

func (f *bmpFile) palette() *lut {
	b := readUpTo(f.in, f.colors.off, f.colors.n)
	if int64(len(b)) < f.colorBytes {
		return nil
	}
	var t lut
	for i := range t {
		t[i][3] = 0xff
		if o := i * int(f.colorBytes); o+3 <= len(b) {
			t[i][0], t[i][1], t[i][2] = b[o+2], b[o+1], b[o]
		}
	}
	return &t
}

// bmpRows gives the rows of a bitmap.
type bmpRows struct {
	*bmpFile
	stride   int64
	line     []byte
	table    *lut
	unpacked []byte // an index or three colours a pixel, from the top; nil: read from the file
	mask     int64  // offset of an icon's mask of one bit; 0: none
	maskLine []byte
}

func (m *bmpRows) size() (int, int) { return int(m.width), int(m.height) }
func (m *bmpRows) opaque() bool     { return !m.alpha }

// stored is where row y from the top stands in the file.
func (m *bmpRows) stored(y int) int64 {
	if m.topDown {
		return int64(y)
	}
	return m.height - 1 - int64(y)
}

func (m *bmpRows) row(y int, dst []byte) error {
	if m.unpacked != nil {
		m.unpackedRow(y, dst)
		return nil
	}
	// Of a file that is cut it is the upper rows that are missing, mostly: what is there below them is shown.
	switch got := readUpToInto(m.in, m.line, m.pixels+m.stored(y)*m.stride); {
	case len(got) == 0 && m.topDown:
		return io.ErrUnexpectedEOF
	case len(got) == 0:
		clear(dst)
		return nil
	default:
		clear(m.line[len(got):])
	}
	switch m.bpp {
	case 16, 32:
		m.fields(dst)
	case 24:
		for i := range int(m.width) {
			dst[4*i], dst[4*i+1], dst[4*i+2], dst[4*i+3] = m.line[3*i+2], m.line[3*i+1], m.line[3*i], 0xff
		}
	default:
		per, mask := 8/m.bpp, byte(1<<m.bpp-1)
		for i := range int(m.width) {
			v := m.line[i/per] >> (8 - m.bpp - i%per*m.bpp) & mask
			copy(dst[4*i:4*i+4], m.table[v][:])
		}
	}
	return m.applyMask(y, dst)
}

// fields takes the colours out of the bits that the masks name, scaled to 8 bits.
func (m *bmpRows) fields(dst []byte) {
	var shift [4]int
	var most [4]uint32
	for c, mask := range m.masks {
		shift[c] = bits.TrailingZeros32(mask)
		if mask != 0 {
			most[c] = mask >> shift[c]
		}
	}
	for i := range int(m.width) {
		v := uint32(0)
		if m.bpp == 32 {
			v = binary.LittleEndian.Uint32(m.line[4*i:])
		} else {
			v = uint32(binary.LittleEndian.Uint16(m.line[2*i:]))
		}
		for c, mask := range m.masks {
			switch {
			case most[c] == 0xff:
				dst[4*i+c] = byte(v & mask >> shift[c])
			case most[c] != 0:
				dst[4*i+c] = byte((uint64(v&mask>>shift[c])*255 + uint64(most[c])/2) / uint64(most[c]))
			case c == 3:
				dst[4*i+c] = 0xff
			default:
				dst[4*i+c] = 0
			}
		}
	}
}

// findMask finds the mask of an icon: where alpha is in the pixels it is not used, unless all of it is 0.
func (m *bmpRows) findMask() bool {
	if m.bpp == 32 {
		for y := range int(m.height) {
			if !readInto(m.in, m.line, m.pixels+int64(y)*m.stride) {
				return false
			}
			for i := 3; i < len(m.line); i += 4 {
				if m.line[i] != 0 {
					return true
				}
			}
		}
		m.masks[3] = 0
	}
	if !m.masked {
		return true
	}
	m.mask = m.pixels + m.height*m.stride
	m.maskLine = make([]byte, (m.width+31)/32*4)
	return m.mask+m.height*int64(len(m.maskLine)) <= m.in.Size()
}

func (m *bmpRows) applyMask(y int, dst []byte) error {
	if m.mask == 0 {
		return nil
	}
	if !readInto(m.in, m.maskLine, m.mask+m.stored(y)*int64(len(m.maskLine))) {
		return nil // an icon without its mask is all there
	}
	for i := range int(m.width) {
		if m.maskLine[i/8]>>(7-i%8)&1 != 0 {
			clear(dst[4*i : 4*i+4])
		}
	}
	return nil
}
