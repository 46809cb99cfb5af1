package picture

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Limits are what pictures of one read may take. Each is asked before anything is allocated by a number of the file.
type Limits struct {
	MaxPixels, MaxSide, MaxTotalPixels, MaxFrames int64

	MaxEdge  int64 // what the longer side is scaled down to in the end
	MaxBytes int64 // of one file that is handed on

	total int64 // pixels decoded so far
}

// Bytes that no request changes.
const (
	maxEncoded = 48 << 20 // data before a picture codec
	maxSamples = 64 << 20 // decoded samples of one image; decompression takes twice that
	maxFile    = 30 << 20 // of a file that is handed on: a decoder of pictures takes 32 MiB by default
)

// NewLimits returns the limits of a request.
func NewLimits(req *readapi.Request) *Limits {
	d := readapi.DefaultLimits()
	or := func(v, def int64) int64 {
		if v > 0 {
			return v
		}
		return def
	}
	l := &Limits{
		MaxPixels: or(req.MaxPixels, d.MaxPixels), MaxSide: or(req.MaxSide, d.MaxSide), MaxTotalPixels: or(req.MaxTotalPixels, d.MaxTotalPixels),
		MaxFrames: or(req.MaxFrames, d.MaxFrames), MaxEdge: or(req.MaxEdge, d.MaxEdge), MaxBytes: maxFile,
	}
	if req.MaxFileBytes > 0 {
		l.MaxBytes = min(l.MaxBytes, req.MaxFileBytes)
	}
	return l
}

// size agrees to a picture of w by h pixels.
func (l *Limits) size(w, h int64) error {
	switch {
	case w <= 0 || h <= 0:
		return pdk.Malformed("a picture without an area")
	case w > l.MaxSide || h > l.MaxSide:
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_side", l.MaxSide, max(w, h))
	case w > l.MaxPixels/h:
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_pixels", l.MaxPixels, w*h) // both are at most max_side here
	}
	return nil
}

// decode agrees to decoding w by h pixels.
func (l *Limits) decode(w, h int64) error {
	if err := l.size(w, h); err != nil {
		return err
	}
	if l.total += w * h; l.total > l.MaxTotalPixels {
		return pdk.OverLimit(readapi.CodeLimitPixels, "max_total_pixels", l.MaxTotalPixels, l.total)
	}
	return nil
}
