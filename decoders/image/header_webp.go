package image

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// webpFile is a WebP (RFC 9649).
type webpFile struct {
	header
	in       readapi.Input
	extended bool
	still    webpImage
	pieces   []webpFrame
	played   *canvas
}

// webpImage is where the coded pixels of one picture lie.
type webpImage struct {
	alpha    span // ALPH
	data     span // VP8 or VP8L
	lossless bool
}

type webpFrame struct {
	x, y, w, h int64
	delayMS    int64
	blend      bool // draw over what is there; else replace
	clear      bool // make the area transparent afterwards
	image      webpImage
}

func openWebP(in readapi.Input) (file, error) {
	f := &webpFile{header: blank("webp"), in: in}
	f.scan()
	switch {
	case f.animated && len(f.pieces) == 0, !f.animated && f.still.data.n == 0:
		return f, pdk.Malformed("webp without a picture")
	case f.animated:
		f.frames = int64(len(f.pieces))
		f.lossy = !f.pieces[0].image.lossless
		f.animated = f.frames > 1
	default:
		w, h, alpha := f.still.bounds(in)
		if f.extended && (w != f.width || h != f.height) {
			return f, pdk.Malformed("webp canvas and picture have different sizes")
		}
		f.width, f.height, f.lossy = w, h, !f.still.lossless
		f.alpha = alpha || f.still.alpha.n > 0
	}
	if f.lossy {
		f.color = "ycbcr"
	}
	return f, f.checked()
}

func (f *webpFile) head() *header { return &f.header }

// chunks calls visit for each RIFF chunk between off and end, with where its data lies; a chunk that the file cuts short ends there.
func chunks(in readapi.Input, off, end int64, visit func(name string, c span)) {
	var h [8]byte
	for end = min(end, in.Size()); off+8 <= end && readInto(in, h[:], off); {
		n := int64(binary.LittleEndian.Uint32(h[4:]))
		visit(string(h[:4]), span{off + 8, min(n, end-off-8)})
		off += 8 + n + n&1
	}
}

func (f *webpFile) scan() {
	chunks(f.in, 12, f.in.Size(), func(name string, c span) {
		switch name {
		case "VP8X":
			var b [10]byte
			if c.n < int64(len(b)) || !readInto(f.in, b[:], c.off) || f.extended {
				return
			}
			f.extended = true
			f.width, f.height = u24(b[4:])+1, u24(b[7:])+1
			f.animated, f.alpha = b[0]&2 != 0, b[0]&16 != 0
		case "ANIM":
			if b := readUpTo(f.in, c.off, 6); len(b) == 6 {
				f.loop = int64(binary.LittleEndian.Uint16(b[4:]))
			}
		case "ANMF":
			f.frameChunk(c)
		case "ALPH", "VP8 ", "VP8L":
			if !f.animated {
				f.still.take(name, c)
			}
		case "ICCP":
			f.icc = true
			f.profile = wholeProfile(f.in, c)
		case "EXIF":
			f.readEXIF(readUpTo(f.in, c.off, min(c.n, maxPNGMetadata)))
		case "XMP ":
			f.readXMP(readUpTo(f.in, c.off, min(c.n, maxPNGMetadata)))
		}
	})
}

func (f *webpFile) frameChunk(c span) {
	var b [16]byte
	if !f.animated || c.n < int64(len(b)) || !readInto(f.in, b[:], c.off) {
		return
	}
	if len(f.pieces) == maxRecorded {
		f.atLeast = true
		return
	}
	p := webpFrame{
		x: 2 * u24(b[0:]), y: 2 * u24(b[3:]), w: u24(b[6:]) + 1, h: u24(b[9:]) + 1, delayMS: u24(b[12:]),
		blend: b[15]&2 == 0, clear: b[15]&1 != 0,
	}
	chunks(f.in, c.off+16, c.off+c.n, p.image.take)
	f.pieces = append(f.pieces, p)
	f.durationMS += p.delayMS
}

// take keeps the first picture and the alpha plane before it.
func (m *webpImage) take(name string, c span) {
	switch {
	case m.data.n > 0:
	case name == "ALPH":
		m.alpha = c
	case name == "VP8 ", name == "VP8L":
		m.data, m.lossless = c, name == "VP8L"
	}
}

// bounds reads the size out of the coded picture itself: that is what a decoder would allocate by.
func (m *webpImage) bounds(in readapi.Input) (w, h int64, alpha bool) {
	b := readUpTo(in, m.data.off, min(m.data.n, 10))
	switch {
	case m.lossless && len(b) >= 5 && b[0] == 0x2f: // RFC 9649, 3.4
		v := binary.LittleEndian.Uint32(b[1:])
		return int64(v&0x3fff) + 1, int64(v>>14&0x3fff) + 1, v>>28&1 != 0
	case !m.lossless && len(b) == 10 && b[0]&1 == 0 && b[3] == 0x9d && b[4] == 1 && b[5] == 0x2a: // RFC 6386, 9.1
		return int64(binary.LittleEndian.Uint16(b[6:]) & 0x3fff), int64(binary.LittleEndian.Uint16(b[8:]) & 0x3fff), false
	}
	return 0, 0, false
}

func u24(b []byte) int64 { return int64(b[0]) | int64(b[1])<<8 | int64(b[2])<<16 }
