package binary_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// sectionEnds gives the offset behind each section, and behind the header, with the id of the section that ends there.
func sectionEnds(wasm []byte) map[int]byte {
	ends := map[int]byte{8: 0xff}
	for at := 8; at < len(wasm); {
		id, size, shift := wasm[at], 0, 0
		for at++; ; at++ {
			size |= int(wasm[at]&0x7f) << shift
			if shift += 7; wasm[at] < 0x80 {
				break
			}
		}
		at += 1 + size
		ends[at] = id
	}
	return ends
}

// TestCutAnywhere: a module cut at any byte is refused, but for cuts between sections that leave something whole. What is left
// then holds no function, or all of them.
func TestCutAnywhere(t *testing.T) {
	modules := map[string][]byte{"everything": everything(), "shell": Shell(), "hostile": HostileModules()[0].Wasm()}
	for choices := range randomChoices(2) {
		modules["generated"] = Generate(choices).Wasm
	}
	for name, wasm := range modules {
		whole, err := binary.Admit(wasm, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ends := sectionEnds(wasm)
		refused, admitted := map[string]int{}, 0
		for i := range wasm {
			m, err := binary.Admit(wasm[:i], nil)
			if err != nil {
				refused[binary.RuleOf(err)]++
				continue
			}
			admitted++
			if _, ok := ends[i]; !ok || len(m.Funcs) != 0 && len(m.Funcs) != len(whole.Funcs) {
				t.Errorf("%s cut at %d of %d is admitted", name, i, len(wasm))
			}
		}
		if refused[""] != 0 || admitted > len(ends) || len(refused) < 2 {
			t.Errorf("%s: refused by %v, admitted %d", name, refused, admitted)
		}
	}
}

// TestCutBodies: every cut of the only section with code, its sizes put right, is refused: no body runs that is not whole.
func TestCutBodies(t *testing.T) {
	for choices := range randomChoices(3) {
		m, err := binary.Parse(Generate(choices).Wasm, nil)
		if err != nil {
			t.Fatal(err)
		}
		longest := slices.MaxFunc(m.Funcs, func(a, b binary.Func) int { return a.Instrs - b.Instrs })
		wasm := Generate(choices).Wasm
		code := wasm[longest.Start:longest.End]
		for i := range code {
			cut := New()
			cut.Memory(1, 1)
			cut.RawFunc(cut.Type(nil, nil), Cat(U32(0), code[:i]))
			if _, err := binary.Admit(cut.Bytes(), nil); err == nil {
				t.Fatalf("cut at %d of %d: admitted", i, len(code))
			}
		}
	}
}

// TestInvalidStaysInvalid: admission leaves the types of operands to the engine, so the rewriter must never make an invalid module
// valid. Generated modules with a byte of their code changed: whatever the engine refuses, it refuses rewritten too, and what it
// takes it takes rewritten.
func TestInvalidStaysInvalid(t *testing.T) {
	lab := difftest.NewLab(t)
	valid, invalid := 0, 0
	n := 60
	if testing.Short() {
		n = 10
	}
	for choices := range randomChoices(n) {
		wasm := Generate(choices[:50+len(choices)/8]).Wasm
		m, err := binary.Parse(wasm, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 20 {
			f := m.Funcs[int(choices[i])%len(m.Funcs)]
			at := f.Start + (int(choices[i+20])<<8|int(choices[i+1]))%(f.End-f.Start)
			b := slices.Clone(wasm)
			b[at] = []byte{choices[i+2], I32Add[0], Drop[0], 0x20, Nop[0], Return[0], Unreachable[0], b[at] + 1}[i%8]
			rewritten, err := binary.Rewrite(b, nil)
			if err != nil {
				continue
			}
			_, original := lab.Compile("interpreter", b)
			_, output := lab.Compile("interpreter", rewritten)
			if (original == nil) != (output == nil) {
				t.Fatalf("byte %d = %#x: original %v, rewritten %v", at, b[at], original, output)
			}
			if original == nil {
				valid++
			} else {
				invalid++
			}
			lab.Forget()
		}
	}
	t.Logf("%d valid, %d invalid", valid, invalid)
	if valid < n || invalid < n {
		t.Errorf("%d valid, %d invalid: the changes have become useless", valid, invalid)
	}
}

// TestInspect: a report of a good module, and of one that is refused as far as it was read.
func TestInspect(t *testing.T) {
	r, err := binary.Inspect(everything(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &binary.Report{
		Imports: []binary.ImportReport{{Module: "glovebox", Name: "log", Type: binary.FuncType{Params: []binary.ValType{binary.I32, binary.I32, binary.I32}}}},
		Exports: []binary.ExportReport{{Name: "memory", Kind: "memory"}, {Name: "g", Kind: "global", Type: "mut i32"}, {Name: "f", Kind: "func", Type: "(i32) -> (i32)"}},
		Tables:  []binary.Table{{Type: binary.FuncRef, Min: 4, Max: 9}, {Type: binary.ExternRef, Min: 4, Max: -1}},
		Memory:  &binary.Memory{Min: 1, Max: 3}, Start: true, Bytes: len(everything()), Types: 3, Funcs: 2, Globals: 2, FuncNames: 1,
		Customs:      []binary.Custom{{Name: "name", Bytes: 6}, {Name: "producers", Bytes: 7}},
		DataSegments: 3, DataBytes: 12, ElemSegments: 7, Elems: 9, MostLocals: 2,
		CodeBytes: r.CodeBytes, LargestBody: r.LargestBody, MostInstrs: r.MostInstrs,
	}
	if d := cmp.Diff(want, r); d != "" {
		t.Error(d)
	}
	if r.CodeBytes <= r.LargestBody || r.LargestBody < r.MostInstrs || r.MostInstrs < 8 {
		t.Errorf("%d bytes of code, %d of the largest body, %d instructions", r.CodeBytes, r.LargestBody, r.MostInstrs)
	}
	for _, c := range BadModules() {
		var admit *binary.AdmitOptions
		if c.Opts != nil {
			admit = c.Opts.Admit
		}
		wasm := c.Wasm()
		r, err := binary.Inspect(wasm, admit)
		if _, again := binary.Admit(wasm, admit); binary.RuleOf(err) != binary.RuleOf(again) {
			t.Errorf("%s: %v, Admit says %v", c.Name, err, again)
		}
		if r == nil || r.Bytes != len(wasm) {
			t.Errorf("%s: report %+v", c.Name, r)
		}
	}
	m := New()
	m.Import("glovebox", "log", Types{I32, I32, I32}, nil)
	m.Import("env", "system", nil, nil)
	m.Memory(1, 2)
	m.ExportFunc("f", m.Func(Types{I32}, nil, nil, Br(9)))
	r, err = binary.Inspect(m.Bytes(), nil)
	if binary.RuleOf(err) != binary.RuleLabel || len(r.Imports) != 2 || r.Imports[1].Name != "system" || r.Exports[0].Type != "(i32) -> ()" || r.Funcs != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := binary.Inspect(Shell(), &binary.AdmitOptions{Limits: &binary.Limits{MaxTypes: -1}}); r != nil || binary.RuleOf(err) != binary.RuleOptions {
		t.Errorf("%v, %v", r, err)
	}
}
