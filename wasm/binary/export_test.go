package binary

import (
	"errors"
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
		return nil, errors.New("CountExact wants a global and an export in the module")
	}
	out := &encoder{}
	out.raw(header...)
	c := cursor{b: b, pos: 8, end: len(b)}
	for c.left() > 0 {
		id := c.u8()
		size := int(c.u32())
		body := c.bytes(size)
		e := &encoder{}
		switch id {
		case sectionGlobal:
			q := cursor{b: body, end: len(body)}
			e.u32(q.u32() + 1)
			e.raw(body[q.pos:]...)
			e.raw(byte(I64), 1)
			e.konst64(0)
			e.op(opEnd)
			body = e.b
		case sectionExport:
			q := cursor{b: body, end: len(body)}
			e.u32(q.u32() + 1)
			e.raw(body[q.pos:]...)
			e.name("count")
			e.raw(ExportGlobal)
			e.u32(g)
			body = e.b
		case sectionCode:
			e.u32(uint32(len(m.Funcs)))
			for _, f := range m.Funcs {
				p := &planner{m: m, unseen: make([]bool, len(m.Funcs))}
				p.decode(&f)
				w := &encoder{}
				w.raw(b[f.locals:f.Start]...)
				q := cursor{b: b, pos: f.Start, end: f.End}
				var in instr
				for q.pos < q.end && q.next(&in) {
					wt := int64(in.info.weight)
					if in.op == opCall && int(in.a) < len(m.Imports) {
						wt += weightImport
					}
					if in.op == opLoop {
						w.raw(b[in.start:in.end]...)
					}
					if wt > 0 && in.op != opElse {
						w.opU(opGlobalGet, g)
						w.konst64(wt)
						w.op(opI64Add)
						w.opU(opGlobalSet, g)
					}
					if l, ok := p.direct[in.start]; ok {
						w.opU(opBr, l)
					} else if in.op != opLoop {
						w.raw(b[in.start:in.end]...)
					}
				}
				e.u32(uint32(len(w.b)))
				e.raw(w.b...)
			}
			body = e.b
		}
		out.section(id, body)
	}
	return out.b, nil
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
