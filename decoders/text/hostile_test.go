package text

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// BenchmarkLineEnds reads 4 MiB of short lines: what it costs must not depend on which of the two line ends they have. It did, a hundred
// times: a text without LF was searched for one at each of its lines.
func BenchmarkLineEnds(b *testing.B) {
	for name, end := range map[string]string{"lf": "\n", "cr": "\r", "crlf": "\r\n"} {
		b.Run(name, func(b *testing.B) {
			data := []byte(strings.Repeat("abc"+end, 1<<20))
			for b.Loop() {
				res, err := pdk.Run(&Decoder, bytes.NewReader(data), readapi.Request{
					Version: 1, MediaType: "text/plain", Form: readapi.FormText, Units: []readapi.Range{{From: 1 << 20, To: 1 << 20}},
				})
				if err != nil || len(res.Parts) != 1 {
					b.Fatal(err)
				}
			}
		})
	}
}
