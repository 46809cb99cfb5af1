package binarytest

// Invocation is a call of an export.
type Invocation struct {
	Name string
	Args []uint64
}

// Generated is a module that Generate made, and what to do with it.
type Generated struct {
	Wasm   []byte
	Calls  []Invocation // in order; each may trap
	Probes []Invocation // tell what tables, references and vectors hold
}

// generator makes valid modules out of bytes: each byte is one choice, and when there are none left every choice is the
// simplest.
type generator struct {
	choices []byte
	m       *Module
	types   [][2]Types // of the functions made so far
	n       int        // functions that there will be, without the small ones
	fn      genFunc
	depth   int // of the code that is being made
}

// genFunc is the function that is being made.
type genFunc struct {
	index   int
	results Types
	locals  Types           // parameters included, without what stands below
	labels  []Types         // what a branch to each open block carries, innermost last
	loops   int             // loops open, for what loops may cost
	pc      uint32          // a local that only dispatch uses
	index32 uint32          // a local that holds a table index
	temp    map[byte]uint32 // locals of canon, by type
	busy    bool            // dispatch uses pc
}

// Globals of every generated module; those of numbers are exported.
const (
	genI32 = iota
	genI64
	genTicks
	genF32
	genF64
	genV128
	genFuncRef
	genExternRef
)

// Tables of every generated module: the generated functions, small functions that give their number, references of the host.
const (
	tableFuncs = iota
	tableIDs
	tableExtern
)

// tableSize is the entries of each table at the start; a power of two.
const tableSize = 8

// idFuncs are the first functions of a module: each gives its own number.
const idFuncs = 4

// Generate makes a valid module: structured control of all kinds and types, every instruction of WebAssembly 2.0, several
// tables, recursion, bulk operations, functions in Go's shape. The same choices give the same module.
//
// It ends: each turn of a loop and each call that may recur takes from a global, "ticks", and gives up when that is used up.
// NaNs are made the same before they can be seen, since their bits are an engine's own choice.
func Generate(choices []byte) Generated {
	g := &generator{choices: choices, m: New()}
	g.declare()
	out := Generated{Calls: []Invocation{{"extern", []uint64{0x5678}}}}
	names := []string{"f0", "f1", "f2", "f3", "f4"}
	g.n = 1 + g.pick(len(names))
	for i := range g.n {
		exported := i == g.n-1 || g.pick(3) > 0
		g.function(i, names[i], exported)
		if !exported {
			continue
		}
		for _, x := range []uint64{0, 0xfffffff3} {
			args := make([]uint64, len(g.types[i][0]))
			for j := range args {
				args[j] = x + uint64(j)
			}
			out.Calls = append(out.Calls, Invocation{names[i], args})
		}
	}
	g.segments()
	g.probes(&out)
	out.Wasm = g.m.Bytes()
	return out
}

// declare adds all that does not depend on choices and comes first.
func (g *generator) declare() {
	m := g.m
	m.Memory(1, 3)
	m.ExportMemory("memory")
	m.Global(I32, true, I32Const(3))
	m.Global(I64, true, I64Const(-5))
	m.Global(I32, true, I32Const(400))
	m.Global(F32, true, F32Const(1.5))
	m.Global(F64, true, F64Const(-0.25))
	m.Global(V128, true, V128Const(0x0123456789abcdef, 0xfedcba9876543210))
	m.Global(FuncRef, true, RefFunc(0))
	m.Global(ExternRef, true, RefNull(ExternRef))
	for i, name := range []string{"i32", "i64", "ticks", "f32", "f64"} {
		m.ExportGlobal(name, uint32(i))
	}
	m.Table(FuncRef, tableSize, tableSize+4)
	m.Table(FuncRef, tableSize, -1)
	m.Table(ExternRef, tableSize, tableSize+4)
	m.PassiveData([]byte("0123456789abcdef"))
	m.Data(64, []byte("some data to begin with"))
	m.PassiveData(Repeat(40, Code("passive")))
	for i := range idFuncs {
		m.Func(nil, Types{I32}, nil, I32Const(int32(100+i)))
	}
	m.ExportFunc("extern", m.Func(Types{ExternRef}, nil, nil, Get(0), GlobalSet(genExternRef), I32Const(1), Get(0), TableSet(tableExtern)))
}

// own is the function index of the generated function i.
func own(i int) uint32 { return uint32(idFuncs + 1 + i) }

// Element segments of every generated module, in order.
const (
	elemFuncs  = iota // active
	elemIDs           // active
	elemSome          // passive: small functions
	elemExtern        // passive: null
	elemAll           // declared, so that ref.func may name them
)

