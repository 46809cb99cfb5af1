package binary

// Where fuel is taken, and where it is looked at.
//
// A point subtracts a weight from the fuel; a checked point also calls refuel when the fuel has become negative. Two
// questions decide where points stand.
//
// Who pays: every instruction that can be reached is charged to a point that dominates it, so what was charged is never less
// than what was executed. Control in WebAssembly is structured, so one walk suffices. A block inherits the point of its
// parent; code behind a block belongs to the parent's point again, because the block cannot be left without having been
// entered. A loop begins with a point of its own, which pays once per turn. When a point has been charged pointSpan, the next
// one is planted on the spot and pays for the rest of that block only. What a point pays for but does not reach (a branch
// goes away) is charged too much, by pointSpan at most.
//
// Who looks: span is the work since the last look, the largest over all paths. Loop headers look, so do functions at their
// entry, and a point looks if the span before it has grown too long. After a call came back the bound is tighter than
// otherwise, because fifteen hundred callers may return in a row, each adding its own. Functions that call nothing and do
// little outside loops do not look at their entry at all; their callers count them as leafSpan.

// point is a place where fuel is taken, in front of the instruction at offset at, or in the header of the loop there.
type point struct {
	at     int
	weight int64
	loop   bool
	check  bool
}

// span is the work on the way to here since fuel was looked at: on ways without a call since then, and on ways since a call
// came back. -1 means that there is no such way; if both are -1 the code cannot be reached.
type span struct{ plain, returned int64 }

var nowhere = span{-1, -1}

func (s span) dead() bool { return s.plain < 0 && s.returned < 0 }

func (s *span) add(w int64) {
	if s.plain >= 0 {
		s.plain += w
	}
	if s.returned >= 0 {
		s.returned += w
	}
}

// join is what holds where two ways meet.
func (s *span) join(t span) {
	s.plain = max(s.plain, t.plain)
	s.returned = max(s.returned, t.returned)
}

func (s span) worst() int64 { return max(s.plain, s.returned) }

// planFrame is an open block of the walk.
type planFrame struct {
	op      opcode // opBlock (the body too), opLoop, opIf or opElse
	point   int    // the point that pays here
	outer   int    // the point that paid where the block began
	split   bool   // a branch may have left since the point
	atLabel span   // ways that branch to the end
	atIf    span   // what held at the if
}

// plan is where the points of one function stand, in order.
type plan struct {
	points []point // the first is the entry's
	unseen bool    // no look at entry: callers count the function as leafSpan
	depth  bool    // counts its call depth
}

type planner struct {
	m      *Module
	unseen []bool // by own function: planned to go without a look at entry
	plan   *plan
	frames []planFrame
	span   span
	begin  bool // still on the straight way from the entry
	most   int64
}

// planFunc places the points of function i. Functions that call nothing must be planned before those that call them.
func (m *Module) planFunc(i int, unseen []bool) *plan {
	f := &m.Funcs[i]
	if !f.calls {
		if p := m.walk(f, unseen, false); p.unseen {
			return p
		}
	}
	return m.walk(f, unseen, true)
}

// walk plans one function. If look is false the entry does not look, and the result says with unseen whether that is allowed.
func (m *Module) walk(f *Func, unseen []bool, look bool) *plan {
	p := &planner{m: m, unseen: unseen, plan: &plan{depth: f.calls}, begin: true}
	p.plan.points = []point{{at: f.Start, check: look}}
	p.frames = []planFrame{{op: opBlock, atLabel: nowhere}}
	p.span = span{0, -1}
	c := cursor{b: m.raw, pos: f.Start, end: f.End}
	var in instr
	for len(p.frames) > 0 && c.next(&in) {
		p.instr(&in)
	}
	if c.err != nil || len(p.frames) > 0 {
		panic("wasm/binary: a body that was checked cannot be read again")
	}
	p.most = max(p.most, p.span.worst())
	p.plan.unseen = !look && p.most <= leafSpan
	return p.plan
}

func (p *planner) top() *planFrame { return &p.frames[len(p.frames)-1] }

