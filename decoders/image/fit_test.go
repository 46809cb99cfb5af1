package image

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestFitSize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h, edge := rapid.Int64Range(1, 20000).Draw(t, "w"), rapid.Int64Range(1, 20000).Draw(t, "h"), rapid.Int64Range(1, 4000).Draw(t, "edge")
		tw, th := fitSize(w, h, edge)
		long := int64(max(tw, th))
		switch {
		case tw < 1 || th < 1 || int64(tw) > w || int64(th) > h:
			t.Fatalf("%dx%d becomes %dx%d", w, h, tw, th)
		case max(w, h) <= edge && (int64(tw) != w || int64(th) != h):
			t.Fatalf("%dx%d fits %d and becomes %dx%d", w, h, edge, tw, th)
		case max(w, h) > edge && long != edge:
			t.Fatalf("%dx%d becomes %dx%d, not %d long", w, h, tw, th, edge)
		}
	})
}

// TestShrinkKeepsColors holds the resampler to what nobody may see changed: a plain area, and the mean of any picture.
func TestShrinkKeepsColors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 90).Draw(t, "w"), rapid.IntRange(1, 90).Draw(t, "h")
		tw, th := rapid.IntRange(1, w).Draw(t, "tw"), rapid.IntRange(1, h).Draw(t, "th")
		c := [4]byte{rapid.Byte().Draw(t, "r"), rapid.Byte().Draw(t, "g"), rapid.Byte().Draw(t, "b"), rapid.ByteRange(1, 255).Draw(t, "a")}
		src := newNRGBA(w, h)
		for i := range src.pix {
			src.pix[i] = c[i%4]
		}
		src.solid = c[3] == 255 && rapid.Bool().Draw(t, "solid")
		out, rows := shrink(src, tw, th)
		if rows != th {
			t.Fatalf("%d of %d rows", rows, th)
		}
		for i := 0; i < len(out.pix); i += 4 {
			for j := range 4 {
				// Premultiplied, a sample of a faint pixel has no more than alpha steps.
				if d := int(out.pix[i+j]) - int(c[j]); d > 1 || d < -1 {
					t.Fatalf("%dx%d to %dx%d: pixel %d is %v, want %v", w, h, tw, th, i/4, out.pix[i:i+4], c)
				}
			}
		}
	})
}

func TestShrinkWeighsByAlpha(t *testing.T) {
	src := newNRGBA(400, 400) // red that is seen beside green that is not
	for i := 0; i < len(src.pix); i += 4 {
		if i/4%2 == 0 {
			copy(src.pix[i:], []byte{255, 0, 0, 255})
		} else {
			copy(src.pix[i:], []byte{0, 255, 0, 0})
		}
	}
	for _, size := range []int{200, 150, 100} {
		out, _ := shrink(src, size, size)
		for i := 0; i < len(out.pix); i += 4 {
			if p := out.pix[i : i+4]; p[0] < 254 || p[1] > 1 || p[3] < 100 || p[3] > 155 {
				t.Fatalf("to %d: pixel %d is %v, want half-seen red", size, i/4, p)
			}
		}
	}
}

func TestShrinkKeepsMean(t *testing.T) {
	m := photo(701, 467)
	for _, edge := range []int64{700, 500, 351, 350, 233, 100, 7} {
		tw, th := fitSize(701, 467, edge)
		out, _ := shrink(fromStd(m), tw, th)
		for c := range 3 {
			if got, want := meanOf(out.pix, c), meanOf(m.Pix, c); got-want > 1 || want-got > 1 {
				t.Errorf("to %dx%d: mean of sample %d is %.2f, want %.2f", tw, th, c, got, want)
			}
		}
	}
}

func meanOf(pix []byte, c int) float64 {
	sum := 0
	for i := c; i < len(pix); i += 4 {
		sum += int(pix[i])
	}
	return float64(sum) / float64(len(pix)/4)
}

// ending is a raster whose rows end.
type ending struct {
	nrgba
	rows int
}

func (e *ending) row(y int, dst []byte) error {
	if y >= e.rows {
		return io.ErrUnexpectedEOF
	}
	return e.nrgba.row(y, dst)
}

func TestShrinkOfSourceThatEnds(t *testing.T) {
	for _, size := range []int{100, 60, 20} {
		e := &ending{nrgba: *newNRGBA(100, 100), rows: 50}
		out, rows := shrink(e, size, size)
		if rows >= size || rows < size/3 {
			t.Errorf("to %d: %d rows of half a source", size, rows)
		}
		if out.h != size {
			t.Errorf("to %d: the result has %d rows", size, out.h)
		}
	}
}

