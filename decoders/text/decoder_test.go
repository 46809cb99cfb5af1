package text

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func read(t testing.TB, in string, change func(*readapi.Request)) readapi.Result {
	t.Helper()
	res, err := try(in, change)
	if err != nil {
		t.Fatalf("reading %.60q: %v", in, err)
	}
	return res
}

func try(in string, change func(*readapi.Request)) (readapi.Result, error) {
	req := readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto}
	if change != nil {
		change(&req)
	}
	return pdk.Run(&Decoder, strings.NewReader(in), req)
}

func asSource(req *readapi.Request) { req.Form = readapi.FormSource }

func textOf(res readapi.Result) string {
	var b strings.Builder
	for _, p := range res.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func TestVectors(t *testing.T) { decodertest.Run(t, "text", decodertest.Native(&Decoder)) }

func FuzzDecode(f *testing.F) {
	decodertest.Seed(f, "text")
	f.Fuzz(func(t *testing.T, in []byte) { decodertest.Invariants(t, in, "text", decodertest.Native(&Decoder)) })
}

func TestNewlines(t *testing.T) {
	for _, c := range []struct {
		in, newline string
		lines       int64
	}{
		{"", "none", 0}, {"a", "none", 1}, {"a\n", "lf", 1}, {"a\nb", "lf", 2}, {"\n\n", "lf", 2}, {"a\r\nb\r\n", "crlf", 2}, {"a\rb\r", "cr", 2},
		{"a\r", "cr", 1}, {"a\r\r\n", "mixed", 2}, {"a\n\r", "mixed", 2}, {"a\r\nb\nc\rd", "mixed", 4}, {"a\u2028b\vc\fd\u0085e", "none", 1},
	} {
		res := read(t, c.in, nil)
		if res.Total != c.lines || res.Meta["newline"] != c.newline || res.Meta["lines"] != float64(c.lines) || textOf(res) != c.in || res.AtLeast {
			t.Errorf("%q: %d lines, newline %v, meta %v, text %q", c.in, res.Total, res.Meta["newline"], res.Meta, textOf(res))
		}
	}
}

// TestChunkBorders moves every kind of line end and a wide character over the border between two chunks.
func TestChunkBorders(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r", "流", "\xff"} {
		for shift := -4; shift <= 1; shift++ {
			in := strings.Repeat("x", chunkBytes+shift) + end + "tail\n"
			if end == "\xff" {
				in = "流水线" + in[9:]
			}
			res := read(t, in, asSource)
			want := strings.ToValidUTF8(in, "\uFFFD")
			lines := int64(1)
			if strings.ContainsAny(end, "\r\n") {
				lines = 2
			}
			if textOf(res) != want || res.Total != lines {
				t.Errorf("%q at %d: %d lines, %d bytes, want %d", end, chunkBytes+shift, res.Total, len(textOf(res)), len(want))
			}
		}
	}
}

func TestPartsCoverLines(t *testing.T) {
	res := read(t, "one\ntwo\nthree\nfour", func(r *readapi.Request) { r.Units = []readapi.Range{{From: 2, To: 2}, {From: 4}} })
	if len(res.Parts) != 2 || res.Parts[0].At != 2 || res.Parts[0].Text != "two\n" || res.Parts[1].At != 4 || res.Parts[1].Text != "four" {
		t.Errorf("lines 2 and 4 are %+v", res.Parts)
	}
	if res.Covers != (readapi.Range{From: 2, To: 4}) || res.Total != 4 || res.AtLeast {
		t.Errorf("covers %v of %d, at least: %v", res.Covers, res.Total, res.AtLeast)
	}
	if _, err := try("one\ntwo", func(r *readapi.Request) { r.Units = []readapi.Range{{From: 3, To: 3}} }); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("line 3 of 2 gives %v", err)
	}
	if _, err := try("one", func(r *readapi.Request) { r.Child = []int{1} }); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a child gives %v", err)
	}
}

