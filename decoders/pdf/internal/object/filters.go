package object

import (
	"bytes"
	"errors"
)

// Why the data of a stream is not whole.
var (
	ErrFilter  = errors.New("pdf: a filter that is not decoded")
	ErrDamaged = errors.New("pdf: stream data is damaged")
	ErrBudget  = errors.New("pdf: over the budget of decoded bytes")
)

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
