package abi

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// The encoder of this file is for guests: encoding/json, and the reflection that it stands on, would be a tenth of a decoder's module. What
// it writes is what encoding/json writes without HTML escapes, byte for byte.

// Appender is a value that writes itself as JSON.
type Appender interface {
	// AppendJSON appends the value's JSON to dst.
	AppendJSON(dst []byte) []byte
}

// MaxHeaderBytes bounds a frame's JSON header.
const MaxHeaderBytes = 1 << 20

var errHeader = errors.New("abi: frame header is too long")

// AppendFrame appends the payload of a frame with this header and body to dst. It fails when header is nothing that AppendJSON takes.
func AppendFrame(dst []byte, header any, body []byte) ([]byte, error) {
	start := len(dst)
	out, err := AppendJSON(append(dst, 0, 0, 0, 0), header)
	if err != nil {
		return dst, err
	}
	n := len(out) - start - 4
	if n > MaxHeaderBytes {
		return dst, errHeader
	}
	binary.LittleEndian.PutUint32(out[start:], uint32(n))
	return append(out, body...), nil
}

var (
	errValue = errors.New("abi: no JSON is made of this type here; marshal it, and hand the result on as it is")
	errFloat = errors.New("abi: a number that is infinite or none has no JSON")
)

// maxDepth bounds how deep lists and objects may lie in one another, in what is written and in what is read.
const maxDepth = 100

// AppendJSON appends the JSON of v to dst: nil, a bool, a string, a number, an Appender, the headers of frames, and lists and objects (maps by
// string, written in the order of their keys) of these. Another type is an error, and so is a number that JSON does not have.
func AppendJSON(dst []byte, v any) ([]byte, error) { return appendValue(dst, v, maxDepth) }

func appendValue(dst []byte, v any, depth int) ([]byte, error) {
	if depth == 0 {
		return dst, errValue
	}
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...), nil
	case Appender:
		return v.AppendJSON(dst), nil
	case bool:
		return strconv.AppendBool(dst, v), nil
	case string:
		return AppendString(dst, v), nil
	case int:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int32:
		return strconv.AppendInt(dst, int64(v), 10), nil
	case int64:
		return strconv.AppendInt(dst, v, 10), nil
	case uint32:
		return strconv.AppendUint(dst, uint64(v), 10), nil
	case uint64:
		return strconv.AppendUint(dst, v, 10), nil
	case float64:
		return appendFloat(dst, v)
	case readapi.MediaType:
		return AppendString(dst, string(v)), nil
	case readapi.Warning:
		return appendWarning(dst, &v), nil
	case *readapi.Warning:
		return appendWarning(dst, v), nil
	case readapi.Child:
		return appendChild(dst, &v), nil
	case *readapi.Child:
		return appendChild(dst, v), nil
	case map[string]any:
		return appendMap(dst, v, func(v any) any { return v }, depth)
	case map[string]string:
		return appendMap(dst, v, func(v string) any { return v }, depth)
	case map[string]int64:
		return appendMap(dst, v, func(v int64) any { return v }, depth)
	case []any:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case []map[string]any:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case []string:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case [][]string:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case []int:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case []int64:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	case []float64:
		return appendList(dst, v == nil, len(v), func(i int) any { return v[i] }, depth)
	}
	return dst, errValue
}

func appendMap[V any](dst []byte, m map[string]V, value func(V) any, depth int) ([]byte, error) {
	if m == nil {
		return append(dst, "null"...), nil
	}
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sortKeys(keys)
	o := open(dst)
	var err error
	for _, k := range keys {
		o.key(k)
		if o.b, err = appendValue(o.b, value(m[k]), depth-1); err != nil {
			return dst, err
		}
	}
	return o.close(), nil
}

// sortKeys is a shell sort: short, where package slices would be twenty kilobytes of a guest.
func sortKeys(keys []string) {
	for gap := (len(keys) + 1) / 2; gap > 0; gap /= 2 {
		for i := gap; i < len(keys); i++ {
			for k := i; k >= gap && keys[k] < keys[k-gap]; k -= gap {
				keys[k], keys[k-gap] = keys[k-gap], keys[k]
			}
		}
	}
}

// appendList writes a list of n values: null where there is none at all, as encoding/json does.
func appendList(dst []byte, none bool, n int, value func(i int) any, depth int) ([]byte, error) {
	if none {
		return append(dst, "null"...), nil
	}
	out := append(dst, '[')
	var err error
	for i := range n {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendValue(out, value(i), depth-1); err != nil {
			return dst, err
		}
	}
	return append(out, ']'), nil
}

// appendFloat writes f as ECMAScript does, which is what encoding/json does: without an exponent where that is short.
func appendFloat(dst []byte, f float64) ([]byte, error) {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return dst, errFloat
	}
	if abs := math.Abs(f); abs == 0 || abs >= 1e-6 && abs < 1e21 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64), nil
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-3] == '-' && dst[n-2] == '0' { // e-09 is e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst, nil
}

// AppendString appends s as a JSON string. Bytes that are no character become U+FFFD; U+2028 and U+2029, which end a line in JavaScript,
// are escaped.
func AppendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := rune(c), 1
		if c >= utf8.RuneSelf {
			if r, n = utf8.DecodeRuneInString(s[i:]); (r != utf8.RuneError || n > 1) && r != 0x2028 && r != 0x2029 {
				i += n
				continue
			}
		}
		dst = append(dst, s[from:i]...)
		i += n
		from = i
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, `\b`...)
		case '\f':
			dst = append(dst, `\f`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\t':
			dst = append(dst, `\t`...)
		default:
			dst = append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
