package readapi

// Limits are the caps of one read. Zero in a field means its default; a negative number is an error (see WithDefaults).
type Limits struct {
	MaxInputBytes      int64    // a file through a decoder; default 100 MiB
	MaxImageInputBytes int64    // the same for image/*; default 32 MiB
	Timeout            Duration // wall time of one read; default 30 s
	Fuel               int64    // work of the decoder; default 300e9 units, about half a minute
	MaxMemoryBytes     int64    // guest memory; default 256 MiB
	MaxOutputBytes     int64    // bytes that one answer may carry; default 10 MiB
	MaxTokens          int64    // estimated tokens that one answer may carry; default 20,000; -1: no limit
	MaxPixels          int64    // pixels of one frame before decoding; default 40 million
	MaxSide            int64    // pixels of one side; default 16,384
	MaxFrames          int64    // frames decoded in one answer; default 64
	MaxTotalPixels     int64    // pixels summed over the frames of one answer; default 100 million
	MaxEdge            int64    // the longer side of an image that leaves is scaled down to this; default that of the profile, else 1,568 pixels
}

// DefaultLimits returns the default of every field.
func DefaultLimits() Limits {
	return Limits{
		MaxInputBytes:      100 << 20,
		MaxImageInputBytes: 32 << 20,
		Timeout:            30e9,
		Fuel:               300e9,
		MaxMemoryBytes:     256 << 20,
		MaxOutputBytes:     10 << 20,
		MaxTokens:          20_000,
		MaxPixels:          40_000_000,
		MaxSide:            16_384,
		MaxFrames:          64,
		MaxTotalPixels:     100_000_000,
		MaxEdge:            1568,
	}
}

// WithDefaults returns l with defaults in place of zeros, except MaxEdge: there 0 leaves the choice to the profile of the read. A negative
// number is invalid_request, except MaxTokens -1.
func (l Limits) WithDefaults() (Limits, error) {
	d := DefaultLimits()
	fields := []struct {
		name string
		v    *int64
		def  int64
	}{
		{"max_input_bytes", &l.MaxInputBytes, d.MaxInputBytes}, {"max_image_input_bytes", &l.MaxImageInputBytes, d.MaxImageInputBytes},
		{"timeout", (*int64)(&l.Timeout), int64(d.Timeout)}, {"fuel", &l.Fuel, d.Fuel},
		{"max_memory_bytes", &l.MaxMemoryBytes, d.MaxMemoryBytes}, {"max_output_bytes", &l.MaxOutputBytes, d.MaxOutputBytes},
		{"max_pixels", &l.MaxPixels, d.MaxPixels}, {"max_side", &l.MaxSide, d.MaxSide}, {"max_frames", &l.MaxFrames, d.MaxFrames},
		{"max_total_pixels", &l.MaxTotalPixels, d.MaxTotalPixels}, {"max_edge", &l.MaxEdge, d.MaxEdge},
	}
	for _, f := range fields {
		if *f.v < 0 {
			return l, &Error{Op: "readapi.Limits", Code: CodeInvalidRequest, Detail: "the limit " + f.name + " is negative", Hint: "Leave a limit at 0 for its default."}
		}
		if *f.v == 0 && f.v != &l.MaxEdge {
			*f.v = f.def
		}
	}
	switch {
	case l.MaxTokens < -1:
		return l, &Error{Op: "readapi.Limits", Code: CodeInvalidRequest, Detail: "the limit max_tokens is negative", Hint: "Use -1 for no token limit."}
	case l.MaxTokens == 0:
		l.MaxTokens = d.MaxTokens
	}
	return l, nil
}

// InputLimit returns the input cap for a media type and the name of that limit.
func (l Limits) InputLimit(m MediaType) (name string, bytes int64) {
	if m.Type() == "image" && l.MaxImageInputBytes < l.MaxInputBytes {
		return "max_image_input_bytes", l.MaxImageInputBytes
	}
	return "max_input_bytes", l.MaxInputBytes
}
