package image

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// frame decodes the bitmap. Rows are read as they are asked for; only run-length data is unpacked first.
func (f *bmpFile) frame(_ int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, 1); err != nil {
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
	if f.compression == bmpRLE8 || f.compression == bmpRLE4 {
		if f.bpp != 8 && f.bpp != 4 {
			return picture{}, pdk.Malformed("runs of a bit depth that has none")
		}
		var whole bool
		if m.unpacked, whole = f.unpack(); !whole {
			p.partial = "the runs are damaged or cut"
		}
	}
	if f.icon && !m.findMask() {
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
	unpacked []byte // one index a pixel, from the top; nil: read from the file
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
		m.table.expand(dst, m.unpacked[y*int(m.width):(y+1)*int(m.width)])
		return nil
	}
	if !readInto(m.in, m.line, m.pixels+m.stored(y)*m.stride) {
		return io.ErrUnexpectedEOF
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

// unpack undoes RLE8 and RLE4 (MS-WMF, 3.1.6). Pixels that no run names have index 0.
func (f *bmpFile) unpack() (index []byte, whole bool) {
	w, h := int(f.width), int(f.height)
	index = make([]byte, w*h)
	r := io.NewSectionReader(f.in, f.pixels, f.in.Size()-f.pixels)
	in := newByteReader(r)
	x, y := 0, 0
	put := func(v byte) {
		if x < w && y < h {
			at := y
			if !f.topDown {
				at = h - 1 - y
			}
			index[at*w+x] = v
		}
		x++
	}
	for y < h {
		n, v, ok := in.pair()
		switch {
		case !ok:
			return index, false
		case n > 0:
			f.run(min(int(n), max(0, w-x)), v, put) // what is beyond the row is not seen
		case v == 0:
			x, y = 0, y+1
		case v == 1:
			return index, true
		case v == 2:
			dx, dy, ok := in.pair()
			if !ok {
				return index, false
			}
			x, y = x+int(dx), y+int(dy)
		default:
			if !f.literal(int(v), in, put) {
				return index, false
			}
		}
	}
	return index, true
}

func (f *bmpFile) run(n int, v byte, put func(byte)) {
	for i := range n {
		switch {
		case f.bpp == 8:
			put(v)
		case i%2 == 0:
			put(v >> 4)
		default:
			put(v & 15)
		}
	}
}

// literal copies n pixels; their bytes are padded to an even number.
func (f *bmpFile) literal(n int, in *byteReader, put func(byte)) bool {
	size := n
	if f.bpp == 4 {
		size = (n + 1) / 2
	}
	for i := range (size + 1) / 2 {
		a, b, ok := in.pair()
		if !ok {
			return false
		}
		for j, v := range [2]byte{a, b} {
			at := 2*i + j
			switch {
			case f.bpp == 8 && at < n:
				put(v)
			case f.bpp == 4 && 2*at < n:
				put(v >> 4)
				if 2*at+1 < n {
					put(v & 15)
				}
			}
		}
	}
	return true
}

// byteReader reads pairs of bytes.
type byteReader struct {
	r    io.Reader
	buf  [4096]byte
	rest []byte
}

func newByteReader(r io.Reader) *byteReader { return &byteReader{r: r} }

func (b *byteReader) pair() (x, y byte, ok bool) {
	if len(b.rest) < 2 {
		n, _ := io.ReadFull(b.r, b.buf[:])
		if b.rest = b.buf[:n]; n < 2 {
			return 0, 0, false
		}
	}
	x, y = b.rest[0], b.rest[1]
	b.rest = b.rest[2:]
	return x, y, true
}
