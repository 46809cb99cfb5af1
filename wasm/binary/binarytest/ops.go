package binarytest

import (
	"strconv"
	"strings"
)

// operation is an instruction as the generator uses it: what it takes, what it gives, and how to keep it tame.
type operation struct {
	code    Code
	in      Types // without an address
	out     byte  // 0 for nothing
	mem     bool  // takes an address first; align is the natural alignment's logarithm
	align   int
	lanes   int  // lanes of an immediate, 0 for none
	shuffle bool // sixteen lanes of thirty-two
	divides bool // traps on zero
	truncs  bool // traps on what is too large or no number
	canon   byte // F32 or F64: the vector that it gives has lanes of this type, whose NaNs are the engine's own choice
}

// letters of the lists below: i i32, I i64, f f32, F f64, v v128.
var letters = map[rune]byte{'i': I32, 'I': I64, 'f': F32, 'F': F64, 'v': V128}

// The lists are "first[-last] operands:result flags" with opcodes in hexadecimal (WebAssembly 2.0, 5.4.6 to 5.4.8). Flags: mN an access
// of natural alignment 2^N, lN a lane of N, s shuffle, d division, t truncation, x and X a vector of f32 or f64.
const plainList = `45 i:i;46-4f ii:i;50 I:i;51-5a II:i;5b-60 ff:i;61-66 FF:i;67-69 i:i;6a-6c ii:i;6d-70 ii:i d;71-78 ii:i;79-7b I:I;7c-7e II:I;
7f-82 II:I d;83-8a II:I;8b-91 f:f;92-98 ff:f;99-9f F:F;a0-a6 FF:F;a7 I:i;a8-a9 f:i t;aa-ab F:i t;ac-ad i:I;ae-af f:I t;b0-b1 F:I t;
b2-b3 i:f;b4-b5 I:f;b6 F:f;b7-b8 i:F;b9-ba I:F;bb f:F;bc f:i;bd F:I;be i:f;bf I:F;c0-c1 i:i;c2-c4 I:I;
28 :i m2;29 :I m3;2a :f m2;2b :F m3;2c-2d :i m0;2e-2f :i m1;30-31 :I m0;32-33 :I m1;34-35 :I m2;
36 i: m2;37 I: m3;38 f: m2;39 F: m3;3a i: m0;3b i: m1;3c I: m0;3d I: m1;3e I: m2`

const miscList = `0-1 f:i;2-3 F:i;4-5 f:I;6-7 F:I`

const vectorList = `0 :v m4;1-6 :v m3;7 :v m0;8 :v m1;9 :v m2;a :v m3;b v: m4;d vv:v s;e vv:v;f-11 i:v;12 I:v;13 f:v;14 F:v;15-16 v:i l16;17 vi:v l16;
18-19 v:i l8;1a vi:v l8;1b v:i l4;1c vi:v l4;1d v:I l2;1e vI:v l2;1f v:f l4;20 vf:v l4;21 v:F l2;22 vF:v l2;23-4c vv:v;4d v:v;4e-51 vv:v;52 vvv:v;53 v:i;
54 v:v m0 l16;55 v:v m1 l8;56 v:v m2 l4;57 v:v m3 l2;58 v: m0 l16;59 v: m1 l8;5a v: m2 l4;5b v: m3 l2;5c :v m2;5d :v m3;5e v:v x;5f v:v X;
60-62 v:v;63-64 v:i;65-66 vv:v;67-6a v:v x;6b-6d vi:v;6e-73 vv:v;74-75 v:v X;76-79 vv:v;7a v:v X;7b vv:v;7c-7f v:v;80-81 v:v;82 vv:v;83-84 v:i;
85-86 vv:v;87-8a v:v;8b-8d vi:v;8e-93 vv:v;94 v:v X;95-99 vv:v;9b-9f vv:v;a0-a1 v:v;a3-a4 v:i;a7-aa v:v;ab-ad vi:v;ae vv:v;b1 vv:v;b5-ba vv:v;bc-bf vv:v;
c0-c1 v:v;c3-c4 v:i;c7-ca v:v;cb-cd vi:v;ce vv:v;d1 vv:v;d5-df vv:v;e0-e1 v:v x;e3 v:v x;e4-eb vv:v x;ec-ed v:v X;ef v:v X;f0-f7 vv:v X;
f8-f9 v:v;fa-fb v:v x;fc-fd v:v;fe-ff v:v X`

