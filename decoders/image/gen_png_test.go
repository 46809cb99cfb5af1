package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"testing"
)

// pngBuilder makes PNG files chunk by chunk.
type pngBuilder struct{ b []byte }

func newPNG(w, h uint32, depth, colorType, interlace byte) *pngBuilder {
	p := &pngBuilder{[]byte(pngMagic)}
	ihdr := binary.BigEndian.AppendUint32(nil, w)
	ihdr = binary.BigEndian.AppendUint32(ihdr, h)
	return p.chunk("IHDR", string(append(ihdr, depth, colorType, 0, 0, interlace)))
}

func (p *pngBuilder) chunk(name, data string) *pngBuilder {
	p.b = appendChunk(p.b, name, []byte(data))
	return p
}

func appendChunk(dst []byte, name string, data []byte) []byte {
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(data)))
	start := len(dst)
	dst = append(append(dst, name...), data...)
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start:]))
}

func (p *pngBuilder) end() []byte { return p.chunk("IEND", "").b }

func deflate(t testing.TB, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := z.Write(b)
	must(t, err)
	must(t, z.Close())
	return out.String()
}

// rgbaRows is m as the rows of a PNG of colour type 6, unfiltered.
func rgbaRows(m *image.NRGBA) []byte {
	var out []byte
	for y := range m.Rect.Dy() {
		out = append(out, 0)
		out = append(out, m.Pix[y*m.Stride:][:4*m.Rect.Dx()]...)
	}
	return out
}

// rgbaPNG is m as a PNG of colour type 6 with chunks before its pixels.
func rgbaPNG(t testing.TB, m *image.NRGBA, before func(*pngBuilder)) []byte {
	t.Helper()
	p := newPNG(uint32(m.Rect.Dx()), uint32(m.Rect.Dy()), 8, 6, 0)
	if before != nil {
		before(p)
	}
	return p.chunk("IDAT", deflate(t, rgbaRows(m))).end()
}

// adam7 is m as the seven passes of an interlaced PNG of colour type 6.
func adam7(m *image.NRGBA) []byte {
	var out []byte
	w, h := m.Rect.Dx(), m.Rect.Dy()
	for _, p := range [7][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		if p[0] >= w {
			continue
		}
		for y := p[1]; y < h; y += p[3] {
			out = append(out, 0)
			for x := p[0]; x < w; x += p[2] {
				out = append(out, m.Pix[m.PixOffset(x, y):][:4]...)
			}
		}
	}
	return out
}

// apngFrame is one frame of an animation.
type apngFrame struct {
	m              *image.NRGBA
	x, y           uint32
	dispose, blend byte
}

// apng makes an animation. Where hidden is not nil it is the default picture, which is not shown.
func apng(t testing.TB, w, h uint32, hidden *image.NRGBA, frames []apngFrame) []byte {
	t.Helper()
	p := newPNG(w, h, 8, 6, 0)
	p.chunk("acTL", string(be32(uint32(len(frames)), 3)))
	seq := uint32(0)
	if hidden != nil {
		p.chunk("IDAT", deflate(t, rgbaRows(hidden)))
	}
	for i, f := range frames {
		c := be32(seq, uint32(f.m.Rect.Dx()), uint32(f.m.Rect.Dy()), f.x, f.y)
		c = append(c, 0, 1, 0, 10, f.dispose, f.blend) // a tenth of a second
		p.chunk("fcTL", string(c))
		seq++
		if data := deflate(t, rgbaRows(f.m)); i == 0 && hidden == nil {
			p.chunk("IDAT", data)
		} else {
			p.chunk("fdAT", string(be32(seq))+data[:3])
			p.chunk("fdAT", string(be32(seq+1))+data[3:])
			seq += 2
		}
	}
	return p.end()
}

func be32(v ...uint32) (b []byte) {
	for _, x := range v {
		b = binary.BigEndian.AppendUint32(b, x)
	}
	return b
}
