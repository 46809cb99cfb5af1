package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// sample is one generated file and what has to come of it. Its name is that of the vector.
type sample struct {
	name     string
	comment  string
	data     []byte
	expect   readapi.Code // "" is ok
	limit    string       // name of the limit, with limit_*
	units    []readapi.Range
	want     []*image.NRGBA // the frames of the answer; nil: only the size below is checked
	near     int            // by how much a sample may be off
	w, h     int            // of the first frame, where want is nil
	meta     map[string]any // keys that have to be so
	warnings []string
	local    bool // not a vector: parts of it end in an error, which the suite takes for a fault
}

// cases are all generated files.
func cases(t testing.TB) []sample {
	t.Helper()
	var out []sample
	out = append(out, pngCases(t)...)
	out = append(out, apngCases(t)...)
	out = append(out, jpegCases(t)...)
	out = append(out, gifCases(t)...)
	out = append(out, bmpCases(t)...)
	out = append(out, icoCases(t)...)
	out = append(out, webpCases()...)
	out = append(out, orientationCases(t)...)
	out = append(out, bombCases(t)...)
	out = append(out, namedCases()...)
	out = append(out, jp2Cases(t)...)
	out = append(out, sample{name: "empty", comment: "no bytes at all", expect: readapi.CodeMalformed})
	out = append(out, sample{name: "prose", comment: "text that begins like a picture", data: []byte("GIF89 is a format"), expect: readapi.CodeMalformed})
	out = append(out, tiffCases(t)...)
	out = append(out, tiffCodingCases(t)...)
	out = append(out, tiffFaxCases()...)
	out = append(out, tiffColourCases(t)...)
	out = append(out, oldJPEGCases(t)...)
	out = append(out, iccCases(t)...)
	return append(out, tiffLayoutCases(t)...)
}

func frames(m ...*image.NRGBA) []*image.NRGBA { return m }

