package binary_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// memoryModule exports every bulk operation on 4 MiB of memory.
func memoryModule() *Module {
	m := New()
	m.Memory(64, 100)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(0))
	m.ExportGlobal("g", 0)
	three := Cat(Get(0), Get(1), Get(2))
	op := func(name string, code Code) { m.ExportFunc(name, m.Func(i32s(3), nil, nil, three, code)) }
	op("copy", MemoryCopy)
	op("fill", MemoryFill)
	short := m.PassiveData([]byte("a short segment"))
	long := make([]byte, binary.BulkPiece*5/2)
	for i := range long {
		long[i] = byte(i * i >> 8)
	}
	op("init short", MemoryInit(short))
	op("init long", MemoryInit(m.PassiveData(long)))
	m.ExportFunc("drop short", m.Func(nil, nil, nil, DataDrop(short)))
	m.ExportFunc("drop long", m.Func(nil, nil, nil, DataDrop(short+1)))
	m.ExportFunc("grow", m.Func(i32s(1), i32s(2), nil, Get(0), MemoryGrow, MemorySize))
	return m
}

// tableModule exports every bulk operation on tables, and "sum", which tells what a table holds.
func tableModule() *Module {
	m := shell()
	op := func(name string, code Code) {
		m.ExportFunc(name, m.Func(i32s(3), nil, nil, Get(0), Get(1), Get(2), code))
	}
	a := m.Func(nil, i32s(1), nil, I32Const(11))
	b := m.Func(nil, i32s(1), nil, I32Const(22))
	t0, t1 := m.Table(FuncRef, 300_000, 320_000), m.Table(FuncRef, 1000, -1)
	m.Elem(t0, 1, a, b, a)
	fns := make([]uint32, 140_000) // longer than a piece
	for i := range fns {
		fns[i] = []uint32{a, b}[i/3%2]
	}
	elem := m.PassiveElem(fns...)
	few := m.PassiveElem(a, b, b)
	op("table copy", TableCopy(t0, t0))
	op("table copy across", TableCopy(t0, t1))
	op("table init", TableInit(elem, t0))
	op("table init few", TableInit(few, t1))
	m.ExportFunc("drop elem", m.Func(nil, nil, nil, ElemDrop(elem)))
	m.ExportFunc("table fill", m.Func(i32s(2), nil, nil, Get(0), RefFunc(b), Get(1), TableFill(t0)))
	for i, t := range []uint32{t0, t1} {
		m.ExportFunc(fmt.Sprint("table grow ", i), m.Func(i32s(1), i32s(2), nil, RefFunc(a), Get(0), TableGrow(t), TableSize(t)))
	}
	// The sum of what its entries return, each times its index, from local 0 to local 1.
	typ := m.Type(nil, i32s(1))
	m.ExportFunc("sum", m.Func(i32s(2), i32s(1), i32s(1), Loop(Void,
		Get(0), TableGet(t0), Op(0xd1), I32Eqz, If(Void, Get(2), Get(0), CallIndirect(typ, t0), Get(0), I32Mul, I32Add, Set(2)),
		Get(0), I32Const(1), I32Add, Tee(0), Get(1), I32LtU, BrIf(0)), Get(2)))
	return m
}

