package image

import (
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc/icctest"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jp2/jp2test"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// jp2Components are the samples of m, by channel: 0 red, 1 green, 2 blue, 3 alpha.
func jp2Components(m *image.NRGBA, channels ...int) jp2test.Picture {
	p := jp2test.Picture{W: m.Rect.Dx(), H: m.Rect.Dy()}
	for _, c := range channels {
		k := jp2test.Component{Depth: 8, DX: 1, DY: 1}
		for y := m.Rect.Min.Y; y < m.Rect.Max.Y; y++ {
			for x := m.Rect.Min.X; x < m.Rect.Max.X; x++ {
				k.Samples = append(k.Samples, int32(m.Pix[m.PixOffset(x, y)+c]))
			}
		}
		p.Components = append(p.Components, k)
	}
	return p
}

// photoNRGBA is photo in the type that is compared.
func photoNRGBA(w, h int) *image.NRGBA {
	return &image.NRGBA{Pix: photo(w, h).Pix, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
}

// jp2Of is a JPEG 2000 file: a codestream, and the boxes of its header behind that of the size.
func jp2Of(stream []byte, boxes ...string) []byte {
	head := append([]string{boxOf("ihdr", u32s(1, 1), be16s(3), "\x07\x07\x00\x00")}, boxes...)
	return []byte(jp2Magic + boxOf("ftyp", "jp2 ", u32s(0), "jp2 ") + boxOf("jp2h", head...) + boxOf("jp2c", string(stream)))
}

func colr(space uint32) string { return boxOf("colr", "\x01\x00\x00", u32s(space)) }

func cdef(triples ...uint16) string {
	return boxOf("cdef", be16s(uint16(len(triples)/3)), be16s(triples...))
}

// jp2Cases are pictures in the several ways that a file says what its components are.
func jp2Cases(t testing.TB) []sample {
	q := quarters(20, 14)
	o := jp2test.Options{Levels: 2, XCB: 2, YCB: 2}
	mixed := o
	mixed.Mixed = true
	rgb := jp2test.Encode(jp2Components(q, 0, 1, 2), mixed)
	solid := image.NewNRGBA(q.Rect)
	gray := image.NewNRGBA(q.Rect)
	bgr := image.NewNRGBA(q.Rect)
	for i := 0; i < len(q.Pix); i += 4 {
		copy(solid.Pix[i:], []byte{q.Pix[i], q.Pix[i+1], q.Pix[i+2], 255})
		copy(gray.Pix[i:], []byte{q.Pix[i], q.Pix[i], q.Pix[i], 255})
		copy(bgr.Pix[i:], []byte{q.Pix[i+2], q.Pix[i+1], q.Pix[i], 255})
	}
	indices := jp2test.Picture{W: 4, H: 2, Components: []jp2test.Component{{Depth: 2, DX: 1, DY: 1, Samples: []int32{0, 0, 1, 1, 2, 2, 3, 3}}}}
	table := boxOf("pclr", be16s(4), "\x03\x07\x07\x07", "\xff\x00\x00\x00\xff\x00\x00\x00\xff\x01\x02\x03")
	onTable := on(on(on(plain(4, 2, color.NRGBA{1, 2, 3, 255}), 0, 0, plain(2, 1, color.NRGBA{255, 0, 0, 255})), 2, 0, plain(2, 1, color.NRGBA{0, 255, 0, 255})), 0, 1, plain(2, 1, color.NRGBA{0, 0, 255, 255}))
	level := plain(16, 16, color.NRGBA{100, 150, 200, 255})
	y, cb, cr := color.RGBToYCbCr(100, 150, 200)
	chroma := jp2Components(plain(16, 16, color.NRGBA{y, cb, cr, 255}), 0, 1, 2)
	half := chroma
	half.Components = append([]jp2test.Component{}, chroma.Components...)
	for k := 1; k < 3; k++ {
		half.Components[k].DX, half.Components[k].DY, half.Components[k].Samples = 2, 2, half.Components[k].Samples[:64]
	}
	ink := jp2Components(plain(16, 16, color.NRGBA{255 - 100, 255 - 150, 255 - 200, 0}), 0, 1, 2, 3)
	faint := plain(9, 9, color.NRGBA{200, 100, 50, 128})
	matte := jp2Components(plain(9, 9, color.NRGBA{100, 50, 25, 128}), 0, 1, 2, 3)
	icc := func(space string) string {
		return boxOf("colr", "\x02\x00\x00", strings.Repeat("\x00", 16), space, strings.Repeat("\x00", 108))
	}
	whole := jp2Of(rgb, colr(16))
	return []sample{
		{name: "jp2-rgb", comment: "three components and what they are", data: whole, want: frames(solid), meta: map[string]any{"format": "jp2", "color": "rgb", "has_alpha": false, "bit_depth": 8.0}},
		{name: "jp2-stream", comment: "a codestream without boxes", data: rgb, want: frames(solid)},
		{name: "jp2-alpha", comment: "a definition says which is opacity", data: jp2Of(jp2test.Encode(jp2Components(q, 3, 0, 1, 2), o), colr(16), cdef(0, 1, 0, 1, 0, 1, 2, 0, 2, 3, 0, 3)), want: frames(q), meta: map[string]any{"has_alpha": true}},
		{name: "jp2-four", comment: "four components and no definition", data: jp2Of(jp2test.Encode(jp2Components(q, 0, 1, 2, 3), mixed), colr(16)), want: frames(q)},
		{name: "jp2-matte", comment: "colours that are multiplied by opacity", data: jp2Of(jp2test.Encode(matte, o), colr(16), cdef(0, 0, 1, 1, 0, 2, 2, 0, 3, 3, 2, 0)), want: frames(faint), near: 1},
		{name: "jp2-bgr", comment: "colours in another order", data: jp2Of(rgb, colr(16), cdef(0, 0, 3, 1, 0, 2, 2, 0, 1)), want: frames(bgr)},
		{name: "jp2-gray", comment: "one component", data: jp2Of(jp2test.Encode(jp2Components(q, 0), o), colr(17)), want: frames(gray), meta: map[string]any{"color": "gray"}},
		{name: "jp2-palette", comment: "indices of two bits", data: jp2Of(jp2test.Encode(indices, jp2test.Options{Levels: 1}), colr(16), table, boxOf("cmap", be16s(0), "\x01\x00", be16s(0), "\x01\x01", be16s(0), "\x01\x02")), want: frames(onTable), meta: map[string]any{"color": "palette"}},
		{name: "jp2-ycc", comment: "luma and chroma", data: jp2Of(jp2test.Encode(chroma, o), colr(18)), want: frames(level), near: 2, meta: map[string]any{"color": "ycbcr"}},
		{name: "jp2-half", comment: "a codestream whose chroma is smaller", data: jp2test.Encode(half, o), want: frames(level), near: 2},
		{name: "jp2-cmyk", comment: "four inks", data: jp2Of(jp2test.Encode(ink, o), colr(12)), want: frames(level), near: 1, meta: map[string]any{"color": "cmyk"}},
		{name: "jp2-profile", comment: "a profile that changes red and blue over", data: jp2Of(rgb, boxOf("colr", "\x02\x00\x00", string(icctest.Swapped().Bytes()))), want: frames(swapped(solid)), near: 1, meta: map[string]any{"icc": true}},
		{name: "jp2-inks", comment: "a profile says what the inks are", data: jp2Of(jp2test.Encode(jp2Components(plain(9, 9, color.NRGBA{0, 128, 255, 64}), 0, 1, 2, 3), o), boxOf("colr", "\x02\x00\x00", string(smallInks()))), want: frames(plain(9, 9, printed(t, 0, 128, 255, 64))), near: 2, meta: map[string]any{"icc": true, "color": "cmyk"}},
		{name: "jp2-no-profile", comment: "a profile that is none tells how many colours there are", data: jp2Of(jp2test.Encode(jp2Components(q, 0), o), icc("GRAY")), want: frames(gray), warnings: []string{"icc_ignored"}},
		{name: "jp2-metadata", comment: "words in boxes", data: append(append([]byte{}, whole...), boxOf("xml ", secret)+boxOf("uuid", "JpgTiffExif->JP2", secret)...), want: frames(solid), warnings: []string{"metadata_stripped"}},
		{name: "jp2-turned", comment: "EXIF says how it lies", data: append(append([]byte{}, jp2Of(jp2test.Encode(jp2Components(photoNRGBA(20, 14), 0, 1, 2), mixed), colr(16))...), boxOf("uuid", "JpgTiffExif->JP2", string(exifBlock(binary.BigEndian, 6)))...), w: 14, h: 20, meta: map[string]any{"orientation": 6.0, "display_width": 14.0}, warnings: []string{"metadata_stripped"}},
		{name: "jp2-cut", comment: "the file ends within the codestream", data: whole[:len(whole)-60], w: 20, h: 14, warnings: []string{"partial"}},
		{name: "jp2-space", comment: "a colour space that nobody knows", data: jp2Of(rgb, colr(99)), expect: readapi.CodeUnsupportedFeature},
		{name: "jp2-lab", comment: "a profile of another kind of colours", data: jp2Of(rgb, icc("Lab ")), expect: readapi.CodeUnsupportedFeature},
		{name: "jp2-no-stream", comment: "boxes and no codestream", data: []byte(jp2Magic + boxOf("jp2h", colr(16))), expect: readapi.CodeMalformed},
		{name: "jp2-channel", comment: "a channel that is not there", data: jp2Of(rgb, colr(16), boxOf("cmap", be16s(7), "\x00\x00")), expect: readapi.CodeMalformed},
		{name: "jp2-bomb", comment: "a gigapixel in a few bytes", data: []byte(jp2Codestream + be16s(41, 0) + u32s(1<<15, 1<<15, 0, 0, 1<<15, 1<<15, 0, 0) + be16s(1) + "\x07\x01\x01\xff\x52\x00\x0c\x00\x00\x00\x01\x00\x05\x04\x04\x00\x01\xff\x5c\x00\x13\x40" + strings.Repeat("\x40", 16) + "\xff\x90\x00\x0a\x00\x00\x00\x00\x00\x00\x00\x01\xff\x93\xff\xd9"), expect: readapi.CodeLimitPixels, limit: "max_side"},
	}
}

// A picture that is wanted smaller is decoded smaller, and looks like one that was shrunk afterwards.
func TestJP2Reduced(t *testing.T) {
	m := photoNRGBA(320, 200)
	data := jp2Of(jp2test.Encode(jp2Components(m, 0, 1, 2), jp2test.Options{Levels: 4, XCB: 4, YCB: 4, Mixed: true}), colr(16))
	for _, edge := range []int64{320, 319, 160, 100, 80, 7} {
		res, err := read(t, data, func(r *readapi.Request) { r.MaxEdge = edge })
		must(t, err)
		got := pixels(t, res.Parts[0])
		if got.Rect.Dx() != int(edge) {
			t.Fatalf("%v for %d", got.Rect, edge)
		}
		want, err := read(t, rgbaPNG(t, m, nil), func(r *readapi.Request) { r.MaxEdge = edge })
		must(t, err)
		sum := 0
		other := pixels(t, want.Parts[0])
		for i := range got.Pix {
			d := int(got.Pix[i]) - int(other.Pix[i])
			sum += max(d, -d)
		}
		if mean := float64(sum) / float64(len(got.Pix)); mean > 4 || edge == 320 && mean > 1.5 {
			t.Errorf("at %d the mean difference is %.2f", edge, mean)
		}
	}
}

// jp2 is a JPEG 2000 with the mark in every place that is not pixels.
func (s stuffed) jp2() []byte {
	stream := string(jp2test.Encode(jp2Components(plain(40, 30, blue), 0, 1, 2), jp2test.Options{Levels: 1}))
	comment := "\xff\x64" + be16s(uint16(4+len(s.mark)), 1) + s.mark // COM (A.9.2)
	stream = strings.Replace(stream, "\xff\x52", comment+"\xff\x52", 1)
	file := jp2Of([]byte(stream), boxOf("colr", "\x02\x00\x00", string(s.icc())), boxOf("xml ", s.packet()))
	return append(file, boxOf("xml ", s.packet())+boxOf("uuid", "JpgTiffExif->JP2", s.exif())+boxOf("uinf", s.mark)+s.mark...)
}
