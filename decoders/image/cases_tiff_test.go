package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"math/bits"
	"testing"

	"golang.org/x/image/tiff"

	"github.com/glovebox-wasm/glovebox/readapi"
)

var eight = []uint64{8, 8, 8}

func tiffCases(t testing.TB) []sample {
	q := quarters(6, 4)
	plain3 := tiffSpec{w: 6, h: 4, bits: eight, photometric: photoRGB, segments: [][]byte{rgb(q)}}
	ok := func(name, comment string, s tiffSpec) sample {
		return sample{name: "tiff-" + name, comment: comment, data: s.build(), want: frames(q)}
	}
	with := func(change func(*tiffSpec)) tiffSpec {
		s := plain3
		change(&s)
		return s
	}
	strips := [][]byte{rgb(q)[:36], rgb(q)[36:]}
	big := quarters(20, 20)
	tiles := [][]byte{rgb(cut(big, 0, 0, 16)), rgb(cut(big, 16, 0, 16)), rgb(cut(big, 0, 16, 16)), rgb(cut(big, 16, 16, 16))}
	p := planes(q, binary.BigEndian)
	pages := func(loop bool) []byte {
		b := plain3.begin()
		first, next := plain3.page(b)
		b.point(b.root(), first)
		second, last := with(func(s *tiffSpec) { s.segments = [][]byte{rgb(plain(6, 4, sand))} }).page(b)
		b.point(next, second)
		if loop {
			b.point(last, first)
		}
		return b.b
	}
	tiled := ok("tiles", "tiles that reach over the edge", tiffSpec{w: 20, h: 20, bits: eight, photometric: photoRGB, tile: 16, segments: tiles})
	tiled.want = frames(big)
	return []sample{
		ok("rgb", "one strip", plain3),
		ok("strips", "two strips", with(func(s *tiffSpec) { s.rows, s.segments = 2, strips })),
		ok("big-endian", "the other byte order", with(func(s *tiffSpec) { s.order = binary.BigEndian })),
		ok("bigtiff", "offsets of eight bytes", with(func(s *tiffSpec) { s.big = true })),
		tiled,
		ok("planes-16", "sixteen bits in planes", with(func(s *tiffSpec) {
			s.order, s.bits, s.planar, s.segments = binary.BigEndian, []uint64{16, 16, 16}, true, p[:]
		})),
		ok("cmyk", "four inks", with(func(s *tiffSpec) {
			s.bits, s.photometric, s.segments = []uint64{8, 8, 8, 8}, photoCMYK, [][]byte{cmyk(q)}
		})),
		ok("packbits", "runs", with(func(s *tiffSpec) { s.compression, s.segments = tiffPackBits, [][]byte{runs(rgb(q))} })),
		ok("deflate-predictor", "differences", with(func(s *tiffSpec) {
			s.compression, s.extra = tiffDeflate, []entry{short(317, 2)}
			s.segments = [][]byte{[]byte(deflate(t, differ(rgb(q), 18, 3)))}
		})),
		ok("palette", "indices of four bits", with(func(s *tiffSpec) {
			s.bits, s.photometric, s.extra = []uint64{4}, photoIndex, []entry{colorMap(16)}
			s.segments = [][]byte{bmpSpec{w: 8, h: 4, topDown: true, bpp: 4}.quarters()}
			s.segments[0] = packNibbles(quarterIndices(6, 4, upTo(4)))
		})),
		ok("bits-reversed", "the low bit comes first", with(func(s *tiffSpec) { s.extra, s.segments = []entry{short(266, 2)}, [][]byte{reversed(rgb(q))} })),
		ok("no-counts", "the lengths of the strips are not told", with(func(s *tiffSpec) { s.extra = []entry{long(279, 0)} })),
		{name: "tiff-alpha", comment: "premultiplied alpha", data: tiffSpec{w: 1, h: 1, bits: []uint64{8, 8, 8, 8}, photometric: photoRGB, extra: []entry{short(338, 1)}, segments: [][]byte{{100, 50, 25, 128}}}.build(), want: frames(plain(1, 1, color.NRGBA{199, 100, 50, 128})), near: 1, meta: map[string]any{"has_alpha": true}},
		{name: "tiff-pages", comment: "every page is a frame", data: pages(false), want: frames(q, plain(6, 4, sand)), meta: map[string]any{"frames": 2.0, "format": "tiff"}},
		{name: "tiff-page-2", comment: "the second page", data: pages(false), units: []readapi.Range{{From: 2, To: 2}}, want: frames(plain(6, 4, sand))},
		{name: "tiff-loop", comment: "the last page points to the first", data: pages(true), want: frames(q, plain(6, 4, sand)), meta: map[string]any{"frames": 2.0}},
		{name: "tiff-metadata", comment: "words, XMP and a place", data: with(func(s *tiffSpec) { s.extra = []entry{text(270, secret), text(700, secret), long(tagGPS, 8)} }).build(), want: frames(q), meta: map[string]any{"has_gps": true}, warnings: []string{"metadata_stripped"}},
		{name: "tiff-cut", comment: "a strip lies behind the end", data: with(func(s *tiffSpec) { s.rows, s.segments, s.extra = 2, strips, []entry{long(273, 8, 1<<30)} }).build(), w: 6, h: 4, warnings: []string{"partial"}},
		{name: "tiff-second-page-bad", comment: "one page is damaged, the other is read", data: secondPageBad(plain3), want: frames(q), warnings: []string{"partial"}, local: true},
		{name: "tiff-tile-wide", comment: "tiles far wider than the page", data: tiffSpec{w: 6, h: 4, bits: eight, photometric: photoRGB, tile: 4096, segments: [][]byte{rgb(q)}}.build(), expect: readapi.CodeMalformed},
		{name: "tiff-no-directory", comment: "the first directory lies behind the end", data: []byte("II\x2a\x00\xff\xff\xff\xff"), expect: readapi.CodeMalformed},
		{name: "tiff-float", comment: "floating-point samples", data: with(func(s *tiffSpec) { s.extra = []entry{short(339, 3, 3, 3)} }).build(), expect: readapi.CodeUnsupportedFeature},
		{name: "tiff-zstd", comment: "a compression that nobody has", data: with(func(s *tiffSpec) { s.compression = 50000 }).build(), expect: readapi.CodeUnsupportedFeature},
	}
}

