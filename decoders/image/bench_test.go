package image

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// BenchmarkDecode reads a picture of 6 megapixels, as a phone makes them, to 1,568 pixels.
func BenchmarkDecode(b *testing.B) {
	img := photo(3000, 2000)
	var j, p bytes.Buffer
	must(b, jpeg.Encode(&j, img, &jpeg.Options{Quality: 90}))
	must(b, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&p, img))
	for name, data := range map[string][]byte{"jpeg": j.Bytes(), "png": p.Bytes()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := pdk.Run(&Decoder, bytes.NewReader(data), readapi.Request{Version: 1, Form: readapi.FormAuto}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// photo draws something with soft shades and fine detail, the same each time.
func photo(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	noise := uint32(1)
	for y := range h {
		for x := range w {
			noise = noise*1664525 + 1013904223
			i := m.PixOffset(x, y)
			m.Pix[i] = uint8(x*200/w + int(noise>>28))
			m.Pix[i+1] = uint8(y*200/h + int(noise>>28))
			m.Pix[i+2] = uint8((x+y)*100/(w+h) + 60 + x/16%2*20)
			m.Pix[i+3] = 0xff
		}
	}
	return m
}
