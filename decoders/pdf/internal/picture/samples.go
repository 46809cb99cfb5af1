package picture

import (
	"github.com/glovebox-wasm/glovebox/decoders/internal/ccitt"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// samples are the decoded samples of an image (8.9.3), and what they mean.
type samples struct {
	w, h, bits, n int // n components
	space         content.Space
	data          []byte
	stride        int         // bytes of a row in data
	decode        [][]float64 // of each component, for each value of a sample (of 16 bits: of its high byte)
	table         []color     // the same of one component, as colours
	gray          bool        // all of the table is gray
	plain         bool        // RGB of 8 bits, as it is
	inks          [][]byte    // of CMYK: how much light each leaves, for each value of a sample
	partial       string      // what is missing

	values []byte // of one row
	known  map[string]color
}

// open decodes the data of an image and reads what they mean.
func (p *Picture) open(l *Limits) (*samples, error) {
	if err := l.decode(p.Width, p.Height); err != nil {
		return nil, err
	}
	s := &samples{w: int(p.Width), h: int(p.Height), bits: p.bits()}
	space, limits, ok := p.space(1)
	if !ok {
		return nil, pdk.Unsupported("pictures in this colour space")
	}
	s.space, s.n = space, space.Components()
	s.stride = (s.w*s.bits*s.n + 7) / 8
	if n := int64(s.stride) * p.Height; n > maxSamples {
		return nil, pdk.OverLimit(readapi.CodeLimitMemory, "picture_bytes", maxSamples, n)
	}
	if err := p.fill(s, l); err != nil {
		return nil, err
	}
	p.dict.File().Work(s.w*s.h/workPixels + s.h)
	s.prepare(limits, numbers(p.dict.Key("Decode")))
	return s, nil
}

// workPixels is how many pixels are converted for a unit of work.
const workPixels = 32

// bits is the depth of a sample.
func (p *Picture) bits() int {
	if p.Stencil || p.codec == "CCITTFaxDecode" {
		return 1
	}
	switch n := number(p.dict, "BitsPerComponent", 8); n {
	case 1, 2, 4, 8, 16:
		return n
	}
	return 8
}

const partDamaged = "some of the pixel data is damaged or cut"

// fill decodes the data.
func (p *Picture) fill(s *samples, l *Limits) error {
	limit := maxEncoded
	if p.codec == "" {
		limit = (s.stride+1)*s.h + 1024 // a predictor takes a byte of each row
	}
	data, filter, parms, _ := p.encoded(limit) // what is missing is counted
	switch filter {
	case "":
		s.data = data
	case "CCITTFaxDecode":
		return p.fax(s, data, parms, l)
	default:
		return pdk.Unsupported("pictures with a filter that nobody knows")
	}
	if len(data) < s.stride*s.h {
		s.partial = partDamaged
	}
	if len(data) == 0 {
		return pdk.Malformed("a picture without pixels")
	}
	return nil
}

// encoded returns the data up to a picture's own codec.
func (p *Picture) encoded(limit int) (data []byte, filter string, parms object.Node, err error) {
	if p.inline {
		return p.dict.Decode(p.raw, limit)
	}
	return p.dict.Encoded(limit)
}

// fax decodes fax data (7.4.6).
func (p *Picture) fax(s *samples, data []byte, parms object.Node, l *Limits) error {
	f := ccitt.Params{
		K: number(parms, "K", 0), Columns: number(parms, "Columns", 1728),
		ByteAlign: flag(parms, "EncodedByteAlign", false), EndOfBlock: flag(parms, "EndOfBlock", true),
	}
	if err := l.size(int64(f.Columns), p.Height); err != nil {
		return err
	}
	p.dict.File().Work(len(data) / 2)
	rows, damaged := ccitt.Decode(data, f, s.h)
	if len(rows) == 0 {
		return pdk.Malformed("fax data without a row")
	}
	if !flag(parms, "BlackIs1", false) {
		for i := range rows {
			rows[i] = ^rows[i]
		}
	}
	s.data, s.stride = rows, (f.Columns+7)/8
	if damaged || len(rows) < s.stride*s.h {
		s.partial = partDamaged
	}
	return nil
}

// prepare makes the tables of the Decode array d, limits where it says nothing (8.9.5.2).
func (s *samples) prepare(limits, d []float64) {
	levels := 1 << min(s.bits, 8)
	asIs := true
	for k := range s.n {
		lo, hi := at(limits, 2*k, 0), at(limits, 2*k+1, 1)
		from, to := at(d, 2*k, lo), at(d, 2*k+1, hi)
		asIs = asIs && from == lo && to == hi
		row := make([]float64, levels)
		for v := range row {
			row[v] = from + float64(v)*(to-from)/float64(levels-1)
		}
		s.decode = append(s.decode, row)
	}
	s.plain = asIs && s.space.RGB() && s.bits >= 8
	if s.space.CMYK() {
		for _, row := range s.decode {
			light := make([]byte, len(row))
			for i, v := range row {
				light[i] = byte((1-max(0, min(1, v)))*255 + 0.5)
			}
			s.inks = append(s.inks, light)
		}
	}
	if s.n == 1 {
		s.gray = true
		for _, v := range s.decode[0] {
			c := color(s.space.Color([]float64{v}))
			s.table, s.gray = append(s.table, c), s.gray && c.gray()
		}
	}
}

// bilevel reports whether all that the samples can be is black and white, and which value is black.
func (s *samples) bilevel() (blackIs int, ok bool) {
	switch {
	case s.bits != 1 || s.n != 1:
	case s.table[0] == black && s.table[1] == white:
		return 0, true
	case s.table[0] == white && s.table[1] == black:
		return 1, true
	}
	return 0, false
}

// row returns the bytes of a row, fewer where they are missing.
func (s *samples) row(y int) []byte {
	from := min(y*s.stride, len(s.data))
	return s.data[from:min(from+s.stride, len(s.data))]
}

// unpacked returns the samples of a row, those of 16 bits by their high byte, as far as there are any.
func (s *samples) unpacked(y int) []byte {
	row, n := s.row(y), s.w*s.n
	if s.bits == 8 {
		return row[:min(n, len(row))]
	}
	if s.values == nil {
		s.values = make([]byte, n)
	}
	if n = min(n, 8*len(row)/s.bits); s.bits == 16 {
		for i := range n {
			s.values[i] = row[2*i]
		}
		return s.values[:n]
	}
	per, mask := 8/s.bits, byte(1<<s.bits-1)
	for i := range n {
		s.values[i] = row[i/per] >> (8 - s.bits - i%per*s.bits) & mask
	}
	return s.values[:n]
}

// rgb writes the colours of a row, white where they are missing.
func (s *samples) rgb(y int, dst []byte) {
	v := s.unpacked(y)
	n := len(v) / s.n
	whiten(dst[3*n:])
	switch {
	case s.plain:
		copy(dst, v[:3*n])
	case s.table != nil:
		for i, v := range v {
			copy(dst[3*i:3*i+3], s.table[v][:])
		}
	case s.inks != nil:
		for i := range n {
			px, to := v[4*i:4*i+4], dst[3*i:3*i+3]
			k := int(s.inks[3][px[3]])
			for c := range to {
				to[c] = byte((int(s.inks[c][px[c]])*k + 127) / 255)
			}
		}
	default:
		s.convert(v[:n*s.n], dst)
	}
}

// maxKnown bounds the colours that are remembered; pictures use few of those that cost the most, which are inks.
const maxKnown = 1 << 15

// convert writes the colours of pixels of several components, each colour made once.
func (s *samples) convert(v, dst []byte) {
	if s.known == nil || len(s.known) > maxKnown {
		s.known = map[string]color{}
	}
	in := make([]float64, s.n)
	for i := 0; i < len(v); i += s.n {
		px, to := v[i:i+s.n], dst[i/s.n*3:][:3]
		if i > 0 && string(px) == string(v[i-s.n:i]) {
			copy(to, dst[i/s.n*3-3:])
			continue
		}
		c, ok := s.known[string(px)]
		if !ok {
			for k := range in {
				in[k] = s.decode[k][px[k]]
			}
			c = s.space.Color(in)
			s.known[string(px)] = c
		}
		copy(to, c[:])
	}
}

// grays writes a row of samples whose colours are all gray.
func (s *samples) grays(y int, dst []byte) {
	v := s.unpacked(y)
	whiten(dst[len(v):s.w])
	for i, v := range v {
		dst[i] = s.table[v][0]
	}
}

func whiten(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}
