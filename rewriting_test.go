//go:build unix

package glovebox_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/glovebox-wasm/glovebox/testdata/samples"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// BenchmarkRewriting runs each decoder as the toolchain built it and as the rewriter made it, one after the other in turn, under the same
// bare host, and prints the ratio of their times: the price of fuel, depth, and all the rest. Both times are of the process, not of the
// clock, so that what else the machine does weighs little.
func BenchmarkRewriting(b *testing.B) {
	photo, err := samples.Photo(1200, 900)
	if err != nil {
		b.Fatal(err)
	}
	picture, err := samples.PNG(640, 480)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name, decoder string
		file          sampleFile
	}{
		{"pdf", "pdf", sampleFile{"", "application/pdf", samples.PDF(thirtyPages())}},
		{"jpeg", "image", sampleFile{"", "image/jpeg", photo}},
		{"png", "image", sampleFile{"", "image/png", picture}},
		{"text", "text", sampleFile{"", "text/plain", samples.Lines(50_000)}},
	} {
		b.Run(c.name, func(b *testing.B) {
			plain := originalGuest(b, c.decoder)
			rewritten, err := wasmbinary.Rewrite(plain, nil)
			if err != nil {
				b.Fatal(err)
			}
			compiler := wazero.NewRuntimeConfigCompiler().WithCompilationCache(bareCache(b))
			before, after := newBareGuest(b, compiler, plain, c.file), newBareGuest(b, compiler, rewritten, c.file)
			var slow, fast []time.Duration
			pair := func() {
				fast = append(fast, before.run())
				slow = append(slow, after.run())
			}
			pair() // the heap grows
			fast, slow = fast[:0], slow[:0]
			for b.Loop() {
				pair()
			}
			for len(slow) < 15 { // fewer say nothing
				pair()
			}
			b.ReportMetric(float64(quartile(slow))/float64(quartile(fast)), "x-plain")
			b.ReportMetric(float64(after.refuels)/float64(len(slow)+1), "refuels")
		})
	}
}

// What a decoder emits does not change by the rewriting, on either engine: original and rewritten module get the same inputs under the same
// host, twice, and every frame is compared.
func TestRewrittenAgainstOriginal(t *testing.T) {
	small, err := samples.PNG(24, 16)
	if err != nil {
		t.Fatal(err)
	}
	tiny, err := samples.Photo(40, 30)
	if err != nil {
		t.Fatal(err)
	}
	files := sampleFiles(t)
	inputs := map[string][]sampleFile{ // the last one of each is small enough for the interpreter, which is a hundred times slower
		"pdf":   {files["pdf30"], files["pdf1"]},
		"image": {files["jpeg"], files["png"], {"", "image/png", small}, {"", "image/jpeg", tiny}},
		"text":  {{"", "text/plain", samples.Lines(5000)}, files["text2k"]},
	}
	for name, list := range inputs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			plain := originalGuest(t, name)
			rewritten, err := wasmbinary.Rewrite(plain, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i, f := range list {
				want := emitted(t, wazero.NewRuntimeConfigCompiler(), plain, f)
				if got := emitted(t, wazero.NewRuntimeConfigCompiler(), rewritten, f); got != want {
					t.Errorf("input %d: the rewritten module emits something else, compiled", i)
				}
				if i < len(list)-1 {
					continue
				}
				if got := emitted(t, wazero.NewRuntimeConfigInterpreter(), plain, f); got != want {
					t.Errorf("input %d: the engines differ on the original", i)
				}
				if got := emitted(t, wazero.NewRuntimeConfigInterpreter(), rewritten, f); got != want {
					t.Errorf("input %d: the rewritten module emits something else, interpreted", i)
				}
			}
		})
	}
}

// emitted runs a module twice on one input and returns the digest of the second run's frames.
func emitted(t *testing.T, config wazero.RuntimeConfig, wasm []byte, f sampleFile) string {
	t.Helper()
	g := newBareGuest(t, config.WithCompilationCache(bareCache(t)), wasm, f)
	g.run()
	first := g.sum.Sum(nil)
	g.run()
	if second := g.sum.Sum(nil); !bytes.Equal(first, second) {
		t.Error("the same input gives other frames the second time")
	}
	return hex.EncodeToString(first)
}

// bareCache keeps what the bare host compiles.
func bareCache(t testing.TB) wazero.CompilationCache {
	t.Helper()
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(testCache(t), "bare"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cache.Close(context.Background()) })
	return cache
}

// originalGuest builds a decoder's module as `make wasm` does, before it is rewritten.
func originalGuest(b testing.TB, name string) []byte {
	b.Helper()
	out := filepath.Join(b.TempDir(), name+".wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-buildmode=c-shared", "-o", out, "./decoders/"+name+"/guest")
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0")
	if msg, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, msg)
	}
	wasm, err := os.ReadFile(out)
	if err != nil {
		b.Fatal(err)
	}
	return wasm
}

