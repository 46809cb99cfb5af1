package image

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// shell is a picture of another format inside one of its own: in an icon or a bitmap.
type shell struct {
	header
	inner file
}

func newShell(format string, inner file) *shell {
	f := &shell{header: *inner.head(), inner: inner}
	f.format, f.frames, f.animated = format, 1, false
	return f
}

func (f *shell) head() *header { return &f.header }

func (f *shell) frame(_ int64, b *budget) (picture, error) { return f.inner.frame(1, b) }

// maxIcons bounds the directory entries that are looked at.
const maxIcons = 256

// openICO opens a Windows icon or cursor: one picture in several sizes, of which the largest is the frame.
func openICO(in readapi.Input) (file, error) {
	best, ok := largestIcon(in)
	if !ok {
		return nil, pdk.Malformed("ico without a picture")
	}
	inner, err := openPNG(best.in)
	if !best.png {
		inner, err = openDIB(best.in, best.height)
	}
	if err != nil {
		f := blank("ico")
		f.width, f.height = best.width, best.height
		return nil, f.explain(err)
	}
	if b := readUpTo(in, 2, 1); len(b) == 1 && b[0] == 2 {
		return newShell("cur", inner), nil
	}
	return newShell("ico", inner), nil
}

// icon is an entry of the directory.
type icon struct {
	in            readapi.Input
	width, height int64
	depth         int64 // bits of a pixel
	png           bool
}

// largestIcon returns the picture with the most pixels, among equals the deepest.
func largestIcon(in readapi.Input) (best icon, ok bool) {
	n := 0
	if b := readUpTo(in, 4, 2); len(b) == 2 {
		n = min(maxIcons, int(binary.LittleEndian.Uint16(b)))
	}
	for i := range n {
		var e [16]byte
		if !readInto(in, e[:], 6+16*int64(i)) {
			break
		}
		side := func(v byte) int64 { return (int64(v)+255)%256 + 1 } // 0 means 256
		at := span{int64(binary.LittleEndian.Uint32(e[12:])), int64(binary.LittleEndian.Uint32(e[8:]))}
		if at.n = min(at.n, in.Size()-at.off); at.n <= 0 {
			continue
		}
		m := icon{in: io.NewSectionReader(in, at.off, at.n), width: side(e[0]), height: side(e[1])}
		m.look()
		if area, most := m.width*m.height, best.width*best.height; area > most || area == most && m.depth > best.depth {
			best, ok = m, true
		}
	}
	return best, ok
}

// look reads the depth from the picture itself: the directory often has 0, and a cursor's has a place there.
func (m *icon) look() {
	b := readUpTo(m.in, 0, 16)
	switch {
	case matches(b, pngMagic):
		m.png, m.depth = true, 32
	case len(b) == 16:
		m.depth = int64(binary.LittleEndian.Uint16(b[14:]))
	}
}

// openDIB opens the bitmap of an icon: no file header, and a height that counts the mask too, except with writers that do not know that: then
// it is the directory's, and so many rows are there.
func openDIB(in readapi.Input, height int64) (file, error) {
	f := &bmpFile{header: blank("ico"), in: in, icon: true}
	if err := f.info(0); err != nil {
		return nil, err
	}
	if all := f.pixels + (f.width*int64(f.bpp)+31)/32*4*f.height; f.height != height || all > in.Size() {
		f.height /= 2
		f.masked = true
	}
	f.alpha = true
	return f, f.checked()
}
