package hostiletest

import (
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// CanaryBytes is how much of an input Memo keeps: ASCII, or its answer is no text.
const CanaryBytes = 32

// Where Memo keeps things.
const (
	memoOwn    = 8 << 10        // the frame with its own input
	memoFound  = 9 << 10        // the frame with what it found
	memoLow    = 4 << 10        // kept in the first page
	memoNext   = pageBytes + 64 // in the second
	memoHigh   = 5*pageBytes - CanaryBytes
	memoPages  = 2
	memoGrown  = 200 // pages that it grows by: more than an instance keeps
	memoFar    = (memoPages+memoGrown)*pageBytes - CanaryBytes
	memoFoundN = 4*CanaryBytes + CanaryBytes + 8 + 16 + 1
)

// Memo is a decoder that keeps the first CanaryBytes of its input in memory, in memory that it grows into, in globals, on the virtual
// clock and, when the input begins with T, in its table. Its answer is two texts: what it has read just now, and whatever it finds from
// before. On an instance in its first state the second is always the same.
func Memo() []byte { return memo(0) }

// MemoBehindHead is Memo for inputs that begin with Head: it keeps what stands behind that.
func MemoBehindHead() []byte { return memo(recordBytes) }

func memo(skip int64) []byte {
	m, f := begin(memoPages)
	var globals []uint32
	for range CanaryBytes / 8 {
		globals = append(globals, m.Global(wat.I64, true, wat.I64Const(0)))
	}
	own, found := frame(abi.Part{At: 1}, nil), frame(abi.Part{At: 2}, nil)
	m.Data(memoOwn, own)
	m.Data(memoFound, found)
	ownBody, at := int32(memoOwn+len(own)), int32(memoFound+len(found))
	num := wat.I32Const
	move := func(to, from, n int32) wat.Code { return wat.Cat(num(to), num(from), num(n), wat.MemoryCopy) }
	keep := []int32{memoLow, memoNext, memoHigh, memoFar}

	look := []wat.Code{num(memoGrown), wat.MemoryGrow, wat.Drop}
	for _, place := range keep {
		look = append(look, move(at, place, CanaryBytes))
		at += CanaryBytes
	}
	for _, g := range globals {
		look = append(look, num(at), wat.GlobalGet(g), wat.Mem(opStore64, 0, 0))
		at += 8
	}
	const ascii = 0x7f7f7f7f7f7f7f7f
	plain := func(p int32) wat.Code {
		return wat.Cat(num(p), num(p), wat.Mem(opLoad64, 0, 0), wat.I64Const(ascii), wat.Op(opAnd64), wat.Mem(opStore64, 0, 0))
	}
	look = append(look, num(1), wat.I64Const(1), num(at), wat.Call(f.clock), wat.Drop, plain(at),
		num(at+8), num(16), wat.Call(f.random), wat.Drop, plain(at+8), plain(at+16),
		num(at+24), num(0), wat.TableGet(0), wat.Op(opIsNull), num('0'), wat.I32Add, wat.Mem(opStore8, 0, 0))

	hold := []wat.Code{wat.I64Const(skip), num(ownBody), num(CanaryBytes), wat.Call(f.inputRead), wat.Drop}
	for _, place := range keep {
		hold = append(hold, move(place, ownBody, CanaryBytes))
	}
	for k, g := range globals {
		hold = append(hold, num(ownBody+int32(k)*8), wat.Mem(opLoad64, 0, 0), wat.GlobalSet(g))
	}
	const sub = 10 << 10 // a subscription to the clock, so many nanoseconds from now as the input says
	hold = append(hold, num(sub+24), num(ownBody), wat.Mem(opLoad32, 0, 0), wat.Op(opExtend), wat.Mem(opStore64, 0, 0),
		num(sub+16), num(1), wat.Mem(opStore32, 0, 0),
		num(sub), num(sub+64), num(1), num(sub+128), wat.Call(f.poll), wat.Drop,
		num(ownBody), wat.Mem(opLoad8, 0, 0), num('T'), wat.I32Eq, wat.If(wat.Void, num(0), wat.RefNull(wat.FuncRef), wat.TableSet(0)))

	emit := func(place, n int) wat.Code {
		return wat.Cat(num(int32(abi.KindText)), num(int32(place)), num(int32(n)), wat.Call(f.emit), wat.Drop)
	}
	return finish(m, f, "memo", nil, nil, wat.Cat(look...), wat.Cat(hold...),
		emit(memoOwn, len(own)+CanaryBytes), emit(memoFound, len(found)+memoFoundN))
}