// bareGuest is a module under a host that does as little as it can, with or without the wall.
type bareGuest struct {
	b       testing.TB
	mod     api.Module
	fuel    api.MutableGlobal // nil: as the toolchain built it
	request []byte
	input   []byte
	out     int       // bytes emitted by the last run
	sum     hash.Hash // over kinds and frames of the last run
	refuels int
}

func newBareGuest(b testing.TB, config wazero.RuntimeConfig, wasm []byte, f sampleFile) *bareGuest {
	b.Helper()
	ctx := context.Background()
	g := &bareGuest{b: b, input: f.data, sum: sha256.New()}
	var err error
	if g.request, err = json.Marshal(request(f)); err != nil {
		b.Fatal(err)
	}
	rt := wazero.NewRuntimeWithConfig(ctx, config)
	b.Cleanup(func() { rt.Close(ctx) })
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	g.host(ctx, rt)
	code, err := rt.CompileModule(ctx, wasm)
	if err != nil {
		b.Fatal(err)
	}
	if g.mod, err = rt.InstantiateModule(ctx, code, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		b.Fatal(err)
	}
	if state, err := wasmbinary.ReadState(wasm); err == nil {
		g.fuel = g.mod.ExportedGlobal(state.Fuel).(api.MutableGlobal)
		for _, d := range state.Data {
			g.mod.Memory().Write(d.Offset, d.Bytes)
		}
	}
	if _, err := g.mod.ExportedFunction("_initialize").Call(ctx); err != nil {
		b.Fatal(err)
	}
	return g
}

// host gives the guest the functions of the ABI and the wall's refuel.
func (g *bareGuest) host(ctx context.Context, rt wazero.Runtime) {
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	hb := rt.NewHostModuleBuilder("glovebox")
	add := func(name string, params, results []api.ValueType, fn func(m api.Module, st []uint64)) {
		hb.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, st []uint64) { fn(m, st) }), params, results).Export(name)
	}
	add("request_len", nil, []api.ValueType{i32}, func(_ api.Module, st []uint64) { st[0] = uint64(len(g.request)) })
	add("request_read", []api.ValueType{i32}, nil, func(m api.Module, st []uint64) { m.Memory().Write(uint32(st[0]), g.request) })
	add("input_len", nil, []api.ValueType{i64}, func(_ api.Module, st []uint64) { st[0] = uint64(len(g.input)) })
	add("input_read", []api.ValueType{i64, i32, i32}, []api.ValueType{i32}, func(m api.Module, st []uint64) {
		off := min(st[0], uint64(len(g.input)))
		n := min(uint64(uint32(st[2])), uint64(len(g.input))-off)
		m.Memory().Write(uint32(st[1]), g.input[off:off+n])
		st[0] = n
	})
	add("emit", []api.ValueType{i32, i32, i32}, []api.ValueType{i32}, func(m api.Module, st []uint64) {
		frame, ok := m.Memory().Read(uint32(st[1]), uint32(st[2]))
		if !ok {
			g.b.Error("a frame outside the memory")
		}
		fmt.Fprintf(g.sum, "%d %d\n", uint32(st[0]), len(frame)) // the upper half of an i32 is anything
		g.sum.Write(frame)
		g.out += len(frame)
		st[0] = 0
	})
	add("log", []api.ValueType{i32, i32, i32}, nil, func(api.Module, []uint64) {})
	wall := rt.NewHostModuleBuilder(wasmbinary.WallModule)
	wall.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		g.refuels++
		time.Now() // what the sandbox does at least
		g.fuel.Set(wasmbinary.SliceFuel)
	}), nil, nil).Export(wasmbinary.WallRefuel)
	for _, m := range []wazero.HostModuleBuilder{hb, wall} {
		if _, err := m.Instantiate(ctx); err != nil {
			g.b.Fatal(err)
		}
	}
}

// run decodes once and returns the processor's time for it.
func (g *bareGuest) run() time.Duration {
	if g.fuel != nil {
		g.fuel.Set(wasmbinary.SliceFuel)
	}
	g.out = 0
	g.sum.Reset()
	start := processTime(g.b)
	res, err := g.mod.ExportedFunction("glovebox_decode").Call(context.Background())
	took := processTime(g.b) - start
	if err != nil || res[0] != 0 || g.out == 0 {
		g.b.Fatalf("%v, result %v, %d bytes", err, res, g.out)
	}
	return took
}

// quartile is the lower one: what else the machine does makes a run longer, never shorter.
func quartile(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/4]
}

// processTime is the time that this process has computed, without the kernel's for it: page faults of a growing heap are the same on both
// sides and far from constant.
func processTime(b testing.TB) time.Duration {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ru.Utime.Nano())
}
