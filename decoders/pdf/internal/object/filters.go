package object

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
)

// Why the data of a stream is not whole.
var (
	ErrFilter  = errors.New("pdf: a filter that is not decoded")
	ErrDamaged = errors.New("pdf: stream data is damaged")
	ErrBudget  = errors.New("pdf: over the budget of decoded bytes")
)

// inflater decompresses Flate data; its tables are kept between streams.
type inflater struct{ r io.ReadCloser }

// step is one filter of a stream by its full name, with its parameters.
type step struct {
	name string
	parm Node
}

// fullNames are the abbreviations of filters (ISO 32000-1, table 94), which are met outside inline images too.
var fullNames = map[string]string{
	"AHx": "ASCIIHexDecode", "A85": "ASCII85Decode", "LZW": "LZWDecode", "Fl": "FlateDecode", "RL": "RunLengthDecode", "CCF": "CCITTFaxDecode",
	"DCT": "DCTDecode",
}

// steps returns the filters of a stream or of an inline image in the order in which they are undone (7.4, 8.9.7).
func (n Node) steps() []step {
	filter, parms := n.Key("Filter"), n.Key("DecodeParms")
	if filter.Null() && n.Key("F").filters() {
		filter = n.Key("F")
	}
	if parms.Null() {
		parms = n.Key("DP")
	}
	if filter.Is(Name) {
		if parms.Is(Array) {
			parms = parms.Index(0)
		}
		return []step{{fullName(filter), parms}}
	}
	var out []step
	for i := range min(filter.Len(), maxFilters+1) {
		parm := parms.Index(i)
		if parms.Is(Dict) && filter.Len() == 1 {
			parm = parms
		}
		if name := filter.Index(i); name.Is(Name) {
			out = append(out, step{fullName(name), parm})
		}
	}
	return out
}

// filters reports whether n can be the value of Filter: F is a file specification in a stream and Filter's abbreviation in an inline image.
func (n Node) filters() bool { return n.Is(Name) || n.Index(0).Is(Name) }

func fullName(n Node) string {
	if full, ok := fullNames[n.Name()]; ok {
		return full
	}
	return n.Name()
}

// maxFilters bounds the chain of filters on one stream; real files use two at most.
const maxFilters = 8

// decode undoes the filters of raw as n names them, up to the first that is not for text. It returns that filter's name, "" if there is
// none. With an error (ErrDamaged, ErrBudget: more than limit bytes) the data are what was decoded before it.
func (n Node) decode(raw []byte, limit int) (data []byte, filter string, parms Node, err error) {
	steps := n.steps()
	if len(steps) > maxFilters {
		return nil, steps[0].name, Node{}, ErrFilter
	}
	data = raw
	for _, s := range steps {
		out, failed := n.f.undo(s, data, limit)
		if errors.Is(failed, ErrFilter) {
			return data, s.name, s.parm, err
		}
		if failed != nil {
			err = failed
		}
		data = out
	}
	return data, "", Node{}, err
}

// undo undoes one filter.
func (f *File) undo(s step, src []byte, limit int) (out []byte, err error) {
	switch s.name {
	case "FlateDecode":
		out, err = f.inflater.inflate(src, limit)
		return predict(out, s.parm), err
	case "LZWDecode":
		early := s.parm.Key("EarlyChange")
		out, err = lzw(src, !early.Is(Number) || early.Num() != 0, limit)
		return predict(out, s.parm), err
	case "ASCIIHexDecode":
		if i := bytes.IndexByte(src, '>'); i >= 0 {
			src = src[:i]
		}
		return AppendHex(make([]byte, 0, len(src)/2+1), src), nil
	case "ASCII85Decode":
		return ascii85(src), nil
	case "RunLengthDecode":
		return runLength(src, limit)
	case "Crypt":
		return src, nil // the crypt filter was applied before
	}
	return nil, ErrFilter
}

// inflate reads zlib data, and bare deflate data where the header is missing. Checksums are not looked at: a reader wants the text.
func (in *inflater) inflate(src []byte, limit int) ([]byte, error) {
	for len(src) > 0 && IsSpace(src[0]) { // an end of line too many behind "stream"
		src = src[1:]
	}
	if len(src) == 0 {
		return nil, nil
	}
	body := src
	if len(src) >= 2 && src[0]&0x0f == 8 && (int(src[0])<<8|int(src[1]))%31 == 0 {
		body = src[2:]
	}
	out, err := in.read(body, limit)
	if err != nil && len(out) == 0 && len(body) == len(src) && len(src) > 2 {
		return in.read(src[2:], limit) // a damaged header
	}
	return out, err
}

func (in *inflater) read(src []byte, limit int) ([]byte, error) {
	rd := bytes.NewReader(src)
	if in.r == nil {
		in.r = flate.NewReader(rd)
	} else if err := in.r.(flate.Resetter).Reset(rd, nil); err != nil {
		return nil, ErrDamaged
	}
	out := make([]byte, 0, min(limit, max(512, 4*len(src))))
	for {
		if len(out) == cap(out) {
			out = append(out, 0)[:len(out)]
		}
		n, err := in.r.Read(out[len(out):cap(out)])
		out = out[:len(out)+n]
		switch {
		case len(out) > limit:
			return out[:limit], ErrBudget
		case err == io.EOF:
			return out, nil
		case err != nil:
			return out, ErrDamaged
		}
	}
}