func secondPageBad(s tiffSpec) []byte {
	b := s.begin()
	first, next := s.page(b)
	b.point(b.root(), first)
	s.segments = nil
	second, _ := s.page(b)
	b.point(next, second)
	return b.b
}

func packNibbles(index []byte) (out []byte) {
	for i := 0; i < len(index); i += 2 {
		out = append(out, index[i]<<4|index[i+1])
	}
	return out
}

func reversed(b []byte) []byte {
	out := bytes.Clone(b)
	for i := range out {
		out[i] = bits.Reverse8(out[i])
	}
	return out
}

// tiffCodingCases are pages in codings that the library or another's encoder makes.
func tiffCodingCases(t testing.TB) []sample {
	q := quarters(40, 24)
	encoded := func(c tiff.CompressionType, m image.Image) []byte {
		var b bytes.Buffer
		must(t, tiff.Encode(&b, m, &tiff.Options{Compression: c, Predictor: c == tiff.Deflate}))
		return b.Bytes()
	}
	// Two rows of eight pixels in Group 4: all white (one bit), then three black ones from the fourth pixel on (horizontal mode: a run of
	// three white, of three black; then the end from above).
	fax := []byte{0b1_001_1000, 0b10_1_00000, 0}
	half := on(plain(8, 2, white), 3, 1, plain(3, 1, color.NRGBA{0, 0, 0, 255}))
	faxPage := func(photometric uint64, data []byte, extra ...entry) []byte {
		return tiffSpec{w: 8, h: 2, bits: []uint64{1}, photometric: photometric, compression: tiffFax4, segments: [][]byte{data}, extra: extra}.build()
	}
	inverse := on(plain(8, 2, color.NRGBA{0, 0, 0, 255}), 3, 1, plain(3, 1, white))
	jpegStrip := func(photometric uint64) []byte {
		return tiffSpec{w: 32, h: 32, bits: eight, photometric: photometric, compression: tiffJPEG, segments: [][]byte{jpegOf(t, quarters(32, 32))}}.build()
	}
	gray := image.NewGray(image.Rect(0, 0, 32, 32))
	for i := range gray.Pix {
		gray.Pix[i] = 90
	}
	planar := tiffSpec{w: 32, h: 32, bits: eight, photometric: photoRGB, compression: tiffJPEG, planar: true, segments: [][]byte{jpegOf(t, gray), jpegOf(t, gray), jpegOf(t, gray)}}.build()
	return []sample{
		{name: "tiff-encoder-deflate", comment: "as an encoder writes it", data: encoded(tiff.Deflate, q), want: frames(q)},
		{name: "tiff-encoder-plain", comment: "as an encoder writes it", data: encoded(tiff.Uncompressed, q), want: frames(q)},
		{name: "tiff-fax4", comment: "white is zero", data: faxPage(whiteIsZero, fax), want: frames(half)},
		{name: "tiff-fax4-black-is-zero", comment: "runs are of zeros and ones, not of black and white", data: faxPage(blackIsZero, fax), want: frames(inverse)},
		{name: "tiff-fax4-reversed", comment: "the low bit comes first", data: faxPage(whiteIsZero, reversed(fax), short(266, 2)), want: frames(half)},
		{name: "tiff-jpeg", comment: "a strip that is a JPEG", data: jpegStrip(photoYCbCr), want: frames(quarters(32, 32)), near: 12},
		{name: "tiff-jpeg-planes", comment: "a JPEG for each plane", data: planar, want: frames(plain(32, 32, color.NRGBA{90, 90, 90, 255})), near: 1},
		{name: "tiff-jpeg-cmyk", comment: "a JPEG of four inks, not inverted", data: tiffSpec{w: 8, h: 8, bits: []uint64{8, 8, 8, 8}, photometric: photoCMYK, compression: tiffJPEG, segments: [][]byte{flat("\x01\x02\x03\x04")}}.build(), want: frames(plain(8, 8, color.NRGBA{48, 63, 63, 255})), near: 1},
		{name: "tiff-jpeg-rgb", comment: "a JPEG of red, green and blue, which the page says and the JPEG does not", data: tiffSpec{w: 8, h: 8, bits: eight, photometric: photoRGB, compression: tiffJPEG, segments: [][]byte{flat("\x01\x02\x03")}}.build(), want: frames(plain(8, 8, color.NRGBA{159, 128, 128, 255})), near: 1},
		{name: "tiff-jpeg-grows", comment: "a strip that is a larger JPEG than the page", data: tiffSpec{w: 8, h: 8, bits: eight, photometric: photoYCbCr, compression: tiffJPEG, segments: [][]byte{jpegHeader(0xc0, 8, 9000, 9000, 3)}}.build(), expect: readapi.CodeMalformed},
	}
}

