package image

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/adler32"
	"hash/crc32"
	"image/png"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame decodes the default picture (1) or composes a frame of the animation. The standard library gets a stream of our own making with
// nothing in it but header, palette, transparency and pixels: what else a file holds cannot hurt, wrong checksums do not matter, and
// a frame of an animation looks like a picture of its own.
func (f *pngFile) frame(at int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, f.bytesPerPixel()); err != nil {
		return picture{}, err
	}
	first := int64(1) // frame number of the first piece
	if len(f.pieces) == 0 || !f.pieces[0].inIDAT {
		first = 2
	}
	if at < first || len(f.pieces) == 0 {
		if err := b.spend(f.width, f.height); err != nil {
			return picture{}, err
		}
		r, missing, err := f.decode(f.idat, true, f.width, f.height)
		return picture{raster: r, orientation: f.orientation, partial: missing}, err
	}
	return f.composed(at-first+1, b)
}

// composed plays the animation up to its frame at.
func (f *pngFile) composed(at int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, 4+f.bytesPerPixel()); err != nil {
		return picture{}, err
	}
	if f.played == nil {
		f.played = newCanvas(int(f.width), int(f.height), [4]byte{})
	}
	missing := ""
	err := f.played.play(at, func(at int64) (layer, error) {
		p := f.pieces[at-1]
		if err := b.spend(p.w, p.h); err != nil {
			return layer{}, err
		}
		r, lost, err := f.decode(p.data, p.inIDAT, p.w, p.h)
		missing += lost
		l := layer{raster: r, x: int(p.x), y: int(p.y), over: p.blend == 1, dispose: disposal(p.dispose)}
		if at == 1 && l.dispose == disposeRestore { // PNG, third edition, 11.3.6.2: there is nothing to restore
			l.dispose = disposeClear
		}
		return l, err
	})
	if missing != "" {
		missing = pngMissing
	}
	return picture{raster: &f.played.nrgba, orientation: f.orientation, partial: missing}, err
}

const pngMissing = "the pixel data is damaged or cut"

// decode decodes w by h pixels whose chunks begin at off. Where the data is damaged it decodes what there is, and says so.
func (f *pngFile) decode(off int64, idat bool, w, h int64) (r raster, missing string, err error) {
	if off == 0 {
		return nil, "", pdk.Malformed("no pixels")
	}
	img, err := png.Decode(f.stream(&pngData{in: f.in, off: off, idat: idat}, w, h))
	if _, ok := err.(png.UnsupportedError); ok {
		return nil, "", pdk.Unsupported("png colour type and bit depth")
	}
	if err != nil {
		whole := &pngRepair{left: f.rawBytes(w, h)}
		data := &pngData{in: f.in, off: off, idat: idat}
		if head := make([]byte, 2); !readFull(data, head) {
			return nil, "", pdk.Malformed("no pixels")
		}
		whole.inflate = flate.NewReader(data)
		if img, err = png.Decode(f.stream(whole, w, h)); err != nil || !whole.some {
			return nil, "", pdk.Malformed("no pixels that can be decoded")
		}
		if whole.padded {
			missing = pngMissing
		}
	}
	return fromStd(img), missing, nil
}

func readFull(r io.Reader, b []byte) bool {
	_, err := io.ReadFull(r, b)
	return err == nil
}

// bytesPerPixel is what the standard library decodes a pixel to; an interlaced picture takes half as much again for its last pass.
func (f *pngFile) bytesPerPixel() int64 {
	n := int64(1)
	if f.colorType == 2 || f.colorType == 4 || f.colorType == 6 || f.colorType == 0 && f.trns.n > 0 {
		n = 4
	}
	if f.depth == 16 {
		n = max(2, 2*n)
	}
	if f.interlace {
		n += (n + 1) / 2
	}
	return n
}

// stream is a PNG of w by h with the pixels that data inflates to.
func (f *pngFile) stream(data io.Reader, w, h int64) io.Reader {
	ihdr := readUpTo(f.in, 16, 13)
	binary.BigEndian.PutUint32(ihdr, uint32(w))
	binary.BigEndian.PutUint32(ihdr[4:], uint32(h))
	head := appendChunk([]byte(pngMagic), "IHDR", ihdr)
	const most = 768 // 256 colours; more cannot be right
	if f.plte.n > 0 && f.plte.n <= most && (f.colorType == 3 || f.plte.n%3 == 0 && f.colorType&2 != 0) {
		head = appendChunk(head, "PLTE", readUpTo(f.in, f.plte.off, f.plte.n))
	}
	if f.trns.n > 0 && f.trns.n <= 256 && f.colorType&4 == 0 {
		head = appendChunk(head, "tRNS", readUpTo(f.in, f.trns.off, f.trns.n))
	}
	return &pngStream{pending: head, data: data, buf: make([]byte, 16<<10)}
}

