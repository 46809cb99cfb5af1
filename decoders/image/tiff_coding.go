package image

import (
	"bufio"
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"io"
	"math/bits"

	tifflzw "golang.org/x/image/tiff/lzw"

	"github.com/glovebox-wasm/glovebox/decoders/internal/ccitt"
)

// unpacked returns the bytes of s without its compression, nil when there are none.
func (d *tiffDecoder) unpacked(s segment) io.Reader {
	var raw io.Reader = io.NewSectionReader(d.f.in, s.off, s.n)
	if d.lowBitFirst {
		raw = &bitReverser{raw}
	}
	switch d.compression {
	case tiffLZW:
		if oldLZW(readUpTo(d.f.in, s.off, min(s.n, 2))) {
			return lzw.NewReader(raw, lzw.LSB, 8)
		}
		return tifflzw.NewReader(raw, tifflzw.MSB, 8)
	case tiffDeflate, tiffOldDeflate:
		r, err := zlib.NewReader(raw)
		if err != nil {
			return nil
		}
		return r
	case tiffPackBits:
		return &packBits{r: bufio.NewReader(raw)}
	case tiffHuffman, tiffFax3, tiffFax4:
		return d.fax(s)
	}
	return bufio.NewReader(raw)
}

// oldLZW reports whether a strip begins with the clear code in the bit order of before TIFF 6.0, in which codes also grow later: libtiff
// reads such files by the same sign.
func oldLZW(b []byte) bool { return len(b) == 2 && b[0] == 0 && b[1]&1 == 1 }

// fax returns the rows of fax data. White runs are zeros whatever the photometric interpretation makes of them.
func (d *tiffDecoder) fax(s segment) io.Reader {
	data := d.whole(s)
	if d.lowBitFirst {
		for i, b := range data {
			data[i] = bits.Reverse8(b)
		}
	}
	p := ccitt.Params{Columns: int(s.w), EndOfBlock: true}
	switch {
	case d.compression == tiffHuffman: // TIFF 6.0, section 10
		p.ByteAlign = true
	case d.compression == tiffFax4:
		p.K = -1
	case d.faxOptions&1 != 0: // tag 292: two dimensions
		p.K = 1
	}
	rows, damaged := ccitt.Decode(data, p, int(s.h))
	d.missing = d.missing || damaged
	return bytes.NewReader(rows)
}

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
