package image

import (
	"github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// frame makes the picture ready. Of a picture in one scan nothing is decoded before its rows are asked for.
func (f *jpegFile) frame(_ int64, b *budget) (picture, error) {
	d, err := f.decoder(b)
	if err != nil {
		return picture{}, err
	}
	r := &jpegRaster{dec: d, w: int(f.width), h: int(f.height)}
	return picture{raster: r, orientation: f.orientation}, nil
}

// decoder opens the file and, after the budget has agreed, reads what has to be read before the first row.
func (f *jpegFile) decoder(b *budget) (*jpeg.Decoder, error) {
	d, err := jpeg.Open(f.in, f.in.Size(), nil)
	if err != nil {
		return nil, err
	}
	if feature := d.Frame.Unsupported(); feature != "" {
		return nil, pdk.Unsupported(feature)
	}
	if err := b.size(f.width, f.height, 1); err != nil {
		return nil, err
	}
	if d.Frame.Progressive() {
		if n := d.CountScans(); n > jpeg.MaxScans {
			return nil, pdk.OverLimit(readapi.CodeLimitFuel, "max_scans", jpeg.MaxScans, n)
		}
	}
	n, err := d.Bytes()
	if err != nil {
		return nil, err
	}
	if n += f.held; n > maxPixelBytes {
		return nil, pdk.OverLimit(readapi.CodeLimitMemory, "pixel_bytes", maxPixelBytes, n)
	}
	if err := b.spend(f.width, f.height); err != nil {
		return nil, err
	}
	return d, d.Start()
}

// jpegRaster gives the rows of a JPEG as they are decoded, from the first one again if need be.
type jpegRaster struct {
	dec  *jpeg.Decoder
	w, h int
	read bool // rows were given
}

func (r *jpegRaster) size() (int, int) { return r.w, r.h }
func (r *jpegRaster) opaque() bool     { return true }

func (r *jpegRaster) row(y int, dst []byte) error {
	if y == 0 {
		r.rewind()
	}
	r.dec.Row(dst)
	return nil
}

func (r *jpegRaster) rewind() {
	if r.read {
		r.dec.Rewind()
	}
	r.read = true
}

// inks gives row y of four inks: 255 is all of one.
func (r *jpegRaster) inks(y int, dst []byte) (alpha []byte, err error) {
	if y == 0 {
		r.rewind()
	}
	r.dec.Inks(dst)
	return nil, nil
}

// missing says what the picture lacks, when its last row was given.
func (r *jpegRaster) missing() (string, error) { return r.dec.Missing() }

// idle reports whether a picture is of a JPEG that holds coded data of no pixel. It is asked when what is missing was.
func idle(p picture) bool {
	r, ok := p.raster.(*jpegRaster)
	return ok && r.dec.Idle()
}

// maxHalvings is how often a component can be halved while it is decoded: a block becomes one sample.
const maxHalvings = 3

// shrunk is the picture at tw by th, which is smaller than it is.
func (r *jpegRaster) shrunk(tw, th int) *nrgba {
	if parts := r.planesOf(tw, th, false); parts != nil {
		return colored(parts)
	}
	shift := uint(0)
	for shift < maxHalvings && r.w>>(shift+1) >= tw && r.h>>(shift+1) >= th {
		shift++
	}
	r.rewind()
	for c := range r.dec.Frame.Components {
		r.dec.Shrink(c, shift)
	}
	w, h := r.dec.RowSize()
	m, _ := shrink(&reducedJPEG{r.dec, w, h}, tw, th)
	return m
}

// reducedJPEG is a JPEG that is halved while it is decoded.
type reducedJPEG struct {
	dec  *jpeg.Decoder
	w, h int
}

func (r *reducedJPEG) size() (int, int) { return r.w, r.h }
func (r *reducedJPEG) opaque() bool     { return true }
func (r *reducedJPEG) row(_ int, dst []byte) error {
	r.dec.Row(dst)
	return nil
}

// colored makes pixels of luma, or of luma and chroma of the same size.
func colored(parts []plane) *nrgba {
	m := newNRGBA(parts[0].w, parts[0].h)
	m.solid = true
	for y := range m.h {
		dst := m.pix[4*m.w*y : 4*m.w*(y+1)]
		line := func(c int) []byte { return parts[c].pix[y*parts[c].stride:][:m.w] }
		if len(parts) == 1 {
			copyGray(dst, line(0), 1)
		} else {
			jpeg.Convert(dst, line(0), line(1), line(2))
		}
	}
	return m
}

// planesAt decodes to luma of tw by th and chroma of half that, or luma alone; nil where the components are something else.
func (r *jpegRaster) planesAt(tw, th int) []plane { return r.planesOf(tw, th, true) }

// planesOf is planesAt; chroma is as large as luma where it is not halved.
func (r *jpegRaster) planesOf(tw, th int, halved bool) []plane {
	colors := r.dec.Colors()
	if colors != jpeg.Gray && colors != jpeg.YCbCr {
		return nil
	}
	r.rewind()
	out := make([]plane, r.dec.Frame.Components)
	shrinkers := make([]planeShrinker, len(out))
	for c := range out {
		out[c] = plane{make([]byte, tw*th), tw, tw, th}
		x, y := ratio{r.w, tw}, ratio{r.h, th} // source samples for one of the target
		if c > 0 && halved {
			cw, ch := (tw+1)/2, (th+1)/2
			out[c] = plane{make([]byte, cw*ch), cw, cw, ch}
			x.n, y.n = 2*x.n, 2*y.n
		}
		h, hmax, v, vmax := r.dec.Sampling(c)
		x, y = ratio{x.n * h, x.d * hmax}, ratio{y.n * v, y.d * vmax}
		shift := uint(0)
		for shift < maxHalvings && x.n >= 2*x.d && y.n >= 2*y.d {
			x.d, y.d = 2*x.d, 2*y.d
			shift++
		}
		r.dec.Shrink(c, shift)
		w, h := r.dec.Size(c)
		shrinkers[c].start(w, h, x, y, out[c])
	}
	r.dec.Planes(func(c, _ int, row []byte) { shrinkers[c].push(row) })
	return out
}

// lacking is a raster that knows what it lacks when its last row was given.
type lacking interface{ missing() (string, error) }

// lackOf returns what tells, in the end, what a picture lacks.
func lackOf(p picture) func() (string, error) {
	if r, ok := p.raster.(lacking); ok {
		return r.missing
	}
	return func() (string, error) { return p.partial, nil }
}

// jpegSamples is a JPEG within another file, which says what its components are.
type jpegSamples struct {
	*jpegFile
	count int
	ycck  bool // its inks are luma, chroma and black
}

func openJPEGSamples(in readapi.Input) (*jpegSamples, error) {
	f, err := openJPEG(in)
	if err != nil {
		return nil, err
	}
	d, err := jpeg.Open(in, in.Size(), nil)
	if err != nil {
		return nil, err
	}
	m := &jpegSamples{jpegFile: f.(*jpegFile), count: d.Frame.Components, ycck: d.Colors() == jpeg.YCCK}
	m.raw = true
	return m, nil
}

// components is how many samples a pixel has.
func (m *jpegSamples) components() int { return m.count }

// samples decodes and gives the first rows: every component of each pixel as it is coded, a byte each. lack says what is missing. The budget
// is asked first, but not for the pixels, which the caller counts.
func (m *jpegSamples) samples(b *budget, rows int, visit func(y int, row []byte)) (lack string, err error) {
	defer recovered(&err)
	free := *b
	d, err := m.decoder(&free)
	if err != nil {
		return "", err
	}
	row := make([]byte, m.count*int(m.width))
	for y := range int(m.height) {
		d.Samples(row)
		if y < rows {
			visit(y, row)
		}
	}
	return d.Missing()
}
