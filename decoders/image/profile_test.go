package image

import (
	"bytes"
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// seeThrough is a photo of which every other row is half transparent.
func seeThrough(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	copy(m.Pix, photo(w, h).Pix)
	for y := 0; y < h; y += 2 {
		for x := range w {
			m.Pix[m.PixOffset(x, y)+3] = 90
		}
	}
	return m
}

// only wants pictures in these types.
func only(types ...readapi.MediaType) func(*readapi.Request) {
	return func(r *readapi.Request) { r.ImageTypes = types }
}

func TestTypesThatMayLeave(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		take readapi.MediaType
	}{
		"photo as PNG": {jpegOf(t, photo(300, 300)), "image/png"}, "large photo as PNG": {jpegOf(t, photo(1700, 900)), "image/png"},
		"drawing as JPEG": {rgbaPNG(t, quarters(300, 300), nil), "image/jpeg"}, "icon as JPEG": {rgbaPNG(t, quarters(8, 8), nil), "image/jpeg"},
		"alpha as JPEG": {rgbaPNG(t, seeThrough(60, 50), nil), "image/jpeg"},
	} {
		res, err := read(t, c.data, only(c.take))
		must(t, err)
		if got := res.Parts[0].Image.MediaType; got != c.take {
			t.Errorf("%s leaves as %s", name, got)
		}
		pixels(t, res.Parts[0])
	}
}

// What is transparent lies on white where no type that may leave has transparency, and the answer says so; else it stays.
func TestAlphaOnWhite(t *testing.T) {
	m := image.NewNRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		copy(m.Pix[4*i:], []byte{200, 0, 0, 0}) // red that nobody sees
		if i%64 >= 32 {
			copy(m.Pix[4*i:], []byte{0, 0, 0, 128})
		}
	}
	data := rgbaPNG(t, m, nil)
	res, err := read(t, data, only("image/jpeg"))
	must(t, err)
	if len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnAlphaFlattened || res.Warnings[0].At != 1 {
		t.Errorf("warnings are %v", res.Warnings)
	}
	want := plain(64, 64, color.NRGBA{255, 255, 255, 255})
	compare(t, "on white", pixels(t, res.Parts[0]), on(want, 32, 0, plain(32, 64, color.NRGBA{127, 127, 127, 255})), 6)
	if res, err = read(t, data, nil); err != nil || len(res.Warnings) != 0 || pixels(t, res.Parts[0]).NRGBAAt(40, 9).A != 128 {
		t.Errorf("as PNG: %v, %v", res.Warnings, err)
	}
	if res, err = read(t, rgbaPNG(t, quarters(9, 9), nil), only("image/jpeg")); err != nil || len(res.Warnings) != 0 {
		t.Errorf("an opaque one with an alpha channel: %v, %v", res.Warnings, err)
	}
}

// A bound on one picture's bytes is measured on what leaves; of the qualities that fit the highest is taken, and only when none fits pixels go.
func TestImageBytes(t *testing.T) {
	src := photo(500, 400)
	m := &nrgba{pix: src.Pix, w: 500, h: 400, solid: true}
	sizes := map[int]int64{}
	for _, q := range jpegQualities {
		e, err := encodeJPEG(m, look(m), q)
		must(t, err)
		sizes[q] = int64(len(e.bytes))
	}
	for i, q := range jpegQualities {
		e, err := encode(m, true, terms{maxBytes: sizes[q], png: true, jpeg: true})
		must(t, err)
		if int64(len(e.bytes)) != sizes[q] || e.width != 500 {
			t.Errorf("within the %d bytes of quality %d (%d): %d bytes, %d wide", sizes[q], q, i, len(e.bytes), e.width)
		}
	}
	last := jpegQualities[len(jpegQualities)-1]
	e, err := encode(m, true, terms{maxBytes: sizes[last] - 1, png: true, jpeg: true})
	must(t, err)
	if int64(len(e.bytes)) >= sizes[last] || e.width >= 500 || e.width < 300 {
		t.Errorf("below the last quality: %d bytes, %d wide", len(e.bytes), e.width)
	}
	_, err = read(t, jpegOf(t, src), func(r *readapi.Request) { r.MaxImageBytes = 10 })
	if e, ok := asFailure(err); !ok || e.Code != readapi.CodeLimitOutput || e.Limit.Name != "max_image_bytes" || e.Limit.Value != 10 || e.Limit.Actual <= 10 {
		t.Errorf("within 10 bytes: %v", err)
	}
	if _, err = read(t, jpegOf(t, src), func(r *readapi.Request) { r.MaxImageBytes, r.MaxBytes = 1<<20, 10 }); !errors.Is(err, readapi.CodeLimitOutput) {
		t.Errorf("within an answer of 10 bytes: %v", err)
	}
}

