package image

import (
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc/icctest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Codes of runs of up to eight pixels (T.4, table 2).
var (
	whiteRuns = strings.Fields("00110101 000111 0111 1000 1011 1100 1110 1111 10011")
	blackRuns = strings.Fields("0000110111 010 11 10 011 0011 0010 00011 000101")
)

const (
	eol       = "000000000001"
	faxPixels = 8
)

// faxBits makes bytes of strings of bits; "|" fills up to a byte.
func faxBits(parts ...string) []byte {
	var w msbWriter
	for _, p := range parts {
		for _, c := range p {
			if c == '|' {
				w.n = (w.n + 7) / 8 * 8
				continue
			}
			w.bits(uint32(c-'0'), 1)
		}
	}
	return w.b
}

// faxRow codes a row of runs in one dimension, white first.
func faxRow(runs ...int) (out string) {
	for i, n := range runs {
		if i%2 == 0 {
			out += whiteRuns[n]
		} else {
			out += blackRuns[n]
		}
	}
	return out
}

func tiffFaxCases() []sample {
	black := color.NRGBA{0, 0, 0, 255}
	// Row 1: three white, two black, three white. Row 2: the same, one to the right. Row 3: black. Row 4: white.
	want := plain(faxPixels, 4, white)
	want = on(want, 3, 0, plain(2, 1, black))
	want = on(want, 4, 1, plain(2, 1, black))
	want = on(want, 0, 2, plain(8, 1, black))
	rows := []string{faxRow(3, 2, 3), faxRow(4, 2, 2), faxRow(0, 8), faxRow(8)}
	page := func(compression uint64, data []byte, extra ...entry) []byte {
		return tiffSpec{w: faxPixels, h: 4, bits: []uint64{1}, photometric: whiteIsZero, compression: compression, segments: [][]byte{data}, extra: extra}.build()
	}
	oneD := faxBits(eol, rows[0], eol, rows[1], eol, rows[2], eol, rows[3], strings.Repeat(eol, 6))
	// In two dimensions: the second row is both changes one to the right (011 011), the end as above (1).
	twoD := faxBits(eol, "1", rows[0], eol, "0", "0110111", eol, "1", rows[2], eol, "1", rows[3], strings.Repeat(eol+"1", 6))
	damaged := faxBits(eol, rows[0], eol, "000000001", eol, rows[2], eol, rows[3], strings.Repeat(eol, 6))
	lost := on(plain(faxPixels, 4, white), 3, 0, plain(2, 1, black))
	lost = on(lost, 0, 2, plain(8, 1, black))
	ok := func(name, comment string, data []byte) sample {
		return sample{name: "tiff-" + name, comment: comment, data: data, want: frames(want)}
	}
	return []sample{
		ok("fax-rle", "modified Huffman coding: rows begin at bytes, without ends of lines", page(tiffHuffman, faxBits(rows[0], "|", rows[1], "|", rows[2], "|", rows[3]))),
		ok("fax3", "Group 3", page(tiffFax3, oneD)),
		ok("fax3-no-ends", "Group 3 without ends of lines", page(tiffFax3, faxBits(rows...))),
		ok("fax3-filled", "ends of lines end at bytes", page(tiffFax3, faxBits("0000"+eol, rows[0], "|0000", eol, rows[1], "|0000", eol, rows[2], "|0000", eol, rows[3]), long(292, 4))),
		ok("fax3-2d", "Group 3 in two dimensions", page(tiffFax3, twoD, long(292, 1))),
		ok("fax3-reversed", "the low bit comes first", page(tiffFax3, reversed(oneD), short(266, 2))),
		{name: "tiff-fax3-damaged", comment: "a row is damaged, those behind it are not", data: page(tiffFax3, damaged), want: frames(lost), warnings: []string{"partial"}},
		{name: "tiff-fax-cut", comment: "the rows end early", data: page(tiffFax3, faxBits(eol, rows[0])), w: faxPixels, h: 4, warnings: []string{"partial"}},
	}
}

// tiffColourCases are pages in the colours that are not red, green and blue.
func tiffColourCases(t testing.TB) []sample {
	one := func(name, comment string, bits int, samples int, photometric uint64, c color.NRGBA, data []byte, extra ...entry) sample {
		s := tiffSpec{order: binary.BigEndian, w: 1, h: 1, photometric: photometric, segments: [][]byte{data}, extra: extra}
		for range samples {
			s.bits = append(s.bits, uint64(bits))
		}
		return sample{name: "tiff-" + name, comment: comment, data: s.build(), want: frames(plain(1, 1, c)), near: 2}
	}
	// Four pixels share their colours: (81, 90, 240) and its like is red in limited range, as ReferenceBlackWhite says below.
	blocks := tiffSpec{w: 3, h: 2, bits: eight, photometric: photoYCbCr, segments: [][]byte{{76, 76, 76, 76, 85, 255, 29, 29, 29, 29, 255, 107}}, extra: []entry{short(530, 2, 2)}}
	two := on(plain(3, 2, color.NRGBA{254, 0, 0, 255}), 2, 0, plain(1, 2, color.NRGBA{0, 0, 254, 255}))
	limited := tiffSpec{w: 1, h: 1, bits: eight, photometric: photoYCbCr, segments: [][]byte{{235, 128, 128}}, extra: []entry{short(530, 1, 1), long(532, 16, 235, 128, 240, 128, 240)}}
	ramp := tiffSpec{w: 4, h: 1, bits: []uint64{8, 8}, photometric: photoIndex, extra: []entry{colorMap(256), short(338, 2)}, segments: [][]byte{{0, 255, 1, 128, 2, 0, 3, 255}}}
	seen := image.NewNRGBA(image.Rect(0, 0, 4, 1))
	for x, a := range []uint8{255, 128, 0, 255} {
		c := gifColors[x]
		seen.SetNRGBA(x, 0, color.NRGBA{c.R, c.G, c.B, a})
	}
	return []sample{
		one("cielab", "L of 50.2, no a, no b", 8, 3, photoLab, color.NRGBA{120, 120, 120, 255}, []byte{128, 0, 0}),
		one("cielab-red", "a and b are signed", 8, 3, photoLab, color.NRGBA{254, 0, 0, 255}, []byte{138, 81, 70}),
		one("cielab-16", "sixteen bits", 16, 3, photoLab, color.NRGBA{0, 0, 254, 255}, []byte{0x4b, 0, 68, 0, 0x90, 0}, short(339, 2, 2, 2)),
		one("icclab", "a and b are 128 more", 8, 3, photoICCLab, color.NRGBA{254, 0, 0, 255}, []byte{138, 128 + 81, 128 + 70}),
		one("cmyk-16", "inks of sixteen bits", 16, 4, photoCMYK, color.NRGBA{0, 255, 255, 255}, []byte{255, 255, 0, 0, 0, 0, 0, 0}),
		one("cmyk-alpha", "inks and alpha", 8, 5, photoCMYK, color.NRGBA{0, 255, 255, 128}, []byte{255, 0, 0, 0, 128}, short(338, 2)),
		one("gray-alpha", "gray and alpha", 8, 2, blackIsZero, color.NRGBA{90, 90, 90, 128}, []byte{90, 128}, short(338, 2)),
		one("rgbx", "a fourth sample that means nothing", 8, 4, photoRGB, color.NRGBA{1, 2, 3, 255}, []byte{1, 2, 3, 4}, short(338, 0)),
		one("ycbcr-full", "a sample of each for a pixel", 8, 3, photoYCbCr, color.NRGBA{254, 0, 0, 255}, []byte{76, 85, 255}, short(530, 1, 1)),
		{name: "tiff-ycbcr-blocks", comment: "four pixels share their colours", data: blocks.build(), want: frames(two), near: 2},
		{name: "tiff-ycbcr-limited", comment: "black and white are not 0 and 255", data: limited.build(), want: frames(plain(1, 1, white)), near: 1},
		{name: "tiff-palette-alpha", comment: "indices and alpha", data: ramp.build(), want: frames(seen)},
		{name: "tiff-no-photometric", comment: "three samples that mean nothing are colours", data: tiffSpec{w: 1, h: 1, bits: eight, photometric: unknownPhotometric, segments: [][]byte{{9, 8, 7}}, extra: []entry{long(262, unknownPhotometric)}}.build(), want: frames(plain(1, 1, color.NRGBA{9, 8, 7, 255}))},
		{name: "tiff-icc-gray", comment: "gray with a profile of its own", data: tiffSpec{w: 1, h: 1, bits: []uint64{8}, photometric: blackIsZero, segments: [][]byte{{128}}, extra: []entry{{tag: 34675, typ: 7, raw: string(icctest.Gray("Lab", icctest.Gamma(1)).Bytes())}}}.build(), want: frames(plain(1, 1, color.NRGBA{119, 119, 119, 255})), near: 1, meta: map[string]any{"icc": true}},
	}
}

// oldJPEGCases are the ways of TIFF 6.0, section 22.
func oldJPEGCases(t testing.TB) []sample {
	stream := flat("\x01\x02\x03")
	want := frames(plain(8, 8, color.NRGBA{159, 159, 159, 255}))
	spec := tiffSpec{w: 8, h: 8, bits: eight, photometric: photoYCbCr, compression: tiffOldJPEG}
	with := func(segment []byte, extra ...entry) tiffSpec {
		s := spec
		s.segments, s.extra = [][]byte{segment}, extra
		return s
	}
	// Tables that lie in front of the first strip: the header takes 8 bytes, so they begin there.
	apart := func(limited bool) []byte {
		b := spec.begin()
		q := b.data(fill(64, 8))
		dc := b.data(append(append([]byte{1, 1}, fill(14, 0)...), 0, 5))
		ac := b.data(append(append([]byte{1}, fill(15, 0)...), 0))
		s := with([]byte{0b10_11111_0, 0, 0xff, 0xd9}, short(512, 1), long(519, q, q, q), long(520, dc, dc, dc), long(521, ac, ac, ac), short(530, 1, 1))
		if limited {
			s.extra = append(s.extra, long(532, 0, 318, 128, 255, 128, 255))
		}
		at, _ := s.page(b)
		b.point(b.root(), at)
		return b.b
	}
	elsewhere := func() []byte {
		b := spec.begin()
		off := b.data(stream)
		at, _ := with([]byte{0, 0, 0, 0}, long(513, off), long(514, uint64(len(stream)))).page(b)
		b.point(b.root(), at)
		return b.b
	}
	return []sample{
		{name: "tiff-old-jpeg-strip", comment: "a strip that is a whole JPEG", data: with(stream).build(), want: want, near: 1},
		{name: "tiff-old-jpeg-elsewhere", comment: "the JPEG lies where the interchange tag says", data: elsewhere(), want: want, near: 1},
		{name: "tiff-old-jpeg-tables", comment: "coded data alone, and tables that tags point at", data: apart(false), want: want, near: 1},
		{name: "tiff-old-jpeg-limited", comment: "and its white is 318", data: apart(true), want: frames(plain(8, 8, color.NRGBA{127, 127, 127, 255})), near: 1},
		{name: "tiff-old-jpeg-nowhere", comment: "coded data without tables", data: with([]byte{1, 2, 3, 4}).build(), expect: readapi.CodeUnsupportedFeature},
		{name: "tiff-old-jpeg-lossless", comment: "the lossless process", data: with(stream, short(512, 14)).build(), expect: readapi.CodeUnsupportedFeature},
		{name: "tiff-webp", comment: "a strip that is a WebP", data: tiffSpec{w: 5, h: 3, bits: eight, photometric: photoRGB, compression: tiffWebP, segments: [][]byte{webp(riff("VP8L", vp8lPlain(5, 3, blue)))}}.build(), want: frames(plain(5, 3, blue))},
		{name: "tiff-webp-grows", comment: "a strip that is a larger WebP than the page", data: tiffSpec{w: 5, h: 3, bits: eight, photometric: photoRGB, compression: tiffWebP, segments: [][]byte{webp(riff("VP8L", vp8lPlain(6000, 3, blue)))}}.build(), expect: readapi.CodeMalformed},
	}
}

// tiffLayoutCases are files whose numbers are wrong, and can be read all the same, as far as they go.
func tiffLayoutCases(t testing.TB) []sample {
	q := quarters(6, 4)
	data := rgb(q)
	strip := func(change func(*tiffSpec)) []byte {
		s := tiffSpec{w: 6, h: 4, bits: eight, photometric: photoRGB, segments: [][]byte{data}}
		change(&s)
		return s.build()
	}
	top := on(plain(6, 4, color.NRGBA{0, 0, 0, 255}), 0, 0, quarters(6, 4).SubImage(image.Rect(0, 0, 6, 2)).(*image.NRGBA))
	return []sample{
		{name: "tiff-count-large", comment: "a strip that is longer than the file", data: strip(func(s *tiffSpec) { s.extra = []entry{long(279, 1<<31)} }), want: frames(q)},
		{name: "tiff-count-small", comment: "the only strip is longer than is said", data: strip(func(s *tiffSpec) { s.extra = []entry{long(279, 5)} }), want: frames(q)},
		{name: "tiff-one-strip", comment: "one strip holds all rows, whatever is said of them", data: strip(func(s *tiffSpec) { s.extra = []entry{short(278, 1)} }), want: frames(q)},
		{name: "tiff-rows-zero", comment: "strips of no rows", data: strip(func(s *tiffSpec) { s.extra = []entry{short(278, 0)} }), want: frames(q)},
		{name: "tiff-strip-cut", comment: "half of the rows are there", data: strip(func(s *tiffSpec) { s.compression, s.segments = tiffPackBits, [][]byte{runs(data[:36])} }), want: frames(top), warnings: []string{"partial"}},
		{name: "tiff-strip-missing", comment: "the second strip is not in the list", data: strip(func(s *tiffSpec) { s.rows, s.segments = 1, [][]byte{data[:18], data[18:36]} }), want: frames(top), warnings: []string{"partial"}},
		{name: "tiff-lzw", comment: "codes with the high bit first", data: strip(func(s *tiffSpec) { s.compression, s.segments = tiffLZW, [][]byte{literalLZW(data)} }), want: frames(q)},
		{name: "tiff-lzw-old", comment: "codes with the low bit first, as before TIFF 6.0", data: strip(func(s *tiffSpec) { s.compression, s.segments = tiffLZW, [][]byte{oldLZWStream(data)} }), want: frames(q)},
		{name: "tiff-no-samples", comment: "the number of samples is left out", data: strip(func(s *tiffSpec) { s.extra = []entry{{tag: 277, typ: 2, raw: "\x00"}} }), want: frames(q)},
	}
}

// TestTIFFRefusals: what nobody here decodes is named.
func TestTIFFRefusals(t *testing.T) {
	for _, c := range []struct {
		want  string
		extra []entry
	}{
		{"Zstandard", []entry{short(259, 50000)}},
		{"LZMA", []entry{short(259, 34925)}},
		{"JPEG 2000", []entry{short(259, 34712)}},
		{"JBIG", []entry{short(259, 34661)}},
		{"JPEG XL", []entry{short(259, 50002)}},
		{"LERC", []entry{short(259, 34887)}},
		{"SGI Log", []entry{short(259, 34676)}},
		{"compression", []entry{short(259, 4242)}},
		{"LogLuv", []entry{short(262, 32845)}},
		{"mask", []entry{short(262, 4)}},
		{"ITU Lab", []entry{short(262, 10)}},
		{"sensor", []entry{short(262, 32803)}},
		{"colour model", []entry{short(262, 77)}},
		{"signed", []entry{short(339, 2, 2, 2)}},
		{"complex", []entry{short(339, 6, 6, 6)}},
		{"floating-point samples of this depth", []entry{short(339, 3, 3, 3)}},
		{"different depth", []entry{short(258, 8, 8, 1)}},
		{"bit depth", []entry{short(258, 17, 17, 17)}},
		{"many samples", []entry{short(277, 9)}},
		{"inks", []entry{short(262, 5), short(277, 4), short(258, 8, 8, 8, 8), short(332, 2)}},
		{"predictor", []entry{short(259, 5), short(317, 3)}},
		{"subsampled", []entry{short(262, 6), short(530, 3, 1)}},
		{"in planes", []entry{short(262, 6), short(530, 2, 2), short(284, 2)}},
		{"fax coding of more", []entry{short(259, 4)}},
		{"12 bits", []entry{short(259, 7), short(258, 12, 12, 12)}},
		{"palette", []entry{short(262, 3), short(277, 1), short(258, 16)}},
	} {
		s := tiffSpec{w: 2, h: 1, bits: eight, photometric: photoRGB, segments: [][]byte{{1, 2, 3, 4, 5, 6}}, extra: c.extra}
		_, err := read(t, s.build(), nil)
		e, ok := asFailure(err)
		if !ok || e.Code != readapi.CodeUnsupportedFeature || !strings.Contains(e.Detail, c.want) || !strings.HasPrefix(e.Detail, "tiff 2x1: tiff ") {
			t.Errorf("%v, want unsupported_feature that names %q", err, c.want)
		}
	}
}

// TestTIFFStripsOverlap: thousands of strips that say they are the whole file do not read it thousands of times.
func TestTIFFStripsOverlap(t *testing.T) {
	const strips = 20_000
	offsets, counts := make([]uint64, strips), make([]uint64, strips)
	for i := range offsets {
		offsets[i], counts[i] = 8, 1<<20
	}
	s := tiffSpec{w: 8, h: strips, bits: []uint64{1}, compression: tiffFax4, rows: 1, segments: [][]byte{make([]byte, 1<<20)}, extra: []entry{long(273, offsets...), long(279, counts...), long(257, strips)}}
	reader := &countingReader{data: s.build()}
	f, err := open(reader)
	must(t, err)
	f.frame(1, newBudget(&readapi.Request{MaxSide: 1 << 20}))
	if most := int64(2*readableTimes) * reader.Size(); reader.read > most {
		t.Errorf("%d bytes of a file of %d were read", reader.read, reader.Size())
	}
}

type countingReader struct {
	data []byte
	read int64
}

func (r *countingReader) Size() int64 { return int64(len(r.data)) }
func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	n := copy(p, r.data[off:])
	r.read += int64(n)
	return n, nil
}
