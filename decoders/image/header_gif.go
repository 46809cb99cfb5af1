package image

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// gifFile is a GIF (GIF89a specification).
type gifFile struct {
	header
	in         readapi.Input
	global     span // colour table: where, and how many bytes
	background byte
	pieces     []gifFrame
	cut        bool // the file ends within a block
	open       bool // or between two, before its trailer
	played     *canvas
}

type gifFrame struct {
	x, y, w, h  int64
	table       span  // its own colours; n 0: the global ones
	data        int64 // offset of the code size
	interlace   bool
	transparent int16 // index; -1: none
	dispose     byte
	delayMS     int64
}

func openGIF(in readapi.Input) (file, error) {
	f := &gifFile{header: blank("gif"), in: in}
	f.color, f.loop = "palette", 1
	var b [13]byte
	if !readInto(in, b[:], 0) {
		return nil, pdk.Malformed("gif without a screen descriptor")
	}
	f.width, f.height = int64(binary.LittleEndian.Uint16(b[6:])), int64(binary.LittleEndian.Uint16(b[8:]))
	f.background = b[11]
	off := int64(len(b))
	if b[10]&0x80 != 0 {
		f.global = span{off, 3 << (1 + b[10]&7)}
		off += f.global.n
	}
	f.scan(off)
	if len(f.pieces) > 0 { // a first picture that the screen cannot hold makes the screen larger, as every reader does
		f.width = max(f.width, f.pieces[0].x+f.pieces[0].w)
		f.height = max(f.height, f.pieces[0].y+f.pieces[0].h)
	}
	f.frames = max(1, int64(len(f.pieces)))
	f.animated = f.frames > 1
	f.cut = f.cut || f.open && f.animated // who draws one picture and forgets the trailer has lost nothing
	return f, f.checked()
}

func (f *gifFile) head() *header { return &f.header }

// scan walks the blocks and keeps where each picture lies.
func (f *gifFile) scan(off int64) {
	control := gifFrame{transparent: -1}
	var b [10]byte
	for junk := 0; junk <= maxJunk && readInto(f.in, b[:1], off); {
		switch b[0] {
		case 0x21:
			if !readInto(f.in, b[:2], off) {
				f.cut = true
				return
			}
			f.extension(b[1], off+2, &control)
			off = f.skipBlocks(off + 2)
		case 0x2c:
			if !readInto(f.in, b[:9], off+1) {
				f.cut = true
				return
			}
			off = f.picture(control, b[:9], off+10)
			control = gifFrame{transparent: -1}
		case 0x3b:
			return
		default: // zero bytes and other padding between blocks
			off++
			junk++
		}
		if off < 0 {
			f.cut = true
			return
		}
	}
	f.open = true
}

// picture keeps the picture whose descriptor is b, and returns where the next block begins, -1 at the end of the file.
func (f *gifFile) picture(p gifFrame, b []byte, off int64) int64 {
	u := func(i int) int64 { return int64(binary.LittleEndian.Uint16(b[i:])) }
	p.x, p.y, p.w, p.h = u(0), u(2), u(4), u(6)
	p.interlace = b[8]&0x40 != 0
	if b[8]&0x80 != 0 {
		p.table = span{off, 3 << (1 + b[8]&7)}
		off += p.table.n
	}
	p.data = off
	var first [2]byte
	if !readInto(f.in, first[:], off) {
		return -1
	}
	if len(f.pieces) == maxRecorded {
		f.atLeast = true
	} else {
		f.pieces = append(f.pieces, p)
		f.durationMS += p.delayMS
		f.alpha = f.alpha || p.transparent >= 0
	}
	return f.skipBlocks(off + 1)
}

func (f *gifFile) extension(label byte, off int64, control *gifFrame) {
	switch label {
	case 0xf9:
		var b [5]byte
		if !readInto(f.in, b[:], off) || b[0] < 4 {
			return
		}
		control.dispose = b[1] >> 2 & 7
		control.delayMS = int64(binary.LittleEndian.Uint16(b[2:])) * 10
		control.transparent = -1
		if b[1]&1 != 0 {
			control.transparent = int16(b[4])
		}
	case 0xff:
		b := readUpTo(f.in, off, 17)
		switch {
		case len(b) >= 16 && (string(b[1:12]) == "NETSCAPE2.0" || string(b[1:12]) == "ANIMEXTS1.0") && b[12] >= 3 && b[13] == 1:
			f.loop = int64(b[14]) | int64(b[15])<<8
		case len(b) >= 12 && string(b[1:12]) == "ICCRGBG1012":
			f.icc = true
		default:
			f.metadata = true // XMP and whatever else a program left
		}
	case 0xfe, 0x01:
		f.metadata = true
	}
}

// skipBlocks returns the offset behind the sub-blocks at off, -1 when the file ends first.
func (f *gifFile) skipBlocks(off int64) int64 {
	var n [1]byte
	for readInto(f.in, n[:], off) {
		off += 1 + int64(n[0])
		if n[0] == 0 {
			return off
		}
	}
	return -1
}
