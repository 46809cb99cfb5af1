package binary_test

import (
	"cmp"
	"slices"
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

// BenchmarkWeights measures how long a slice of each instruction alone takes, and prints the worst (bar: 5 ms; loads that miss
// the caches are BenchmarkWorstSlice's). A weight that is far too low shows here.
func BenchmarkWeights(b *testing.B) {
	wasm, list := TimedOperations()
	rewritten, err := binary.Rewrite(wasm, nil)
	if err != nil {
		b.Fatal(err)
	}
	in, err := start(b, "compiler", rewritten, true, binary.SliceFuel)
	if err != nil {
		b.Fatal(err)
	}
	type cost struct {
		name string
		ms   float64
	}
	var costs []cost
	for b.Loop() {
		costs = costs[:0]
		for _, op := range list {
			best := 1e9
			for range 3 { // the least disturbed of three
				fuel, begin := in.Used(), time.Now()
				if _, trap := in.Call(op.Export, 400); trap != "" {
					b.Fatalf("%s: %s", op.Export, trap)
				}
				best = min(best, float64(time.Since(begin).Microseconds())/1000*binary.SliceFuel/float64(in.Used()-fuel))
			}
			costs = append(costs, cost{op.Export, best})
		}
	}
	slices.SortFunc(costs, func(x, y cost) int { return cmp.Compare(y.ms, x.ms) })
	b.ReportMetric(costs[0].ms, "ms-worst-slice")
	b.ReportMetric(costs[len(costs)/2].ms, "ms-median-slice")
	for _, c := range costs[:8] {
		b.Logf("%.3f ms for a slice of %s", c.ms, c.name)
	}
}

// BenchmarkWorstRewrite is rings 1 and 2 for modules near the limits: 5 to 15 MB of what costs them most.
func BenchmarkWorstRewrite(b *testing.B) {
	many := func(n int, body ...Code) []byte {
		m := New()
		m.Memory(1, 1)
		m.Global(I32, true, I32Const(0))
		one := Cat(U32(0), Cat(body...), End)
		m.Section(SecFunction, Cat(U32(uint32(n)), Repeat(n, U32(m.Type(nil, nil)))))
		m.Section(SecCode, Cat(U32(uint32(n)), Repeat(n, Cat(U32(uint32(len(one))), one))))
		return m.Bytes()
	}
	deep, shut := Repeat(1400, Code{0x02, Void}), Repeat(1400, End)
	for name, wasm := range map[string][]byte{
		"nothing":        many(250, Repeat(65000, Nop)),
		"loops":          many(1000, Repeat(1000, Loop(Void))),
		"nested loops":   many(1000, Repeat(1000, Code{0x03, Void}), Repeat(1000, End)),
		"far branches":   many(500, deep, Repeat(4000, Cat(I32Const(0), BrIf(1399))), shut),
		"branch tables":  many(1500, deep, I32Const(0), Code{0x0e}, U32(6500), Repeat(6501, Code{5}), shut),
		"dispatch loops": many(600, Code{0x03, Void}, deep, GlobalGet(0), Code{0x0e, 1, 0, 1}, Repeat(2900, Cat(I32Const(0), GlobalSet(0), Br(1400))), shut, End),
		"tiny functions": many(100_000, Repeat(3, Call(0))),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(wasm)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := binary.Rewrite(wasm, nil); err != nil && binary.RuleOf(err) != binary.RuleOutputSize {
					b.Fatal(err)
				}
			}
		})
	}
}
