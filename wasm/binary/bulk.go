package binary

// Bulk operations become calls of functions that the rewriter adds: they charge the length before the work, in pieces of at
// most bulkPiece bytes, and look between two pieces. What a guest can see stays exactly as it was: an operation that is out of
// bounds traps before anything is written, and overlapping copies are right in both directions.

// chargeLength is not an instruction: the helper of this name takes a length, charges it and gives it back.
const chargeLength opcode = 0xffff

// callImport is not an instruction either: the helper stands for an imported function wherever one is referred to, so that a
// call through a table pays what a direct call pays.
const callImport opcode = 0xfffe

// helperKey says which helper: the operation and its immediates, or the units per item of chargeLength, or the import.
type helperKey struct {
	op   opcode
	a, b uint32
}

type helper struct {
	name string
	typ  uint32
	body []byte // locals and code
}

// helper gives the function index of a helper in the output, and writes it when it is first asked for.
func (r *rewriter) helper(k helperKey) uint32 {
	if i, ok := r.helperIndex[k]; ok {
		return i
	}
	i := r.fn(uint32(r.m.NumFuncs())) + uint32(len(r.helpers))
	r.helperIndex[k] = i
	r.helpers = append(r.helpers, r.writeHelper(k))
	return i
}

func (r *rewriter) writeHelper(k helperKey) helper {
	three := []ValType{I32, I32, I32}
	switch k.op {
	case chargeLength:
		return r.chargeHelper(k.a)
	case callImport:
		return r.importHelper(k.a)
	case opMemoryGrow:
		return r.growHelper("memory.grow", []ValType{I32}, r.memoryMax, unitsPerPage, func(e *encoder) { e.op(opMemoryGrow); e.raw(0) },
			func(e *encoder) { e.op(opMemorySize); e.raw(0) })
	case opTableGrow:
		t := r.m.Tables[k.a].Type
		return r.growHelper("table.grow", []ValType{t, I32}, r.tableMax[k.a], unitsPerEntry, func(e *encoder) { e.opU(opTableGrow, k.a) },
			func(e *encoder) { e.opU(opTableSize, k.a) })
	case opMemoryCopy:
		return r.pieceHelper(pieces{name: "memory.copy", params: three, op: func(e *encoder) { e.op(opMemoryCopy); e.raw(0, 0) },
			dst: r.memoryBytes, src: r.memoryBytes, overlap: true, piece: bulkPiece, units: unitsPerByte})
	case opMemoryFill:
		return r.pieceHelper(pieces{name: "memory.fill", params: three, op: func(e *encoder) { e.op(opMemoryFill); e.raw(0) },
			dst: r.memoryBytes, piece: bulkPiece, units: unitsPerByte})
	case opMemoryInit:
		n := int64(len(r.m.Data[k.a].Bytes))
		return r.pieceHelper(pieces{name: "memory.init", params: three, op: func(e *encoder) { e.opU(opMemoryInit, k.a); e.raw(0) },
			dst: r.memoryBytes, src: func(e *encoder) { e.konst64(n) }, piece: bulkPiece, units: unitsPerByte})
	case opTableInit:
		n := int64(len(r.m.Elems[k.a].items))
		return r.pieceHelper(pieces{name: "table.init", params: three, op: func(e *encoder) { e.opU(opTableInit, k.a, k.b) },
			dst: tableEntries(k.b), src: func(e *encoder) { e.konst64(n) }, piece: bulkEntries, units: unitsPerEntry})
	case opTableCopy:
		return r.pieceHelper(pieces{name: "table.copy", params: three, op: func(e *encoder) { e.opU(opTableCopy, k.a, k.b) },
			dst: tableEntries(k.a), src: tableEntries(k.b), overlap: true, piece: bulkEntries, units: unitsPerEntry})
	case opTableFill:
		return r.pieceHelper(pieces{name: "table.fill", params: []ValType{I32, r.m.Tables[k.a].Type, I32},
			op: func(e *encoder) { e.opU(opTableFill, k.a) }, dst: tableEntries(k.a), piece: bulkEntries, units: unitsPerEntry})
	}
	panic("wasm/binary: no helper for this instruction")
}

