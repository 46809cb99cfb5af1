package binary

// codeSection reads all bodies (5.5.13).
func (p *parser) codeSection() {
	at := p.pos
	p.codeBytes = p.left()
	if p.codeBytes > p.lim.MaxCodeBytes {
		p.fail(RuleCodeSize, at, "%d bytes of code, limit %d", p.codeBytes, p.lim.MaxCodeBytes)
		return
	}
	n := p.count("function bodies", 1, p.lim.MaxFuncs)
	if p.err == nil && n != len(p.types) {
		p.fail(RuleFuncCount, at, "%d functions, %d bodies", len(p.types), n)
	}
	section := p.end
	for i := range n {
		at := p.pos
		size := p.u32()
		if p.err != nil {
			return
		}
		if int64(size) > int64(p.left()) {
			p.fail(RuleSectionSize, at, "a body of %d bytes, %d left", size, p.left())
			return
		}
		if int64(size) > int64(p.lim.MaxBodyBytes) {
			p.fail(RuleBodySize, at, "a body of %d bytes, limit %d", size, p.lim.MaxBodyBytes)
			return
		}
		p.end = p.pos + int(size)
		f := Func{Type: p.types[i], locals: p.pos, End: p.end}
		p.localDecls(&f)
		f.Start = p.pos
		p.checkBody(&f)
		if p.err != nil {
			return
		}
		p.end = section
		p.m.Funcs = append(p.m.Funcs, f)
	}
}

// localDecls reads the runs of locals. A run of four billion locals is four bytes long, so the sum is held against the limit
// before anything looks at it.
func (p *parser) localDecls(f *Func) {
	at := p.pos
	total, size := int64(0), int64(0)
	for range p.count("runs of locals", 2, 1<<30) {
		n := int64(p.u32())
		t := p.valType()
		if total += n; total > int64(p.lim.MaxLocals) {
			p.fail(RuleLocals, at, "%d locals, limit %d", total, p.lim.MaxLocals)
			return
		}
		size += n * valSize(t)
	}
	for _, t := range p.m.Types[f.Type].Params {
		size += valSize(t)
	}
	f.Locals, f.localBytes = int(total), int(size)
}

// valSize is the room of a value on an engine's stack, in bytes.
func valSize(t ValType) int64 {
	if t == V128 {
		return 16
	}
	return 8
}

// frame is an open block while a body is checked.
type frame byte

const (
	frameBody frame = iota
	frameBlock
	frameLoop
	frameIf
	frameElse
)

// bodyCheck is the state of one body's check.
type bodyCheck struct {
	*parser
	f        *Func
	frames   []frame
	locals   int64 // parameters included
	blocks   int
	loops    int
	branches int
}

// checkBody decodes a body to its end and holds every index and label against what there is. This is the wall's own safety: the
// rewriter appends globals and functions, and an index that was out of range must not come to mean one of them.
func (p *parser) checkBody(f *Func) {
	s := bodyCheck{parser: p, f: f, frames: []frame{frameBody}, locals: int64(f.Locals + len(p.m.Types[f.Type].Params))}
	var in instr
	for len(s.frames) > 0 {
		if !p.next(&in) {
			return
		}
		f.Instrs++
		s.instr(&in)
		if p.err != nil {
			return
		}
	}
	if p.pos != p.end {
		p.fail(RuleControl, p.pos, "%d bytes behind the end of a body", p.end-p.pos)
	}
}

