package binary_test

import (
	"testing"

	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// shape is a small module around one way to control or one operation.
type shape struct {
	name  string
	build func(m *Module)
	calls []invocation
}

// shell is a module with what every shape may use: a memory, an exported global 0 and a scratch global 1.
func shell() *Module {
	m := New()
	m.Memory(1, 4)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(7))
	m.Global(I64, true, I64Const(-1))
	m.ExportGlobal("g", 0)
	return m
}

// i32s is a list of i32.
func i32s(n int) (t Types) {
	for range n {
		t = append(t, I32)
	}
	return t
}

// bump adds one to global 0, so that what ran can be seen.
var bump = Cat(GlobalGet(0), I32Const(1), I32Add, GlobalSet(0))

// count repeats body while local 0, counted down, is not zero; the loop is empty on the stack.
func count(body ...Code) Code {
	return Loop(Void, Cat(body...), Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0))
}

func export(m *Module, params, results, locals Types, body ...Code) {
	m.ExportFunc("f", m.Func(params, results, locals, body...))
}

// calls01 calls f with a few small numbers.
var calls01 = []invocation{inv("f", 0), inv("f", 1), inv("f", 2), inv("f", 5)}

var dispatchCalls = []invocation{inv("f", 0), inv("f", 1), inv("f", 2), inv("f", 3), inv("f", 4), inv("f", 5), inv("f", 0xffffffff)}

// dispatch is what Go makes of a function: a loop around a table over local 0, from whose parts jumps go forward and back, near
// and far, below and above the table's end. Each jump carries what the loop takes.
func dispatch(loop, carry Code) Code {
	jump := func(n int32, l uint32) Code { return Cat(carry, I32Const(n), Set(0), Br(l)) }
	jumpIf := func(n int32, l uint32) Code { return Cat(Get(1), I32Const(3), I32And, If(Void, jump(n, l))) }
	tick := Cat(bump, Get(1), I32Const(1), I32Add, Tee(1), I32Const(60), Op(0x4a), If(Void, returnCount))
	return Cat(loop,
		Block(Void, Block(Void, Block(Void, Block(Void, Block(Void, Get(0), BrTable(4, 0, 1, 2, 3)),
			tick, jumpIf(3, 5), jumpIf(99, 5), jump(1, 4)), // part 0: far forward, the default, near forward
			Repeat(2, tick), jumpIf(3, 4), jump(0, 3)), // part 1: forward, back
			Repeat(4, tick), jumpIf(-1, 3), jump(2, 2)), // part 2: the default by a negative number, itself
			Repeat(8, tick), jump(2, 1)), // part 3: back
		Repeat(16, bump), End)
}

// returnCount ends f with what it has counted.
var returnCount = Cat(GlobalGet(0), Return)

// farJump is a dispatch over index whose part 0 jumps to the header with what set leaves, too far to be a near jump.
func farJump(index, set Code) Code {
	return Cat(Loop(Void,
		Block(Void, Block(Void, Block(Void, Block(Void, index, BrTable(3, 0, 1, 2)),
			bump, GlobalGet(0), I32Const(40), Op(0x4a), If(Void, returnCount), set, Br(3)),
			Repeat(2, bump)), Repeat(4, bump)), Repeat(8, bump)), GlobalGet(0))
}

// dispatchLoop exports f around dispatch.
func dispatchLoop(m *Module, loop, first, carry Code) {
	body := Cat(first, dispatch(loop, carry))
	if carry != nil {
		body = Cat(body, GlobalGet(0), I32Add)
	} else {
		body = Cat(body, GlobalGet(0))
	}
	export(m, i32s(1), i32s(1), i32s(1), body)
}

