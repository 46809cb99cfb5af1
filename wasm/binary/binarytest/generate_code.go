package binarytest

// maxGenDepth bounds how deep the generator's code nests.
const maxGenDepth = 6

// expr makes code that leaves one value.
func (g *generator) expr(t byte) Code {
	if g.depth >= maxGenDepth {
		if g.pick(3) == 0 {
			return g.constant(t)
		}
		return Get(g.local(t))
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.pick(20) {
	case 0, 1:
		return g.constant(t)
	case 2, 3, 4:
		return Get(g.local(t))
	case 5:
		return Cat(g.expr(t), g.expr(t), g.expr(I32), g.sel(t))
	case 6:
		return Cat(g.expr(I32), Code{0x04, t}, g.inside(Types{t}, func() Code { return Cat(g.stmt(), g.expr(t)) }), Else,
			g.inside(Types{t}, func() Code { return g.expr(t) }), End)
	case 7:
		return Block(t, g.inside(Types{t}, func() Code {
			return Cat(g.stmt(), g.expr(t), g.expr(I32), BrIf(0), Drop, g.expr(t))
		}))
	case 8:
		return g.loopExpr(t)
	case 9:
		return Cat(g.expr(t), Tee(g.local(t)))
	case 10:
		return GlobalGet(g.global(t))
	case 11:
		return g.special(t)
	}
	ops := operations[t]
	if len(ops) == 0 { // references
		return g.special(t)
	}
	return g.operation(&ops[g.pick(len(ops))])
}

// sel is select; vectors and references need its type.
func (g *generator) sel(t byte) Code {
	if t == V128 || t == FuncRef || t == ExternRef || g.pick(2) == 1 {
		return Code{0x1c, 1, t}
	}
	return Select
}

// index is an i32 that is nearly always within a table.
func (g *generator) index() Code {
	if g.pick(60) == 59 {
		return g.expr(I32)
	}
	return Cat(g.expr(I32), I32Const(tableSize-1), I32And)
}

func (g *generator) bit() Code { return Cat(g.expr(I32), I32Const(1), I32And) }

// special is what needs memory, tables or references.
func (g *generator) special(t byte) Code {
	switch t {
	case I32:
		return g.specialI32()
	case FuncRef:
		switch g.pick(3) {
		case 0:
			return RefFunc(uint32(g.pick(idFuncs + 1 + g.n)))
		case 1:
			return Cat(g.index(), TableGet(tableFuncs))
		}
		return Cat(g.index(), TableGet(tableIDs))
	case ExternRef:
		return Cat(g.index(), TableGet(tableExtern))
	case V128:
		return V128Const(uint64(g.pick(256))<<40|0x80, uint64(g.pick(256))<<20)
	}
	return g.constant(t)
}

func (g *generator) specialI32() Code {
	switch g.pick(7) {
	case 0:
		return MemorySize
	case 1:
		return Cat(g.bit(), MemoryGrow)
	case 2:
		return TableSize(uint32(g.pick(3)))
	case 3:
		return Cat(g.expr(FuncRef), Op(0xd1))
	case 4:
		return Cat(g.expr(ExternRef), Op(0xd1))
	case 5:
		t := uint32(g.pick(3))
		return Cat(g.entry(t), g.bit(), TableGrow(t))
	}
	// A small function by its number in the table, if there is one.
	i := g.fn.index32
	return Cat(g.index(), Tee(i), TableGet(tableIDs), Op(0xd1), If(I32, I32Const(-1), Else, Get(i), CallIndirect(g.m.Type(nil, Types{I32}), tableIDs)))
}

// entry is a reference for table t.
func (g *generator) entry(t uint32) Code {
	switch {
	case t == tableFuncs:
		return g.expr(FuncRef)
	case t == tableExtern:
		return g.expr(ExternRef)
	case g.pick(4) == 3:
		return RefNull(FuncRef)
	}
	return RefFunc(uint32(g.pick(idFuncs)))
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
	if g.depth >= maxGenDepth {
		return nil
	}
	g.depth++
	defer func() { g.depth-- }()
	switch g.pick(20) {
	case 18, 19:
		return g.chain()
	case 0:
		t := g.anyType()
		return Cat(g.expr(t), Set(g.local(t)))
	case 1, 2:
		t := g.anyType()
		return Cat(g.expr(t), GlobalSet(g.global(t)))
	case 3, 4:
		stores := operations[0]
		return g.operation(&stores[g.pick(len(stores))])
	case 5:
		return Cat(g.expr(I32), If(Void, g.inside(nil, func() Code { return Cat(g.stmt(), g.stmt()) })))
	case 6:
		return Cat(g.expr(I32), Code{0x04, Void}, g.inside(nil, g.stmt), Else, g.inside(nil, func() Code { return Cat(g.stmt(), g.stmt()) }), End)
	case 7:
		return Block(Void, g.inside(nil, func() Code { return Cat(g.stmt(), g.expr(I32), BrIf(0), g.stmt()) }))
	case 8:
		return Cat(g.loopExpr(g.anyType()), Drop)
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
	case 15:
		return Cat(Nop, g.expr(I32), I32Const(0x1f), I32And, I32Const(int32(g.pick(32))), I32Eq, If(Void, Unreachable))
	case 16:
		return Cat(g.expr(g.anyType()), Drop)
	}
	return Repeat(g.pick(64), Cat(GlobalGet(genI32), I32Const(int32(g.pick(90))), I32Add, GlobalSet(genI32))) // a long straight way
}

// chain is a straight line of operations on locals: most of what each gives is what a later one takes.
func (g *generator) chain() (out Code) {
	deep := g.depth
	g.depth = maxGenDepth
	defer func() { g.depth = deep }()
	for range g.pick(32) {
		t := Types{I32, I64, F32, F64, V128, V128, V128, V128}[g.pick(8)]
		ops := operations[t]
		out = Cat(out, g.operation(&ops[g.pick(len(ops))]), Set(g.local(t)))
	}
	for _, t := range (Types{I32, I64, F32, F64, V128}) {
		out = Cat(out, Get(g.local(t)), GlobalSet(g.global(t)))
	}
	return out
}

// call calls a function made before this one, this one again, or whatever the table holds; what comes back is dropped.
func (g *generator) call() Code {
	i := g.pick(len(g.types))
	t := g.types[i]
	drop := Repeat(len(t[1]), Drop)
	if i < len(g.types)-1 && g.pick(3) > 0 {
		return Cat(g.exprs(t[0]), Call(own(i)), drop)
	}
	again := g.pick(3) == 2 // else through the table, which may hold this function too: the ticks must end both
	return Cat(GlobalGet(genTicks), I32Const(0), Op(0x4a), If(Void, GlobalGet(genTicks), I32Const(20), I32Sub, GlobalSet(genTicks),
		g.inside(nil, func() Code {
			if again {
				t := g.types[g.fn.index]
				return Cat(g.exprs(t[0]), Call(own(g.fn.index)), Repeat(len(t[1]), Drop))
			}
			return Cat(g.exprs(t[0]), g.index(), CallIndirect(g.m.Type(t[0], t[1]), tableFuncs), drop)
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

// bulk works on memory. Active segments are left alone: the engine keeps what the specification says is gone.
func (g *generator) bulk() Code {
	n := Cat(g.expr(I32), I32Const(0xff), I32And)
	switch g.pick(5) {
	case 0:
		return Cat(g.address(), g.address(), n, MemoryCopy)
	case 1:
		return Cat(g.address(), g.expr(I32), n, MemoryFill)
	case 2:
		return Cat(g.address(), Cat(g.expr(I32), I32Const(7), I32And), Cat(g.expr(I32), I32Const(7), I32And), MemoryInit(0))
	case 3:
		return Cat(g.address(), Cat(g.expr(I32), I32Const(63), I32And), Cat(g.expr(I32), I32Const(127), I32And), MemoryInit(2))
	}
	if g.pick(4) < 3 {
		return DataDrop(2)
	}
	return DataDrop(0)
}

func (g *generator) table() Code {
	few := Cat(g.expr(I32), I32Const(3), I32And)
	t := uint32(g.pick(3))
	switch g.pick(6) {
	case 0:
		return Cat(g.index(), g.entry(t), TableSet(t))
	case 1:
		return Cat(g.index(), g.entry(t), few, TableFill(t))
	case 2:
		return Cat(g.bit(), g.bit(), g.bit(), TableInit(elemExtern, tableExtern))
	case 3:
		return Cat(Cat(g.index()), few, few, TableInit(elemSome, tableIDs))
	case 4:
		if g.pick(3) < 2 {
			return ElemDrop(elemExtern)
		}
		return ElemDrop(elemSome)
	}
	from := t
	if t == tableFuncs && g.pick(2) == 1 {
		from = tableIDs
	}
	return Cat(g.index(), g.index(), few, TableCopy(t, from))
}

// multi is a block or an if with parameters and results.
func (g *generator) multi() Code {
	params, results := g.values(3), g.values(3)
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
