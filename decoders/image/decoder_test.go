package image

import (
	"bytes"
	"encoding/json"
	"flag"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var update = flag.Bool("update", false, "write the vectors and samples anew")

// read decodes with the default limits.
func read(t testing.TB, data []byte, change func(*readapi.Request)) (readapi.Result, error) {
	t.Helper()
	req := readapi.Request{Version: 1, Form: readapi.FormAuto}
	if change != nil {
		change(&req)
	}
	return pdk.Run(&Decoder, bytes.NewReader(data), req)
}

// pixels decodes a part and checks that it is what its header says.
func pixels(t testing.TB, p readapi.Part) *image.NRGBA {
	t.Helper()
	var m image.Image
	var err error
	if p.Image.MediaType == "image/png" {
		m, err = png.Decode(bytes.NewReader(p.Image.Bytes))
	} else {
		m, err = jpeg.Decode(bytes.NewReader(p.Image.Bytes))
	}
	must(t, err)
	if b := m.Bounds(); b.Dx() != p.Image.Width || b.Dy() != p.Image.Height {
		t.Fatalf("the part says %dx%d, its bytes are %v", p.Image.Width, p.Image.Height, b)
	}
	if n, ok := m.(*image.NRGBA); ok {
		return n
	}
	if o, ok := m.(interface{ Opaque() bool }); ok && o.Opaque() { // the fast way: premultiplied or not is then the same
		rgba := image.NewRGBA(m.Bounds())
		draw.Draw(rgba, rgba.Rect, m, image.Point{}, draw.Src)
		return &image.NRGBA{Pix: rgba.Pix, Stride: rgba.Stride, Rect: rgba.Rect}
	}
	out := image.NewNRGBA(image.Rect(0, 0, p.Image.Width, p.Image.Height))
	for y := range p.Image.Height {
		for x := range p.Image.Width {
			out.Set(x, y, m.At(x, y))
		}
	}
	return out
}

// compare fails where a sample differs by more than near. Where nothing is seen the colour does not matter.
func compare(t testing.TB, what string, got, want *image.NRGBA, near int) {
	t.Helper()
	if got.Rect.Size() != want.Rect.Size() {
		t.Errorf("%s is %v, want %v", what, got.Rect.Size(), want.Rect.Size())
		return
	}
	for y := range want.Rect.Dy() {
		for x := range want.Rect.Dx() {
			g, w := got.NRGBAAt(x, y), want.NRGBAAt(x, y)
			if g.A == 0 && w.A == 0 {
				continue
			}
			for c, d := range [4]int{int(g.R) - int(w.R), int(g.G) - int(w.G), int(g.B) - int(w.B), int(g.A) - int(w.A)} {
				if d > near || d < -near {
					t.Errorf("%s, pixel (%d, %d), sample %d: got %v, want %v", what, x, y, c, g, w)
					return
				}
			}
		}
	}
}

func TestCases(t *testing.T) {
	for _, c := range cases(t) {
		t.Run(c.name, func(t *testing.T) {
			res, err := read(t, c.data, func(r *readapi.Request) { r.Units = c.units })
			if got := readapi.CodeOf(err); got != c.expect {
				t.Fatalf("got %v, want %q", err, c.expect)
			}
			if err != nil {
				checkFailure(t, c, err)
				return
			}
			if c.want == nil {
				if p := res.Parts[0].Image; p.Width != c.w || p.Height != c.h {
					t.Errorf("got %dx%d, want %dx%d", p.Width, p.Height, c.w, c.h)
				}
			} else if len(res.Parts) != len(c.want) {
				t.Errorf("got %d frames, want %d", len(res.Parts), len(c.want))
			} else {
				for i, p := range res.Parts {
					compare(t, "frame "+decimal(int(p.At)), pixels(t, p), c.want[i], c.near)
				}
			}
			checkMeta(t, c, res)
			if got := codes(res.Warnings); !slices.Equal(got, c.warnings) && !(len(c.warnings) == 0 && onlyStripped(got)) {
				t.Errorf("warnings %v, want %v", res.Warnings, c.warnings)
			}
		})
	}
}

func checkFailure(t *testing.T, c sample, err error) {
	t.Helper()
	e, ok := asFailure(err)
	if !ok {
		t.Fatalf("%v is not an *Error", err)
	}
	if c.limit != "" && (e.Limit == nil || e.Limit.Name != c.limit || e.Limit.Actual <= e.Limit.Value) {
		t.Errorf("limit is %+v, want %s and how much was asked for", e.Limit, c.limit)
	}
}

func checkMeta(t *testing.T, c sample, res readapi.Result) {
	t.Helper()
	for k, want := range c.meta {
		if got := res.Meta[k]; !reflect.DeepEqual(got, want) {
			t.Errorf("meta %s is %v, want %v", k, got, want)
		}
	}
	known := []string{
		"format", "width", "height", "display_width", "display_height", "orientation", "frames", "duration_ms", "loop", "has_alpha",
		"bit_depth", "color", "icc", "has_gps", "est_tokens",
	}
	for k := range res.Meta {
		if !slices.Contains(known, k) {
			t.Errorf("meta has the key %q, which is not on the list", k)
		}
	}
	if res.Total != int64(res.Meta["frames"].(float64)) {
		t.Errorf("total is %d, meta says %v frames", res.Total, res.Meta["frames"])
	}
}

func codes(w []readapi.Warning) (out []string) {
	for _, x := range w {
		out = append(out, x.Code)
	}
	slices.Sort(out)
	return out
}

func onlyStripped(got []string) bool {
	return len(got) == 0 || len(got) == 1 && got[0] == readapi.WarnMetadataStripped
}

// TestVectors holds the vectors to what the cases make, and runs the suite over them.
func TestVectors(t *testing.T) {
	var vectors []decodertest.Vector
	for _, c := range cases(t) {
		if c.local {
			continue
		}
		v := decodertest.Vector{
			Name: c.name, Expect: c.expect, Warnings: c.warnings, Form: readapi.FormAuto, Units: c.units, Comment: c.comment, Data: c.data,
			Image: decodertest.ImageSize{Width: c.w, Height: c.h},
		}
		if c.want != nil {
			v.Image.Width, v.Image.Height = c.want[0].Rect.Dx(), c.want[0].Rect.Dy()
		}
		vectors = append(vectors, v)
	}
	decodertest.Golden(t, filepath.Join("..", "..", "testdata", "vectors", "image"), vectors, *update)
	decodertest.Run(t, "image", everyFrame)
}

// everyFrame is the decoder, asked for all frames where nothing is selected. Without a selection an animation is its first frame, and
// the suite takes an answer without a selection for the whole file.
func everyFrame(in readapi.Input, req readapi.Request) (readapi.Result, error) {
	if len(req.Units) == 0 {
		req.Units = []readapi.Range{{From: 1}}
	}
	return pdk.Run(&Decoder, in, req)
}

func FuzzDecode(f *testing.F) {
	decodertest.Seed(f, "image")
	f.Fuzz(func(t *testing.T, in []byte) {
		small := func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
			req.MaxPixels, req.MaxTotalPixels = 1<<18, 1<<20 // so that an input costs milliseconds
			return everyFrame(in, req)
		}
		res, err := small(bytes.NewReader(in), readapi.Request{Version: 1, Form: readapi.FormAuto})
		again, err2 := small(bytes.NewReader(in), readapi.Request{Version: 1, Form: readapi.FormAuto})
		if readapi.CodeOf(err) != readapi.CodeOf(err2) || !reflect.DeepEqual(res, again) {
			t.Fatalf("two reads differ: %v, %v", err, err2)
		}
		if err == nil {
			for _, p := range res.Parts {
				pixels(t, p)
			}
		} else if c := readapi.CodeOf(err); c == readapi.CodeInternal || c == readapi.CodeBadOutput || c == readapi.CodeInvalidRequest {
			t.Fatalf("a read ends with %v", err)
		}
		if _, err := json.Marshal(res.Meta); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSamples holds the decoder's samples to what is drawn here.
func TestSamples(t *testing.T) {
	m := photo(96, 64)
	var p, j bytes.Buffer
	must(t, png.Encode(&p, m))
	must(t, jpeg.Encode(&j, m, &jpeg.Options{Quality: 80}))
	for name, want := range map[string][]byte{"sample.png": p.Bytes(), "sample.jpg": j.Bytes()} {
		path := filepath.Join("samples", name)
		if *update {
			must(t, os.WriteFile(path, want, 0o644))
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what the test draws (-update writes it): %v", path, err)
		}
	}
	for _, s := range Decoder.Samples {
		if _, err := read(t, s.Data, nil); err != nil {
			t.Errorf("sample %s: %v", s.MediaType, err)
		}
	}
}