var shapes = []shape{
	{"empty", func(m *Module) { export(m, nil, nil, nil) }, []invocation{inv("f")}},
	{"straight", func(m *Module) { export(m, i32s(1), i32s(1), nil, Get(0), I32Const(3), I32Mul) }, calls01},
	{"if without else", func(m *Module) { export(m, i32s(1), nil, nil, Get(0), If(Void, bump)) }, calls01},
	{"if with result", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, Get(0), If(I32, bump, I32Const(4), Else, I32Const(5)))
	}, calls01},
	{"if of a type with params and results", func(m *Module) {
		typ := m.Type(i32s(2), i32s(2))
		export(m, i32s(1), i32s(2), nil, I32Const(8), I32Const(9), Get(0), BlockOf(0x04, typ, I32Add, I32Const(1), Else, Nop))
	}, calls01},
	{"dear then", func(m *Module) {
		export(m, i32s(1), nil, nil, Get(0), If(Void, Repeat(300, bump)), bump)
	}, calls01},
	{"dear else", func(m *Module) {
		export(m, i32s(1), nil, nil, Get(0), If(Void, bump, Else, Repeat(300, bump)), bump)
	}, calls01},
	{"dear fallthrough", func(m *Module) {
		export(m, i32s(1), nil, nil, Block(Void, Get(0), BrIf(0), Repeat(300, bump)), bump)
	}, calls01},
	{"dear label", func(m *Module) {
		export(m, i32s(1), nil, nil, Block(Void, Block(Void, Get(0), BrIf(0), bump, Return), Repeat(300, bump)), bump)
	}, calls01},
	{"dear table", func(m *Module) {
		export(m, i32s(1), nil, nil, Block(Void, Block(Void, Block(Void, Get(0), BrTable(2, 0, 1, 0)), Repeat(200, bump)), Repeat(300, bump)), bump)
	}, calls01},
	{"block with result, branch carries", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, Block(I32, I32Const(11), Get(0), BrIf(0), Drop, bump, I32Const(12)))
	}, calls01},
	{"block of a type with params", func(m *Module) {
		typ := m.Type(i32s(2), Types{I64})
		export(m, i32s(1), Types{I64}, nil, Get(0), I32Const(2), BlockOf(0x02, typ, I32Add, Op(0xac)))
	}, calls01},
	{"loop", func(m *Module) { export(m, i32s(1), nil, nil, count(bump)) }, []invocation{inv("f", 1), inv("f", 9), inv("f", 1000)}},
	{"loop with result", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, Loop(I32, bump, Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0), GlobalGet(0)))
	}, []invocation{inv("f", 1), inv("f", 500)}},
	{"loop with several results", func(m *Module) {
		typ := m.Type(nil, i32s(3))
		export(m, i32s(1), i32s(3), nil,
			BlockOf(0x03, typ, bump, Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0), GlobalGet(0), Get(0), I32Const(3)))
	}, []invocation{inv("f", 1), inv("f", 500)}},
	{"loop with params", func(m *Module) {
		typ := m.Type(i32s(1), i32s(1))
		export(m, i32s(1), i32s(1), nil, I32Const(1),
			BlockOf(0x03, typ, I32Const(2), I32Add, bump, Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)))
	}, []invocation{inv("f", 1), inv("f", 500)}},
	{"loop with params of two types", func(m *Module) {
		typ := m.Type(Types{I64, I32}, Types{I64, I32})
		export(m, i32s(1), Types{I64, I32}, Types{I32, I64}, I64Const(1), I32Const(1),
			BlockOf(0x03, typ, Set(1), Set(2), bump, Get(2), I64Const(3), I64Add, Get(1), Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)))
	}, []invocation{inv("f", 1), inv("f", 500)}},
	{"loop above values on the stack", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, I32Const(40), I32Const(2), count(bump), I32Add, Block(Void, bump))
	}, []invocation{inv("f", 1), inv("f", 300)}},
	{"loops in loops", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(2), Loop(Void, I32Const(5), Set(1),
			Loop(Void, I32Const(3), Set(2), Loop(Void, bump, Get(2), I32Const(1), I32Sub, Tee(2), BrIf(0)),
				Get(1), I32Const(1), I32Sub, Tee(1), BrIf(0)),
			Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)), GlobalGet(0))
	}, []invocation{inv("f", 1), inv("f", 50)}},
	{"branch out of loops with a value", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, Block(I32, Loop(Void, Loop(Void, bump, I32Const(21), GlobalGet(0), Get(0), Op(0x4a), BrIf(2),
			Drop, Br(1))), I32Const(1)))
	}, []invocation{inv("f", 8), inv("f", 100)}},
	{"continue an outer loop", func(m *Module) {
		export(m, i32s(1), nil, nil, Block(Void, Loop(Void, Get(0), I32Eqz, BrIf(1), Get(0), I32Const(1), I32Sub, Set(0),
			Loop(Void, bump, GlobalGet(0), I32Const(3), I32RemU, BrIf(1), Br(0)))))
	}, []invocation{inv("f", 1), inv("f", 40)}},
	{"loop that only returns", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, Loop(Void, bump, GlobalGet(0), I32Const(30), Op(0x4a), If(Void, Get(0), Return), Br(0)), Unreachable)
	}, calls01},
	{"return from depths", func(m *Module) {
		callee := m.Func(nil, nil, nil, bump)
		export(m, i32s(1), i32s(2), nil, Block(Void, Loop(Void, Call(callee), Get(0), If(Void, I32Const(1), I32Const(2), Return))),
			I32Const(3), I32Const(4))
	}, calls01},
	{"branch to the function with values", func(m *Module) {
		callee := m.Func(nil, nil, nil, bump)
		export(m, i32s(1), i32s(3), nil, Call(callee), I32Const(1), I32Const(2), I32Const(3), Get(0), BrIf(0), Drop, Drop, Drop,
			Block(Void, I32Const(4), I32Const(5), I32Const(6), Br(1)), Unreachable)
	}, calls01},
	{"table branch to the function", func(m *Module) {
		callee := m.Func(nil, nil, nil, bump)
		export(m, i32s(1), nil, nil, Call(callee), Block(Void, Loop(Void, bump, Get(0), I32Const(1), I32Sub, Tee(0), BrTable(2, 0, 1))), bump)
	}, calls01},
	{"dead code", func(m *Module) {
		callee := m.Func(nil, nil, nil, bump)
		export(m, i32s(1), i32s(1), nil, Block(I32, I32Const(1), Br(0), Loop(I32, Call(callee), Br(0)), If(I32, I32Const(1), Else, Unreachable)),
			Return, Loop(Void, Br(0)), BrTable(0, 0, 0))
	}, calls01},
	{"unreachable traps", func(m *Module) { export(m, i32s(1), nil, nil, bump, Get(0), If(Void, Unreachable), bump) }, calls01},
	{"division traps", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, bump, I32Const(100), Get(0), I32DivU, bump)
	}, []invocation{inv("f", 5), inv("f", 0)}},
	{"recursion", func(m *Module) {
		self := m.NextFunc()
		export(m, i32s(1), i32s(1), nil, bump, Get(0), If(I32, Get(0), I32Const(1), I32Sub, Call(self), Get(0), I32Add, Else, I32Const(0)))
	}, []invocation{inv("f", 0), inv("f", 100)}},
	{"tree recursion with a loop in a dead branch", func(m *Module) {
		self := m.NextFunc()
		export(m, i32s(1), nil, nil, Get(0), I32Eqz, If(Void, Return), GlobalGet(0), I32Eqz, If(Void, Loop(Void, bump)),
			Get(0), I32Const(1), I32Sub, Tee(0), Call(self), Get(0), Call(self), bump)
	}, []invocation{inv("f", 3), inv("f", 10)}},
	{"multi-value call", func(m *Module) {
		two := m.Func(i32s(1), Types{I64, I32}, nil, bump, I64Const(5), Get(0))
		export(m, i32s(1), Types{I64, I32}, nil, Get(0), Call(two))
	}, calls01},
	{"indirect calls", func(m *Module) {
		a := m.Func(i32s(1), i32s(1), nil, bump, Get(0), I32Const(1), I32Add)
		b := m.Func(i32s(1), i32s(1), nil, Get(0), Call(a), I32Const(2), I32Mul)
		c := m.Func(nil, nil, nil)
		m.Table(FuncRef, 5, -1)
		m.Elem(0, 0, a, b, c)
		typ := m.Type(i32s(1), i32s(1))
		export(m, i32s(1), i32s(1), nil, I32Const(10), Get(0), CallIndirect(typ, 0))
	}, []invocation{inv("f", 0), inv("f", 1), inv("f", 0), inv("f", 2)}},
	{"indirect call of null", func(m *Module) {
		m.Table(FuncRef, 2, 2)
		export(m, i32s(1), nil, nil, bump, Get(0), CallIndirect(m.Type(nil, nil), 0))
	}, []invocation{inv("f", 1)}},
	{"start", func(m *Module) {
		m.Start(m.Func(nil, nil, nil, Repeat(20, bump)))
		export(m, nil, i32s(1), nil, GlobalGet(0))
	}, []invocation{inv("f")}},
	{"active data in order", func(m *Module) {
		m.Data(10, []byte("hello world"))
		m.Data(16, []byte("there"))
		m.Data(65536-2, []byte("ab"))
		m.Data(0, nil)
		export(m, i32s(1), i32s(1), nil, Get(0), Mem(0x28, 0, 10))
	}, calls01},
	{"select and references", func(m *Module) {
		fn := m.Func(nil, i32s(1), nil, bump, I32Const(31))
		m.Table(FuncRef, 1, 1)
		m.RawElem(Cat(U32(3), Code{0}, U32(1), U32(fn)))
		export(m, i32s(1), i32s(2), nil, I32Const(0), RefFunc(fn), RefNull(FuncRef), Get(0), Op(0x1c, 1, FuncRef), TableSet(0),
			I32Const(0), TableGet(0), Op(0xd1), I32Const(5), I32Const(6), Get(0), Select)
	}, calls01},
	{"dispatch loop", func(m *Module) { dispatchLoop(m, Code{0x03, Void}, nil, nil) }, dispatchCalls},
	{"dispatch loop with a parameter", func(m *Module) { // a jump past its header would lose what it carries
		dispatchLoop(m, Cat(Code{0x03}, S64(int64(m.Type(i32s(1), i32s(1))))), I32Const(-5), Get(1))
	}, dispatchCalls},
	{"dispatch loop in a loop", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(2), I32Const(3), Set(2), Loop(Void,
			Block(Void, dispatch(Code{0x03, Void}, nil)), Get(2), I32Const(1), I32Sub, Tee(2), BrIf(0)), GlobalGet(0))
	}, dispatchCalls},
	{"no dispatch: another local", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(2), Block(Void, Loop(Void,
			Block(Void, Block(Void, Block(Void, Get(0), BrTable(2, 0, 1)), bump, I32Const(9), Set(1), I32Const(1), Set(0), Br(2)), Repeat(2, bump), Br(2)),
			Repeat(4, bump))), GlobalGet(0))
	}, dispatchCalls},
	{"dispatch, but a jump sets another local", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(1), farJump(Get(0), Cat(I32Const(3), Set(1))))
	}, dispatchCalls},
	{"dispatch, but a jump sets no constant", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(3), I32Const(1), Set(3), farJump(Get(0), Cat(Get(3), Set(0))))
	}, dispatchCalls},
	{"dispatch, but over a global", func(m *Module) {
		g := m.Global(I32, true, I32Const(0))
		export(m, i32s(1), i32s(1), i32s(int(g)), farJump(GlobalGet(g), Cat(I32Const(3), Set(g))))
	}, dispatchCalls},
	{"dispatch, but a jump sets a global", func(m *Module) {
		g := m.Global(I32, true, I32Const(0))
		export(m, i32s(1), i32s(1), i32s(int(g)), farJump(Get(g), Cat(I32Const(3), GlobalSet(g))))
	}, dispatchCalls},
	{"dispatch, but over a sum", func(m *Module) {
		export(m, i32s(1), i32s(1), nil, farJump(Cat(GlobalGet(0), Get(0), I32Add), Cat(I32Const(3), Set(0))))
	}, dispatchCalls},
	{"dispatch, but something stands before the table", func(m *Module) {
		export(m, i32s(1), i32s(1), i32s(1), Loop(Void, bump,
			Block(Void, Block(Void, Block(Void, Block(Void, Get(0), BrTable(3, 0, 1, 2)),
				I32Const(2), Set(0), Br(3)), Repeat(2, bump)), Repeat(4, bump)), Repeat(8, bump)), GlobalGet(0))
	}, dispatchCalls},
	{"cold label", func(m *Module) {
		export(m, i32s(1), nil, nil, Block(Void, Block(Void, Get(0), BrIf(0), bump, Return), Repeat(200, bump)), Unreachable)
	}, calls01},
	{"cold branch of an if", func(m *Module) {
		export(m, i32s(1), nil, nil, Get(0), If(Void, Repeat(200, bump), Unreachable), Repeat(200, bump), Get(0), I32Eqz, If(Void, Unreachable))
	}, []invocation{inv("f", 5)}},
	{"cold tail of a dispatch", func(m *Module) { // as Go ends functions: failed checks, one after the other, each may leave
		check := func(n int32, l uint32) Code {
			return Cat(Get(1), I32Const(n), I32Eq, If(Void, I32Const(n), Set(0), Br(l)))
		}
		export(m, i32s(1), nil, i32s(1), Get(0), Set(1), I32Const(0), Set(0), Block(Void, Loop(Void,
			Block(Void, Block(Void, Block(Void, Block(Void, Block(Void, Get(0), BrTable(4, 0, 1, 2, 3)),
				check(1, 5), check(2, 5), check(3, 5), Repeat(50, bump), Return),
				Repeat(100, bump), Get(1), BrIf(4)), Repeat(100, bump)), Repeat(300, bump), GlobalGet(0), BrIf(2)), Nop)), Unreachable)
	}, dispatchCalls},
	{"vectors", func(m *Module) {
		export(m, i32s(1), Types{I64}, Types{V128}, Get(0), Vector(0x11), V128Const(1, 2), Vector(0xae), Tee(1),
			Get(1), Vector(0x0d, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 31, 30, 29, 28), Vector(0x1d, 1),
			I32Const(64), Get(1), Vector(0x0b, 4, 0), I32Const(0), I32Const(64), Get(1), Vector(0x54, 0, 3, 7), Vector(0x0b, 0, 8))
	}, calls01},
}

func TestShapes(t *testing.T) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			m := shell()
			s.build(m)
			differential(t, m.Bytes(), nil, s.calls)
		})
	}
}

// importShapes call the host, directly and through a table.
func TestImportedFunctions(t *testing.T) {
	m := New()
	log := m.Import("glovebox", "log", i32s(3), nil)
	emit := m.Import("glovebox", "emit", i32s(3), i32s(1))
	m.Memory(1, 1)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(0))
	m.ExportGlobal("g", 0)
	m.Table(FuncRef, 2, 2)
	m.Elem(0, 0, emit)
	m.ExportFunc("again", log)
	typ := m.Type(i32s(3), i32s(1))
	three := Cat(I32Const(1), I32Const(2), I32Const(3))
	m.ExportFunc("f", m.Func(i32s(1), i32s(1), nil, three, Call(log), three, Call(emit), Drop, three, I32Const(0), CallIndirect(typ, 0)))
	wasm := m.Bytes()
	fuel := differential(t, wasm, nil, []invocation{inv("f", 1), inv("again", 1, 2, 3), inv("f", 2)})
	if host := int64(7 * 1000); fuel < host {
		t.Errorf("seven calls of the host cost %d units together", fuel)
	}
}
