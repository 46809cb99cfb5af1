package binary

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

// lookFrame is an open block of the walk.
type lookFrame struct {
	op      opcode
	atLabel span // ways that branch to the end
	atIf    span // what held at the if
}

// looker is one walk.
type looker struct {
	*planner
	frames []lookFrame
	span   span
	begin  bool  // still on the straight way from the entry
	most   int64 // the longest span that ended
}

// lookAll decides where to look, with a look at the entry or without, and gives the longest span.
func (p *planner) lookAll(entry bool) int64 {
	clear(p.looks)
	p.looks[0] = entry
	l := looker{planner: p, begin: true, span: span{0, -1}}
	l.frames = append(l.frames, lookFrame{op: opBlock, atLabel: nowhere})
	for i := range p.steps {
		l.step(i, &p.steps[i])
	}
	return max(l.most, l.span.worst())
}

func (l *looker) step(i int, s *step) {
	if s.op == opElse || s.op == opEnd {
		l.close(s.op)
		return
	}
	if l.span.dead() {
		if s.op == opBlock || s.op == opLoop || s.op == opIf {
			l.frames = append(l.frames, lookFrame{op: s.op, atLabel: nowhere, atIf: nowhere})
		}
		return
	}
	w := int64(s.weight)
	if i > 0 && s.op != opLoop && (l.span.plain+w > freeSpan || l.span.returned+w > returnSpan) {
		l.looks[i] = true
		l.ends()
		l.span = span{0, -1}
	}
	l.span.add(w)
	l.effect(s)
}

// ends notes that a span ends here.
func (l *looker) ends() { l.most = max(l.most, l.span.worst()) }

// effect is what an instruction does to the way.
func (l *looker) effect(s *step) {
	switch s.op {
	case opBlock:
		l.frames = append(l.frames, lookFrame{op: opBlock, atLabel: nowhere})
	case opLoop:
		if l.begin && l.span.worst() <= returnSpan { // the entry leads here and nowhere else, and here is a look
			l.looks[0] = false
		}
		l.begin = false
		l.ends()
		l.span = span{0, -1}
		l.frames = append(l.frames, lookFrame{op: opLoop, atLabel: nowhere})
	case opIf:
		l.begin = false
		l.frames = append(l.frames, lookFrame{op: opIf, atLabel: nowhere, atIf: l.span})
	case opBr, opBrIf, opBrTable:
		l.begin = false
		l.eachLabel(s, l.target)
		if s.op != opBrIf {
			l.span = nowhere
		}
	case opReturn, opUnreachable:
		l.begin = false
		l.ends()
		l.span = nowhere
	case opCall, opCallIndirect:
		l.begin = false
		l.call(s)
	}
}

// target notes a way to a label. The way to a loop's label ends at a look.
func (l *looker) target(label uint32) {
	f := &l.frames[len(l.frames)-1-int(label)]
	if f.op == opLoop {
		l.ends()
		return
	}
	f.atLabel.join(l.span)
}

// call: the callee looks at its entry and comes back with a span of its own, or it is a leaf or the host, which do not look.
func (l *looker) call(s *step) {
	if s.op == opCallIndirect {
		l.span.add(leafSpan)
		l.span.join(span{-1, 0})
		return
	}
	own := int(s.arg) - len(l.m.Imports)
	switch {
	case own < 0:
	case l.unseen[own]:
		l.span.add(leafSpan)
	default:
		l.ends()
		l.span = span{-1, 0}
	}
}

// close is else or end.
func (l *looker) close(op opcode) {
	f := &l.frames[len(l.frames)-1]
	if op == opElse {
		f.atLabel.join(l.span)
		f.op, l.span = opElse, f.atIf
		return
	}
	if f.op == opIf { // without else: the condition may have been false
		l.span.join(f.atIf)
	}
	l.span.join(f.atLabel)
	l.frames = l.frames[:len(l.frames)-1]
}
