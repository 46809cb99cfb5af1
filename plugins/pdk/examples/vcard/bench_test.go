//go:build toolchains

package vcard_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// BenchmarkCGuest is a small decoder in C: what its module costs to compile, with nothing kept, and a small read on an instance that is put
// back each time. The bars are 0.2 s and 0.2 ms.
func BenchmarkCGuest(b *testing.B) {
	wasm, err := binary.Rewrite(toolchain.C(b, toolchain.Path(b, dir+"c/vcard.c"), "-O2"), &binary.RewriteOptions{MaxMemoryPages: 4096})
	if err != nil {
		b.Fatal(err)
	}
	sum := sha256.Sum256(wasm)
	m := sandbox.Module{Name: "vcard", Wasm: wasm, Digest: hex.EncodeToString(sum[:])}
	open := func() (*sandbox.Runtime, *sandbox.Program) {
		rt, err := sandbox.New(nil)
		if err != nil {
			b.Fatal(err)
		}
		p, err := rt.Compile(b.Context(), m)
		if err != nil {
			b.Fatal(err)
		}
		return rt, p
	}
	b.Run("compile", func(b *testing.B) {
		defer reportCPU(b, "cpu-ms/op", 1e6)()
		for b.Loop() {
			rt, _ := open()
			if err := rt.Close(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) {
		rt, p := open()
		defer rt.Close(b.Context())
		if err := p.Snapshot(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
		inst, err := p.Instance(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		req, err := json.Marshal(readapi.Request{Version: 1, MediaType: "text/vcard", Form: readapi.FormAuto, MaxTokens: 20_000})
		if err != nil {
			b.Fatal(err)
		}
		card := one("FN:Ada Lovelace", "TEL;TYPE=home:+44 1", "NOTE:"+strings.Repeat("two kilobytes of text 两千字节", 60))
		defer reportCPU(b, "cpu-us/op", 1e3)()
		for b.Loop() {
			frames := 0
			_, err := inst.Decode(b.Context(), &sandbox.Call{
				Request: req, Input: strings.NewReader(card), Emit: func(abi.Kind, []byte) bool { frames++; return false },
			})
			if err != nil || frames != 3 {
				b.Fatal(frames, err)
			}
			if err := inst.Reset(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// reportCPU says what of the loop that follows was this process's own computing: a machine that does other things makes it last longer, but
// does not change that by much.
func reportCPU(b *testing.B, unit string, per float64) (done func()) {
	start := cpuTime(b)
	return func() { b.ReportMetric(float64(cpuTime(b)-start)/per/float64(b.N), unit) }
}

func cpuTime(b *testing.B) int64 {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return ru.Utime.Nano() + ru.Stime.Nano()
}
