package image

import (
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/icc"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// frame decodes page at.
func (f *tiffFile) frame(at int64, b *budget) (picture, error) {
	p, err := f.page(at)
	if err != nil {
		return picture{}, err
	}
	if feature := p.unsupported(); feature != "" {
		return picture{}, pdk.Unsupported(feature)
	}
	if p.samples < p.colorSamples() {
		return picture{}, pdk.Malformed("fewer samples than colours")
	}
	if err := b.size(p.width, p.height, p.samples*p.bytesPerSample()); err != nil {
		return picture{}, err
	}
	if err := b.spend(p.width, p.height); err != nil {
		return picture{}, err
	}
	d := &tiffDecoder{tiffPage: p, f: f, alphaSample: int(p.alphaAt()), readable: readableTimes * f.in.Size()}
	missing, err := d.decode(b)
	out := picture{raster: d, orientation: p.orientation, partial: missing}
	if p.profile.pieces != nil {
		out.profile = p.profile
		switch p.photometric {
		case whiteIsZero, blackIsZero:
			out.profile.model = icc.Gray
		case photoRGB, photoIndex, photoYCbCr:
			out.profile.model = icc.RGB
		case photoCMYK:
			out.profile.model = icc.CMYK
		default: // colours that need no profile
			out.profile = profileSource{}
		}
	}
	return out, err
}

// tiffDecoder holds a page's samples, 8 bits each, interleaved; it is the page's raster.
type tiffDecoder struct {
	*tiffPage
	f           *tiffFile
	pix         []byte
	wide        []float32 // instead, of floating-point samples
	table       *lut
	ycc         *yccTables
	lab         *icc.LabRows
	alphaSample int
	some        bool  // a row was decoded
	missing     bool  // a row was not
	readable    int64 // bytes of strips and tiles that may still be read at once
}

// readableTimes bounds how much of a file is read for strips and tiles that are read as a whole, in sizes of the file: they may overlap.
const readableTimes = 8

// segment is one strip or tile: where its data lies and which pixels it holds.
type segment struct {
	span
	x, y, w, h int64 // w is what the data holds: a tile may reach over the page's edge
	plane      int64
}

const tiffMissing = "some of the pixel data is damaged or cut"

func (d *tiffDecoder) decode(b *budget) (missing string, err error) {
	if err := d.prepare(); err != nil {
		return "", err
	}
	segments, err := d.layout()
	if err != nil {
		return "", err
	}
	n := d.width * d.height * d.samples
	if d.isFloat() {
		d.wide = make([]float32, n)
	} else {
		d.pix = make([]byte, n)
	}
	for _, s := range segments {
		switch d.compression {
		case tiffJPEG:
			err = d.jpegSegment(s, b)
		case tiffWebP:
			err = d.webpSegment(s, b)
		case tiffOldJPEG:
			err = d.oldJPEGSegment(s, b)
		default:
			err = d.segment(s)
		}
		if err != nil {
			return "", err
		}
	}
	switch {
	case !d.some:
		return "", pdk.Malformed("no pixels that can be decoded")
	case d.isFloat():
		if err := d.findScale(); err != nil {
			return "", err
		}
	}
	if d.samples == 1 && d.photometric == whiteIsZero {
		for i, v := range d.pix {
			d.pix[i] = ^v
		}
		d.photometric = blackIsZero
	}
	if d.missing {
		return tiffMissing, nil
	}
	return "", nil
}

// prepare makes the tables that the colours of the page take.
func (d *tiffDecoder) prepare() error {
	switch d.photometric {
	case photoIndex:
		if d.table = d.palette(); d.table == nil {
			return pdk.Malformed("no colour table")
		}
	case photoYCbCr:
		d.ycc = newYCC(d.f.dir, d.tiffPage)
	case photoLab, photoICCLab:
		d.lab = icc.NewLab()
	}
	return nil
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
	planes := int64(1)
	if d.planar {
		planes = d.samples
	}
	if d.tileW > 0 || d.tileH > 0 {
		// A tile may reach over the page's edge, but one that is mostly beyond it is work without pixels to show.
		if w, h = d.tileW, d.tileH; w <= 0 || h <= 0 || w > max(maxLooseTile, d.width+15) || h > 1<<16 {
			return nil, pdk.Malformed("tiles out of range")
		}
	} else if int64(d.offsets.count) == planes { // one strip has all rows, whatever is said of them
		h = d.height
	}
	across, down := (d.width+w-1)/w, (d.height+h-1)/h
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
		s.n = d.f.in.Size() - s.off // what is not told is up to the end, or to where the next begins
		switch {
		case i < len(counts) && counts[i] > 0 && !(len(out) == 1 && d.compression == tiffNone):
			s.n = min(s.n, int64(min(counts[i], 1<<62)))
		case i+1 < len(offsets) && offsets[i+1] > offsets[i]:
			s.n = min(s.n, int64(min(offsets[i+1]-offsets[i], 1<<62)))
		}
	}
	return out, nil
}

// whole returns the data of s, nil when there is none or too much was read already.
func (d *tiffDecoder) whole(s segment) []byte {
	if s.n <= 0 || s.n > d.readable {
		return nil
	}
	d.readable -= s.n
	return readUpTo(d.f.in, s.off, s.n)
}