// operations lists all of them by what they give; 0 is those that give nothing.
var operations = func() map[byte][]operation {
	out := map[byte][]operation{}
	add := func(list string, code func(n uint32) Code) {
		for _, line := range strings.Split(strings.ReplaceAll(list, "\n", ""), ";") {
			f := strings.Fields(line)
			first, last, several := strings.Cut(f[0], "-")
			if !several {
				last = first
			}
			o := parseOperation(f[1], f[2:])
			for n := hex(first); n <= hex(last); n++ {
				o.code = code(n)
				out[o.out] = append(out[o.out], o)
			}
		}
	}
	add(plainList, func(n uint32) Code { return Code{byte(n)} })
	add(miscList, func(n uint32) Code { return Misc(n) })
	add(vectorList, func(n uint32) Code { return Vector(n) })
	return out
}()

func hex(s string) uint32 {
	n, err := strconv.ParseUint(s, 16, 32)
	if err != nil {
		panic("binarytest: a list of operations is damaged: " + s)
	}
	return uint32(n)
}

func parseOperation(sig string, flags []string) (o operation) {
	in, out, _ := strings.Cut(sig, ":")
	for _, r := range in {
		o.in = append(o.in, letters[r])
	}
	for _, r := range out {
		o.out = letters[r]
	}
	for _, f := range flags {
		n, _ := strconv.Atoi(f[1:])
		switch f[0] {
		case 'm':
			o.mem, o.align = true, n
		case 'l':
			o.lanes = n
		case 's':
			o.shuffle = true
		case 'd':
			o.divides = true
		case 't':
			o.truncs = true
		case 'x':
			o.canon = F32
		case 'X':
			o.canon = F64
		}
	}
	return o
}

// operation makes one with its operands.
func (g *generator) operation(o *operation) (out Code) {
	if o.mem {
		out = g.address()
	}
	for i, t := range o.in {
		switch {
		case o.divides && i == 1 && g.pick(16) < 15:
			out = Cat(out, g.notZero(t))
		case o.truncs && g.pick(16) < 15:
			out = Cat(out, g.small(t))
		default:
			out = Cat(out, g.expr(t))
		}
	}
	out = Cat(out, o.code)
	if o.mem {
		out = Cat(out, U32(uint32(g.pick(o.align+1))), U32(uint32(g.pick(100))))
	}
	if o.lanes > 0 {
		out = append(out, byte(g.pick(o.lanes)))
	}
	if o.shuffle {
		for range 16 {
			out = append(out, byte(g.pick(32)))
		}
	}
	switch {
	case o.canon != 0:
		return Cat(out, g.canonLanes(o.canon))
	case o.out == F32 || o.out == F64:
		return Cat(out, g.canon(o.out))
	}
	return out
}

// notZero is an integer that is not zero and not minus one.
func (g *generator) notZero(t byte) Code {
	if t == I32 {
		return Cat(g.expr(t), I32Const(0xfe), I32And, I32Const(1), Op(0x72))
	}
	return Cat(g.expr(t), I64Const(0xfe), Op(0x83), I64Const(1), Op(0x84))
}

// small is a float that fits in any integer.
func (g *generator) small(t byte) Code {
	to := Op(0xb2) // f32.convert_i32_s
	if t == F64 {
		to = Op(0xb7)
	}
	return Cat(g.expr(I32), I32Const(0x7fff), I32And, to)
}

// The NaN that stands for all others: its bits are an engine's own choice, so whatever may be one is replaced before it can be seen.
var (
	nan32   = Code{0x43, 0, 0, 0xc0, 0x7f}
	nan64   = Code{0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f}
	nan32x4 = V128Const(0x7fc000007fc00000, 0x7fc000007fc00000)
	nan64x2 = V128Const(0x7ff8000000000000, 0x7ff8000000000000)
)

// canon replaces a NaN on the stack: x, NaN, x == x, select.
func (g *generator) canon(t byte) Code {
	if x := g.fn.temp[t]; t == F32 {
		return Cat(Tee(x), nan32, Get(x), Get(x), Op(0x5b), Select)
	} else {
		return Cat(Tee(x), nan64, Get(x), Get(x), Op(0x61), Select)
	}
}

// canonLanes does it for the lanes of a vector: v128.bitselect takes each bit of the first where the third has one.
func (g *generator) canonLanes(t byte) Code {
	x := g.fn.temp[V128]
	if t == F32 {
		return Cat(Tee(x), nan32x4, Get(x), Get(x), Vector(0x41), Vector(0x52))
	}
	return Cat(Tee(x), nan64x2, Get(x), Get(x), Vector(0x47), Vector(0x52))
}

// Timed is a function of one instruction, many times: the export runs it Times × its i32 argument times.
type Timed struct {
	Export string
	Times  int
}