// TestTotal: the total of a large file is exact only when the answer reaches its end.
func TestTotal(t *testing.T) {
	large := strings.Repeat("0123456789abcdef\n", 4*scanBytes/17)
	lines := int64(strings.Count(large, "\n"))
	head := func(r *readapi.Request) { r.Units = []readapi.Range{{From: 1, To: 3}} }
	if res := read(t, large, head); !res.AtLeast || res.Total < 3 || res.Total >= lines || textOf(res) != large[:3*17] {
		t.Errorf("the head of a large file: total %d, at least %v", res.Total, res.AtLeast)
	}
	if res := read(t, large, nil); res.AtLeast || res.Total != lines {
		t.Errorf("all of a large file: total %d of %d, at least %v", res.Total, lines, res.AtLeast)
	}
	small := large[:scanBytes/17*17]
	if res := read(t, small, head); res.AtLeast || res.Total != int64(len(small)/17) {
		t.Errorf("the head of a small file: total %d, at least %v", res.Total, res.AtLeast)
	}
	tail := read(t, large, func(r *readapi.Request) { r.Start = readapi.Position{At: lines, Offset: 4} })
	if textOf(tail) != "456789abcdef\n" || tail.Total != lines || tail.AtLeast {
		t.Errorf("the last line from byte 4: %q of %d", textOf(tail), tail.Total)
	}
}

func TestPadding(t *testing.T) {
	log := strings.Repeat("the pump runs\n", 8)
	for _, c := range []struct{ in, charset string }{
		{log, "utf-8"}, {string(utf16Of(log, false)), "utf-16le"}, {string(utf16Of(log, true)), "utf-16be"},
	} {
		padded := c.in + strings.Repeat("\x00", 6000)
		res := read(t, padded, nil)
		if textOf(res) != log || res.Meta["nul_padding"] != 6000.0 || res.Meta["charset"] != c.charset || res.Total != 8 {
			t.Errorf("%s: text %.40q…, meta %v", c.charset, textOf(res), res.Meta)
		}
		if len(res.Warnings) != 1 || res.Warnings[0].Code != WarnNULPadding {
			t.Errorf("%s: warnings %v", c.charset, res.Warnings)
		}
		if res = read(t, padded, asSource); !strings.HasPrefix(textOf(res), log+"\x00") || res.Total != 9 {
			t.Errorf("%s: the source has %d lines", c.charset, res.Total)
		}
	}
	if got := textOf(read(t, log[:20]+"\x00"+log[20:], nil)); got != log[:20]+"\x00"+log[20:] {
		t.Errorf("a NUL inside the text is not kept: %q", got)
	}
}

// utf16Of encodes ASCII.
func utf16Of(s string, big bool) (out []byte) {
	for _, c := range []byte(s) {
		if big {
			out = append(out, 0, c)
		} else {
			out = append(out, c, 0)
		}
	}
	return out
}

func TestReplaced(t *testing.T) {
	for _, c := range []struct {
		in, want string
		replaced float64
	}{
		{"流水\xff线\n", "流水\uFFFD线\n", 1},
		{"流水线\xe6\xb5", "流水线\uFFFD", 1},
		{"流水线\xe6\xb5x", "流水线\uFFFDx", 1},
		{"流水线\xf0\x90\x80", "流水线\uFFFD", 1},
		{"流水线流\xed\xa0\x80", "流水线流\uFFFD\uFFFD\uFFFD", 3}, // a surrogate
		{"流水线\xc0\xaf", "流水线\uFFFD\uFFFD", 2},             // overlong
		{"流水线\xf5\x80", "流水线\uFFFD\uFFFD", 2},
		{"\uFFFD is a character", "\uFFFD is a character", 0},
	} {
		res := read(t, c.in, asSource)
		if textOf(res) != c.want || res.Meta["replaced"] != c.replaced {
			t.Errorf("%q gives %q, %v replaced, want %q, %v", c.in, textOf(res), res.Meta["replaced"], c.want, c.replaced)
		}
		warned := len(res.Warnings) == 1 && res.Warnings[0].Code == readapi.WarnReplaced
		if warned != (c.replaced > 0) {
			t.Errorf("%q: warnings %v", c.in, res.Warnings)
		}
	}
}

