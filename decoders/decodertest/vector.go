package decodertest

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata"
)

// Vector is one case: an input and what a decoder has to make of it.
//
// As a file it is header lines "key: value", a blank line, and the raw bytes of the input up to the end of the file. The keys are
//
//	expect: ok                the answer is a document; or the readapi.Code with which the read has to end
//	text-sha256: 64 hex       of the text of all text parts, joined, over all answers; with ok only
//	image: 640x480 image/png  size and media type of the first image part; the media type may be left out; with ok only
//	warning: replaced         a warning code that has to be there; the line may be repeated
//	media-type: text/html     what the host would have decided; default: by kind, see Vector.Request
//	form: source              auto (default), text, image or source
//	units: 2-3                the units asked for; default: all
//	comment: …                what the case is about; the line may be repeated
//
// in any order; expect is required. An unknown key is an error.
type Vector struct {
	Name       string       // of the file, without folder
	Expect     readapi.Code // "" is ok
	TextSHA256 string       // lower-case hex; "" when not checked
	Image      ImageSize    // zero when not checked
	Warnings   []string
	MediaType  readapi.MediaType
	Form       readapi.Form // never empty after ParseVector
	Units      []readapi.Range
	Comment    string // lines joined by "\n"
	Data       []byte // the input
}

// ImageSize is the expected size in pixels and, where it is not "", media type of an image part.
type ImageSize struct {
	Width, Height int
	MediaType     readapi.MediaType
}

// ParseVector reads a vector file. The result's Data points into b.
func ParseVector(b []byte) (Vector, error) {
	v := Vector{Form: readapi.FormAuto}
	head, data, found := bytes.Cut(b, []byte("\n\n"))
	if !found {
		return v, errors.New("decodertest: no blank line behind the header")
	}
	v.Data = data
	seen := map[string]bool{}
	for line := range strings.SplitSeq(string(head), "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return v, fmt.Errorf("decodertest: header line %.80q is not key: value", line)
		}
		if seen[key] && key != "warning" && key != "comment" {
			return v, fmt.Errorf("decodertest: header key %q is there twice", key)
		}
		seen[key] = true
		if err := v.set(key, value); err != nil {
			return v, fmt.Errorf("decodertest: header key %q: %w", key, err)
		}
	}
	switch {
	case !seen["expect"]:
		return v, errors.New("decodertest: no expect line")
	case v.Expect != "" && (v.TextSHA256 != "" || v.Image != ImageSize{} || len(v.Warnings) > 0):
		return v, errors.New("decodertest: an error has neither text, image nor warnings")
	}
	return v, nil
}

func (v *Vector) set(key, value string) (err error) {
	bad := fmt.Errorf("bad value %.80q", value)
	ok := true
	switch key {
	case "expect":
		if value != "ok" {
			v.Expect = readapi.Code(value)
			ok = v.Expect.Known()
		}
	case "text-sha256":
		v.TextSHA256 = value
		ok = len(value) == 64 && strings.Trim(value, "0123456789abcdef") == ""
	case "image":
		v.Image, ok = parseImageSize(value)
	case "warning":
		v.Warnings = append(v.Warnings, value)
		ok = value != ""
	case "media-type":
		v.MediaType, ok = readapi.ParseMediaType(value)
		ok = ok && string(v.MediaType) == value
	case "form":
		v.Form = readapi.Form(value)
		ok = v.Form.Valid()
	case "units":
		v.Units, err = readapi.ParseUnits(value)
		ok = err == nil
	case "comment":
		if v.Comment != "" {
			v.Comment += "\n"
		}
		v.Comment += value
	default:
		return errors.New("unknown")
	}
	if !ok {
		return bad
	}
	return nil
}

func parseImageSize(s string) (ImageSize, bool) {
	size, mediaType, typed := strings.Cut(s, " ")
	w, h, ok := strings.Cut(size, "x")
	width, err1 := strconv.Atoi(w)
	height, err2 := strconv.Atoi(h)
	if !ok || err1 != nil || err2 != nil || width < 1 || height < 1 {
		return ImageSize{}, false
	}
	mt, ok := readapi.ParseMediaType(mediaType)
	return ImageSize{width, height, mt}, ok == typed
}

