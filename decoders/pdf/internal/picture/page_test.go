package picture

import (
	"bytes"
	"fmt"
	"image"
	icolor "image/color"
	"strings"
	"testing"

	decoder "github.com/glovebox-wasm/glovebox/decoders/image"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	pageW = 612
	pageH = 792
)

// put is an image and where it stands.
type put struct {
	image int
	ctm   content.Matrix
}

// fullPage is the matrix of an image that fills a page.
var fullPage = content.Matrix{pageW, 0, 0, pageH, 0, 0}

// page is a page that shows images.
func page(t testing.TB, rotate int, build func(w *pdftest.Writer) []put) *content.Page {
	t.Helper()
	w := &pdftest.Writer{}
	list := build(w)
	f := opened(t, w)
	p := &content.Page{Box: content.Rect{X1: pageW, Y1: pageH}, Rotate: rotate}
	for _, at := range list {
		p.Images = append(p.Images, content.Image{Object: f.Object(at.image), CTM: at.ctm})
	}
	return p
}

func rgbImage(w *pdftest.Writer, m *image.RGBA) int {
	return w.Image(m.Bounds().Dx(), m.Bounds().Dy(), "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", pdftest.Deflate(string(pdftest.RGB(m))))
}

func jpegImage(w *pdftest.Writer, m *image.RGBA) int {
	return w.Image(m.Bounds().Dx(), m.Bounds().Dy(), "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode", pdftest.JPEG(m))
}

// one is the view of a page that has one picture and nothing wrong.
func one(t *testing.T, p *content.Page, l *Limits) image.Image {
	t.Helper()
	v, err := PageView(p, l)
	if err != nil || len(v.Pictures) != 1 || v.Partial != "" || v.Unsupported != "" || v.None != "" {
		t.Fatalf("%d pictures, %q, %q, %q, %v", len(v.Pictures), v.Partial, v.Unsupported, v.None, err)
	}
	return pixels(t, v.Pictures[0])
}

// moved is a picture whose pixel (x, y) is that of m at f(x, y).
func moved(m *image.RGBA, w, h int, f func(x, y int) (int, int)) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			out.SetRGBA(x, y, m.RGBAAt(f(x, y)))
		}
	}
	return out
}

// TestUpright: a scan that is stored turned or mirrored, and placed so that it is seen upright, comes out upright, on pages that are shown
// as they are and turned.
func TestUpright(t *testing.T) {
	const w, h = 102, 132
	scan := pdftest.Scan(w, h)
	for name, c := range map[string]struct {
		stored *image.RGBA
		ctm    content.Matrix
		rotate int
	}{
		"as it is":       {scan, fullPage, 0},
		"mirrored":       {moved(scan, w, h, func(x, y int) (int, int) { return w - 1 - x, y }), content.Matrix{-pageW, 0, 0, pageH, pageW, 0}, 0},
		"upside down":    {moved(scan, w, h, func(x, y int) (int, int) { return x, h - 1 - y }), content.Matrix{pageW, 0, 0, -pageH, 0, pageH}, 0},
		"half a turn":    {moved(scan, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }), content.Matrix{-pageW, 0, 0, -pageH, pageW, pageH}, 0},
		"a quarter":      {moved(scan, h, w, func(x, y int) (int, int) { return w - 1 - y, x }), content.Matrix{0, -pageH, pageW, 0, 0, pageH}, 0},
		"a quarter back": {moved(scan, h, w, func(x, y int) (int, int) { return y, h - 1 - x }), content.Matrix{0, pageH, -pageW, 0, pageW, 0}, 0},
		"transposed":     {moved(scan, h, w, func(x, y int) (int, int) { return y, x }), content.Matrix{0, -pageH, -pageW, 0, pageW, pageH}, 0},
		"transverse":     {moved(scan, h, w, func(x, y int) (int, int) { return w - 1 - y, h - 1 - x }), content.Matrix{0, pageH, pageW, 0, 0, 0}, 0},
		"the page half":  {moved(scan, w, h, func(x, y int) (int, int) { return w - 1 - x, h - 1 - y }), fullPage, 180},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, add := range map[string]func(*pdftest.Writer, *image.RGBA) int{"raw": rgbImage, "jpeg": jpegImage} {
				p := page(t, c.rotate, func(w *pdftest.Writer) []put { return []put{{add(w, c.stored), c.ctm}} })
				slack := map[string]int{"raw": 0, "jpeg": 80}[kind]
				wantPixels(t, one(t, p, limits()), w, h, slack, scan.RGBAAt)
				// The same through the board, as two images of which the second hides nothing.
				if kind == "raw" {
					p.Images = append(p.Images, p.Images[0])
					wantPixels(t, one(t, p, limits()), w, h, 0, scan.RGBAAt)
				}
			}
		})
	}
	for rotate, f := range map[int]func(x, y int) (int, int){
		90:  func(x, y int) (int, int) { return y, h - 1 - x },
		270: func(x, y int) (int, int) { return w - 1 - y, x },
	} {
		p := page(t, rotate, func(w *pdftest.Writer) []put { return []put{{rgbImage(w, scan), fullPage}} })
		want := moved(scan, h, w, f)
		wantPixels(t, one(t, p, limits()), h, w, 0, want.RGBAAt)
		p.Images = append(p.Images, p.Images[0])
		wantPixels(t, one(t, p, limits()), h, w, 0, want.RGBAAt)
	}
}

