package binary

// opcode is an instruction: the byte of the format, or the prefix in the high byte and the number behind it in the low one.
type opcode uint16

const (
	opUnreachable  opcode = 0x00
	opNop          opcode = 0x01
	opBlock        opcode = 0x02
	opLoop         opcode = 0x03
	opIf           opcode = 0x04
	opElse         opcode = 0x05
	opEnd          opcode = 0x0b
	opBr           opcode = 0x0c
	opBrIf         opcode = 0x0d
	opBrTable      opcode = 0x0e
	opReturn       opcode = 0x0f
	opCall         opcode = 0x10
	opCallIndirect opcode = 0x11
	opDrop         opcode = 0x1a
	opSelect       opcode = 0x1b
	opSelectT      opcode = 0x1c
	opLocalGet     opcode = 0x20
	opLocalSet     opcode = 0x21
	opLocalTee     opcode = 0x22
	opGlobalGet    opcode = 0x23
	opGlobalSet    opcode = 0x24
	opTableGet     opcode = 0x25
	opTableSet     opcode = 0x26
	opMemorySize   opcode = 0x3f
	opMemoryGrow   opcode = 0x40
	opI32Const     opcode = 0x41
	opI64Const     opcode = 0x42
	opF32Const     opcode = 0x43
	opF64Const     opcode = 0x44
	opI32LtU       opcode = 0x49
	opI32GtS       opcode = 0x4a
	opI32GtU       opcode = 0x4b
	opI32LeU       opcode = 0x4d
	opI64LtS       opcode = 0x53
	opI64GtU       opcode = 0x56
	opI32Add       opcode = 0x6a
	opI32Sub       opcode = 0x6b
	opI64Add       opcode = 0x7c
	opI64Sub       opcode = 0x7d
	opI64Mul       opcode = 0x7e
	opI64Shl       opcode = 0x86
	opI32Or        opcode = 0x72
	opI64ExtendU   opcode = 0xad
	opRefNull      opcode = 0xd0
	opRefFunc      opcode = 0xd2
	opPrefixMisc   byte   = 0xfc
	opPrefixVec    byte   = 0xfd
	opMemoryInit   opcode = 0xfc08
	opDataDrop     opcode = 0xfc09
	opMemoryCopy   opcode = 0xfc0a
	opMemoryFill   opcode = 0xfc0b
	opTableInit    opcode = 0xfc0c
	opElemDrop     opcode = 0xfc0d
	opTableCopy    opcode = 0xfc0e
	opTableGrow    opcode = 0xfc0f
	opTableSize    opcode = 0xfc10
	opTableFill    opcode = 0xfc11
	opV128Const    opcode = 0xfd0c
)

// immKind is the shape of what follows an opcode.
type immKind byte

const (
	immInvalid    immKind = iota // no such instruction
	immNone                      // nothing
	immBlock                     // a block type
	immLabel                     // a label
	immLabels                    // br_table: labels
	immFunc                      // a function
	immIndirect                  // a type, then a table
	immTypes                     // select with types
	immLocal                     // a local
	immGlobal                    // a global
	immTable                     // a table
	immMem                       // alignment and offset
	immMemLane                   // alignment, offset and lane
	immZero                      // a memory index, which is zero
	immZeroZero                  // two of them
	immI32                       // an i32
	immI64                       // an i64
	imm4                         // four bytes
	imm8                         // eight bytes
	imm16                        // sixteen bytes
	immShuffle                   // sixteen lanes of thirty-two
	immLane                      // a lane
	immRefType                   // a reference type
	immData                      // a data segment
	immDataZero                  // a data segment, then a memory index, which is zero
	immElem                      // an element segment
	immElemTable                 // an element segment, then a table
	immTableTable                // two tables
)

// opInfo is what decoding and charging need to know about an instruction.
type opInfo struct {
	imm    immKind
	max    byte // immMem, immMemLane: log2 of the natural alignment; immLane: number of lanes
	lanes  byte // immMemLane: number of lanes
	weight uint16
}

// Three tables, one for each page of opcodes.
var (
	plainOps = plainTable()
	miscOps  = miscTable()
	vecOps   = vecTable()
)

