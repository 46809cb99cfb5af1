package binary_test

import (
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// TestRandomModules compares generated modules with what the rewriter makes of them: results, traps, memory, globals, fuel, and
// that what was charged is no less than what was executed.
func TestRandomModules(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		wasm, calls := generate(rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(rt, "choices"))
		differential(t, wasm, nil, calls)
	})
}

// TestManyRandomModules does the same for choices that are all random: long modules, which rapid hardly ever draws.
func TestManyRandomModules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	n := 300
	if testing.Short() {
		n = 30
	}
	traps := 0
	for range n {
		choices := make([]byte, 50+r.IntN(1500))
		for i := range choices {
			choices[i] = byte(r.Uint32())
		}
		wasm, calls := generate(choices)
		differential(t, wasm, nil, calls)
		in, err := start(t, "interpreter", wasm, false, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range calls {
			if _, trap := in.Call(c.Name, c.Args...); trap != "" {
				traps++
				break
			}
		}
	}
	if traps > n/2 {
		t.Errorf("%d of %d modules trapped: the generator has become useless", traps, n)
	}
}

// FuzzDifferential does the same for the fuzzer's choices.
func FuzzDifferential(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 2, 0, 1, 1, 2, 1, 4, 14, 3, 7, 9, 200, 13, 5, 5, 5, 8, 1, 0, 11, 2, 6, 90, 17, 33, 4, 4, 250})
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 2000 {
			t.Skip()
		}
		wasm, calls := generate(choices)
		differential(t, wasm, nil, calls)
	})
}

// seeds are modules of every kind that the tests have: the fuzzers begin with them.
func seeds() [][]byte {
	out := [][]byte{everything(), memoryModule().Bytes()}
	for _, s := range shapes {
		m := shell()
		s.build(m)
		out = append(out, m.Bytes())
	}
	return out
}

// FuzzParse: any bytes give a module or a *RuleError.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := binary.Parse(b, nil)
		if (m == nil) == (ruleOf(err) == "") {
			t.Fatalf("%v, %v", m, err)
		}
	})
}

// FuzzRewrite: what is admitted and compiles, compiles rewritten too; the output parses, and it carries a state that reads.
func FuzzRewrite(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		out, err := binary.Rewrite(b, nil)
		if err != nil {
			if ruleOf(err) == "" {
				t.Fatal(err)
			}
			return
		}
		if _, err := binary.Parse(out, nil); err != nil {
			t.Fatalf("the output: %v", err)
		}
		if _, err := binary.ReadState(out); err != nil {
			t.Fatal(err)
		}
		lab := difftest.New(t)
		if _, err := lab.Compile("interpreter", b); err != nil {
			return
		}
		if _, err := lab.Compile("interpreter", out); err != nil {
			t.Fatalf("the original compiles, the output does not: %v", err)
		}
	})
}
