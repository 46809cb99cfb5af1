package image

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"image"
	"image/color"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc/icctest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// stuffed makes pictures of each format with a mark in every place that is not pixels: what a person did not mean to send.
type stuffed struct {
	t           testing.TB
	mark        string
	orientation uint64
	order       binary.AppendByteOrder
	side        int // of the picture: small ones leave as PNG, large ones as JPEG
}

// exif is a block with the mark as words, in a place, in a maker's note and in a thumbnail.
func (s stuffed) exif() string {
	b := newTIFF(s.order, false)
	gps, _ := b.directory(text(1, s.mark), text(29, s.mark))
	note, _ := b.directory(entry{tag: 37500, typ: 7, raw: s.mark}, text(37510, s.mark))
	at, next := b.directory(text(270, s.mark), short(tagOrientation, s.orientation), text(305, s.mark), long(34665, note), long(tagGPS, gps))
	thumb := b.data([]byte("\xff\xd8" + s.mark + "\xff\xd9"))
	second, _ := b.directory(long(513, thumb), long(514, uint64(len(s.mark)+4)))
	b.point(b.root(), at)
	b.point(next, second)
	return string(b.b)
}

// packet is XMP with the mark.
func (s stuffed) packet() string {
	return `<?xpacket begin=""?><x:xmpmeta><rdf:Description dc:creator="` + s.mark + `" exif:GPSLatitude="` + s.mark + `"/></x:xmpmeta>`
}

// iptc is an image resource block of Photoshop with the mark as a caption.
func (s stuffed) iptc() string {
	record := "\x1c\x02\x78" + string(binary.BigEndian.AppendUint16(nil, uint16(len(s.mark)))) + s.mark
	return "Photoshop 3.0\x008BIM\x04\x04\x00\x00" + string(binary.BigEndian.AppendUint32(nil, uint32(len(record)))) + record
}

// icc is a profile that is used, with the mark for its name.
func (s stuffed) icc() []byte {
	return icctest.AdobeRGB().With("desc", []byte("desc\x00\x00\x00\x00"+s.mark)).With("cprt", []byte("text\x00\x00\x00\x00"+s.mark)).Bytes()
}

func (s stuffed) picture() *image.NRGBA { return photoLike(s.side, s.side*2/3) }

// photoLike is a picture of many colours.
func photoLike(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x*7 + y), uint8(y*5 ^ x), uint8(x + y*3), 255})
		}
	}
	return m
}

func (s stuffed) jpeg() []byte {
	segments := [][]byte{
		jpegSegment(0xe0, "JFXX\x00\x13"+s.mark), jpegSegment(0xe1, "Exif\x00\x00"+s.exif()), jpegSegment(0xe1, xmpPrefix+s.packet()),
		jpegSegment(0xe1, "http://ns.adobe.com/xmp/extension/\x00"+s.mark), jpegSegment(0xed, s.iptc()), jpegSegment(0xfe, s.mark),
		jpegSegment(0xe2, "MPF\x00"+s.mark), jpegSegment(0xef, s.mark),
	}
	return append(jpegOf(s.t, s.picture(), append(segments, jpegProfile(s.icc(), 2)...)...), s.mark...)
}

func (s stuffed) chunks(p *pngBuilder) {
	p.chunk("iCCP", s.mark[:16]+"\x00\x00"+deflate(s.t, s.icc())).chunk("eXIf", s.exif())
	p.chunk("tEXt", "Comment\x00"+s.mark).chunk("zTXt", "Author\x00\x00"+deflate(s.t, []byte(s.mark))).chunk("iTXt", xmpKeyword+"\x00\x00\x00\x00"+s.packet())
	p.chunk("tEXt", "Raw profile type iptc\x00"+s.mark).chunk("prVt", s.mark).chunk("sPLT", s.mark).chunk("dSIG", s.mark)
}

func (s stuffed) png() []byte { return append(rgbaPNG(s.t, s.picture(), s.chunks), s.mark...) }

// palette is a PNG whose palette has the mark in colours that no pixel has.
func (s stuffed) palette() []byte {
	p := newPNG(2, 1, 8, 3, 0)
	s.chunks(p)
	mark := s.mark + strings.Repeat("x", -len(s.mark)%3+3)
	mark = mark[:len(mark)/3*3]
	p.chunk("PLTE", "\x01\x02\x03\xc8\x14\x1e"+mark).chunk("IDAT", deflate(s.t, []byte{0, 0, 1}))
	return append(p.end(), s.mark...)
}

func (s stuffed) gif() []byte {
	g := newGIF(8, 8, 0).extension(0xfe, s.mark).extension(0xff, "XMP DataXMP", s.packet()[:min(200, len(s.packet()))]).extension(0x01, s.mark)
	return append(g.picture(s.t, 0, 0, 8, 8, false, fill(64, 1)).extension(0xfe, s.mark).end(), s.mark...)
}

func (s stuffed) webp() []byte {
	return append(webp(vp8x(32|8|4, 40, 30), riff("ICCP", s.icc()), riff("VP8L", vp8lPlain(40, 30, blue)), riff("EXIF", []byte(s.exif())), riff("XMP ", []byte(s.packet())), riff("NOTE", []byte(s.mark))), s.mark...)
}

