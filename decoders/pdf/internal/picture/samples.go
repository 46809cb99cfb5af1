package picture

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/picture/ccitt"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// samples are the decoded samples of an image (8.9.3), and what they mean.
type samples struct {
	w, h, bits int
	space      *space
	data       []byte
	stride     int         // bytes of a row in data
	decode     [][]float64 // of each component, for each value of a sample (of 16 bits: of its high byte)
	table      []color     // the same of one component, as colours
	plain      bool        // RGB of 8 bits, as it is
	partial    string      // what is missing

	values []byte // of one row
}

// open decodes the data of an image and reads what they mean.
func (p *Picture) open(l Limits) (*samples, error) {
	if err := l.size(p.Width, p.Height); err != nil {
		return nil, err
	}
	if err := l.spend(p.Width, p.Height); err != nil {
		return nil, err
	}
	s := &samples{w: int(p.Width), h: int(p.Height), bits: p.bits()}
	if s.space = p.space(0); s.space == nil {
		return nil, pdk.Unsupported("pictures in this colour space")
	}
	s.stride = (s.w*s.bits*s.space.n + 7) / 8
	if n := int64(s.stride) * p.Height; n > maxSamples {
		return nil, pdk.OverLimit(readapi.CodeLimitMemory, "picture_bytes", maxSamples, n)
	}
	if err := p.fill(s, l); err != nil {
		return nil, err
	}
	p.dict.File().Work(s.w*s.h/workPixels + s.h)
	s.prepare(numbers(p.dict.Key("Decode")))
	return s, nil
}

// workPixels is how many pixels are converted for a unit of work.
const workPixels = 32

// bits is the depth of a sample.
func (p *Picture) bits() int {
	if p.Stencil || p.codec == "CCITTFaxDecode" {
		return 1
	}
	switch n := p.dict.Key("BitsPerComponent").Int(); n {
	case 1, 2, 4, 8, 16:
		return n
	}
	return 8
}

// space returns the colour space; what names none, or one that makes no sense, is of the device space with def components.
func (p *Picture) space(def int) *space {
	if p.Stencil {
		return graySpace
	}
	n := p.dict.Key("ColorSpace")
	s := newSpace(n, 0)
	if s == nil && n.Null() {
		return deviceSpace(max(1, def))
	}
	if s != nil && p.codec == "CCITTFaxDecode" && s.n != 1 {
		return graySpace
	}
	return s
}

const (
	partDamaged = "some of the pixel data is damaged or cut"
	partLimit   = "the pixel data is larger than the limit"
)

// fill decodes the data.
func (p *Picture) fill(s *samples, l Limits) error {
	limit := maxEncoded
	if p.codec == "" {
		limit = (s.stride+1)*s.h + 1024 // a predictor takes a byte of each row
	}
	data, filter, parms, err := p.encoded(limit)
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
	_ = err // what is missing was counted
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
func (p *Picture) fax(s *samples, data []byte, parms object.Node, l Limits) error {
	f := ccitt.Params{K: parms.Key("K").Int(), Columns: parms.Key("Columns").Int(), ByteAlign: parms.Key("EncodedByteAlign").Bool()}
	f.EndOfBlock = parms.Key("EndOfBlock").Null() || parms.Key("EndOfBlock").Bool()
	if parms.Key("Columns").Null() {
		f.Columns = 1728
	}
	if err := l.size(int64(f.Columns), p.Height); err != nil {
		return err
	}
	p.dict.File().Work(len(data) / 2)
	rows, damaged := ccitt.Decode(data, f, s.h)
	if len(rows) == 0 {
		return pdk.Malformed("fax data without a row")
	}
	if !parms.Key("BlackIs1").Bool() {
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

// prepare makes the tables of the Decode array d (8.9.5.2).
func (s *samples) prepare(d []float64) {
	levels := 1 << min(s.bits, 8)
	asIs := true
	for k := range s.space.n {
		lo, hi := s.space.limit(k)
		if s.space.index > 0 {
			lo, hi = 0, float64(levels-1)
		}
		from, to := at(d, 2*k, lo), at(d, 2*k+1, hi)
		asIs = asIs && from == lo && to == hi
		row := make([]float64, levels)
		for v := range row {
			row[v] = from + float64(v)*(to-from)/float64(levels-1)
		}
		s.decode = append(s.decode, row)
	}
	s.plain = asIs && s.space == rgbSpace && s.bits >= 8
	if s.space.n == 1 {
		for _, v := range s.decode[0] {
			s.table = append(s.table, s.space.color([]float64{v}))
		}
	}
}

// bilevel reports whether all that the samples can be is black and white, and which value is black.
func (s *samples) bilevel() (blackIs int, ok bool) {
	if s.bits != 1 || s.space.n != 1 {
		return 0, false
	}
	switch {
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
	row, n := s.row(y), s.w*s.space.n
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
	n := len(v) / s.space.n
	whiten(dst[3*n:])
	switch {
	case s.plain:
		copy(dst, v[:3*n])
	case s.table != nil:
		for i, v := range v {
			copy(dst[3*i:3*i+3], s.table[v][:])
		}
	default:
		s.convert(v[:n*s.space.n], dst)
	}
}

// convert writes the colours of pixels of several components. Neighbours are often the same.
func (s *samples) convert(v, dst []byte) {
	n := s.space.n
	in := make([]float64, n)
	var last color
	for i := 0; i < len(v); i += n {
		if i == 0 || string(v[i:i+n]) != string(v[i-n:i]) {
			for k := range in {
				in[k] = s.decode[k][v[i+k]]
			}
			last = s.space.color(in)
		}
		copy(dst[i/n*3:i/n*3+3], last[:])
	}
}

// gray writes a row of samples whose colours are all gray.
func (s *samples) gray(y int, dst []byte) {
	if s.table == nil {
		rgb := make([]byte, 3*s.w)
		s.rgb(y, rgb)
		for i := range dst[:s.w] {
			dst[i] = rgb[3*i]
		}
		return
	}
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
