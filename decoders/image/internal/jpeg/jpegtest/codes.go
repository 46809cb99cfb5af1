package jpegtest

import "math/bits"

// codes is a Huffman table.
type codes struct {
	counts [16]byte
	values []byte
	code   [256]int
	length [256]int
}

// segment is the table as DHT has it, behind its number.
func (t *codes) segment() string { return string(t.counts[:]) + string(t.values) }

func (t *codes) assign() {
	code, at := 0, 0
	for n, count := range t.counts {
		for range count {
			t.code[t.values[at]], t.length[t.values[at]] = code, n+1
			code++
			at++
		}
		code <<= 1
	}
}

// writer writes coded bits.
type writer struct {
	dc, ac  codes
	last    [4]int
	ended   int   // blocks that have nothing more of the band and were not said
	pending []int // bits of theirs
	data    []byte
	acc, n  int
}

// setTables takes tables in which short codes and the longest are frequent alike; or, with annexK, those that every reader knows.
func (w *writer) setTables(annexK bool) {
	if annexK { // K.3 and K.5 as far as soft pictures need them
		w.dc = codes{counts: [16]byte{0, 1, 5, 1, 1, 1, 1, 1, 1}, values: []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}}
		w.ac = codes{counts: [16]byte{0, 2, 1, 3, 3}, values: []byte{1, 2, 3, 0, 4, 17, 5, 18, 33}}
	} else {
		w.dc = codes{counts: [16]byte{4: 4, 15: 12}}
		w.ac = codes{counts: [16]byte{7: 128, 15: 128}}
		for i := range 256 {
			if i < 16 {
				w.dc.values = append(w.dc.values, byte(i))
			}
			w.ac.values = append(w.ac.values, byte(i)*83) // odd: each once, in no order
		}
	}
	w.dc.assign()
	w.ac.assign()
}

func (w *writer) symbol(t *codes, s int) {
	if t.length[s] == 0 {
		panic("no code for a symbol")
	}
	w.bits(t.code[s], t.length[s])
}

// size is how many bits a value takes (table F.1).
func size(v int) int { return bits.Len(uint(max(v, -v))) }

func (w *writer) value(v, n int) {
	if v < 0 {
		v += 1<<n - 1
	}
	w.bits(v, n)
}

func (w *writer) bits(v, n int) {
	w.acc, w.n = w.acc<<n|v&(1<<n-1), w.n+n
	for ; w.n >= 8; w.n -= 8 {
		c := byte(w.acc >> (w.n - 8))
		if w.data = append(w.data, c); c == 0xff {
			w.data = append(w.data, 0)
		}
	}
}

// pad ends a stretch of coded data and appends it.
func (w *writer) pad(out []byte) []byte {
	if w.n > 0 {
		w.bits(0xff, 8-w.n)
	}
	out = append(out, w.data...)
	w.data, w.acc, w.n = nil, 0, 0
	return out
}