func pngCases(t testing.TB) []sample {
	q := quarters(6, 4)
	whole := rgbaPNG(t, q, nil)
	badSum := bytes.Clone(whole)
	badSum[len(badSum)-13] ^= 0xff // the checksum of IDAT
	rows := rgbaRows(quarters(64, 64))
	stored := newPNG(64, 64, 8, 6, 0).chunk("IDAT", deflate(t, rows[:len(rows)/2])).end()
	halfSeen := on(plain(64, 64, none), 0, 0, quarters(64, 64).SubImage(image.Rect(0, 0, 64, 32)).(*image.NRGBA))
	gray16 := newPNG(2, 1, 16, 0, 0).chunk("IDAT", deflate(t, []byte{0, 0x80, 0xff, 0x10, 0x00})).end()
	keyed := newPNG(2, 1, 8, 2, 0).chunk("tRNS", "\x00\x01\x00\x02\x00\x03").chunk("IDAT", deflate(t, []byte{0, 1, 2, 3, 9, 9, 9})).end()
	faint := plain(3, 3, color.NRGBA{200, 100, 50, 3})
	return []sample{
		{name: "png-rgba", comment: "eight bits, alpha", data: whole, want: frames(q), meta: map[string]any{"format": "png", "has_alpha": true, "bit_depth": 8.0}},
		{name: "png-interlaced", comment: "Adam7", data: newPNG(6, 4, 8, 6, 1).chunk("IDAT", deflate(t, adam7(q))).end(), want: frames(q)},
		{name: "png-gray16", comment: "sixteen bits", data: gray16, want: frames(on(plain(2, 1, color.NRGBA{0x10, 0x10, 0x10, 255}), 0, 0, plain(1, 1, color.NRGBA{0x80, 0x80, 0x80, 255}))), meta: map[string]any{"bit_depth": 16.0, "color": "gray"}},
		{name: "png-palette-alpha", comment: "one bit, palette with transparency", data: newPNG(2, 1, 1, 3, 0).chunk("PLTE", "\xc8\x14\x1e\x00\x00\x00").chunk("tRNS", "\xff\x00").chunk("IDAT", deflate(t, []byte{0, 0x40})).end(), want: frames(on(plain(2, 1, none), 0, 0, plain(1, 1, red)))},
		{name: "png-color-key", comment: "one colour is transparent", data: keyed, want: frames(on(plain(2, 1, color.NRGBA{9, 9, 9, 255}), 0, 0, plain(1, 1, color.NRGBA{1, 2, 3, 0})))},
		{name: "png-faint", comment: "nearly transparent pixels keep their colour", data: rgbaPNG(t, faint, nil), want: frames(faint)},
		{name: "png-bad-checksum", comment: "a wrong checksum is no reason to show nothing", data: badSum, want: frames(q)},
		{name: "png-cut", comment: "the pixels end half way", data: stored, want: frames(halfSeen), warnings: []string{"partial"}},
		{name: "png-cut-interlaced", comment: "passes are missing: less detail, all of the picture", data: newPNG(64, 64, 8, 6, 1).chunk("IDAT", deflate(t, adam7(quarters(64, 64))[:5*(4*16+1)*16])).end(), want: frames(quarters(64, 64)), warnings: []string{"partial"}},
		{name: "png-key-bits", comment: "only as many bits of the transparent colour count as a sample has", data: newPNG(2, 1, 1, 0, 0).chunk("tRNS", "\x00\xff").chunk("IDAT", deflate(t, []byte{0, 0x40})).end(), want: frames(on(plain(2, 1, none), 0, 0, plain(1, 1, color.NRGBA{0, 0, 0, 255})))},
		{name: "png-no-palette", comment: "colours by number, and no list of them", data: newPNG(2, 1, 1, 3, 0).chunk("IDAT", deflate(t, []byte{0, 0x40})).end(), expect: readapi.CodeMalformed},
		{name: "png-filter", comment: "a row whose filter nobody knows ends the picture", data: newPNG(1, 2, 8, 0, 0).chunk("IDAT", deflate(t, []byte{0, 9, 7, 9})).end(), want: frames(on(plain(1, 2, color.NRGBA{0, 0, 0, 255}), 0, 0, plain(1, 1, color.NRGBA{9, 9, 9, 255}))), warnings: []string{"partial"}},
		{name: "png-deep", comment: "39 megapixels of eight bytes need no more than a row", data: newPNG(6500, 6000, 16, 6, 0).chunk("IDAT", deflate(t, make([]byte, 9))).end(), expect: readapi.CodeMalformed},
		{name: "png-cut-file", comment: "the file ends within the pixels", data: whole[:len(whole)-30], w: 6, h: 4, warnings: []string{"partial"}},
		{name: "png-metadata", comment: "words, XMP and a place", data: rgbaPNG(t, q, addPNGSecrets(t)), want: frames(q), meta: map[string]any{"has_gps": true, "orientation": 1.0}, warnings: []string{"icc_ignored", "metadata_stripped"}},
		{name: "png-trailing", comment: "bytes behind the end", data: append(bytes.Clone(whole), "<html>"+secret...), want: frames(q)},
		{name: "png-no-pixels", comment: "nothing but a header", data: newPNG(6, 4, 8, 6, 0).end(), expect: readapi.CodeMalformed},
		{name: "png-depth", comment: "a bit depth that the colour type does not have", data: newPNG(6, 4, 3, 6, 0).chunk("IDAT", deflate(t, rgbaRows(q))).end(), expect: readapi.CodeUnsupportedFeature},
		{name: "png-noise", comment: "magic, then noise", data: []byte(pngMagic + "noise noise noise noise noise noise"), expect: readapi.CodeMalformed},
		{name: "png-zero-size", comment: "no area", data: newPNG(0, 4, 8, 6, 0).end(), expect: readapi.CodeMalformed},
	}
}

// addPNGSecrets puts secret into every kind of chunk that can hold words.
func addPNGSecrets(t testing.TB) func(*pngBuilder) {
	return func(p *pngBuilder) {
		p.chunk("tEXt", "Comment\x00"+secret)
		p.chunk("zTXt", "Author\x00\x00"+deflate(t, []byte(secret)))
		p.chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+secret)
		p.chunk("eXIf", string(exifBlock(binary.BigEndian, 1)))
		p.chunk("iCCP", "name"+secret+"\x00\x00"+deflate(t, []byte(secret)))
		p.chunk("prVt", secret)
	}
}

