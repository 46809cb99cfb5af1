package picture

import (
	"bytes"
	"fmt"
	"image"
	icolor "image/color"
	_ "image/jpeg"
	_ "image/png"
	"testing"

	decoder "github.com/glovebox-wasm/glovebox/decoders/image"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// opened is the file that w writes.
func opened(t testing.TB, w *pdftest.Writer) *object.File {
	t.Helper()
	if w.Root == 0 {
		w.Pages("", "")
	}
	f, err := object.Open(bytes.NewReader(w.Table()), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// pictureOf is the image that build adds to a file.
func pictureOf(t testing.TB, build func(w *pdftest.Writer) int) Picture {
	t.Helper()
	w := &pdftest.Writer{}
	n := build(w)
	return Of(&content.Image{Object: opened(t, w).Object(n)})
}

// limits are those of a request without any.
func limits() *Limits { return NewLimits(&readapi.Request{}) }

// pixels decodes what Encode made, as the host has it decoded.
func pixels(t testing.TB, e Encoded, warnings ...string) image.Image {
	t.Helper()
	res, err := pdk.Run(&decoder.Decoder, bytes.NewReader(e.Bytes), readapi.Request{Form: readapi.FormImage, MaxEdge: 16384})
	if err != nil {
		t.Fatalf("the decoder of pictures: %v", err)
	}
	for i, w := range res.Warnings {
		if i >= len(warnings) || w.Code != warnings[i] {
			t.Errorf("warning %v", w)
		}
	}
	m, _, err := image.Decode(bytes.NewReader(res.Parts[0].Image.Bytes))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func wantPixels(t *testing.T, got image.Image, w, h, slack int, want func(x, y int) icolor.RGBA) {
	t.Helper()
	if got.Bounds().Dx() != w || got.Bounds().Dy() != h {
		t.Fatalf("%d by %d pixels, want %d by %d", got.Bounds().Dx(), got.Bounds().Dy(), w, h)
	}
	for y := range h {
		for x := range w {
			g, c := icolor.RGBAModel.Convert(got.At(x, y)).(icolor.RGBA), want(x, y)
			for _, d := range []int{int(g.R) - int(c.R), int(g.G) - int(c.G), int(g.B) - int(c.B)} {
				if d > slack || -d > slack {
					t.Fatalf("pixel %d, %d is %v, want %v", x, y, g, c)
				}
			}
		}
	}
}

func grayOf(v int) icolor.RGBA { return icolor.RGBA{uint8(v), uint8(v), uint8(v), 255} }

// values are n-bit samples in a pattern: f of column and row.
func values(w, h int, f func(x, y int) int) (out []int) {
	for y := range h {
		for x := range w {
			out = append(out, f(x, y))
		}
	}
	return out
}

// kind is one way to say what a picture looks like.
type kind struct {
	name  string
	build func(w *pdftest.Writer) int
	want  func(x, y int) icolor.RGBA
	slack int
}

const (
	kindW = 21 // no multiple of 8
	kindH = 16
)

// raw is an image of n-bit samples without a filter.
func raw(n int, dict string, comps int, f func(x, y int) int) func(w *pdftest.Writer) int {
	return func(w *pdftest.Writer) int {
		data := pdftest.Bits(values(kindW*comps, kindH, f), kindW*comps, n)
		return w.Image(kindW, kindH, fmt.Sprintf("/BitsPerComponent %d%s", n, dict), data)
	}
}

func kinds() []kind {
	scan := pdftest.Scan(kindW, kindH)
	ramp := func(most int) func(x, y int) int { return func(x, y int) int { return (x + y) % (most + 1) } }
	out := []kind{}
	for _, n := range []int{1, 2, 4, 8} {
		most := 1<<n - 1
		out = append(out,
			kind{fmt.Sprintf("gray %d", n), raw(n, "/ColorSpace/DeviceGray", 1, ramp(most)), func(x, y int) icolor.RGBA { return grayOf(ramp(most)(x, y) * 255 / most) }, 0},
			kind{fmt.Sprintf("gray %d inverted", n), raw(n, "/ColorSpace/DeviceGray/Decode[1 0]", 1, ramp(most)), func(x, y int) icolor.RGBA { return grayOf(255 - ramp(most)(x, y)*255/most) }, 0},
			kind{fmt.Sprintf("indexed %d", n), raw(n, "/ColorSpace[/Indexed/DeviceRGB 1<ff000000ff00>]", 1, func(x, y int) int { return (x + y) % 2 }), func(x, y int) icolor.RGBA {
				return []icolor.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}}[(x+y)%2]
			}, 0})
	}
	rgb := func(w *pdftest.Writer) int {
		return w.Image(kindW, kindH, "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/FlateDecode", pdftest.Deflate(string(pdftest.RGB(scan))))
	}
	icc := func(w *pdftest.Writer) int {
		profile := w.Stream("/N 3", []byte("none"))
		return w.Image(kindW, kindH, fmt.Sprintf("/BitsPerComponent 8/ColorSpace[/ICCBased %d 0 R]", profile), pdftest.RGB(scan))
	}
	tint := func(function string) func(w *pdftest.Writer) int {
		return raw(8, "/ColorSpace[/Separation/Spot/DeviceRGB "+function+"]", 1, func(x, y int) int { return 255 * (x % 2) })
	}
	spot := func(x, y int) icolor.RGBA { return []icolor.RGBA{{255, 255, 255, 255}, {0, 51, 255, 255}}[x%2] }
	cyan := func(x, y int) icolor.RGBA { return icolor.RGBA{0, 255, 255, 255} }
	return append(out,
		kind{"gray 16", raw(16, "/ColorSpace/CalGray", 1, func(x, y int) int { return x * 257 }), func(x, y int) icolor.RGBA { return grayOf(x) }, 0},
		kind{"rgb", rgb, scan.RGBAAt, 0},
		kind{"icc", icc, scan.RGBAAt, 0},
		kind{"rgb 4", raw(4, "/ColorSpace/DeviceRGB", 3, func(x, y int) int { return x % 16 }), func(x, y int) icolor.RGBA {
			return icolor.RGBA{uint8(3 * x % 16 * 17), uint8((3*x + 1) % 16 * 17), uint8((3*x + 2) % 16 * 17), 255}
		}, 0},
		kind{"cmyk", raw(8, "/ColorSpace/DeviceCMYK", 4, func(x, y int) int { return 255 * b2i(x%4 == 0) }), cyan, 0},
		kind{"cmyk inverted", raw(8, "/ColorSpace/DeviceCMYK/Decode[1 0 1 0 1 0 1 0]", 4, func(x, y int) int { return 255 * b2i(x%4 != 0) }), cyan, 0},
		kind{"lab", raw(8, "/ColorSpace[/Lab<</WhitePoint[0.96 1 0.82]/Range[-128 127 -128 127]>>]", 3, func(x, y int) int { return []int{255, 128, 128}[x%3] }), func(x, y int) icolor.RGBA { return grayOf(255) }, 3},
		kind{"separation, exponential", tint("<</FunctionType 2/Domain[0 1]/C0[1 1 1]/C1[0 .2 1]/N 1>>"), spot, 0},
		kind{"separation, stitched", tint("<</FunctionType 3/Domain[0 1]/Bounds[.5]/Encode[0 1 0 1]/Functions[<</FunctionType 2/Domain[0 1]/C0[1 1 1]/C1[.5 .6 1]/N 1>><</FunctionType 2/Domain[0 1]/C0[.5 .6 1]/C1[0 .2 1]/N 1>>]>>"), spot, 0},
		kind{"separation, program", func(w *pdftest.Writer) int {
			f := w.Stream("/FunctionType 4/Domain[0 1]/Range[0 1 0 1 0 1]", []byte("{dup 0.5 gt{dup 1 exch sub exch .8 mul 1 exch sub 1}{pop 1 1 1}ifelse}"))
			return tint(fmt.Sprintf("%d 0 R", f))(w)
		}, spot, 0},
		kind{"separation, table", func(w *pdftest.Writer) int {
			f := w.Stream("/FunctionType 0/Domain[0 1]/Range[0 1 0 1 0 1]/Size[2]/BitsPerSample 8", []byte{255, 255, 255, 0, 51, 255})
			return tint(fmt.Sprintf("%d 0 R", f))(w)
		}, spot, 0},
		kind{"separation, none that is known", tint("null"), func(x, y int) icolor.RGBA { return grayOf(255 * (1 - x%2)) }, 0},
		kind{"two inks", raw(8, "/ColorSpace[/DeviceN[/A/B]/DeviceCMYK null]", 2, func(x, y int) int { return 255 * (x % 2) }), func(x, y int) icolor.RGBA { return grayOf(0) }, 0},
		kind{"stencil", raw(1, "/ImageMask true", 1, ramp(1)), func(x, y int) icolor.RGBA { return grayOf(255 * ((x + y) % 2)) }, 0},
		kind{"stencil inverted", raw(1, "/ImageMask true/Decode[1 0]", 1, ramp(1)), func(x, y int) icolor.RGBA { return grayOf(255 * (1 - (x+y)%2)) }, 0},
		kind{"colour key", raw(8, "/ColorSpace/DeviceGray/Mask[0 3]", 1, func(x, y int) int { return x }), func(x, y int) icolor.RGBA {
			if x < 4 {
				return grayOf(255)
			}
			return grayOf(x)
		}, 0},
		kind{"fax", func(w *pdftest.Writer) int {
			return w.Image(90, kindH, "/BitsPerComponent 1/ColorSpace/DeviceGray/Filter/CCITTFaxDecode/DecodeParms<</K -1/Columns 90>>", pdftest.FaxWedge(90, kindH))
		}, func(x, y int) icolor.RGBA { return grayOf(255 * b2i(x < 90-3*(y+1))) }, 0},
		kind{"fax, black is 1", func(w *pdftest.Writer) int {
			return w.Image(90, kindH, "/BitsPerComponent 1/ColorSpace/DeviceGray/Filter[/FlateDecode/CCITTFaxDecode]/DecodeParms[null<</K -1/Columns 90/BlackIs1 true>>]",
				pdftest.Deflate(string(pdftest.FaxWedge(90, kindH))))
		}, func(x, y int) icolor.RGBA { return grayOf(255 * b2i(x >= 90-3*(y+1))) }, 0},
		kind{"jpeg", func(w *pdftest.Writer) int {
			return w.Image(kindW, kindH, "/BitsPerComponent 8/ColorSpace/DeviceRGB/Filter/DCTDecode", pdftest.JPEG(grayScan(false)))
		}, grayScan(false).RGBAAt, 30},
		kind{"jpeg, cmyk", flat("/ColorSpace/DeviceCMYK", 255, 0, 0, 0), cyan, 2},
		kind{"jpeg, cmyk inverted", flat("/ColorSpace/DeviceCMYK/Decode[1 0 1 0 1 0 1 0]", 0, 255, 255, 255), cyan, 2},
		kind{"jpeg, ycck", flat("/ColorSpace/DeviceCMYK/DecodeParms<</ColorTransform 1>>", 179, 171, 0, 0), cyan, 3},
		kind{"jpeg, luma and chroma", flat("/ColorSpace/DeviceRGB", 179, 171, 0), cyan, 3},
		kind{"jpeg, red, green and blue", flat("/ColorSpace/DeviceRGB/DecodeParms<</ColorTransform 0>>", 0, 255, 255), cyan, 2},
		kind{"jpeg, gray inverted", flat("/ColorSpace/DeviceGray/Decode[1 0]", 55), func(x, y int) icolor.RGBA { return grayOf(200) }, 2},
		kind{"jpeg of one ink", func(w *pdftest.Writer) int {
			return w.Image(kindW, kindH, "/BitsPerComponent 8/ColorSpace[/Separation/Black/DeviceCMYK null]/Filter/DCTDecode", pdftest.JPEG(asGray(grayScan(true))))
		}, grayScan(false).RGBAAt, 30},
	)
}

// flat is a JPEG of one colour, given as it is stored.
func flat(dict string, stored ...byte) func(w *pdftest.Writer) int {
	return func(w *pdftest.Writer) int {
		return w.Image(8, 8, "/BitsPerComponent 8/Filter/DCTDecode"+dict, pdftest.FlatJPEG(stored...))
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// grayScan is a smooth picture, or its negative.
func grayScan(negative bool) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, kindW, kindH))
	for y := range kindH {
		for x := range kindW {
			v := 10 * (x + y/2)
			if negative {
				v = 255 - v
			}
			m.SetRGBA(x, y, grayOf(v))
		}
	}
	return m
}

func asGray(m *image.RGBA) *image.Gray {
	g := image.NewGray(m.Bounds())
	for y := range m.Bounds().Dy() {
		for x := range m.Bounds().Dx() {
			g.SetGray(x, y, icolor.Gray{Y: m.RGBAAt(x, y).R})
		}
	}
	return g
}

// TestKinds: every kind of image comes out as it was drawn.
func TestKinds(t *testing.T) {
	for _, k := range kinds() {
		t.Run(k.name, func(t *testing.T) {
			p := pictureOf(t, k.build)
			e, err := p.Encode(limits())
			if err != nil || e.Partial != "" {
				t.Fatal(e.Partial, err)
			}
			if said, _ := p.MediaType(); said != e.MediaType {
				t.Errorf("said to be %s, is %s", said, e.MediaType)
			}
			wantPixels(t, pixels(t, e), int(p.Width), int(p.Height), k.slack, k.want)
		})
	}
}
