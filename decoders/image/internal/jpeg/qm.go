package jpeg

// qmStates is table D.3 of T.81: for each state the probability of the less probable symbol, and the states that follow when that came and
// when the other did. The last, which is none of the table, is an even chance that stays so (F.1.4.4.2).
var qmStates = [114]struct {
	qe       uint16
	lps, mps uint8 // 0x80 in lps: the symbols change places
}{
	{0x5a1d, 1 | 0x80, 1}, {0x2586, 14, 2}, {0x1114, 16, 3}, {0x080b, 18, 4}, {0x03d8, 20, 5}, {0x01da, 23, 6}, {0x00e5, 25, 7}, {0x006f, 28, 8},
	{0x0036, 30, 9}, {0x001a, 33, 10}, {0x000d, 35, 11}, {0x0006, 9, 12}, {0x0003, 10, 13}, {0x0001, 12, 13}, {0x5a7f, 15 | 0x80, 15}, {0x3f25, 36, 16},
	{0x2cf2, 38, 17}, {0x207c, 39, 18}, {0x17b9, 40, 19}, {0x1182, 42, 20}, {0x0cef, 43, 21}, {0x09a1, 45, 22}, {0x072f, 46, 23}, {0x055c, 48, 24},
	{0x0406, 49, 25}, {0x0303, 51, 26}, {0x0240, 52, 27}, {0x01b1, 54, 28}, {0x0144, 56, 29}, {0x00f5, 57, 30}, {0x00b7, 59, 31}, {0x008a, 60, 32},
	{0x0068, 62, 33}, {0x004e, 63, 34}, {0x003b, 32, 35}, {0x002c, 33, 9}, {0x5ae1, 37 | 0x80, 37}, {0x484c, 64, 38}, {0x3a0d, 65, 39}, {0x2ef1, 67, 40},
	{0x261f, 68, 41}, {0x1f33, 69, 42}, {0x19a8, 70, 43}, {0x1518, 72, 44}, {0x1177, 73, 45}, {0x0e74, 74, 46}, {0x0bfb, 75, 47}, {0x09f8, 77, 48},
	{0x0861, 78, 49}, {0x0706, 79, 50}, {0x05cd, 48, 51}, {0x04de, 50, 52}, {0x040f, 50, 53}, {0x0363, 51, 54}, {0x02d4, 52, 55}, {0x025c, 53, 56},
	{0x01f8, 54, 57}, {0x01a4, 55, 58}, {0x0160, 56, 59}, {0x0125, 57, 60}, {0x00f6, 58, 61}, {0x00cb, 59, 62}, {0x00ab, 61, 63}, {0x008f, 61, 32},
	{0x5b12, 65 | 0x80, 65}, {0x4d04, 80, 66}, {0x412c, 81, 67}, {0x37d8, 82, 68}, {0x2fe8, 83, 69}, {0x293c, 84, 70}, {0x2379, 86, 71}, {0x1edf, 87, 72},
	{0x1aa9, 87, 73}, {0x174e, 72, 74}, {0x1424, 72, 75}, {0x119c, 74, 76}, {0x0f6b, 74, 77}, {0x0d51, 75, 78}, {0x0bb6, 77, 79}, {0x0a40, 77, 48},
	{0x5832, 80 | 0x80, 81}, {0x4d1c, 88, 82}, {0x438e, 89, 83}, {0x3bdd, 90, 84}, {0x34ee, 91, 85}, {0x2eae, 92, 86}, {0x299a, 93, 87}, {0x2516, 86, 71},
	{0x5570, 88 | 0x80, 89}, {0x4ca9, 95, 90}, {0x44d9, 96, 91}, {0x3e22, 97, 92}, {0x3824, 99, 93}, {0x32b4, 99, 94}, {0x2e17, 93, 86}, {0x56a8, 95 | 0x80, 96},
	{0x4f46, 101, 97}, {0x47e5, 102, 98}, {0x41cf, 103, 99}, {0x3c3d, 104, 100}, {0x375e, 99, 93}, {0x5231, 105, 102}, {0x4c0f, 106, 103}, {0x4639, 107, 104},
	{0x415e, 103, 99}, {0x5627, 105 | 0x80, 106}, {0x50e7, 108, 107}, {0x4b85, 109, 103}, {0x5597, 110, 109}, {0x504f, 111, 107}, {0x5a10, 110 | 0x80, 111},
	{0x5522, 112, 109}, {0x59eb, 112 | 0x80, 111}, {0x5a1d, evenChance, evenChance},
}

// evenChance is the state whose symbols stay equally probable.
const evenChance = 113

