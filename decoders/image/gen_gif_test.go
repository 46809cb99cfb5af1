package image

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"image/color"
	"testing"
)

// gifBuilder makes GIF files block by block.
type gifBuilder struct{ b []byte }

// gifColors are the global colours: black, then those of the quarters.
var gifColors = []color.NRGBA{{0, 0, 0, 255}, red, green, blue, sand, {255, 255, 255, 255}, {1, 1, 1, 255}, {2, 2, 2, 255}}

func newGIF(w, h uint16, background byte) *gifBuilder {
	b := binary.LittleEndian.AppendUint16([]byte("GIF89a"), w)
	b = binary.LittleEndian.AppendUint16(b, h)
	b = append(b, 0x82, background, 0)
	for _, c := range gifColors {
		b = append(b, c.R, c.G, c.B)
	}
	return &gifBuilder{b}
}

// control precedes a picture; transparent is -1 for none.
func (g *gifBuilder) control(dispose byte, transparent int) *gifBuilder {
	flags, index := dispose<<2, byte(0)
	if transparent >= 0 {
		flags, index = flags|1, byte(transparent)
	}
	g.b = append(g.b, 0x21, 0xf9, 4, flags, 10, 0, index, 0)
	return g
}

func (g *gifBuilder) extension(label byte, blocks ...string) *gifBuilder {
	g.b = append(g.b, 0x21, label)
	for _, s := range blocks {
		g.b = append(append(g.b, byte(len(s))), s...)
	}
	g.b = append(g.b, 0)
	return g
}

// picture appends a picture of w by h whose indices are given row by row, in the file's own order.
func (g *gifBuilder) picture(t testing.TB, x, y, w, h uint16, interlace bool, index []byte) *gifBuilder {
	t.Helper()
	g.b = append(g.b, 0x2c)
	for _, v := range []uint16{x, y, w, h} {
		g.b = binary.LittleEndian.AppendUint16(g.b, v)
	}
	flags := byte(0)
	if interlace {
		flags = 0x40
	}
	g.b = append(g.b, flags, 3)
	var data bytes.Buffer
	z := lzw.NewWriter(&data, lzw.LSB, 3)
	_, err := z.Write(index)
	must(t, err)
	must(t, z.Close())
	for b := data.Bytes(); len(b) > 0; {
		n := min(255, len(b))
		g.b = append(append(g.b, byte(n)), b[:n]...)
		b = b[n:]
	}
	g.b = append(g.b, 0)
	return g
}

func (g *gifBuilder) end() []byte { return append(g.b, 0x3b) }

// fill is n times the index v.
func fill(n int, v byte) []byte { return bytes.Repeat([]byte{v}, n) }

// quarterIndex is the index in gifColors of quarter(x, y, w, h).
func quarterIndex(x, y, w, h int) byte {
	c := quarter(x, y, w, h)
	for i, p := range gifColors {
		if p == c {
			return byte(i)
		}
	}
	panic("no such colour")
}

func quarterIndices(w, h int, rows []int) (out []byte) {
	for _, y := range rows {
		for x := range w {
			out = append(out, quarterIndex(x, y, w, h))
		}
	}
	return out
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}