func TestRefusals(t *testing.T) {
	noise := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	if _, err := try(string(noise), nil); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("noise gives %v", err)
	}
	if _, err := try("\x1b$)A\n\x0e0!3*\x0f \x0e4Y6s\x0f\n", nil); readapi.CodeOf(err) != readapi.CodeUnsupportedFeature || !strings.Contains(err.Error(), "iso-2022-cn") {
		t.Errorf("ISO-2022-CN gives %v", err)
	}
	if _, err := try("x", func(r *readapi.Request) { r.Form = readapi.FormImage }); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a picture of a text gives %v", err)
	}
}

// TestLineLimit: a line is refused one byte above the limit, unless nobody wants it.
func TestLineLimit(t *testing.T) {
	chunk := bytes.Repeat([]byte("x"), chunkBytes)
	l := newLines(&readapi.Request{}, nil)
	for range maxLineBytes / chunkBytes {
		if err := l.grow(chunk); err != nil {
			t.Fatalf("%d bytes: %v", len(l.carry), err)
		}
	}
	err := l.grow(chunk[:1])
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeLimitOutput || e.Limit == nil || e.Limit.Value != maxLineBytes || e.Limit.Actual != maxLineBytes+1 {
		t.Errorf("one byte more gives %v", err)
	}
	l = newLines(&readapi.Request{Units: []readapi.Range{{From: 2}}}, nil)
	for range maxLineBytes/chunkBytes + 1 {
		if err := l.grow(chunk); err != nil || len(l.carry) > 0 {
			t.Fatalf("a line that is not wanted: %d bytes kept, %v", len(l.carry), err)
		}
	}
}

// failing is an input whose bytes cannot be read from some place on.
type failing struct {
	*bytes.Reader
	from int64
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, fmt.Errorf("gone")
	}
	return f.Reader.ReadAt(p, off)
}

func TestInputThatFails(t *testing.T) {
	in := bytes.Repeat([]byte("a line\n"), 3*chunkBytes/7)
	for _, from := range []int64{0, 1, chunkBytes + 1, 2*chunkBytes + 5} {
		_, err := pdk.Run(&Decoder, failing{bytes.NewReader(in), from}, readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormSource})
		if readapi.CodeOf(err) != readapi.CodeMalformed {
			t.Errorf("an input that fails from %d on gives %v", from, err)
		}
	}
}

// TestRoundTrip: text without hidden rules of its own comes back as it is, whatever its lines.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{"a", "ß", "流水线", "\n", "\r\n", "\r", "\t", " ", "👩‍🔧", "word", strings.Repeat("long ", 9000)})).Draw(t, "pieces")
		in := strings.Join(pieces, "")
		res, err := try(in, asSource)
		if err != nil || textOf(res) != in {
			t.Fatalf("%.100q gives %.100q, %v", in, textOf(res), err)
		}
		if want := int64(len(split(in))); res.Total != want {
			t.Fatalf("%d lines, want %d", res.Total, want)
		}
	})
}

// split is the plain way to split lines.
func split(s string) (out []string) {
	for s != "" {
		i := strings.IndexAny(s, "\r\n")
		switch {
		case i < 0:
			i = len(s)
		case strings.HasPrefix(s[i:], "\r\n"):
			i += 2
		default:
			i++
		}
		out = append(out, s[:i])
		s = s[i:]
	}
	return out
}

// decodeAs is the decoder for input of one media type.
func decodeAs(mt readapi.MediaType) decodertest.Decode {
	native := decodertest.Native(&Decoder)
	return func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
		req.MediaType = mt
		return native(in, req)
	}
}
