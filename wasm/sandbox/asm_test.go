package sandbox

import (
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// An assembler for the guests of these tests: a module is put together from functions whose bodies are lists of instructions.

// Indices of the ABI's functions, which every guest imports first, in this order.
const (
	fnRequestLen = iota
	fnRequestRead
	fnInputLen
	fnInputRead
	fnEmit
	fnLog
	abiImports
)

// Indices of types that the ABI's functions bring along.
const (
	typeToI32 = iota // () -> i32
	typeI32To        // (i32) -> ()
)

type code []byte

// cat joins instructions.
func cat(parts ...any) (out code) {
	for _, p := range parts {
		switch v := p.(type) {
		case code:
			out = append(out, v...)
		case byte:
			out = append(out, v)
		case int:
			out = append(out, byte(v))
		}
	}
	return out
}

func uleb(n uint64) (b []byte) {
	for {
		c := byte(n & 0x7f)
		if n >>= 7; n == 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

func sleb(n int64) (b []byte) {
	for {
		c := byte(n & 0x7f)
		n >>= 7
		if n == 0 && c&0x40 == 0 || n == -1 && c&0x40 != 0 {
			return append(b, c)
		}
		b = append(b, c|0x80)
	}
}

// Instructions.
const (
	unreachable = byte(0x00)
	end         = byte(0x0b)
	ret         = byte(0x0f)
	drop        = byte(0x1a)
	memorySize  = 0x3f
	memoryGrow  = 0x40
	i32Eqz      = byte(0x45)
	i32Eq       = byte(0x46)
	i32LtU      = byte(0x49)
	i32Add      = byte(0x6a)
	i32Sub      = byte(0x6b)
	i32DivS     = byte(0x6d)
	i64Add      = byte(0x7c)
	i32WrapI64  = byte(0xa7)
	i64ExtendU  = byte(0xad)
	i32TruncF64 = byte(0xaa)
	voidBlock   = byte(0x40)
	tI32        = byte(0x7f)
	tI64        = byte(0x7e)
)

func i32(n int32) code        { return append(code{0x41}, sleb(int64(n))...) }
func i64(n int64) code        { return append(code{0x42}, sleb(n)...) }
func f64(bits uint64) code    { return binary.LittleEndian.AppendUint64(code{0x44}, bits) }
func get(local int) code      { return append(code{0x20}, uleb(uint64(local))...) }
func set(local int) code      { return append(code{0x21}, uleb(uint64(local))...) }
func gget(global int) code    { return append(code{0x23}, uleb(uint64(global))...) }
func gset(global int) code    { return append(code{0x24}, uleb(uint64(global))...) }
func call_(fn int) code       { return append(code{0x10}, uleb(uint64(fn))...) }
func br(depth int) code       { return append(code{0x0c}, uleb(uint64(depth))...) }
func brIf(depth int) code     { return append(code{0x0d}, uleb(uint64(depth))...) }
func load32(off int) code     { return append(code{0x28, 2}, uleb(uint64(off))...) }
func load8(off int) code      { return append(code{0x2d, 0}, uleb(uint64(off))...) }
func store32(off int) code    { return append(code{0x36, 2}, uleb(uint64(off))...) }
func store8(off int) code     { return append(code{0x3a, 0}, uleb(uint64(off))...) }
func callIndirect(t int) code { return append(append(code{0x11}, uleb(uint64(t))...), 0) }
func block(body ...any) code  { return cat(byte(0x02), voidBlock, cat(body...), end) }
func loop(body ...any) code   { return cat(byte(0x03), voidBlock, cat(body...), end) }
func if_(body ...any) code    { return cat(byte(0x04), voidBlock, cat(body...), end) }
func grow(pages code) code    { return cat(pages, memoryGrow, 0) }
func memFill() code           { return code{0xfc, 11, 0} }
func memCopy() code           { return code{0xfc, 10, 0, 0} }
func tableSet() code          { return code{0x26, 0} }
func refNull() code           { return code{0xd0, 0x70} }
func emitRange(kind int32, ptr, n code) code {
	return cat(i32(kind), ptr, n, call_(fnEmit))
}

// guest is a module in the making.
type guest struct {
	types   []string // encoded
	imports [][3]string
	impType []int
	funcs   []guestFunc
	mem     [2]int // pages: least, most (0: none)
	globals []code // type, mutability, initialiser
	table   int    // entries; 0: no table
	elems   []int  // functions in the table from 0
	data    map[int]string
	exports map[string]int
	start   int // -1: none
}

type guestFunc struct {
	typ    int
	locals []byte
	body   code
}

// newGuest is a guest with the ABI's imports, one page of memory, and the exports that the ABI asks for. decode is the body of
// glovebox_decode; it has eight i32 and two i64 locals and leaves an i32.
func newGuest(decode ...any) *guest {
	g := &guest{mem: [2]int{1, 0}, data: map[int]string{}, exports: map[string]int{}, start: -1}
	for _, f := range wasmbinary.GloveboxFuncs() {
		g.importFunc(f)
	}
	g.export(abi.ExportABI, g.fn("", "i", nil, i32(abi.Version)))
	g.export(abi.ExportDescribe, g.fn("", "i", nil, emitRange(1, i32(0), i32(0)), drop, i32(0)))
	g.export(abi.ExportDecode, g.fn("", "i", decodeLocals, decode...))
	return g
}

var decodeLocals = []byte{tI32, tI32, tI32, tI32, tI32, tI32, tI32, tI32, tI64, tI64}

func (g *guest) importFunc(f wasmbinary.HostFunc) int {
	if len(g.funcs) > 0 {
		panic("import after a function")
	}
	g.imports = append(g.imports, [3]string{f.Module, f.Name})
	g.impType = append(g.impType, g.typeOf(letters(f.Type.Params), letters(f.Type.Results)))
	return len(g.imports) - 1
}

func letters(ts []wasmbinary.ValType) string {
	var b strings.Builder
	for _, t := range ts {
		b.WriteByte(map[wasmbinary.ValType]byte{wasmbinary.I32: 'i', wasmbinary.I64: 'I'}[t])
	}
	return b.String()
}

func (g *guest) typeOf(params, results string) int {
	list := func(s string) []byte {
		b := uleb(uint64(len(s)))
		for _, r := range s {
			b = append(b, map[rune]byte{'i': tI32, 'I': tI64}[r])
		}
		return b
	}
	t := string(append(append([]byte{0x60}, list(params)...), list(results)...))
	for i, have := range g.types {
		if have == t {
			return i
		}
	}
	g.types = append(g.types, t)
	return len(g.types) - 1
}

// fn adds a function and returns its index.
func (g *guest) fn(params, results string, locals []byte, body ...any) int {
	g.funcs = append(g.funcs, guestFunc{g.typeOf(params, results), locals, cat(body...)})
	return len(g.imports) + len(g.funcs) - 1
}

func (g *guest) export(name string, fn int) { g.exports[name] = fn }

// global adds a mutable i32 global and returns its index.
func (g *guest) global(v int32) int {
	g.globals = append(g.globals, cat(tI32, 1, i32(v), end))
	return len(g.globals) - 1
}

func section(id byte, body []byte) []byte {
	return append(append([]byte{id}, uleb(uint64(len(body)))...), body...)
}

func name(s string) []byte { return append(uleb(uint64(len(s))), s...) }

func list(n int, entry func(i int) []byte) []byte {
	b := uleb(uint64(n))
	for i := range n {
		b = append(b, entry(i)...)
	}
	return b
}

// wasm assembles the module as its author would ship it.
func (g *guest) wasm() []byte {
	out := []byte{0, 'a', 's', 'm', 1, 0, 0, 0}
	add := func(id byte, body []byte) { out = append(out, section(id, body)...) }
	add(1, list(len(g.types), func(i int) []byte { return []byte(g.types[i]) }))
	add(2, list(len(g.imports), func(i int) []byte {
		return append(append(append(name(g.imports[i][0]), name(g.imports[i][1])...), 0), uleb(uint64(g.impType[i]))...)
	}))
	add(3, list(len(g.funcs), func(i int) []byte { return uleb(uint64(g.funcs[i].typ)) }))
	if g.table > 0 {
		add(4, append([]byte{1, 0x70, 0}, uleb(uint64(g.table))...))
	}
	mem := append([]byte{1, 0}, uleb(uint64(g.mem[0]))...)
	if g.mem[1] > 0 {
		mem = append(append([]byte{1, 1}, uleb(uint64(g.mem[0]))...), uleb(uint64(g.mem[1]))...)
	}
	add(5, mem)
	add(6, list(len(g.globals), func(i int) []byte { return g.globals[i] }))
	exports := append(name(abi.ExportMemory), 2, 0)
	for _, n := range slices.Sorted(maps.Keys(g.exports)) { // the same guest is the same bytes
		exports = append(append(append(exports, name(n)...), 0), uleb(uint64(g.exports[n]))...)
	}
	add(7, append(uleb(uint64(len(g.exports)+1)), exports...))
	if g.start >= 0 {
		add(8, uleb(uint64(g.start)))
	}
	if len(g.elems) > 0 {
		add(9, append(append([]byte{1, 0}, i32(0)...), append([]byte{end}, list(len(g.elems), func(i int) []byte { return uleb(uint64(g.elems[i])) })...)...))
	}
	add(10, list(len(g.funcs), func(i int) []byte {
		f := g.funcs[i]
		body := append(list(len(f.locals), func(k int) []byte { return []byte{1, f.locals[k]} }), append(f.body, end)...)
		return append(uleb(uint64(len(body))), body...)
	}))
	if len(g.data) > 0 {
		b := uleb(uint64(len(g.data)))
		for at, s := range g.data {
			b = append(append(append(append(b, 0), i32(int32(at))...), end), name(s)...)
		}
		add(11, b)
	}
	return out
}

// module rewrites the guest, as a registry would get it. tune changes the rewriter's options.
func (g *guest) module(t testing.TB, tune ...func(*wasmbinary.RewriteOptions)) Module {
	t.Helper()
	return moduleOf(t, "test", g.wasm(), tune...)
}
