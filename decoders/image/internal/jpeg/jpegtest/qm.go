package jpegtest

import "github.com/glovebox-wasm/glovebox/decoders/image/internal/jpeg"

// qm is the arithmetic encoder of T.81, annex D.1, with the statistics of F.1.4. It keeps all bytes of a stretch, so that a carry goes back as
// far as it has to.
type qm struct {
	code, width uint32
	left        int
	out         []byte
	dc, ac      [256]uint8
	even        uint8
	context     [4]int
}

func (q *qm) start() { *q = qm{width: 1 << 16, left: 11, even: 113} }

// put codes a decision (figures D.1 to D.8).
func (q *qm) put(state *uint8, bit int) {
	qe, lps, mps := jpeg.ArithmeticState(*state)
	q.width -= qe
	likely := bit == int(*state>>7)
	if likely && q.width >= 0x8000 {
		return
	}
	if likely == (q.width < qe) { // the upper part
		q.code += q.width
		q.width = qe
	}
	if likely {
		*state = mps
	} else {
		*state = lps
	}
	for q.width < 0x8000 {
		q.width, q.code = q.width<<1, q.code<<1
		if q.left--; q.left == 0 {
			q.byteOut()
			q.left = 8
		}
	}
}

func (q *qm) byteOut() {
	if q.code>>27 != 0 {
		for i := len(q.out) - 1; ; i-- {
			if q.out[i]++; q.out[i] != 0 {
				break
			}
		}
	}
	q.out = append(q.out, byte(q.code>>19))
	q.code &= 1<<19 - 1
}

// end ends the stretch (D.1.8) and appends it, with zeros behind each 0xff.
func (q *qm) end(out []byte) []byte {
	last := (q.code + q.width - 1) &^ 0xffff
	if last < q.code {
		last += 0x8000
	}
	q.code = last << q.left
	q.byteOut()
	q.code <<= 8
	q.byteOut()
	for len(q.out) > 0 && q.out[len(q.out)-1] == 0 {
		q.out = q.out[:len(q.out)-1]
	}
	for _, c := range q.out {
		if out = append(out, c); c == 0xff {
			out = append(out, 0)
		}
	}
	q.start()
	return out
}

// beyond codes what a value has beyond one, from bin at on; first says how many categories the bins before large tell.
func (q *qm) beyond(bins *[256]uint8, at, v, first, large int) {
	top := 0
	for n := 0; v>>n > 0; n++ {
		q.put(&bins[at], 1)
		if at++; n < first {
			if at--; n == first-1 {
				at = large
			}
		}
		top = n
	}
	q.put(&bins[at], 0)
	for n := top - 1; n >= 0; n-- {
		q.put(&bins[at+14], v>>n&1)
	}
}

func sign(v int) int {
	if v < 0 {
		return 1
	}
	return 0
}

// level codes what a first coefficient has more than the last (F.1.4.1).
func (q *qm) level(v, c, lower, upper int) {
	at := q.context[c]
	if v == 0 {
		q.put(&q.dc[at], 0)
		q.context[c] = 0
		return
	}
	q.put(&q.dc[at], 1)
	q.put(&q.dc[at+1], sign(v))
	rest := max(v, -v) - 1
	q.beyond(&q.dc, at+2+sign(v), rest, 1, 20)
	switch {
	case rest < 1<<lower>>1:
		q.context[c] = 0
	case rest < 1<<upper:
		q.context[c] = 4 + 4*sign(v)
	default:
		q.context[c] = 12 + 4*sign(v)
	}
}

// band codes coefficients from to to (F.1.4.2).
func (q *qm) band(b *[64]int, s *scan, low int) {
	last := s.from - 1
	for k := s.from; k <= s.to; k++ {
		if toward(b[k], s.low) != 0 {
			last = k
		}
	}
	k := s.from
	for ; k <= last; k++ {
		q.put(&q.ac[3*(k-1)], 0)
		for ; toward(b[k], s.low) == 0; k++ {
			q.put(&q.ac[3*(k-1)+1], 0)
		}
		v := toward(b[k], s.low)
		q.put(&q.ac[3*(k-1)+1], 1)
		q.put(&q.even, sign(v))
		large := 217
		if k <= low {
			large = 189
		}
		q.beyond(&q.ac, 3*(k-1)+2, max(v, -v)-1, 2, large)
	}
	if k <= s.to {
		q.put(&q.ac[3*(k-1)], 1)
	}
}

// refine codes one bit more of a band (G.1.3.3).
func (q *qm) refine(b *[64]int, s *scan) {
	before, last := 0, s.from-1
	for k := 1; k <= s.to; k++ {
		if toward(b[k], s.low+1) != 0 {
			before = k
		}
		if k >= s.from && toward(b[k], s.low) != 0 {
			last = k
		}
	}
	k := s.from
	for ; k <= last; k++ {
		if k > before {
			q.put(&q.ac[3*(k-1)], 0)
		}
		for ; toward(b[k], s.low) == 0; k++ {
			q.put(&q.ac[3*(k-1)+1], 0)
		}
		if v := toward(b[k], s.low); v > 1 || v < -1 {
			q.put(&q.ac[3*(k-1)+2], max(v, -v)&1)
		} else {
			q.put(&q.ac[3*(k-1)+1], 1)
			q.put(&q.even, sign(v))
		}
	}
	if k <= s.to {
		q.put(&q.ac[3*(k-1)], 1)
	}
}

// code writes what the scan has of a block.
func (f *file) code(s *scan, c int, b *[64]int) {
	switch {
	case s.from == 0 && s.high > 0:
		f.qm.put(&f.qm.even, b[0]>>s.low&1)
	case s.from == 0:
		v := b[0] >> s.low
		f.qm.level(v-f.last[c], c, f.Lower, f.Upper)
		if f.last[c] = v; s.to > 0 {
			f.qm.band(b, &scan{from: 1, to: s.to}, f.Low)
		}
	case s.high > 0:
		f.qm.refine(b, s)
	default:
		f.qm.band(b, s, f.Low)
	}
}