// orientationCases are quarters in all eight orientations, in each container that can say one.
func orientationCases(t testing.TB) []sample {
	var out []sample
	add := func(container string, o int, w, h, near int, data []byte) {
		out = append(out, sample{
			name: container + "-orientation-" + string(rune('0'+o)), comment: "turned or mirrored", data: data, near: near,
			want: frames(turned(w, h, o)), meta: map[string]any{"orientation": float64(o), "width": float64(w), "height": float64(h)},
		})
	}
	for o := 1; o <= 8; o++ {
		exif := exifBlock(binary.BigEndian, uint64(o))
		add("jpeg", o, 48, 32, 12, jpegOf(t, quarters(48, 32), jpegSegment(0xe1, "Exif\x00\x00"+string(exif))))
		add("png", o, 6, 4, 0, rgbaPNG(t, quarters(6, 4), func(p *pngBuilder) { p.chunk("eXIf", string(exif)) }))
		add("tiff", o, 6, 4, 0, tiffSpec{w: 6, h: 4, bits: eight, photometric: photoRGB, segments: [][]byte{rgb(quarters(6, 4))}, extra: []entry{short(tagOrientation, uint64(o))}}.build())
	}
	hex := []byte("\nexif\n      ")
	raw := "Exif\x00\x00" + string(exifBlock(binary.LittleEndian, 6))
	hex = append(hex, []byte(decimal(len(raw)))...)
	for i := range len(raw) {
		if i%36 == 0 {
			hex = append(hex, '\n')
		}
		hex = append(hex, "0123456789abcdef"[raw[i]>>4], "0123456789abcdef"[raw[i]&15])
	}
	add("png-raw-profile", 6, 6, 4, 0, rgbaPNG(t, quarters(6, 4), func(p *pngBuilder) {
		p.chunk("zTXt", "Raw profile type exif\x00\x00"+deflate(t, hex))
	}))
	webpFile := webp(vp8x(8, 9, 5), riff("VP8L", vp8lPlain(9, 5, blue)), riff("EXIF", []byte(raw)))
	return append(out, sample{name: "webp-orientation-6", comment: "turned", data: webpFile, want: frames(plain(5, 9, blue)), meta: map[string]any{"orientation": 6.0}})
}