// memoryBytes leaves the memory's size in bytes as an i64.
func (r *rewriter) memoryBytes(e *encoder) {
	e.op(opMemorySize)
	e.raw(0)
	e.op(opI64ExtendU)
	e.konst64(16)
	e.op(opI64Shl)
}

// tableEntries leaves a table's size as an i64.
func tableEntries(t uint32) func(*encoder) {
	return func(e *encoder) {
		e.opU(opTableSize, t)
		e.op(opI64ExtendU)
	}
}

// unitsOf is what one item of memory.init or table.init costs.
func unitsOf(op opcode) uint32 {
	if op == opTableInit {
		return unitsPerEntry
	}
	return unitsPerByte
}

// chargeLocal takes local × units from the fuel and looks.
func (r *rewriter) chargeLocal(e *encoder, local uint32, units int64) {
	e.opU(opGlobalGet, r.fuel)
	e.opU(opLocalGet, local)
	e.op(opI64ExtendU)
	if units != 1 {
		e.konst64(units)
		e.op(opI64Mul)
	}
	e.op(opI64Sub)
	e.opU(opGlobalSet, r.fuel)
	r.look(e)
}

// chargeHelper: func(n) n. A length above one piece can only trap; it pays for one piece.
func (r *rewriter) chargeHelper(units uint32) helper {
	limit := int32(bulkPiece)
	name := "charge.bytes"
	if units == unitsPerEntry {
		limit, name = bulkEntries, "charge.entries"
	}
	e := &encoder{}
	e.u32(1)
	e.u32(1)
	e.raw(byte(I32))
	r.smaller(e, 0, limit)
	e.opU(opLocalSet, 1)
	r.chargeLocal(e, 1, int64(units))
	e.opU(opLocalGet, 0)
	e.op(opEnd)
	return helper{name, r.typeIndex(FuncType{[]ValType{I32}, []ValType{I32}}), e.b}
}

// smaller leaves the smaller of a local and a constant, both unsigned.
func (r *rewriter) smaller(e *encoder, local uint32, limit int32) {
	e.opU(opLocalGet, local)
	e.konst32(limit)
	e.opU(opLocalGet, local)
	e.konst32(limit)
	e.op(opI32LtU, opSelect)
}

// importHelper: the import's own type, around one call.
func (r *rewriter) importHelper(fn uint32) helper {
	im := r.m.Imports[fn]
	e := &encoder{}
	e.u32(0)
	r.subtract(e, weightImport)
	r.look(e)
	for i := range r.m.Types[im.Type].Params {
		e.opU(opLocalGet, uint32(i))
	}
	e.opU(opCall, fn)
	e.op(opEnd)
	return helper{im.Module + "." + im.Name, im.Type, e.b}
}

// growHelper: the operands of memory.grow or table.grow. Growth above most fails at once and costs nothing by length, and
// memory never reaches the page above the guest's maximum that the host keeps for itself.
func (r *rewriter) growHelper(name string, params []ValType, most uint32, units int64, grow, size func(*encoder)) helper {
	n := uint32(len(params) - 1)
	e := &encoder{}
	e.u32(0)
	e.opU(opLocalGet, n)
	e.konst32(int32(most))
	size(e)
	e.op(opI32Sub, opI32GtU)
	e.open(opIf, empty)
	e.konst32(-1)
	e.op(opReturn, opEnd)
	r.chargeLocal(e, n, units)
	for i := range params {
		e.opU(opLocalGet, uint32(i))
	}
	grow(e)
	e.op(opEnd)
	return helper{name, r.typeIndex(FuncType{params, []ValType{I32}}), e.b}
}

// pieces describes an operation (to, from or value, length) that can be cut.
type pieces struct {
	name     string
	params   []ValType
	op       func(*encoder) // the instruction
	dst, src func(*encoder) // leave the sizes of what it writes and reads as i64; src is nil if the second operand is a value
	overlap  bool           // both may be the same, so the direction matters
	piece    int32          // items
	units    int64          // per item
}

