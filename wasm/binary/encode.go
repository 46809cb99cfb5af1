package binary

// encoder builds the binary format.
type encoder struct{ b []byte }

func (e *encoder) op(ops ...opcode) {
	for _, op := range ops {
		if op > 0xff {
			e.b = append(e.b, byte(op>>8))
			e.u32(uint32(op & 0xff))
		} else {
			e.b = append(e.b, byte(op))
		}
	}
}

func (e *encoder) raw(b ...byte) { e.b = append(e.b, b...) }

func (e *encoder) u32(v uint32) {
	for v >= 0x80 {
		e.b = append(e.b, byte(v)|0x80)
		v >>= 7
	}
	e.b = append(e.b, byte(v))
}

func (e *encoder) s64(v int64) {
	for v < -0x40 || v > 0x3f {
		e.b = append(e.b, byte(v)|0x80)
		v >>= 7
	}
	e.b = append(e.b, byte(v)&0x7f)
}

func (e *encoder) name(s string) {
	e.u32(uint32(len(s)))
	e.b = append(e.b, s...)
}

// opU is an instruction with unsigned immediates.
func (e *encoder) opU(op opcode, imm ...uint32) {
	e.op(op)
	for _, v := range imm {
		e.u32(v)
	}
}

// konst32 and konst64 are constants.
func (e *encoder) konst32(v int32) { e.op(opI32Const); e.s64(int64(v)) }
func (e *encoder) konst64(v int64) { e.op(opI64Const); e.s64(v) }

// empty is the block type without parameters and results.
const empty byte = 0x40

// open opens a block of a one byte type.
func (e *encoder) open(op opcode, bt byte) { e.op(op); e.raw(bt) }

func (e *encoder) valTypes(ts []ValType) {
	e.u32(uint32(len(ts)))
	for _, t := range ts {
		e.raw(byte(t))
	}
}

func (e *encoder) funcType(t FuncType) {
	e.raw(0x60)
	e.valTypes(t.Params)
	e.valTypes(t.Results)
}

// section appends a section with its size; an empty body still makes a section.
func (e *encoder) section(id byte, body []byte) {
	e.raw(id)
	e.u32(uint32(len(body)))
	e.raw(body...)
}