// lzw decodes LZW data (7.4.4); early is the EarlyChange parameter.
func lzw(src []byte, early bool, limit int) ([]byte, error) {
	const clear, end, first = 256, 257, 258
	var prefix [4096]uint16 // of code i: the code before its last byte
	var last, head [4096]byte
	var size [4096]uint16
	for i := range 256 {
		last[i], head[i], size[i] = byte(i), byte(i), 1
	}
	next, width, shift := first, 9, 0
	if early {
		shift = 1
	}
	out := make([]byte, 0, min(limit, 4*len(src)))
	var acc uint32
	bits, prev := 0, -1
	for _, c := range src {
		acc = acc<<8 | uint32(c)
		if bits += 8; bits < width {
			continue
		}
		bits -= width
		code := int(acc>>bits) & (1<<width - 1)
		switch {
		case code == end:
			return out, nil
		case code == clear:
			next, width, prev = first, 9, -1
			continue
		case prev < 0 && code > 255, code > next || (code == next && prev < 0):
			return out, ErrDamaged
		}
		if prev >= 0 && next < 4096 {
			prefix[next], head[next], size[next] = uint16(prev), head[prev], size[prev]+1
			last[next] = head[code]
			if code == next {
				last[next] = head[prev]
			}
			next++
		} else if code >= next {
			return out, ErrDamaged
		}
		n := int(size[code])
		if len(out)+n > limit {
			return out, ErrBudget
		}
		at := len(out) + n
		out = append(out, make([]byte, n)...)
		for k := code; n > 0; n-- {
			at--
			out[at] = last[k]
			k = int(prefix[k])
		}
		prev = code
		if next+shift >= 1<<width && width < 12 {
			width++
		}
	}
	return out, nil
}

// ascii85 decodes base-85 data (7.4.3); characters that do not belong there are skipped.
func ascii85(src []byte) []byte {
	out := make([]byte, 0, len(src)*4/5+4)
	var v uint32
	n := 0
	for _, c := range src {
		switch {
		case c == '~':
			goto done
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			v = v*85 + uint32(c-'!')
			if n++; n == 5 {
				out = append(out, byte(v>>24), byte(v>>16), byte(v>>8), byte(v))
				v, n = 0, 0
			}
		}
	}
done:
	if n > 1 {
		for range 5 - n {
			v = v*85 + 84
		}
		for i := range n - 1 {
			out = append(out, byte(v>>(24-8*i)))
		}
	}
	return out
}

// runLength decodes run-length data (7.4.5).
func runLength(src []byte, limit int) ([]byte, error) {
	var out []byte
	for len(src) > 0 {
		n := int(src[0])
		src = src[1:]
		switch {
		case n == 128:
			return out, nil
		case n < 128:
			n = min(n+1, len(src))
			out = append(out, src[:n]...)
			src = src[n:]
		case len(src) > 0:
			out = append(out, bytes.Repeat(src[:1], 257-n)...)
			src = src[1:]
		}
		if len(out) > limit {
			return out[:limit], ErrBudget
		}
	}
	return out, nil
}

// predict undoes the predictor of Flate and LZW data (7.4.4.4).
func predict(data []byte, parms Node) []byte {
	number := func(key string, def int) int {
		if n := parms.Key(key).Int(); n >= 1 && n <= 1<<20 {
			return n
		}
		return def
	}
	predictor := number("Predictor", 1)
	if predictor == 1 {
		return data
	}
	colors, bits := min(number("Colors", 1), 64), min(number("BitsPerComponent", 8), 16)
	row := (number("Columns", 1)*colors*bits + 7) / 8
	pixel := (colors*bits + 7) / 8
	if predictor == 2 {
		if bits == 8 {
			for line := data; len(line) >= row && row > 0; line = line[row:] {
				for i := pixel; i < row; i++ {
					line[i] += line[i-pixel]
				}
			}
		}
		return data
	}
	return pngRows(data, row, pixel)
}

// pngRows undoes PNG prediction in place: each row is preceded by the number of its filter (PNG specification, 9).
func pngRows(data []byte, row, pixel int) []byte {
	out := data[:0]
	prev := make([]byte, min(row, len(data)))
	for len(data) > 1 {
		kind := data[0]
		cur := data[1:min(1+row, len(data))]
		data = data[1+len(cur):]
		for i := range cur {
			var left, corner byte
			if i >= pixel {
				left, corner = cur[i-pixel], prev[i-pixel]
			}
			switch kind {
			case 1:
				cur[i] += left
			case 2:
				cur[i] += prev[i]
			case 3:
				cur[i] += byte((int(left) + int(prev[i])) / 2)
			case 4:
				cur[i] += paeth(left, prev[i], corner)
			}
		}
		copy(prev, cur)
		out = append(out, cur...)
	}
	return out
}

func paeth(a, b, c byte) byte {
	pa, pb, pc := int(b)-int(c), int(a)-int(c), int(a)+int(b)-2*int(c)
	pa, pb, pc = max(pa, -pa), max(pb, -pb), max(pc, -pc)
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}
	return c
}