func decimal(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return decimal(n/10) + string(rune('0'+n%10))
}

// bombCases ask for more than anyone should give.
func bombCases(t testing.TB) []sample {
	pixels := func(name, comment, limit string, data []byte) sample {
		return sample{name: "bomb-" + name, comment: comment, data: data, expect: readapi.CodeLimitPixels, limit: limit}
	}
	bmp := func(w, h int32) []byte { return bmpSpec{w: w, h: h, header: 40, bpp: 24, pixels: []byte{0}}.build() }
	wide := tiffSpec{bits: eight, photometric: photoRGB, segments: [][]byte{{1}}, extra: []entry{long(256, 1<<31), long(257, 1<<31)}}
	control := string(be32(0, 6500, 6000, 0, 0)) + "\x00\x01\x00\x0a\x00\x00"
	woven := newPNG(6500, 6000, 16, 6, 1).chunk("acTL", string(be32(1, 0))).chunk("fcTL", control).chunk("IDAT", deflate(t, make([]byte, 9))).end()
	return []sample{
		pixels("png-header", "50,000 pixels a side, sixteen bits, and no data", "max_side", newPNG(50000, 50000, 16, 6, 0).end()),
		pixels("png-pixels", "each side is fine, the area is not", "max_pixels", newPNG(16000, 16000, 1, 0, 0).chunk("IDAT", deflate(t, make([]byte, 999))).end()),
		pixels("vp8l", "28 bytes for 268 megapixels", "max_pixels", webp(riff("VP8L", vp8lPlain(16384, 16384, red)[:8]))),
		pixels("webp-canvas", "a canvas of 16 million pixels a side", "max_side", webp(vp8x(2, 1<<24, 1<<24), anmf(0, 0, 2, 2, 0, riff("VP8L", vp8lPlain(2, 2, red))))),
		pixels("gif-screen", "65,535 pixels a side, one pixel drawn", "max_side", newGIF(65535, 65535, 0).picture(t, 0, 0, 1, 1, false, []byte{1}).end()),
		pixels("jpeg-header", "65,500 pixels a side", "max_side", jpegHeader(0xc0, 8, 65500, 65500, 3)),
		pixels("bmp-wide", "the largest width", "max_side", bmp(1<<31-1, 6)),
		pixels("bmp-lowest", "a height whose negative is itself", "max_side", bmp(6, -1<<31)),
		pixels("tiff-wide", "two billion pixels a side", "max_side", wide.build()),
		{name: "bomb-png-deep", comment: "39 megapixels on a canvas, and woven from seven passes besides", data: woven, expect: readapi.CodeLimitMemory, limit: "pixel_bytes"},
		{name: "bomb-text", comment: "a megabyte of zeros in a text chunk hurts nobody", data: rgbaPNG(t, quarters(6, 4), func(p *pngBuilder) {
			p.chunk("zTXt", "Raw profile type exif\x00\x00"+deflate(t, make([]byte, 4<<20)))
		}), want: frames(quarters(6, 4))},
	}
}