func apngCases(t testing.TB) []sample {
	base, patch := quarters(8, 8), plain(2, 2, color.NRGBA{1, 2, 3, 255})
	half := plain(2, 2, color.NRGBA{0, 0, 0, 128})
	all := []readapi.Range{{From: 1}}
	second := on(base, 4, 2, patch)
	hole := on(base, 4, 2, plain(2, 2, none))
	blended := color.NRGBA{100, 10, 15, 255} // half black over red
	three := apng(t, 8, 8, nil, []apngFrame{{m: base}, {m: patch, x: 4, y: 2, dispose: 1}, {m: patch, x: 0, y: 6, dispose: 2}})
	return []sample{
		{name: "apng", comment: "without a selection an animation is its first frame", data: three, want: frames(base), meta: map[string]any{"frames": 3.0, "duration_ms": 300.0, "loop": 3.0}},
		{name: "apng-all", comment: "disposal to nothing and to what was", data: three, units: all, want: frames(base, second, on(hole, 0, 6, patch))},
		{name: "apng-restore", comment: "a restored area, then a blend", data: apng(t, 8, 8, nil, []apngFrame{{m: base}, {m: patch, x: 4, y: 2, dispose: 2}, {m: half, x: 0, y: 0, blend: 1}}), units: all, want: frames(base, second, on(base, 0, 0, plain(2, 2, blended))), near: 1},
		{name: "apng-hidden", comment: "a default picture that the animation does not use is frame 1", data: apng(t, 8, 8, base, []apngFrame{{m: plain(8, 8, sand)}}), units: all, want: frames(base, plain(8, 8, sand)), meta: map[string]any{"frames": 2.0}},
		{name: "apng-count-lies", comment: "more frames are promised than are there", data: bytes.Replace(three, appendChunk(nil, "acTL", be32(3, 3)), appendChunk(nil, "acTL", be32(1000, 3)), 1), want: frames(base), meta: map[string]any{"frames": 3.0}},
		{name: "apng-count-range", comment: "a count out of range makes it a still picture", data: bytes.Replace(three, appendChunk(nil, "acTL", be32(3, 3)), appendChunk(nil, "acTL", be32(1<<31+1, 3)), 1), want: frames(base), meta: map[string]any{"frames": 1.0}},
		{name: "apng-twice", comment: "two counts of frames make it a still picture", data: bytes.Replace(three, appendChunk(nil, "acTL", be32(3, 3)), append(appendChunk(nil, "acTL", be32(3, 3)), appendChunk(nil, "acTL", be32(2, 1))...), 1), want: frames(base), meta: map[string]any{"frames": 1.0}},
		{name: "apng-off-canvas", comment: "a frame that is not on the canvas is not a frame", data: apng(t, 8, 8, nil, []apngFrame{{m: base}, {m: patch, x: 7, y: 7}}), want: frames(base), meta: map[string]any{"frames": 1.0}},
	}
}

