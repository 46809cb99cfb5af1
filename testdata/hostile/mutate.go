package hostile

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
)

// Mutate returns a damaged version of one of seeds, which are files of a kind: pdf, image or text. What it does comes from rnd alone. Some
// of the damage is to bytes; some knows the format, and leaves in order what would otherwise end the reading at once: checksums, offsets,
// lengths, compressed streams. The seeds are not changed.
func Mutate(rnd *rand.Rand, kind string, seeds [][]byte) []byte {
	m := mutator{Rand: rnd, kind: kind, seeds: seeds}
	b := bytes.Clone(seeds[rnd.IntN(len(seeds))])
	for range 1 + rnd.IntN(4) {
		if len(b) == 0 {
			return b
		}
		if next := m.structured(b); next != nil && rnd.IntN(3) > 0 {
			b = next
		} else {
			b = m.bytes(b)
		}
	}
	if kind == "pdf" && rnd.IntN(2) == 0 {
		b = repairXref(b)
	}
	return b
}

type mutator struct {
	*rand.Rand
	kind  string
	seeds [][]byte
}

// structured is a mutation that knows the format of b; nil when there is none.
func (m mutator) structured(b []byte) []byte {
	switch {
	case m.kind == "pdf":
		return m.pdf(b)
	case m.kind == "text":
		return m.text(b)
	case bytes.HasPrefix(b, []byte(pngMagic)):
		return m.png(b)
	case bytes.HasPrefix(b, []byte("\xff\xd8")):
		return m.jpeg(b)
	case bytes.HasPrefix(b, []byte("II\x2a\x00")), bytes.HasPrefix(b, []byte("MM\x00\x2a")):
		return m.tiff(b)
	case bytes.HasPrefix(b, []byte("RIFF")):
		return m.webp(b)
	case bytes.HasPrefix(b, []byte("GIF8")):
		return m.gif(b)
	case bytes.HasPrefix(b, []byte("BM")), bytes.HasPrefix(b, []byte("\x00\x00\x01\x00")):
		return m.field(b, 0, min(len(b), 70), binary.LittleEndian)
	}
	return nil
}

// odd is a number that parsers get wrong.
func (m mutator) odd() uint64 {
	list := []uint64{0, 1, 2, 3, 7, 8, 15, 16, 17, 64, 127, 128, 255, 256, 1000, 4095, 4096, 32767, 32768, 65535, 65536, 1 << 20, 1<<24 - 1, 1<<31 - 1, 1 << 31,
		1<<32 - 1, 1 << 32, 1<<63 - 1, 1 << 63, 1<<64 - 1}
	return list[m.IntN(len(list))]
}

// field puts an odd number somewhere between two places.
func (m mutator) field(b []byte, from, to int, order binary.ByteOrder) []byte {
	var n [8]byte
	size := []int{1, 2, 4}[m.IntN(3)]
	switch v := m.odd(); size {
	case 1:
		n[0] = byte(v)
	case 2:
		order.PutUint16(n[:], uint16(v))
	default:
		order.PutUint32(n[:], uint32(v))
	}
	if to-size < from || to > len(b) {
		return nil
	}
	copy(b[from+m.IntN(to-size-from+1):], n[:size])
	return b
}

// span is a piece of b.
func (m mutator) span(b []byte, most int) (from, to int) {
	if len(b) == 0 {
		return 0, 0
	}
	from = m.IntN(len(b))
	return from, min(len(b), from+1+m.IntN(most))
}

// splice is b with a piece of it replaced.
func splice(b []byte, from, to int, piece []byte) []byte {
	return append(append(bytes.Clone(b[:from]), piece...), b[to:]...)
}

// bytes is a mutation that knows nothing.
func (m mutator) bytes(b []byte) []byte {
	from, to := m.span(b, 32)
	switch m.IntN(9) {
	case 0:
		b[from] ^= 1 << m.IntN(8)
	case 1:
		b[from] = byte(m.Uint32())
	case 2:
		b[from] = byte(m.odd())
	case 3: // a block of one byte
		fill := byte(m.odd())
		for i := from; i < to; i++ {
			b[i] = fill
		}
	case 4: // a block twice, or many times
		b = splice(b, from, from, bytes.Repeat(b[from:to], 1+m.IntN(40)))
	case 5:
		b = splice(b, from, to, nil)
	case 6: // a piece of another file
		other := m.seeds[m.IntN(len(m.seeds))]
		x, y := m.span(other, 400)
		b = splice(b, from, to, other[x:y])
	case 7:
		b = b[:from]
	case 8:
		x, y := m.span(b, 32)
		b = splice(b, from, to, bytes.Clone(b[x:y]))
	}
	return b
}

// pieces is a mutation of a file that is a list of pieces: one is dropped, doubled, moved, or taken from another place; or else changed.
func (m mutator) pieces(list [][]byte, change func([]byte) []byte) [][]byte {
	if len(list) == 0 {
		return nil
	}
	i, j := m.IntN(len(list)), m.IntN(len(list))
	switch m.IntN(8) {
	case 0:
		return append(list[:i:i], list[i+1:]...)
	case 1:
		return append(list[:i:i], append([][]byte{list[j]}, list[i:]...)...)
	case 2:
		list[i], list[j] = list[j], list[i]
	case 3:
		n := 1 + m.IntN(200)
		out := list[:i:i]
		for range n {
			out = append(out, list[i])
		}
		return append(out, list[i:]...)
	default:
		list[i] = change(bytes.Clone(list[i]))
	}
	return list
}

// text inserts what texts should not have.
func (m mutator) text(b []byte) []byte {
	words := []string{
		"\x00", "\x1b[2J", "\x1b$B", "\x1b(B", "\x1b$)A", "\ufeff", "\xff\xfe", "\xfe\xff", "\u202e", "\U000E0041", "\u200d", "\u0301", "\xc3", "\xed\xa0\x80",
		"\xf4\x90\x80\x80", "\x80", "\xff", "\r", "\n", "\r\n", "\u2028", "\x0e", "\x0f", "~{", "~}", "\x81\x30\x81\x30", "<?xml version='1.0' encoding='utf-7'?>",
		"<meta charset=", "# coding: ", "\x1a", "\x7f", "\x85", "\U0010FFFF",
	}
	from, to := m.span(b, 16)
	if m.IntN(2) == 0 {
		to = from
	}
	return splice(b, from, to, bytes.Repeat([]byte(words[m.IntN(len(words))]), 1+m.IntN(3)*m.IntN(50)))
}