func (s stuffed) bmp() []byte {
	b := bmpSpec{w: 6, h: 4, header: 124, bpp: 24}.build()
	copy(b[bmpFileHeader+56:], "DEBM")
	binary.LittleEndian.PutUint32(b[bmpFileHeader+112:], uint32(len(b)-bmpFileHeader))
	profile := s.icc()
	binary.LittleEndian.PutUint32(b[bmpFileHeader+116:], uint32(len(profile)))
	return append(append(b, profile...), s.mark...)
}

func (s stuffed) ico() []byte { return append(ico(s.png()), s.mark...) }

func (s stuffed) tiff() []byte {
	m := s.picture()
	spec := tiffSpec{order: s.order, w: uint64(m.Rect.Dx()), h: uint64(m.Rect.Dy()), bits: eight, photometric: photoRGB, segments: [][]byte{rgb(m)}}
	b := spec.begin()
	gps, _ := b.directory(text(1, s.mark))
	sub, _ := b.directory(text(270, s.mark))
	raw := func(tag uint16, v string) entry { return entry{tag: tag, typ: 7, raw: v} }
	spec.extra = []entry{
		short(tagOrientation, s.orientation), text(269, s.mark), text(270, s.mark), text(271, s.mark), text(285, s.mark), text(305, s.mark), text(315, s.mark), text(33432, s.mark),
		raw(700, s.packet()), raw(33723, s.mark), raw(34377, s.iptc()), raw(34675, string(s.icc())), raw(37724, s.mark), raw(50341, s.mark),
		long(34665, sub), long(330, sub), long(tagGPS, gps),
	}
	at, _ := spec.page(b)
	b.point(b.root(), at)
	return append(b.b, s.mark...)
}

// holds reports whether b holds the mark: as it is, in two bytes a character, or in what inflates from any place of it.
func holds(b []byte, mark string) bool {
	wide := strings.Join(strings.Split(mark, ""), "\x00")
	if bytes.Contains(b, []byte(mark)) || bytes.Contains(b, []byte(wide)) || bytes.Contains(b, []byte(mark[:8])) {
		return true
	}
	for i := range len(b) - 2 {
		if b[i] != 0x78 || (int(b[i])<<8|int(b[i+1]))%31 != 0 { // RFC 1950, 2.2
			continue
		}
		if r, err := zlib.NewReader(bytes.NewReader(b[i:])); err == nil {
			if out, _ := io.ReadAll(io.LimitReader(r, 1<<16)); bytes.Contains(out, []byte(mark)) {
				return true
			}
		}
	}
	return false
}

// TestNoMarkSurvives is the promise that nothing leaves but pixels, for every format, orientation and encoder, and for any mark.
func TestNoMarkSurvives(t *testing.T) {
	letters := rapid.SampledFrom([]byte("ABCDEFGHJKLMNPQRSTUVWXYZ23456789"))
	seen := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		s := stuffed{
			t: t, mark: "MARK" + string(rapid.SliceOfN(letters, 16, 40).Draw(rt, "mark")), orientation: uint64(rapid.IntRange(1, 8).Draw(rt, "orientation")),
			order: binary.LittleEndian, side: rapid.SampledFrom([]int{24, 60, 150}).Draw(rt, "side"),
		}
		if rapid.Bool().Draw(rt, "big endian") {
			s.order = binary.BigEndian
		}
		makers := map[string]func() []byte{"jpeg": s.jpeg, "png": s.png, "palette": s.palette, "gif": s.gif, "webp": s.webp, "bmp": s.bmp, "ico": s.ico, "tiff": s.tiff, "jp2": s.jp2}
		name := rapid.SampledFrom([]string{"jpeg", "png", "palette", "gif", "webp", "bmp", "ico", "tiff", "jp2"}).Draw(rt, "format")
		data := makers[name]()
		if !bytes.Contains(data, []byte(s.mark)) {
			rt.Fatal("the picture does not hold the mark: the test tests nothing")
		}
		change := func(r *readapi.Request) {
			r.Original = rapid.Bool().Draw(rt, "original")
			r.ImageTypes = rapid.SampledFrom([][]readapi.MediaType{nil, {"image/png"}, {"image/jpeg"}}).Draw(rt, "types")
			r.MaxEdge = rapid.SampledFrom([]int64{0, 40, 180}).Draw(rt, "edge")
		}
		res, err := read(t, data, change)
		if err != nil {
			rt.Fatalf("%s: %v", name, err)
		}
		for _, p := range res.Parts {
			seen[name+" as "+string(p.Image.MediaType)] = true
			if holds(p.Image.Bytes, s.mark) {
				rt.Fatalf("%s: the mark is in the %s", name, p.Image.MediaType)
			}
			checkLean(t, name, p.Image)
			pixels(t, p)
		}
		said, err := json.Marshal([]any{res.Meta, res.Warnings, res.Children})
		if err != nil || holds(said, s.mark) {
			rt.Fatalf("%s: the mark is in %s", name, said)
		}
	})
	for _, way := range []string{"jpeg as image/jpeg", "png as image/png"} {
		if !seen[way] {
			t.Errorf("%s was never tried", way)
		}
	}
}

// TestHolds: the search finds what it is for.
func TestHolds(t *testing.T) {
	mark := "MARKABCDEFGHIJKL"
	for name, b := range map[string]string{"plain": "xx" + mark, "wide": strings.Join(strings.Split(mark, ""), "\x00"), "deflated": "xx" + deflate(t, []byte("more "+mark))} {
		if !holds([]byte(b), mark) {
			t.Errorf("%s is not found", name)
		}
	}
	if holds([]byte("MARK and other things"), mark) {
		t.Error("found where it is not")
	}
}
