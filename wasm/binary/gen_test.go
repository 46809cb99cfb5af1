package binary_test

import (
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// generator makes valid modules out of bytes: each byte is one choice, and when there are none left every choice is the
// simplest. Modules end: each turn of a loop and each call takes from a global, "ticks", and gives up when it is used up.
// Floats are computed with but never shown, since the bits of a NaN are an engine's own choice.
type generator struct {
	choices []byte
	m       *Module
	types   [][2]Types // of the functions made so far
	fn      genFunc
	depth   int // of the code that is being made
}

// genFunc is the function that is being made.
type genFunc struct {
	results Types
	locals  Types   // parameters included
	labels  []Types // what a branch to each open block carries, innermost last
	loops   int     // loops open, for what loops may cost
	pc      uint32  // a local that only dispatch uses
	busy    bool    // dispatch uses it
}

// Globals of every generated module, all exported.
const (
	genI32 = iota
	genI64
	genTicks
	genRef
)

const genTable = 8 // entries

// pick gives a choice below n.
func (g *generator) pick(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

// generate makes the module. Its functions are exported as f0, f1, …; calls calls each of them with two sets of arguments.
func generate(choices []byte) (wasm []byte, calls []invocation) {
	g := &generator{choices: choices, m: New()}
	g.m.Memory(1, 3)
	g.m.ExportMemory("memory")
	g.m.Global(I32, true, I32Const(3))
	g.m.Global(I64, true, I64Const(-5))
	g.m.Global(I32, true, I32Const(400))
	g.m.Global(FuncRef, true, RefNull(FuncRef))
	for i, name := range []string{"i32", "i64", "ticks"} {
		g.m.ExportGlobal(name, uint32(i))
	}
	g.m.Table(FuncRef, genTable, genTable+4)
	g.m.PassiveData([]byte("0123456789abcdef"))
	g.m.Data(64, []byte("some data to begin with"))
	names := []string{"f0", "f1", "f2", "f3", "f4"}
	n := 1 + g.pick(4)
	for i := range n {
		g.function(names[i])
		for _, x := range []uint64{0, 0xfffffff3} {
			args := make([]uint64, len(g.types[i][0]))
			for j := range args {
				args[j] = x + uint64(j)
			}
			calls = append(calls, inv(names[i], args...))
		}
	}
	fns := make([]uint32, genTable-2) // the last entries stay null
	for i := range fns {
		fns[i] = uint32(i % n)
	}
	g.m.Elem(0, 0, fns...)
	return g.m.Bytes(), calls
}

// ints gives up to n types of integers.
func (g *generator) ints(n int) Types {
	var out Types
	for range g.pick(n + 1) {
		out = append(out, []byte{I32, I64}[g.pick(2)])
	}
	return out
}

func (g *generator) function(name string) {
	params, results := g.ints(2), g.ints(3)
	locals := Types{I32, I32, I64, F64, V128, I32}
	g.fn = genFunc{results: results, locals: append(append(Types{}, params...), locals[:5]...), labels: []Types{results}}
	g.fn.pc = uint32(len(g.fn.locals))
	g.types = append(g.types, [2]Types{params, results})
	var code Code
	if g.pick(2) == 1 { // without this, what the body begins with is what the function begins with
		code = g.giveUp(Cat(g.constants(results), Return))
	}
	for range g.pick(6) {
		code = Cat(code, g.stmt())
	}
	g.m.ExportFunc(name, g.m.Func(params, results, locals, code, g.exprs(results)))
}

// giveUp takes a tick; if there are none left it does otherwise.
func (g *generator) giveUp(otherwise Code) Code {
	return Cat(GlobalGet(genTicks), I32Const(1), I32Sub, GlobalSet(genTicks), GlobalGet(genTicks), I32Const(0), Op(0x48), If(Void, otherwise))
}

func (g *generator) constants(ts Types) (out Code) {
	for _, t := range ts {
		out = Cat(out, g.constant(t))
	}
	return out
}

func (g *generator) exprs(ts Types) (out Code) {
	for _, t := range ts {
		out = Cat(out, g.expr(t))
	}
	return out
}

func (g *generator) constant(t byte) Code {
	v := int64(int8(g.pick(256)))
	switch t {
	case I32:
		return I32Const(int32(v))
	case I64:
		return I64Const(v << 8)
	case F64:
		return F64Const(float64(v) / 4)
	}
	return V128Const(uint64(v), ^uint64(v))
}

// local is a local of type t.
func (g *generator) local(t byte) uint32 {
	var of []uint32
	for i, l := range g.fn.locals {
		if l == t {
			of = append(of, uint32(i))
		}
	}
	return of[g.pick(len(of))]
}

// address is an i32 that is nearly always within memory.
func (g *generator) address() Code {
	if g.pick(60) == 59 {
		return g.expr(I32)
	}
	return Cat(g.expr(I32), I32Const(0x3fff), I32And)
}

// inside makes code one level deeper, within a block whose label carries label.
func (g *generator) inside(label Types, make func() Code) Code {
	g.depth++
	g.fn.labels = append(g.fn.labels, label)
	out := make()
	g.fn.labels = g.fn.labels[:len(g.fn.labels)-1]
	g.depth--
	return out
}

// expr makes code that leaves one value.
func (g *generator) expr(t byte) Code {
	if g.depth > 5 {
		return g.constant(t)
	}
	g.depth++
	defer func() { g.depth-- }()
	switch k := g.pick(12); {
	case k < 2:
		return g.constant(t)
	case k < 4:
		return Get(g.local(t))
	case k == 4:
		return Cat(g.expr(t), g.expr(t), g.expr(I32), g.sel(t))
	case k == 5:
		return Cat(g.expr(I32), Code{0x04, t}, g.inside(Types{t}, func() Code { return Cat(g.stmt(), g.expr(t)) }), Else,
			g.inside(Types{t}, func() Code { return g.expr(t) }), End)
	case k == 6:
		return Block(t, g.inside(Types{t}, func() Code {
			return Cat(g.stmt(), g.expr(t), g.expr(I32), BrIf(0), Drop, g.expr(t))
		}))
	case k == 7:
		return g.loopExpr(t)
	case k == 8:
		return Cat(g.expr(t), Tee(g.local(t)))
	}
	switch t {
	case I32:
		return g.exprI32()
	case I64:
		return g.exprI64()
	case F64:
		return g.exprF64()
	}
	return g.exprV128()
}

// sel is select; vectors need its type.
func (g *generator) sel(t byte) Code {
	if t == V128 || g.pick(2) == 1 {
		return Code{0x1c, 1, t}
	}
	return Select
}

func (g *generator) exprI32() Code {
	switch g.pick(11) {
	case 0:
		return Cat(g.expr(I64), Op(0xa7))
	case 1:
		return Cat(g.expr(F64), g.expr(F64), Op(byte(0x61+g.pick(6))))
	case 2:
		return Cat(g.address(), Mem(byte(0x2c+g.pick(4)), 0, uint32(g.pick(100))))
	case 3:
		return Cat(g.expr(F64), Misc(uint32(2+g.pick(2))))
	case 4:
		return Cat(g.expr(V128), Vector(0x1b, byte(g.pick(4))))
	case 5:
		return MemorySize
	case 6:
		return Cat(g.expr(I32), I32Const(1), I32And, MemoryGrow)
	case 7:
		return GlobalGet(genI32)
	case 8:
		return Cat(g.expr(I32), Op([]byte{0x45, 0x67, 0x68, 0x69, 0xc0, 0xc1}[g.pick(6)]))
	case 9:
		return Cat(RefFunc(0), g.expr(I32), I32Const(1), I32And, TableGrow(0))
	}
	return Cat(g.expr(I32), g.expr(I32), Op(byte(0x6a+g.pick(15)))) // division may trap
}

func (g *generator) exprI64() Code {
	switch g.pick(6) {
	case 0:
		return Cat(g.expr(I32), Op(byte(0xac+g.pick(2))))
	case 1:
		return Cat(g.address(), Mem(byte(0x30+g.pick(6)), 0, uint32(g.pick(100))))
	case 2:
		return Cat(g.expr(F64), Misc(uint32(6+g.pick(2))))
	case 3:
		return GlobalGet(genI64)
	case 4:
		return Cat(g.expr(V128), Vector(0x1d, byte(g.pick(2))))
	}
	return Cat(g.expr(I64), g.expr(I64), Op(byte(0x7c+g.pick(15))))
}

func (g *generator) exprF64() Code {
	switch g.pick(3) {
	case 0:
		return Cat(g.expr(I32), Op(0xb7))
	case 1:
		return Cat(g.expr(F64), Op(byte(0x99+g.pick(7))))
	}
	return Cat(g.expr(F64), g.expr(F64), Op(byte(0xa0+g.pick(4))))
}

func (g *generator) exprV128() Code {
	switch g.pick(3) {
	case 0:
		return Cat(g.expr(I32), Vector(0x11))
	case 1:
		return Cat(g.address(), Vector(0, 0, byte(g.pick(90))))
	}
	return Cat(g.expr(V128), g.expr(V128), Vector([]uint32{0x51, 0xae, 0x6e, 0xb5}[g.pick(4)]))
}

// loopExpr is a loop with a result, and perhaps a parameter, in a block that it leaves when the ticks are used up.
func (g *generator) loopExpr(t byte) Code {
	if g.fn.loops > 1 {
		return g.constant(t)
	}
	g.fn.loops++
	defer func() { g.fn.loops-- }()
	out := Cat(g.constant(t), Br(2))
	body := func(label Types, rest func() Code) Code {
		return g.inside(Types{t}, func() Code {
			return g.inside(label, func() Code { return Cat(g.giveUp(out), g.stmt(), g.stmt(), rest()) })
		})
	}
	if g.pick(2) == 0 {
		return Block(t, Loop(t, body(nil, func() Code { return Cat(g.expr(I32), BrIf(0), g.expr(t)) })))
	}
	typ := g.m.Type(Types{t}, Types{t})
	return Cat(g.expr(t), Set(g.local(t)), Block(t, g.constant(t), BlockOf(0x03, typ, Set(g.local(t)),
		body(Types{t}, func() Code { return Cat(g.expr(t), g.expr(I32), BrIf(0)) }))))
}

// stmt makes code that leaves nothing.
func (g *generator) stmt() Code {
	if g.depth > 5 {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.pick(16) {
	case 0:
		t := []byte{I32, I64, F64, V128}[g.pick(4)]
		return Cat(g.expr(t), Set(g.local(t)))
	case 1:
		return Cat(g.expr(I32), GlobalSet(genI32))
	case 2:
		return Cat(g.expr(I64), GlobalSet(genI64))
	case 3:
		return Cat(g.address(), g.expr(I32), Mem(byte([]int{0x36, 0x3a, 0x3b}[g.pick(3)]), 0, uint32(g.pick(100))))
	case 4:
		return Cat(g.address(), g.expr(V128), Vector(0x0b, 0, byte(g.pick(90))))
	case 5:
		return Cat(g.expr(I32), If(Void, g.inside(nil, func() Code { return Cat(g.stmt(), g.stmt()) })))
	case 6:
		return Cat(g.expr(I32), Code{0x04, Void}, g.inside(nil, g.stmt), Else, g.inside(nil, func() Code { return Cat(g.stmt(), g.stmt()) }), End)
	case 7:
		return Block(Void, g.inside(nil, func() Code { return Cat(g.stmt(), g.expr(I32), BrIf(0), g.stmt()) }))
	case 8:
		return Cat(g.loopExpr(I32), Drop)
	case 9:
		return g.call()
	case 10:
		return g.bulk()
	case 11:
		return g.branch()
	case 12:
		return g.table()
	case 13:
		return g.multi()
	case 14:
		return g.dispatch()
	}
	return Repeat(g.pick(64), Cat(GlobalGet(genI32), I32Const(int32(g.pick(90))), I32Add, GlobalSet(genI32))) // a long straight way
}

// call calls a function made before this one, or whatever the table holds; what comes back is dropped.
func (g *generator) call() Code {
	i := g.pick(len(g.types))
	t := g.types[i]
	drop := Repeat(len(t[1]), Drop)
	if i < len(g.types)-1 && g.pick(3) > 0 {
		return Cat(g.exprs(t[0]), Call(uint32(i)), drop)
	}
	// The table may hold this function too, so the ticks must end it.
	return Cat(GlobalGet(genTicks), I32Const(0), Op(0x4a), If(Void, GlobalGet(genTicks), I32Const(20), I32Sub, GlobalSet(genTicks),
		g.inside(nil, func() Code {
			return Cat(g.exprs(t[0]), g.expr(I32), I32Const(genTable-1), I32And, CallIndirect(g.m.Type(t[0], t[1]), 0), drop)
		})))
}

// branch leaves some of the open blocks, carrying what they want.
func (g *generator) branch() Code {
	n := len(g.fn.labels)
	l := g.pick(n)
	carry := g.fn.labels[n-1-l]
	switch g.pick(4) {
	case 0:
		return Cat(g.exprs(carry), g.expr(I32), BrIf(uint32(l)), Repeat(len(carry), Drop))
	case 1:
		return Cat(g.exprs(g.fn.results), Return)
	case 2: // a table over all labels that carry the same
		var labels []uint32
		for i := range n {
			if string(g.fn.labels[n-1-i]) == string(carry) {
				labels = append(labels, uint32(i))
			}
		}
		return Cat(g.exprs(carry), g.expr(I32), BrTable(uint32(l), labels...))
	}
	return Cat(g.exprs(carry), Br(uint32(l)))
}

func (g *generator) bulk() Code {
	n := Cat(g.expr(I32), I32Const(0xff), I32And)
	switch g.pick(4) {
	case 0:
		return Cat(g.address(), g.address(), n, MemoryCopy)
	case 1:
		return Cat(g.address(), g.expr(I32), n, MemoryFill)
	case 2:
		return Cat(g.address(), Cat(g.expr(I32), I32Const(7), I32And), Cat(g.expr(I32), I32Const(7), I32And), MemoryInit(0))
	}
	return DataDrop(0)
}

func (g *generator) table() Code {
	index := Cat(g.expr(I32), I32Const(genTable-1), I32And)
	few := Cat(g.expr(I32), I32Const(1), I32And)
	switch g.pick(4) {
	case 0:
		return Cat(index, RefFunc(0), TableSet(0))
	case 1:
		return Cat(index, TableGet(0), GlobalSet(genRef))
	case 2:
		return Cat(index, GlobalGet(genRef), few, TableFill(0))
	}
	return Cat(index, index, few, TableCopy(0, 0))
}

// multi is a block or an if with parameters and results.
func (g *generator) multi() Code {
	params, results := g.ints(3), g.ints(3)
	typ := g.m.Type(params, results)
	body := func() Code {
		return g.inside(results, func() Code {
			var out Code
			for i := len(params) - 1; i >= 0; i-- {
				out = Cat(out, Set(g.local(params[i])))
			}
			return Cat(out, g.stmt(), g.exprs(results))
		})
	}
	out := g.exprs(params)
	if g.pick(2) == 0 {
		out = Cat(out, BlockOf(0x02, typ, body()))
	} else {
		out = Cat(out, g.expr(I32), BlockOf(0x04, typ, body(), Else, body()))
	}
	return Cat(out, Repeat(len(results), Drop))
}

// dispatch is a function body as Go makes them: a loop around a table over a local of its own.
func (g *generator) dispatch() Code {
	if g.fn.busy {
		return nil
	}
	g.fn.busy = true
	g.fn.loops++
	defer func() { g.fn.busy = false; g.fn.loops-- }()
	pc := g.fn.pc
	parts := 2 + g.pick(4)
	var labels []uint32
	for i := range parts - 1 {
		labels = append(labels, uint32(i))
	}
	code := Block(Void, Get(pc), BrTable(uint32(parts-1), labels...))
	for i := range parts {
		open := uint32(parts - 1 - i) // blocks around this part, within the loop
		part := g.inside(nil, func() Code {
			for range open + 1 {
				g.fn.labels = append(g.fn.labels, nil)
			}
			defer func() { g.fn.labels = g.fn.labels[:len(g.fn.labels)-int(open)-1] }()
			jump := func(more uint32) Code { return Cat(I32Const(int32(g.pick(parts+1))), Set(pc), Br(open+more)) }
			return Cat(g.giveUp(Br(open+2)), g.stmt(), g.expr(I32), If(Void, jump(1)), g.stmt(), g.expr(I32), If(Void, jump(1)), g.stmt())
		})
		code = Cat(code, part)
		if open > 0 {
			code = Block(Void, code)
		}
	}
	return Cat(g.constant(I32), Set(pc), Block(Void, Loop(Void, code)))
}
