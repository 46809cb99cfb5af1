package binary

// Where fuel is taken, and where it is looked at.
//
// A point takes a weight from the fuel; a point that looks also calls refuel when the fuel has become negative. Two questions
// decide where points stand.
//
// Who pays (pay.go): the entry of a function and the header of a loop pay for the most expensive way from there to the next
// points or the end. So what was paid is never less than what was executed, on any way. It is more where a way is cheaper than
// the most expensive one; where a branch would make that more than paySpan, the dearer side gets a point of its own, which
// only those who go there pass.
//
// Nobody pays for long in advance: what is behind a call, or further away than a span, is paid for when it is reached.
//
// Who looks (look.go): span is the work since the last look, the largest over all ways. Loop headers look, so do functions at
// their entry, and a look is put in wherever the span has grown too long. After a call came back the bound is tighter than
// otherwise, because fifteen hundred callers may return in a row, each adding its own. Functions that call nothing and do
// little outside loops do not look at their entry at all; their callers count them as leafSpan.

// point is a place where fuel is taken, in front of the instruction at offset at, or in the header of the loop there.
type point struct {
	at     int
	weight int64 // units
	loop   bool
	look   bool
}

// plan is where the points of one function stand, in order.
type plan struct {
	points []point        // the first is the entry's
	direct map[int]uint32 // by offset of a br: the label that it goes to instead; see thread.go
	unseen bool           // no look at entry: callers count the function as leafSpan
	depth  bool           // counts its call depth
}

// step is an instruction of the function that is planned.
type step struct {
	op     opcode
	weight uint16 // sixteenths of a unit
	at     int
	arg    uint32 // the first immediate: label, function, local, constant; of br_table the number of labels without the default
	direct int32  // br: the label that it can go to instead, plus one; see thread.go
	labels int    // br_table: offset of the first label
}

// planner plans functions one after the other; its lists are used again.
type planner struct {
	m      *Module
	unseen []bool // by own function: planned to go without a look at entry
	steps  []step
	direct map[int]uint32

	cold    []bool  // by step of an end: a cold label
	toCold  []bool  // by step: a cold way begins in front of it
	pays    []int64 // by step: what a point in front of it pays
	headers []int64 // by step: what the header of the loop that begins there pays
	looks   []bool  // by step: whether a look stands in front of it
}

// function places the points of function i. Functions that call nothing must be planned before those that call them.
func (p *planner) function(i int) *plan {
	f := &p.m.Funcs[i]
	p.decode(f)
	p.payAll()
	look := true
	if !f.calls {
		look = p.lookAll(false) > leafSpan
	}
	out := &plan{depth: f.calls, direct: p.direct, unseen: !look}
	entry := point{at: f.Start, weight: units(p.pays[0])}
	if look {
		p.lookAll(true)
		entry.look = p.looks[0]
	}
	out.points = append(out.points, entry)
	for j, s := range p.steps {
		if j > 0 && (p.pays[j] > 0 || p.looks[j]) {
			out.points = append(out.points, point{at: s.at, weight: units(p.pays[j]), look: p.looks[j]})
		}
		if s.op == opLoop {
			out.points = append(out.points, point{at: s.at, weight: units(p.headers[j]), loop: true, look: true})
		}
	}
	return out
}

// units rounds a weight up to whole units.
func units(w int64) int64 { return (w + weightsPerUnit - 1) / weightsPerUnit }

// decode fills steps.
func (p *planner) decode(f *Func) {
	p.steps = p.steps[:0]
	t := threader{p: p}
	p.direct = map[int]uint32{}
	c := cursor{b: p.m.raw, pos: f.Start, end: f.End}
	var in instr
	for c.pos < c.end {
		if !c.next(&in) {
			panic("wasm/binary: a body that was checked cannot be read again")
		}
		s := step{op: in.op, weight: in.info.weight, at: in.start, arg: in.a, labels: in.at}
		if in.op == opCall && int(in.a) < len(p.m.Imports) {
			s.weight += weightImport
		}
		p.steps = append(p.steps, s)
		t.step(&in)
	}
	n := len(p.steps) + 1
	p.pays = cleared(p.pays, n)
	p.headers = cleared(p.headers, n)
	p.looks = cleared(p.looks, n)
	p.toCold = cleared(p.toCold, n)
	p.settle()
}

// cleared gives a list of n zeroes.
func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, 2*n)
	}
	s = s[:n]
	clear(s)
	return s
}

// returns reports whether a step is a call that may look and come back much later: not one of the host or of a small leaf.
func (p *planner) returns(s *step) bool {
	switch s.op {
	case opCallIndirect:
		return true
	case opCall:
		own := int(s.arg) - len(p.m.Imports)
		return own >= 0 && !p.unseen[own]
	}
	return false
}

// eachLabel calls do with every label of a branch.
func (p *planner) eachLabel(s *step, do func(l uint32)) {
	if s.op != opBrTable {
		do(s.arg)
		return
	}
	c := cursor{b: p.m.raw, pos: s.labels, end: len(p.m.raw)}
	for range s.arg + 1 {
		do(c.u32())
	}
}
