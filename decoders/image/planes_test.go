package image

import (
	"image"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/vp8"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestPlanesGiveTheSamePicture compares the short way of a photo, over its planes, with the general one, over its pixels: every
// subsampling, odd sizes, every orientation.
func TestPlanesGiveTheSamePicture(t *testing.T) {
	for _, ratio := range []image.YCbCrSubsampleRatio{
		image.YCbCrSubsampleRatio444, image.YCbCrSubsampleRatio422, image.YCbCrSubsampleRatio420, image.YCbCrSubsampleRatio440,
		image.YCbCrSubsampleRatio411, image.YCbCrSubsampleRatio410,
	} {
		for _, size := range [][2]int{{320, 240}, {321, 239}} {
			src := smooth(size[0], size[1], ratio)
			for o := 1; o <= 8; o++ {
				for _, edge := range []int64{320, 250, 160} {
					tw, th := fitSize(int64(size[0]), int64(size[1]), edge)
					e, ok := encodePlanes(picture{raster: fromStd(src), orientation: o}, tw, th, 0)
					if !ok {
						continue
					}
					m, _ := shrink(fromStd(src), tw, th)
					m = upright(m, o)
					want := &image.NRGBA{Pix: m.pix, Stride: 4 * m.w, Rect: image.Rect(0, 0, m.w, m.h)}
					part := readapi.Part{Image: &readapi.Image{MediaType: e.mediaType, Width: e.width, Height: e.height, Bytes: e.bytes}}
					compare(t, ratio.String()+" orientation "+decimal(o)+" edge "+decimal(int(edge)), pixels(t, part), want, 12)
				}
			}
		}
	}
}

// TestPlanesAreUsed fails when the short way is never taken: then the test above would compare nothing.
func TestPlanesAreUsed(t *testing.T) {
	src := smooth(640, 480, image.YCbCrSubsampleRatio420)
	for o := 1; o <= 8; o++ {
		if _, ok := encodePlanes(picture{raster: fromStd(src), orientation: o}, 500, 375, 0); !ok {
			t.Errorf("orientation %d takes the general way", o)
		}
	}
	if _, ok := encodePlanes(picture{raster: fromStd(src), orientation: 1}, 500, 375, 1000); ok {
		t.Error("a picture of more than max_bytes leaves")
	}
}

// TestLimitedRange compares the two ways of a lossy WebP.
func TestLimitedRange(t *testing.T) {
	m420 := smooth(320, 240, image.YCbCrSubsampleRatio420)
	f := &vp8.Frame{Width: 320, Height: 240, Rows: 240, Y: m420.Y, Cb: m420.Cb, Cr: m420.Cr, YStride: m420.YStride, CStride: m420.CStride}
	src := newVP8Rows(f, nil, f.Rows)
	e, ok := encodePlanes(picture{raster: src, orientation: 1}, 320, 240, 0)
	if !ok {
		t.Fatal("a lossy WebP takes the general way")
	}
	m, _ := shrink(src, 320, 240)
	part := readapi.Part{Image: &readapi.Image{MediaType: e.mediaType, Width: e.width, Height: e.height, Bytes: e.bytes}}
	compare(t, "the picture", pixels(t, part), &image.NRGBA{Pix: m.pix, Stride: 4 * m.w, Rect: image.Rect(0, 0, m.w, m.h)}, 12)
}

// smooth has soft shades in all three components, all within what RGB can show.
func smooth(w, h int, ratio image.YCbCrSubsampleRatio) *image.YCbCr {
	m := image.NewYCbCr(image.Rect(0, 0, w, h), ratio)
	for y := range h {
		for x := range w {
			m.Y[m.YOffset(x, y)] = uint8(90 + 60*x/w + 20*y/h)
			c := m.COffset(x, y)
			m.Cb[c] = uint8(110 + 30*y/h)
			m.Cr[c] = uint8(140 - 30*x/w)
		}
	}
	return m
}
