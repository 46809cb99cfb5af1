package image

import (
	"encoding/binary"
	"io"

	"github.com/glovebox-wasm/glovebox/decoders/image/internal/png"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame decodes the default picture (1) or composes a frame of the animation.
func (f *pngFile) frame(at int64, b *budget) (picture, error) {
	if format := f.pixelFormat(f.width, f.height); !format.Valid() {
		return picture{}, pdk.Unsupported("png colour type and bit depth")
	}
	if err := b.size(f.width, f.height, f.bytesPerPixel()); err != nil {
		return picture{}, err
	}
	first := int64(1) // frame number of the first piece
	if len(f.pieces) == 0 || !f.pieces[0].inIDAT {
		first = 2
	}
	if at < first || len(f.pieces) == 0 {
		if err := b.spend(f.width, f.height); err != nil {
			return picture{}, err
		}
		r, missing, err := f.decode(f.idat, true, f.width, f.height)
		return picture{raster: r, orientation: f.orientation, partial: missing}, err
	}
	return f.composed(at-first+1, b)
}

// composed plays the animation up to its frame at.
func (f *pngFile) composed(at int64, b *budget) (picture, error) {
	if err := b.size(f.width, f.height, 4+f.bytesPerPixel()); err != nil {
		return picture{}, err
	}
	if f.played == nil {
		f.played = newCanvas(int(f.width), int(f.height), [4]byte{})
	}
	missing := ""
	whole, err := f.played.play(at, func(at int64) (layer, error) {
		p := f.pieces[at-1]
		if err := b.spend(p.w, p.h); err != nil {
			return layer{}, err
		}
		r, lost, err := f.decode(p.data, p.inIDAT, p.w, p.h)
		missing += lost
		l := layer{raster: r, x: int(p.x), y: int(p.y), over: p.blend == 1, dispose: disposal(p.dispose)}
		if at == 1 && l.dispose == disposeRestore { // PNG, third edition, 11.3.6.2: there is nothing to restore
			l.dispose = disposeClear
		}
		return l, err
	})
	if missing != "" || !whole {
		missing = pngMissing
	}
	return picture{raster: &f.played.nrgba, orientation: f.orientation, partial: missing}, err
}

const pngMissing = "the pixel data is damaged or cut"

// decode gives w by h pixels whose chunks begin at off, and says what is known to be missing of them.
func (f *pngFile) decode(off int64, idat bool, w, h int64) (r raster, missing string, err error) {
	if off == 0 {
		return nil, "", pdk.Malformed("no pixels")
	}
	if f.colorType == png.Indexed && f.plte.n < 3 {
		return nil, "", pdk.Malformed("no palette")
	}
	data := &pngData{in: f.in, off: off, idat: idat}
	rows := &pngRows{d: png.New(f.pixelFormat(w, h), data.read)}
	if f.interlace && !rows.d.Whole() {
		missing = pngMissing
	}
	return rows, missing, nil
}

// pixelFormat is what the pixels of a frame of w by h are. What the file has too much of a palette or a transparency is left out.
func (f *pngFile) pixelFormat(w, h int64) png.Format {
	const most = 256
	return png.Format{
		Width: int(w), Height: int(h), Depth: f.depth, Type: f.colorType, Interlaced: f.interlace,
		Palette: readUpTo(f.in, f.plte.off, min(f.plte.n, 3*most)), Transparency: readUpTo(f.in, f.trns.off, min(f.trns.n, most)),
	}
}

// bytesPerPixel is what a pixel takes: rows come one by one, but an interlaced picture is held.
func (f *pngFile) bytesPerPixel() int64 {
	if f.interlace {
		return 4
	}
	return 1
}

// pngRows gives the rows of a decoder.
type pngRows struct{ d *png.Decoder }

func (m *pngRows) size() (int, int) { return m.d.Width, m.d.Height }
func (m *pngRows) opaque() bool     { return m.d.Opaque() }
func (m *pngRows) row(_ int, dst []byte) error {
	if !m.d.Row(dst) {
		return io.ErrUnexpectedEOF
	}
	return nil
}

// pngData is what the consecutive IDAT (or fdAT) chunks from off hold. Checksums are not looked at: see scan.
type pngData struct {
	in   readapi.Input
	off  int64
	idat bool
	left int64 // of the current chunk
}

// read is what png.New wants: 0 at the end.
func (d *pngData) read(p []byte) int {
	for d.left == 0 {
		var h [8]byte
		if !readInto(d.in, h[:], d.off) {
			return 0
		}
		n := int64(binary.BigEndian.Uint32(h[:]))
		switch name := string(h[4:]); {
		case d.idat && name == "IDAT":
			d.off, d.left = d.off+8, n
		case !d.idat && name == "fdAT" && n >= 4: // a sequence number comes first
			d.off, d.left = d.off+12, n-4
		default:
			return 0
		}
		if d.left == 0 {
			d.off += 4
		}
	}
	n := len(readUpToInto(d.in, p[:min(int64(len(p)), d.left)], d.off))
	d.off, d.left = d.off+int64(n), d.left-int64(n)
	if d.left == 0 {
		d.off += 4 // the checksum
	}
	return n
}