// TestStrips: a page that is cut into strips is one picture again, whatever the strips are made of and in which order they are drawn.
func TestStrips(t *testing.T) {
	const w, h, strip = 102, 132, 32
	scan := pdftest.Scan(w, h)
	cut := func(add func(*pdftest.Writer, *image.RGBA) int, reversed bool) func(*pdftest.Writer) []put {
		return func(wr *pdftest.Writer) (list []put) {
			for y := 0; y < h; y += strip {
				n := min(strip, h-y)
				low, high := float64(h-y-n)*pageH/h, float64(n)*pageH/h
				at := put{add(wr, pdftest.Part(scan, image.Rect(0, y, w, y+n))), content.Matrix{pageW, 0, 0, high, 0, low}}
				if reversed {
					list = append([]put{at}, list...)
				} else {
					list = append(list, at)
				}
			}
			return list
		}
	}
	for _, reversed := range []bool{false, true} {
		wantPixels(t, one(t, page(t, 0, cut(rgbImage, reversed)), limits()), w, h, 0, scan.RGBAAt)
		wantPixels(t, one(t, page(t, 0, cut(jpegImage, reversed)), limits()), w, h, 80, scan.RGBAAt)
	}
	turned := moved(scan, h, w, func(x, y int) (int, int) { return y, h - 1 - x })
	wantPixels(t, one(t, page(t, 90, cut(jpegImage, false)), limits()), h, w, 80, turned.RGBAAt)
	// Strips that do not fit each other are given one by one, and it is said.
	apart := page(t, 0, func(w *pdftest.Writer) []put {
		return []put{{jpegImage(w, pdftest.Scan(64, 64)), content.Matrix{600, 0, 0, 300, 0, 400}}, {jpegImage(w, pdftest.Scan(32, 64)), content.Matrix{600, 0, 0, 300, 0, 0}}}
	})
	if v, err := PageView(apart, limits()); err != nil || len(v.Pictures) != 2 || v.Partial == "" {
		t.Errorf("%d pictures, %q, %v", len(v.Pictures), v.Partial, err)
	}
}

// stencilImage is a stencil that is set where f says.
func stencilImage(wr *pdftest.Writer, w, h int, f func(x, y int) bool) int {
	data := pdftest.Bits(values(w, h, func(x, y int) int { return b2i(!f(x, y)) }), w, 1)
	return wr.Image(w, h, "/BitsPerComponent 1/ImageMask true/Filter/FlateDecode", pdftest.Deflate(string(data)))
}

