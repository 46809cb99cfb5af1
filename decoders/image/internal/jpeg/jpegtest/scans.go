package jpegtest

// scan is what one scan has.
type scan struct {
	planes    []*plane
	from, to  int
	high, low int
}

func (f *file) all() (out []*plane) {
	for i := range f.planes {
		out = append(out, &f.planes[i])
	}
	return out
}

func (f *file) sequential() {
	if !f.Apart {
		f.scan(scan{planes: f.all(), to: 63}, f.block)
		return
	}
	for _, p := range f.all() {
		f.scan(scan{planes: []*plane{p}, to: 63}, f.block)
	}
}

// progressive writes scans as encoders do: levels, then bands of detail, each in steps of a bit.
func (f *file) progressive() {
	f.scan(scan{planes: f.all(), low: 1}, f.firstDC)
	for _, p := range f.all() {
		f.scan(scan{planes: []*plane{p}, from: 1, to: 5, low: 2}, f.firstAC)
		f.scan(scan{planes: []*plane{p}, from: 6, to: 63, low: 2}, f.firstAC)
		f.scan(scan{planes: []*plane{p}, from: 1, to: 63, high: 2, low: 1}, f.refineAC)
	}
	f.scan(scan{planes: f.all(), high: 1}, f.refineDC)
	for _, p := range f.all() {
		f.scan(scan{planes: []*plane{p}, from: 1, to: 63, high: 1}, f.refineAC)
	}
}

// scan writes a scan header and what write makes of each block, with restart markers between.
func (f *file) scan(s scan, write func(s *scan, c int, b *[64]int)) {
	head := string([]byte{byte(len(s.planes))})
	for _, p := range s.planes {
		head += string([]byte{p.ID, 0})
	}
	f.out = append(f.out, Segment(0xda, head+string([]byte{byte(s.from), byte(s.to), byte(s.high<<4 | s.low)}))...)
	f.last = [4]int{}
	f.qm.start()
	if f.Arithmetic {
		write = f.code
	}
	n := 0
	mcu := func() {
		if f.Restart > 0 && n > 0 && n%f.Restart == 0 {
			f.endRun(&s)
			f.out = append(f.finish(), 0xff, byte(0xd0+(n/f.Restart-1)%8))
			f.last = [4]int{}
		}
		n++
	}
	if len(s.planes) == 1 {
		p := s.planes[0]
		for y := range p.ht {
			for x := range p.w {
				mcu()
				write(&s, 0, &p.blocks[y*p.bw+x])
			}
		}
	} else {
		for m := range f.mcusX * f.mcusY {
			mcu()
			for c, p := range s.planes {
				for j := range p.v {
					for i := range p.h {
						write(&s, c, &p.blocks[(m/f.mcusX*p.v+j)*p.bw+m%f.mcusX*p.h+i])
					}
				}
			}
		}
	}
	f.endRun(&s)
	f.out = f.finish()
	if f.DefineLines {
		f.out = append(f.out, Segment(0xdc, string([]byte{byte(f.Height >> 8), byte(f.Height)}))...)
		f.DefineLines = false
	}
}

// finish ends a stretch of coded data.
func (f *file) finish() []byte {
	if f.Arithmetic {
		return f.qm.end(f.out)
	}
	return f.pad(f.out)
}

// block writes a block of a sequential scan (F.1.2).
func (f *file) block(_ *scan, c int, b *[64]int) {
	f.level(b[0], c)
	run := 0
	for _, v := range b[1:] {
		if v == 0 {
			run++
			continue
		}
		for ; run > 15; run -= 16 {
			f.symbol(&f.ac, 0xf0)
		}
		n := size(v)
		f.symbol(&f.ac, run<<4|n)
		f.value(v, n)
		run = 0
	}
	if run > 0 {
		f.symbol(&f.ac, 0)
	}
}

// level writes a first coefficient.
func (f *file) level(v, c int) {
	d := v - f.last[c]
	f.last[c] = v
	f.symbol(&f.dc, size(d))
	f.value(d, size(d))
}

func (f *file) firstDC(s *scan, c int, b *[64]int)  { f.level(b[0]>>s.low, c) }
func (f *file) refineDC(s *scan, c int, b *[64]int) { f.bits(b[0]>>s.low&1, 1) }

// toward drops low bits of a coefficient, toward zero.
func toward(v, low int) int {
	if v < 0 {
		return -(-v >> low)
	}
	return v >> low
}

// firstAC writes a band for the first time (G.1.2.2).
func (f *file) firstAC(s *scan, _ int, b *[64]int) {
	run := 0
	for k := s.from; k <= s.to; k++ {
		v := toward(b[k], s.low)
		if v == 0 {
			run++
			continue
		}
		f.endRun(s)
		for ; run > 15; run -= 16 {
			f.symbol(&f.ac, 0xf0)
		}
		f.symbol(&f.ac, run<<4|size(v))
		f.value(v, size(v))
		run = 0
	}
	if run > 0 {
		f.endBlock(s)
	}
}

// refineAC writes one more bit of a band (G.1.2.3).
func (f *file) refineAC(s *scan, _ int, b *[64]int) {
	last := 0 // coefficient that becomes other than zero here
	for k := s.from; k <= s.to; k++ {
		if v := toward(b[k], s.low); v == 1 || v == -1 {
			last = k
		}
	}
	run := 0
	var corrections []int
	for k := s.from; k <= s.to; k++ {
		v := toward(b[k], s.low)
		if v == 0 {
			run++
			continue
		}
		for ; run > 15 && k <= last; run -= 16 {
			f.endRun(s)
			f.symbol(&f.ac, 0xf0)
			corrections = f.flushBits(corrections)
		}
		if v > 1 || v < -1 {
			corrections = append(corrections, max(v, -v)&1)
			continue
		}
		f.endRun(s)
		f.symbol(&f.ac, run<<4|1)
		f.bits((v+1)/2, 1)
		corrections = f.flushBits(corrections)
		run = 0
	}
	if run > 0 || len(corrections) > 0 {
		f.pending = append(f.pending, corrections...)
		f.endBlock(s)
	}
}

func (f *file) flushBits(b []int) []int {
	for _, v := range b {
		f.bits(v, 1)
	}
	return nil
}

// endBlock says that a block has nothing more of the band; many in a row are one symbol.
func (f *file) endBlock(s *scan) {
	if f.ended++; f.ended == 0x7fff {
		f.endRun(s)
	}
}

func (f *file) endRun(*scan) {
	if f.ended == 0 {
		return
	}
	n := size(f.ended) - 1
	f.symbol(&f.ac, n<<4)
	f.bits(f.ended-1<<n, n)
	f.ended = 0
	f.pending = f.flushBits(f.pending)
}
