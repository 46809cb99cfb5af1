package mail

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

var utf8Charset = charset.Charset{Label: "utf-8", Source: charset.SourceUTF8, Percent: 100}

// plainASCII reports whether b is ASCII in which nothing hides: no escapes of ISO-2022, no runs of HZ.
func plainASCII(b []byte) bool {
	return charset.ASCIIPrefix(b) == len(b) && bytes.IndexByte(b, 0x1b) < 0 && !bytes.Contains(b, []byte("~{"))
}

// canonical returns the label of ours for one that a mail gives. What is called ASCII and is not has no label.
func canonical(label string) string {
	switch strings.ToLower(label) {
	case "us-ascii", "ascii", "unknown-8bit", "x-unknown", "default", "8bit":
		return ""
	}
	return charset.Canonical(label)
}

// toUTF8 converts a piece of a header. It is too short for statistics to beat a label under which it is valid, but what is UTF-8 is.
func (h *header) toUTF8(label string, b []byte) string {
	known := canonical(label)
	if plainASCII(b) && known != "utf-7" {
		return string(b)
	}
	if utf8.Valid(b) && charset.ASCIIPrefix(b) < len(b) && !manyBytes(known) {
		return string(b)
	}
	if known == "utf-8" && utf8.Valid(b[:len(b)-charset.CutTail(b)]) { // a word that was cut inside a character
		out, _ := charset.Repair(nil, b)
		return string(out)
	}
	if known != "" && charset.Encoding(known) != nil {
		if out, ok := whole(known, b); ok {
			return out
		}
	}
	if !h.guessed {
		h.guessed = true
		if raw := h.raw(); len(raw) > 0 {
			h.guess = detect(raw)
		}
	}
	if h.guess != "" {
		if out, ok := whole(h.guess, b); ok {
			return out
		}
	}
	const most = 20 // a piece is rarely in a charset of its own
	found := "windows-1252"
	if h.detects++; h.detects <= most {
		found = detect(b)
	}
	out, _ := whole(found, b)
	return out
}

// raw is what stands in the header above ASCII, and the lines around it, for who has to guess what it is.
func (h *header) raw() (sample []byte) {
	for i := range h.fields {
		if v := h.fields[i].value; !plainASCII(v) && len(sample) < charset.SampleBytes {
			sample = append(append(sample, v[:min(len(v), charset.SampleBytes)]...), '\n')
		}
	}
	return sample
}

func detect(b []byte) string {
	b = b[:min(len(b), charset.SampleBytes)]
	return charset.Detect(charset.Sample{Head: b, Body: b, Whole: true}).Label
}

// whole converts b; ok is false when something in it is no character.
func whole(label string, b []byte) (text string, ok bool) {
	var out []byte
	replaced, err := convert(label, b, func(piece []byte) error { out = append(out, piece...); return nil })
	if err != nil {
		out, _ = charset.Repair(nil, b)
	}
	return string(out), err == nil && replaced == 0
}

// manyBytes reports whether a charset writes characters above ASCII in two bytes and more, some of which are valid UTF-8 by chance.
func manyBytes(label string) bool {
	switch label {
	case "gbk", "gb18030", "big5", "euc-jp", "shift_jis", "euc-kr", "iso-2022-jp", "iso-2022-kr", "hz-gb-2312", "utf-7":
		return true
	}
	return false
}

// pick finds the charset of a text whose label says one: the label counts as much as what a page declares of itself, so it wins where the
// bytes are plausible in it.
func pick(label string, b []byte) charset.Charset {
	known := canonical(label)
	if plainASCII(b) && known != "utf-7" {
		return utf8Charset
	}
	if manyBytes(known) && charset.ASCIIPrefix(b) == len(b) {
		return charset.Charset{Label: known, Source: charset.SourceDeclared, Percent: 95}
	}
	first := max(0, charset.ASCIIPrefix(b)-64)
	if esc := bytes.IndexByte(b[:min(len(b), first+64)], 0x1b); esc >= 0 {
		first = esc
	}
	if hz := bytes.Index(b, []byte("~{")); hz >= 0 && charset.ASCIIPrefix(b) == len(b) {
		first = hz
	}
	sample := charset.Sample{Head: b[:min(len(b), charset.SampleBytes)], Body: b[first:min(len(b), first+charset.SampleBytes)]}
	sample.Whole = len(sample.Head) == len(b)
	if known != "" && bytes.IndexByte(sample.Head, 0) < 0 {
		sample.Head = append([]byte(`<meta charset="`+known+`">`), sample.Head...) // where Detect looks for a label
	}
	found := charset.Detect(sample)
	if (found.Source == charset.SourceStatistical || found.Source == charset.SourceDefault) && stranger(label) {
		found.Percent = min(found.Percent, charset.Doubtful-1)
	}
	return found
}

// stranger reports whether a label is of a charset that nobody here knows, such as one of EBCDIC: what its bytes look like proves nothing.
func stranger(label string) bool {
	switch strings.ToLower(label) {
	case "", "us-ascii", "ascii", "unknown-8bit", "x-unknown", "default", "8bit":
		return false
	}
	return charset.Canonical(label) == ""
}

var errCharset = errors.New("mail: a charset that nobody decodes")

// convert gives b as UTF-8, piece by piece, without its byte order mark, and counts what is no character.
func convert(label string, b []byte, emit func([]byte) error) (replaced int64, err error) {
	enc := charset.Encoding(label)
	if enc == nil {
		if label != "utf-8" {
			return 0, errCharset
		}
		return convertUTF8(bytes.TrimPrefix(b, []byte("\uFEFF")), emit)
	}
	t := enc.NewDecoder().Transformer
	out := make([]byte, min(pieceBytes, 64+4*len(b)))
	for first := true; len(b) > 0; first = false {
		n, used, err := t.Transform(out, b, true)
		if err != nil && (!errors.Is(err, transform.ErrShortDst) || n == 0 && used == 0) {
			return replaced, errCharset
		}
		piece := out[:n]
		if first {
			piece = bytes.TrimPrefix(piece, []byte("\uFEFF"))
		}
		replaced += int64(bytes.Count(piece, []byte("\uFFFD")))
		if e := emit(piece); e != nil {
			return replaced, e
		}
		if b = b[used:]; err == nil {
			break
		}
	}
	return replaced, nil
}

func convertUTF8(b []byte, emit func([]byte) error) (replaced int64, err error) {
	var repaired []byte
	for len(b) > 0 {
		piece := b[:min(len(b), pieceBytes)]
		if len(piece) < len(b) {
			piece = piece[:len(piece)-charset.CutTail(piece)]
		}
		b = b[len(piece):]
		if !utf8.Valid(piece) {
			var n int64
			repaired, n = charset.Repair(repaired[:0], piece)
			replaced += n
			piece = repaired
		}
		if err := emit(piece); err != nil {
			return replaced, err
		}
	}
	return replaced, nil
}
