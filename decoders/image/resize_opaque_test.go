package image

import (
	"bytes"
	"io"
	"testing"

	"pgregory.net/rapid"
)

// cutRaster has only its first rows.
type cutRaster struct {
	raster
	rows int
}

func (c cutRaster) row(y int, dst []byte) error {
	if y >= c.rows {
		return io.ErrUnexpectedEOF
	}
	return c.raster.row(y, dst)
}

// TestOpaqueIsExact holds the short way of pictures without alpha to the general one.
func TestOpaqueIsExact(t *testing.T) {
	went := 0
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(1, 200).Draw(t, "w"), rapid.IntRange(1, 90).Draw(t, "h")
		tw, th := rapid.IntRange(1, w).Draw(t, "tw"), rapid.IntRange(1, h).Draw(t, "th")
		src := newNRGBA(w, h)
		src.solid = true
		hard := rapid.Bool().Draw(t, "hard") // nothing but black and white overshoots most
		noise := rapid.Uint32().Draw(t, "seed")
		for i := range src.pix {
			noise = noise*1664525 + 1013904223
			if src.pix[i] = byte(noise >> 24); hard {
				src.pix[i] = byte(int32(noise) >> 31)
			}
			if i%4 == 3 {
				src.pix[i] = 0xff
			}
		}
		cut := cutRaster{src, rapid.IntRange(0, h).Draw(t, "rows")}
		got, want := newNRGBA(tw, th), newNRGBA(tw, th)
		s := newOpaqueShrinker(w, h, got)
		if s == nil {
			return
		}
		went++
		rows := s.run(cut.row)
		r := resampling{sw: w, sh: h, tw: tw, th: th, channels: 3, fetch: cut.row}
		r.emit = func(y int, sums []int) { storeOpaque(want.pix[4*tw*y:4*tw*(y+1)], sums) }
		if n := r.run(); rows != n {
			t.Fatalf("%d rows, want %d", rows, n)
		}
		got.fillAlpha()
		want.fillAlpha()
		if !bytes.Equal(got.pix, want.pix) {
			t.Fatalf("%dx%d to %dx%d differs", w, h, tw, th)
		}
	})
	if went == 0 {
		t.Error("nothing was compared")
	}
}

// TestOpaqueBounds holds that what the arithmetic of the short way cannot hold goes the other one.
func TestOpaqueBounds(t *testing.T) {
	for _, c := range []struct {
		w, h, tw, th int
		ok           bool
	}{
		{3000, 2000, 1568, 1045, true},
		{1600, 1600, 100, 100, true},  // boxes of 16: 256 samples of 255
		{1700, 1700, 100, 100, false}, // of 17
		{4000, 100, 500, 99, false},   // more than eight samples in a row make one
		{100, 4000, 99, 500, true},    // but any number of rows may
	} {
		if s := newOpaqueShrinker(c.w, c.h, newNRGBA(c.tw, c.th)); (s != nil) != c.ok {
			t.Errorf("%dx%d to %dx%d: %v, want %v", c.w, c.h, c.tw, c.th, s != nil, c.ok)
		}
	}
}