// Whatever the picture and the terms: what leaves is of an allowed type and within its bounds, says its own size, and is the same twice; and
// est_tokens is what it costs.
func TestTermsAreKept(t *testing.T) {
	base := photo(400, 400)
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 400).Draw(rt, "w"), rapid.IntRange(1, 400).Draw(rt, "h")
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		kind := rapid.IntRange(0, 3).Draw(rt, "kind")
		for y := range h {
			copy(m.Pix[y*m.Stride:][:4*w], base.Pix[y*base.Stride:])
			for x := range w {
				p := m.Pix[m.PixOffset(x, y):]
				switch kind {
				case 1:
					p[3] = byte(x)
				case 2:
					p[1], p[2] = p[0], p[0]
				case 3:
					p[0], p[1], p[2] = p[0]&0xc0, p[1]&0xc0, p[2]&0xc0
				}
			}
		}
		data := rgbaPNG(t, m, nil)
		req := readapi.Request{
			Version: 1, Form: readapi.FormAuto, MaxEdge: rapid.Int64Range(0, 300).Draw(rt, "edge"), FitPixels: rapid.Int64Range(0, 30000).Draw(rt, "pixels"),
			MaxImageBytes: rapid.SampledFrom([]int64{0, 3000, 9000, 40000}).Draw(rt, "bytes"),
			ImageTypes:    rapid.SampledFrom([][]readapi.MediaType{nil, {"image/png"}, {"image/jpeg"}}).Draw(rt, "types"),
			ImageCost:     rapid.SampledFrom([]string{"", "patch:32:40", "tile:64:85:170:200:90"}).Draw(rt, "cost"), Original: rapid.Bool().Draw(rt, "original"),
		}
		res, err := read(t, data, func(r *readapi.Request) { *r = req })
		if err != nil {
			rt.Fatal(err)
		}
		again, _ := read(t, data, func(r *readapi.Request) { *r = req })
		p := res.Parts[0].Image
		fit := req.Fit()
		switch n := int64(len(p.Bytes)); {
		case !bytes.Equal(p.Bytes, again.Parts[0].Image.Bytes):
			rt.Fatal("two reads give different bytes")
		case !req.TakesImage(p.MediaType), req.MaxImageBytes > 0 && n > req.MaxImageBytes, !fit.Fits(int64(p.Width), int64(p.Height)):
			rt.Fatalf("%s of %dx%d and %d bytes leaves for %+v", p.MediaType, p.Width, p.Height, n, req)
		case res.Meta["est_tokens"] != float64(fit.Cost.Tokens(int64(p.Width), int64(p.Height))):
			rt.Fatalf("est_tokens of %dx%d is %v", p.Width, p.Height, res.Meta["est_tokens"])
		}
		pixels(t, res.Parts[0])
	})
}

// TestTokensOfAnAnswer: of pages of several sizes the meta says what the first in the answer costs.
func TestTokensOfAnAnswer(t *testing.T) {
	res, err := read(t, rgbaPNG(t, seeThrough(1000, 900), nil), func(r *readapi.Request) { r.MaxImageBytes = 200_000 })
	must(t, err)
	p := res.Parts[0].Image
	if want := float64(((p.Width + 27) / 28) * ((p.Height + 27) / 28)); p.Width >= 1000 || res.Meta["est_tokens"] != want {
		t.Errorf("%dx%d costs %v, want %v", p.Width, p.Height, res.Meta["est_tokens"], want)
	}
}

