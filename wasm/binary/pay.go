package binary

// payFrame is an open block of the walk from the end of a function to its beginning.
type payFrame struct {
	end    int   // step of its end
	label  int64 // the most expensive way from its label on; nothing for a loop, whose header pays
	cold   bool  // its label leads to a trap
	atElse int64 // the same from the beginning of the else branch, once that has been passed
	other  int   // step behind else, or 0
}

// payer is one walk.
type payer struct {
	*planner
	frames []payFrame
	cost   int64  // the most expensive way from here to the next points or the end
	own    []bool // by step of an end: the label there has a point of its own
	more   bool   // a label was found that should have one
}

// payAll decides what is paid where. The walk goes backwards, so that at each instruction the cost of all that may follow is
// known. Labels come before the branches to them then, so a label that turns out to be much dearer than the other side of a
// branch gets its point in the next walk; three walks are enough for nearly all code, and one more would only spare fuel.
func (p *planner) payAll() {
	w := payer{planner: p, own: make([]bool, len(p.steps)+1)}
	for range payWalks {
		w.walk()
		if !w.more {
			return
		}
	}
}

func (w *payer) walk() {
	w.more = false
	w.frames = append(w.frames[:0], payFrame{end: len(w.steps) - 1})
	w.cost = 0
	clear(w.pays)
	for i := len(w.steps) - 2; i >= 0; i-- { // the last end closes the function
		w.step(i, &w.steps[i])
		w.owe(i, &w.steps[i])
		w.cost += int64(w.steps[i].weight)
		if w.steps[i].op == opLoop {
			w.headers[i], w.cost = w.cost, 0
		}
	}
	w.pays[0] = w.cost
}

// step goes back over one instruction, without its own weight.
func (w *payer) step(i int, s *step) {
	top := len(w.frames) - 1
	switch s.op {
	case opEnd:
		if w.own[i] || w.cold[i] {
			w.pay(i+1, w.cost)
			w.cost = 0
		}
		w.frames = append(w.frames, payFrame{end: i, label: w.cost, cold: w.cold[i]})
	case opElse:
		f := &w.frames[top]
		f.atElse, f.other = w.cost, i+1
		w.cost = f.label
	case opLoop, opBlock:
		w.frames = w.frames[:top]
	case opIf:
		f := w.frames[top]
		w.frames = w.frames[:top]
		switch {
		case w.toCold[i+1] && f.other == 0: // the branch is hardly ever taken
			w.pay(i+1, w.cost)
			w.cost = f.label
		case f.other > 0:
			w.cost = w.level(i+1, w.cost, f.other, f.atElse)
		default:
			w.cost = w.against(i+1, w.cost, f)
		}
	case opBr:
		w.cost = w.frame(s.arg).label
	case opBrIf:
		w.cost = w.against(i+1, w.cost, w.frame(s.arg))
	case opBrTable:
		w.table(s)
	case opReturn, opUnreachable:
		w.cost = 0
	}
}

// owe bounds what is paid in advance. What has been paid is run without refuel being called, so a caller must not pay for much
// of what it does after its call came back: fifteen hundred callers may do that in a row.
func (w *payer) owe(i int, s *step) {
	limit := int64(freeSpan)
	if w.returns(s) {
		limit = returnSpan
	}
	if w.cost > limit {
		w.pay(i+1, w.cost)
		w.cost = 0
	}
}

// frame is the block that label l means. The label of a loop costs nothing: its header pays.
func (w *payer) frame(l uint32) payFrame {
	return w.frames[len(w.frames)-1-int(l)]
}

// pay puts a point in front of a step, or adds to the one there.
func (w *payer) pay(i int, cost int64) { w.pays[i] += cost }

// level is the cost of going either of two ways, each of which can have a point at its beginning.
func (w *payer) level(i int, a int64, j int, b int64) int64 {
	switch {
	case a-b > paySpan:
		w.pay(i, a-b)
		return b
	case b-a > paySpan:
		w.pay(j, b-a)
		return a
	}
	return max(a, b)
}

// against is the cost of going on at step i or to a label.
func (w *payer) against(i int, cost int64, f payFrame) int64 {
	switch {
	case f.cold:
		return cost
	case cost-f.label > paySpan:
		w.pay(i, cost-f.label)
		return f.label
	case f.label-cost > paySpan:
		w.want(f)
	}
	return max(cost, f.label)
}

// want asks for a point at a label in the next walk.
func (w *payer) want(f payFrame) {
	if !w.own[f.end] {
		w.own[f.end], w.more = true, true
	}
}

func (w *payer) table(s *step) {
	least, most := int64(1<<62), int64(0)
	w.eachLabel(s, func(l uint32) {
		c := w.frame(l).label
		least, most = min(least, c), max(most, c)
	})
	if most-least > paySpan {
		w.eachLabel(s, func(l uint32) {
			if f := w.frame(l); f.label-least > paySpan {
				w.want(f)
			}
		})
	}
	w.cost = most
}
