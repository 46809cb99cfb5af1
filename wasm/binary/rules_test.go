package binary_test

import (
	"bytes"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// TestPaddedIntegers: padding up to the type's own length is allowed, and linkers use it.
func TestPaddedIntegers(t *testing.T) {
	m := shell()
	m.ExportFunc("f", m.RawFunc(m.Type(i32s(1), i32s(1)), Cat(U32(0), Code{0x20, 0x80, 0x80, 0x80, 0x80, 0x00},
		Code{0x41, 0xff, 0xff, 0xff, 0xff, 0x7f}, Code{0x6a}, Code{0x42, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f}, Drop, End)))
	differential(t, m.Bytes(), nil, calls01)
}

// TestABIExports: what a guest of ABI version 1 must export.
func TestABIExports(t *testing.T) {
	good := func() *Module {
		m := New()
		m.Memory(1, 1)
		m.ExportMemory("memory")
		f := m.Func(nil, i32s(1), nil, I32Const(1))
		for _, name := range []string{"glovebox_abi", "glovebox_describe", "glovebox_decode"} {
			m.ExportFunc(name, f)
		}
		return m
	}
	opts := &binary.AdmitOptions{RequireABI: true}
	if _, err := binary.Admit(good().Bytes(), opts); err != nil {
		t.Fatal(err)
	}
	bad := map[string]*Module{"nothing": shell(), "an _initialize with results": good()}
	bad["an _initialize with results"].ExportFunc("_initialize", 0)
	other := New()
	other.Memory(1, 1)
	other.ExportMemory("memory")
	other.ExportFunc("glovebox_abi", other.Func(nil, Types{I64}, nil, I64Const(1)))
	bad["another type"] = other
	for name, m := range bad {
		if _, err := binary.Admit(m.Bytes(), opts); ruleOf(err) != binary.RuleExportABI {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOptionsRefused: a caller's own contradictions.
func TestOptionsRefused(t *testing.T) {
	wasm := shell().Bytes()
	for name, o := range map[string]*binary.RewriteOptions{
		"no page for the host": {MaxMemoryPages: 65536},
		"negative depth":       {MaxDepth: -1},
		"table":                {MaxTableElems: 1<<27 + 1},
		"negative limit":       {Admit: &binary.AdmitOptions{Limits: &binary.Limits{MaxFuncs: -1}}},
	} {
		if _, err := binary.Rewrite(wasm, o); ruleOf(err) != binary.RuleOptions {
			t.Errorf("%s: %v", name, err)
		}
	}
	m := New()
	m.Memory(11, -1)
	if _, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{MaxMemoryPages: 10}); ruleOf(err) != binary.RuleMemoryMin {
		t.Errorf("minimum above the cap: %v", err)
	}
	if _, err := binary.Parse(wasm, &binary.Limits{MaxModuleBytes: len(wasm) - 1}); ruleOf(err) != binary.RuleModuleSize {
		t.Errorf("module size: %v", err)
	}
	if _, err := binary.Parse(wasm, &binary.Limits{MaxModuleBytes: len(wasm)}); err != nil {
		t.Errorf("exactly the module size: %v", err)
	}
}

// everything is a module with every section and every kind of content.
func everything() []byte {
	m := allForms()
	m.Custom("name", Cat(Code{1}, Name(string(Vec(Cat(U32(0), Name("f")))))))
	m.Custom("producers", []byte("whoever"))
	return m.Bytes()
}

func allForms() *Module {
	m := New()
	log := m.Import("glovebox", "log", i32s(3), nil)
	m.Memory(1, 3)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(-7))
	m.Global(F64, false, F64Const(1))
	m.ExportGlobal("g", 0)
	m.Table(FuncRef, 4, 9)
	m.Table(ExternRef, 4, -1)
	f := m.Func(i32s(1), i32s(1), Types{I64, V128}, Get(0), If(I32, I32Const(1), Else, I32Const(2)), I32Const(4), I32Add, Call(log+2))
	g := m.Func(nil, nil, nil, Block(Void, I32Const(1), BrTable(1, 0, 0)), I32Const(1), I32Const(0), I32Const(0), MemoryInit(0), DataDrop(1))
	m.Elem(0, 0, f, log)
	m.PassiveElem(g)
	m.RawElem(Cat(U32(3), Code{0}, Vec(U32(f))))
	m.RawElem(Cat(U32(4), I32Const(1), End, Vec(Cat(RefNull(FuncRef), End), Cat(RefFunc(g), End))))
	m.RawElem(Cat(U32(6), U32(1), I32Const(1), End, Code{ExternRef}, Vec(Cat(RefNull(ExternRef), End))))
	m.RawElem(Cat(U32(7), Code{FuncRef}, Vec(Cat(RefFunc(f), End))))
	m.RawElem(Cat(U32(0), I32Const(0), End, Vec(U32(g))))
	m.Data(5, []byte("data"))
	m.PassiveData([]byte("passive"))
	m.RawData(Cat(U32(2), U32(0), I32Const(9), End, U32(1), Code("x")))
	m.Start(g)
	m.ExportFunc("f", f)
	return m
}

// TestCutAndChanged: a module cut at any byte, or with any byte replaced, is refused or admitted, and never more than that.
func TestCutAndChanged(t *testing.T) {
	wasm := everything()
	if _, err := binary.Rewrite(wasm, nil); err != nil {
		t.Fatal(err)
	}
	check := func(what string, at int, b []byte) {
		out, err := binary.Rewrite(b, nil)
		if err != nil {
			if ruleOf(err) == "" {
				t.Fatalf("%s %d: %v", what, at, err)
			}
			return
		}
		if _, err := binary.Parse(out, nil); err != nil {
			t.Fatalf("%s %d: the output: %v", what, at, err)
		}
		if _, err := binary.ReadState(out); err != nil {
			t.Fatalf("%s %d: its state: %v", what, at, err)
		}
	}
	for i := range wasm {
		check("cut", i, wasm[:i])
		for _, x := range []byte{0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xff, wasm[i] + 1, wasm[i] ^ 0x80} {
			b := bytes.Clone(wasm)
			b[i] = x
			check("changed", i, b)
		}
	}
}

// TestEveryElementForm: the rewritten module holds the same tables.
func TestEveryElementForm(t *testing.T) {
	differential(t, everything(), nil, []invocation{inv("f", 0)})
}