// paletted is a PNG of four colours with nothing but what it needs.
func palettedPNG(t testing.TB, extra func(*pngBuilder), rows, behind string) []byte {
	p := newPNG(4, 2, 2, 3, 0).chunk("PLTE", "\xff\x00\x00\x00\xff\x00\x00\x00\xff\xff\xff\xff").chunk("tRNS", "\xff\x80")
	if extra != nil {
		extra(p)
	}
	half := len(rows) / 2
	return append(p.chunk("IDAT", rows[:half]).chunk("IDAT", rows[half:]).end(), behind...)
}

// TestOriginal: the file itself leaves when that was asked for and it is pixels and nothing else. Every other file is made anew.
func TestOriginal(t *testing.T) {
	rows := deflate(t, []byte{0, 0x1b, 0, 0xe4})
	bare := jpegOf(t, photo(40, 30))
	jfif := "JFIF\x00\x01\x02\x00\x00\x01\x00\x01"
	with := func(marker byte, data string) []byte { return jpegOf(t, photo(40, 30), jpegSegment(marker, data)) }
	damaged := bytes.Clone(palettedPNG(t, nil, rows, ""))
	damaged[len(damaged)-20] ^= 1
	fitting := func(r *readapi.Request) { r.Original = true }
	for name, c := range map[string]struct {
		data   []byte
		change func(*readapi.Request)
		same   bool
	}{
		"palette":              {palettedPNG(t, nil, rows, ""), fitting, true},
		"rgba":                 {rgbaPNG(t, quarters(200, 200), nil), fitting, true},
		"interlaced":           {newPNG(8, 8, 8, 6, 1).chunk("IDAT", deflate(t, adam7(quarters(8, 8)))).end(), fitting, true},
		"jpeg":                 {bare, fitting, true},
		"jfif":                 {with(0xe0, jfif+"\x00\x00"), fitting, true},
		"adobe":                {with(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01"), fitting, true},
		"of an allowed type":   {bare, func(r *readapi.Request) { r.Original, r.ImageTypes = true, []readapi.MediaType{"image/jpeg"} }, true},
		"not asked for":        {bare, func(*readapi.Request) {}, false},
		"of another type":      {bare, func(r *readapi.Request) { r.Original, r.ImageTypes = true, []readapi.MediaType{"image/png"} }, false},
		"too long":             {bare, func(r *readapi.Request) { r.Original, r.MaxEdge = true, 39 }, false},
		"too many pixels":      {bare, func(r *readapi.Request) { r.Original, r.FitPixels = true, 1199 }, false},
		"too many bytes":       {bare, func(r *readapi.Request) { r.Original, r.MaxImageBytes = true, int64(len(bare))-1 }, false},
		"turned":               {with(0xe1, "Exif\x00\x00"+string(exifBlock(binary.BigEndian, 6))), fitting, false},
		"exif":                 {with(0xe1, "Exif\x00\x00"+string(exifBlock(binary.BigEndian, 1))), fitting, false},
		"comment":              {with(0xfe, "hello"), fitting, false},
		"before the end":       {append(append(bytes.Clone(bare[:len(bare)-2]), "hello"...), 0xff, 0xd9), fitting, false},
		"an idle quantisation": {with(0xdb, "\x03"+strings.Repeat("secret!!", 8)), fitting, false},
		"an idle code":         {with(0xc4, "\x13\x00\x00\x00\x00\x00\x00\x00\x05"+strings.Repeat("\x00", 8)+"hello"), fitting, false},
		"jfif thumbnail":       {with(0xe0, jfif+"\x01\x01abc"), fitting, false},
		"jfif with more":       {with(0xe0, jfif+"\x00\x00hello"), fitting, false},
		"jfxx":                 {with(0xe0, "JFXX\x00\x13\x01\x01abc"), fitting, false},
		"adobe with more":      {with(0xee, "Adobe\x00\x64\x00\x00\x00\x00\x01hello"), fitting, false},
		"unknown application":  {with(0xe5, "hello"), fitting, false},
		"behind a jpeg":        {append(bytes.Clone(bare), 'x'), fitting, false},
		"without an end":       {bare[:len(bare)-2], fitting, false},
		"fill before a marker": {append([]byte{0xff, 0xd8, 0xff}, bare[2:]...), fitting, false},
		"text":                 {palettedPNG(t, func(p *pngBuilder) { p.chunk("tEXt", "a\x00b") }, rows, ""), fitting, false},
		"gamma":                {palettedPNG(t, func(p *pngBuilder) { p.chunk("gAMA", "\x00\x00\xb1\x8f") }, rows, ""), fitting, false},
		"profile":              {palettedPNG(t, func(p *pngBuilder) { p.chunk("iCCP", "a\x00\x00"+deflate(t, []byte("x"))) }, rows, ""), fitting, false},
		"unknown chunk":        {palettedPNG(t, func(p *pngBuilder) { p.chunk("abCd", "hello") }, rows, ""), fitting, false},
		"behind the pixels":    {palettedPNG(t, nil, rows+"hello", ""), fitting, false},
		"more rows":            {palettedPNG(t, nil, deflate(t, []byte{0, 0x1b, 0, 0xe4, 0, 0x1b}), ""), fitting, false},
		"behind a png":         {palettedPNG(t, nil, rows, "hello"), fitting, false},
		"a wrong checksum":     {damaged, fitting, false},
		"suggested palette":    {rgbaPNG(t, quarters(200, 200), func(p *pngBuilder) { p.chunk("PLTE", "abcdef") }), fitting, false},
	} {
		res, err := read(t, c.data, c.change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		p := res.Parts[0].Image
		if got := bytes.Equal(p.Bytes, c.data); got != c.same {
			t.Errorf("%s: the same bytes leave: %v, want %v", name, got, c.same)
		}
		pixels(t, res.Parts[0])
	}
}

// TestOriginalOfOthers: a format that does not leave is made anew, and so is a moving picture.
func TestOriginalOfOthers(t *testing.T) {
	for _, c := range cases(t) {
		if c.expect != "" || len(c.data) > 1<<20 {
			continue
		}
		res, err := read(t, c.data, func(r *readapi.Request) { r.Units, r.Original = c.units, true })
		must(t, err)
		for _, p := range res.Parts {
			if !bytes.Equal(p.Image.Bytes, c.data) {
				continue
			}
			if res.Total != 1 || len(res.Warnings) > 0 || res.Meta["orientation"] != 1.0 || res.Meta["icc"] != false {
				t.Errorf("%s leaves as it is: %v, %v", c.name, res.Meta, res.Warnings)
			}
			pixels(t, p)
		}
	}
}

func FuzzBare(f *testing.F) {
	var p, j bytes.Buffer
	must(f, png.Encode(&p, photo(9, 7)))
	must(f, jpeg.Encode(&j, photo(9, 7), nil))
	f.Add(p.Bytes())
	f.Add(j.Bytes())
	f.Fuzz(func(t *testing.T, in []byte) {
		// What passes has no room for anything else: a byte more, or one less, and it does not pass.
		if len(in) >= len(pngMagic) && bytes.HasPrefix(in, []byte(pngMagic)) && len(in) < 1<<16 && barePNG(in) {
			if barePNG(append(bytes.Clone(in), 0)) || barePNG(in[:len(in)-1]) {
				t.Error("a PNG passes with a byte more or less")
			}
		}
		if bytes.HasPrefix(in, []byte{0xff, 0xd8}) && bareJPEG(in) {
			if bareJPEG(append(bytes.Clone(in), 0)) || bareJPEG(in[:len(in)-1]) {
				t.Error("a JPEG passes with a byte more or less")
			}
		}
	})
}

// TestPNGLevels: a photo that has to leave as PNG is written fast, and compressed harder before it loses pixels.
func TestPNGLevels(t *testing.T) {
	src := photo(400, 300)
	m := &nrgba{pix: src.Pix, w: 400, h: 300, solid: true}
	l := look(m)
	if l.level() != png.BestSpeed {
		t.Fatal("the photo is taken for a drawing")
	}
	fast, err := encodePNG(m, l, png.BestSpeed)
	must(t, err)
	small, err := encodePNG(m, l, png.DefaultCompression)
	must(t, err)
	if len(small.bytes) >= len(fast.bytes) {
		t.Fatalf("%d bytes, and %d with more work", len(fast.bytes), len(small.bytes))
	}
	for most, want := range map[int]encoded{0: fast, len(fast.bytes): fast, len(fast.bytes) - 1: small, len(small.bytes): small} {
		e, err := encode(m, false, terms{maxBytes: int64(most), png: true})
		must(t, err)
		if !bytes.Equal(e.bytes, want.bytes) {
			t.Errorf("within %d bytes: %d bytes, %d wide", most, len(e.bytes), e.width)
		}
	}
	if e, err := encode(m, false, terms{maxBytes: int64(len(small.bytes)) - 1, png: true}); err != nil || e.width >= 400 {
		t.Errorf("within less: %d wide, %v", e.width, err)
	}
	drawing := fromStd(quarters(64, 64)).(*stdRaster)
	d, _ := shrink(drawing, 64, 64)
	if look(d).level() != png.DefaultCompression {
		t.Error("a drawing is taken for a photo")
	}
}

// TestMetaIsWhole: whatever the format, nothing that an answer says of a picture is left out.
func TestMetaIsWhole(t *testing.T) {
	seen := map[any]bool{}
	for _, c := range cases(t) {
		res, err := read(t, c.data, func(r *readapi.Request) { r.Units = c.units })
		if err != nil {
			continue
		}
		seen[res.Meta["format"]] = true
		for _, key := range []string{
			"format", "width", "height", "display_width", "display_height", "orientation", "frames", "has_alpha", "bit_depth", "color", "icc", "has_gps", "est_tokens",
		} {
			if v, ok := res.Meta[key]; !ok || v == "" || v == nil {
				t.Errorf("%s: meta has no %s", c.name, key)
			}
		}
		_, duration := res.Meta["duration_ms"]
		_, loop := res.Meta["loop"]
		if moving := res.Meta["frames"] != 1.0 && res.Meta["format"] != "tiff"; duration != moving || loop != moving {
			t.Errorf("%s: duration_ms %v, loop %v of %v frames", c.name, duration, loop, res.Meta["frames"])
		}
		p := res.Parts[0].Image
		if len(c.units) == 0 && res.Meta["format"] != "tiff" && p.Width < 100 && (res.Meta["display_width"] != float64(p.Width) || res.Meta["display_height"] != float64(p.Height)) {
			t.Errorf("%s: %dx%d leaves, shown as %vx%v", c.name, p.Width, p.Height, res.Meta["display_width"], res.Meta["display_height"])
		}
	}
	for _, format := range []string{"png", "jpeg", "gif", "webp", "bmp", "tiff", "ico"} {
		if !seen[format] {
			t.Errorf("no case is a %s", format)
		}
	}
}

// TestPlanar: what leaves as JPEG is, but for the loss, what it was; the planes are those of the standard library's formulas.
func TestPlanar(t *testing.T) {
	for _, size := range []image.Point{{64, 48}, {33, 31}, {1, 1}, {2, 1}, {1, 2}, {17, 2}} {
		m := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range size.Y {
			for x := range size.X { // squares of two have one colour, so that halving the chroma loses nothing
				m.SetNRGBA(x, y, color.NRGBA{byte(x / 2 * 29), byte(y / 2 * 53), byte((x/2 + y/2) * 17), 255})
			}
		}
		planes := (&nrgba{pix: m.Pix, w: size.X, h: size.Y}).planar(false)
		for y := range size.Y {
			for x := range size.X {
				c := m.NRGBAAt(x, y)
				yy, cb, cr := color.RGBToYCbCr(c.R, c.G, c.B)
				at := y/2*planes[1].stride + x/2
				if got := [3]byte{planes[0].pix[y*planes[0].stride+x], planes[1].pix[at], planes[2].pix[at]}; got != [3]byte{yy, cb, cr} {
					t.Fatalf("%v, pixel (%d, %d): %v, want %v", size, x, y, got, [3]byte{yy, cb, cr})
				}
			}
		}
		in := &nrgba{pix: m.Pix, w: size.X, h: size.Y, solid: true}
		e, err := encodeJPEG(in, look(in), 100)
		must(t, err)
		got, err := jpeg.Decode(bytes.NewReader(e.bytes))
		must(t, err)
		if got.Bounds().Size() != size {
			t.Errorf("%v comes back as %v", size, got.Bounds())
		}
	}
}
