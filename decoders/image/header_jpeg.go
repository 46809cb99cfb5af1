package image

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// jpegFile is a JPEG (ITU-T T.81).
type jpegFile struct {
	header
	in  readapi.Input
	raw bool // its components are wanted as they are

	held int64 // bytes of pixels that whoever wants them holds
}

func openJPEG(in readapi.Input) (file, error) {
	f := &jpegFile{header: blank("jpeg"), in: in}
	f.lossy = true
	d, err := jpeg.Open(in, in.Size(), f.segment)
	f.width, f.height, f.depth = int64(d.Frame.Width), int64(d.Frame.Height), d.Frame.Precision
	if err != nil {
		return f, err
	}
	if n := d.Frame.Components; n < len(componentColors) {
		f.color = componentColors[n]
	}
	if d.Frame.Components == 3 && d.Colors() == jpeg.RGB {
		f.color = "rgb"
	}
	if f.height == 0 && f.width > 0 {
		return f, pdk.Unsupported("jpeg whose height comes behind its data")
	}
	return f, f.checked()
}

// componentColors are what so many components most often are.
var componentColors = [...]string{1: "gray", 3: "ycbcr", 4: "cmyk"}

func (f *jpegFile) head() *header { return &f.header }

// segment takes what leaves with the picture, or does not, from a segment.
func (f *jpegFile) segment(marker byte, off, n int64) {
	switch {
	case marker == 0xe1:
		f.metadata = true
		if b := readUpTo(f.in, off, n); bytes.HasPrefix(b, []byte("Exif\x00")) {
			f.readEXIF(b)
		} else if bytes.HasPrefix(b, []byte(xmpPrefix)) {
			f.readXMP(b[len(xmpPrefix):])
		}
	case marker == 0xe2:
		const prefix = "ICC_PROFILE\x00" // then which piece it is, and of how many (ICC.1:2022, B.4)
		if b := readUpTo(f.in, off, int64(len(prefix))+2); len(b) == len(prefix)+2 && string(b[:len(prefix)]) == prefix {
			f.icc = true
			f.profile.add(f.in, b[len(prefix)], span{off + int64(len(b)), n - int64(len(b))})
		}
	case marker == 0xed, marker == 0xfe:
		f.metadata = true
	}
}
