package binary

// constExpr reads an initializer. WebAssembly 2.0 allows constants, references and imported globals; since only functions can
// be imported here, global.get is refused, and each initializer is exactly one instruction (3.3.10).
func (p *parser) constExpr(want ValType) constExpr {
	var in instr
	start := p.pos
	if !p.next(&in) {
		return constExpr{}
	}
	e := constExpr{op: in.op}
	switch in.op {
	case opI32Const:
		e.kind, e.num = I32, uint64(in.a)
	case opI64Const:
		e.kind = I64
	case opF32Const:
		e.kind = F32
	case opF64Const:
		e.kind = F64
	case opV128Const:
		e.kind = V128
	case opRefNull:
		e.kind, e.fn = ValType(in.a), nullElem
	case opRefFunc:
		e.kind, e.fn = FuncRef, in.a
		if n := len(p.m.Imports) + len(p.types); int64(in.a) >= int64(n) {
			p.fail(RuleIndex, start, "function %d, there are %d", in.a, n)
		}
	default:
		p.fail(RuleConstExpr, start, "an initializer begins with opcode %#x", int(in.op))
	}
	if p.err == nil && e.kind != want {
		p.fail(RuleConstExpr, start, "an initializer gives %s, not %s", e.kind, want)
	}
	if at := p.pos; opcode(p.u8()) != opEnd {
		p.fail(RuleConstExpr, at, "an initializer is longer than one instruction")
	}
	if p.err == nil {
		e.raw = p.b[start:p.pos]
	}
	return e
}

// elementSection reads element segments in all eight forms (5.5.12). Bit 0: not active; bit 1: an explicit table, or declared
// instead of passive; bit 2: expressions instead of function indices.
func (p *parser) elementSection() {
	for range p.count("element segments", 2, p.lim.MaxElemSegments) {
		at := p.pos
		flag := p.u32()
		if flag > 7 {
			p.fail(RuleType, at, "no element segment of form %d", flag)
		}
		e := ElemDecl{Type: FuncRef}
		switch {
		case flag&1 == 0:
			if flag&2 != 0 {
				e.table = p.u32()
			}
			e.offset = uint32(p.constExpr(I32).num)
		case flag&2 == 0:
			e.mode = segmentPassive
		default:
			e.mode = segmentDeclared
		}
		if flag&3 != 0 {
			if flag&4 != 0 {
				e.Type = p.refType()
			} else if kind := p.u8(); kind != 0 {
				p.fail(RuleType, at, "no element kind %#x", kind)
			}
		}
		p.elemItems(&e, flag&4 != 0)
		if p.err == nil && e.mode == segmentActive {
			p.checkElem(at, &e)
		}
		if p.err != nil {
			return
		}
		p.m.Elems = append(p.m.Elems, e)
	}
}

func (p *parser) elemItems(e *ElemDecl, exprs bool) {
	at, min := p.pos, 1
	if exprs {
		min = 3
	}
	n := p.count("elements", min, p.lim.MaxElems)
	if p.m.elemTotal += n; p.m.elemTotal > p.lim.MaxElems {
		p.fail(RuleSectionCount, at, "%d elements in all segments, limit %d", p.m.elemTotal, p.lim.MaxElems)
	}
	for range n {
		if p.err != nil {
			return
		}
		if exprs {
			e.items = append(e.items, p.constExpr(e.Type).fn)
		} else {
			e.items = append(e.items, p.funcIndex())
		}
	}
}

func (p *parser) checkElem(at int, e *ElemDecl) {
	if int64(e.table) >= int64(len(p.m.Tables)) {
		p.fail(RuleIndex, at, "table %d, there are %d", e.table, len(p.m.Tables))
		return
	}
	t := p.m.Tables[e.table]
	if t.Type != e.Type {
		p.fail(RuleElemType, at, "%s elements for a table of %s", e.Type, t.Type)
	}
	if int64(e.offset)+int64(len(e.items)) > int64(t.Min) {
		p.fail(RuleElemBounds, at, "elements %d to %d, the table has %d", e.offset, int64(e.offset)+int64(len(e.items)), t.Min)
	}
}

// dataSection reads data segments (5.5.14). An active one must lie within the memory's minimum: the original would trap while
// it is instantiated, and the host relies on it.
func (p *parser) dataSection() {
	for range p.count("data segments", 2, p.lim.MaxDataSegments) {
		at := p.pos
		var d DataDecl
		switch flag := p.u32(); flag {
		case 0, 2:
			if flag == 2 && p.u32() != 0 {
				p.fail(RuleFeature, at, "multi-memory")
			}
			d.Active = true
			d.Offset = uint32(p.constExpr(I32).num)
		case 1:
		default:
			p.fail(RuleType, at, "no data segment of form %d", flag)
		}
		d.Bytes = p.bytes(p.count("bytes of data", 1, len(p.b)))
		if p.err != nil {
			return
		}
		if p.dataBytes += int64(len(d.Bytes)); p.dataBytes > int64(p.lim.MaxDataBytes) {
			p.fail(RuleDataSize, at, "%d bytes in all data segments, limit %d", p.dataBytes, p.lim.MaxDataBytes)
			return
		}
		if d.Active {
			if len(p.m.Memories) == 0 {
				p.fail(RuleIndex, at, "a data segment without a memory")
				return
			}
			if end := int64(d.Offset) + int64(len(d.Bytes)); end > int64(p.m.Memories[0].Min)<<16 {
				p.fail(RuleDataBounds, at, "data up to %#x, the memory starts with %#x bytes", end, int64(p.m.Memories[0].Min)<<16)
				return
			}
		}
		p.m.Data = append(p.m.Data, d)
	}
}