func TestBulkOperations(t *testing.T) {
	const mib, size = 1 << 20, 4 << 20
	memory, table := memoryModule().Bytes(), tableModule().Bytes()
	u := func(v int64) uint64 { return uint64(uint32(v)) }
	pattern := inv("") // see outcome
	for _, c := range []struct {
		name  string
		calls []invocation
	}{
		{"copy short", []invocation{pattern, inv("copy", 100, 200, 50), inv("copy", 205, 200, 50), inv("copy", 7, 7, 0)}},
		{"copy exactly one piece", []invocation{pattern, inv("copy", 10, 2*mib, mib), inv("copy", 2*mib+5, 10, mib+1)}},
		{"copy forward over itself", []invocation{pattern, inv("copy", 1000, 1003, 5*mib/2)}},
		{"copy backward over itself", []invocation{pattern, inv("copy", 1003, 1000, 5*mib/2), inv("copy", mib+1, 0, 3*mib-1)}},
		{"copy onto itself", []invocation{pattern, inv("copy", 55, 55, 2*mib+1)}},
		{"copy to the end", []invocation{pattern, inv("copy", size-3*mib, 0, 3*mib), inv("copy", 0, size-3*mib, 3*mib)}},
		{"copy destination out of bounds", []invocation{pattern, inv("copy", size-3*mib+1, 0, 3*mib)}},
		{"copy source out of bounds", []invocation{pattern, inv("copy", 0, size-3*mib+1, 3*mib)}},
		{"copy of 4 GiB", []invocation{pattern, inv("copy", 8, 4, u(-1))}},
		{"copy from beyond", []invocation{pattern, inv("copy", 8, u(-4), 2*mib)}},
		{"copy nothing at the end", []invocation{inv("copy", size, size, 0)}},
		{"copy nothing beyond the end", []invocation{inv("copy", size+1, 0, 0)}},
		{"copy short out of bounds", []invocation{pattern, inv("copy", size-1, 0, 2)}},
		{"fill", []invocation{pattern, inv("fill", 3, 0xabc, 77), inv("fill", 100, 5, 5*mib/2), inv("fill", size, 9, 0)}},
		{"fill to the end", []invocation{inv("fill", size-2*mib-1, 7, 2*mib+1)}},
		{"fill out of bounds", []invocation{pattern, inv("fill", size-2*mib, 7, 2*mib+1)}},
		{"fill of 4 GiB", []invocation{pattern, inv("fill", 1, 7, u(-1))}},
		{"init short", []invocation{inv("init short", 40, 2, 7), inv("init short", 50, 15, 0), inv("init short", 50, 15, 1)}},
		{"init short, length of 4 GiB", []invocation{inv("init short", 40, 0, u(-1))}},
		{"init long", []invocation{inv("init long", 40, 3, 2*mib+100), inv("init long", size-5, 9, 5)}},
		{"init long, segment ends", []invocation{pattern, inv("init long", 40, mib, 2*mib)}},
		{"init long, memory ends", []invocation{pattern, inv("init long", 3*mib, 0, 2*mib)}},
		{"init long dropped", []invocation{inv("drop long"), inv("init long", 0, 0, 0), inv("drop long"), inv("init long", 0, 0, 2*mib)}},
		{"init short dropped", []invocation{inv("drop short"), inv("init short", 0, 0, 0), inv("init short", 0, 0, 1)}},
		{"grow", []invocation{inv("grow", 0), inv("grow", 1), inv("fill", size, 3, 65536), inv("grow", 36), inv("grow", 35), inv("grow", 1), inv("grow", u(-1))}},
		{"table copy", []invocation{inv("table init", 0, 0, 140_000), inv("table copy", 5, 7, 139_000), inv("table copy", 140_003, 2, 139_000), inv("sum", 0, 300_000)}},
		{"table copy backward over itself", []invocation{inv("table init", 0, 1, 139_990), inv("table copy", 4, 0, 139_999), inv("sum", 0, 300_000)}},
		{"table copy out of bounds", []invocation{inv("table init", 0, 0, 140_000), inv("table copy", 160_001, 0, 140_000)}},
		{"table copy across", []invocation{inv("table init few", 2, 0, 3), inv("table copy across", 9, 0, 1000), inv("sum", 0, 1100), inv("table copy across", 0, 1, 1000)}},
		{"table init out of bounds", []invocation{inv("table init", 0, 1, 140_000)}},
		{"table init dropped", []invocation{inv("drop elem"), inv("table init", 0, 0, 0), inv("table init", 0, 0, 1)}},
		{"table fill", []invocation{inv("table fill", 3, 5), inv("table fill", 10, 270_000), inv("sum", 0, 300_000), inv("table fill", 29_999, 270_002)}},
		{"table grow", []invocation{inv("table grow 0", 0), inv("table grow 0", 20_000), inv("table grow 0", 1), inv("sum", 300_000, 320_000), inv("table grow 0", u(-1))}},
		{"table grow without maximum", []invocation{inv("table grow 1", 300_000), inv("table grow 1", 5)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wasm := memory
			if strings.HasPrefix(c.name, "table") {
				wasm = table
			}
			differential(t, wasm, nil, c.calls)
		})
	}
}