func gifCases(t testing.TB) []sample {
	q := quarters(8, 8)
	index := quarterIndices(8, 8, upTo(8))
	all := []readapi.Range{{From: 1}}
	black := plain(8, 8, color.NRGBA{0, 0, 0, 255})
	small := plain(2, 2, sand)
	still := newGIF(8, 8, 0).picture(t, 0, 0, 8, 8, false, index).end()
	moving := func() []byte {
		g := newGIF(8, 8, 0).extension(0xff, "NETSCAPE2.0", "\x01\x05\x00")
		g.control(1, 7).picture(t, 0, 0, 8, 8, false, index)
		g.control(2, 7).picture(t, 2, 2, 2, 2, false, fill(4, 4))
		g.control(3, 7).picture(t, 4, 4, 2, 2, false, fill(4, 1))
		return g.control(0, 7).picture(t, 0, 0, 2, 1, false, []byte{7, 3}).end()
	}()
	hole := on(q, 2, 2, plain(2, 2, none))
	grays := []byte("GIF87a\x02\x00\x01\x00\x00\x00\x00\x2c\x00\x00\x00\x00\x02\x00\x01\x00\x00\x02\x02\x5c\x0a\x00\x3b") // clear, 3, 1, end
	head := newGIF(2, 1, 0).b
	long := append(head, "\x2c\x00\x00\x00\x00\x02\x00\x01\x00\x00\x0b\x06\x00\x48\x00\x01\x10\x80\x00\x3b"...) // clear, 4, 1, end, of 12 bits each
	return []sample{
		{name: "gif", comment: "one picture", data: still, want: frames(q), meta: map[string]any{"frames": 1.0, "color": "palette"}},
		{name: "gif-interlaced", comment: "rows in four passes", data: newGIF(8, 8, 0).picture(t, 0, 0, 8, 8, true, quarterIndices(8, 8, []int{0, 4, 2, 6, 1, 3, 5, 7})).end(), want: frames(q)},
		{name: "gif-canvas", comment: "the picture is smaller than the screen: the screen is what is seen, in the first colour", data: newGIF(8, 8, 2).picture(t, 3, 4, 2, 2, false, fill(4, 4)).end(), want: frames(on(black, 3, 4, small))},
		{name: "gif-canvas-clear", comment: "the same in a file that knows transparency", data: newGIF(8, 8, 2).control(0, 7).picture(t, 3, 4, 2, 2, false, fill(4, 4)).end(), want: frames(on(plain(8, 8, none), 3, 4, small))},
		{name: "gif-grows", comment: "a first picture that the screen cannot hold", data: newGIF(4, 4, 0).picture(t, 0, 0, 8, 8, false, index).end(), want: frames(q)},
		{name: "gif-moving", comment: "without a selection an animation is its first frame", data: moving, want: frames(q), meta: map[string]any{"frames": 4.0, "duration_ms": 400.0, "loop": 5.0}},
		{name: "gif-moving-all", comment: "kept, cleared, restored, transparent", data: moving, units: all, want: frames(q, on(q, 2, 2, small), on(hole, 4, 4, plain(2, 2, red)), on(hole, 1, 0, plain(1, 1, blue)))},
		{name: "gif-beyond", comment: "a later picture reaches over the screen", data: newGIF(8, 8, 0).picture(t, 0, 0, 8, 8, false, fill(64, 0)).picture(t, 6, 6, 500, 300, false, fill(500*300, 4)).end(), units: all, want: frames(black, on(black, 6, 6, small)), meta: map[string]any{"loop": 1.0}},
		{name: "gif-outside", comment: "a later picture lies outside", data: newGIF(8, 8, 0).picture(t, 0, 0, 8, 8, false, fill(64, 0)).picture(t, 60, 60, 2, 2, false, fill(4, 4)).end(), units: all, want: frames(black, black)},
		{name: "gif-short", comment: "fewer pixels than the picture has", data: newGIF(8, 8, 0).control(0, 7).picture(t, 0, 0, 8, 8, false, index[:32]).end(), want: frames(on(plain(8, 8, none), 0, 0, q.SubImage(image.Rect(0, 0, 8, 4)).(*image.NRGBA))), warnings: []string{"partial"}},
		{name: "gif-no-trailer", comment: "one picture, whole, and no trailer", data: still[:len(still)-1], want: frames(q)},
		{name: "gif-cut", comment: "an animation without its trailer, which may have had more frames", data: moving[:len(moving)-1], units: []readapi.Range{{From: 4, To: 4}}, want: frames(on(hole, 1, 0, plain(1, 1, blue))), warnings: []string{"partial"}},
		{name: "gif-cut-block", comment: "the file ends within the pixels", data: still[:len(still)-4], w: 8, h: 8, warnings: []string{"partial"}},
		{name: "gif-grays", comment: "no colours at all are grays", data: grays, want: frames(on(plain(2, 1, color.NRGBA{1, 1, 1, 255}), 0, 0, plain(1, 1, color.NRGBA{3, 3, 3, 255})))},
		{name: "gif-long-codes", comment: "codes of eleven bits, which say nothing that eight do not", data: long, want: frames(on(plain(2, 1, red), 0, 0, plain(1, 1, sand)))},
		{name: "gif-comment", comment: "words", data: newGIF(8, 8, 0).extension(0xfe, secret).extension(0xff, "XMP DataXMP", secret).picture(t, 0, 0, 8, 8, false, index).end(), want: frames(q), warnings: []string{"metadata_stripped"}},
		{name: "gif-code-size", comment: "a code size out of range", data: bytes.Replace(still, []byte{8, 0, 8, 0, 0, 3}, []byte{8, 0, 8, 0, 0, 12}, 1), expect: readapi.CodeMalformed},
		{name: "gif-no-picture", comment: "a screen and nothing on it", data: newGIF(8, 8, 0).end(), expect: readapi.CodeMalformed},
	}
}

