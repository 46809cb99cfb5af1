package binary_test

import (
	"crypto/sha256"
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

func sum(b []byte) [32]byte { return sha256.Sum256(b) }

// ruleOf is the rule that an error names, "" for nil and for foreign errors.
func ruleOf(err error) string {
	var re *binary.RuleError
	if errors.As(err, &re) {
		return re.Rule
	}
	return ""
}

// deep calls itself local 0 times, then comes back through a body of some weight.
func deep(after Code, locals Types) []byte {
	m := shell()
	self := m.NextFunc()
	m.ExportFunc("f", m.Func(i32s(1), nil, locals, Get(0), If(Void, Get(0), I32Const(1), I32Sub, Call(self), after)))
	return m.Bytes()
}

// TestDepth: the counter traps at the same call on both engines, and says so.
func TestDepth(t *testing.T) {
	rewritten, err := binary.Rewrite(deep(nil, nil), &binary.RewriteOptions{MaxDepth: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range engines {
		in, err := start(t, engine, rewritten, true, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if _, trap := in.Call("f", 99); trap != "" || in.Global(in.State.Depth) != 0 {
			t.Errorf("%s: 100 calls: %q, depth %d", engine, trap, in.Global(in.State.Depth))
		}
		if _, trap := in.Call("f", 100); !strings.Contains(trap, "unreachable") || int32(in.Global(in.State.Depth)) <= in.State.MaxDepth {
			t.Errorf("%s: 101 calls: %q, depth %d", engine, trap, in.Global(in.State.Depth))
		}
	}
}

// TestDepthFitsTheStack: whatever the size of its frames, a recursion meets our limit before an engine's. A v128 local that is
// alive across the call takes 16 bytes of stack, and so does every value on the operand stack.
func TestDepthFitsTheStack(t *testing.T) {
	var vectors Types
	for range 4000 {
		vectors = append(vectors, V128)
	}
	// Many values alive across a call.
	wide := func(n int) []byte {
		m := shell()
		self := m.NextFunc()
		m.ExportFunc("f", m.Func(i32s(1), i32s(1), nil, Repeat(n, Cat(GlobalGet(0), Get(0), I32Add)), Get(0), Call(self), Repeat(n, I32Add)))
		return m.Bytes()
	}
	keep := func(n int) []byte { // locals that are set before the call and used behind it
		m := shell()
		self := m.NextFunc()
		var before, after Code
		for i := range n {
			before = Cat(before, Get(0), Vector(0x11), Set(uint32(i+1)))
			after = Cat(after, Get(0), Get(uint32(i+1)), Vector(0x0b, 4, 0))
		}
		m.ExportFunc("f", m.Func(i32s(1), nil, vectors, before, Get(0), Call(self), after))
		return m.Bytes()
	}
	for _, c := range []struct {
		name string
		wasm []byte
	}{{"plain", deep(nil, nil)}, {"vectors", deep(nil, vectors)}, {"kept vectors", keep(3000)}, {"values", wide(100)}, {"many values", wide(7000)}} {
		t.Run(c.name, func(t *testing.T) {
			rewritten, err := binary.Rewrite(c.wasm, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, engine := range engines {
				in, err := start(t, engine, rewritten, true, 1<<40)
				if err != nil {
					t.Fatal(err)
				}
				if _, trap := in.Call("f", 1<<30); !strings.Contains(trap, "unreachable") {
					t.Errorf("%s: %q at depth %d", engine, trap, in.Global(in.State.Depth))
				}
			}
		})
	}
}

// TestLooksAreNear bounds the work between two looks where it is hardest: hostile shapes whose every call comes back through
// code that nothing looks at. The count is that of the rewritten code itself, taken at each call of refuel.
func TestLooksAreNear(t *testing.T) {
	const depth = 1400
	nest := func(n int, inner Code) Code {
		for range n {
			inner = Block(Void, inner, Repeat(40, bump))
		}
		return inner
	}
	leafed := func() []byte { // straight code that calls small leaves only
		m := shell()
		leaf := m.Func(nil, nil, nil, Repeat(20, bump))
		m.ExportFunc("f", m.Func(i32s(1), nil, nil, Repeat(8000, Call(leaf))))
		return m.Bytes()
	}
	tree := func() []byte {
		m := shell()
		self := m.NextFunc()
		m.ExportFunc("f", m.Func(i32s(1), nil, nil, Get(0), I32Const(1386), Op(0x4a), If(Void,
			GlobalGet(0), I32Eqz, If(Void, Loop(Void, bump)), Get(0), I32Const(1), I32Sub, Tee(0), Call(self), Get(0), Call(self))))
		return m.Bytes()
	}
	indirect := func() []byte { // returns through a table
		m := shell()
		self := m.NextFunc()
		m.Table(FuncRef, 1, 1)
		m.Elem(0, 0, self)
		m.ExportFunc("f", m.Func(i32s(1), nil, nil, Get(0), If(Void, Get(0), I32Const(1), I32Sub, I32Const(0),
			CallIndirect(m.Type(i32s(1), nil), 0), Repeat(700, bump))))
		return m.Bytes()
	}
	// Units: what may lie before the calls come back, then what each of them may add.
	bound := int64(binary.FreeSpan+(depth+2)*binary.ReturnSpan) * 2
	for _, c := range []struct {
		name string
		wasm []byte
	}{
		{"long way back", deep(Repeat(700, bump), nil)},
		{"nested blocks on the way back", deep(nest(15, nil), nil)},
		{"calls in nested blocks", deep(nest(15, Cat(I32Const(0), Call(0))), nil)},
		{"leaves", leafed()},
		{"tree", tree()},
		{"indirect", indirect()},
	} {
		t.Run(c.name, func(t *testing.T) {
			rewritten, err := binary.Rewrite(c.wasm, nil)
			if err != nil {
				t.Fatal(err)
			}
			counted, err := binary.CountExact(rewritten)
			if err != nil {
				t.Fatal(err)
			}
			in, err := start(t, "compiler", counted, true, 1)
			if err != nil {
				t.Fatal(err)
			}
			last, worst := int64(0), int64(0)
			in.OnRefuel = func() {
				now := int64(in.Global("count"))
				worst = max(worst, now-last)
				last = now
			}
			if _, trap := in.Call("f", depth); trap != "" {
				t.Fatal(trap)
			}
			worst = max(worst, int64(in.Global("count"))-last)
			if worst > bound {
				t.Errorf("work of %d between two looks, bound %d", worst, bound)
			}
			if int64(in.Looks) < last/bound {
				t.Errorf("only %d looks", in.Looks)
			}
		})
	}
}

// TestTaint: set by what a host cannot put back, and by nothing else.
func TestTaint(t *testing.T) {
	m := New()
	m.Memory(1, 2)
	m.Global(I32, true, I32Const(0))
	m.Global(FuncRef, true, RefNull(FuncRef))
	m.Global(V128, true, V128Const(0, 0))
	m.Table(FuncRef, 4, 8)
	data, elem := m.PassiveData([]byte("x")), m.PassiveElem(0)
	zero := I32Const(0)
	cases := map[string]struct {
		code  Code
		taint bool
	}{
		"numeric global":   {Cat(I32Const(1), GlobalSet(0)), false},
		"reference global": {Cat(RefNull(FuncRef), GlobalSet(1)), true},
		"vector global":    {Cat(V128Const(1, 2), GlobalSet(2)), true},
		"store":            {Cat(zero, zero, Mem(0x36, 2, 0)), false},
		"memory.grow":      {Cat(I32Const(1), MemoryGrow, Drop), false},
		"memory.init":      {Cat(zero, zero, I32Const(1), MemoryInit(data)), false},
		"memory.copy":      {Cat(zero, zero, I32Const(1), MemoryCopy), false},
		"memory.fill":      {Cat(zero, zero, I32Const(1), MemoryFill), false},
		"data.drop":        {DataDrop(data), true},
		"elem.drop":        {ElemDrop(elem), true},
		"table.get":        {Cat(zero, TableGet(0), Drop), false},
		"table.size":       {Cat(TableSize(0), Drop), false},
		"table.set":        {Cat(zero, RefNull(FuncRef), TableSet(0)), true},
		"table.grow":       {Cat(RefNull(FuncRef), zero, TableGrow(0), Drop), true},
		"table.fill":       {Cat(zero, RefNull(FuncRef), zero, TableFill(0)), true},
		"table.copy":       {Cat(zero, zero, zero, TableCopy(0, 0)), true},
		"table.init":       {Cat(zero, zero, zero, TableInit(elem, 0)), true},
	}
	for name, c := range cases {
		m.ExportFunc(name, m.Func(nil, nil, nil, c.code))
	}
	rewritten, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		in, err := start(t, "interpreter", rewritten, true, 1<<40)
		if err != nil {
			t.Fatal(err)
		}
		if _, trap := in.Call(name); trap != "" {
			t.Errorf("%s: %s", name, trap)
		}
		if got := in.Global(in.State.Taint) != 0; got != c.taint {
			t.Errorf("%s: taint %t", name, got)
		}
	}
}

// TestTableMaximum: every table has one, and what a guest declared stays in force.
func TestTableMaximum(t *testing.T) {
	for _, c := range []struct {
		min   uint32
		max   int64
		grows bool
		want  uint32
	}{{5, -1, false, 5}, {5, 90, false, 5}, {5, -1, true, 1000}, {5, 90, true, 90}, {5, 5000, true, 1000}, {2000, -1, true, 2000}} {
		m := shell()
		m.Table(FuncRef, c.min, c.max)
		m.Export("t", 1, 0)
		if c.grows {
			m.Func(nil, i32s(1), nil, RefNull(FuncRef), I32Const(1), TableGrow(0))
		}
		rewritten, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{MaxTableElems: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got, err := binary.Parse(rewritten, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Tables[0].Max != int64(c.want) || got.Tables[0].Min != c.min {
			t.Errorf("%+v: %+v", c, got.Tables[0])
		}
	}
}

// TestTablesShare: what tables may grow to together is bounded, however many there are, and each has at least its minimum.
func TestTablesShare(t *testing.T) {
	for _, c := range []struct {
		mins []uint32
		most int64
	}{{[]uint32{0, 0, 0, 0}, 1000}, {[]uint32{100, 200, 0}, 1000}, {[]uint32{900, 900}, 1800}, {[]uint32{0, 0, 0, 0, 0, 0, 0}, 1000}} {
		m := shell()
		for _, min := range c.mins {
			m.Table(FuncRef, min, -1)
		}
		m.Func(nil, i32s(1), nil, RefNull(FuncRef), I32Const(1), TableGrow(0))
		rewritten, err := binary.Rewrite(m.Bytes(), &binary.RewriteOptions{MaxTableElems: 1000})
		if err != nil {
			t.Fatal(err)
		}
		got, err := binary.Parse(rewritten, nil)
		if err != nil {
			t.Fatal(err)
		}
		sum := int64(0)
		for i, tab := range got.Tables {
			sum += tab.Max
			if tab.Max < int64(c.mins[i]) {
				t.Errorf("%v: table %d ends at %d", c.mins, i, tab.Max)
			}
		}
		if sum > c.most || sum < c.most-int64(len(c.mins)) {
			t.Errorf("%v: %d entries together, want %d", c.mins, sum, c.most)
		}
	}
}

// TestFuncNames: names follow their functions.
func TestFuncNames(t *testing.T) {
	m := New()
	m.Import("glovebox", "log", i32s(3), nil)
	m.Memory(1, 1)
	m.Func(nil, nil, nil)
	f := m.Func(nil, nil, nil, I32Const(0), I32Const(0), I32Const(0), MemoryCopy)
	sub := Vec(Cat(U32(0), Name("the log")), Cat(U32(f), Name("f")), Cat(U32(99), Name("nobody")))
	m.Custom("name", Cat(Code{0}, Name(string(Name("module"))), Code{1}, Name(string(sub)), Code{2}, Name("\x00")))
	rewritten, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := binary.Parse(rewritten, nil)
	if err != nil {
		t.Fatal(err)
	}
	for fn, want := range map[uint32]string{0: "the log", 1: "glovebox:wall.refuel", 3: "f", 4: "glovebox:memory.copy"} {
		if got.FuncNames[fn] != want {
			t.Errorf("function %d is %q, want %q", fn, got.FuncNames[fn], want)
		}
	}
	if len(got.FuncNames) != 4 {
		t.Errorf("names: %v", got.FuncNames)
	}
}
