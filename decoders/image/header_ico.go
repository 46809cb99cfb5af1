package image

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// icoFile is a Windows icon: one picture in several sizes, of which the largest is the frame.
type icoFile struct {
	header
	inner file
}

// maxIcons bounds the directory entries that are looked at.
const maxIcons = 256

func openICO(in readapi.Input) (file, error) {
	best, ok := largestIcon(in)
	if !ok {
		return nil, pdk.Malformed("ico without a picture")
	}
	part := io.NewSectionReader(in, best.off, best.n)
	inner, err := openPNG(part)
	if !matches(readUpTo(part, 0, magicBytes), pngMagic) {
		inner, err = openDIB(part)
	}
	if err != nil {
		return nil, err
	}
	f := &icoFile{header: *inner.head(), inner: inner}
	f.format, f.frames, f.animated = "ico", 1, false
	return f, nil
}

func (f *icoFile) head() *header { return &f.header }

func (f *icoFile) frame(_ int64, b *budget) (picture, error) { return f.inner.frame(1, b) }

// largestIcon returns where the picture with the most pixels lies, among equals the deepest.
func largestIcon(in readapi.Input) (best span, ok bool) {
	n := 0
	if b := readUpTo(in, 4, 2); len(b) == 2 {
		n = min(maxIcons, int(binary.LittleEndian.Uint16(b)))
	}
	score := int64(-1)
	for i := range n {
		var e [16]byte
		if !readInto(in, e[:], 6+16*int64(i)) {
			break
		}
		side := func(v byte) int64 { return (int64(v)+255)%256 + 1 } // 0 means 256
		s := side(e[0])*side(e[1])<<8 + int64(min(64, binary.LittleEndian.Uint16(e[6:])))
		at := span{int64(binary.LittleEndian.Uint32(e[12:])), int64(binary.LittleEndian.Uint32(e[8:]))}
		at.n = min(at.n, in.Size()-at.off)
		if s > score && at.n > 0 {
			score, best, ok = s, at, true
		}
	}
	return best, ok
}

// openDIB opens the bitmap of an icon: no file header, and a height that counts the mask too.
func openDIB(in readapi.Input) (file, error) {
	f := &bmpFile{header: blank("ico"), in: in, icon: true}
	if err := f.info(0); err != nil {
		return nil, err
	}
	f.height /= 2
	f.alpha = true
	return f, f.checked()
}
