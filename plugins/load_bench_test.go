package plugins_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// spinning is a decoder that never ends by itself.
func spinning(t testing.TB) plugins.Decoder {
	i32 := wat.Types{wat.I32}
	m := wat.New()
	version := m.Func(nil, i32, nil, wat.I32Const(abi.Version))
	describe := m.Func(nil, i32, nil, wat.I32Const(0))
	decode := m.Func(nil, i32, nil, wat.Loop(0x40, wat.Br(0)), wat.I32Const(0))
	m.Memory(1, 1)
	m.ExportMemory(abi.ExportMemory)
	m.ExportFunc(abi.ExportABI, version)
	m.ExportFunc(abi.ExportDescribe, describe)
	m.ExportFunc(abi.ExportDecode, decode)
	wasm, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	d := decoder("spins", digestOf(wasm), "text/x-spin")
	d.Load = func() ([]byte, error) { return wasm, nil }
	return d
}

// BenchmarkLoad is 32 parties that read two kilobytes of text one after the other, all at once, and then the same with three of them reading
// with a decoder that uses all the time that it gets, half a second a read; and one party alone, and beside three of those. ms/p99 is of the
// good reads.
func BenchmarkLoad(b *testing.B) {
	dir := os.Getenv("GLOVEBOX_TEST_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			b.Fatal(err)
		}
		dir = filepath.Join(base, "glovebox-test")
	}
	for _, n := range []struct{ parties, hostile int }{{32, 0}, {32, 3}, {1, 0}, {4, 3}} {
		b.Run(fmt.Sprintf("parties=%d/hostile=%d", n.parties, n.hostile), func(b *testing.B) {
			r, err := plugins.New(&plugins.Options{CacheDir: dir})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Close(context.WithoutCancel(b.Context()))
			for _, d := range append(plugins.Builtin(), spinning(b)) {
				if err := r.Add(d); err != nil {
					b.Fatal(err)
				}
			}
			if err := r.Warm(b.Context()); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				took := load(b, r, n.parties, n.hostile)
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1e3, "ms/p99")
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1e3, "ms/p50")
			}
		})
	}
}

// load is how long each good read took.
func load(b *testing.B, r *plugins.Registry, parties, hostile int) (took []time.Duration) {
	const reads = 60
	var mu sync.Mutex
	var good, bad sync.WaitGroup
	ctx, cancel := context.WithCancel(b.Context())
	text := strings.Repeat("two kilobytes of text in lines\n", 66)
	for k := range parties {
		d := readapi.Decoding{Party: fmt.Sprint("party ", k), Limits: readapi.DefaultLimits(), Request: readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto, MaxBytes: 1 << 20, MaxTokens: 10_000}}
		if k < hostile {
			d.Limits.Timeout = 500 * time.Millisecond
			info := r.Accepts("text/x-spin")[0]
			bad.Go(func() {
				for ctx.Err() == nil {
					_, _ = r.Decode(ctx, info, d)
				}
			})
			continue
		}
		info := r.Accepts("text/plain")[0]
		good.Go(func() {
			for range reads {
				d.Input = strings.NewReader(text)
				start := time.Now()
				if _, err := r.Decode(ctx, info, d); err != nil {
					b.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(start))
				mu.Unlock()
			}
		})
	}
	good.Wait()
	cancel()
	bad.Wait()
	return took
}
