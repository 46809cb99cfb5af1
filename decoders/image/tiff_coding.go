package image

import (
	"bufio"
	"bytes"
	"io"
	"math/bits"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
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

// jpegSegment decodes a strip or tile that is a JPEG without its tables (TIFF technical note 2). What its components mean the page says,
// not the JPEG. An error ends the page: a variant that is not decoded, or a size that is not the page's.
func (d *tiffDecoder) jpegSegment(s segment, b *budget) error {
	data := readUpTo(d.f.in, s.off, s.n)
	if len(data) < 4 || data[0] != 0xff || data[1] != 0xd8 {
		d.missing = true
		return nil
	}
	stream := []byte("\xff\xd8")
	if t := d.f.dir.data(d.tables, maxTables); len(t) > 4 && t[0] == 0xff && t[1] == 0xd8 {
		stream = append(stream, bytes.TrimSuffix(t[2:], []byte("\xff\xd9"))...)
	}
	stream = append(stream, data[2:]...)
	return d.placeJPEG(stream, s, b)
}

// placeJPEG decodes a whole JPEG and copies its samples.
func (d *tiffDecoder) placeJPEG(stream []byte, s segment, b *budget) error {
	m, err := openJPEGSamples(bytes.NewReader(stream))
	if err != nil {
		d.missing = true
		return nil
	}
	h := m.head()
	if h.width > s.w || h.height > max(s.h, d.tileH) {
		return pdk.Malformed("a strip or tile larger than the page says")
	}
	n := int(d.samples)
	if c := m.components(); c > 1 && (c > n || d.planar) {
		return pdk.Malformed("components that the page does not have")
	}
	if shown := min(h.width, d.width-s.x) * min(h.height, s.h); b.spend(h.width*h.height-shown, 1) != nil {
		return pdk.Malformed("tiles that are mostly beyond the page")
	}
	w, rows := int(min(h.width, d.width-s.x)), int(min(h.height, s.h))
	d.missing = d.missing || int64(w) < min(s.w, d.width-s.x) || int64(rows) < s.h
	lack, err := m.samples(b, rows, func(y int, row []byte) {
		c := len(row) / int(h.width)
		out := d.pix[((int(s.y)+y)*int(d.width)+int(s.x))*n:]
		for x := range w {
			copy(out[x*n+int(s.plane):][:c], row[x*c:])
		}
	})
	if e, ok := asFailure(err); ok && e.Code == readapi.CodeUnsupportedFeature {
		return pdk.Unsupported("tiff with " + e.Detail)
	}
	d.some = d.some || err == nil
	d.missing = d.missing || err != nil || lack != ""
	return nil
}
