package image

import (
	"bufio"
	"errors"
	"image"
	"image/jpeg"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame decodes the picture.
func (f *jpegFile) frame(_ int64, b *budget) (picture, error) {
	if feature := f.unsupported(); feature != "" {
		return picture{}, pdk.Unsupported(feature)
	}
	if err := b.size(f.width, f.height, f.bytesPerPixel()); err != nil {
		return picture{}, err
	}
	if err := b.spend(f.width, f.height); err != nil {
		return picture{}, err
	}
	if f.sof == sofProgressive {
		if n := int64(len(f.scans())); n > maxScans {
			return picture{}, pdk.OverLimit(readapi.CodeLimitFuel, "max_scans", maxScans, n)
		}
	}
	img, partial, err := f.decode(f.in.Size())
	if err != nil && f.sof == sofProgressive {
		img, partial, err = f.earlierScans(err)
	}
	if err != nil {
		return picture{}, jpegFailure(err)
	}
	if w, h := int64(img.Bounds().Dx()), int64(img.Bounds().Dy()); w != f.width || h != f.height {
		return picture{}, pdk.Malformed("two frame headers that differ")
	}
	return picture{raster: fromStd(img), orientation: f.orientation, partial: partial}, nil
}

// maxScans bounds the scans of a progressive picture: each goes over all of it and may take a dozen bytes of the file. Encoders make about
// ten.
const maxScans = 500

// sofProgressive is the frame header's marker of a progressive picture.
const sofProgressive = 0xc2

// decode decodes the first n bytes. partial says when they end before the picture does and it is there all the same.
func (f *jpegFile) decode(n int64) (img image.Image, partial string, err error) {
	r := &jpegReader{Reader: io.NewSectionReader(f.in, 0, n)}
	img, err = jpeg.Decode(r)
	if r.past > 0 && f.sof == sofProgressive {
		partial = "the file ends early: detail is missing"
	}
	return img, partial, err
}

// maxScanTries bounds how many scans are given up from the end.
const maxScanTries = 3

// earlierScans decodes a damaged progressive picture up to its last whole scan: it is all there, in less detail. It returns broken when
// that is no picture either.
func (f *jpegFile) earlierScans(broken error) (img image.Image, partial string, err error) {
	scans := f.scans()
	for range maxScanTries {
		if len(scans) < 2 { // nothing but the first scan, which is the damaged one
			break
		}
		last := scans[len(scans)-1]
		scans = scans[:len(scans)-1]
		if img, partial, err = f.decode(last); err == nil {
			return img, partial, nil
		}
	}
	return nil, "", broken
}

// scans returns the offsets of the scan headers. In coded data the byte that begins a marker is always followed by 0 or a restart.
func (f *jpegFile) scans() (out []int64) {
	r := bufio.NewReaderSize(io.NewSectionReader(f.in, 0, f.in.Size()), 32<<10)
	last := byte(0)
	for off := int64(0); ; off++ {
		c, err := r.ReadByte()
		if err != nil {
			return out
		}
		if last == 0xff && c == 0xda {
			out = append(out, off-1)
		}
		last = c
	}
}

// jpegFailure says what the library's error is: a variant that it does not know, or damage.
func jpegFailure(err error) error {
	if e, ok := errors.AsType[jpeg.UnsupportedError](err); ok {
		return pdk.Unsupported("jpeg " + string(e))
	}
	return pdk.Malformed("the pixel data is damaged or cut")
}

// unsupported names what the file needs and nobody here has (T.81, table B.1).
func (f *jpegFile) unsupported() string {
	switch {
	case f.sof == 0xc3, f.sof == 0xcb:
		return "lossless jpeg"
	case f.sof >= 0xc9:
		return "jpeg with arithmetic coding"
	case f.sof > 0xc2:
		return "hierarchical jpeg"
	case f.depth != 8:
		return "jpeg of 12 bits"
	case f.components != 1 && f.components != 3 && f.components != 4:
		return "jpeg with two components"
	case f.components == 4 && !f.adobe:
		return "jpeg of four components that does not say which colours they are"
	}
	return ""
}

// bytesPerPixel is what the planes take and, of a progressive file, the coefficients, four bytes each; of four components also the
// picture that they are joined to.
func (f *jpegFile) bytesPerPixel() int64 {
	halves := int64(2)                                // twice the samples of a pixel
	if f.components > 1 && f.subsampling[0] == 0x11 { // no subsampling
		halves = 6
	} else if f.components > 1 {
		halves = 4
	}
	if f.components == 4 {
		halves += 2 + 8
	}
	if f.sof == sofProgressive {
		halves *= 5
	}
	return (halves + 1) / 2
}

// jpegReader gives the file, then end markers: a file that lacks its own is whole to every reader.
type jpegReader struct {
	io.Reader
	past int // bytes that were asked for behind the end
}

// maxPast bounds what is given behind the end. A decoder that wants more is not looking for a marker.
const maxPast = 64

func (r *jpegReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 || err != io.EOF {
		return n, err
	}
	if r.past >= maxPast || len(p) < 2 {
		return 0, io.EOF
	}
	p[0], p[1] = 0xff, 0xd9
	r.past += 2
	return 2, nil
}
