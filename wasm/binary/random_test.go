package binary_test

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// generatedOptions are those of a generated module.
func generatedOptions(g Generated) *difftest.Options {
	return &difftest.Options{Exact: binary.CountExact, Probes: g.Probes}
}

// TestRandomModules compares generated modules with what the rewriter makes of them: results, traps, memory, globals, tables,
// fuel, and that what was charged is no less than what was executed.
func TestRandomModules(t *testing.T) {
	lab := difftest.NewLab(t)
	rapid.Check(t, func(rt *rapid.T) {
		g := Generate(rapid.SliceOfN(rapid.Byte(), 0, 600).Draw(rt, "choices"))
		lab.Differential(g.Wasm, generatedOptions(g), g.Calls)
	})
}

// randomChoices gives n lists of choices, all random: long modules, which rapid hardly ever draws. The same each time.
func randomChoices(n int) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		r := rand.New(rand.NewPCG(1, 2))
		for range n {
			choices := make([]byte, 50+r.IntN(2500))
			for i := range choices {
				choices[i] = byte(r.Uint32())
			}
			if !yield(choices) {
				return
			}
		}
	}
}

// manyModules is how many of them the tests make.
func manyModules() int {
	if testing.Short() {
		return 30
	}
	return 200
}

func TestManyRandomModules(t *testing.T) {
	lab := difftest.NewLab(t)
	n, fuel := 0, int64(0)
	traps := map[string]int{}
	for choices := range randomChoices(manyModules()) {
		g := Generate(choices)
		r := lab.Differential(g.Wasm, generatedOptions(g), g.Calls)
		n++
		fuel += r.Fuel
		if r.Trap != "" {
			traps[r.Trap]++
		}
	}
	t.Logf("%d modules, %d units of fuel, traps %v", n, fuel, traps)
	trapped := 0
	for _, c := range traps {
		trapped += c
	}
	if trapped > n/2 {
		t.Errorf("%d of %d modules trapped: the generator has become useless", trapped, n)
	}
}

// TestEveryInstructionIsGenerated reads the generated modules again: every opcode that the parser knows must be in them, in
// code that the parser itself counts.
func TestEveryInstructionIsGenerated(t *testing.T) {
	seen := map[uint16]int{}
	for choices := range randomChoices(300) {
		m, err := binary.Parse(Generate(choices).Wasm, nil)
		if err != nil {
			t.Fatal(err)
		}
		binary.CountOpcodes(m, seen)
	}
	known := binary.Opcodes()
	if len(known) < 430 {
		t.Fatalf("only %d opcodes are known", len(known))
	}
	for _, op := range known {
		if seen[op] < 5 {
			t.Errorf("opcode %#x is generated %d times in 300 modules", op, seen[op])
		}
	}
	for op := range seen {
		if !slices.Contains(known, op) {
			t.Errorf("opcode %#x is generated and not known", op)
		}
	}
}

// TestEveryInstructionIsExecuted: it is not enough that an instruction stands somewhere. An end counts as executed where code
// falls through to it, an else where what it belongs to is.
func TestEveryInstructionIsExecuted(t *testing.T) {
	lab := difftest.NewLab(t)
	executed := map[uint16]int{}
	for choices := range randomChoices(manyModules()) {
		g := Generate(choices)
		wasm, names, err := binary.NoteOpcodes(g.Wasm)
		if err != nil {
			t.Fatal(err)
		}
		in, err := lab.Start("compiler", wasm, false, 0, difftest.Input{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range g.Calls {
			if _, trap := in.Call(c.Name, c.Args...); trap != "" {
				break
			}
		}
		for op, name := range names {
			if in.Global(name) != 0 {
				executed[op]++
			}
		}
		lab.Forget()
	}
	missing, least := 0, 1<<30
	for _, op := range binary.Opcodes() {
		if op == 0x05 { // else
			continue
		}
		if least = min(least, executed[op]); executed[op] == 0 {
			missing++
			if !testing.Short() {
				t.Errorf("opcode %#x is never executed", op)
			}
		}
	}
	t.Logf("%d opcodes are not executed, the rarest in %d modules", missing, least)
}

// FuzzDifferential does the same for the fuzzer's choices.
func FuzzDifferential(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 2, 0, 1, 1, 2, 1, 4, 14, 3, 7, 9, 200, 13, 5, 5, 5, 8, 1, 0, 11, 2, 6, 90, 17, 33, 4, 4, 250})
	for choices := range randomChoices(5) {
		f.Add(choices)
	}
	lab := difftest.NewLab(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		if len(choices) > 3000 {
			choices = choices[:3000]
		}
		g := Generate(choices)
		lab.On(t).Differential(g.Wasm, generatedOptions(g), g.Calls)
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
	for choices := range randomChoices(3) {
		out = append(out, Generate(choices).Wasm)
	}
	for _, c := range BadModules() {
		if wasm := c.Wasm(); len(wasm) < 1000 { // large seeds make a fuzzer slow
			out = append(out, wasm)
		}
	}
	return out
}

// FuzzParse: any bytes give a module or a *RuleError, and a report in any case.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := binary.Parse(b, nil)
		if (m == nil) == (ruleOf(err) == "") {
			t.Fatalf("%v, %v", m, err)
		}
		r, again := binary.Inspect(b, nil)
		if _, admitted := binary.Admit(b, nil); r == nil || ruleOf(again) != ruleOf(admitted) {
			t.Fatalf("%v, %v, Admit says %v", r, again, admitted)
		}
	})
}

// FuzzRewrite: what is admitted and compiles, compiles rewritten too; the output parses, and it carries a state that reads.
func FuzzRewrite(f *testing.F) {
	for _, s := range seeds() {
		f.Add(s)
	}
	all := difftest.NewLab(f)
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
		lab := all.On(t)
		defer lab.Forget()
		if _, err := lab.Compile("interpreter", b); err != nil {
			return
		}
		if _, err := lab.Compile("interpreter", out); err != nil {
			t.Fatalf("the original compiles, the output does not: %v", err)
		}
	})
}
