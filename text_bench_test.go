//go:build unix

package glovebox_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/glovebox-wasm/glovebox/decoders/text"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// BenchmarkTexts reads large texts by the decoder's function and by the built-in module behind the wall, one after the other in turn, and
// prints the ratio of their times: what a reader pays for the wall. The answers are whole, so frames and copies are part of it.
func BenchmarkTexts(b *testing.B) {
	chinese := "早上我们去市场买了面包和水果，天气很好。孩子们在院子里玩了一整天。\n晚上大家走路回家，路上看见很多星星。\n"
	gbk, err := simplifiedchinese.GBK.NewEncoder().String(strings.Repeat(chinese, 1<<20*3/2/len(chinese)))
	if err != nil {
		b.Fatal(err)
	}
	reg := newRegistry(b, plugins.Options{})
	decoder := reg.Accepts("text/plain")[0]
	lim := readapi.DefaultLimits()
	lim.MaxOutputBytes = 32 << 20
	for _, c := range []struct{ name, data string }{
		{"ASCII-10MiB", strings.Repeat("2026-11-30 12:00:00 info the pump runs well today\n", 10<<20/50)},
		{"UTF-8-10MiB", strings.Repeat(chinese, 10<<20/len(chinese))},
		{"GBK-1MiB", gbk},
	} {
		b.Run(c.name, func(b *testing.B) {
			in := bytes.NewReader([]byte(c.data))
			req := readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto}
			var native, wall []time.Duration
			pair := func() {
				start := processTime(b)
				if _, err := pdk.Run(&text.Decoder, in, req); err != nil {
					b.Fatal(err)
				}
				middle := processTime(b)
				if _, err := reg.Decode(b.Context(), decoder, readapi.Decoding{Input: in, Request: req, Limits: lim}); err != nil {
					b.Fatal(err)
				}
				native, wall = append(native, middle-start), append(wall, processTime(b)-middle)
			}
			pair() // compiled, warmed up, the heap grown
			native, wall = native[:0], wall[:0]
			b.SetBytes(int64(len(c.data)))
			for b.Loop() {
				pair()
			}
			for len(wall) < 9 { // fewer say nothing
				pair()
			}
			b.ReportMetric(float64(quartile(wall))/float64(quartile(native)), "x-native")
			b.ReportMetric(float64(quartile(native).Microseconds()), "us-native")
			b.ReportMetric(float64(quartile(wall).Microseconds()), "us-wall")
		})
	}
}
