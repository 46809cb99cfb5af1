// Command guest is what the rewriter's tests run: the kinds of work that decoders do, by the standard library alone.
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared
package main

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"hash/fnv"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"
	"unsafe"
)

var input []byte

// alloc gives room for the input.
//
//go:wasmexport alloc
func alloc(n int32) unsafe.Pointer {
	input = make([]byte, n)
	return unsafe.Pointer(unsafe.SliceData(input))
}

// run does one kind of work on the input and gives a hash of the result, or 1 for an error.
//
//go:wasmexport run
func run(kind int32) int64 {
	out, err := work[kind]()
	if err != nil {
		return 1
	}
	h := fnv.New64a()
	h.Write(out)
	return int64(h.Sum64() >> 1)
}

var work = [...]func() ([]byte, error){pngWork, jpegWork, textWork, jsonWork, panicWork}

func pngWork() ([]byte, error) {
	m, err := png.Decode(bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	return encoded(m)
}

func jpegWork() ([]byte, error) {
	m, err := jpeg.Decode(bytes.NewReader(input))
	if err != nil {
		return nil, err
	}
	return encoded(m)
}

// encoded is a picture at half its size, as JPEG.
func encoded(m image.Image) ([]byte, error) {
	b := m.Bounds()
	half := image.NewRGBA(image.Rect(0, 0, b.Dx()/2, b.Dy()/2))
	for y := range b.Dy() / 2 {
		for x := range b.Dx() / 2 {
			half.Set(x, y, m.At(b.Min.X+2*x, b.Min.Y+2*y))
		}
	}
	var out bytes.Buffer
	err := jpeg.Encode(&out, half, nil)
	return out.Bytes(), err
}

// textWork inflates the input, which is deflated text, and sorts its words.
func textWork() ([]byte, error) {
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(input)))
	if err != nil {
		return nil, err
	}
	words := map[string]int{}
	for _, w := range strings.Fields(string(b)) {
		words[strings.ToUpper(w)] += utf8.RuneCountInString(w)
	}
	list := make([]string, 0, len(words))
	for w, n := range words {
		list = append(list, strings.Repeat(w, n%4))
	}
	sort.Strings(list)
	all := strings.Join(list, "\n")
	return []byte(regexp.MustCompile(`([A-Z])[0-9]+`).ReplaceAllString(all, "$1")), nil
}

func jsonWork() ([]byte, error) {
	var v any
	if err := json.Unmarshal(input, &v); err != nil {
		return nil, err
	}
	return json.Marshal(v)
}

// panicWork unwinds: index errors and nil maps, recovered at several depths, with goroutines in between.
func panicWork() ([]byte, error) {
	var out []byte
	done := make(chan []byte)
	for i := range 40 {
		go func() { done <- deep(i % 7) }()
		out = append(out, <-done...)
	}
	return out, nil
}

func deep(n int) (out []byte) {
	defer func() {
		if r := recover(); r != nil {
			out = append(out, byte(n))
		}
	}()
	if n == 0 {
		return []byte{input[len(input)+n]}
	}
	out = deep(n - 1)
	if n%3 == 0 {
		var m map[string]int
		m["x"] = n
	}
	return append(out, byte(len(out)))
}

func main() {}
