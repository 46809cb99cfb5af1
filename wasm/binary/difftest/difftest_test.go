package difftest_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// recorder is a test that remembers why it ended.
type recorder struct {
	testing.TB
	failed string
}

type ended struct{}

func (r *recorder) Helper() {}
func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	panic(ended{})
}

// subject has a call, a loop, a table and a number to observe.
func subject() []byte {
	m := New()
	m.Memory(1, 2)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(7))
	m.ExportGlobal("g", 0)
	m.Table(FuncRef, 2, 4)
	bump := m.Func(nil, nil, nil, GlobalGet(0), I32Const(3), I32Mul, GlobalSet(0))
	m.Elem(0, 0, bump)
	m.ExportFunc("f", m.Func(Types{I32}, Types{I32}, nil, Loop(Void, Call(bump), I32Const(64), GlobalGet(0), Mem(0x36, 2, 0),
		Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)), GlobalGet(0)))
	m.ExportFunc("size", m.Func(nil, Types{I32}, nil, TableSize(0)))
	return m.Bytes()
}

// TestNotices plants differences between original and output: each must be seen, and for its own reason.
func TestNotices(t *testing.T) {
	wasm := subject()
	replace := func(old, with Code) func([]byte) []byte {
		return func(b []byte) []byte {
			if !bytes.Contains(b, old) || len(old) != len(with) {
				t.Fatalf("nothing to plant: % x", old)
			}
			return bytes.Replace(bytes.Clone(b), old, with, 1)
		}
	}
	for _, c := range []struct {
		name, want string
		plant      func([]byte) []byte
	}{
		{"nothing", "", func(b []byte) []byte { return b }},
		{"another product", "rewritten on compiler", replace(Cat(I32Const(3), I32Mul), Cat(I32Const(3), I32Add))},
		{"another address", "rewritten on compiler", replace(I32Const(64), Cat(Code{0x41}, Code{0xc4, 0x00}))},
		{"depth not given back", "the depth is", replace(Cat(I32Sub, GlobalSet(2)), Cat(I32Add, GlobalSet(2)))},
		{"a larger table", "size", replace(Cat(Code{FuncRef, 1}, U32(2), U32(2)), Cat(Code{FuncRef, 1}, U32(3), U32(3)))},
		{"free of charge", "charged", func(b []byte) []byte { // every subtraction of fuel adds instead
			out := bytes.ReplaceAll(b, Cat(Op(0x7d), GlobalSet(1)), Cat(Op(0x7c), GlobalSet(1)))
			if bytes.Equal(out, b) {
				t.Fatal("nothing to plant")
			}
			return out
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rewritten, err := binary.Rewrite(wasm, nil)
			if err != nil {
				t.Fatal(err)
			}
			opts := &difftest.Options{Exact: exactOf, Probes: []Invocation{{Name: "size"}}}
			failed := failure(t, wasm, c.plant(rewritten), opts, []Invocation{{Name: "f", Args: []uint64{9}}})
			if (failed == "") != (c.want == "") || !strings.Contains(failed, c.want) {
				t.Errorf("%q, want %q", failed, c.want)
			}
		})
	}
}

// failure compares two modules and gives the reason why the test would end, or "".
func failure(t *testing.T, wasm, rewritten []byte, opts *difftest.Options, calls []Invocation) string {
	t.Helper()
	r := &recorder{TB: t}
	lab := difftest.NewLab(t)
	func() {
		defer func() {
			if v := recover(); v != nil && v != (ended{}) {
				panic(v)
			}
		}()
		lab.CompareTo(r, wasm, rewritten, opts, calls)
	}()
	return r.failed
}

