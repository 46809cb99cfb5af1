package charset_test

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// FuzzDetect: the answer is the same twice, is one that the decoder knows what to do with, and has a confidence.
func FuzzDetect(f *testing.F) {
	for _, l := range charsettest.Languages {
		f.Add([]byte(charsettest.Encode(f, l.Text, "utf-8")), true)
	}
	f.Add([]byte("<meta charset=gbk>\xd6\xd0"), false)
	f.Add([]byte("\x81\x30\x81\x30\xff"), true)
	f.Add([]byte("\x1b$)C\x0e0!\x0f"), true)
	f.Fuzz(func(t *testing.T, in []byte, whole bool) {
		if !readapi.ClassifyText(in, whole).Text {
			return
		}
		s := charset.Sample{Head: in[:min(len(in), readapi.TextPrefixBytes)], Body: in, Whole: whole}
		got := charset.Detect(s)
		if again := charset.Detect(s); again != got {
			t.Fatalf("%+v, then %+v", got, again)
		}
		if got.Percent < 1 || got.Percent > 100 || got.Label == "" || got.Source == "" {
			t.Fatalf("%+v", got)
		}
		if got.Label != "utf-8" && got.Label != "iso-2022-kr" && got.Label != "iso-2022-cn" && got.Label != "johab" && got.Label != "euc-tw" && charset.Encoding(got.Label) == nil {
			t.Fatalf("nothing decodes %s", got.Label)
		}
	})
}
