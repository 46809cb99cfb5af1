package image

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"image/color"
	"io"

	"golang.org/x/image/ccitt"
	"golang.org/x/image/tiff/lzw"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// Compression values (TIFF 6.0, its supplements, and what libtiff registers).
const (
	tiffNone       = 1
	tiffHuffman    = 2
	tiffFax3       = 3
	tiffFax4       = 4
	tiffLZW        = 5
	tiffOldJPEG    = 6
	tiffJPEG       = 7
	tiffDeflate    = 8
	tiffPackBits   = 32773
	tiffOldDeflate = 32946
)

// Photometric interpretations (tag 262).
const (
	whiteIsZero = 0
	blackIsZero = 1
	photoRGB    = 2
	photoIndex  = 3
	photoCMYK   = 5
	photoYCbCr  = 6
)

// frame decodes page at.
func (f *tiffFile) frame(at int64, b *budget) (picture, error) {
	p, err := f.page(at)
	if err != nil {
		return picture{}, err
	}
	if p.samples < int64(len(p.bits)) && p.photometric == photoRGB { // SamplesPerPixel is left out
		p.samples = int64(len(p.bits))
	}
	if feature := p.unsupported(); feature != "" {
		return picture{}, pdk.Unsupported(feature)
	}
	if p.samples < p.colorSamples() {
		return picture{}, pdk.Malformed("fewer samples than colours")
	}
	if err := b.size(p.width, p.height, p.samples); err != nil {
		return picture{}, err
	}
	if err := b.spend(p.width, p.height); err != nil {
		return picture{}, err
	}
	d := &tiffDecoder{tiffPage: p, f: f, alphaSample: int(p.alphaAt())}
	missing, err := d.decode(b)
	return picture{raster: d, orientation: p.orientation, partial: missing}, err
}

// unsupported names what the page needs and nobody here has.
func (p *tiffPage) unsupported() string {
	for _, n := range p.bits {
		if n != p.bits[0] {
			return "tiff with samples of different depth"
		}
	}
	switch p.bits[0] {
	case 1, 2, 4, 8, 16:
	default:
		return "tiff bit depth"
	}
	switch {
	case p.format != 1 && p.format != 4:
		return "tiff with signed or floating-point samples"
	case p.samples > maxSamples:
		return "tiff with many samples"
	case p.predictor > 2, p.predictor == 2 && p.bits[0] < 8:
		return "tiff predictor"
	case p.photometric == photoIndex && (p.bits[0] > 8 || p.samples > 1):
		return "tiff palette of this depth"
	case p.photometric == 8:
		return "tiff in Lab colours"
	case p.photometric > photoYCbCr || p.photometric == 4:
		return "tiff colour model"
	case p.photometric == photoYCbCr && p.compression != tiffJPEG && (p.subsampleX != 1 || p.subsampleY != 1 || p.bits[0] != 8):
		return "tiff with subsampled colours"
	}
	return p.unsupportedCoding()
}

func (p *tiffPage) unsupportedCoding() string {
	switch p.compression {
	case tiffNone, tiffLZW, tiffDeflate, tiffOldDeflate, tiffPackBits:
		return ""
	case tiffFax3, tiffFax4:
		switch {
		case p.bits[0] != 1 || p.samples != 1:
			return "tiff fax coding of more than one bit"
		case p.compression == tiffFax3 && p.faxOptions&1 != 0:
			return "tiff fax coding in two dimensions (group 3)"
		}
		return ""
	case tiffJPEG:
		if p.bits[0] != 8 {
			return "tiff with jpeg of 12 bits"
		}
		return ""
	case tiffHuffman:
		return "tiff fax coding without line ends"
	case tiffOldJPEG:
		return "tiff with old-style jpeg"
	}
	return "tiff compression"
}

// tiffDecoder holds a page's samples, 8 bits each, interleaved; it is the page's raster.
type tiffDecoder struct {
	*tiffPage
	f           *tiffFile
	pix         []byte
	table       *lut
	alphaSample int
	some        bool // a row was decoded
	missing     bool // a row was not
	line        []byte
}

// segment is one strip or tile: where its data lies and which pixels it holds.
type segment struct {
	span
	x, y, w, h int64 // w is what the data holds: a tile may reach over the page's edge
	plane      int64
}