// TestLayers: a page of a background and letters in a finer mask.
func TestLayers(t *testing.T) {
	const w, h = 408, 528
	letters := func(x, y int) bool { return x/8%2 == 0 && y/8%3 == 0 }
	paper := image.NewRGBA(image.Rect(0, 0, w/4, h/4))
	for i := range paper.Pix {
		paper.Pix[i] = 240
	}
	shown := func(x, y int) icolor.RGBA {
		if letters(x, y) {
			return grayOf(0)
		}
		return grayOf(240)
	}
	p := page(t, 0, func(wr *pdftest.Writer) []put {
		return []put{{rgbImage(wr, paper), fullPage}, {stencilImage(wr, w, h, letters), fullPage}}
	})
	wantPixels(t, one(t, p, limits()), w, h, 0, shown)
	onWhite := func(x, y int) icolor.RGBA { return grayOf(255 * b2i(!letters(x, y))) }
	// A JPEG behind the letters is a picture of its own.
	p = page(t, 0, func(wr *pdftest.Writer) []put {
		return []put{{jpegImage(wr, paper), fullPage}, {stencilImage(wr, w, h, letters), fullPage}}
	})
	v, err := PageView(p, limits())
	if err != nil || len(v.Pictures) != 2 || v.Partial == "" {
		t.Fatalf("%d pictures, %q, %v", len(v.Pictures), v.Partial, err)
	}
	wantPixels(t, pixels(t, v.Pictures[0]), w, h, 0, onWhite)
	// The letters as the soft mask of a JPEG that is only their colour.
	p = page(t, 0, func(wr *pdftest.Writer) []put {
		data := pdftest.Bits(values(w, h, func(x, y int) int { return b2i(letters(x, y)) }), w, 1)
		mask := wr.Image(w, h, "/BitsPerComponent 1/ColorSpace/DeviceGray", data)
		return []put{{wr.Image(w/4, h/4, fmt.Sprintf("/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode/SMask %d 0 R", mask), pdftest.JPEG(paper)), fullPage}}
	})
	if v, err = PageView(p, limits()); err != nil || len(v.Pictures) == 0 {
		t.Fatal(err)
	}
	wantPixels(t, pixels(t, v.Pictures[0]), w, h, 0, onWhite)
	// With a codec that nobody decodes behind them, the letters are there all the same.
	p = page(t, 0, func(wr *pdftest.Writer) []put {
		return []put{{wr.Image(w, h, "/Filter/JBIG2Decode", []byte("jb2")), fullPage}, {stencilImage(wr, w, h, letters), fullPage}}
	})
	if v, err = PageView(p, limits()); err != nil || len(v.Pictures) != 1 || v.Unsupported != "JBIG2 pictures" {
		t.Fatalf("%d pictures, %q, %v", len(v.Pictures), v.Unsupported, err)
	}
	wantPixels(t, pixels(t, v.Pictures[0]), w, h, 0, onWhite)
}

// TestInkAndClip: a stencil has its colour, and an image is seen where the clip lets it.
func TestInkAndClip(t *testing.T) {
	const w, h = 102, 132
	p := page(t, 0, func(wr *pdftest.Writer) []put {
		all := stencilImage(wr, w, h, func(x, y int) bool { return true })
		return []put{{rgbImage(wr, pdftest.Scan(w, h)), fullPage}, {all, fullPage}, {all, fullPage}}
	})
	p.Images[1].Fill, p.Images[1].Clip = [3]byte{255, 0, 0}, content.Rect{X1: pageW / 2, Y1: pageH}
	p.Images[2].Fill, p.Images[2].Clip = [3]byte{0, 0, 255}, content.Rect{X1: pageW, Y1: pageH / 2}
	scan := pdftest.Scan(w, h)
	wantPixels(t, one(t, p, limits()), w, h, 0, func(x, y int) icolor.RGBA {
		switch {
		case y >= h/2:
			return icolor.RGBA{0, 0, 255, 255}
		case x < w/2:
			return icolor.RGBA{255, 0, 0, 255}
		}
		return scan.RGBAAt(x, y)
	})
	p.Images = p.Images[:1]
	p.Images[0].Clip = content.Rect{X1: pageW, Y1: pageH / 2}
	wantPixels(t, one(t, p, limits()), w, h/2, 0, func(x, y int) icolor.RGBA { return scan.RGBAAt(x, y+h/2) })
}

// TestMasks: what a mask leaves out is white, and a finer mask keeps its pixels.
func TestMasks(t *testing.T) {
	const w, h = 24, 16
	red := image.NewRGBA(image.Rect(0, 0, w/2, h/2))
	for i := 0; i < len(red.Pix); i += 4 {
		red.Pix[i], red.Pix[i+3] = 200, 255
	}
	cells := func(x, y int) bool { return (x/2+y)%2 == 0 }
	for name, c := range map[string]struct{ dict, key string }{
		"explicit":           {"/ImageMask true/BitsPerComponent 1/Decode[1 0]", "Mask"},
		"soft":               {"/BitsPerComponent 1/ColorSpace/DeviceGray", "SMask"},
		"explicit, as it is": {"/ImageMask true/BitsPerComponent 1", "Mask"},
	} {
		set := !strings.HasSuffix(name, "as it is")
		p := pictureOf(t, func(wr *pdftest.Writer) int {
			mask := wr.Image(w, h, c.dict, pdftest.Bits(values(w, h, func(x, y int) int { return b2i(cells(x, y) == set) }), w, 1))
			return wr.Image(w/2, h/2, fmt.Sprintf("/BitsPerComponent 8/ColorSpace/DeviceRGB/%s %d 0 R", c.key, mask), pdftest.RGB(red))
		})
		e, err := p.Encode(limits())
		if err != nil {
			t.Fatal(name, err)
		}
		wantPixels(t, pixels(t, e), w, h, 0, func(x, y int) icolor.RGBA {
			if cells(x, y) {
				return icolor.RGBA{200, 0, 0, 255}
			}
			return grayOf(255)
		})
	}
}