func (s *bodyCheck) instr(in *instr) {
	switch in.info.imm {
	case immNone:
		s.structure(in)
	case immBlock:
		s.open(in)
	case immLabel:
		s.label(in, in.a)
	case immLabels:
		c := cursor{b: s.b, pos: in.at, end: in.end}
		for range in.a + 1 {
			s.label(in, c.u32())
		}
	case immFunc:
		s.index(in, "function", in.a, len(s.m.Imports)+len(s.types))
		s.f.calls = s.f.calls || in.op == opCall
	case immIndirect:
		s.index(in, "type", in.a, len(s.m.Types))
		s.index(in, "table", in.b, len(s.m.Tables))
		s.f.calls = true
	case immLocal:
		if int64(in.a) >= s.locals {
			s.fail(RuleIndex, in.start, "local %d, there are %d", in.a, s.locals)
		}
	case immGlobal:
		s.index(in, "global", in.a, len(s.m.Globals))
	case immTable:
		s.index(in, "table", in.a, len(s.m.Tables))
		s.m.growsTabs = s.m.growsTabs || in.op == opTableGrow
	case immMem, immMemLane, immZero, immZeroZero:
		s.memory(in)
	case immData, immDataZero:
		s.dataIndex(in)
	case immElem:
		s.index(in, "element segment", in.a, len(s.m.Elems))
	case immElemTable:
		s.index(in, "element segment", in.a, len(s.m.Elems))
		s.index(in, "table", in.b, len(s.m.Tables))
	case immTableTable:
		s.index(in, "table", in.a, len(s.m.Tables))
		s.index(in, "table", in.b, len(s.m.Tables))
	}
}

func (s *bodyCheck) index(in *instr, what string, i uint32, n int) {
	if int64(i) >= int64(n) {
		s.fail(RuleIndex, in.start, "%s %d, there are %d", what, i, n)
	}
}

func (s *bodyCheck) memory(in *instr) {
	if len(s.m.Memories) == 0 {
		s.fail(RuleIndex, in.start, "memory 0, there is none")
	}
}

// dataIndex holds a segment against the data count section, which stands in front of the code for this purpose (5.5.16).
func (s *bodyCheck) dataIndex(in *instr) {
	if s.m.dataCount < 0 {
		s.fail(RuleDataCount, in.start, "memory.init or data.drop without a data count section")
	} else if int64(in.a) >= s.m.dataCount {
		s.fail(RuleIndex, in.start, "data segment %d, there are %d", in.a, s.m.dataCount)
	}
	if in.op == opMemoryInit {
		s.memory(in)
	}
}

func (s *bodyCheck) label(in *instr, l uint32) {
	if int64(l) >= int64(len(s.frames)) {
		s.fail(RuleLabel, in.start, "label %d, %d blocks are open", l, len(s.frames))
	}
	if s.branches++; s.branches > s.lim.MaxBranchTargets {
		s.fail(RuleBranches, in.start, "more than %d branch targets", s.lim.MaxBranchTargets)
	}
}

func (s *bodyCheck) open(in *instr) {
	kind := frameBlock
	switch in.op {
	case opLoop:
		kind = frameLoop
	case opIf:
		kind = frameIf
	}
	if in.block.index >= int64(len(s.m.Types)) {
		s.fail(RuleIndex, in.start, "type %d, there are %d", in.block.index, len(s.m.Types))
	}
	s.frames = append(s.frames, kind)
	if len(s.frames) > s.lim.MaxNesting {
		s.fail(RuleNesting, in.start, "more than %d blocks open", s.lim.MaxNesting)
	}
	if kind == frameLoop {
		s.loops++
		s.allLoops++
	}
	if s.loops > s.lim.MaxLoops {
		s.fail(RuleBlocks, in.start, "more than %d loops", s.lim.MaxLoops)
	}
	if s.allLoops > s.lim.MaxAllLoops {
		s.fail(RuleBlocks, in.start, "more than %d loops in all functions", s.lim.MaxAllLoops)
	}
	if s.blocks++; s.blocks > s.lim.MaxBlocks {
		s.fail(RuleBlocks, in.start, "more than %d blocks", s.lim.MaxBlocks)
	}
}

func (s *bodyCheck) structure(in *instr) {
	top := len(s.frames) - 1
	switch in.op {
	case opEnd:
		s.frames = s.frames[:top]
	case opElse:
		if s.frames[top] != frameIf {
			s.fail(RuleControl, in.start, "else without if")
		}
		s.frames[top] = frameElse
	}
}
