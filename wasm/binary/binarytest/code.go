package binarytest

import (
	"encoding/binary"
	"math"
)

// U32 is an unsigned LEB128 integer.
func U32(v uint32) Code {
	var out Code
	for v >= 0x80 {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v))
}

// S64 is a signed LEB128 integer.
func S64(v int64) Code {
	var out Code
	for v < -0x40 || v > 0x3f {
		out = append(out, byte(v)|0x80)
		v >>= 7
	}
	return append(out, byte(v)&0x7f)
}

// Instructions without immediates that tests use often.
var (
	Unreachable = Code{0x00}
	Nop         = Code{0x01}
	Else        = Code{0x05}
	End         = Code{0x0b}
	Return      = Code{0x0f}
	Drop        = Code{0x1a}
	Select      = Code{0x1b}
	MemorySize  = Code{0x3f, 0}
	MemoryGrow  = Code{0x40, 0}
	I32Eqz      = Code{0x45}
	I32Eq       = Code{0x46}
	I32LtU      = Code{0x49}
	I32Add      = Code{0x6a}
	I32Sub      = Code{0x6b}
	I32Mul      = Code{0x6c}
	I32DivU     = Code{0x6e}
	I32RemU     = Code{0x70}
	I32And      = Code{0x71}
	I64Add      = Code{0x7c}
	I64DivU     = Code{0x80}
	MemoryCopy  = Code{0xfc, 0x0a, 0, 0}
	MemoryFill  = Code{0xfc, 0x0b, 0}
)

// Op is an instruction by its bytes.
func Op(b ...byte) Code { return Code(b) }

// OpU is an instruction with unsigned immediates.
func OpU(op byte, imm ...uint32) Code {
	out := Code{op}
	for _, v := range imm {
		out = append(out, U32(v)...)
	}
	return out
}

// Misc is an instruction behind the prefix 0xfc.
func Misc(sub uint32, imm ...uint32) Code { return OpU(0xfc, append([]uint32{sub}, imm...)...) }

// Vector is an instruction behind the prefix 0xfd.
func Vector(sub uint32, imm ...byte) Code { return Cat(Code{0xfd}, U32(sub), imm) }

// I32Const is i32.const.
func I32Const(v int32) Code { return Cat(Code{0x41}, S64(int64(v))) }

// I64Const is i64.const.
func I64Const(v int64) Code { return Cat(Code{0x42}, S64(v)) }

// F32Const is f32.const.
func F32Const(v float32) Code {
	return binary.LittleEndian.AppendUint32(Code{0x43}, math.Float32bits(v))
}

// F64Const is f64.const.
func F64Const(v float64) Code {
	return binary.LittleEndian.AppendUint64(Code{0x44}, math.Float64bits(v))
}

// V128Const is v128.const, the lower half first.
func V128Const(lo, hi uint64) Code {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(Code{0xfd, 0x0c}, lo), hi)
}

// RefNull is ref.null.
func RefNull(t byte) Code { return Code{0xd0, t} }

// RefFunc is ref.func.
func RefFunc(fn uint32) Code { return OpU(0xd2, fn) }

// Get is local.get.
func Get(i uint32) Code { return OpU(0x20, i) }

// Set is local.set.
func Set(i uint32) Code { return OpU(0x21, i) }

// Tee is local.tee.
func Tee(i uint32) Code { return OpU(0x22, i) }

// GlobalGet is global.get.
func GlobalGet(i uint32) Code { return OpU(0x23, i) }

// GlobalSet is global.set.
func GlobalSet(i uint32) Code { return OpU(0x24, i) }

// Block is a block; its end is added.
func Block(bt byte, body ...Code) Code { return Cat(Code{0x02, bt}, Cat(body...), End) }

// Loop is a loop; its end is added.
func Loop(bt byte, body ...Code) Code { return Cat(Code{0x03, bt}, Cat(body...), End) }

// If is an if; its end is added, Else stands in the body.
func If(bt byte, body ...Code) Code { return Cat(Code{0x04, bt}, Cat(body...), End) }

// BlockOf is a block (0x02), a loop (0x03) or an if (0x04) whose type is a function type.
func BlockOf(op byte, typ uint32, body ...Code) Code {
	return Cat(Code{op}, S64(int64(typ)), Cat(body...), End)
}

// Br is br.
func Br(l uint32) Code { return OpU(0x0c, l) }

// BrIf is br_if.
func BrIf(l uint32) Code { return OpU(0x0d, l) }

// BrTable is br_table; last is the label of all values beyond labels.
func BrTable(last uint32, labels ...uint32) Code {
	return OpU(0x0e, append(append([]uint32{uint32(len(labels))}, labels...), last)...)
}

// Call is call.
func Call(fn uint32) Code { return OpU(0x10, fn) }

// CallIndirect is call_indirect.
func CallIndirect(typ, table uint32) Code { return OpU(0x11, typ, table) }

// TableGet is table.get.
func TableGet(t uint32) Code { return OpU(0x25, t) }

// TableSet is table.set.
func TableSet(t uint32) Code { return OpU(0x26, t) }

// Mem is a load or store by its opcode.
func Mem(op byte, align, off uint32) Code { return OpU(op, align, off) }

// MemoryInit is memory.init.
func MemoryInit(seg uint32) Code { return Cat(Misc(8, seg), Code{0}) }

// DataDrop is data.drop.
func DataDrop(seg uint32) Code { return Misc(9, seg) }

// TableInit is table.init.
func TableInit(seg, table uint32) Code { return Misc(12, seg, table) }

// ElemDrop is elem.drop.
func ElemDrop(seg uint32) Code { return Misc(13, seg) }

// TableCopy is table.copy.
func TableCopy(dst, src uint32) Code { return Misc(14, dst, src) }

// TableGrow is table.grow.
func TableGrow(t uint32) Code { return Misc(15, t) }

// TableSize is table.size.
func TableSize(t uint32) Code { return Misc(16, t) }

// TableFill is table.fill.
func TableFill(t uint32) Code { return Misc(17, t) }