func (g *generator) segments() {
	fns := make([]uint32, tableSize-2) // the last entries stay null
	for i := range fns {
		fns[i] = own(i % g.n)
	}
	g.m.Elem(tableFuncs, 0, fns...)
	g.m.Elem(tableIDs, 1, 0, 1, 2, 3, 0)
	g.m.PassiveElem(3, 2, 1, 0, 2, 2, 1, 3)
	g.m.RawElem(Cat(U32(5), Code{ExternRef}, Vec(Cat(RefNull(ExternRef), End), Cat(RefNull(ExternRef), End))))
	all := fns[:0]
	for i := range idFuncs + 1 + g.n {
		all = append(all, uint32(i))
	}
	g.m.RawElem(Cat(U32(3), Code{0}, indices(all)))
}

// probes adds functions that tell what cannot be seen from outside.
func (g *generator) probes(out *Generated) {
	m := g.m
	isNull := func(t uint32) Code { return Cat(Get(0), TableGet(t), Op(0xd1)) }
	id := m.Type(nil, Types{I32})
	m.ExportFunc("table 0", m.Func(Types{I32}, Types{I32, I32}, nil, TableSize(tableFuncs), isNull(tableFuncs)))
	m.ExportFunc("table 1", m.Func(Types{I32}, Types{I32, I32}, nil, TableSize(tableIDs), isNull(tableIDs), If(I32, I32Const(-1), Else,
		Get(0), CallIndirect(id, tableIDs))))
	m.ExportFunc("table 2", m.Func(Types{I32}, Types{I32, I32}, nil, TableSize(tableExtern), isNull(tableExtern)))
	m.ExportFunc("rest", m.Func(nil, Types{I64, I64, I32, I32}, nil, GlobalGet(genV128), Vector(0x1d, 0), GlobalGet(genV128), Vector(0x1d, 1),
		GlobalGet(genFuncRef), Op(0xd1), GlobalGet(genExternRef), Op(0xd1)))
	for _, name := range []string{"table 0", "table 1", "table 2"} {
		for i := range uint64(tableSize + 2) {
			out.Probes = append(out.Probes, Invocation{name, []uint64{i}})
		}
	}
	out.Probes = append(out.Probes, Invocation{Name: "rest"})
}

// pick gives a choice below n.
func (g *generator) pick(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

// anyType is a value type; references are rare.
func (g *generator) anyType() byte {
	return Types{I32, I64, F32, F64, V128, I32, I64, F64, V128, FuncRef, ExternRef}[g.pick(11)]
}

// values gives up to n types.
func (g *generator) values(n int) (out Types) {
	for range g.pick(n + 1) {
		out = append(out, g.anyType())
	}
	return out
}

// ints gives up to n types of integers.
func (g *generator) ints(n int) (out Types) {
	for range g.pick(n + 1) {
		out = append(out, Types{I32, I64}[g.pick(2)])
	}
	return out
}

// function makes one; what is exported takes and gives integers.
func (g *generator) function(i int, name string, exported bool) {
	var params, results Types
	if exported {
		params, results = g.ints(2), g.ints(3)
	} else {
		params, results = g.values(3), g.values(3)
	}
	locals := Types{I32, I32, I64, F32, F64, V128, FuncRef, ExternRef}
	free := append(append(Types{}, params...), locals...)
	n := uint32(len(free))
	g.fn = genFunc{index: i, results: results, locals: free, labels: []Types{results}, pc: n, index32: n + 1,
		temp: map[byte]uint32{F32: n + 2, F64: n + 3, V128: n + 4}}
	locals = append(locals, I32, I32, F32, F64, V128)
	g.types = append(g.types, [2]Types{params, results})
	var code Code
	if g.pick(2) == 1 { // without this, what the body begins with is what the function begins with
		code = g.giveUp(Cat(g.constants(results), Return))
		if g.pick(2) == 1 {
			code = Cat(code, g.chain())
		}
	}
	for range g.pick(6) {
		code = Cat(code, g.stmt())
	}
	f := g.m.Func(params, results, locals, code, g.exprs(results))
	if exported {
		g.m.ExportFunc(name, f)
	}
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
	if t == FuncRef || t == ExternRef {
		return RefNull(t)
	}
	v := int64(int8(g.pick(256)))
	wide := g.pick(4) == 3
	switch t {
	case I32:
		if wide {
			return I32Const(int32(v << 24))
		}
		return I32Const(int32(v))
	case I64:
		if wide {
			return I64Const(v << 56)
		}
		return I64Const(v << 8)
	case F32:
		if wide {
			return F32Const(float32(v) * 1e30)
		}
		return F32Const(float32(v) / 4)
	case F64:
		if wide {
			return F64Const(float64(v) * 1e300)
		}
		return F64Const(float64(v) / 4)
	}
	if wide {
		return V128Const(0x7f80000080000000, uint64(v)<<48)
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

// global is the mutable global of type t.
func (g *generator) global(t byte) uint32 {
	return map[byte]uint32{I32: genI32, I64: genI64, F32: genF32, F64: genF64, V128: genV128, FuncRef: genFuncRef, ExternRef: genExternRef}[t]
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
