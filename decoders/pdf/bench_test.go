package pdf

import (
	"fmt"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// article is n pages of running text, as a word processor writes them: each line a TJ with kerning, a composite font, object streams.
func article(n int) []byte {
	w := &pdftest.Writer{}
	f := w.CIDFont("1 beginbfrange <0020> <007e> <0020> endbfrange")
	line := "The quick brown fox jumps over the lazy dog and runs into the woods again"
	var contents []string
	for p := range n {
		c := "BT /F1 10 Tf 12 TL 72 720 Td "
		for l := range 50 {
			c += "["
			for i, word := range []byte(fmt.Sprintf("%d.%d %s", p+1, l, line)) {
				if i%7 == 6 {
					c += "-12"
				}
				c += fmt.Sprintf("<00%02x>", word)
			}
			c += "] TJ T* "
		}
		contents = append(contents, c+"ET")
	}
	tree := len(w.Objects) + 2*n + 1
	var kids string
	for _, c := range contents {
		content := w.Flate("", c)
		kids += fmt.Sprintf("%d 0 R ", w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", tree, content, f))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", n, kids)
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	return w.Packed(true)
}

func BenchmarkDecode(b *testing.B) {
	for _, n := range []int{1, 30} {
		data := article(n)
		b.Run(fmt.Sprintf("pages=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				if _, err := run(data, readapi.Request{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
