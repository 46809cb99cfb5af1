package pdf

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/readapi"
)

var update = flag.Bool("update", false, "write the sample, the vectors and the fuzz seeds again")

// sampleFile is the sample that ships with the decoder. It takes the ways that real files take: compression, object streams, a
// cross-reference stream with a predictor, simple and composite fonts, a form.
func sampleFile() []byte {
	w := &pdftest.Writer{}
	w.Info = w.Add("<</Title(Sample)/Producer(glovebox)/CreationDate(D:20240229120000+01'00')>>")
	simple := w.Add("<</Type/Font/Subtype/TrueType/BaseFont/Sample/FirstChar 32/LastChar 126/Widths[%s]/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1/fi/Aacute/uni20AC]>>>>", repeated("500 ", 95))
	composite := w.CIDFont("2 beginbfchar <0003> <00410301> <0004> <4f60597d> endbfchar 1 beginbfrange <0005> <0020> <0061> endbfrange")
	form := w.Flate("/Type/XObject/Subtype/Form/BBox[0 0 100 100]/Matrix[1 0 0 1 72 600]", "BT /F1 10 Tf (in a form) Tj ET")
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R/F2 %d 0 R>>/XObject<</X1 %d 0 R>>", simple, composite, form),
		pdftest.Lines("This is the sample of the decoder.", "It has two lines and a ligature: \\001."),
		"q 1 0 0 1 10 10 cm BT /F2 12 Tf 72 700 Td [<00030005> -300 <00060007>] TJ ET Q /X1 Do")
	return w.Packed(true)
}

func repeated(s string, n int) (out string) {
	for range n {
		out += s
	}
	return out
}

func TestSample(t *testing.T) {
	if *update {
		if err := os.WriteFile("sample.pdf", sampleFile(), 0o644); err != nil {
			t.Fatal(err)
		}
		sample = sampleFile()
		Decoder.Samples[0].Data = sample
	}
	for _, data := range [][]byte{sampleFile(), Decoder.Samples[0].Data} {
		res := decodeBytes(t, data, readapi.Request{})
		wantText(t, res, "This is the sample of the decoder.\nIt has two lines and a ligature: fi.\n", "A\u0301a bc\n\nin a form\n")
		if res.Meta["title"] != "Sample" {
			t.Errorf("meta %v", res.Meta)
		}
	}
}