// TestBulkPays holds the charge of bulk operations against their length, and the looks between pieces.
func TestBulkPays(t *testing.T) {
	rewrite := func(m *Module) []byte {
		b, err := binary.Rewrite(m.Bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	memory, table := rewrite(memoryModule()), rewrite(tableModule())
	for _, c := range []struct {
		call  invocation
		least int64 // units
		looks int   // at a slice of one unit
	}{
		{inv("copy", 0, 1, 3<<20), 3 << 20, 3},
		{inv("copy", 1, 0, 3<<20), 3 << 20, 3},
		{inv("fill", 1, 0, 4<<20-1), 4<<20 - 1, 4},
		{inv("init long", 0, 0, 2<<20), 2 << 20, 2},
		{inv("init short", 0, 0, 10), 10, 1},
		{inv("table fill", 0, 300_000), 300_000 * 8, 3},
		{inv("table init", 0, 0, 140_000), 140_000 * 8, 2},
		{inv("grow", 10), 10 << 16, 1},
		{inv("table grow 0", 20_000), 20_000 * 8, 1},
	} {
		rewritten := memory
		if strings.HasPrefix(c.call.Name, "table") {
			rewritten = table
		}
		in, err := start(t, "compiler", rewritten, true, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, trap := in.Call(c.call.Name, c.call.Args...); trap != "" {
			t.Fatalf("%v: %s", c.call, trap)
		}
		if in.Used() < c.least || in.Used() > c.least*3+10_000 {
			t.Errorf("%v charged %d units, want %d and little more", c.call, in.Used(), c.least)
		}
		if in.Looks < c.looks {
			t.Errorf("%v looked %d times, want %d", c.call, in.Looks, c.looks)
		}
	}
}

// TestFailedGrowthIsFree: asking for what cannot be had must not spend the budget.
func TestFailedGrowthIsFree(t *testing.T) {
	for name, m := range map[string]*Module{"grow": memoryModule(), "table grow 0": tableModule()} {
		rewritten, err := binary.Rewrite(m.Bytes(), nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := start(t, "compiler", rewritten, true, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if r, trap := in.Call(name, 1<<30); trap != "" || int32(r[0]) != -1 {
			t.Fatalf("%s: %v %s", name, r, trap)
		}
		if in.Used() > 5000 {
			t.Errorf("%s: a failure charged %d units", name, in.Used())
		}
	}
}

// TestGuestMemoryEndsBelowTheHostsPage: the last page belongs to the host, with or without a declared maximum.
func TestGuestMemoryEndsBelowTheHostsPage(t *testing.T) {
	for _, c := range []struct {
		max  int64
		cap  uint32
		want uint32
	}{{-1, 10, 10}, {5, 10, 5}, {20, 10, 10}, {-1, 0, 16384}} {
		m := New()
		m.Memory(1, c.max)
		m.ExportMemory("memory")
		m.ExportFunc("grow", m.Func(i32s(1), i32s(1), nil, Get(0), MemoryGrow))
		rewritten, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{MaxMemoryPages: c.cap})
		if err != nil {
			t.Fatal(err)
		}
		in, err := start(t, "interpreter", rewritten, true, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if in.State.MemoryMaxPages != c.want {
			t.Errorf("declared %d, cap %d: maximum %d, want %d", c.max, c.cap, in.State.MemoryMaxPages, c.want)
		}
		if r, _ := in.Call("grow", uint64(c.want)); int32(r[0]) != -1 {
			t.Errorf("declared %d, cap %d: the guest got the host's page", c.max, c.cap)
		}
		if c.want > 1000 {
			continue
		}
		if r, _ := in.Call("grow", uint64(c.want-1)); int32(r[0]) != 1 {
			t.Errorf("declared %d, cap %d: the guest does not get its maximum", c.max, c.cap)
		}
		if _, ok := in.Mod.Memory().Grow(1); !ok {
			t.Errorf("declared %d, cap %d: the host does not get its page", c.max, c.cap)
		}
	}
}

// TestActiveSegmentsAreDropped: what is left of an active segment after it was written is nothing (4.5.4). The engine itself
// leaves it in place.
func TestActiveSegmentsAreDropped(t *testing.T) {
	m := shell()
	seg := m.Data(100, []byte("active"))
	m.ExportFunc("f", m.Func(i32s(1), nil, nil, I32Const(0), I32Const(0), Get(0), MemoryInit(seg)))
	rewritten, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		in, err := start(t, engine, rewritten, true, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := in.Mod.Memory().Read(100, 6); string(b) != "active" {
			t.Errorf("memory holds %q", b)
		}
		if _, trap := in.Call("f", 0); trap != "" {
			t.Errorf("nothing of nothing: %s", trap)
		}
		if _, trap := in.Call("f", 1); !strings.Contains(trap, "out of bounds memory access") {
			t.Errorf("trap %q", trap)
		}
	}
}

func TestState(t *testing.T) {
	m := New()
	m.Memory(2, 9)
	m.Global(I32, true, I32Const(1))
	m.Global(I64, false, I64Const(1))
	m.Global(F64, true, F64Const(1))
	m.Global(V128, true, V128Const(1, 1))
	m.Global(FuncRef, true, RefNull(FuncRef))
	m.Global(I64, true, I64Const(1))
	m.Data(3, []byte("abc"))
	m.Data(0, nil)
	m.PassiveData([]byte("kept"))
	m.Data(131072-1, []byte("z"))
	m.Start(m.Func(nil, nil, nil))
	wasm := m.Bytes()
	rewritten, err := binary.Rewrite(wasm, &binary.RewriteOptions{MaxDepth: 77})
	if err != nil {
		t.Fatal(err)
	}
	got, err := binary.ReadState(rewritten)
	if err != nil {
		t.Fatal(err)
	}
	want := &binary.State{
		Version: 2, Rewriter: binary.RewriterVersion, Original: sum(wasm),
		MemoryMinPages: 2, MemoryMaxPages: 9, MaxDepth: 77,
		Globals: []binary.Global{
			{Export: "glovebox:g0", Type: binary.I32}, {Export: "glovebox:g2", Type: binary.F64}, {Export: "glovebox:g5", Type: binary.I64},
			{Export: "glovebox:fuel", Type: binary.I64}, {Export: "glovebox:depth", Type: binary.I32}, {Export: "glovebox:taint", Type: binary.I32},
		},
		Data:  []binary.Segment{{Offset: 3, Bytes: []byte("abc")}, {Offset: 131071, Bytes: []byte("z")}},
		Start: "glovebox:start", Fuel: "glovebox:fuel", Depth: "glovebox:depth", Taint: "glovebox:taint",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	packed, err := binary.Rewrite(wasm, &binary.RewriteOptions{MaxDepth: 77, PackData: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, err = binary.ReadState(packed); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("packed: %s", d)
	}
	again, err := binary.Rewrite(wasm, &binary.RewriteOptions{MaxDepth: 77})
	if err != nil || !bytes.Equal(again, rewritten) {
		t.Errorf("the second time it is another module, %v", err)
	}
	if _, err := binary.Rewrite(rewritten, nil); ruleOf(err) != binary.RuleReservedName {
		t.Errorf("rewriting twice: %v", err)
	}
}

// TestReadStateRefuses: damaged sections, one byte at a time and cut everywhere, give a *RuleError or another valid State.
func TestReadStateRefuses(t *testing.T) {
	for _, packed := range []bool{false, true} {
		refusesState(t, packed)
	}
}

func refusesState(t *testing.T, packed bool) {
	m := shell()
	m.Data(3, []byte("abc"))
	m.ExportFunc("f", m.Func(nil, nil, nil))
	rewritten, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{PackData: packed})
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(rewritten, []byte("glovebox:state"))
	for i := range rewritten {
		if _, err := binary.ReadState(rewritten[:i]); ruleOf(err) != binary.RuleState {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
	for i := at; i < len(rewritten); i++ {
		for _, x := range []byte{0, 0x7f, 0x80, 0xff} {
			b := bytes.Clone(rewritten)
			b[i] = x
			s, err := binary.ReadState(b)
			if err == nil && s == nil || err != nil && ruleOf(err) != binary.RuleState {
				t.Fatalf("byte %d = %#x: %v, %v", i, x, s, err)
			}
			if s == nil {
				continue
			}
			for _, d := range s.Data {
				if int64(d.Offset)+int64(len(d.Bytes)) > int64(s.MemoryMinPages)<<16 {
					t.Fatalf("byte %d = %#x: a segment outside of the memory", i, x)
				}
			}
		}
	}
	if _, err := binary.ReadState(append(rewritten, rewritten[at-4:]...)); ruleOf(err) != binary.RuleState {
		t.Errorf("two sections: %v", err)
	}
}