func appendChunk(dst []byte, name string, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	start := len(dst)
	dst = append(append(dst, name...), data...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

// pngStream cuts data into IDAT chunks behind a head.
type pngStream struct {
	pending []byte
	data    io.Reader
	buf     []byte
	out     []byte
	ended   bool
}

func (s *pngStream) Read(p []byte) (int, error) {
	for len(s.pending) == 0 {
		if s.ended {
			return 0, io.EOF
		}
		n, err := io.ReadFull(s.data, s.buf)
		s.out = s.out[:0]
		if n > 0 {
			s.out = appendChunk(s.out, "IDAT", s.buf[:n])
		}
		if err != nil {
			s.ended = true
			s.out = appendChunk(s.out, "IEND", nil)
		}
		s.pending = s.out
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	return n, nil
}

// pngData is what the consecutive IDAT (or fdAT) chunks from off hold.
type pngData struct {
	in   readapi.Input
	off  int64
	idat bool
	left int64 // of the current chunk
}

func (d *pngData) Read(p []byte) (int, error) {
	for d.left == 0 {
		var h [8]byte
		if !readInto(d.in, h[:], d.off) {
			return 0, io.EOF
		}
		n := int64(binary.BigEndian.Uint32(h[:]))
		switch name := string(h[4:]); {
		case d.idat && name == "IDAT":
			d.off, d.left = d.off+8, n
		case !d.idat && name == "fdAT" && n >= 4: // a sequence number comes first
			d.off, d.left = d.off+12, n-4
		default:
			return 0, io.EOF
		}
		if d.left == 0 {
			d.off += 4
		}
	}
	p = p[:min(int64(len(p)), d.left)]
	n, err := d.in.ReadAt(p, d.off)
	if n == 0 {
		return 0, io.EOF
	}
	if err != nil && err != io.EOF {
		return n, err
	}
	d.off, d.left = d.off+int64(n), d.left-int64(n)
	if d.left == 0 {
		d.off += 4 // the checksum
	}
	return n, nil
}

// rawBytes is how much the pixels of w by h inflate to: each row with its filter, each pass of Adam7 on its own.
func (f *pngFile) rawBytes(w, h int64) int64 {
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

// pngRepair is a sound zlib stream of exactly left bytes: what inflate gives, then zeros. The bytes are stored, not compressed.
type pngRepair struct {
	inflate io.Reader
	left    int64
	some    bool // inflate gave something
	padded  bool // and not everything
	begun   bool
	done    bool
	sum     uint32
	pending bytes.Buffer
}

func (r *pngRepair) Read(p []byte) (int, error) {
	if r.pending.Len() == 0 && !r.fill() {
		return 0, io.EOF
	}
	return r.pending.Read(p)
}

// fill makes the next stored block (RFC 1951, 3.2.4), or the end of the stream (RFC 1950, 2.2).
func (r *pngRepair) fill() bool {
	if r.done {
		return false
	}
	if !r.begun {
		r.begun, r.sum = true, 1
		r.pending.Write([]byte{0x78, 0x01})
	}
	block := make([]byte, min(r.left, 32<<10))
	if !r.padded {
		n, err := io.ReadFull(r.inflate, block)
		r.some = r.some || n > 0
		r.padded = err != nil && len(block) > 0
		clear(block[n:])
	}
	r.left -= int64(len(block))
	r.done = r.left == 0
	head := []byte{0, byte(len(block)), byte(len(block) >> 8), ^byte(len(block)), ^byte(len(block) >> 8)}
	if r.done {
		head[0] = 1
	}
	r.pending.Write(head)
	r.pending.Write(block)
	r.sum = extendAdler(r.sum, block)
	if r.done {
		r.pending.Write(binary.BigEndian.AppendUint32(nil, r.sum))
	}
	return true
}

// extendAdler continues the checksum of RFC 1950 over more bytes; hash/adler32 only begins one.
func extendAdler(sum uint32, b []byte) uint32 {
	const base = 65521
	more := adler32.Checksum(b)
	n := uint32(len(b) % base)
	a1, b1, a2, b2 := sum&0xffff, sum>>16, more&0xffff, more>>16
	lo := (a1 + a2 + base - 1) % base
	hi := uint32((uint64(b1) + uint64(b2) + uint64(n)*uint64((a1+base-1)%base)) % base)
	return hi<<16 | lo
}