// qm is the arithmetic decoder of T.81, annex D.2, with the statistics of F.1.4 and G.1.3.
type qm struct {
	code, width uint32 // code in the upper half of its register, as in figure D.20
	left        int    // bits before the next byte
	even        uint8
	made        int // bytes behind the data

	dc [4][64]uint8 // a state in the lower seven bits, the more probable symbol in the eighth
	ac [4][256]uint8
	// What a DAC segment sets (B.2.4.3): bounds of small and large differences, and the last low coefficient.
	lower, upper [4]uint8
	low          [4]uint8

	context [4]uint8 // of each component: how its last difference was
}

// conditioning reads a DAC segment. What it does not say is as F.1.4.4.1.4 and F.1.4.4.2.3 have it.
func (d *Decoder) conditioning(b []byte) {
	a := d.arithmetic()
	for ; len(b) >= 2; b = b[2:] {
		to := b[0] & 3
		if b[0]>>4 == 0 {
			a.lower[to], a.upper[to] = b[1]&15, b[1]>>4
		} else {
			a.low[to] = b[1]
		}
	}
}

// arithmetic is the decoder's arithmetic half, which few pictures need.
func (d *Decoder) arithmetic() *qm {
	if d.qm == nil {
		d.qm = &qm{upper: [4]uint8{1, 1, 1, 1}, low: [4]uint8{5, 5, 5, 5}}
	}
	return d.qm
}

// startArithmetic begins a stretch of coded data (D.2.1 and figure D.22).
func (d *Decoder) startArithmetic() {
	a := d.qm
	a.dc, a.ac, a.context = [4][64]uint8{}, [4][256]uint8{}, [4]uint8{}
	a.even, a.made = evenChance, 0
	a.width, a.left = 1<<16, 0
	a.code = d.coded() << 24
	a.code |= d.coded() << 16
	d.short = d.short || a.made > 0 && d.end == endOfFile
}

// maxMade bounds the zeros that are made up behind the data. An encoder drops those that it ends with (D.1.8), which are few: each stands for
// eight bits or more of what is most probable. At the end of the file nothing was dropped: there the register alone is filled.
const maxMade = 32

// coded takes the next byte; behind the data there are zeros.
func (d *Decoder) coded() uint32 {
	if d.end == 0 {
		c, ok := d.next1()
		switch {
		case !ok:
			d.end = endOfFile
		case c != 0xff || d.stuffed():
			return uint32(c)
		}
	}
	if d.qm.made++; d.qm.made > maxMade || d.qm.made > 2 && d.end == endOfFile {
		d.short = true
	}
	return 0
}

// decide decodes one decision (figures D.16 to D.19).
func (d *Decoder) decide(state *uint8) uint8 {
	a := d.qm
	s := *state
	e := &qmStates[min(s&0x7f, evenChance)]
	qe, bit := uint32(e.qe), s>>7
	a.width -= qe
	likely := a.code>>16 < a.width
	if likely && a.width >= 0x8000 {
		return bit
	}
	exchanged := a.width < qe // the less probable one has the larger part
	if !likely {
		a.code -= a.width << 16
		a.width = qe
	}
	if likely != exchanged {
		*state = s&0x80 | e.mps
	} else {
		*state = s&0x80 ^ e.lps
		bit ^= 1
	}
	for a.width < 0x8000 {
		if a.left == 0 {
			a.code |= d.coded() << 8
			a.left = 8
		}
		a.width, a.code = a.width<<1, a.code<<1
		a.left--
	}
	return bit
}

// spoil notes that a stretch has what cannot be: nothing behind it can be told.
func (d *Decoder) spoil() {
	d.bad++
	d.short = true
}

// magnitude decodes what a value has beyond one, whose category begins at bins[at] (F.1.4.3.2 and F.1.4.3.3): m is the bit above which it lies.
func (d *Decoder) magnitude(bins []uint8, at int, m int32) int32 {
	for ; d.decide(&bins[at]) != 0; at++ {
		if m <<= 1; m == 0x8000 {
			d.spoil()
			return 0
		}
	}
	return d.lowBits(bins, at, m)
}

// lowBits decodes the bits of a magnitude below m, whose category ended at bins[at].
func (d *Decoder) lowBits(bins []uint8, at int, m int32) int32 {
	v := m
	for m >>= 1; m > 0; m >>= 1 {
		if d.decide(&bins[at+14]) != 0 {
			v |= m
		}
	}
	return v
}

// Bins of the statistics (tables F.4 and F.5).
const (
	dcLarge    = 20  // X1 of differences
	acLow      = 189 // X2 of coefficients up to the bound
	acHigh     = 217 // and of those above it
	acNonzero  = 1   // behind "is it the end": is there anything
	acOverOne  = 2   // is it more than one
	acOfSample = 3   // bins of each coefficient
)

