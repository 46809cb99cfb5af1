package image

import (
	"bytes"
	"compress/lzw"
	"encoding/binary"
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// page is samples of a TIFF page in memory, and how they are to be stored.
type page struct {
	w, h, samples int
	bits          int
	float         bool
	order         binary.AppendByteOrder
	planar        bool
	predictor     int
	compression   uint64
	lowBitFirst   bool
	tile          int // 0: strips
	rows          int // of a strip
	value         func(x, y, s int) uint64
}

// row packs samples of the part of row y from x on, w pixels wide; what lies beyond the page is 0.
func (p page) row(x, y, w, from, samples int) []byte {
	var out []byte
	var acc uint64
	n := 0
	for i := range w * samples {
		v := uint64(0)
		if px := x + i/samples; px < p.w && y < p.h {
			v = p.value(px, y, from+i%samples)
		}
		switch p.bits {
		case 16:
			out = p.order.AppendUint16(out, uint16(v))
		case 32:
			out = p.order.AppendUint32(out, uint32(v))
		case 64:
			out = p.order.AppendUint64(out, v)
		default:
			acc, n = acc<<p.bits|v, n+p.bits
			for ; n >= 8; n -= 8 {
				out = append(out, byte(acc>>(n-8)))
			}
		}
	}
	if n > 0 {
		out = append(out, byte(acc<<(8-n)))
	}
	return p.predict(out, samples)
}

func (p page) predict(row []byte, samples int) []byte {
	size := p.bits / 8
	out := bytes.Clone(row)
	switch p.predictor {
	case 2:
		for i := len(row) - size; i >= samples*size; i -= size {
			a, b := row[i:i+size], row[i-samples*size:i-samples*size+size]
			switch size {
			case 1:
				out[i] = a[0] - b[0]
			case 2:
				p.order.(binary.ByteOrder).PutUint16(out[i:], p.order.(binary.ByteOrder).Uint16(a)-p.order.(binary.ByteOrder).Uint16(b))
			case 4:
				p.order.(binary.ByteOrder).PutUint32(out[i:], p.order.(binary.ByteOrder).Uint32(a)-p.order.(binary.ByteOrder).Uint32(b))
			case 8:
				p.order.(binary.ByteOrder).PutUint64(out[i:], p.order.(binary.ByteOrder).Uint64(a)-p.order.(binary.ByteOrder).Uint64(b))
			}
		}
	case 3:
		n := len(row) / size
		planes := make([]byte, len(row))
		for i, v := range row {
			at := i % size
			if p.order == binary.AppendByteOrder(binary.LittleEndian) {
				at = size - 1 - at
			}
			planes[at*n+i/size] = v
		}
		for i, v := range planes {
			out[i] = v
			if i >= samples {
				out[i] -= planes[i-samples]
			}
		}
	}
	return out
}

// literalLZW is a stream of literals in codes of nine bits, with a clear code before they would grow.
func literalLZW(b []byte) []byte {
	w := msbWriter{}
	for i, v := range b {
		if i%200 == 0 {
			w.bits(256, 9)
		}
		w.bits(uint32(v), 9)
	}
	w.bits(257, 9)
	return w.b
}

type msbWriter struct {
	b []byte
	n int
}

func (w *msbWriter) bits(v uint32, n int) {
	for i := n - 1; i >= 0; i-- {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v>>i&1) << (7 - w.n%8)
		w.n++
	}
}

// oldLZWStream is LZW as it was before TIFF 6.0.
func oldLZWStream(b []byte) []byte {
	var out bytes.Buffer
	w := lzw.NewWriter(&out, lzw.LSB, 8)
	w.Write(b)
	w.Close()
	return out.Bytes()
}

// build stores the page.
func (p page) build(t testing.TB, photometric uint64, extra ...entry) []byte {
	pack := func(b []byte) []byte {
		switch p.compression {
		case tiffDeflate, tiffOldDeflate:
			b = []byte(deflate(t, b))
		case tiffPackBits:
			b = runs(b)
		case tiffLZW:
			b = literalLZW(b)
		}
		if p.lowBitFirst {
			b = reversed(b)
		}
		return b
	}
	spec := tiffSpec{order: p.order, w: uint64(p.w), h: uint64(p.h), photometric: photometric, compression: p.compression, planar: p.planar, tile: uint64(p.tile), rows: uint64(p.rows)}
	planes, samples := 1, p.samples
	if p.planar {
		planes, samples = p.samples, 1
	}
	for range p.samples {
		spec.bits = append(spec.bits, uint64(p.bits))
	}
	for plane := range planes {
		w, h := p.w, p.rows
		if p.tile > 0 {
			w, h = p.tile, p.tile
		}
		for y := 0; y < p.h; y += h {
			for x := 0; x < p.w; x += w {
				var b []byte
				for dy := range h {
					if p.tile > 0 || y+dy < p.h {
						b = append(b, p.row(x, y+dy, w, plane, samples)...)
					}
				}
				spec.segments = append(spec.segments, pack(b))
			}
		}
	}
	if p.predictor > 0 {
		extra = append(extra, short(317, uint64(p.predictor)))
	}
	if p.lowBitFirst {
		extra = append(extra, short(266, 2))
	}
	if p.float {
		extra = append(extra, short(339, 3))
	}
	spec.extra = extra
	return spec.build()
}

