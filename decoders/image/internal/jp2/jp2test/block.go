package jp2test

// segment is a codeword: its bytes, and the passes that it is of.
type segment struct {
	from, to int
	data     []byte
}

// block codes a code-block (annex D), coefficient by coefficient as the standard tells it.
type block struct {
	w, h               int
	mag                []int
	neg, sig, ref, vis []bool
	kind               int
	style              byte
	mq                 mq
	raw                *bitWriter
}

// get returns what a has at (x, y): nothing outside, and, where the next stripe is not to be looked at, nothing of it (D.7).
func (b *block) get(a []bool, x, y, stripe int) bool {
	if x < 0 || y < 0 || x >= b.w || y >= b.h || b.style&Causal != 0 && y/4 > stripe {
		return false
	}
	return a[y*b.w+x]
}

func count(v ...bool) (n int) {
	for _, x := range v {
		if x {
			n++
		}
	}
	return n
}

// around counts the significant neighbours beside, above and below, and across.
func (b *block) around(x, y int) (h, v, d int) {
	s := y / 4
	at := func(dx, dy int) bool { return b.get(b.sig, x+dx, y+dy, s) }
	return count(at(-1, 0), at(1, 0)), count(at(0, -1), at(0, 1)), count(at(-1, -1), at(1, -1), at(-1, 1), at(1, 1))
}

// zeroContext is table D.1.
func (b *block) zeroContext(x, y int) int {
	h, v, d := b.around(x, y)
	if b.kind == 1 {
		h, v = v, h
	}
	if b.kind == 3 {
		switch hv := h + v; {
		case d >= 3:
			return 8
		case d == 2 && hv >= 1:
			return 7
		case d == 2:
			return 6
		case d == 1 && hv >= 2:
			return 5
		case d == 1:
			return 3 + hv
		case hv >= 2:
			return 2
		default:
			return hv
		}
	}
	switch {
	case h == 2:
		return 8
	case h == 1 && v >= 1:
		return 7
	case h == 1 && d >= 1:
		return 6
	case h == 1:
		return 5
	case v == 2:
		return 4
	case v == 1:
		return 3
	case d >= 2:
		return 2
	}
	return d
}

// signCode codes the sign (tables D.2 and D.3).
func (b *block) signCode(x, y int, raw bool) {
	of := func(dx, dy int) int {
		if !b.get(b.sig, x+dx, y+dy, y/4) {
			return 0
		}
		if b.neg[(y+dy)*b.w+x+dx] {
			return -1
		}
		return 1
	}
	neg := count(b.neg[y*b.w+x])
	if raw {
		b.raw.bit(neg)
		return
	}
	h, v := max(-1, min(1, of(-1, 0)+of(1, 0))), max(-1, min(1, of(0, -1)+of(0, 1)))
	table := map[[2]int][2]int{
		{1, 1}: {13, 0}, {1, 0}: {12, 0}, {1, -1}: {11, 0}, {0, 1}: {10, 0}, {0, 0}: {9, 0}, {0, -1}: {10, 1}, {-1, 1}: {11, 1}, {-1, 0}: {12, 1}, {-1, -1}: {13, 1},
	}[[2]int{h, v}]
	b.mq.code(table[0], neg^table[1])
}

// scan calls f for each coefficient in the order of a pass.
func (b *block) scan(f func(x, y int)) {
	for y0 := 0; y0 < b.h; y0 += 4 {
		for x := range b.w {
			for y := y0; y < min(b.h, y0+4); y++ {
				f(x, y)
			}
		}
	}
}

func (b *block) significance(p int, raw bool) {
	b.scan(func(x, y int) {
		h, v, d := b.around(x, y)
		if i := y*b.w + x; !b.sig[i] && h+v+d > 0 {
			bit := b.mag[i] >> p & 1
			if raw {
				b.raw.bit(bit)
			} else {
				b.mq.code(b.zeroContext(x, y), bit)
			}
			if b.vis[i] = true; bit == 1 {
				b.signCode(x, y, raw)
				b.sig[i] = true
			}
		}
	})
}

func (b *block) refinement(p int, raw bool) {
	b.scan(func(x, y int) {
		if i := y*b.w + x; b.sig[i] && !b.vis[i] {
			bit := b.mag[i] >> p & 1
			h, v, d := b.around(x, y)
			switch {
			case raw:
				b.raw.bit(bit)
			case b.ref[i]:
				b.mq.code(16, bit)
			default:
				b.mq.code(14+min(1, h+v+d), bit)
			}
			b.ref[i] = true
		}
	})
}

func (b *block) cleanup(p int) {
	skip := 0 // coefficients that a run has told of
	b.scan(func(x, y int) {
		i := y*b.w + x
		if skip > 0 {
			skip--
			return
		}
		if y%4 == 0 && y+4 <= b.h {
			run := -1 // the first that becomes significant
			clean := true
			for r := 3; r >= 0; r-- {
				j := i + r*b.w
				h, v, d := b.around(x, y+r)
				clean = clean && !b.sig[j] && !b.vis[j] && h+v+d == 0
				if b.mag[j]>>p&1 == 1 {
					run = r
				}
			}
			if clean && run < 0 {
				b.mq.code(17, 0)
				skip = 3
				return
			}
			if clean {
				b.mq.code(17, 1)
				b.mq.code(18, run>>1)
				b.mq.code(18, run&1)
				b.signCode(x, y+run, false)
				b.sig[i+run*b.w] = true
				skip = run
				return
			}
		}
		if b.sig[i] || b.vis[i] {
			return
		}
		bit := b.mag[i] >> p & 1
		if b.mq.code(b.zeroContext(x, y), bit); bit == 1 {
			b.signCode(x, y, false)
			b.sig[i] = true
		}
	})
	clear(b.vis)
	if b.style&Segments != 0 {
		for _, bit := range []int{1, 0, 1, 0} {
			b.mq.code(18, bit)
		}
	}
}

// encode codes all bit-planes and returns how many there are, and the codewords.
func (b *block) encode() (planes int, out []segment) {
	n := b.w * b.h
	b.sig, b.ref, b.vis = make([]bool, n), make([]bool, n), make([]bool, n)
	for _, m := range b.mag {
		for m>>planes != 0 {
			planes++
		}
	}
	b.mq.reset()
	from, open := 0, false
	for pass := 0; pass < 3*planes-2; pass++ {
		kind, plane := (pass+2)%3, planes-1-(pass+2)/3
		raw := b.style&Bypass != 0 && pass >= 10 && kind != 2
		if !open {
			from, open = pass, true
			if b.raw = nil; raw {
				b.raw = &bitWriter{}
			} else {
				b.mq.start()
			}
		}
		switch kind {
		case 0:
			b.significance(plane, raw)
		case 1:
			b.refinement(plane, raw)
		default:
			b.cleanup(plane)
		}
		if b.style&Reset != 0 {
			b.mq.reset()
		}
		last := pass == 3*planes-3
		if last || b.style&TermAll != 0 || b.style&Bypass != 0 && pass >= 9 && kind != 0 {
			s := segment{from: from, to: pass + 1}
			if raw {
				s.data = b.raw.end()
			} else {
				s.data = append([]byte{}, b.mq.flush()...)
			}
			out, open = append(out, s), false
		}
	}
	return planes, out
}
