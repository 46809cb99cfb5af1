package binary

// emitter writes one rewritten body.
type emitter struct {
	*rewriter
	e      encoder
	points []point // those that are still to come
	direct map[int]uint32
	labels []label // by open block of the original
	height int     // blocks open in the output, above the function's own
	copied int     // the original is written up to here
	deep   int32   // what the function adds to the depth, or 0
}

// label is where the label of an original block is in the output.
type label struct {
	height  int
	outside bool // a loop that leaves itself to refuel
	weight  int64
}

// body writes function i of the module: locals, then code.
//
// A function that calls keeps the depth. All its ways out lead through one block around the old body, whose label takes the
// place of the function's own, so that the depth is given back once, behind it:
//
//	depth += n; if depth > max { unreachable }
//	block RESULTS … br $function … end
//	depth -= n
func (r *rewriter) body(i int) []byte {
	f, p := &r.m.Funcs[i], r.plans[i]
	w := &emitter{rewriter: r, points: p.points[1:], direct: p.direct, copied: f.locals}
	w.e.b = make([]byte, 0, 2*(f.End-f.locals)+64)
	w.copyTo(f.Start)
	if p.depth {
		w.deep = frameCost(f)
		w.enter(r.m.Types[f.Type].Results)
	}
	w.labels = append(w.labels, label{height: w.height})
	w.take(p.points[0])
	c := cursor{b: r.m.raw, pos: f.Start, end: f.End}
	var in instr
	for len(w.labels) > 0 && c.next(&in) {
		w.instr(&in)
	}
	w.copyTo(c.pos)
	return w.e.b
}

// frameCost is what one activation adds to the depth. It is one for all but frames so large that MaxDepth of them would not
// fit in the stack that an engine allows (wazero: 50 MB): every value that a body computes may need a slot of its own.
func frameCost(f *Func) int32 {
	return 1 + int32((f.localBytes+8*f.Instrs)/frameBytes)
}

// frameBytes is the stack that one unit of depth stands for.
const frameBytes = 32 << 10

// enter counts the depth and opens the block that takes the place of the body.
func (w *emitter) enter(results []ValType) {
	e := &w.e
	e.opU(opGlobalGet, w.depth)
	e.konst32(w.deep)
	e.op(opI32Add)
	e.opU(opGlobalSet, w.depth)
	e.opU(opGlobalGet, w.depth)
	e.konst32(w.opts.MaxDepth)
	e.op(opI32GtS)
	e.open(opIf, empty)
	e.op(opUnreachable, opEnd)
	e.op(opBlock)
	switch len(results) {
	case 0:
		e.raw(empty)
	case 1:
		e.raw(byte(results[0]))
	default:
		e.s64(int64(w.typeIndex(FuncType{Results: results})))
	}
	w.height = 1
}

// copyTo copies the original up to offset at.
func (w *emitter) copyTo(at int) {
	w.e.raw(w.m.raw[w.copied:at]...)
	w.copied = at
}

// replace drops the instruction from the output; what is written next takes its place.
func (w *emitter) replace(in *instr) {
	w.copyTo(in.start)
	w.copied = in.end
}

// subtract takes n from the fuel.
func (r *rewriter) subtract(e *encoder, n int64) {
	e.opU(opGlobalGet, r.fuel)
	e.konst64(n)
	e.op(opI64Sub)
	e.opU(opGlobalSet, r.fuel)
}

// negative leaves on the stack whether the fuel is used up.
func (r *rewriter) negative(e *encoder) {
	e.opU(opGlobalGet, r.fuel)
	e.konst64(0)
	e.op(opI64LtS)
}

// look calls refuel if the fuel is used up.
func (r *rewriter) look(e *encoder) {
	r.negative(e)
	e.open(opIf, empty)
	e.opU(opCall, r.refuel)
	e.op(opEnd)
}

// take writes a point in place.
func (w *emitter) take(p point) {
	if p.weight > 0 {
		w.subtract(&w.e, p.weight)
	}
	if p.look {
		w.look(&w.e)
	}
}

// to is the label of an original branch in the output.
func (w *emitter) to(l uint32) uint32 {
	return uint32(w.height - w.labels[len(w.labels)-1-int(l)].height)
}

func (w *emitter) push() {
	w.height++
	w.labels = append(w.labels, label{height: w.height})
}

func (w *emitter) instr(in *instr) {
	for len(w.points) > 0 && w.points[0].at == in.start && !w.points[0].loop {
		w.copyTo(in.start)
		w.take(w.points[0])
		w.points = w.points[1:]
	}
	switch in.op {
	case opBlock, opIf:
		w.push()
	case opLoop:
		w.loop(in)
	case opEnd:
		w.end(in)
	case opBr, opBrIf:
		l := in.a
		if d, ok := w.direct[in.start]; ok {
			l = d
		}
		w.replace(in)
		w.e.opU(in.op, w.to(l))
	case opBrTable:
		w.branchTable(in)
	case opReturn:
		if w.deep != 0 {
			w.replace(in)
			w.e.opU(opBr, w.to(uint32(len(w.labels)-1)))
		}
	case opCall:
		w.replace(in)
		w.e.opU(opCall, w.fn(in.a))
	case opRefFunc:
		w.replace(in)
		w.e.opU(opRefFunc, w.fnRef(in.a))
	default:
		w.special(in)
	}
}