// TimedOperations makes a module with an export for each instruction on numbers, vectors and memory, and for those on tables and
// references. What an instruction gives is stored, so that no engine leaves it out.
func TimedOperations() (wasm []byte, list []Timed) {
	const times = 50
	g := &generator{m: New()}
	g.declare()
	g.fn = genFunc{locals: Types{I32, I32, I64, F32, F64, V128, FuncRef, ExternRef}, temp: map[byte]uint32{F32: 8, F64: 9, V128: 10}}
	g.depth = maxGenDepth
	store := map[byte]Code{I32: Mem(0x36, 2, 0), I64: Mem(0x37, 3, 0), F32: Mem(0x38, 2, 0), F64: Mem(0x39, 3, 0), V128: Vector(0x0b, 4, 0)}
	add := func(name string, out byte, code Code) {
		code = Cat(I32Const(128), code, store[out])
		if store[out] == nil { // no value, or a reference
			code = Cat(code[len(I32Const(128)):], Repeat(min(1, int(out)), Drop))
		}
		body := Cat(I32Const(9), Set(1), I64Const(7), Set(2), F32Const(1.5), Set(3), F64Const(2.5), Set(4), V128Const(5, 6), Set(5),
			Loop(Void, Repeat(times, code), Get(0), I32Const(1), I32Sub, Tee(0), BrIf(0)))
		g.m.ExportFunc(name, g.m.Func(Types{I32}, nil, Types{I32, I64, F32, F64, V128, FuncRef, ExternRef, F32, F64, V128}, body))
		list = append(list, Timed{name, times})
	}
	operand := map[byte]uint32{I32: 1, I64: 2, F32: 3, F64: 4, V128: 5}
	for _, t := range (Types{I32, I64, F32, F64, V128, 0}) {
		for _, o := range operations[t] {
			var code Code
			if o.mem {
				code = I32Const(256)
			}
			for _, in := range o.in {
				code = Cat(code, Get(operand[in]))
			}
			code = Cat(code, o.code)
			if o.mem {
				code = Cat(code, Code{0, 0})
			}
			if o.lanes > 0 {
				code = append(code, 1)
			}
			if o.shuffle {
				code = Cat(code, Repeat(16, Code{3}))
			}
			add("opcode "+strconv.FormatUint(uint64(len(list)), 10)+" "+hexOf(o.code), t, code)
		}
	}
	timedSpecials(g, add)
	g.n = 0
	g.m.Elem(tableIDs, 0, 0, 1, 2, 3)
	g.m.PassiveElem(0, 1)
	return g.m.Bytes(), list
}

// timedSpecials adds the instructions on tables and references, calls, and bulk operations of no length.
func timedSpecials(g *generator, add func(name string, out byte, code Code)) {
	none := Cat(I32Const(0), I32Const(0), I32Const(0))
	add("ref.func", FuncRef, RefFunc(0))
	add("ref.null, ref.is_null", I32, Cat(RefNull(FuncRef), Op(0xd1)))
	add("table.get", FuncRef, Cat(I32Const(1), TableGet(tableIDs)))
	add("table.set", 0, Cat(I32Const(1), RefNull(ExternRef), TableSet(tableExtern)))
	add("table.size", I32, TableSize(0))
	add("table.grow", I32, Cat(RefNull(ExternRef), I32Const(0), TableGrow(tableExtern)))
	add("table.grow that fails", I32, Cat(RefNull(ExternRef), I32Const(1<<30), TableGrow(tableExtern)))
	add("table.fill", 0, Cat(I32Const(0), RefNull(ExternRef), I32Const(0), TableFill(tableExtern)))
	add("table.copy", 0, Cat(none, TableCopy(tableExtern, tableExtern)))
	add("table.init", 0, Cat(none, TableInit(1, tableIDs)))
	add("elem.drop", 0, ElemDrop(1))
	add("data.drop", 0, DataDrop(0))
	add("memory.size", I32, MemorySize)
	add("memory.grow", I32, Cat(I32Const(0), MemoryGrow))
	add("memory.grow that fails", I32, Cat(I32Const(60000), MemoryGrow))
	add("memory.copy", 0, Cat(none, MemoryCopy))
	add("memory.fill", 0, Cat(none, MemoryFill))
	add("memory.init", 0, Cat(none, MemoryInit(0)))
	add("call", I32, Call(0))
	add("call_indirect", I32, Cat(I32Const(1), CallIndirect(g.m.Type(nil, Types{I32}), tableIDs)))
	add("global.set", 0, Cat(Get(1), GlobalSet(genI32)))
	add("global.set of a reference", 0, Cat(RefNull(ExternRef), GlobalSet(genExternRef)))
	add("select", I32, Cat(Get(1), Get(0), Get(1), Select))
	add("br_table", 0, Block(Void, Get(0), BrTable(0, 0, 0)))
	add("if", 0, Cat(Get(0), If(Void, Nop)))
}

func hexOf(c Code) string {
	s := ""
	for _, b := range c {
		s += strconv.FormatUint(uint64(b)|0x100, 16)[1:]
	}
	return s
}
