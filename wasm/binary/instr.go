package binary

// instr is one decoded instruction. Its bytes are c.b[start:end].
type instr struct {
	op         opcode
	info       *opInfo
	start, end int
	a, b       uint32 // immediates in order: index or label; for labels the number of them without the default
	at         int    // immLabels: where the first label stands; immBlock: where the block type stands
	block      blockType
}

// blockType is the type of a block, a loop or an if.
type blockType struct {
	index int64   // of a function type, or -1
	value ValType // the result if index is -1; 0 for none
}

// next decodes one instruction. Labels, indices and lanes are read but not checked against a module: that is checkBody's job.
func (c *cursor) next(in *instr) bool {
	if c.pos >= c.end {
		c.fail(RuleTruncated, c.pos, "a function body has no end")
		return false
	}
	in.start = c.pos
	first := c.b[c.pos]
	c.pos++
	switch first {
	default:
		in.op, in.info = opcode(first), &plainOps[first]
	case opPrefixMisc, opPrefixVec:
		sub := c.u32()
		table, page := &miscOps, opcode(opPrefixMisc)<<8
		if first == opPrefixVec {
			table, page = &vecOps, opcode(opPrefixVec)<<8
		}
		if sub > 0xff {
			if c.err == nil && first == opPrefixVec && sub < 0x200 {
				c.fail(RuleFeature, in.start, "relaxed SIMD (0xfd %#x)", sub)
			}
			c.fail(RuleOpcode, in.start, "no instruction %#x %#x", first, sub)
			return false
		}
		in.op, in.info = page|opcode(sub), &table[sub]
	}
	if in.info.imm == immInvalid && c.err == nil {
		if f, ok := features[first]; ok {
			c.fail(RuleFeature, in.start, "%s (opcode %#x)", f, first)
		} else {
			c.fail(RuleOpcode, in.start, "no instruction %#x", int(in.op))
		}
	}
	c.immediates(in)
	in.end = c.pos
	return c.err == nil
}

// immediates reads what follows the opcode.
func (c *cursor) immediates(in *instr) {
	switch in.info.imm {
	case immNone:
	case immBlock:
		in.at = c.pos
		in.block = c.blockType()
	case immLabel, immFunc, immLocal, immGlobal, immTable, immData, immElem:
		in.a = c.u32()
	case immLabels:
		in.a = uint32(c.count("branch targets", 1, 1<<30))
		in.at = c.pos
		for range in.a {
			c.u32()
		}
		in.b = c.u32() // the default
	case immIndirect, immElemTable, immTableTable:
		in.a, in.b = c.u32(), c.u32()
	case immTypes:
		if n := c.count("types of a select", 1, 1<<30); n == 1 {
			in.a = uint32(c.valType())
		} else {
			c.fail(RuleType, in.start, "select needs exactly one type")
		}
	case immMem, immMemLane:
		c.memArg(in)
		if in.info.imm == immMemLane {
			c.lane(in, in.info.lanes)
		}
	case immZero:
		c.zero(in)
	case immZeroZero:
		c.zero(in)
		c.zero(in)
	case immDataZero:
		in.a = c.u32()
		c.zero(in)
	case immI32:
		in.a = uint32(c.signed(32))
	case immI64:
		c.signed(64)
	case imm4:
		c.bytes(4)
	case imm8:
		c.bytes(8)
	case imm16:
		c.bytes(16)
	case immShuffle:
		for range 16 {
			c.lane(in, 32)
		}
	case immLane:
		c.lane(in, in.info.max)
	case immRefType:
		in.a = uint32(c.refType())
	}
}

func (c *cursor) lane(in *instr, lanes byte) {
	if l := c.u8(); l >= lanes {
		c.fail(RuleLane, in.start, "lane %d of %d", l, lanes)
	}
}

// zero reads a memory index; anything but zero is multi-memory.
func (c *cursor) zero(in *instr) {
	if c.u8() != 0 {
		c.fail(RuleFeature, in.start, "multi-memory")
	}
}

func (c *cursor) memArg(in *instr) {
	align := c.u32()
	if align >= 64 && align < 128 {
		c.fail(RuleFeature, in.start, "multi-memory")
	}
	if align > uint32(in.info.max) {
		c.fail(RuleAlign, in.start, "alignment 2^%d, natural 2^%d", align, in.info.max)
	}
	c.u32() // five bytes at most: a longer offset is memory64
}

// blockType reads a signed 33 bit integer of which the negative one byte forms are value types (5.4.1).
func (c *cursor) blockType() blockType {
	at := c.pos
	if c.pos < c.end {
		if x := c.b[c.pos]; x >= 0x40 && x < 0x80 {
			c.pos++
			if x == 0x40 {
				return blockType{index: -1}
			}
			if !ValType(x).valid() {
				c.fail(RuleType, at, "no value type %#x", x)
			}
			return blockType{index: -1, value: ValType(x)}
		}
	}
	index := c.signed(33)
	if index < 0 {
		c.fail(RuleType, at, "a block type is negative")
		return blockType{index: -1}
	}
	return blockType{index: index}
}

func (c *cursor) valType() ValType {
	at := c.pos
	t := ValType(c.u8())
	if c.err == nil && !t.valid() {
		if t >= 0x63 && t <= 0x74 {
			c.fail(RuleFeature, at, "garbage collection, exceptions or typed function references (type %#x)", byte(t))
		}
		c.fail(RuleType, at, "no value type %#x", byte(t))
	}
	return t
}

func (c *cursor) refType() ValType {
	at := c.pos
	t := c.valType()
	if c.err == nil && !t.ref() {
		c.fail(RuleType, at, "%s is not a reference type", t)
	}
	return t
}
