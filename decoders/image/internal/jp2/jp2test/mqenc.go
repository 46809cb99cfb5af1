package jp2test

// rows is table C.2: Qe, NMPS, NLPS, SWITCH.
var rows = [47][4]int{
	{0x5601, 1, 1, 1}, {0x3401, 2, 6, 0}, {0x1801, 3, 9, 0}, {0x0ac1, 4, 12, 0}, {0x0521, 5, 29, 0}, {0x0221, 38, 33, 0}, {0x5601, 7, 6, 1},
	{0x5401, 8, 14, 0}, {0x4801, 9, 14, 0}, {0x3801, 10, 14, 0}, {0x3001, 11, 17, 0}, {0x2401, 12, 18, 0}, {0x1c01, 13, 20, 0}, {0x1601, 29, 21, 0},
	{0x5601, 15, 14, 1}, {0x5401, 16, 14, 0}, {0x5101, 17, 15, 0}, {0x4801, 18, 16, 0}, {0x3801, 19, 17, 0}, {0x3401, 20, 18, 0}, {0x3001, 21, 19, 0},
	{0x2801, 22, 19, 0}, {0x2401, 23, 20, 0}, {0x2201, 24, 21, 0}, {0x1c01, 25, 22, 0}, {0x1801, 26, 23, 0}, {0x1601, 27, 24, 0}, {0x1401, 28, 25, 0},
	{0x1201, 29, 26, 0}, {0x1101, 30, 27, 0}, {0x0ac1, 31, 28, 0}, {0x09c1, 32, 29, 0}, {0x08a1, 33, 30, 0}, {0x0521, 34, 31, 0}, {0x0441, 35, 32, 0},
	{0x02a1, 36, 33, 0}, {0x0221, 37, 34, 0}, {0x0141, 38, 35, 0}, {0x0111, 39, 36, 0}, {0x0085, 40, 37, 0}, {0x0049, 41, 38, 0}, {0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0}, {0x0009, 44, 41, 0}, {0x0005, 45, 42, 0}, {0x0001, 45, 43, 0}, {0x5601, 46, 46, 0},
}

// mq is the arithmetic encoder (C.2).
type mq struct {
	out  []byte // the first byte is none of the data (B before it begins)
	a, c uint32
	ct   int
	i    [19]int
	mps  [19]int
}

// start begins a codeword (figure C.10).
func (m *mq) start() { m.out, m.a, m.c, m.ct = []byte{0}, 0x8000, 0, 12 }

// reset gives the contexts their first states (table D.7).
func (m *mq) reset() {
	m.i, m.mps = [19]int{0: 4, 17: 3, 18: 46}, [19]int{}
}

// code encodes decision d in context cx (figures C.3 to C.7).
func (m *mq) code(cx, d int) {
	r := rows[m.i[cx]]
	qe := uint32(r[0])
	m.a -= qe
	if d == m.mps[cx] {
		if m.a&0x8000 != 0 {
			m.c += qe
			return
		}
		if m.a < qe {
			m.a = qe
		} else {
			m.c += qe
		}
		m.i[cx] = r[1]
	} else {
		if m.a < qe {
			m.c += qe
		} else {
			m.a = qe
		}
		if r[3] == 1 {
			m.mps[cx] = 1 - m.mps[cx]
		}
		m.i[cx] = r[2]
	}
	for {
		m.a, m.c, m.ct = m.a<<1, m.c<<1, m.ct-1
		if m.ct == 0 {
			m.byteOut()
		}
		if m.a&0x8000 != 0 {
			return
		}
	}
}

// byteOut is BYTEOUT (figure C.8).
func (m *mq) byteOut() {
	last := &m.out[len(m.out)-1]
	if *last != 0xff && m.c >= 0x8000000 {
		if *last++; *last == 0xff {
			m.c &= 0x7ffffff
		}
	}
	if m.out[len(m.out)-1] == 0xff {
		m.out, m.c, m.ct = append(m.out, byte(m.c>>20)), m.c&0xfffff, 7
		return
	}
	m.out, m.c, m.ct = append(m.out, byte(m.c>>19)), m.c&0x7ffff, 8
}

// flush ends the codeword (figure C.11) and returns it.
func (m *mq) flush() []byte {
	t := m.c + m.a
	if m.c |= 0xffff; m.c >= t {
		m.c -= 0x8000
	}
	for range 2 {
		m.c <<= m.ct
		m.byteOut()
	}
	if m.out[len(m.out)-1] == 0xff {
		m.out = m.out[:len(m.out)-1]
	}
	return m.out[1:]
}

// bitWriter writes bits; behind a byte of 0xff the next begins with a 0.
type bitWriter struct {
	out  []byte
	left int // bits of the last byte that are free
}

func (w *bitWriter) bit(v int) {
	if w.left == 0 {
		w.left = 8
		if n := len(w.out); n > 0 && w.out[n-1] == 0xff {
			w.left = 7
		}
		w.out = append(w.out, 0)
	}
	w.left--
	w.out[len(w.out)-1] |= byte(v << w.left)
}

func (w *bitWriter) bits(v, n int) {
	for n--; n >= 0; n-- {
		w.bit(v >> n & 1)
	}
}

// end returns what was written, with a byte more where the last is 0xff.
func (w *bitWriter) end() []byte {
	if n := len(w.out); n > 0 && w.out[n-1] == 0xff {
		w.out = append(w.out, 0)
	}
	return w.out
}
