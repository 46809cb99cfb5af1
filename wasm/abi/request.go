package abi

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

var errRequest = errors.New("abi: the request is no JSON of a request")

// ParseRequest reads the request that the host wrote, guest side. It takes what encoding/json takes, except that a key has one spelling, and
// that lists and objects do not lie deeper in one another than a hundred.
func ParseRequest(raw []byte) (readapi.Request, error) {
	var req readapi.Request
	r := reader{b: raw}
	r.object(func(key string) { r.member(&req, key) })
	if r.space(); r.bad || r.i != len(raw) {
		return readapi.Request{}, errRequest
	}
	return req, nil
}

// member reads the value of one key of a request.
func (r *reader) member(req *readapi.Request, key string) {
	switch key {
	case "v":
		req.Version = r.int()
	case "media_type":
		req.MediaType = readapi.MediaType(r.string())
	case "name":
		req.Name = r.string()
	case "form":
		req.Form = readapi.Form(r.string())
	case "units":
		req.Units = list(r, r.unitRange)
	case "start":
		req.Start = r.position()
	case "child":
		req.Child = list(r, r.int)
	case "max_tokens":
		req.MaxTokens = r.int64()
	case "max_bytes":
		req.MaxBytes = r.int64()
	case "unescaped":
		req.Unescaped = r.bool()
	case "words":
		req.Words = r.bool()
	case "password":
		req.Password = r.string()
	case "max_file_bytes":
		req.MaxFileBytes = r.int64()
	case "max_pixels":
		req.MaxPixels = r.int64()
	case "max_side":
		req.MaxSide = r.int64()
	case "max_frames":
		req.MaxFrames = r.int64()
	case "max_total_pixels":
		req.MaxTotalPixels = r.int64()
	case "max_edge":
		req.MaxEdge = r.int64()
	default:
		r.pictureMember(req, key)
	}
}

// pictureMember reads the value of one key that is about the pictures that leave.
func (r *reader) pictureMember(req *readapi.Request, key string) {
	switch key {
	case "fit_pixels":
		req.FitPixels = r.int64()
	case "max_image_bytes":
		req.MaxImageBytes = r.int64()
	case "image_types":
		req.ImageTypes = list(r, func() readapi.MediaType { return readapi.MediaType(r.string()) })
	case "image_cost":
		req.ImageCost = r.string()
	case "original":
		req.Original = r.bool()
	default:
		r.skip()
	}
}

func (r *reader) unitRange() (v readapi.Range) {
	r.object(func(key string) {
		switch key {
		case "from":
			v.From = r.int64()
		case "to":
			v.To = r.int64()
		default:
			r.skip()
		}
	})
	return v
}

func (r *reader) position() (v readapi.Position) {
	r.object(func(key string) {
		switch key {
		case "at":
			v.At = r.int64()
		case "part":
			v.Part = r.int64()
		case "offset":
			v.Offset = r.int64()
		default:
			r.skip()
		}
	})
	return v
}

// reader reads JSON values one after the other. What is not there, or of another type, is zero and makes the reader bad, which it stays; null
// is the zero of every type.
type reader struct {
	b     []byte
	i     int
	depth int
	bad   bool
}

func (r *reader) space() {
	for r.i < len(r.b) && (r.b[r.i] == ' ' || r.b[r.i] == '\n' || r.b[r.i] == '\t' || r.b[r.i] == '\r') {
		r.i++
	}
}

// next returns the byte that the next token begins with, 0 at the end and once the reader is bad.
func (r *reader) next() byte {
	if r.space(); r.bad || r.i >= len(r.b) {
		return 0
	}
	return r.b[r.i]
}

func (r *reader) fail() { r.bad = true }

// accept passes over c when it is next.
func (r *reader) accept(c byte) bool {
	if r.next() != c {
		return false
	}
	r.i++
	return true
}

// word passes over a literal when it is next.
func (r *reader) word(w string) bool {
	if r.next() != w[0] || len(r.b)-r.i < len(w) || string(r.b[r.i:r.i+len(w)]) != w {
		return false
	}
	r.i += len(w)
	return true
}

