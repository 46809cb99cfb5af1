package binary

// Jump threading.
//
// Go's compiler for WebAssembly makes each function one loop around a table: every jump, forward or back, stores the number of
// the block to go on with and branches to the loop's header, which branches on through the table:
//
//	loop
//	  block block block … local.get $pc br_table 0 1 2 …
//	  end … i32.const 2 local.set $pc br $loop … end … end
//	end
//
// A jump forward goes to the end of a block that is still open, so it can branch there at once. That spares the header's
// look at the fuel, and the table; it gives back about as much time as all the rest of the rewriter takes. The walks that place
// points see the shorter way too, and charge what really runs. Jumps over the next block only stay as they are: measured on
// the hot loops of PNG and JPEG, these become slower by the register moves that wazero then needs where the ways meet.

// dispatch is a loop that begins with a table over a local.
type dispatch struct {
	local  uint32
	blocks []int // by value of the local, the last for all other values: the step at which the target's block begins
}

// threadFrame is an open block.
type threadFrame struct {
	begin int  // step
	plain bool // a block without parameters and results
	loop  bool // a loop without parameters: a jump to its header carries nothing that the way past it would lose
	table *dispatch
}

// threader follows the blocks while a function is decoded.
type threader struct {
	p      *planner
	frames []threadFrame
}

// step looks at the step that was decoded last.
func (t *threader) step(in *instr) {
	i := len(t.p.steps) - 1
	s := &t.p.steps[i]
	switch s.op {
	case opBlock, opLoop, opIf:
		plain := s.op == opBlock && in.block == blockType{index: -1}
		loop := s.op == opLoop && (in.block.index < 0 || len(t.p.m.Types[in.block.index].Params) == 0)
		t.frames = append(t.frames, threadFrame{begin: i, plain: plain, loop: loop})
	case opEnd:
		if n := len(t.frames); n > 0 {
			t.frames = t.frames[:n-1]
		}
	case opBrTable:
		t.table(i, s)
	case opBr:
		t.jump(i, s)
	}
}

// table notes that a loop begins with this table, if one does: nothing but blocks between its header and the local.
func (t *threader) table(i int, s *step) {
	steps := t.p.steps
	if i < 2 || steps[i-1].op != opLocalGet {
		return
	}
	j, top := i-2, len(t.frames)-1
	for ; j >= 0 && top >= 0 && t.frames[top].plain && t.frames[top].begin == j; j, top = j-1, top-1 {
	}
	if j < 0 || top < 0 || !t.frames[top].loop || t.frames[top].begin != j {
		return
	}
	d := &dispatch{local: steps[i-1].arg}
	t.p.eachLabel(s, func(l uint32) {
		begin := -1
		if k := len(t.frames) - 1 - int(l); k >= 0 && t.frames[k].plain {
			begin = t.frames[k].begin
		}
		d.blocks = append(d.blocks, begin)
	})
	t.frames[top].table = d
}

// jump shortens "i32.const n, local.set $pc, br $loop" if the block that n means is still open.
func (t *threader) jump(i int, s *step) {
	k := len(t.frames) - 1 - int(s.arg)
	if k < 0 || t.frames[k].table == nil || i < 2 {
		return
	}
	d := t.frames[k].table
	set, num := t.p.steps[i-1], t.p.steps[i-2]
	if set.op != opLocalSet || set.arg != d.local || num.op != opI32Const {
		return
	}
	begin := d.blocks[min(int64(num.arg), int64(len(d.blocks)-1))]
	for to := k + 1; to < len(t.frames); to++ {
		if begin >= 0 && t.frames[to].begin == begin {
			s.direct = int32(len(t.frames) - to)
			return
		}
	}
}

// settle decides which jumps go directly, and finds the cold labels: those from which a straight way leads to a trap, but for
// branches that leave it. It is the tail of Go functions where failed bounds checks end.
func (p *planner) settle() {
	p.cold = cleared(p.cold, len(p.steps)+1)
	var ends []int // of the open blocks
	cold := false
	for i := len(p.steps) - 1; i >= 0; i-- {
		s := &p.steps[i]
		switch s.op {
		case opEnd:
			p.cold[i] = cold
			ends = append(ends, i)
		case opUnreachable:
			cold = true
		case opBlock, opLoop, opIf:
			ends = ends[:len(ends)-1]
			cold = cold && s.op == opBlock
		case opReturn, opElse, opBrTable:
			cold = false
		case opBr:
			cold = false
			if s.direct > 0 {
				cold = p.cold[ends[len(ends)-int(s.direct)]]
				if s.direct > nearLabel {
					s.arg = uint32(s.direct - 1)
					p.direct[s.at] = s.arg
				}
			}
		}
		p.toCold[i] = cold
	}
}
