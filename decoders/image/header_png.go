package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/hex"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// pngFile is a PNG or APNG (W3C PNG, third edition). The default picture is frame 1 even where the animation does not use it.
type pngFile struct {
	header
	in        readapi.Input
	colorType byte
	interlace bool
	plte      span
	trns      span
	idat      int64 // offset of the first IDAT chunk; 0: none
	profiles  int   // metadata chunks that were looked into
	pieces    []pngFrame
	played    *canvas
}

// pngFrame is one frame of an animation: fcTL, and where its data begins.
type pngFrame struct {
	x, y, w, h int64
	delayMS    int64
	dispose    byte
	blend      byte
	data       int64 // offset of the first fdAT chunk, or of the first IDAT when inIDAT
	inIDAT     bool
}

const (
	// maxPNGMetadata bounds what is read of one metadata chunk, before and after inflating it.
	maxPNGMetadata = 256 << 10
	// maxProfiles bounds how many such chunks are looked into.
	maxProfiles = 8
	// maxRecorded bounds how many frames of an animation or pages of a TIFF are kept.
	maxRecorded = 1 << 14
)

func openPNG(in readapi.Input) (file, error) {
	f := &pngFile{header: blank("png"), in: in}
	var ihdr [33]byte
	if !readInto(in, ihdr[:], 0) || string(ihdr[12:16]) != "IHDR" || binary.BigEndian.Uint32(ihdr[8:]) != 13 {
		return nil, pdk.Malformed("png without a header chunk")
	}
	f.width = int64(binary.BigEndian.Uint32(ihdr[16:]))
	f.height = int64(binary.BigEndian.Uint32(ihdr[20:]))
	f.depth, f.colorType, f.interlace = int(ihdr[24]), ihdr[25], ihdr[28] != 0
	switch f.colorType {
	case 0, 4:
		f.color = "gray"
	case 3:
		f.color = "palette"
	}
	f.alpha = f.colorType&4 != 0
	if f.width > 1<<31-1 || f.height > 1<<31-1 {
		return f, pdk.Malformed("png size out of range")
	}
	if err := f.checked(); err != nil {
		return f, err
	}
	f.scan()
	return f, nil
}

func (f *pngFile) head() *header { return &f.header }

// scan walks the chunks behind IHDR. Checksums are not looked at: a reader that shows a picture with a wrong one is what people have.
func (f *pngFile) scan() {
	var declared, plays int64 = -1, 0
	var open *pngFrame // a fcTL whose data has not come yet
	var h [8]byte
	for off := int64(33); readInto(f.in, h[:], off); {
		n, name := int64(binary.BigEndian.Uint32(h[:])), string(h[4:])
		data := span{off + 8, n}
		switch name {
		case "IEND":
			f.animation(declared, plays)
			return
		case "PLTE":
			f.plte = data
		case "tRNS":
			f.trns, f.alpha = data, true
		case "iCCP":
			f.icc = true
			f.profile = wholeProfile(f.in, data)
			f.profile.chunk = true
		case "acTL":
			if b := readUpTo(f.in, data.off, 8); len(b) == 8 && f.idat == 0 {
				if declared >= 0 { // a second one: nobody knows which is right, so it is a still picture
					declared, plays = 0, 0
					break
				}
				declared, plays = int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))
			}
		case "fcTL":
			open = f.control(data)
		case "IDAT":
			if f.idat == 0 {
				f.idat = off
				f.take(open, off, true)
				open = nil
			}
		case "fdAT":
			f.take(open, off, false)
			open = nil
		default:
			f.describe(name, data)
		}
		off += 12 + n
	}
	f.animation(declared, plays)
}

