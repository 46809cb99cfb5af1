package font

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// Of a Type 1 program only the clear text is decoded, wherever that ends; what is another kind of program is decoded whole.
func TestClearText(t *testing.T) {
	const encoding = "/Encoding 256 array dup 65 /B put readonly def currentfile eexec "
	secret := strings.Repeat("\x81\x92\xa3", 50_000)
	for _, c := range []struct {
		name, program string
		most          int // bytes that are decoded
		text          string
	}{
		{"short", "%!PS-AdobeFont-1.0\n" + encoding + secret, shortClearText, "B"},
		{"in segments", "\x80\x01\x00\x01\x00\x00%!PS-AdobeFont-1.0\n" + encoding + secret, shortClearText, "B"},
		{"long", "%!PS-AdobeFont-1.0\n" + strings.Repeat("/Some value def\n", 1000) + encoding + secret, clearText, "B"},
		{"without an end", "%!PS-AdobeFont-1.0\n" + strings.Repeat("/Some value def\n", 1000), clearText, ""},
		{"alone", "%!PS-AdobeFont-1.0\n" + encoding, shortClearText, "B"},
		{"nothing known", strings.Repeat("x", 100_000), 100_000, ""},
	} {
		w := &pdftest.Writer{}
		n := w.Flate("", c.program)
		w.Pages("", "")
		file, err := object.Open(bytes.NewReader(w.Table()), "")
		if err != nil {
			t.Fatal(err)
		}
		data := programData(file.Object(n), true)
		if len(data) > c.most || len(data) < min(len(c.program), shortClearText) {
			t.Errorf("%s: %d bytes are decoded of %d, want %d at most", c.name, len(data), len(c.program), c.most)
		}
		if got := parseProgram(data).codeText('A'); got != c.text {
			t.Errorf("%s: the text of a code is %q, want %q", c.name, got, c.text)
		}
	}
}
