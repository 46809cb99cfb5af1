package image

import (
	"encoding/binary"
	"testing"

	"pgregory.net/rapid"
)

// TestEXIFTypes: an orientation and a place are found whatever integer type a writer takes for them.
func TestEXIFTypes(t *testing.T) {
	for _, typ := range []uint16{1, 3, 4, 6, 8, 9} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			b := newTIFF(order, false)
			gps, _ := b.directory(text(1, "N"))
			var v []byte
			switch typ {
			case 1, 6:
				v = []byte{5}
			case 3, 8:
				v = order.AppendUint16(nil, 5)
			default:
				v = order.AppendUint32(nil, 5)
			}
			at, _ := b.directory(entry{tag: tagOrientation, typ: typ, values: []uint64{5}}, entry{tag: tagGPS, typ: 9, values: []uint64{gps}})
			if typ == 6 || typ == 8 { // the builder writes four bytes of what it does not know; readers take the first
				copy(b.b[at+2+8:], append(v, 0, 0, 0)[:4])
			}
			b.point(b.root(), at)
			if e := parseEXIF(b.b); e.orientation != 5 || !e.gps {
				t.Errorf("type %d: %+v", typ, e)
			}
		}
	}
}

// TestXMPOrientation: a packet turns a picture, and a block of EXIF overrules it, whichever comes first.
func TestXMPOrientation(t *testing.T) {
	for text, want := range map[string]int{
		`<rdf:Description tiff:Orientation="6"/>`: 6, `tiff:Orientation = '3'`: 3, `<tiff:Orientation>8</tiff:Orientation>`: 8,
		`tiff:Orientation="9"`: 0, `tiff:Orientation="16"`: 0, `tiff:Orientation=6`: 0, `tiff:Orientation`: 0, `tiff:Orientation="`: 0, ``: 0, `exif:Orientation="6"`: 0,
	} {
		if got := xmpOrientation([]byte(text)); got != want {
			t.Errorf("%s is %d, want %d", text, got, want)
		}
	}
	packet := `<x:xmpmeta><rdf:Description tiff:Orientation="6" exif:GPSLatitude="` + secret + `"/></x:xmpmeta>`
	block := string(exifBlock(binary.BigEndian, 8))
	q := quarters(6, 4)
	both := rgbaPNG(t, q, func(p *pngBuilder) { p.chunk("iTXt", xmpKeyword+"\x00\x00\x00\x00"+packet).chunk("eXIf", block) })
	for name, c := range map[string]struct {
		data        []byte
		orientation int
	}{
		"png":              {rgbaPNG(t, q, func(p *pngBuilder) { p.chunk("iTXt", xmpKeyword+"\x00\x00en\x00word\x00"+packet) }), 6},
		"png, compressed":  {rgbaPNG(t, q, func(p *pngBuilder) { p.chunk("iTXt", xmpKeyword+"\x01\x00\x00\x00"+deflate(t, []byte(packet))) }), 6},
		"png, EXIF behind": {both, 8},
		"png, EXIF first":  {rgbaPNG(t, q, func(p *pngBuilder) { p.chunk("eXIf", block).chunk("iTXt", xmpKeyword+"\x00\x00\x00\x00"+packet) }), 8},
		"jpeg":             {jpegOf(t, quarters(6, 4), jpegSegment(0xe1, xmpPrefix+packet)), 6},
		"jpeg, both":       {jpegOf(t, quarters(6, 4), jpegSegment(0xe1, xmpPrefix+packet), jpegSegment(0xe1, "Exif\x00\x00"+block)), 8},
		"webp":             {webp(vp8x(4, 6, 4), riff("VP8L", vp8lPlain(6, 4, blue)), riff("XMP ", []byte(packet))), 6},
		"tiff":             {tiffSpec{w: 6, h: 4, bits: eight, photometric: photoRGB, segments: [][]byte{rgb(q)}, extra: []entry{text(700, packet)}}.build(), 1}, // it has a tag for that
	} {
		res, err := read(t, c.data, nil)
		must(t, err)
		if got := res.Meta["orientation"]; got != float64(c.orientation) || res.Meta["has_gps"] != true {
			t.Errorf("%s: orientation %v, a place %v; want %d and true", name, got, res.Meta["has_gps"], c.orientation)
		}
	}
}

// TestEXIFProperty: directories that point anywhere end, and nothing but an orientation and a flag comes of them.
func TestEXIFProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newTIFF(binary.LittleEndian, rapid.Bool().Draw(rt, "big"))
		n := rapid.IntRange(0, 5).Draw(rt, "directories")
		for range n {
			var entries []entry
			for range rapid.IntRange(0, 6).Draw(rt, "entries") {
				tag := rapid.SampledFrom([]uint16{tagOrientation, tagGPS, 34665, 330, 513, 0, 65535}).Draw(rt, "tag")
				entries = append(entries, entry{tag: tag, typ: rapid.Uint16Range(0, 20).Draw(rt, "type"), values: []uint64{rapid.Uint64().Draw(rt, "value")}})
			}
			at, next := b.directory(entries...)
			b.point(b.root(), at)
			b.point(next, rapid.Uint64Range(0, uint64(len(b.b)+10)).Draw(rt, "next"))
		}
		if e := parseEXIF(b.b); e.orientation < 0 || e.orientation > 8 {
			rt.Fatalf("%+v", e)
		}
	})
}
