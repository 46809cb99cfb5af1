package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// original returns the file itself, and its media type, where that may leave in place of e: it was asked for, e is the whole picture in its
// own size, and by a strict walk of its structure the file holds what makes the pixels and not a byte more. Else it returns nil.
func (a *answer) original(f file, e encoded) (readapi.MediaType, []byte) {
	h := f.head()
	size := a.in.Size()
	switch {
	case !a.req.Original, h.animated, h.frames != 1, h.orientation != 1, h.metadata, h.icc, h.gps:
		return "", nil
	case h.width != int64(e.width), h.height != int64(e.height), a.terms.maxBytes > 0 && size > a.terms.maxBytes:
		return "", nil
	}
	m := readapi.MediaType("image/" + h.format)
	if !a.req.TakesImage(m) {
		return "", nil
	}
	b := readUpTo(a.in, 0, size)
	if int64(len(b)) != size {
		return "", nil
	}
	if h.format == "png" && barePNG(b) || h.format == "jpeg" && !a.idle && bareJPEG(b) {
		return m, b
	}
	return "", nil
}

// barePNG reports whether b is a PNG of critical chunks and tRNS alone, in order, with right checksums, whose pixel data ends where its
// last chunk does.
func barePNG(b []byte) bool {
	r := &idat{rest: b[len(pngMagic):]}
	ihdr, ok := r.chunk("IHDR")
	if !ok || len(ihdr) != 13 {
		return false
	}
	depth, colorType := int64(ihdr[8]), ihdr[9]
	w, h := int64(binary.BigEndian.Uint32(ihdr)), int64(binary.BigEndian.Uint32(ihdr[4:]))
	if colorType > 6 || depth > 16 {
		return false
	}
	plte, ok := r.chunk("PLTE")
	if ok != (colorType == 3) || len(plte)%3 != 0 || len(plte) > 3<<depth { // a suggested palette is not needed
		return false
	}
	if trns, ok := r.chunk("tRNS"); ok && (colorType&4 != 0 || len(trns) > map[byte]int{0: 2, 2: 6, 3: len(plte) / 3}[colorType]) {
		return false
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return false
	}
	f := pngFile{colorType: colorType, interlace: ihdr[12] != 0}
	f.depth = int(depth)
	want := f.inflated(w, h)
	n, err := io.Copy(io.Discard, io.LimitReader(z, want+1))
	if err != nil || n != want || len(r.data) > 0 {
		return false
	}
	if more, ok := r.chunk("IDAT"); ok && len(more) > 0 {
		return false
	}
	end, ok := r.chunk("IEND")
	return ok && len(end) == 0 && len(r.rest) == 0
}

// idat reads what the IDAT chunks at the beginning of rest hold, byte by byte, so that nobody reads on behind the end of a stream.
type idat struct {
	rest, data []byte
}

// chunk takes the chunk called name from the beginning of rest; ok is false when another one comes, or none that is whole.
func (r *idat) chunk(name string) (data []byte, ok bool) {
	b := r.rest
	if len(b) < 12 || string(b[4:8]) != name {
		return nil, false
	}
	n := uint64(binary.BigEndian.Uint32(b))
	if n > uint64(len(b)-12) || crc32.ChecksumIEEE(b[4:8+n]) != binary.BigEndian.Uint32(b[8+n:]) {
		return nil, false
	}
	r.rest = b[12+n:]
	return b[8 : 8+n], true
}

// ReadByte makes an idat an io.ByteReader, which compress/flate then reads no byte too many of.
func (r *idat) ReadByte() (byte, error) {
	for len(r.data) == 0 {
		var ok bool
		if r.data, ok = r.chunk("IDAT"); !ok {
			return 0, io.EOF
		}
	}
	c := r.data[0]
	r.data = r.data[1:]
	return c, nil
}

func (r *idat) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(r.data) == 0 {
		c, err := r.ReadByte()
		if err != nil {
			return 0, err
		}
		p[0] = c
		return 1, nil
	}
	n := copy(p, r.data)
	r.data = r.data[n:]
	return n, nil
}

