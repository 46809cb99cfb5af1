package pdf

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Fonts that share a CMap pay for it each: a file of some kilobytes could else have it parsed thousands of times.
func TestCMapsArePaidFor(t *testing.T) {
	old := object.MaxReadWork
	defer func() { object.MaxReadWork = old }()
	object.MaxReadWork = 2_000_000
	read := func(fonts int) (whole bool) {
		w := &pdftest.Writer{}
		cmap := w.Flate("", strings.Repeat("1 beginbfrange <00> <ff> <0041> endbfrange\n", 1<<14))
		var names, content strings.Builder
		for i := range fonts {
			fmt.Fprintf(&names, "/N%d %d 0 R", i, w.Add("<</Type/Font/Subtype/Type1/ToUnicode %d 0 R>>", cmap))
			fmt.Fprintf(&content, "BT /N%d 1 Tf (A) Tj ET ", i)
		}
		w.Pages("/Font<<"+names.String()+">>", content.String())
		res := decodeBytes(t, w.Table(), readapi.Request{})
		return len(res.Warnings) == 0
	}
	if !read(2) {
		t.Error("two fonts are too much work")
	}
	// The same fonts without parsing would take less than half of the budget: decompression is 22,000 units each.
	if read(40) {
		t.Error("forty fonts are not too much work")
	}
}

func isPartial(w readapi.Warning) bool { return w.Code == readapi.WarnPartial }

// The characters of a page are bounded inside a string too, and a code cannot stand for a book.
func TestPageTextIsBounded(t *testing.T) {
	whole := func(data []byte) (text int, warnings []readapi.Warning) {
		req := readapi.Request{Version: 1, Form: readapi.FormText, Unescaped: true} // most of it lies outside the page
		for {
			res, err := pdk.Run(&Decoder, bytes.NewReader(data), req)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range res.Parts {
				text += len(p.Text)
			}
			warnings = append(warnings, res.Warnings...)
			if res.Next == nil {
				return text, warnings
			}
			req.Start = *res.Next
		}
	}
	n, warnings := whole(pdftest.Plain("BT /F1 1 Tf (" + strings.Repeat("A", content.MaxPageGlyphs+9) + ") Tj ET").Table())
	if n < content.MaxPageGlyphs || n > content.MaxPageGlyphs+2 || !slices.ContainsFunc(warnings, isPartial) {
		t.Errorf("a long string: %d bytes, %v", n, warnings)
	}
	n, warnings = whole(pdftest.Plain("BT /F1 1 Tf (" + strings.Repeat("A", content.MaxPageGlyphs-1) + ") Tj ET").Table())
	if n < content.MaxPageGlyphs-1 || slices.ContainsFunc(warnings, isPartial) {
		t.Errorf("a string that is just short enough: %d bytes, %v", n, warnings)
	}
	w := &pdftest.Writer{}
	f := w.CIDFont("1 beginbfchar <0041> <" + strings.Repeat("0042", 100_000) + "> endbfchar")
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), "BT /F1 9 Tf <0041> Tj ET")
	const codeText = 256 // of 512 bytes of UTF-16
	if n, _ := whole(w.Table()); n < codeText || n > codeText+2 {
		t.Errorf("a code stands for %d bytes, want %d", n, codeText)
	}
}
