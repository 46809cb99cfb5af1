package image

import (
	"errors"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// maxPixelBytes bounds what one frame's pixels take at the depth that they are decoded to, all planes and coefficients together: what is
// left of a guest's 256 MiB is for the rest of it.
const maxPixelBytes = 160 << 20

// budget is what one answer may decode. Every decoder asks it with the header's numbers before it allocates by them.
type budget struct {
	maxPixels, maxSide, maxFrames, maxTotal int64

	fit    readapi.Fit // what is wanted of a frame
	frames int64       // given out
	total  int64       // pixels decoded
}

func newBudget(req *readapi.Request) *budget {
	d := readapi.DefaultLimits()
	or := func(v, def int64) int64 {
		if v > 0 {
			return v
		}
		return def
	}
	return &budget{
		maxPixels: or(req.MaxPixels, d.MaxPixels), maxSide: or(req.MaxSide, d.MaxSide),
		fit: req.Fit(), maxFrames: or(req.MaxFrames, d.MaxFrames), maxTotal: or(req.MaxTotalPixels, d.MaxTotalPixels),
	}
}

// size agrees to a frame or canvas of w by h pixels that takes bytesPerPixel each.
func (b *budget) size(w, h, bytesPerPixel int64) error {
	switch {
	case w <= 0 || h <= 0:
		return pdk.Malformed("no area")
	case w > b.maxSide || h > b.maxSide:
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_side", b.maxSide, max(w, h))
	case w > b.maxPixels/h:
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_pixels", b.maxPixels, product(w, h))
	case product(product(w, h), bytesPerPixel) > maxPixelBytes:
		return pdk.OverLimit(readapi.CodeLimitMemory, "pixel_bytes", maxPixelBytes, product(product(w, h), bytesPerPixel))
	}
	return nil
}

// spend agrees to the work of decoding w by h pixels, after size has.
func (b *budget) spend(w, h int64) error {
	b.total += product(w, h)
	if b.total > b.maxTotal {
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_total_pixels", b.maxTotal, b.total)
	}
	return nil
}

// next agrees to one more frame in the answer.
func (b *budget) next() error {
	b.frames++
	if b.frames > b.maxFrames {
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_frames", b.maxFrames, b.frames)
	}
	return nil
}

// product multiplies without wrapping around: sizes come from the file.
func product(a, b int64) int64 {
	const most = 1 << 62
	if a > 0 && b > most/a {
		return most
	}
	return a * b
}

func asFailure(err error) (*readapi.Error, bool) { return errors.AsType[*readapi.Error](err) }