func bmpCases(t testing.TB) []sample {
	q := quarters(7, 4)
	v5 := []uint32{0xff0000, 0xff00, 0xff, 0xff000000}
	rle8 := []byte{3, 3, 4, 4, 0, 0, 0, 7, 3, 3, 3, 4, 4, 4, 4, 0, 0, 0, 3, 1, 4, 2, 0, 0, 0, 2, 1, 0, 3, 1, 0, 3, 2, 2, 2, 0, 0, 1}
	rle4 := []byte{3, 0x33, 4, 0x44, 0, 0, 3, 0x33, 0, 4, 0x44, 0x44, 0, 0, 3, 0x11, 4, 0x22, 0, 0, 3, 0x11, 4, 0x22, 0, 1}
	half := func(c, d color.NRGBA) []byte {
		return []byte{3, c.B, c.G, c.R, 0, 4, d.B, d.G, d.R, d.B, d.G, d.R, d.B, d.G, d.R, d.B, d.G, d.R, 0, 0}
	}
	rle24 := bytes.Join([][]byte{half(blue, sand), half(blue, sand), half(red, green), half(red, green)}, nil)
	plain24 := bmpSpec{w: 7, h: 4, header: 40, bpp: 24}.build()
	cutRows, noPadding := plain24[:len(plain24)-24], plain24[:len(plain24)-3]
	near := func(s sample, n int) sample { s.near = n; return s }
	ok := func(name, comment string, s bmpSpec) sample {
		return sample{name: name, comment: comment, data: s.build(), want: frames(q)}
	}
	rle := ok("bmp-rle8", "runs, literals, a jump; what no run names is the first colour", bmpSpec{w: 7, h: 4, header: 40, bpp: 8, compression: bmpRLE8, pixels: rle8})
	rle.want = frames(rleSeen())
	return []sample{
		ok("bmp-24", "three bytes a pixel", bmpSpec{w: 7, h: 4, header: 40, bpp: 24}),
		ok("bmp-top-down", "rows from the top", bmpSpec{w: 7, h: 4, header: 40, bpp: 24, topDown: true}),
		ok("bmp-32", "the fourth byte is padding in an old header", bmpSpec{w: 7, h: 4, header: 40, bpp: 32}),
		ok("bmp-v5", "masks with alpha", bmpSpec{w: 7, h: 4, header: 124, bpp: 32, compression: bmpBitfields, masks: v5}),
		near(ok("bmp-565", "sixteen bits by masks behind the header", bmpSpec{w: 7, h: 4, header: 40, bpp: 16, compression: bmpBitfields, masks: []uint32{0xf800, 0x7e0, 0x1f}}), 7),
		ok("bmp-8", "a palette", bmpSpec{w: 7, h: 4, header: 40, bpp: 8}),
		ok("bmp-4", "a palette of sixteen", bmpSpec{w: 7, h: 4, header: 108, bpp: 4}),
		ok("bmp-os2", "the oldest header", bmpSpec{w: 7, h: 4, header: 12, bpp: 8}),
		ok("bmp-no-offset", "the header does not say where the pixels are", bmpSpec{w: 7, h: 4, header: 40, bpp: 24, noOffset: true}),
		{name: "bmp-short-palette", comment: "the pixels begin before the palette that is promised ends", data: shortPalette(), want: frames(q)},
		rle,
		ok("bmp-rle4", "runs of half bytes", bmpSpec{w: 7, h: 4, header: 40, bpp: 4, compression: bmpRLE4, pixels: rle4}),
		{name: "bmp-cut", comment: "rows are missing", data: func() []byte {
			b := bmpSpec{w: 7, h: 4, header: 40, bpp: 24, topDown: true}.build()
			return b[:len(b)-24]
		}(), w: 7, h: 4, warnings: []string{"partial"}},
		{name: "bmp-rle-cut", comment: "the runs end early", data: bmpSpec{w: 7, h: 4, header: 40, bpp: 8, compression: bmpRLE8, pixels: rle8[:6]}.build(), w: 7, h: 4, warnings: []string{"partial"}},
		{name: "bmp-negative", comment: "a negative width", data: bmpSpec{w: -7, h: 4, header: 40, bpp: 24, pixels: []byte{0}}.build(), expect: readapi.CodeMalformed},
		{name: "bmp-jpeg", comment: "a bitmap that is a shell of a JPEG", data: bmpSpec{w: 32, h: 32, header: 40, compression: bmpJPEG, pixels: jpegOf(t, quarters(32, 32))}.build(), want: frames(quarters(32, 32)), near: 12, meta: map[string]any{"format": "bmp"}},
		{name: "bmp-png", comment: "a bitmap that is a shell of a PNG", data: bmpSpec{w: 7, h: 4, header: 40, compression: bmpPNG, pixels: rgbaPNG(t, q, nil)}.build(), want: frames(q), meta: map[string]any{"format": "bmp"}},
		{name: "bmp-bare", comment: "no file header", data: bmpSpec{w: 7, h: 4, header: 40, bpp: 8}.build()[bmpFileHeader:], want: frames(q), meta: map[string]any{"format": "bmp"}},
		{name: "bmp-shell", comment: "a shell without a JPEG", data: bmpSpec{w: 7, h: 4, header: 40, compression: bmpJPEG, pixels: []byte{0}}.build(), expect: readapi.CodeMalformed},
		{name: "bmp-cut-bottom", comment: "the file ends before its last rows, which are the upper ones", data: cutRows, want: frames(on(q, 0, 0, plain(7, 1, color.NRGBA{0, 0, 0, 255}))), warnings: []string{"partial"}},
		{name: "bmp-no-padding", comment: "the last row is not padded", data: noPadding, want: frames(q)},
		ok("bmp-os2-rle24", "runs of three bytes, with the value that elsewhere means a JPEG", bmpSpec{w: 7, h: 4, header: 64, bpp: 24, compression: 4, pixels: rle24}),
		{name: "bmp-os2-fax", comment: "the fax coding of OS/2", data: bmpSpec{w: 7, h: 4, header: 64, bpp: 1, compression: 3, pixels: []byte{0}}.build(), expect: readapi.CodeUnsupportedFeature},
	}
}

