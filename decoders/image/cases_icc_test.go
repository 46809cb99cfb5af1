package image

import (
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc"
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc/icctest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// swapped is m with red and blue changed over, as the profile icctest.Swapped says.
func swapped(m *image.NRGBA) *image.NRGBA {
	out := image.NewNRGBA(m.Rect)
	for i := 0; i < len(m.Pix); i += 4 {
		out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = m.Pix[i+2], m.Pix[i+1], m.Pix[i], m.Pix[i+3]
	}
	return out
}

// jpegProfile is a profile in so many APP2 segments, the last first.
func jpegProfile(profile []byte, pieces int) (out [][]byte) {
	each := (len(profile) + pieces - 1) / pieces
	for i := pieces - 1; i >= 0; i-- {
		part := profile[i*each : min(len(profile), (i+1)*each)]
		out = append(out, jpegSegment(0xe2, "ICC_PROFILE\x00"+string([]byte{byte(i + 1), byte(pieces)})+string(part)))
	}
	return out
}

// small is a profile of inks with few points.
func smallInks() []byte {
	f := func(v []float64) [3]float64 { return icctest.OldLab(icctest.Lab(icctest.Ink(v))) }
	return icctest.Profile{Version: 2, Class: "prtr", Space: "CMYK", PCS: "Lab", Tags: []icctest.Tag{{Name: "A2B0", Data: icctest.Lut16(4, 3, f)}}}.Bytes()
}

// printed is one colour of inks through smallInks.
func printed(t testing.TB, c, m, y, k byte) color.NRGBA {
	to, err := icc.Parse(smallInks(), icc.CMYK)
	must(t, err)
	var p [4]byte
	to.Inks(p[:], []byte{c, m, y, k})
	return color.NRGBA{p[0], p[1], p[2], 255}
}

func iccCases(t testing.TB) []sample {
	profile := icctest.Swapped().Bytes()
	words := icctest.Swapped().With("desc", []byte("desc\x00\x00\x00\x00"+secret)).Bytes()
	q, large := quarters(32, 32), quarters(208, 208)
	icc := map[string]any{"icc": true}
	stripped := []string{"icc_ignored"}
	chunk := func(profile []byte) func(p *pngBuilder) {
		return func(p *pngBuilder) { p.chunk("iCCP", "words\x00\x00"+deflate(t, profile)) }
	}
	gray := newPNG(2, 1, 8, 0, 0)
	chunk(icctest.Gray("Lab", icctest.Gamma(1)).Bytes())(gray)
	gray.chunk("IDAT", deflate(t, []byte{0, 128, 60}))
	mismatch := newPNG(2, 1, 8, 0, 0)
	chunk(profile)(mismatch)
	mismatch.chunk("IDAT", deflate(t, []byte{0, 9, 9}))
	palette := newPNG(2, 1, 1, 3, 0)
	chunk(profile)(palette)
	palette.chunk("PLTE", "\xc8\x14\x1e\x00\x00\xff").chunk("IDAT", deflate(t, []byte{0, 0x40}))
	bmp := bmpSpec{w: 6, h: 4, header: 124, bpp: 24}.build()
	copy(bmp[bmpFileHeader+56:], "DEBM")
	binary.LittleEndian.PutUint32(bmp[bmpFileHeader+112:], uint32(len(bmp)-bmpFileHeader))
	binary.LittleEndian.PutUint32(bmp[bmpFileHeader+116:], uint32(len(profile)))
	bmp = append(bmp, profile...)
	moving := webp(vp8x(2|32, 4, 4), riff("ICCP", profile), riff("ANIM", make([]byte, 6)), anmf(0, 0, 4, 4, 0, riff("VP8L", vp8lPlain(4, 4, red))), anmf(0, 0, 4, 4, 0, riff("VP8L", vp8lPlain(4, 4, blue))))
	inks := append(jpegProfile(smallInks(), 1), []byte(adobeCMYK))
	profileEntry := func(b []byte) entry { return entry{tag: 34675, typ: 7, raw: string(b)} }
	pieces := jpegProfile(profile, 3)
	return []sample{
		{name: "icc-jpeg", comment: "a profile in three segments, the last first", data: jpegOf(t, q, jpegProfile(words, 3)...), want: frames(swapped(q)), near: 12, meta: icc},
		{name: "icc-jpeg-large", comment: "large enough for luma and chroma to be passed on as they are, were it not for the profile", data: jpegOf(t, large, jpegProfile(profile, 1)...), want: frames(swapped(large)), near: 16, meta: icc},
		{name: "icc-jpeg-srgb", comment: "a profile that says sRGB", data: jpegOf(t, q, jpegProfile(icctest.SRGB(icctest.Table(1024, icctest.Expanded)).Bytes(), 1)...), want: frames(q), near: 12, meta: icc},
		{name: "icc-jpeg-piece-missing", comment: "a segment of the profile is not there", data: jpegOf(t, q, pieces[0], pieces[2]), want: frames(q), near: 12, meta: icc, warnings: stripped},
		{name: "icc-jpeg-piece-twice", comment: "a segment of the profile is there twice", data: jpegOf(t, q, pieces[0], pieces[1], pieces[1], pieces[2]), want: frames(q), near: 12, meta: icc, warnings: stripped},
		{name: "icc-jpeg-inks", comment: "inks are what the profile says, not what they look like", data: flat("\x01\x02\x03\x04", inks...), want: frames(plain(8, 8, printed(t, 96, 127, 127, 127))), near: 2, meta: icc},
		{name: "icc-png", comment: "a profile in a chunk", data: rgbaPNG(t, q, chunk(words)), want: frames(swapped(q)), meta: icc},
		{name: "icc-png-gray", comment: "a profile of gray", data: gray.end(), want: frames(on(plain(2, 1, color.NRGBA{56, 56, 56, 255}), 0, 0, plain(1, 1, color.NRGBA{119, 119, 119, 255}))), near: 1, meta: icc},
		{name: "icc-png-palette", comment: "the colours of a palette", data: palette.end(), want: frames(on(plain(2, 1, color.NRGBA{255, 0, 0, 255}), 0, 0, plain(1, 1, color.NRGBA{0x1e, 0x14, 0xc8, 255}))), meta: icc},
		{name: "icc-png-mismatch", comment: "a profile of other colours than the picture's", data: mismatch.end(), want: frames(plain(2, 1, color.NRGBA{9, 9, 9, 255})), meta: icc, warnings: stripped},
		{name: "icc-png-damaged", comment: "a chunk that does not inflate", data: rgbaPNG(t, q, func(p *pngBuilder) { p.chunk("iCCP", "words\x00\x00noise") }), want: frames(q), meta: icc, warnings: stripped},
		{name: "icc-png-bomb", comment: "a chunk that inflates to more than profiles are", data: rgbaPNG(t, q, chunk(append(profile, make([]byte, 9<<20)...))), want: frames(q), meta: icc, warnings: stripped},
		{name: "icc-webp", comment: "a profile in a chunk", data: webp(vp8x(32, 9, 5), riff("ICCP", profile), riff("VP8L", vp8lPlain(9, 5, red))), want: frames(swapped(plain(9, 5, red))), meta: icc},
		{name: "icc-webp-moving", comment: "a profile for all frames", data: moving, units: []readapi.Range{{From: 1}}, want: frames(swapped(plain(4, 4, red)), swapped(plain(4, 4, blue))), meta: icc},
		{name: "icc-bmp", comment: "a profile behind the pixels", data: bmp, want: frames(swapped(quarters(6, 4))), meta: icc},
		{name: "icc-tiff", comment: "a profile in the directory", data: tiffSpec{w: 32, h: 32, bits: eight, photometric: photoRGB, segments: [][]byte{rgb(q)}, extra: []entry{profileEntry(profile)}}.build(), want: frames(swapped(q)), meta: icc},
		{name: "icc-tiff-inks", comment: "inks of sixteen bits, and alpha", data: tiffSpec{order: binary.BigEndian, w: 1, h: 1, bits: []uint64{16, 16, 16, 16, 16}, photometric: photoCMYK, segments: [][]byte{{200, 0, 30, 0, 90, 0, 20, 0, 128, 0}}, extra: []entry{short(338, 2), profileEntry(smallInks())}}.build(), want: frames(plain(1, 1, with(printed(t, 200, 30, 90, 20), 128))), near: 1, meta: icc},
	}
}

func with(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// TestProfileIsToldOnce: pages with a profile each that is of no use are one warning, and it names the reason.
func TestProfileIsToldOnce(t *testing.T) {
	bad := entry{tag: 34675, typ: 7, raw: strings.Repeat("noise ", 40)}
	s := tiffSpec{w: 2, h: 1, bits: eight, photometric: photoRGB, segments: [][]byte{{1, 2, 3, 4, 5, 6}}, extra: []entry{bad}}
	b := s.begin()
	pointer := b.root()
	for range 3 {
		at, next := s.page(b)
		b.point(pointer, at)
		pointer = next
	}
	res, err := read(t, b.b, nil)
	must(t, err)
	if len(res.Parts) != 3 || len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnICCIgnored || !strings.Contains(res.Warnings[0].Detail, "no profile") {
		t.Errorf("%d pages, warnings %v", len(res.Parts), res.Warnings)
	}
}

// TestProfileThenSmaller: a picture that is made smaller is converted all the same, and leaves without a profile.
func TestProfileThenSmaller(t *testing.T) {
	res, err := read(t, jpegOf(t, plain(400, 300, color.NRGBA{200, 60, 20, 255}), jpegProfile(icctest.Swapped().Bytes(), 2)...), func(r *readapi.Request) { r.MaxEdge = 150 })
	must(t, err)
	got := pixels(t, res.Parts[0])
	compare(t, "the smaller picture", got, plain(150, 113, color.NRGBA{20, 60, 200, 255}), 6)
	checkLean(t, "the smaller picture", res.Parts[0].Image)
}
