package decodertest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestParseVector(t *testing.T) {
	sum := strings.Repeat("0a", 32)
	full := "expect: ok\ntext-sha256: " + sum + "\nimage: 640x480 image/png\nwarning: replaced\nwarning: partial\n" +
		"media-type: text/html\nform: source\nunits: 2-3,9-\ncomment: one: with a colon\ncomment: two\n\n\n\x00raw\n\nbytes"
	v, err := ParseVector([]byte(full))
	if err != nil {
		t.Fatal(err)
	}
	want := Vector{
		TextSHA256: sum, Image: ImageSize{640, 480, "image/png"}, Warnings: []string{"replaced", "partial"}, MediaType: "text/html",
		Form: readapi.FormSource, Units: []readapi.Range{{From: 2, To: 3}, {From: 9}}, Comment: "one: with a colon\ntwo", Data: []byte("\n\x00raw\n\nbytes"),
	}
	if d := cmp.Diff(want, v); d != "" {
		t.Error(d)
	}
	if got := FormatVector(v); !bytes.Equal(got, []byte(full)) {
		t.Errorf("FormatVector gives %q, want %q", got, full)
	}
	short := "expect: limit_pixels\n\n"
	if v, err = ParseVector([]byte(short)); err != nil || v.Expect != readapi.CodeLimitPixels || len(v.Data) != 0 || v.Form != readapi.FormAuto {
		t.Errorf("ParseVector(%q) = %+v, %v", short, v, err)
	}
}

func TestParseVectorRefuses(t *testing.T) {
	for _, c := range []struct{ what, file string }{
		{"empty", ""},
		{"no blank line", "expect: ok\nabc"},
		{"no expect", "comment: x\n\n"},
		{"unknown key", "expect: ok\nexpects: ok\n\n"},
		{"key with a capital", "Expect: ok\n\n"},
		{"key twice", "expect: ok\nexpect: ok\n\n"},
		{"unknown code", "expect: broken\n\n"},
		{"no space", "expect:ok\n\n"},
		{"carriage return", "expect: ok\r\n\n"},
		{"short sum", "expect: ok\ntext-sha256: 00\n\n"},
		{"upper-case sum", "expect: ok\ntext-sha256: " + strings.Repeat("0A", 32) + "\n\n"},
		{"size without x", "expect: ok\nimage: 64\n\n"},
		{"size zero", "expect: ok\nimage: 0x1\n\n"},
		{"size with a bad type", "expect: ok\nimage: 1x1 png\n\n"},
		{"type not canonical", "expect: ok\nmedia-type: Text/HTML\n\n"},
		{"unknown form", "expect: ok\nform: raw\n\n"},
		{"bad units", "expect: ok\nunits: 3-1\n\n"},
		{"error with text", "expect: malformed_input\ntext-sha256: " + strings.Repeat("0a", 32) + "\n\n"},
		{"error with a warning", "expect: malformed_input\nwarning: partial\n\n"},
	} {
		if v, err := ParseVector([]byte(c.file)); err == nil {
			t.Errorf("%s: accepted as %+v", c.what, v)
		}
	}
}

func TestVectorsOfNoKind(t *testing.T) {
	if v, err := Vectors("nothing"); err == nil {
		t.Errorf("Vectors of a kind without any = %d, want an error", len(v))
	}
}

func TestRequestImageType(t *testing.T) {
	v := Vector{Data: []byte("GIF89a"), Form: readapi.FormImage}
	if req := v.Request("image"); req.MediaType != "image/gif" || req.MaxPixels == 0 || req.MaxFrames == 0 || req.Form != readapi.FormImage {
		t.Errorf("request for a GIF: %+v", req)
	}
}
