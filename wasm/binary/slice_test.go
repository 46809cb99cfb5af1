package binary_test

import (
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// chase follows a chain of addresses through 256 MiB, in an order that no prefetcher follows: the worst work per unit of fuel.
func chase() []byte {
	const pages, line = 4096, 64
	m := New()
	m.Memory(pages, pages)
	m.ExportMemory("memory")
	m.ExportFunc("run", m.Func(Types{I32, I32}, Types{I32}, nil,
		Loop(Void, Repeat(200, Cat(Get(1), Mem(0x28, 2, 0), Set(1))), Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)), Get(1)))
	return m.Bytes()
}

// BenchmarkWorstSlice prints how long the worst slice of SliceFuel takes (bar: 5 ms).
func BenchmarkWorstSlice(b *testing.B) {
	wasm, err := binary.Rewrite(chase(), nil)
	if err != nil {
		b.Fatal(err)
	}
	in, err := start(b, "compiler", wasm, true, binary.SliceFuel)
	if err != nil {
		b.Fatal(err)
	}
	const lines = 256 << 20 >> 6
	step := uint32(1) // a full-period linear congruence over the lines
	for range lines {
		next := (step*1664525 + 1013904223) % lines
		in.Mod.Memory().WriteUint32Le(step*64, next*64)
		step = next
	}
	var slices, total time.Duration
	last := time.Now()
	worst := time.Duration(0)
	in.OnRefuel = func() {
		d := time.Since(last)
		slices++
		total += d
		worst = max(worst, d)
		last = time.Now()
	}
	for b.Loop() {
		last = time.Now()
		if _, trap := in.Call("run", 2000, 64); trap != "" {
			b.Fatal(trap)
		}
	}
	b.ReportMetric(float64(total.Microseconds())/float64(max(slices, 1))/1000, "ms/slice")
	b.ReportMetric(float64(worst.Microseconds())/1000, "ms-worst")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/400_000, "ns/load")
}