const tiffMissing = "some of the pixel data is damaged or cut"

func (d *tiffDecoder) decode(b *budget) (missing string, err error) {
	if d.photometric == photoIndex {
		if d.table = d.palette(); d.table == nil {
			return "", pdk.Malformed("no colour table")
		}
	}
	segments, err := d.layout()
	if err != nil {
		return "", err
	}
	d.pix = make([]byte, d.width*d.height*d.samples)
	for _, s := range segments {
		if d.compression == tiffJPEG {
			err = d.jpegSegment(s, b)
		} else {
			d.segment(s)
		}
		if err != nil {
			return "", err
		}
	}
	switch {
	case !d.some:
		return "", pdk.Malformed("no pixels that can be decoded")
	case d.missing:
		return tiffMissing, nil
	}
	return "", nil
}

func (d *tiffDecoder) palette() *lut {
	n := int64(1) << d.bits[0]
	v := d.f.dir.uints(d.colors, 3*n)
	if int64(len(v)) < 3*n {
		return nil
	}
	var t lut
	shift := 8
	if all8(v) { // some writers put 8 bits where 16 belong
		shift = 0
	}
	for i := range n {
		t[i] = [4]byte{byte(v[i] >> shift), byte(v[n+i] >> shift), byte(v[2*n+i] >> shift), 0xff}
	}
	return &t
}

func all8(v []uint64) bool {
	for _, x := range v {
		if x > 0xff {
			return false
		}
	}
	return true
}

// maxLooseTile is the widest tile on a page that is narrower.
const maxLooseTile = 1024

// layout lists the strips or tiles.
func (d *tiffDecoder) layout() ([]segment, error) {
	w, h := d.width, min(d.rowsPerStrip, d.height)
	if d.tileW > 0 || d.tileH > 0 {
		// A tile may reach over the page's edge, but one that is mostly beyond it is work without pixels to show.
		if w, h = d.tileW, d.tileH; w <= 0 || h <= 0 || w > max(maxLooseTile, d.width+15) || h > 1<<16 {
			return nil, pdk.Malformed("tiles out of range")
		}
	}
	across, down, planes := (d.width+w-1)/w, (d.height+h-1)/h, int64(1)
	if d.planar {
		planes = d.samples
	}
	n := product(product(across, down), planes)
	if n > maxSegments {
		return nil, pdk.Malformed("too many strips or tiles")
	}
	offsets, counts := d.f.dir.uints(d.offsets, n), d.f.dir.uints(d.counts, n)
	if len(offsets) == 0 {
		return nil, pdk.Malformed("no strips or tiles")
	}
	out := make([]segment, min(n, int64(len(offsets))))
	d.missing = int64(len(out)) < n
	for i := range out {
		at := int64(i) % (across * down)
		s := &out[i]
		s.plane = int64(i) / (across * down)
		s.x, s.y, s.w = at%across*w, at/across*h, w
		s.h = min(h, d.height-s.y)
		s.off = int64(min(offsets[i], 1<<62))
		s.n = d.f.in.Size() - s.off // what is not told is up to the end
		if i < len(counts) && counts[i] > 0 {
			s.n = min(s.n, int64(min(counts[i], 1<<62)))
		}
	}
	return out, nil
}

// segment decodes the rows of s as far as they go.
func (d *tiffDecoder) segment(s segment) {
	if s.n <= 0 {
		d.missing = true
		return
	}
	r, err := d.unpacked(s)
	if err != nil {
		d.missing = true
		return
	}
	samples := d.samples
	if d.planar {
		samples = 1
	}
	row := make([]byte, (s.w*samples*int64(d.bits[0])+7)/8)
	for y := s.y; y < s.y+s.h; y++ {
		if _, err := io.ReadFull(r, row); err != nil {
			d.missing = true
			return
		}
		d.unpredict(row, int(samples))
		d.store(row, s, y, samples)
		d.some = true
	}
}

