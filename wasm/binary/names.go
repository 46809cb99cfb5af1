package binary

import "unicode/utf8"

// maxTraceName bounds a function name that is kept for traces, in bytes. Longer ones are left out.
const maxTraceName = 4096

// funcNames reads the function names of a name section (7.4.1). Names are there for people: whatever is damaged is left out, and
// only more of them than the limits allow is a reason to refuse.
func (p *parser) funcNames(start, end int) {
	c := cursor{b: p.b, pos: start, end: end}
	for c.err == nil && c.left() > 0 {
		id, size := c.u8(), c.u32()
		at := c.pos
		c.bytes(int(size))
		if c.err != nil || id != 1 {
			continue
		}
		q := cursor{b: p.b, pos: at, end: c.pos}
		n := q.count("names", 2, len(p.b))
		if p.names += n; p.names > p.lim.MaxFuncNames {
			p.fail(RuleFuncNames, at, "%d function names, limit %d", p.names, p.lim.MaxFuncNames)
			return
		}
		if p.m.FuncNames == nil {
			p.m.FuncNames = map[uint32]string{}
		}
		for range n {
			fn, size := q.u32(), q.u32()
			name := q.bytes(int(size))
			if q.err != nil {
				break
			}
			if p.nameBytes += len(name); p.nameBytes > p.lim.MaxFuncNameBytes {
				p.fail(RuleFuncNames, at, "more than %d bytes of function names", p.lim.MaxFuncNameBytes)
				return
			}
			if len(name) <= maxTraceName && utf8.Valid(name) {
				p.m.FuncNames[fn] = string(name)
			}
		}
	}
}