// inside calls each for every element between open and end.
func (r *reader) inside(open, end byte, each func()) {
	if r.word("null") {
		return
	}
	if r.depth++; r.depth > maxDepth || !r.accept(open) {
		r.fail()
	}
	if !r.bad && !r.accept(end) {
		for each(); !r.bad && !r.accept(end); each() {
			if !r.accept(',') {
				r.fail()
				break
			}
		}
	}
	r.depth--
}

// object calls member for every key; member reads its value.
func (r *reader) object(member func(key string)) {
	r.inside('{', '}', func() {
		if r.next() != '"' {
			r.fail()
		}
		key := r.string()
		if !r.accept(':') {
			r.fail()
		}
		if !r.bad {
			member(key)
		}
	})
}

func list[V any](r *reader, value func() V) []V {
	var out []V
	r.inside('[', ']', func() {
		if v := value(); !r.bad {
			out = append(out, v)
		}
	})
	return out
}

func (r *reader) bool() bool {
	switch {
	case r.word("true"):
		return true
	case !r.word("false") && !r.word("null"):
		r.fail()
	}
	return false
}

func (r *reader) int() int {
	n := r.int64()
	if n < math.MinInt || n > math.MaxInt {
		r.fail()
	}
	return int(n)
}

func (r *reader) int64() int64 {
	if r.word("null") {
		return 0
	}
	n, err := strconv.ParseInt(r.number(), 10, 64)
	if err != nil {
		r.fail()
	}
	return n
}

// number returns the text of a number.
func (r *reader) number() string {
	r.next()
	from := r.i
	digits := func() {
		if r.i >= len(r.b) || r.b[r.i] < '0' || r.b[r.i] > '9' {
			r.fail()
		}
		for r.i < len(r.b) && r.b[r.i] >= '0' && r.b[r.i] <= '9' {
			r.i++
		}
	}
	at := func(set string) bool {
		for i := range len(set) {
			if r.i < len(r.b) && r.b[r.i] == set[i] {
				r.i++
				return true
			}
		}
		return false
	}
	at("-")
	if !at("0") {
		digits()
	}
	if at(".") {
		digits()
	}
	if at("eE") {
		at("+-")
		digits()
	}
	return string(r.b[from:r.i])
}

func (r *reader) string() string {
	if r.word("null") {
		return ""
	}
	if !r.accept('"') {
		r.fail()
	}
	var out []byte
	for !r.bad && r.i < len(r.b) {
		c := r.b[r.i]
		switch {
		case c == '"':
			r.i++
			return string(out)
		case c < ' ':
			r.fail()
		case c == '\\':
			out = r.escape(out)
		default:
			v, n := utf8.DecodeRune(r.b[r.i:])
			out = utf8.AppendRune(out, v)
			r.i += n
		}
	}
	r.fail()
	return ""
}

// escape reads an escape of a string.
func (r *reader) escape(out []byte) []byte {
	const from, to = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	r.i++
	if r.i < len(r.b) {
		c := r.b[r.i]
		for i := range len(from) {
			if c == from[i] {
				r.i++
				return append(out, to[i])
			}
		}
		if v, ok := r.hex(); ok {
			if !utf16.IsSurrogate(v) {
				return utf8.AppendRune(out, v)
			}
			// The second of a pair, if it is one; else it is read again for itself.
			back := r.i
			if r.i < len(r.b) && r.b[r.i] == '\\' {
				r.i++
				if low, ok := r.hex(); ok {
					if v = utf16.DecodeRune(v, low); v != utf8.RuneError {
						return utf8.AppendRune(out, v)
					}
				}
			}
			r.i = back
			return utf8.AppendRune(out, utf8.RuneError)
		}
	}
	r.fail()
	return out
}

// hex reads u and four hexadecimal digits.
func (r *reader) hex() (v rune, ok bool) {
	if len(r.b)-r.i < 5 || r.b[r.i] != 'u' {
		return 0, false
	}
	for _, c := range r.b[r.i+1 : r.i+5] {
		switch {
		case c >= '0' && c <= '9':
			v = v<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			v = v<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	r.i += 5
	return v, true
}

// skip passes over a value of any type.
func (r *reader) skip() {
	switch c := r.next(); c {
	case '{':
		r.object(func(string) { r.skip() })
	case '[':
		r.inside('[', ']', r.skip)
	case '"':
		r.string()
	case 't', 'f', 'n':
		r.bool()
	default:
		r.number()
	}
}
