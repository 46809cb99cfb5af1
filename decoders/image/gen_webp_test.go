package image

import (
	"encoding/binary"
	"image/color"
)

// bitWriter writes bits from the lowest, as VP8L has them.
type bitWriter struct {
	b []byte
	n uint
}

func (w *bitWriter) bits(v uint32, n uint) {
	for i := range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (w.n % 8)
		w.n++
	}
}

// vp8lPlain is a lossless picture of one colour: five prefix codes of one symbol each, and no bit for a pixel (RFC 9649, 3.7).
func vp8lPlain(w, h int, c color.NRGBA) []byte {
	out := &bitWriter{}
	out.bits(0x2f, 8)
	out.bits(uint32(w-1), 14)
	out.bits(uint32(h-1), 14)
	alpha := uint32(0)
	if c.A != 255 {
		alpha = 1
	}
	out.bits(alpha, 1)
	out.bits(0, 3) // version
	out.bits(0, 3) // no transform, no colour cache, no groups of codes
	out.codes(c.G, c.R, c.B, c.A, 0)
	return out.b
}

// codes writes prefix codes of one symbol each.
func (w *bitWriter) codes(symbols ...byte) {
	for _, v := range symbols {
		w.bits(1, 1) // a simple code
		w.bits(0, 1) // of one symbol
		w.bits(1, 1) // of eight bits
		w.bits(uint32(v), 8)
	}
}

// vp8lBits is a lossless picture with a bit a pixel, of which the first rows are there: all of c, whose green is below 255.
func vp8lBits(w, h, rows int, c color.NRGBA) []byte {
	out := &bitWriter{}
	out.bits(0x2f, 8)
	out.bits(uint32(w-1), 14)
	out.bits(uint32(h-1), 14)
	out.bits(0, 1+3+3)
	out.bits(0b111, 3) // a code of two symbols of eight bits
	out.bits(uint32(c.G)|255<<8, 16)
	out.codes(c.R, c.B, 255, 0)
	for range w * rows {
		out.bits(0, 1)
	}
	return out.b
}

// vp8Zeros is a lossy picture whose partitions are all zeros. The arithmetic decoder reads every decision in them as false: no filter, every
// block predicted by the mean of its neighbours, nothing added. Luma is 128 or 129 all over, chroma 128 (RFC 6386, 12: outside the
// picture it is 127 above and 129 to the left).
func vp8Zeros(w, h int) []byte {
	blocks := (w + 15) / 16 * ((h + 15) / 16)
	first, rest := make([]byte, 1024+32*blocks), make([]byte, 64+64*blocks)
	tag := uint32(len(first))<<5 | 1<<4
	out := []byte{byte(tag), byte(tag >> 8), byte(tag >> 16), 0x9d, 1, 0x2a}
	out = binary.LittleEndian.AppendUint16(out, uint16(w))
	out = binary.LittleEndian.AppendUint16(out, uint16(h))
	return append(append(out, first...), rest...)
}

func webp(chunks ...[]byte) []byte {
	body := []byte("WEBP")
	for _, c := range chunks {
		body = append(body, c...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riff(name string, data []byte) []byte {
	out := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(data))), data...)
	if len(data)%2 != 0 {
		out = append(out, 0)
	}
	return out
}

func vp8x(flags byte, w, h int) []byte {
	return riff("VP8X", append([]byte{flags, 0, 0, 0}, append(le24(w-1), le24(h-1)...)...))
}

func le24(v int) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16)} }

// anmf is a frame of an animation; x and y must be even.
func anmf(x, y, w, h int, flags byte, image []byte) []byte {
	b := append(le24(x/2), le24(y/2)...)
	b = append(append(append(b, le24(w-1)...), le24(h-1)...), 100, 0, 0, flags)
	return riff("ANMF", append(b, image...))
}