// arithmeticDC decodes what a block's first coefficient has more than the last block's (F.1.4.1).
func (d *Decoder) arithmeticDC(c *component) {
	a := d.qm
	bins := a.dc[c.dc][:]
	at := int(a.context[c.at])
	if d.decide(&bins[at]) == 0 {
		a.context[c.at] = 0
		return
	}
	sign := d.decide(&bins[at+1])
	at += 2 + int(sign)
	v := int32(0)
	if d.decide(&bins[at]) != 0 {
		v = d.magnitude(bins, dcLarge, 1)
	} else {
		v = d.lowBits(bins, at, 0)
	}
	switch top := v; { // figure F.10: none, small or large, by the category that the lower bits do not move
	case top < 1<<a.lower[c.dc]>>1:
		a.context[c.at] = 0
	case top >= 1<<a.upper[c.dc]:
		a.context[c.at] = 12 + 4*sign
	default:
		a.context[c.at] = 4 + 4*sign
	}
	if v++; sign != 0 {
		v = -v
	}
	c.pred = int(int16(c.pred + int(v)))
}

// arithmeticAC decodes a band of coefficients (F.1.4.2, G.1.3.2) and gives each to set. It returns what is behind the last.
func (d *Decoder) arithmeticAC(c *component, from, to int, set func(k int, v int32)) (end int) {
	bins := d.qm.ac[c.ac][:]
	end = from
	for k := from; k <= to; k++ {
		at := acOfSample * (k - 1)
		if d.decide(&bins[at]) != 0 {
			break
		}
		for d.decide(&bins[at+acNonzero]) == 0 {
			at += acOfSample
			if k++; k > to {
				d.spoil()
				return end
			}
		}
		sign := d.decide(&d.qm.even)
		at += acOverOne
		v := int32(0)
		if d.decide(&bins[at]) != 0 {
			v = 1
			if d.decide(&bins[at]) != 0 {
				at = acHigh
				if k <= int(d.qm.low[c.ac]) {
					at = acLow
				}
				v = d.magnitude(bins, at, 2)
			}
		}
		if d.short {
			return end
		}
		if v++; sign != 0 {
			v = -v
		}
		set(k, v)
		end = k + 1
	}
	return end
}

// arithmeticBlock decodes a block of a sequential scan as block does.
func (d *Decoder) arithmeticBlock(out *[64]int32, c *component) (end int) {
	d.arithmeticDC(c)
	out[0] = int32(c.pred) * c.quant[0]
	return d.arithmeticAC(c, 1, 63, func(k int, v int32) { out[natural[k]&63] = v * c.quant[k] })
}

// arithmeticCoefficients is coefficients of an arithmetic scan.
func (d *Decoder) arithmeticCoefficients(blk *[64]int16, c *component) {
	s := &d.scan
	switch {
	case !d.Frame.Progressive():
		d.arithmeticDC(c)
		blk[0] = int16(c.pred)
		d.arithmeticAC(c, 1, 63, func(k int, v int32) { blk[natural[k]&63] = int16(v) })
	case s.from == 0 && s.high == 0:
		d.arithmeticDC(c)
		blk[0] = int16(c.pred << s.low)
	case s.from == 0:
		blk[0] |= int16(d.decide(&d.qm.even)) << s.low
	case s.high == 0:
		d.arithmeticAC(c, s.from, s.to, func(k int, v int32) { blk[natural[k]&63] = int16(v << s.low) })
	default:
		d.arithmeticRefine(blk, c)
	}
}

// arithmeticRefine decodes one bit more of a band (G.1.3.3).
func (d *Decoder) arithmeticRefine(blk *[64]int16, c *component) {
	s, bins := &d.scan, d.qm.ac[c.ac][:]
	one := int16(1) << s.low
	before := s.to // the end of the block as scans before had it
	for before > 0 && blk[natural[before]&63] == 0 {
		before--
	}
	for k := s.from; k <= s.to; k++ {
		at := acOfSample * (k - 1)
		if k > before && d.decide(&bins[at]) != 0 {
			return
		}
		for {
			v := &blk[natural[k]&63]
			if *v != 0 {
				if d.decide(&bins[at+acOverOne]) != 0 {
					if *v > 0 {
						*v += one
					} else {
						*v -= one
					}
				}
				break
			}
			if d.decide(&bins[at+acNonzero]) != 0 {
				if *v = one; d.decide(&d.qm.even) != 0 {
					*v = -one
				}
				break
			}
			at += acOfSample
			if k++; k > s.to {
				d.spoil()
				return
			}
		}
	}
}

// ArithmeticState tells of a state, which has the more probable symbol in its eighth bit, the probability of the other symbol and the states
// that follow when that comes and when it does not.
func ArithmeticState(s uint8) (qe uint32, lps, mps uint8) {
	e := &qmStates[min(s&0x7f, evenChance)]
	return uint32(e.qe), s&0x80 ^ e.lps, s&0x80 | e.mps
}