// TestPixelsThatAreNotSquare: fax of the lower resolution has pixels twice as high as wide.
func TestPixelsThatAreNotSquare(t *testing.T) {
	p := page(t, 0, func(w *pdftest.Writer) []put {
		return []put{{w.Image(408, 264, "/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 408>>", pdftest.FaxWedge(408, 100)), fullPage}}
	})
	v, err := PageView(p, limits())
	if err != nil || v.Partial == "" { // it has 100 rows of 264
		t.Fatalf("%q, %v", v.Partial, err)
	}
	m := pixels(t, v.Pictures[0])
	wantPixels(t, m, 408, 528, 0, func(x, y int) icolor.RGBA { return grayOf(255 * b2i(y >= 200 || x < 408-3*(y/2+1))) })
}

// TestNoPicture: why a page has none.
func TestNoPicture(t *testing.T) {
	small := func(w *pdftest.Writer) []put {
		return []put{{rgbImage(w, pdftest.Scan(50, 50)), content.Matrix{100, 0, 0, 100, 50, 50}}}
	}
	text := func(p *content.Page, hidden content.Hidden) *content.Page {
		p.Buf = []byte("words")
		p.Spans = []content.Span{{End: 5, Hidden: hidden}}
		return p
	}
	fill := func(w *pdftest.Writer) []put { return []put{{rgbImage(w, pdftest.Scan(2, 2)), fullPage}} }
	full := func(w *pdftest.Writer) []put { return []put{{rgbImage(w, pdftest.Scan(50, 50)), fullPage}} }
	for name, c := range map[string]struct {
		p    *content.Page
		none string
	}{
		"empty":                 {page(t, 0, func(*pdftest.Writer) []put { return nil }), "neither"},
		"text":                  {text(page(t, 0, func(*pdftest.Writer) []put { return nil }), content.Visible), "the form text has it"},
		"text and a picture":    {text(page(t, 0, small), content.Visible), "listed"},
		"a picture":             {page(t, 0, small), ""},
		"hidden text":           {text(page(t, 0, small), content.HiddenTiny), ""},
		"text over a scan":      {text(page(t, 0, full), content.Visible), ""},
		"a colour as a picture": {page(t, 0, fill), "neither"},
		"a picture off the page": {page(t, 0, func(w *pdftest.Writer) []put {
			return []put{{rgbImage(w, pdftest.Scan(50, 50)), content.Matrix{100, 0, 0, 100, 700, 0}}}
		}), "neither"},
	} {
		v, err := PageView(c.p, limits())
		if err != nil || (c.none == "") != (len(v.Pictures) == 1) || !strings.Contains(v.None, c.none) {
			t.Errorf("%s: %d pictures, %q, %v", name, len(v.Pictures), v.None, err)
		}
	}
	hidden := page(t, 0, full)
	hidden.Images[0].Hidden = content.HiddenLayer
	if v, _ := PageView(hidden, limits()); v.None == "" {
		t.Error("an image that is not seen makes a picture")
	}
}

// TestLarge: a page of 35 million pixels is shrunk as it is decoded, to what is scaled down to the longer side that is asked for.
func TestLarge(t *testing.T) {
	const w, h = 4960, 7016
	p := page(t, 0, func(wr *pdftest.Writer) []put {
		return []put{{wr.Image(w, h, "/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 4960>>", pdftest.FaxWedge(w, 1600)), content.Matrix{595, 0, 0, 842, 0, 0}}}
	})
	p.Box = content.Rect{X1: 595, Y1: 842}
	v, err := PageView(p, limits())
	if err != nil || len(v.Pictures) != 1 {
		t.Fatal(err)
	}
	if w, h := measured(t, v.Pictures[0]); w != 1654 || h != 2339 {
		t.Errorf("%d by %d pixels", w, h)
	}
	if n := len(v.Pictures[0].Bytes); n > 200<<10 {
		t.Errorf("%d bytes for a page that is mostly white", n)
	}
	p1 := Of(&p.Images[0])
	inside, err := p1.Encode(limits())
	if err != nil {
		t.Fatal(err)
	}
	if gotW, gotH := measured(t, inside); gotW != w || gotH != h {
		t.Errorf("as a file inside %d by %d pixels", gotW, gotH)
	}
}

// measured is the size of a picture as the decoder of pictures sees it.
func measured(t *testing.T, e Encoded) (w, h int) {
	t.Helper()
	res, err := pdk.Run(&decoder.Decoder, bytes.NewReader(e.Bytes), readapi.Request{Form: readapi.FormImage, MaxEdge: 64})
	if err != nil {
		t.Fatal(err)
	}
	return int(res.Meta["width"].(float64)), int(res.Meta["height"].(float64))
}
