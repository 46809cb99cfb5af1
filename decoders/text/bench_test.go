package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func BenchmarkDecode(b *testing.B) {
	chinese := charsettest.Languages[15].Text
	for _, c := range []struct{ name, in string }{
		{"ASCII-10MiB", strings.Repeat("2026-11-30 12:00:00 info the pump runs well today\n", 10<<20/50)},
		{"UTF-8-10MiB", strings.Repeat(chinese, 10<<20/len(chinese))},
		{"GBK-1MiB", strings.Repeat(charsettest.Encode(b, chinese, "gbk"), 1<<20*3/2/len(chinese))},
		{"UTF-8-2KB", strings.Repeat("The pump runs well today, thank you. Straße\n", 46)},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.in)))
			b.ReportAllocs()
			in := bytes.NewReader([]byte(c.in))
			for b.Loop() {
				if _, err := pdk.Run(&Decoder, in, readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDetect is about 8 kB of legacy text, for which every candidate has to be looked at, in each charset and language.
func BenchmarkDetect(b *testing.B) {
	for _, l := range charsettest.Languages {
		for label := range strings.FieldsSeq(l.Charsets) {
			b.Run(label+"/"+l.Name, func(b *testing.B) {
				sample := []byte(charsettest.Encode(b, strings.Repeat(l.Text, 200), label))[:charset.SampleBytes]
				b.SetBytes(charset.SampleBytes)
				for b.Loop() {
					charset.Detect(charset.Sample{Head: sample, Body: sample})
				}
			})
		}
	}
}
