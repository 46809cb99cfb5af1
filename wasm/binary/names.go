package binary

import "unicode/utf8"

// maxTraceName bounds a function name that is kept for traces, in bytes. Longer ones are left out.
const maxTraceName = 4096

// readFuncNames reads the function names of a name section (7.4.1). Names are there for people: whatever is damaged is left out.
func readFuncNames(b []byte) map[uint32]string {
	c := cursor{b: b, end: len(b)}
	for c.err == nil && c.left() > 0 {
		id, size := c.u8(), c.u32()
		sub := c.bytes(int(size))
		if c.err != nil || id != 1 {
			continue
		}
		q := cursor{b: sub, end: len(sub)}
		names := map[uint32]string{}
		for range q.count("names", 2, len(b)) {
			fn, n := q.u32(), q.u32()
			name := q.bytes(int(n))
			if q.err != nil {
				break
			}
			if len(name) <= maxTraceName && utf8.Valid(name) {
				names[fn] = string(name)
			}
		}
		return names
	}
	return nil
}