// FormatVector is the inverse of ParseVector: generators write their vectors with it.
func FormatVector(v Vector) []byte {
	var b bytes.Buffer
	line := func(key, value string) {
		if value != "" {
			b.WriteString(key + ": " + value + "\n")
		}
	}
	expect := string(v.Expect)
	if expect == "" {
		expect = "ok"
	}
	line("expect", expect)
	line("text-sha256", v.TextSHA256)
	if v.Image != (ImageSize{}) {
		line("image", strings.TrimSuffix(fmt.Sprintf("%dx%d %s", v.Image.Width, v.Image.Height, v.Image.MediaType), " "))
	}
	for _, w := range v.Warnings {
		line("warning", w)
	}
	line("media-type", string(v.MediaType))
	if v.Form != readapi.FormAuto {
		line("form", string(v.Form))
	}
	line("units", readapi.FormatUnits(v.Units))
	for c := range strings.SplitSeq(v.Comment, "\n") {
		line("comment", c)
	}
	b.WriteByte('\n')
	b.Write(v.Data)
	return b.Bytes()
}

// Vectors returns all vectors of a kind (text, pdf or image) by name. No vector at all is an error: a suite that finds no data must
// not pass.
func Vectors(kind string) ([]Vector, error) {
	names, err := fs.Glob(testdata.Vectors(), kind+"/*")
	if err != nil {
		return nil, err
	}
	var out []Vector
	for _, name := range names {
		b, err := fs.ReadFile(testdata.Vectors(), name)
		if err != nil {
			return nil, err
		}
		v, err := ParseVector(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		v.Name = path.Base(name)
		out = append(out, v)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("decodertest: there is no vector of kind %q", kind)
	}
	return out, nil
}

// Request returns what the host would ask a decoder of kind: the vector's form and units, its media type (by default text/plain for
// text, application/pdf for pdf, and what the first bytes say for image), and the default pixel budgets. It has no token budget. Of an image
// all frames are asked for, since a decoder may take an animation for its first frame where nothing is selected.
func (v *Vector) Request(kind string) readapi.Request {
	req := request(kind, v.Data)
	if v.MediaType != "" {
		req.MediaType = v.MediaType
	}
	if v.Form != "" {
		req.Form = v.Form
	}
	if len(v.Units) > 0 {
		req.Units = v.Units
	}
	return req
}

func request(kind string, in []byte) readapi.Request {
	l := readapi.DefaultLimits()
	req := readapi.Request{
		Version: 1, MediaType: "text/plain", Form: readapi.FormAuto,
		MaxPixels: l.MaxPixels, MaxSide: l.MaxSide, MaxFrames: l.MaxFrames, MaxTotalPixels: l.MaxTotalPixels, MaxEdge: l.MaxEdge,
	}
	switch kind {
	case "pdf":
		req.MediaType = "application/pdf"
	case "image":
		req.MediaType = imageType(in)
		req.Units = []readapi.Range{{From: 1}}
	}
	return req
}

// imageType tells the image types that the decoder takes apart by their first bytes. The host's sniffer is not used here: the suite
// stands on the decoders' side of the wall.
func imageType(in []byte) readapi.MediaType {
	for _, m := range []struct {
		magic     string
		mediaType readapi.MediaType
	}{
		{"\xff\xd8\xff", "image/jpeg"}, {"GIF8", "image/gif"}, {"BM", "image/bmp"}, {"II*\x00", "image/tiff"}, {"MM\x00*", "image/tiff"},
		{"II+\x00", "image/tiff"}, {"MM\x00+", "image/tiff"}, {"RIFF", "image/webp"}, {"\x00\x00\x01\x00", "image/x-icon"},
	} {
		if bytes.HasPrefix(in, []byte(m.magic)) {
			return m.mediaType
		}
	}
	return "image/png"
}
