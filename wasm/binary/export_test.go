package binary

import (
	"errors"
	"fmt"
	"slices"
)

// What the tests measure against.
const (
	WeightsPerUnit = weightsPerUnit
	FreeSpan       = freeSpan
	ReturnSpan     = returnSpan
	BulkPiece      = bulkPiece
	FrameBytes     = frameBytes
)

// CountExact rewrites a module the plainest way: in front of every instruction, its weight is added to a global that is exported
// as "count". What it counts is what was executed, and nothing of how points are placed is in it. Jumps that the rewriter makes
// direct are direct here too: that is less work than the original's, and all that needs to be paid for.
func CountExact(b []byte) ([]byte, error) {
	return instrument(b, []string{"count"}, func(w *encoder, m *Module, in *instr, g uint32) {
		wt := int64(in.info.weight)
		if in.op == opCall && int(in.a) < len(m.Imports) {
			wt += weightImport
		}
		if wt > 0 {
			w.opU(opGlobalGet, g)
			w.konst64(wt)
			w.op(opI64Add)
			w.opU(opGlobalSet, g)
		}
	})
}

// NoteOpcodes rewrites a module so that each instruction that is executed is noted in a global of its own, which is exported by
// the name that the list gives for it. An end and an else are noted by what they close.
func NoteOpcodes(b []byte) (wasm []byte, names map[uint16]string, err error) {
	m, err := Parse(b, nil)
	if err != nil {
		return nil, nil, err
	}
	seen := map[uint16]int{}
	CountOpcodes(m, seen)
	index, list := map[uint16]uint32{}, []string{}
	names = map[uint16]string{}
	for op := range seen {
		index[op] = uint32(len(list))
		names[op] = fmt.Sprintf("executed %#x", op)
		list = append(list, names[op])
	}
	wasm, err = instrument(b, list, func(w *encoder, _ *Module, in *instr, g uint32) {
		w.konst64(1)
		w.opU(opGlobalSet, g+index[uint16(in.op)])
	})
	return wasm, names, err
}

// instrument adds exported i64 globals, of which g is the first, and in front of every instruction what count writes.
func instrument(b []byte, globals []string, count func(w *encoder, m *Module, in *instr, g uint32)) ([]byte, error) {
	m, err := Parse(b, nil)
	if err != nil {
		return nil, err
	}
	g := uint32(len(m.Globals))
	seen := map[byte]bool{}
	for c := (cursor{b: b, pos: 8, end: len(b)}); c.left() > 0; c.bytes(int(c.u32())) {
		seen[c.u8()] = true
	}
	if !seen[sectionGlobal] || !seen[sectionExport] {
		return nil, errors.New("instrument wants a global and an export in the module")
	}
	out := &encoder{}
	out.raw(header...)
	c := cursor{b: b, pos: 8, end: len(b)}
	for c.left() > 0 {
		id := c.u8()
		size := int(c.u32())
		body := c.bytes(size)
		e, q := &encoder{}, cursor{b: body, end: len(body)}
		switch id {
		case sectionGlobal:
			e.u32(q.u32() + uint32(len(globals)))
			e.raw(body[q.pos:]...)
			for range globals {
				e.raw(byte(I64), 1)
				e.konst64(0)
				e.op(opEnd)
			}
			body = e.b
		case sectionExport:
			e.u32(q.u32() + uint32(len(globals)))
			e.raw(body[q.pos:]...)
			for i, name := range globals {
				e.name(name)
				e.raw(ExportGlobal)
				e.u32(g + uint32(i))
			}
			body = e.b
		case sectionCode:
			e.u32(uint32(len(m.Funcs)))
			for _, f := range m.Funcs {
				w := instrumentBody(m, &f, g, count)
				e.u32(uint32(len(w)))
				e.raw(w...)
			}
			body = e.b
		}
		out.section(id, body)
	}
	return out.b, nil
}

func instrumentBody(m *Module, f *Func, g uint32, count func(w *encoder, m *Module, in *instr, g uint32)) []byte {
	p := &planner{m: m, unseen: make([]bool, len(m.Funcs))}
	p.decode(f)
	w := &encoder{}
	w.raw(m.raw[f.locals:f.Start]...)
	q := cursor{b: m.raw, pos: f.Start, end: f.End}
	var in instr
	for q.pos < q.end && q.next(&in) {
		if in.op == opLoop {
			w.raw(m.raw[in.start:in.end]...)
		}
		if in.op != opElse {
			count(w, m, &in, g)
		}
		if l, ok := p.direct[in.start]; ok {
			w.opU(opBr, l)
		} else if in.op != opLoop {
			w.raw(m.raw[in.start:in.end]...)
		}
	}
	return w.b
}

// Opcodes lists every instruction that the parser knows, prefix in the high byte.
func Opcodes() (out []uint16) {
	for page, table := range map[opcode]*[256]opInfo{0: &plainOps, opcode(opPrefixMisc) << 8: &miscOps, opcode(opPrefixVec) << 8: &vecOps} {
		for i, info := range table {
			if info.imm != immInvalid {
				out = append(out, uint16(page)|uint16(i))
			}
		}
	}
	slices.Sort(out)
	return out
}

// CountOpcodes adds the instructions of all bodies of m.
func CountOpcodes(m *Module, seen map[uint16]int) {
	var in instr
	for _, f := range m.Funcs {
		for c := (cursor{b: m.raw, pos: f.Start, end: f.End}); c.pos < c.end && c.next(&in); {
			seen[uint16(in.op)]++
		}
	}
}

// DefaultLimits is what zero fields stand for.
var DefaultLimits = defaultLimits