// features names what the allow-list leaves out, by first byte, so that a refusal can say what a module asks for.
var features = map[byte]string{
	0x06: "exceptions (legacy)", 0x07: "exceptions (legacy)", 0x08: "exceptions", 0x09: "exceptions (legacy)", 0x0a: "exceptions",
	0x12: "tail calls", 0x13: "tail calls", 0x14: "typed function references", 0x15: "typed function references",
	0x18: "exceptions (legacy)", 0x19: "exceptions (legacy)", 0x1f: "exceptions",
	0xd3: "garbage collection", 0xd4: "typed function references", 0xd5: "typed function references",
	0xd6: "typed function references", 0xfb: "garbage collection", 0xfe: "threads",
}

// set gives all opcodes from a to b the same shape and weight.
func set(t *[256]opInfo, a, b int, imm immKind, weight uint16) {
	for i := a; i <= b; i++ {
		t[i] = opInfo{imm: imm, weight: weight}
	}
}

// plainTable is WebAssembly 2.0, 5.4.1 to 5.4.7, without the prefixed instructions.
func plainTable() (t [256]opInfo) {
	set(&t, 0x00, 0x01, immNone, weightFree)
	set(&t, 0x02, 0x03, immBlock, weightFree)
	set(&t, 0x04, 0x04, immBlock, weightBranch)
	set(&t, 0x05, 0x05, immNone, weightFree)
	set(&t, 0x0b, 0x0b, immNone, 0)
	set(&t, 0x0c, 0x0d, immLabel, weightBranch)
	set(&t, 0x0e, 0x0e, immLabels, weightTable)
	set(&t, 0x0f, 0x0f, immNone, weightBranch)
	set(&t, 0x10, 0x10, immFunc, weightCall)
	set(&t, 0x11, 0x11, immIndirect, weightIndirect)
	set(&t, 0x1a, 0x1a, immNone, weightFree)
	set(&t, 0x1b, 0x1b, immNone, weightSimple)
	set(&t, 0x1c, 0x1c, immTypes, weightSimple)
	set(&t, 0x20, 0x22, immLocal, weightFree)
	set(&t, 0x23, 0x24, immGlobal, weightGlobal)
	set(&t, 0x25, 0x26, immTable, weightTable)
	for i, align := range []byte{2, 3, 2, 3, 0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 2, 3, 2, 3, 0, 1, 0, 1, 2} {
		t[0x28+i] = opInfo{imm: immMem, max: align, weight: weightLoad}
		if i >= 0x36-0x28 {
			t[0x28+i].weight = weightStore
		}
	}
	set(&t, 0x3f, 0x3f, immZero, weightGlobal)
	set(&t, 0x40, 0x40, immZero, weightGrow)
	set(&t, 0x41, 0x41, immI32, weightFree)
	set(&t, 0x42, 0x42, immI64, weightFree)
	set(&t, 0x43, 0x43, imm4, weightFree)
	set(&t, 0x44, 0x44, imm8, weightFree)
	set(&t, 0x45, 0x6b, immNone, weightSimple)  // comparisons, i32 clz to sub
	set(&t, 0x6c, 0x6c, immNone, weightMul)     // i32.mul
	set(&t, 0x6d, 0x70, immNone, weightDiv32)   // i32 div and rem
	set(&t, 0x71, 0x7d, immNone, weightSimple)  // i32 logic, i64 clz to sub
	set(&t, 0x7e, 0x7e, immNone, weightMul)     // i64.mul
	set(&t, 0x7f, 0x82, immNone, weightDiv64)   // i64 div and rem
	set(&t, 0x83, 0x8a, immNone, weightSimple)  // i64 logic
	set(&t, 0x8b, 0x98, immNone, weightFloat)   // f32, but for
	set(&t, 0x91, 0x91, immNone, weightDivF)    // f32.sqrt
	set(&t, 0x95, 0x95, immNone, weightDivF)    // f32.div
	set(&t, 0x99, 0xa6, immNone, weightFloat)   // f64, but for
	set(&t, 0x9f, 0x9f, immNone, weightDivF)    // f64.sqrt
	set(&t, 0xa3, 0xa3, immNone, weightDivF)    // f64.div
	set(&t, 0xa7, 0xa7, immNone, weightSimple)  // i32.wrap_i64
	set(&t, 0xa8, 0xab, immNone, weightConvert) // i32.trunc
	set(&t, 0xac, 0xad, immNone, weightSimple)  // i64.extend_i32
	set(&t, 0xae, 0xbb, immNone, weightConvert) // i64.trunc, converts, demote, promote
	set(&t, 0xbc, 0xc4, immNone, weightSimple)  // reinterpret, sign extension
	set(&t, 0xd0, 0xd0, immRefType, weightFree)
	set(&t, 0xd1, 0xd1, immNone, weightSimple)
	set(&t, 0xd2, 0xd2, immFunc, weightTable)
	return t
}