// control reads a fcTL chunk; nil when it cannot be of this picture.
func (f *pngFile) control(c span) *pngFrame {
	var b [26]byte
	if c.n != int64(len(b)) || !readInto(f.in, b[:], c.off) {
		return nil
	}
	u := func(i int) int64 { return int64(binary.BigEndian.Uint32(b[i:])) }
	p := &pngFrame{w: u(4), h: u(8), x: u(12), y: u(16), dispose: b[24], blend: b[25]}
	num, den := int64(binary.BigEndian.Uint16(b[20:])), int64(binary.BigEndian.Uint16(b[22:]))
	if den == 0 {
		den = 100
	}
	p.delayMS = num * 1000 / den
	if p.w == 0 || p.h == 0 || p.x+p.w > f.width || p.y+p.h > f.height || p.dispose > 2 || p.blend > 1 {
		return nil
	}
	return p
}

func (f *pngFile) take(p *pngFrame, off int64, inIDAT bool) {
	if p == nil {
		return
	}
	if len(f.pieces) == maxRecorded {
		f.atLeast = true
		return
	}
	p.data, p.inIDAT = off, inIDAT
	f.pieces = append(f.pieces, *p)
}

// animation believes acTL only as far as there are frames. A count out of range means that the file is a still picture to every reader.
func (f *pngFile) animation(declared, plays int64) {
	if declared <= 0 || declared > 1<<31-1 || len(f.pieces) == 0 {
		f.pieces = nil
		return
	}
	f.pieces = f.pieces[:min(int64(len(f.pieces)), declared)]
	f.frames = int64(len(f.pieces))
	if !f.pieces[0].inIDAT { // the default picture comes first and is not part of the animation
		f.frames++
	}
	f.animated, f.loop = f.frames > 1, plays
	for _, p := range f.pieces {
		f.durationMS += p.delayMS
	}
}

// describe reads what a metadata chunk says of orientation and place.
func (f *pngFile) describe(name string, c span) {
	switch name {
	case "eXIf", "zTXt", "tEXt", "iTXt", "tIME":
		f.metadata = true
	}
	if f.profiles == maxProfiles {
		return
	}
	switch name {
	case "eXIf":
		f.profiles++
		f.readEXIF(readUpTo(f.in, c.off, min(c.n, maxPNGMetadata)))
	case "iTXt":
		if string(readUpTo(f.in, c.off, min(c.n, int64(len(xmpKeyword))))) == xmpKeyword {
			f.profiles++
			f.readXMP(itxtText(readUpTo(f.in, c.off, min(c.n, maxPNGMetadata))[len(xmpKeyword):]))
		}
	case "zTXt", "tEXt":
		const keyword = "Raw profile type "
		if string(readUpTo(f.in, c.off, min(c.n, int64(len(keyword))))) == keyword {
			f.profiles++
			f.rawProfile(name, readUpTo(f.in, c.off, min(c.n, maxPNGMetadata)))
		}
	}
}

// rawProfile reads EXIF that ImageMagick and ExifTool put into a text chunk: a keyword, then lines of a name, a length, and hex digits.
func (f *pngFile) rawProfile(name string, b []byte) {
	keyword, text, ok := bytes.Cut(b, []byte{0})
	if !ok || string(keyword) != "Raw profile type exif" && string(keyword) != "Raw profile type APP1" {
		return
	}
	if name == "zTXt" && len(text) > 0 {
		r, err := zlib.NewReader(bytes.NewReader(text[1:]))
		if err != nil {
			return
		}
		text, _ = io.ReadAll(io.LimitReader(r, maxPNGMetadata))
	}
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return
	}
	digits := bytes.Join(fields[2:], nil)
	raw := make([]byte, len(digits)/2)
	n, _ := hex.Decode(raw, digits[:len(raw)*2])
	f.readEXIF(raw[:n])
}

// readEXIF takes orientation and place from an EXIF block; the first block that has an orientation decides.
func (h *header) readEXIF(b []byte) {
	h.metadata = true
	if len(b) > 6 && string(b[:5]) == "Exif\x00" { // JPEG's prefix, which writers of other formats keep
		b = b[6:]
	}
	e := parseEXIF(b)
	if !h.exif && e.orientation != 0 {
		h.orientation, h.oriented, h.exif = e.orientation, true, true
	}
	h.gps = h.gps || e.gps
}