// shortPalette is a bitmap of eight bits whose palette has eight colours, without a word about it but where the pixels begin.
func shortPalette() []byte {
	s := bmpSpec{w: 7, h: 4, header: 40, bpp: 8}
	b := s.build()
	const colors = bmpFileHeader + 40
	binary.LittleEndian.PutUint32(b[10:], colors+8*4)
	return append(b[:colors+8*4:colors+8*4], s.quarters()...)
}

// rleSeen is what the runs of bmp-rle8 draw, row by row from the bottom.
func rleSeen() *image.NRGBA {
	black := color.NRGBA{0, 0, 0, 255}
	row := func(c ...color.NRGBA) *image.NRGBA {
		m := plain(7, 1, black)
		for x, v := range c {
			m.SetNRGBA(x, 0, v)
		}
		return m
	}
	m := on(plain(7, 4, black), 0, 3, row(blue, blue, blue, sand, sand, sand, sand))
	m = on(m, 0, 2, row(blue, blue, blue, sand, sand, sand, sand))
	m = on(m, 0, 1, row(red, red, red, green, green, green, green))
	return on(m, 0, 0, row(black, red, red, red, green, green, green))
}

func icoCases(t testing.TB) []sample {
	q := quarters(8, 4)
	dib := bmpSpec{w: 8, h: 4, header: 40, bpp: 32}.build()[bmpFileHeader:]
	binary.LittleEndian.PutUint32(dib[8:], 8) // the height counts the mask too
	mask := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0}
	wide := bmpSpec{w: 8, h: 8, header: 40, bpp: 24}.build()[bmpFileHeader:]
	low := bmpSpec{w: 8, h: 4, header: 40, bpp: 8}.build()[bmpFileHeader:]
	binary.LittleEndian.PutUint32(low[8:], 8)
	return []sample{
		{name: "ico-dib", comment: "32 bits with alpha: the mask does not count", data: ico(append(dib, mask...)), want: frames(q), meta: map[string]any{"format": "ico", "frames": 1.0}},
		{name: "ico-mask", comment: "eight bits: the mask says what is transparent", data: ico(append(low, mask...)), want: frames(on(q, 0, 0, plain(1, 1, none)))},
		{name: "ico-png", comment: "the largest picture is the frame", data: ico(append(dib, mask...), rgbaPNG(t, quarters(20, 10), nil)), want: frames(quarters(20, 10))},
		{name: "cur-mask", comment: "a cursor: an icon with a hot spot", data: cursor(ico(append(low, mask...)), 5, 3), want: frames(on(q, 0, 0, plain(1, 1, none)))},
		{name: "ico-deepest", comment: "two as large, and a directory that does not say which is deeper", data: bytes.Replace(bytes.Replace(ico(append(low, mask...), append(dib, mask...)), []byte{8, 8, 0, 0, 1, 0, 32}, []byte{8, 8, 0, 0, 1, 0, 0}, 1), []byte{9, 9, 0, 0, 1, 0, 32}, []byte{8, 8, 0, 0, 1, 0, 0}, 1), want: frames(q)},
		{name: "ico-no-mask", comment: "a writer that does not count a mask, and has none", data: ico(wide), want: frames(quarters(8, 8))},
		{name: "cur", comment: "a cursor: where an icon's directory has the depth it has the point", data: append([]byte{0, 0, 2}, ico(append(dib, mask...))[3:]...), want: frames(q), meta: map[string]any{"format": "cur"}},
		{name: "ico-nothing", comment: "a directory that points nowhere", data: []byte("\x00\x00\x01\x00\x01\x00\x10\x10\x00\x00\x01\x00\x20\x00\xff\x00\x00\x00\xff\xff\x00\x00"), expect: readapi.CodeMalformed},
	}
}