// pieceHelper writes
//
//	func(d, s, n) {
//		if n <= piece || out of bounds { charge(min(n, piece)); op(d, s, n); return }  // out of bounds: traps as a whole
//		if overlap && d > s { for n > 0 { k = min(n, piece); n -= k; charge(k); op(d+n, s+n, k) }; return }
//		for n > 0 { k = min(n, piece); charge(k); op(d, s, k); d += k; s += k; n -= k }
//	}
func (r *rewriter) pieceHelper(p pieces) helper {
	const d, s, n = localDst, localSrc, localLen
	e := &encoder{}
	e.u32(1)
	e.u32(1)
	e.raw(byte(I32))
	// The short way first: nearly all calls take it.
	e.opU(opLocalGet, n)
	e.konst32(p.piece)
	e.op(opI32LeU)
	e.open(opIf, empty)
	r.chargeLocal(e, n, p.units)
	p.whole(e)
	e.op(opReturn, opEnd)

	p.beyond(e, d, p.dst)
	if p.src != nil {
		p.beyond(e, s, p.src)
		e.op(opI32Or)
	}
	e.open(opIf, empty)
	p.whole(e)
	e.op(opReturn, opEnd)

	if p.overlap {
		e.opU(opLocalGet, d)
		e.opU(opLocalGet, s)
		e.op(opI32GtU)
		e.open(opIf, empty)
		r.backward(e, p)
		e.op(opReturn, opEnd)
	}
	r.forward(e, p)
	e.op(opEnd)
	return helper{p.name, r.typeIndex(FuncType{Params: p.params}), e.b}
}

// The locals of a helper: destination, source or value, length, length of the piece.
const (
	localDst = iota
	localSrc
	localLen
	localPiece
)

// backward does the pieces from the end, for a copy to higher addresses.
func (r *rewriter) backward(e *encoder, p pieces) {
	const d, s, n, k = localDst, localSrc, localLen, localPiece
	e.open(opLoop, empty)
	r.nextPiece(e, p)
	e.opU(opLocalGet, n)
	e.opU(opLocalGet, k)
	e.op(opI32Sub)
	e.opU(opLocalSet, n)
	for _, x := range []uint32{d, s} {
		e.opU(opLocalGet, x)
		e.opU(opLocalGet, n)
		e.op(opI32Add)
	}
	e.opU(opLocalGet, k)
	p.op(e)
	e.opU(opLocalGet, n)
	e.opU(opBrIf, 0)
	e.op(opEnd)
}

// forward does the pieces from the beginning.
func (r *rewriter) forward(e *encoder, p pieces) {
	const d, s, n, k = localDst, localSrc, localLen, localPiece
	e.open(opLoop, empty)
	r.nextPiece(e, p)
	e.opU(opLocalGet, d)
	e.opU(opLocalGet, s)
	e.opU(opLocalGet, k)
	p.op(e)
	for _, x := range []uint32{d, s} {
		if x == s && p.src == nil {
			continue
		}
		e.opU(opLocalGet, x)
		e.opU(opLocalGet, k)
		e.op(opI32Add)
		e.opU(opLocalSet, x)
	}
	e.opU(opLocalGet, n)
	e.opU(opLocalGet, k)
	e.op(opI32Sub)
	e.opU(opLocalTee, n)
	e.opU(opBrIf, 0)
	e.op(opEnd)
}

// nextPiece sets k = min(n, piece) and charges it.
func (r *rewriter) nextPiece(e *encoder, p pieces) {
	r.smaller(e, localLen, p.piece)
	e.opU(opLocalSet, localPiece)
	r.chargeLocal(e, localPiece, p.units)
}

// whole is the operation as it stood.
func (p *pieces) whole(e *encoder) {
	for i := range uint32(3) {
		e.opU(opLocalGet, i)
	}
	p.op(e)
}

// beyond leaves whether local + n goes beyond size.
func (p *pieces) beyond(e *encoder, local uint32, size func(*encoder)) {
	e.opU(opLocalGet, local)
	e.op(opI64ExtendU)
	e.opU(opLocalGet, 2)
	e.op(opI64ExtendU, opI64Add)
	size(e)
	e.op(opI64GtU)
}
