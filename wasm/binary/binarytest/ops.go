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
