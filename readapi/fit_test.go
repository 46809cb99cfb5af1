package readapi_test

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func cost(t testing.TB, s string) readapi.ImageCost {
	t.Helper()
	c, err := readapi.ParseImageCost(s)
	if err != nil {
		t.Fatalf("%s: %v", s, err)
	}
	return c
}

func TestImageCost(t *testing.T) {
	for _, c := range []struct {
		formula string
		w, h    int64
		want    int64
	}{
		{"patch:28", 1568, 1045, 56 * 38}, {"patch:28", 28, 28, 1}, {"patch:28", 29, 28, 2}, {"patch:28", 1, 1, 1}, {"patch:28", 0, 9, 0},
		{"patch:32:1536", 1024, 1024, 1024}, {"patch:32:1536", 1800, 2400, 1536},
		// As OpenAI's guide works them out.
		{"tile:512:85:170:2048:768", 1024, 1024, 765}, {"tile:512:85:170:2048:768", 2048, 4096, 1105}, {"tile:512:85:170:2048:768", 100, 50, 255},
		{"tile:768:0:258", 384, 384, 258}, {"tile:768:0:258", 769, 384, 516}, {"tile:768:0:258", 1568, 1568, 9 * 258},
		{"patch:1", math.MaxInt64, math.MaxInt64, 1 << 62}, {"tile:1:0:1048576", math.MaxInt64, math.MaxInt64, math.MaxInt64},
	} {
		if got := cost(t, c.formula).Tokens(c.w, c.h); got != c.want {
			t.Errorf("%s of %dx%d: %d, want %d", c.formula, c.w, c.h, got, c.want)
		}
	}
	if got := (readapi.ImageCost{}).Tokens(1568, 1045); got != 56*38 {
		t.Errorf("the zero formula counts %d", got)
	}
}

func TestParseImageCost(t *testing.T) {
	for _, s := range []string{"patch:28", "patch:32:1536", "tile:512:85:170", "tile:512:85:170:2048:768", "tile:768:0:258"} {
		if got := cost(t, s).String(); got != s {
			t.Errorf("%s comes back as %s", s, got)
		}
	}
	if got := (readapi.ImageCost{}).String(); got != readapi.DefaultImageCost {
		t.Errorf("the zero formula is %s", got)
	}
	for _, s := range []string{
		"", "patch", "patch:", "patch:0", "patch:28:0", "patch:28:1:1", "patch:-1", "patch:+28", "patch:028", "patch:2097152", "Patch:28", "tile:512", "tile:512:85",
		"tile:512:0:0", "tile:0:85:170", "tile:512:85:170:2048", "tile:512:85:170:0:768", "tile:512:85:170:2048:768:1", "area:750", "patch:28 ", "patch:9999999999999999999",
	} {
		if _, err := readapi.ParseImageCost(s); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%q: %v, want invalid_request", s, err)
		}
	}
}

func TestFitSize(t *testing.T) {
	for _, c := range []struct{ edge, pixels, w, h, tw, th int64 }{
		{1568, 0, 3000, 2000, 1568, 1045}, {1568, 0, 100, 50, 100, 50}, {1568, 0, 100000, 1, 1568, 1}, {0, 0, 3000, 2000, 3000, 2000},
		{0, 1_000_000, 2000, 2000, 1000, 1000}, {2048, 1536 * 1024, 4000, 1000, 2048, 512}, {0, 1, 4000, 3000, 1, 1}, {0, 7, 3, 2, 3, 2}, {10, 0, 0, 5, 0, 5},
	} {
		if tw, th := (readapi.Fit{MaxEdge: c.edge, MaxPixels: c.pixels}).Size(c.w, c.h); tw != c.tw || th != c.th {
			t.Errorf("%dx%d within %d and %d pixels: %dx%d, want %dx%d", c.w, c.h, c.edge, c.pixels, tw, th, c.tw, c.th)
		}
	}
}

func TestFitProperties(t *testing.T) {
	side := rapid.OneOf(rapid.Int64Range(1, 64), rapid.Int64Range(1, 1<<15), rapid.Int64Range(1, math.MaxInt64))
	bound := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(1, 5000), rapid.Int64Range(1, math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		w, h := side.Draw(t, "w"), side.Draw(t, "h")
		f := readapi.Fit{MaxEdge: bound.Draw(t, "edge"), MaxPixels: bound.Draw(t, "pixels")}
		tw, th := f.Size(w, h)
		switch {
		case tw < 1 || th < 1 || tw > w || th > h:
			t.Fatalf("%dx%d becomes %dx%d", w, h, tw, th)
		case f.MaxEdge > 0 && max(tw, th) > f.MaxEdge, f.MaxPixels > 0 && tw > f.MaxPixels/th:
			t.Fatalf("%dx%d becomes %dx%d, which does not fit %+v", w, h, tw, th, f)
		case !f.Fits(tw, th):
			t.Fatalf("%dx%d becomes %dx%d, which would be scaled again", w, h, tw, th)
		case (tw == w) != (max(tw, th) == max(w, h)) && w >= h:
			t.Fatalf("%dx%d becomes %dx%d", w, h, tw, th)
		}
		if sw, sh := f.Size(h, w); sw != th || sh != tw {
			t.Fatalf("%dx%d becomes %dx%d, and turned %dx%d", w, h, tw, th, sw, sh)
		}
		// The shape is kept: the shorter side is the longer one's share of it, rounded.
		if long, short := max(w, h), min(w, h); long < 1<<31 {
			share := float64(short) * float64(max(tw, th)) / float64(long)
			if d := float64(min(tw, th)) - share; d > 0.51 && min(tw, th) > 1 || d < -0.51 {
				t.Fatalf("%dx%d becomes %dx%d", w, h, tw, th)
			}
		}
		wider := f
		if wider.MaxEdge > 0 && wider.MaxEdge < math.MaxInt64 {
			wider.MaxEdge++
		}
		if wider.MaxPixels > 0 && wider.MaxPixels < math.MaxInt64 {
			wider.MaxPixels++
		}
		if ww, wh := wider.Size(w, h); ww < tw || wh < th {
			t.Fatalf("%dx%d becomes %dx%d, and %dx%d within more", w, h, tw, th, ww, wh)
		}
		if f.Tokens(w, h) != f.Cost.Tokens(tw, th) {
			t.Fatal("the tokens are not those of the size that leaves")
		}
	})
}

func TestRequestFit(t *testing.T) {
	r := readapi.Request{}
	if f := r.Fit(); f.MaxEdge != readapi.DefaultLimits().MaxEdge || f.MaxPixels != 0 || f.Cost.String() != readapi.DefaultImageCost {
		t.Errorf("an empty request fits %+v", f)
	}
	r = readapi.Request{MaxEdge: 7, FitPixels: 9, ImageCost: "patch:32"}
	if f := r.Fit(); f.MaxEdge != 7 || f.MaxPixels != 9 || f.Cost.String() != "patch:32" {
		t.Errorf("got %+v", f)
	}
	r.ImageCost = "by the weight"
	if f := r.Fit(); f.Cost.String() != readapi.DefaultImageCost {
		t.Errorf("an unknown formula is %s", f.Cost)
	}
	if !r.TakesImage("image/png") || !r.TakesImage("image/jpeg") || r.TakesImage("image/gif") {
		t.Error("an empty list is PNG and JPEG")
	}
	r.ImageTypes = []readapi.MediaType{"image/jpeg"}
	if r.TakesImage("image/png") || !r.TakesImage("image/jpeg") {
		t.Error("a list is what it says")
	}
}
