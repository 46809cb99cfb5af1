package image

import (
	"bufio"
	"bytes"
	"image"
	"image/jpeg"
	"io"
	"math/bits"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// bitReverser gives bytes with their first bit last (FillOrder 2).
type bitReverser struct{ r io.Reader }

func (b *bitReverser) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	for i := range p[:n] {
		p[i] = bits.Reverse8(p[i])
	}
	return n, err
}

// packBits undoes PackBits (TIFF 6.0, section 9).
type packBits struct {
	r       *bufio.Reader
	literal int // bytes to copy
	repeat  int // times to give value
	value   byte
}

func (p *packBits) Read(dst []byte) (n int, err error) {
	for n < len(dst) {
		switch {
		case p.repeat > 0:
			p.repeat--
			dst[n] = p.value
			n++
			continue
		case p.literal > 0:
			k, err := p.r.Read(dst[n:min(len(dst), n+p.literal)])
			if n, p.literal = n+k, p.literal-k; err != nil {
				return n, err
			}
			continue
		}
		c, err := p.r.ReadByte()
		if err != nil {
			return n, err
		}
		switch v := int8(c); {
		case v >= 0:
			p.literal = int(v) + 1
		case v != -128:
			if p.value, err = p.r.ReadByte(); err != nil {
				return n, err
			}
			p.repeat = 1 - int(v)
		}
	}
	return n, nil
}

// maxTables bounds the shared JPEG tables of a page.
const maxTables = 64 << 10

// adobeCMYK is an APP14 segment that says: four components as they are. Without one the library refuses them.
const adobeCMYK = "\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00"

// jpegSegment decodes a strip or tile that is a JPEG without its tables (TIFF technical note 2). What its components mean the page says,
// not the JPEG. An error ends the page: a variant that is not decoded, or a size that is not the page's.
func (d *tiffDecoder) jpegSegment(s segment, b *budget) error {
	data := readUpTo(d.f.in, s.off, s.n)
	if len(data) < 4 || data[0] != 0xff || data[1] != 0xd8 {
		d.missing = true
		return nil
	}
	stream := []byte("\xff\xd8")
	if d.photometric == photoCMYK {
		stream = append(stream, adobeCMYK...)
	}
	if t := d.f.dir.data(d.tables, maxTables); len(t) > 4 && t[0] == 0xff && t[1] == 0xd8 {
		stream = append(stream, bytes.TrimSuffix(t[2:], []byte("\xff\xd9"))...)
	}
	stream = append(stream, data[2:]...)
	f, err := openJPEG(bytes.NewReader(stream))
	if err != nil {
		d.missing = true
		return nil
	}
	h := f.(*jpegFile)
	if feature := h.unsupported(); feature != "" {
		return pdk.Unsupported("tiff with " + feature)
	}
	if h.width > s.w || h.height > max(s.h, d.tileH) {
		return pdk.Malformed("a strip or tile larger than the page says")
	}
	if err := b.size(h.width, h.height, h.bytesPerPixel()+d.samples); err != nil {
		return err
	}
	if shown := min(h.width, d.width-s.x) * min(h.height, s.h); b.spend(h.width*h.height-shown, 1) != nil {
		return pdk.Malformed("tiles that are mostly beyond the page")
	}
	img, err := jpeg.Decode(&jpegReader{Reader: bytes.NewReader(stream)})
	if err != nil {
		if e, ok := asFailure(jpegFailure(err)); ok && e.Code == "unsupported_feature" {
			return e
		}
		d.missing = true
		return nil
	}
	return d.place(img, s)
}

// place copies the samples of a decoded strip or tile.
func (d *tiffDecoder) place(img image.Image, s segment) error {
	w, h := min(img.Bounds().Dx(), int(d.width-s.x)), min(img.Bounds().Dy(), int(s.h))
	d.missing = d.missing || int64(w) < min(s.w, d.width-s.x) || int64(h) < s.h
	n := int(d.samples)
	for y := range h {
		out := d.pix[((int(s.y)+y)*int(d.width)+int(s.x))*n:]
		d.some = true
		switch m := img.(type) {
		case *image.Gray:
			for x, v := range m.Pix[y*m.Stride:][:w] {
				out[x*n+int(s.plane)] = v
			}
		case *image.YCbCr:
			if n < 3 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				c := m.COffset(x, y)
				out[x*n], out[x*n+1], out[x*n+2] = m.Y[y*m.YStride+x], m.Cb[c], m.Cr[c]
			}
		case *image.RGBA: // marked as colours that are not to be converted: the samples as they are
			if n < 3 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				copy(out[x*n:x*n+3], m.Pix[y*m.Stride+4*x:])
			}
		case *image.CMYK:
			if n < 4 || d.planar {
				return pdk.Malformed("components that the page does not have")
			}
			for x := range w {
				for c, v := range m.Pix[y*m.Stride+4*x:][:4] {
					out[x*n+c] = 255 - v // the library inverts, as Adobe does; a TIFF does not
				}
			}
		default:
			return pdk.Unsupported("tiff with jpeg in colours of its own")
		}
	}
	return nil
}