// bareJPEG reports whether b is a JPEG of one or three components of 8 bits with nothing in it but what decodes it: no application data but
// JFIF without a thumbnail and Adobe's colour transform, no comment, no table that nothing is decoded with, no byte between segments or
// behind the end. What lies in coded data behind its last pixel is the decoder's to find.
func bareJPEG(b []byte) bool {
	var t jpegTables
	frames := 0
	for i := 2; i+4 <= len(b); {
		marker := b[i+1]
		n := int(binary.BigEndian.Uint16(b[i+2:]))
		if b[i] != 0xff || n < 2 || i+2+n > len(b) {
			return false
		}
		data := b[i+4 : i+2+n]
		switch marker {
		case 0xc0, 0xc1, 0xc2: // SOF: baseline, extended, progressive
			if frames++; frames > 1 || !commonFrame(data) {
				return false
			}
			t.frame(data, marker == 0xc2)
		case 0xc4: // DHT
			if !t.huffman(data) {
				return false
			}
		case 0xdb: // DQT
			if !t.quantisation(data) {
				return false
			}
		case 0xdd: // DRI
			if len(data) != 2 {
				return false
			}
		case 0xe0:
			if len(data) != 14 || !bytes.HasPrefix(data, []byte("JFIF\x00")) || data[12] != 0 || data[13] != 0 {
				return false
			}
		case 0xee: // Adobe: a version, two flags and the transform
			if len(data) != 12 || !bytes.HasPrefix(data, []byte("Adobe")) {
				return false
			}
		case 0xda:
			if !t.scan(data) {
				return false
			}
			i = scanEnd(b, i+2+n)
			if i+2 == len(b) && b[i] == 0xff && b[i+1] == 0xd9 {
				return frames == 1 && t.idle == 0
			}
			continue
		default:
			return false
		}
		i += 2 + n
	}
	return false
}

// jpegTables follows which tables of a JPEG are used.
type jpegTables struct {
	quant, needed uint8  // the quantisation tables that are there, and that the frame needs
	idle          uint16 // the Huffman tables that no scan has used yet: those of first coefficients, then the others
	progressive   bool
}

func (t *jpegTables) frame(data []byte, progressive bool) {
	t.progressive = progressive
	for i := 8; i < len(data); i += 3 {
		t.needed |= 1 << (data[i] & 7)
	}
}

// quantisation takes a DQT segment (T.81, B.2.4.1); false when there is more in it than tables, or one again.
func (t *jpegTables) quantisation(data []byte) bool {
	for len(data) > 0 {
		id, size := data[0]&15, 1+64<<min(data[0]>>4, 1)
		if id > 3 || len(data) < size || t.quant>>id&1 != 0 {
			return false
		}
		t.quant |= 1 << id
		data = data[size:]
	}
	return true
}

// huffman takes a DHT segment (T.81, B.2.4.2); false when there is more in it than tables, or one in the place of another that nothing used.
func (t *jpegTables) huffman(data []byte) bool {
	for len(data) > 0 {
		if len(data) < 17 || data[0]>>4 > 1 || data[0]&15 > 3 {
			return false
		}
		size := 17
		for _, n := range data[1:17] {
			size += int(n)
		}
		bit := uint16(1) << (data[0]>>4*4 + data[0]&15)
		if len(data) < size || t.idle&bit != 0 {
			return false
		}
		t.idle |= bit
		data = data[size:]
	}
	return true
}

// scan takes a scan header (T.81, B.2.3); false when there is more in it than that, or the frame does not need all tables.
func (t *jpegTables) scan(data []byte) bool {
	if len(data) < 4 || len(data) != 4+2*int(data[0]) || t.quant != t.needed {
		return false
	}
	end := data[len(data)-3:]
	for i := 2; i+3 < len(data); i += 2 {
		dc, ac := uint16(1)<<(data[i]>>4&3), uint16(1)<<(4+data[i]&3)
		if !t.progressive || end[0] == 0 && end[2]>>4 == 0 {
			t.idle &^= dc
		}
		if !t.progressive || end[1] > 0 {
			t.idle &^= ac
		}
	}
	return true
}

// commonFrame reports whether a frame header is of one or three components of 8 bits, with no less luma than chroma and no more than twice
// as much a side: what every reader takes.
func commonFrame(data []byte) bool {
	if len(data) < 6 || data[0] != 8 || data[5] != 1 && data[5] != 3 || len(data) != 6+3*int(data[5]) {
		return false
	}
	if data[5] == 1 {
		return true
	}
	luma := data[7]
	return luma>>4 <= 2 && luma&15 <= 2 && data[10] == 0x11 && data[13] == 0x11
}

// scanEnd is where the coded data from off on ends: at a marker that is neither a stuffed byte nor the restart that is due.
func scanEnd(b []byte, off int) int {
	for due := byte(0xd0); off+1 < len(b); off++ {
		switch c := b[off+1]; {
		case b[off] != 0xff || c == 0:
		case c == due:
			due = 0xd0 | (due+1)&7
		default:
			return off
		}
	}
	return off
}

// inflated is how much the pixels of w by h inflate to: each row with its filter, each pass of Adam7 on its own (PNG, third edition, 8.2).
func (f *pngFile) inflated(w, h int64) int64 {
	bits := int64(f.depth) * map[byte]int64{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[f.colorType]
	if !f.interlace {
		return h * (1 + (w*bits+7)/8)
	}
	var n int64
	for _, p := range [7][4]int64{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0}, {1, 2, 0, 1}} {
		pw, ph := (w-p[2]+p[0]-1)/p[0], (h-p[3]+p[1]-1)/p[1]
		if pw > 0 && ph > 0 {
			n += ph * (1 + (pw*bits+7)/8)
		}
	}
	return n
}
