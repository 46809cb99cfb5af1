package jp2

import "math/bits"

// mqState is a row of the probability estimation table (table C.2): the estimate, and where a more or a less probable symbol leads. The
// state of a context holds the more probable symbol in its lowest bit, so there are two of each row.
type mqState struct {
	qe         uint32
	nmps, nlps uint8
}

// mqRows is table C.2: Qe, NMPS, NLPS, SWITCH.
var mqRows = [47][4]uint16{
	{0x5601, 1, 1, 1}, {0x3401, 2, 6, 0}, {0x1801, 3, 9, 0}, {0x0ac1, 4, 12, 0}, {0x0521, 5, 29, 0}, {0x0221, 38, 33, 0}, {0x5601, 7, 6, 1},
	{0x5401, 8, 14, 0}, {0x4801, 9, 14, 0}, {0x3801, 10, 14, 0}, {0x3001, 11, 17, 0}, {0x2401, 12, 18, 0}, {0x1c01, 13, 20, 0}, {0x1601, 29, 21, 0},
	{0x5601, 15, 14, 1}, {0x5401, 16, 14, 0}, {0x5101, 17, 15, 0}, {0x4801, 18, 16, 0}, {0x3801, 19, 17, 0}, {0x3401, 20, 18, 0}, {0x3001, 21, 19, 0},
	{0x2801, 22, 19, 0}, {0x2401, 23, 20, 0}, {0x2201, 24, 21, 0}, {0x1c01, 25, 22, 0}, {0x1801, 26, 23, 0}, {0x1601, 27, 24, 0}, {0x1401, 28, 25, 0},
	{0x1201, 29, 26, 0}, {0x1101, 30, 27, 0}, {0x0ac1, 31, 28, 0}, {0x09c1, 32, 29, 0}, {0x08a1, 33, 30, 0}, {0x0521, 34, 31, 0}, {0x0441, 35, 32, 0},
	{0x02a1, 36, 33, 0}, {0x0221, 37, 34, 0}, {0x0141, 38, 35, 0}, {0x0111, 39, 36, 0}, {0x0085, 40, 37, 0}, {0x0049, 41, 38, 0}, {0x0025, 42, 39, 0},
	{0x0015, 43, 40, 0}, {0x0009, 44, 41, 0}, {0x0005, 45, 42, 0}, {0x0001, 45, 43, 0}, {0x5601, 46, 46, 0},
}

// mqTable is mqRows with the symbol in the lowest bit.
var mqTable = func() (t [128]mqState) {
	for i, r := range mqRows {
		for mps := range uint16(2) {
			t[2*i+int(mps)] = mqState{uint32(r[0]), uint8(2*r[1] + mps), uint8(2*r[2] + (mps ^ r[3]))}
		}
	}
	return t
}()

// mq is the arithmetic decoder (annex C, in its software convention).
type mq struct {
	data []byte
	at   int // of the byte that was read last
	a, c uint32
	ct   int
	cx   [ctxCount]uint8
}

// start begins a segment. The contexts stay as they are.
func (m *mq) start(data []byte) {
	m.data, m.at = data, 0
	m.c = uint32(m.byteAt(0)) << 16
	m.byteIn()
	m.c <<= 7
	m.ct -= 7
	m.a = 0x8000
}

// byteAt is 0xff behind the end, as if a marker stood there (C.3.4).
func (m *mq) byteAt(i int) byte {
	if i < len(m.data) {
		return m.data[i]
	}
	return 0xff
}

// byteIn is BYTEIN (figure C.19).
func (m *mq) byteIn() {
	if m.byteAt(m.at) != 0xff {
		m.at++
		m.c += uint32(m.byteAt(m.at)) << 8
		m.ct = 8
		return
	}
	if next := m.byteAt(m.at + 1); next > 0x8f { // a marker: it is not passed
		m.c += 0xff00
		m.ct = 8
	} else {
		m.at++
		m.c += uint32(next) << 9
		m.ct = 7
	}
}

// reset gives the contexts their first states (table D.7).
func (m *mq) reset() {
	clear(m.cx[:])
	m.cx[ctxUniform], m.cx[ctxRun], m.cx[ctxZero] = 2*46, 2*3, 2*4
}

// bit decodes a decision in context cx (figure C.15).
func (m *mq) bit(cx uint8) uint32 {
	p := &m.cx[cx&(ctxCount-1)]
	s := &mqTable[*p&127]
	m.a -= s.qe
	if m.c>>16 >= s.qe { // most often no more is to do
		m.c -= s.qe << 16
		if m.a&0x8000 != 0 {
			return uint32(*p & 1)
		}
		d := uint32(*p & 1)
		if m.a < s.qe {
			d ^= 1
			*p = s.nlps
		} else {
			*p = s.nmps
		}
		m.renorm()
		return d
	}
	d := uint32(*p & 1)
	if m.a < s.qe {
		*p = s.nmps
	} else {
		d ^= 1
		*p = s.nlps
	}
	m.a = s.qe
	m.renorm()
	return d
}

// renorm is RENORMD (figure C.18), by as many places at once as there are bits for.
func (m *mq) renorm() {
	for n := bits.LeadingZeros16(uint16(m.a)); n > 0; {
		if m.ct == 0 {
			m.byteIn()
		}
		k := min(n, m.ct)
		m.a <<= k
		m.c <<= k
		m.ct -= k
		n -= k
	}
}

// raw reads the bits of passes that bypass the arithmetic coder (D.6): behind a byte of 0xff one bit is stuffed.
type raw struct {
	data []byte
	at   int
	c    uint32
	ct   int
}

func (r *raw) start(data []byte) { *r = raw{data: data} }

func (r *raw) bit() uint32 {
	if r.ct == 0 {
		r.ct = 8
		if r.c == 0xff {
			r.ct = 7
		}
		r.c = 0xff
		if r.at < len(r.data) {
			r.c = uint32(r.data[r.at])
			r.at++
		}
	}
	r.ct--
	return r.c >> r.ct & 1
}