func (p *planner) instr(in *instr) {
	if in.op == opElse || in.op == opEnd {
		p.close(in.op)
		return
	}
	if p.span.dead() {
		p.deadInstr(in)
		return
	}
	w := p.weight(in)
	if in.op == opLoop {
		p.charge(in, w)
		p.loop(in)
		return
	}
	p.plant(in, w)
	p.charge(in, w)
	switch in.op {
	case opBlock, opIf:
		f := p.top()
		p.frames = append(p.frames, planFrame{op: in.op, point: f.point, outer: f.point, split: f.split, atLabel: nowhere, atIf: p.span})
		if in.op == opIf {
			p.begin = false
			p.top().split = true
		}
	case opBr, opBrIf, opBrTable:
		p.branch(in)
	case opReturn:
		p.begin = false
		p.target(uint32(len(p.frames) - 1))
		p.span = nowhere
	case opUnreachable:
		p.most = max(p.most, p.span.worst())
		p.span = nowhere
	case opCall, opCallIndirect:
		p.begin = false
		p.call(in)
	}
}

// deadInstr keeps the frames right in code that cannot be reached.
func (p *planner) deadInstr(in *instr) {
	switch in.op {
	case opBlock, opLoop, opIf:
		f := p.top()
		p.frames = append(p.frames, planFrame{op: in.op, point: f.point, outer: f.point, atLabel: nowhere, atIf: nowhere})
	}
}

// weight is what the instruction costs, without what it costs by length.
func (p *planner) weight(in *instr) int64 {
	if in.op == opCall && int(in.a) < len(p.m.Imports) {
		return weightCall + weightImport
	}
	return int64(in.info.weight)
}

// plant puts a point in front of the instruction if the current one has enough to pay, or if the span is too long.
func (p *planner) plant(in *instr, w int64) {
	f := p.top()
	look := p.span.plain+w > freeSpan || p.span.returned+w > returnSpan
	pay := p.plan.points[f.point].weight+w > pointSpan && p.plan.points[f.point].weight > 0
	if !look && !pay && !(w >= heavy && f.split) {
		return
	}
	p.plan.points = append(p.plan.points, point{at: in.start, check: look})
	f.point, f.split = len(p.plan.points)-1, false
	if look {
		p.most = max(p.most, p.span.worst())
		p.span = span{0, -1}
	}
}

func (p *planner) charge(_ *instr, w int64) {
	p.plan.points[p.top().point].weight += w
	p.span.add(w)
}

// loop opens a loop, whose header is a point that looks. If the entry leads straight here, the entry itself need not look:
// nothing can call or come back around it.
func (p *planner) loop(in *instr) {
	if p.begin && p.span.worst() <= returnSpan {
		p.plan.points[0].check = false
	}
	p.begin = false
	p.most = max(p.most, p.span.worst())
	f := p.top()
	p.plan.points = append(p.plan.points, point{at: in.start, loop: true, check: true})
	p.frames = append(p.frames, planFrame{op: opLoop, point: len(p.plan.points) - 1, outer: f.point, atLabel: nowhere})
	p.span = span{0, -1}
}

// target notes a way to the label l, which skips the rest of the blocks up to it. The way to a loop's label ends at a look.
func (p *planner) target(l uint32) {
	to := len(p.frames) - 1 - int(l)
	for i := to; i < len(p.frames); i++ {
		p.frames[i].split = true
	}
	f := &p.frames[to]
	if f.op == opLoop {
		p.most = max(p.most, p.span.worst())
		return
	}
	f.atLabel.join(p.span)
}

func (p *planner) branch(in *instr) {
	p.begin = false
	if in.op != opBrTable {
		p.target(in.a)
	} else {
		c := cursor{b: p.m.raw, pos: in.at, end: in.end}
		for range in.a + 1 {
			p.target(c.u32())
		}
	}
	if in.op != opBrIf {
		p.span = nowhere
	}
}

// call is a call: the callee looks at its entry and comes back with a span of its own, or it is a leaf or the host, which do
// not look.
func (p *planner) call(in *instr) {
	if in.op == opCallIndirect {
		p.span.add(leafSpan)
		p.span.join(span{-1, 0})
		return
	}
	own := int(in.a) - len(p.m.Imports)
	switch {
	case own < 0:
	case p.unseen[own]:
		p.span.add(leafSpan)
	default:
		p.most = max(p.most, p.span.worst())
		p.span = span{-1, 0}
	}
}

// close is else or end.
func (p *planner) close(op opcode) {
	f := p.top()
	if op == opElse {
		f.atLabel.join(p.span)
		f.op, f.point, f.split = opElse, f.outer, true
		p.span = f.atIf
		return
	}
	if f.op == opIf { // without else: the condition may have been false
		p.span.join(f.atIf)
	}
	p.span.join(f.atLabel)
	p.frames = p.frames[:len(p.frames)-1]
}