func TestLargePictures(t *testing.T) {
	m := photo(2000, 1200)
	data := jpegOf(t, m)
	res, err := read(t, data, nil)
	must(t, err)
	if p := res.Parts[0].Image; p.Width != 1568 || p.Height != 941 || p.MediaType != "image/jpeg" {
		t.Errorf("got %dx%d %s, want 1568x941 image/jpeg", p.Width, p.Height, p.MediaType)
	}
	if got, want := res.Meta["est_tokens"], 56.0*34; got != want {
		t.Errorf("est_tokens is %v, want %v", got, want)
	}
	got := pixels(t, res.Parts[0])
	for c := range 3 {
		if g, w := meanOf(got.Pix, c), meanOf(m.Pix, c); g-w > 1.5 || w-g > 1.5 {
			t.Errorf("mean of sample %d is %.2f, want %.2f", c, g, w)
		}
	}
	res, err = read(t, data, func(r *readapi.Request) { r.MaxEdge = 100 })
	must(t, err)
	if p := res.Parts[0].Image; p.Width != 100 || p.Height != 60 {
		t.Errorf("with max_edge 100 got %dx%d", p.Width, p.Height)
	}
}

func TestEncodingChoice(t *testing.T) {
	shot := plain(300, 300, white) // a screenshot: mostly plain, many colours
	for i := range 300 {
		shot.SetNRGBA(i, 5, color.NRGBA{byte(i), byte(i / 2), byte(i / 3), 255})
		shot.SetNRGBA(i, 9, color.NRGBA{byte(i / 2), byte(i), 7, 255})
	}
	seeThrough := on(quarters(300, 300), 0, 0, plain(10, 10, color.NRGBA{1, 2, 3, 100}))
	soft := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	copy(soft.Pix, photo(300, 300).Pix)
	for _, c := range []struct {
		name  string
		m     *image.NRGBA
		lossy bool
		want  readapi.MediaType
	}{
		{"photo", soft, true, "image/jpeg"}, {"photo in a lossless file", soft, false, "image/jpeg"}, {"screenshot", shot, false, "image/png"},
		{"alpha", seeThrough, true, "image/png"}, {"few colours", quarters(300, 300), false, "image/png"},
	} {
		in := &nrgba{pix: c.m.Pix, w: 300, h: 300}
		e, err := encode(in, c.lossy, terms{png: true, jpeg: true})
		must(t, err)
		if e.mediaType != c.want {
			t.Errorf("%s leaves as %s, want %s", c.name, e.mediaType, c.want)
		}
	}
}

func TestByteBudget(t *testing.T) {
	data := jpegOf(t, photo(450, 350))
	alpha := image.NewNRGBA(image.Rect(0, 0, 250, 200))
	copy(alpha.Pix, photo(250, 200).Pix)
	for i := 3; i < len(alpha.Pix); i += 8 {
		alpha.Pix[i] = 90
	}
	for name, in := range map[string][]byte{"jpeg": data, "alpha": rgbaPNG(t, alpha, nil)} {
		for _, most := range []int64{1 << 20, 60_000, 20_000, 4_000} {
			res, err := read(t, in, func(r *readapi.Request) { r.MaxBytes = most })
			if err != nil {
				t.Errorf("%s within %d bytes: %v", name, most, err)
				continue
			}
			if n := int64(len(res.Parts[0].Image.Bytes)); n > most {
				t.Errorf("%s within %d bytes has %d", name, most, n)
			}
			pixels(t, res.Parts[0])
		}
		if _, err := read(t, in, func(r *readapi.Request) { r.MaxBytes = 10 }); !errors.Is(err, readapi.CodeLimitOutput) {
			t.Errorf("%s within 10 bytes: %v, want limit_output", name, err)
		}
	}
}

func TestSameBytesTwice(t *testing.T) {
	for _, c := range cases(t) {
		first, err1 := read(t, c.data, nil)
		second, err2 := read(t, c.data, nil)
		if readapi.CodeOf(err1) != readapi.CodeOf(err2) || len(first.Parts) != len(second.Parts) {
			t.Errorf("%s: two reads differ", c.name)
			continue
		}
		for i := range first.Parts {
			if !bytes.Equal(first.Parts[i].Image.Bytes, second.Parts[i].Image.Bytes) {
				t.Errorf("%s: two reads give different bytes", c.name)
			}
		}
	}
}