// loop opens a loop. A call in the cold branch of a hot loop costs up to a fifth of its speed, by the registers that are
// spilled for it; so the loop leaves itself, the call is made outside, and an outer loop enters it again:
//
//	block T                      ;; exit
//	  loop                       ;; again
//	    block                    ;; empty tank
//	      loop T                 ;; the original's label
//	        fuel -= weight; br_if (fuel < 0) 1
//	        …
//	      end
//	      br 2
//	    end
//	    call refuel
//	    fuel += weight           ;; the header takes it again
//	    br 0
//	  end
//	  unreachable
//	end
//
// A loop that takes parameters could not leave before it has them back on the stack, and calls in place.
func (w *emitter) loop(in *instr) {
	p := w.points[0]
	w.points = w.points[1:]
	if i := in.block.index; i >= 0 && len(w.m.Types[i].Params) > 0 {
		w.push()
		w.copyTo(in.end)
		w.take(p)
		return
	}
	w.copyTo(in.start)
	bt := w.m.raw[in.at:in.end]
	e := &w.e
	e.op(opBlock)
	e.raw(bt...)
	e.open(opLoop, empty)
	e.open(opBlock, empty)
	w.height += 3
	w.push()
	w.labels[len(w.labels)-1].outside = true
	w.labels[len(w.labels)-1].weight = p.weight
	w.copyTo(in.end)
	w.subtract(e, p.weight)
	w.negative(e)
	e.opU(opBrIf, 1)
}

func (w *emitter) end(in *instr) {
	l := w.labels[len(w.labels)-1]
	w.labels = w.labels[:len(w.labels)-1]
	w.copyTo(in.end)
	e := &w.e
	switch {
	case len(w.labels) == 0:
		if w.deep != 0 { // the end that was copied closes the block in the body's place
			e.opU(opGlobalGet, w.depth)
			e.konst32(w.deep)
			e.op(opI32Sub)
			e.opU(opGlobalSet, w.depth)
			e.op(opEnd)
		}
	case l.outside:
		e.opU(opBr, 2)
		e.op(opEnd)
		e.opU(opCall, w.refuel)
		w.subtract(e, -l.weight)
		e.opU(opBr, 0)
		e.op(opEnd, opUnreachable, opEnd)
		w.height -= 4
	default:
		w.height--
	}
}

func (w *emitter) branchTable(in *instr) {
	w.replace(in)
	c := cursor{b: w.m.raw, pos: in.at, end: in.end}
	w.e.opU(opBrTable, in.a)
	for range in.a + 1 {
		w.e.u32(w.to(c.u32()))
	}
}

// special rewrites the instructions whose cost depends on an operand, and marks those whose effect cannot be undone.
func (w *emitter) special(in *instr) {
	switch in.op {
	case opMemoryCopy, opMemoryFill, opMemoryGrow:
		w.replace(in)
		w.e.opU(opCall, w.helper(helperKey{op: in.op}))
	case opMemoryInit:
		w.inPieces(in, len(w.m.Data[in.a].Bytes) > bulkPiece)
	case opTableInit:
		w.taintAt(in)
		w.inPieces(in, len(w.m.Elems[in.a].items) > bulkEntries)
	case opTableCopy, opTableFill, opTableGrow:
		w.taintAt(in)
		w.replace(in)
		w.e.opU(opCall, w.helper(helperKey{op: in.op, a: in.a, b: in.b}))
	case opTableSet, opElemDrop, opDataDrop:
		w.taintAt(in)
	case opGlobalSet:
		if !w.m.Globals[in.a].Type.Numeric() {
			w.taintAt(in)
		}
	}
}

// taintAt marks, in front of the instruction, that the guest changes what a host cannot put back.
func (w *emitter) taintAt(in *instr) {
	w.copyTo(in.start)
	w.e.konst32(1)
	w.e.opU(opGlobalSet, w.taint)
}

// inPieces rewrites memory.init and table.init. If the segment is no longer than one piece, a length above it can only trap,
// so the length is charged and the instruction stays; else it becomes a call of a helper of that segment's own.
func (w *emitter) inPieces(in *instr, long bool) {
	if long {
		w.replace(in)
		w.e.opU(opCall, w.helper(helperKey{op: in.op, a: in.a, b: in.b}))
		return
	}
	w.copyTo(in.start)
	w.e.opU(opCall, w.helper(helperKey{op: chargeLength, a: unitsOf(in.op)}))
}
