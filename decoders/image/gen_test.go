package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg/jpegtest"
)

// The generators of this package's tests make every file from scratch: no picture of anyone's is used. What most of them show is quarters:
// four colours that tell every orientation apart.

var (
	red   = color.NRGBA{200, 20, 30, 255}
	green = color.NRGBA{10, 180, 40, 255}
	blue  = color.NRGBA{20, 40, 220, 255}
	sand  = color.NRGBA{240, 220, 150, 255}
	none  = color.NRGBA{}
)

// quarter is the colour at (x, y) of a picture of w by h: red, green, blue, sand.
func quarter(x, y, w, h int) color.NRGBA {
	switch {
	case y < h/2 && x < w/2:
		return red
	case y < h/2:
		return green
	case x < w/2:
		return blue
	}
	return sand
}

func quarters(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, quarter(x, y, w, h))
		}
	}
	return m
}

// turned is what quarters(w, h), stored with an orientation, looks like when it is upright: the definition of EXIF 2.32, 4.6.4, written
// as the place of the stored 0th row and 0th column.
func turned(w, h, orientation int) *image.NRGBA {
	src := quarters(w, h)
	ow, oh := w, h
	if orientation >= 5 {
		ow, oh = h, w
	}
	out := image.NewNRGBA(image.Rect(0, 0, ow, oh))
	for y := range h {
		for x := range w {
			p := [9]image.Point{
				1: {x, y},                 // row: top, column: left
				2: {w - 1 - x, y},         // top, right
				3: {w - 1 - x, h - 1 - y}, // bottom, right
				4: {x, h - 1 - y},         // bottom, left
				5: {y, x},                 // left, top
				6: {h - 1 - y, x},         // right, top
				7: {h - 1 - y, w - 1 - x}, // right, bottom
				8: {y, w - 1 - x},         // left, bottom
			}[orientation]
			out.SetNRGBA(p.X, p.Y, src.NRGBAAt(x, y))
		}
	}
	return out
}

// plain is a picture of one colour.
func plain(w, h int, c color.NRGBA) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

// on draws m on a copy of under, at (x, y).
func on(under *image.NRGBA, x, y int, m *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(under.Rect)
	copy(out.Pix, under.Pix)
	for my := range m.Rect.Dy() {
		for mx := range m.Rect.Dx() {
			out.SetNRGBA(x+mx, y+my, m.NRGBAAt(mx, my))
		}
	}
	return out
}

// secret stands for what a person did not mean to send. It is put into every place of a file that is not pixels.
const secret = "SECRET-PLACE-48.8583N-2.2944E"

// entry is one directory entry of a TIFF or EXIF block.
type entry struct {
	tag, typ uint16
	values   []uint64 // numbers of typ
	raw      string   // or bytes, for types 1, 2 and 7
}

func short(tag uint16, v ...uint64) entry { return entry{tag: tag, typ: 3, values: v} }
func long(tag uint16, v ...uint64) entry  { return entry{tag: tag, typ: 4, values: v} }
func text(tag uint16, s string) entry     { return entry{tag: tag, typ: 2, raw: s + "\x00"} }

// tiffBuilder makes TIFF files, also such as no encoder would.
type tiffBuilder struct {
	order binary.AppendByteOrder
	big   bool
	b     []byte
}

func newTIFF(order binary.AppendByteOrder, big bool) *tiffBuilder {
	t := &tiffBuilder{order: order, big: big}
	mark := "MM"
	if order == binary.AppendByteOrder(binary.LittleEndian) {
		mark = "II"
	}
	t.b = append(t.b, mark...)
	if big {
		t.b = order.AppendUint16(t.b, 43)
		t.b = order.AppendUint16(t.b, 8)
		t.b = order.AppendUint16(t.b, 0)
		t.b = order.AppendUint64(t.b, 0)
		return t
	}
	t.b = order.AppendUint16(t.b, 42)
	t.b = order.AppendUint32(t.b, 0)
	return t
}

// data appends bytes and returns their offset.
func (t *tiffBuilder) data(b []byte) uint64 {
	if len(t.b)%2 != 0 {
		t.b = append(t.b, 0)
	}
	off := uint64(len(t.b))
	t.b = append(t.b, b...)
	return off
}

func (t *tiffBuilder) number(b []byte, typ uint16, v uint64) []byte {
	switch typ {
	case 1:
		return append(b, byte(v))
	case 3:
		return t.order.AppendUint16(b, uint16(v))
	case 16:
		return t.order.AppendUint64(b, v)
	}
	return t.order.AppendUint32(b, uint32(v))
}

