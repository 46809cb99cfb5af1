package image

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg/jpegtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func jpegCases(t testing.TB) []sample {
	q := quarters(32, 32)
	whole := jpegOf(t, q)
	grey := image.NewGray(image.Rect(0, 0, 20, 20))
	for i := range grey.Pix {
		grey.Pix[i] = 77
	}
	secrets := jpegOf(t, q, jpegSegment(0xe1, "Exif\x00\x00"+string(exifBlock(binary.LittleEndian, 1))), jpegSegment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+secret),
		jpegSegment(0xed, "Photoshop 3.0\x00"+secret), jpegSegment(0xfe, secret), jpegSegment(0xe2, "ICC_PROFILE\x00\x01\x01"+secret))
	soft := on(plain(32, 32, color.NRGBA{120, 110, 100, 255}), 0, 0, plain(32, 12, color.NRGBA{125, 113, 99, 255}))
	level := plain(16, 16, color.NRGBA{159, 159, 159, 255}) // 128 and 31 times 8, of which a block of 8 by 8 has an eighth
	return append(jpegDamageCases(t), []sample{
		{name: "jpeg", comment: "baseline", data: whole, want: frames(q), near: 12, meta: map[string]any{"format": "jpeg", "color": "ycbcr", "has_gps": false}},
		{name: "jpeg-gray", comment: "one component", data: jpegOf(t, grey), want: frames(plain(20, 20, color.NRGBA{77, 77, 77, 255})), near: 1, meta: map[string]any{"color": "gray"}},
		{name: "jpeg-metadata", comment: "EXIF, XMP, IPTC, a comment, a profile", data: append(secrets, secret...), want: frames(q), near: 12, meta: map[string]any{"has_gps": true, "icc": true}, warnings: []string{"icc_ignored", "metadata_stripped"}},
		{name: "jpeg-no-end", comment: "the end marker is missing", data: whole[:len(whole)-2], want: frames(q), near: 12},
		{name: "jpeg-junk-between", comment: "bytes between segments", data: append(append([]byte{0xff, 0xd8}, jpegSegment(0xfe, "")...), append([]byte{1, 2, 3, 0xff}, whole[2:]...)...), want: frames(q), near: 12},
		{name: "jpeg-progressive", comment: "two scans", data: progressive(), want: frames(level), near: 1},
		{name: "jpeg-progressive-cut", comment: "the second scan is cut: less detail, all of the picture", data: progressive()[:len(progressive())-3], want: frames(level), near: 1, warnings: []string{"partial"}},
		{name: "jpeg-cmyk", comment: "four inks, inverted as Adobe has them", data: flat("\x01\x02\x03\x04", []byte(adobeCMYK)), want: frames(plain(8, 8, color.NRGBA{80, 64, 64, 255})), near: 1, meta: map[string]any{"color": "cmyk"}},
		{name: "jpeg-cmyk-unknown", comment: "four components that nobody explains are inks like Adobe's", data: flat("\x01\x02\x03\x04"), want: frames(plain(8, 8, color.NRGBA{80, 64, 64, 255})), near: 1, meta: map[string]any{"color": "cmyk"}},
		{name: "jpeg-rgb", comment: "components by the names of the colours", data: flat("RGB"), want: frames(plain(8, 8, color.NRGBA{159, 128, 128, 255})), near: 1},
		{name: "jpeg-no-frame", comment: "no frame header", data: whole[:10], expect: readapi.CodeMalformed},
		{name: "jpeg-lossless", comment: "a process that is not decoded", data: jpegHeader(0xc3, 8, 16, 16, 3), expect: readapi.CodeUnsupportedFeature},
		{name: "jpeg-arithmetic", comment: "arithmetic coding", data: coded(q, 0, func(s *jpegtest.Spec) { s.Arithmetic = true }), want: frames(q), near: 12},
		{name: "jpeg-arithmetic-progressive", comment: "arithmetic coding, a bit at a time", data: coded(q, 2, func(s *jpegtest.Spec) { s.Arithmetic, s.Progressive = true, true }), want: frames(q), near: 12},
		{name: "jpeg-arithmetic-none", comment: "arithmetic coding, a header and no data", data: jpegHeader(0xc9, 8, 16, 16, 3), expect: readapi.CodeMalformed},
		{name: "jpeg-12-bit", comment: "twelve bits, of which the upper eight leave", data: twelveBits(), want: frames(level), near: 1, meta: map[string]any{"bit_depth": 12.0}},
		{name: "jpeg-height-later", comment: "the height comes behind the data", data: coded(q, 0, func(s *jpegtest.Spec) { s.DefineLines = true }), want: frames(q), near: 12},
		{name: "jpeg-height-never", comment: "no height at all", data: jpegHeader(0xc0, 8, 16, 0, 3), expect: readapi.CodeUnsupportedFeature},
		{name: "jpeg-progressive-color", comment: "levels and detail of three components, a bit at a time", data: coded(q, 0, func(s *jpegtest.Spec) { s.Progressive = true }), want: frames(q), near: 12},
		{name: "jpeg-apart", comment: "each component in a scan of its own", data: coded(q, 0, func(s *jpegtest.Spec) { s.Apart = true }), want: frames(q), near: 12},
		{name: "jpeg-restarts", comment: "a restart marker behind every third block", data: coded(q, 0, func(s *jpegtest.Spec) { s.Restart = 3 }), want: frames(q), near: 12},
		{name: "jpeg-luma-small", comment: "less luma than chroma", data: coded(soft, 0, func(s *jpegtest.Spec) { s.Components = jpegtest.Sampled(0x11, 0x22, 0x22) }), want: frames(soft), near: 6},
		{name: "jpeg-thirds", comment: "three luma samples for one of chroma", data: coded(soft, 0, func(s *jpegtest.Spec) { s.Components = jpegtest.Sampled(0x31, 0x11, 0x11) }), want: frames(soft), near: 6},
		{name: "jpeg-two-thirds", comment: "three luma samples for two of chroma", data: coded(soft, 0, func(s *jpegtest.Spec) { s.Components = jpegtest.Sampled(0x33, 0x22, 0x12) }), want: frames(soft), near: 6},
		{name: "jpeg-ycck", comment: "Adobe's inks as luma, chroma and black", data: flat("\x01\x02\x03\x04", []byte(adobeCMYK[:len(adobeCMYK)-1]+"\x02")), want: frames(plain(8, 8, color.NRGBA{48, 48, 48, 255})), near: 1, meta: map[string]any{"color": "cmyk"}},
		{name: "jpeg-two-components", comment: "two components, which nobody explains", data: flat("ab"), expect: readapi.CodeUnsupportedFeature},
	}...)
}