// ico makes an icon of pictures; each later one is entered as larger.
func ico(pictures ...[]byte) []byte {
	out := []byte{0, 0, 1, 0, byte(len(pictures)), 0}
	off := len(out) + 16*len(pictures)
	for i, p := range pictures {
		out = append(out, byte(8+i), byte(8+i), 0, 0, 1, 0, 32, 0)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(p)))
		out = binary.LittleEndian.AppendUint32(out, uint32(off))
		off += len(p)
	}
	return append(out, bytes.Join(pictures, nil)...)
}

func webpCases() []sample {
	all := []readapi.Range{{From: 1}}
	grey := color.NRGBA{131, 131, 131, 255}
	alpha := append([]byte{0}, fill(16*16, 0x40)...)
	predicted := append([]byte{2 << 2, 0x40}, make([]byte, 16*16-1)...) // each row from the one above
	faint := color.NRGBA{131, 131, 131, 0x40}
	first := anmf(0, 0, 8, 8, 2, riff("VP8L", vp8lPlain(8, 8, red)))
	moving := webp(vp8x(0x12, 8, 8), riff("ANIM", []byte{0, 0, 0, 0, 4, 0}), first,
		anmf(2, 2, 4, 4, 1, riff("VP8L", vp8lPlain(4, 4, color.NRGBA{0, 0, 0, 128}))), anmf(6, 6, 2, 2, 2, riff("VP8L", vp8lPlain(2, 2, none))))
	base, black := plain(8, 8, red), color.NRGBA{0, 0, 0, 255}
	tall := webp(riff("VP8 ", vp8Zeros(24, 96)))
	return []sample{
		{name: "webp-lossless", comment: "one colour", data: webp(riff("VP8L", vp8lPlain(9, 5, blue))), want: frames(plain(9, 5, blue)), meta: map[string]any{"format": "webp"}},
		{name: "webp-lossy", comment: "colours of limited range: 128 is 130, not 128", data: webp(riff("VP8 ", vp8Zeros(24, 24))), want: frames(plain(24, 24, grey)), near: 1, meta: map[string]any{"color": "ycbcr"}},
		{name: "webp-alpha", comment: "an alpha plane as it is", data: webp(vp8x(0x10, 16, 16), riff("ALPH", alpha), riff("VP8 ", vp8Zeros(16, 16))), want: frames(plain(16, 16, faint)), near: 1},
		{name: "webp-alpha-filter", comment: "an alpha plane by prediction", data: webp(vp8x(0x10, 16, 16), riff("ALPH", predicted), riff("VP8 ", vp8Zeros(16, 16))), want: frames(plain(16, 16, faint)), near: 1},
		{name: "webp-alpha-packed", comment: "an alpha plane that is a lossless picture", data: webp(vp8x(0x10, 16, 16), riff("ALPH", append([]byte{1}, vp8lPlain(16, 16, color.NRGBA{0, 0x40, 0, 255})[5:]...)), riff("VP8 ", vp8Zeros(16, 16))), w: 16, h: 16},
		{name: "webp-moving", comment: "without a selection an animation is its first frame", data: moving, want: frames(base), meta: map[string]any{"frames": 3.0, "duration_ms": 300.0, "loop": 4.0}},
		{name: "webp-moving-all", comment: "blended, cleared, replaced", data: moving, units: all, want: frames(base, on(base, 2, 2, plain(4, 4, color.NRGBA{100, 10, 15, 255})), on(on(base, 2, 2, plain(4, 4, none)), 6, 6, plain(2, 2, none))), near: 1},
		{name: "webp-metadata", comment: "EXIF and XMP", data: webp(vp8x(0x0c, 9, 5), riff("VP8L", vp8lPlain(9, 5, blue)), riff("EXIF", exifBlock(binary.LittleEndian, 1)), riff("XMP ", []byte(secret))), want: frames(plain(9, 5, blue)), meta: map[string]any{"has_gps": true}, warnings: []string{"metadata_stripped"}},
		{name: "webp-sizes-differ", comment: "the canvas and the picture have different sizes", data: webp(vp8x(0, 9, 6), riff("VP8L", vp8lPlain(9, 5, blue))), expect: readapi.CodeMalformed},
		{name: "webp-frame-grows", comment: "a frame whose data is larger than it says", data: webp(vp8x(2, 8, 8), anmf(0, 0, 8, 8, 0, riff("VP8L", vp8lPlain(8000, 8000, red)))), expect: readapi.CodeMalformed},
		{name: "webp-cut", comment: "the file ends within the pixels", data: webp(riff("VP8 ", vp8Zeros(24, 24)))[:200], expect: readapi.CodeMalformed},
		{name: "webp-cut-rows", comment: "the file ends within the pixels: the rows before that are there", data: webp(riff("VP8L", vp8lBits(64, 64, 64, red)))[:20+9+6+8*32], want: frames(on(plain(64, 64, black), 0, 0, plain(64, 32, red))), warnings: []string{"partial"}},
		{name: "webp-cut-lossy", comment: "the same of a lossy picture, by rows of sixteen", data: tall[:len(tall)-64-12*64+6], w: 24, h: 96, warnings: []string{"partial"}},
		{name: "webp-cut-alpha", comment: "the alpha plane is shorter than the picture", data: webp(vp8x(0x10, 16, 16), riff("ALPH", alpha[:1+16*4]), riff("VP8 ", vp8Zeros(16, 16))), want: frames(on(plain(16, 16, none), 0, 0, plain(16, 4, faint))), near: 1, warnings: []string{"partial"}},
		{name: "webp-no-alpha", comment: "an alpha plane of a coding that is not known", data: webp(vp8x(0x10, 16, 16), riff("ALPH", append([]byte{3}, alpha...)), riff("VP8 ", vp8Zeros(16, 16))), expect: readapi.CodeMalformed},
		{name: "webp-nothing", comment: "no picture", data: webp(riff("XMP ", []byte("x"))), expect: readapi.CodeMalformed},
	}
}