// TestTIFFProperty stores any samples in any of the ways that go together, and reads them.
func TestTIFFProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := page{
			w: rapid.IntRange(1, 40).Draw(rt, "w"), h: rapid.IntRange(1, 24).Draw(rt, "h"), order: binary.LittleEndian,
			samples: rapid.SampledFrom([]int{1, 3, 4}).Draw(rt, "samples"),
			bits:    rapid.OneOf(rapid.IntRange(1, 16), rapid.SampledFrom([]int{8, 16, 24, 32})).Draw(rt, "bits"),
			planar:  rapid.Bool().Draw(rt, "planar"), lowBitFirst: rapid.Bool().Draw(rt, "low bit first"),
			compression: rapid.SampledFrom([]uint64{tiffNone, tiffLZW, tiffDeflate, tiffOldDeflate, tiffPackBits}).Draw(rt, "compression"),
			tile:        rapid.SampledFrom([]int{0, 0, 16, 32}).Draw(rt, "tile"), rows: rapid.IntRange(1, 30).Draw(rt, "rows"),
		}
		if rapid.Bool().Draw(rt, "big endian") {
			p.order = binary.BigEndian
		}
		if p.bits == 24 && p.order == binary.AppendByteOrder(binary.LittleEndian) {
			p.order = binary.BigEndian // the generator packs bits
		}
		if packs := p.compression != tiffNone && p.compression != tiffPackBits; packs && (p.bits == 8 || p.bits == 16 || p.bits == 32) && rapid.Bool().Draw(rt, "predictor") {
			p.predictor = 2
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		p.value = func(x, y, s int) uint64 {
			v := (uint64(x*31+y*17+s*101+1) * 0x9e3779b97f4a7c15) ^ seed
			return (v * 0xbf58476d1ce4e5b9) >> (64 - p.bits)
		}
		photometric := map[int]uint64{1: rapid.SampledFrom([]uint64{whiteIsZero, blackIsZero}).Draw(rt, "gray"), 3: photoRGB, 4: photoRGB}[p.samples]
		want := image.NewNRGBA(image.Rect(0, 0, p.w, p.h))
		for y := range p.h {
			for x := range p.w {
				level := func(s int) byte {
					v := p.value(x, y, s)
					if p.bits < 8 {
						return byte(v * 255 / (1<<p.bits - 1))
					}
					return byte(v >> (p.bits - 8))
				}
				c := color.NRGBA{level(0), level(0), level(0), 255}
				if photometric == whiteIsZero {
					c = color.NRGBA{255 - c.R, 255 - c.G, 255 - c.B, 255}
				}
				if p.samples >= 3 {
					c = color.NRGBA{level(0), level(1), level(2), 255}
				}
				if p.samples == 4 {
					c.A = level(3)
				}
				want.SetNRGBA(x, y, c)
			}
		}
		var extra []entry
		if p.samples == 4 && rapid.Bool().Draw(rt, "alpha is said") {
			extra = append(extra, short(338, 2))
		}
		res, err := read(t, p.build(t, photometric, extra...), nil)
		if err != nil || len(res.Warnings) > 0 {
			rt.Fatal(err, res.Warnings)
		}
		got := pixels(t, res.Parts[0])
		for i := range want.Pix {
			if got.Pix[i] != want.Pix[i] && !(want.Pix[i|3] == 0 && got.Pix[i|3] == 0) {
				rt.Fatalf("pixel %d, sample %d is %d, want %d", i/4, i%4, got.Pix[i], want.Pix[i])
			}
		}
	})
}

// TestTIFFFloats reads a ramp in all widths of floating point, with each predictor, as 0 to 1 and as 0 to 255; and refuses what is neither.
func TestTIFFFloats(t *testing.T) {
	bits := func(width int, v float64) uint64 {
		switch width {
		case 16:
			if v == 0 {
				return 0
			}
			frac, e := math.Frexp(v) // 0.5 to 1
			return uint64(e-1+15)<<10 | uint64((frac*2-1)*1024)
		case 24:
			if v == 0 {
				return 0
			}
			frac, e := math.Frexp(v)
			return uint64(e-1+63)<<16 | uint64((frac*2-1)*65536)
		case 32:
			return uint64(math.Float32bits(float32(v)))
		}
		return math.Float64bits(v)
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, width := range []int{16, 24, 32, 64} {
			for predictor := 1; predictor <= 3; predictor++ {
				for _, white := range []float64{1, 255, 4, 65535} {
					if width == 24 && (order == binary.AppendByteOrder(binary.LittleEndian) || predictor == 2) {
						continue // the generator has no such samples; nobody differences them
					}
					p := page{w: 52, h: 2, samples: 1, bits: width, float: true, order: order, predictor: predictor, compression: tiffDeflate, rows: 1}
					p.value = func(x, y, s int) uint64 { return bits(width, min(white, 65000)*float64(x)/51) }
					res, err := read(t, p.build(t, blackIsZero), nil)
					if white == 4 || white == 65535 {
						if readapi.CodeOf(err) != readapi.CodeUnsupportedFeature {
							t.Errorf("%d bits up to %v: %v", width, white, err)
						}
						continue
					}
					if err != nil {
						t.Errorf("%d bits, predictor %d, %v: %v", width, predictor, order, err)
						continue
					}
					got := pixels(t, res.Parts[0])
					for x := range 52 {
						if d := int(got.Pix[4*x]) - 5*x; d > 1 || d < -1 {
							t.Errorf("%d bits, predictor %d, %v, white %v: sample %d is %d", width, predictor, order, white, x, got.Pix[4*x])
							break
						}
					}
				}
			}
		}
	}
	// Bytes in the wrong order are no light.
	p := page{w: 20, h: 1, samples: 1, bits: 64, float: true, order: binary.BigEndian, compression: tiffNone, rows: 1}
	p.value = func(x, _, _ int) uint64 { return math.Float64bits(float64(x)+0.37) >> 32 }
	if _, err := read(t, p.build(t, blackIsZero), nil); readapi.CodeOf(err) != readapi.CodeUnsupportedFeature {
		t.Errorf("dust: %v", err)
	}
}