// jpegDamageCases are pictures of four rows and four columns of blocks, each row of which is a stretch between restart markers.
func jpegDamageCases(t testing.TB) []sample {
	q := quarters(32, 32)
	gray := color.NRGBA{128, 128, 128, 255}
	upper := on(plain(32, 32, gray), 0, 0, quarters(32, 32).SubImage(image.Rect(0, 0, 32, 16)).(*image.NRGBA))
	data := coded(q, 4, nil)
	at := func(i byte) int { return bytes.Index(data, []byte{0xff, 0xd0 + i}) }
	scan := bytes.Index(data, []byte("\xff\xda"))
	bad := bytes.Clone(coded(q, 0, nil))
	copy(bad[len(bad)-20:], bytes.Repeat([]byte("\xfe"), 8)) // no code begins so
	third := on(q, 0, 16, plain(32, 8, gray))
	return []sample{
		{name: "jpeg-cut", comment: "the file ends half way: the rest is gray", data: data[:at(1)], want: frames(upper), near: 12, warnings: []string{"partial"}},
		{name: "jpeg-cut-early", comment: "the file ends within the first row of blocks", data: data[:at(0)-4], expect: readapi.CodeMalformed},
		{name: "jpeg-cut-headers", comment: "the file ends with its headers", data: data[:scan], expect: readapi.CodeMalformed},
		{name: "jpeg-restart-lost", comment: "one stretch between restart markers is lost, and costs itself", data: append(bytes.Clone(data[:at(1)]), data[at(2):]...), want: frames(third), near: 12, warnings: []string{"partial"}},
		{name: "jpeg-restart-misnumbered", comment: "a restart marker with a number that is far off", data: bytes.Replace(data, []byte("\xff\xd1"), []byte("\xff\xd5"), 1), want: frames(q), near: 12},
		{name: "jpeg-bad-code", comment: "bits that no table has a code for", data: bad, w: 32, h: 32, warnings: []string{"partial"}},
		{name: "jpeg-segment-lies", comment: "an application segment that says it is longer than the file", data: append([]byte("\xff\xd8\xff\xe5\xff\x00"), data[2:]...), want: frames(q), near: 12},
		{name: "jpeg-segment-short", comment: "an application segment that is longer than it says", data: append([]byte("\xff\xd8\xff\xe5\x00\x04abcdefghi"), data[2:]...), want: frames(q), near: 12},
		{name: "jpeg-progressive-first-cut", comment: "half of the first scan is there", data: progressive()[:len(progressive())-14], w: 16, h: 16, warnings: []string{"partial"}},
		{name: "jpeg-progressive-none", comment: "not even one block is there", data: progressive()[:len(progressive())-15], expect: readapi.CodeMalformed},
	}
}

// coded is m as a JPEG of full colour, changed as change says.
func coded(m *image.NRGBA, restart int, change func(*jpegtest.Spec)) []byte {
	s := jpegtest.Spec{Width: m.Rect.Dx(), Height: m.Rect.Dy(), Components: jpegtest.YCbCr(0x11), Restart: restart}
	s.Sample = func(c, x, y int) int {
		p := m.NRGBAAt(x, y)
		l, b, r := color.RGBToYCbCr(p.R, p.G, p.B)
		return int([3]byte{l, b, r}[c])
	}
	if change != nil {
		change(&s)
	}
	return s.Bytes()
}

// twelveBits is a gray picture of 16 by 16.
func twelveBits() []byte {
	return jpegtest.Spec{
		Width: 16, Height: 16, Components: jpegtest.Named("\x01"), Precision: 12, Sample: func(_, _, _ int) int { return 159 * 16 },
	}.Bytes()
}