// unpacked returns the bytes of s without its compression.
func (d *tiffDecoder) unpacked(s segment) (io.Reader, error) {
	var raw io.Reader = io.NewSectionReader(d.f.in, s.off, s.n)
	fax := d.compression == tiffFax3 || d.compression == tiffFax4
	if d.lowBitFirst && !fax {
		raw = &bitReverser{raw}
	}
	switch d.compression {
	case tiffLZW:
		return lzw.NewReader(raw, lzw.MSB, 8), nil
	case tiffDeflate, tiffOldDeflate:
		return zlib.NewReader(raw)
	case tiffPackBits:
		return &packBits{r: bufio.NewReader(raw)}, nil
	case tiffFax3, tiffFax4:
		order, group := ccitt.MSB, ccitt.Group4
		if d.lowBitFirst {
			order = ccitt.LSB
		}
		if d.compression == tiffFax3 {
			group = ccitt.Group3
		}
		// White runs are zeros whatever the photometric interpretation makes of them; x/image/tiff inverts by it, which shows
		// files with black as zero the wrong way round.
		return ccitt.NewReader(raw, order, group, int(s.w), int(s.h), &ccitt.Options{Invert: true}), nil
	}
	return bufio.NewReader(raw), nil
}

// unpredict undoes horizontal differences (TIFF 6.0, section 14).
func (d *tiffDecoder) unpredict(row []byte, samples int) {
	switch c := d.compression; {
	case d.predictor != 2, c != tiffLZW && c != tiffDeflate && c != tiffOldDeflate:
	case d.bits[0] == 8:
		for i := samples; i < len(row); i++ {
			row[i] += row[i-samples]
		}
	case d.bits[0] == 16:
		order := d.f.dir.order
		for i := 2 * samples; i+2 <= len(row); i += 2 {
			order.PutUint16(row[i:], order.Uint16(row[i:])+order.Uint16(row[i-2*samples:]))
		}
	}
}

// store keeps one row of s as 8-bit samples; indices of a palette stay as they are.
func (d *tiffDecoder) store(row []byte, s segment, y, samples int64) {
	n := int(min(s.w, d.width-s.x) * samples)
	step := int(d.samples / samples) // planes are interleaved again
	out := d.pix[(y*d.width+s.x)*d.samples+s.plane:]
	bits := int(d.bits[0])
	switch bits {
	case 8:
		if step == 1 {
			copy(out[:n], row)
			return
		}
		for i := range n {
			out[i*step] = row[i]
		}
	case 16:
		high := 0
		if d.f.dir.order == binary.LittleEndian {
			high = 1
		}
		for i := range n {
			out[i*step] = row[2*i+high]
		}
	default:
		most := 1<<bits - 1
		scale := 255 / most
		if d.photometric == photoIndex {
			scale = 1
		}
		per := 8 / bits
		for i := range n {
			out[i*step] = byte(int(row[i/per]) >> (8 - bits - i%per*bits) & most * scale)
		}
	}
}

func (d *tiffDecoder) size() (int, int) { return int(d.width), int(d.height) }
func (d *tiffDecoder) opaque() bool     { return d.alphaSample < 0 }

func (d *tiffDecoder) row(y int, dst []byte) error {
	n := int(d.samples)
	src := d.pix[y*int(d.width)*n : (y+1)*int(d.width)*n]
	for i := range int(d.width) {
		s, t := src[i*n:(i+1)*n], dst[4*i:4*i+4:4*i+4]
		t[3] = 0xff
		switch d.photometric {
		case whiteIsZero:
			v := 255 - s[0]
			t[0], t[1], t[2] = v, v, v
		case blackIsZero:
			t[0], t[1], t[2] = s[0], s[0], s[0]
		case photoRGB:
			t[0], t[1], t[2] = s[0], s[1], s[2]
		case photoIndex:
			copy(t, d.table[s[0]][:])
		case photoCMYK:
			t[0], t[1], t[2] = color.CMYKToRGB(s[0], s[1], s[2], s[3])
		case photoYCbCr:
			t[0], t[1], t[2] = color.YCbCrToRGB(s[0], s[1], s[2])
		}
		if d.alphaSample >= 0 {
			t[3] = s[d.alphaSample]
		}
	}
	if d.alphaSample >= 0 && d.extra[d.alphaSample-int(d.colorSamples())] == 1 {
		copyRGBA(dst, dst) // associated alpha: the colours are premultiplied
	}
	return nil
}
