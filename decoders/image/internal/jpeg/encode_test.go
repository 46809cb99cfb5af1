package jpeg_test

import (
	"bytes"
	"image"
	stdjpeg "image/jpeg"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
)

func planeOf(w, h, c int, sample func(c, x, y int) int) jpeg.Plane {
	p := jpeg.Plane{Pix: make([]byte, w*h), Stride: w, W: w, H: h}
	for i := range p.Pix {
		p.Pix[i] = byte(sample(c, i%w, i/w))
	}
	return p
}

// What is encoded decodes, in the library as here, to what it was made of: the better the quality, the nearer.
func TestEncode(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 60).Draw(rt, "w"), rapid.IntRange(1, 60).Draw(rt, "h")
		quality := rapid.SampledFrom([]int{20, 50, 85, 100}).Draw(rt, "quality")
		planes := []jpeg.Plane{planeOf(w, h, 0, shade)}
		if rapid.Bool().Draw(rt, "color") {
			planes = append(planes, planeOf((w+1)/2, (h+1)/2, 1, shade), planeOf((w+1)/2, (h+1)/2, 2, shade))
		}
		data := jpeg.Encode(planes, quality)
		want, err := stdjpeg.Decode(bytes.NewReader(data))
		if err != nil || want.Bounds() != image.Rect(0, 0, w, h) {
			rt.Fatalf("the library: %v", err)
		}
		d := open(t, data)
		if err := d.Start(); err != nil {
			rt.Fatal(err)
		}
		near := map[int]int{20: 60, 50: 40, 85: 14, 100: 3}[quality]
		d.Planes(func(c, y int, row []byte) {
			for x, v := range row {
				p := planes[c].Pix[y*planes[c].Stride+x]
				if diff := int(v) - int(p); diff > near || diff < -near {
					rt.Fatalf("quality %d, component %d, (%d, %d): %d, was %d", quality, c, x, y, v, p)
				}
				if diff := int(v) - int(sampleOf(want, c, x, y)); diff > 1 || diff < -1 {
					rt.Fatalf("the library has another picture at (%d, %d)", x, y)
				}
			}
		})
		if missing, err := d.Missing(); missing != "" || err != nil {
			rt.Fatal(missing, err)
		}
	})
}

// Noise has every kind of run and size, and bytes that must be stuffed.
func TestEncodeNoise(t *testing.T) {
	seed := uint32(7)
	noise := func(_, _, _ int) int {
		seed = seed*1664525 + 1013904223
		return int(seed >> 24)
	}
	p := planeOf(256, 256, 0, noise)
	data := jpeg.Encode([]jpeg.Plane{p}, 100)
	if !bytes.Contains(data[600:], []byte("\xff\x00")) {
		t.Error("no byte was stuffed")
	}
	got, missing := samples(t, data)
	if missing != "" {
		t.Error(missing)
	}
	for i, v := range got {
		if d := int(v) - int(p.Pix[i]); d > 2 || d < -2 {
			t.Fatalf("sample %d is %d, was %d", i, v, p.Pix[i])
		}
	}
}