// TestEnginesDisagree pins a difference that wazero 1.12 has and the specification allows: the bits of a NaN that the minimum of
// two vectors gives. It is what the generator keeps out of sight, and it is noticed where nothing does.
func TestEnginesDisagree(t *testing.T) {
	module := func(rest ...Code) []byte {
		m := New()
		m.Memory(1, 1)
		m.Func(nil, nil, nil)
		m.ExportFunc("f", m.Func(nil, Types{I64}, Types{V128}, V128Const(0, 0xfff8000000000005), V128Const(0, 0), Vector(0xf4), Cat(rest...), Vector(0x1d, 1)))
		return m.Bytes()
	}
	same := Cat(Tee(0), V128Const(0x7ff8000000000000, 0x7ff8000000000000), Get(0), Get(0), Vector(0x47), Vector(0x52))
	for _, c := range []struct {
		wasm []byte
		want string
	}{{module(), "the engines disagree on the original"}, {module(same), ""}} {
		rewritten, err := binary.Rewrite(c.wasm, nil)
		if err != nil {
			t.Fatal(err)
		}
		if failed := failure(t, c.wasm, rewritten, &difftest.Options{}, []Invocation{{Name: "f"}}); !strings.HasPrefix(failed, c.want) || failed == "" && c.want != "" {
			t.Errorf("%q, want %q", failed, c.want)
		}
	}
}

// exactOf gives a module whose export "count" says that a thousand units were executed.
func exactOf([]byte) ([]byte, error) {
	wasm := New()
	wasm.Memory(1, 1)
	wasm.ExportMemory("memory")
	wasm.Global(I32, true, I32Const(0))
	wasm.ExportGlobal("g", 0)
	wasm.Global(I64, true, I64Const(9*16))
	wasm.ExportGlobal("count", 1)
	wasm.ExportFunc("f", wasm.Func(Types{I32}, Types{I32}, nil, Get(0)))
	wasm.ExportFunc("size", wasm.Func(nil, Types{I32}, nil, I32Const(0)))
	return wasm.Bytes(), nil
}

// TestTrapsAndHost: a trap ends the calls, not the probes, and what a guest gives the host is compared too.
func TestTrapsAndHost(t *testing.T) {
	m := New()
	length := m.Import("glovebox", "input_len", nil, Types{I64})
	read := m.Import("glovebox", "input_read", Types{I64, I32, I32}, Types{I32})
	emit := m.Import("glovebox", "emit", Types{I32, I32, I32}, Types{I32})
	m.Import("wasi_snapshot_preview1", "sched_yield", nil, Types{I32})
	m.Memory(1, 1)
	m.ExportMemory("memory")
	m.Global(I64, true, I64Const(0))
	m.ExportGlobal("g", 0)
	m.ExportFunc("f", m.Func(nil, nil, nil, Call(length), GlobalSet(0), I64Const(2), I32Const(100), I32Const(50), Call(read), Drop,
		I32Const(3), I32Const(100), I32Const(3), Call(emit), Drop))
	m.ExportFunc("trap", m.Func(nil, nil, nil, Unreachable))
	var got []byte
	lab := difftest.NewLab(t)
	opts := &difftest.Options{Input: difftest.Input{Input: []byte("abcdef")}, Probes: []Invocation{{Name: "f"}}}
	r := lab.Differential(m.Bytes(), opts, []Invocation{{Name: "f"}, {Name: "trap"}, {Name: "f"}})
	if !strings.Contains(r.Trap, "unreachable") || r.Fuel < 6*1000 {
		t.Errorf("%+v", r)
	}
	in, err := lab.Start("interpreter", r.Rewritten, true, 1<<40, opts.Input)
	if err != nil {
		t.Fatal(err)
	}
	in.OnImport = func(name string) { got = append(got, name...) }
	if _, trap := in.Call("f"); trap != "" || string(got) != "emit" || in.Global("g") != 6 {
		t.Errorf("%s, %s, %d", trap, got, in.Global("g"))
	}
	if b, _ := in.Mod.Memory().Read(100, 4); string(b) != "cdef" {
		t.Errorf("read %q", b)
	}
}