// miscTable is the instructions behind 0xfc.
func miscTable() (t [256]opInfo) {
	set(&t, 0x00, 0x07, immNone, weightConvert) // saturating truncations
	set(&t, 0x08, 0x08, immDataZero, weightBulk)
	set(&t, 0x09, 0x09, immData, weightTable)
	set(&t, 0x0a, 0x0a, immZeroZero, weightBulk)
	set(&t, 0x0b, 0x0b, immZero, weightBulk)
	set(&t, 0x0c, 0x0c, immElemTable, weightBulk)
	set(&t, 0x0d, 0x0d, immElem, weightTable)
	set(&t, 0x0e, 0x0e, immTableTable, weightBulk)
	set(&t, 0x0f, 0x0f, immTable, weightGrow)
	set(&t, 0x10, 0x10, immTable, weightTable)
	set(&t, 0x11, 0x11, immTable, weightBulk)
	return t
}

// vecTable is the instructions behind 0xfd, WebAssembly 2.0, 5.4.8. The numbers that it skips do not exist.
func vecTable() (t [256]opInfo) {
	set(&t, 0x0c, 0x0c, imm16, weightFree)
	set(&t, 0x0d, 0x0d, immShuffle, weightShuffle)
	set(&t, 0x0e, 0x0e, immNone, weightShuffle)
	set(&t, 0x0f, 0x14, immNone, weightVec)
	for i, lanes := range []byte{16, 16, 16, 8, 8, 8, 4, 4, 2, 2, 4, 4, 2, 2} {
		t[0x15+i] = opInfo{imm: immLane, max: lanes, weight: weightVec}
	}
	set(&t, 0x23, 0x53, immNone, weightVec)
	for i, align := range []byte{4, 3, 3, 3, 3, 3, 3, 0, 1, 2, 3, 4} {
		t[i] = opInfo{imm: immMem, max: align, weight: weightLoad}
	}
	t[0x0b].weight = weightStore
	for i := range 8 { // 0x54 to 0x57 load, 0x58 to 0x5b store one lane of 8, 16, 32 or 64 bits
		size := byte(i & 3)
		t[0x54+i] = opInfo{imm: immMemLane, max: size, lanes: 16 >> size, weight: weightLoad}
	}
	t[0x5c] = opInfo{imm: immMem, max: 2, weight: weightLoad}
	t[0x5d] = opInfo{imm: immMem, max: 3, weight: weightLoad}
	set(&t, 0x5e, 0x5f, immNone, weightConvert)
	for _, r := range [][2]int{
		{0x60, 0x99}, {0x9b, 0xa1}, {0xa3, 0xa4}, {0xa7, 0xae}, {0xb1, 0xb1}, {0xb5, 0xba}, {0xbc, 0xc1}, {0xc3, 0xc4},
		{0xc7, 0xce}, {0xd1, 0xd1}, {0xd5, 0xe1}, {0xe3, 0xed}, {0xef, 0xff},
	} {
		set(&t, r[0], r[1], immNone, weightVec)
	}
	for _, op := range []int{0x95, 0xb5, 0xba, 0x82} { // 16 and 32 bit products
		t[op].weight = weightVecMul
	}
	set(&t, 0x9c, 0x9f, immNone, weightVecMul)
	set(&t, 0xbc, 0xbf, immNone, weightVecMul)
	set(&t, 0xdc, 0xdf, immNone, weightVecMul)
	set(&t, 0xf8, 0xff, immNone, weightVecSlow)                                                  // conversions
	for _, op := range []int{0x62, 0x6b, 0x6c, 0x6d, 0xc0, 0xcc, 0xd5, 0xdb, 0xd9, 0xd8, 0xda} { // no single instruction on amd64
		t[op].weight = weightVecSlow
	}
	for _, op := range []int{0xe3, 0xe7, 0xef, 0xf3} { // div and sqrt
		t[op].weight = weightVecDiv
	}
	return t
}
