package picture

import (
	icolor "image/color"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// jpxPixels is a codestream of 4 by 2 pixels, as package jp2test encodes them without a transform: two red, two green; two blue, two nearly
// black.
const jpxPixels = "\xffO\xffQ\x00/\x00\x00\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\a\x01\x01\a\x01\x01\a\x01\x01" +
	"\xffR\x00\f\x00\x00\x00\x01\x00\x00\x00\x00\x00\x01\xff\\\x00\x04\x80@\xff]\x00\x05\x01\x80@\xff]\x00\x05\x02\x80@\xff\x90\x00\n\x00\x00\x00\x00\x003\x00\x01\xff\x93" +
	"\xc7\xe0\x14\f\t\rtZ¨\xe5\xa6\xc7\xc7\xe0\x12\b}\x9b\x98\xfb)\x1d\"\xf4\xc7\xe0\x12\x06\x9b\xab+\xcc\x0fT7\x7f\xff\xd9"

func jpxColor(x, y int) icolor.RGBA {
	return [2][2]icolor.RGBA{{{255, 0, 0, 255}, {0, 255, 0, 255}}, {{0, 0, 255, 255}, {10, 20, 30, 255}}}[y][x/2]
}

// jpxFile is the codestream in boxes, of an enumerated colour space.
func jpxFile(space byte) []byte {
	head := appendBox(nil, "ihdr", []byte("\x00\x00\x00\x02\x00\x00\x00\x04\x00\x03\x07\x07\x00\x00"))
	head = appendBox(head, "colr", []byte{1, 0, 0, 0, 0, 0, space})
	return appendBox(appendBox([]byte(jpxSignature+"\x00\x00\x00\x14ftypjp2 \x00\x00\x00\x00jp2 "), "jp2h", head), "jp2c", []byte(jpxPixels))
}

// TestJPX: a JPEG 2000 is passed on with the colours that the document gives it, or its own.
func TestJPX(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		dict string
		want func(x, y int) icolor.RGBA // nil: refused
	}{
		"a file":                          {jpxFile(16), "", jpxColor},
		"a codestream":                    {[]byte(jpxPixels), "", jpxColor},
		"a file, colours of the document": {jpxFile(99), "/ColorSpace/DeviceRGB", jpxColor},
		"a codestream, the same":          {[]byte(jpxPixels), "/ColorSpace/DeviceRGB", jpxColor},
		"gray by the document":            {jpxFile(16), "/ColorSpace/DeviceGray", func(x, y int) icolor.RGBA { return grayOf(int(jpxColor(x, y).R)) }},
		"a palette of the document":       {jpxFile(16), "/ColorSpace[/Indexed/DeviceRGB 1<000000ffffff>]", nil},
		"an ink":                          {jpxFile(16), "/ColorSpace[/Separation/Spot/DeviceGray<</FunctionType 2/Domain[0 1]/N 1>>]", nil},
	} {
		p := pictureOf(t, func(w *pdftest.Writer) int { return w.Image(4, 2, "/Filter/JPXDecode"+c.dict, c.data) })
		e, err := p.Encode(limits())
		if c.want == nil {
			if readapi.CodeOf(err) != readapi.CodeUnsupportedFeature {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || e.MediaType != "image/jp2" {
			t.Errorf("%s: %s, %v", name, e.MediaType, err)
			continue
		}
		wantPixels(t, pixels(t, e), 4, 2, 0, c.want)
	}
	p := pictureOf(t, func(w *pdftest.Writer) int { return w.Image(4, 2, "/Filter/JPXDecode", []byte("no picture")) })
	if _, err := p.Encode(limits()); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("no picture: %v", err)
	}
}

// TestJPXTurned: a page that lies on its side is shown upright.
func TestJPXTurned(t *testing.T) {
	for rotate, want := range map[int]func(x, y int) icolor.RGBA{
		0: jpxColor, 90: func(x, y int) icolor.RGBA { return jpxColor(y, 1-x) }, 180: func(x, y int) icolor.RGBA { return jpxColor(3-x, 1-y) },
		270: func(x, y int) icolor.RGBA { return jpxColor(3-y, x) },
	} {
		p := page(t, rotate, func(w *pdftest.Writer) []put {
			// The dictionary says more than there is: a picture of eight pixels would be a speck.
			return []put{{w.Image(40, 20, "/Filter/JPXDecode", jpxFile(16)), fullPage}}
		})
		v, err := PageView(p, limits())
		if err != nil || len(v.Pictures) != 1 {
			t.Fatalf("%d: %d pictures, %v", rotate, len(v.Pictures), err)
		}
		w, h := 4, 2
		if rotate%180 != 0 {
			w, h = h, w
		}
		warned := []string{}
		if rotate != 0 {
			warned = []string{readapi.WarnMetadataStripped} // the turn
		}
		wantPixels(t, pixels(t, v.Pictures[0], warned...), w, h, 0, want)
	}
}
