package content

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// benchPages are pages of 50 lines of 75 characters: plain, in a table of rules and fills, and with a map of 20,000 lines behind.
func benchPages() map[string]string {
	var plain, table, drawing strings.Builder
	line := "[(The quick) -250 (brown fox jumps over the) 12 (lazy dog and runs into the woods again)] TJ"
	for i := range 50 {
		y := 720 - 13*i
		fmt.Fprintf(&plain, "BT /F1 10 Tf 1 0 0 1 72 %d Tm %s ET\n", y, line)
		fmt.Fprintf(&table, ".9 .9 %d rg 70 %d 470 12 re f 0 g 70 %d 470 .5 re f BT /F1 10 Tf 1 0 0 1 72 %d Tm %s ET\n", i%2, y-3, y-3, y, line)
	}
	for i := range 4000 {
		x, y := i*37%600, i*53%780
		fmt.Fprintf(&drawing, ".2 .%d .4 RG %d.25 %d.5 m %d %d l %d.75 %d %d.5 %d %d %d c %d %d l S\n", i%10, x, y, x+9, y+3, x+12, y+5, x+14, y+9, x+17, y+9, x+22, y+1)
	}
	return map[string]string{"plain": plain.String(), "table": table.String(), "map": drawing.String() + plain.String()}
}

func BenchmarkPage(b *testing.B) {
	for _, name := range []string{"plain", "table", "map"} {
		data := pdftest.Plain(benchPages()[name]).Table()
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			p := &Page{}
			for b.Loop() {
				file, err := object.Open(bytes.NewReader(data), "")
				if err != nil {
					b.Fatal(err)
				}
				page := file.Trailer().Key("Root").Key("Pages").Key("Kids").Index(0)
				in := New(file, &font.Cache{}, p)
				in.Contents(page.Key("Contents"), page.Key("Resources"))
				in.Finish()
			}
		})
	}
}