// directory appends a directory with a next pointer of 0, and returns where it is and where its pointer is.
func (t *tiffBuilder) directory(entries ...entry) (at, next uint64) {
	var body []byte
	for _, e := range entries {
		v := []byte(e.raw)
		for _, n := range e.values {
			v = t.number(v, e.typ, n)
		}
		body = t.order.AppendUint16(body, e.tag)
		body = t.order.AppendUint16(body, e.typ)
		count := uint64(len(e.values) + len(e.raw))
		inline := 4
		if t.big {
			inline = 8
			body = t.order.AppendUint64(body, count)
		} else {
			body = t.order.AppendUint32(body, uint32(count))
		}
		if len(v) <= inline {
			body = append(body, append(v, make([]byte, inline-len(v))...)...)
		} else {
			body = t.offset(body, t.data(v))
		}
	}
	head := t.order.AppendUint16(nil, uint16(len(entries)))
	if t.big {
		head = t.order.AppendUint64(nil, uint64(len(entries)))
	}
	at = t.data(append(head, body...))
	next = uint64(len(t.b))
	t.b = t.offset(t.b, 0)
	return at, next
}

func (t *tiffBuilder) offset(b []byte, v uint64) []byte {
	if t.big {
		return t.order.AppendUint64(b, v)
	}
	return t.order.AppendUint32(b, uint32(v))
}

// point writes the offset to at the pointer.
func (t *tiffBuilder) point(pointer, to uint64) {
	copy(t.b[pointer:], t.offset(nil, to))
}

// root is where the header's pointer to the first directory is.
func (t *tiffBuilder) root() uint64 {
	if t.big {
		return 8
	}
	return 4
}

// exifBlock is an EXIF block with an orientation, a place and words.
func exifBlock(order binary.AppendByteOrder, orientation uint64) []byte {
	t := newTIFF(order, false)
	gps, _ := t.directory(text(1, "N"), text(29, secret))
	at, _ := t.directory(text(270, secret), short(tagOrientation, orientation), long(tagGPS, gps))
	t.point(t.root(), at)
	return t.b
}

// jpegOf encodes m in full quality with segments put behind SOI. A picture of NRGBA has edges, and gets as much chroma as luma.
func jpegOf(t testing.TB, m image.Image, segments ...[]byte) []byte {
	t.Helper()
	if n, ok := m.(*image.NRGBA); ok {
		return coded(n, 0, func(s *jpegtest.Spec) { s.Segments = segments })
	}
	var b bytes.Buffer
	must(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 100}))
	out := []byte{0xff, 0xd8}
	for _, s := range segments {
		out = append(out, s...)
	}
	return append(out, b.Bytes()[2:]...)
}

func jpegSegment(marker byte, data string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(data)+2)), data...)
}

// jpegHeader is a JPEG that ends behind its frame header.
func jpegHeader(sof byte, precision byte, w, h uint16, components int) []byte {
	d := []byte{precision}
	d = binary.BigEndian.AppendUint16(d, h)
	d = binary.BigEndian.AppendUint16(d, w)
	d = append(d, byte(components))
	for i := range components {
		d = append(d, byte(i+1), 0x11, 0)
	}
	return append([]byte{0xff, 0xd8}, jpegSegment(sof, string(d))...)
}

// progressive is a gray progressive JPEG of 16 by 16 in two scans: levels first, then detail, of which there is none.
func progressive() []byte {
	b := []byte{0xff, 0xd8}
	b = append(b, jpegSegment(0xdb, "\x00"+string(fill(64, 8)))...)
	b = append(b, jpegSegment(0xc2, "\x08\x00\x10\x00\x10\x01\x01\x11\x00")...)
	b = append(b, jpegSegment(0xc4, "\x00\x01\x01"+string(fill(14, 0))+"\x00\x05")...) // levels: 0 is "no change", 10 "a change of five bits"
	b = append(b, jpegSegment(0xc4, "\x10\x01"+string(fill(15, 0))+"\x00")...)         // detail: 0 is "no more"
	b = append(b, jpegSegment(0xda, "\x01\x01\x00\x00\x00\x00")...)
	b = append(b, 0b10_11111_0, 0b00_111111) // 31 times 8 above the middle, for the first and so for all four blocks
	b = append(b, jpegSegment(0xda, "\x01\x01\x00\x01\x3f\x00")...)
	return append(b, 0b0000_1111, 0xff, 0xd9)
}

// flat is a JPEG of 8 by 8 with components of these names, all samples of the first 159 and of the others 128.
func flat(names string, segments ...[]byte) []byte {
	b := []byte{0xff, 0xd8}
	for _, s := range segments {
		b = append(b, s...)
	}
	b = append(b, jpegSegment(0xdb, "\x00"+string(fill(64, 8)))...)
	frame, scan := "\x08\x00\x08\x00\x08"+string(rune(len(names))), string(rune(len(names)))
	for _, n := range names {
		frame += string(n) + "\x11\x00"
		scan += string(n) + "\x00"
	}
	b = append(b, jpegSegment(0xc0, frame)...)
	b = append(b, jpegSegment(0xc4, "\x00\x01\x01"+string(fill(14, 0))+"\x00\x05")...)
	b = append(b, jpegSegment(0xc4, "\x10\x01"+string(fill(15, 0))+"\x00")...)
	b = append(b, jpegSegment(0xda, scan+"\x00\x3f\x00")...)
	return append(b, 0b10_11111_0, 0, 0xff, 0xd9) // a change of 31 and no more; then none, as often as there are components
}

// adobeCMYK is an APP14 segment that says: four components as they are.
const adobeCMYK = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"
