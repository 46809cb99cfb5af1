package jpeg

// Bytes is what Start allocates by the file's own numbers: the coefficients of a picture in several scans. It reads the first scan's header.
func (d *Decoder) Bytes() (int64, error) {
	if d.scanAt == 0 {
		return 0, noData
	}
	d.seek(d.scanAt)
	d.scans = 0
	if err := d.scanHeader(); err != nil {
		return 0, err
	}
	d.streaming = !d.Frame.Progressive() && d.scan.n == len(d.comps)
	if d.streaming {
		return 0, nil
	}
	sum := int64(0)
	for i := range d.comps {
		sum += int64(d.comps[i].bw) * int64(d.comps[i].bh) * 128
	}
	return sum, nil
}

// Rewind goes back to the first row and the full size.
func (d *Decoder) Rewind() {
	d.bands, d.at = 0, 0
	for i := range d.comps {
		d.comps[i].ring = nil
		d.Shrink(i, 0)
	}
	if d.streaming {
		d.tally, d.bad = tally{}, 0
		d.seek(d.scanAt)
		_ = d.scanHeader() // it was read before
	}
}

// rings makes room for three bands of every component.
func (d *Decoder) rings() {
	for i := range d.comps {
		c := &d.comps[i]
		c.rows = c.v << (3 - c.shift)
		c.stride = c.bw << (3 - c.shift)
		c.ring = make([]byte, ringBands*c.rows*c.stride)
	}
}

// Shrink makes component c smaller, halving it shift times, three at most. It is called between Start or Rewind and the first row.
func (d *Decoder) Shrink(c int, shift uint) {
	p := &d.comps[c]
	p.shift = shift
	p.sw, p.sh = up(p.w, 1<<shift), up(p.ht, 1<<shift)
}

// Size is the size of component c, as Shrink left it.
func (d *Decoder) Size(c int) (w, h int) { return d.comps[c].sw, d.comps[c].sh }

// Start makes ready for Row or Planes. Of a picture in several scans it reads them all, as far as they go.
//
// Errors: malformed_input when no scan can be read, limit_fuel when there are too many.
func (d *Decoder) Start() error {
	if _, err := d.Bytes(); err != nil {
		return err
	}
	if d.streaming {
		return nil
	}
	for i := range d.comps {
		c := &d.comps[i]
		c.coef = make([]int16, c.bw*c.bh*64)
	}
	for i := range d.plain.quant {
		d.plain.quant[i] = 1
	}
	return d.scanAll()
}

// scanAll reads every scan into the coefficients.
func (d *Decoder) scanAll() error {
	for {
		d.readScan()
		d.leave()
		d.scan.covered()
		if d.scans == 1 {
			d.first, d.firstOf = d.read, d.total
		}
		more, err := d.segments()
		if more && err == nil {
			err = d.scanHeader()
		}
		switch {
		case d.scans > MaxScans:
			return err
		case err != nil:
			d.broken = true
			return nil
		case !more:
			return nil
		}
	}
}

// readScan reads one scan: its MCUs are single blocks when it has one component (T.81, A.2).
func (d *Decoder) readScan() {
	s := &d.scan
	if s.n == 1 {
		c := s.comps[0]
		w, h := up(c.w, 8), up(c.ht, 8)
		for y := range h {
			for x := range w {
				if d.mcu() {
					d.coefficients(c, y*c.bw+x)
					d.done()
				}
			}
		}
		return
	}
	for y := range d.mcusY {
		for x := range d.mcusX {
			if !d.mcu() {
				continue
			}
			for _, c := range s.comps[:s.n] {
				for j := range c.v {
					for i := range c.h {
						d.coefficients(c, (y*c.v+j)*c.bw+x*c.h+i)
					}
				}
			}
			d.done()
		}
	}
}

// coefficients reads what the scan has of a block.
func (d *Decoder) coefficients(c *component, at int) {
	blk := (*[64]int16)(c.coef[at*64:])
	s := &d.scan
	switch {
	case d.Frame.Arithmetic():
		d.arithmeticCoefficients(blk, c)
	case !d.Frame.Progressive():
		d.sequentialInto(blk, c)
	case s.from == 0 && s.high == 0:
		d.firstDC(blk, c, &d.dcTables[c.dc], s.low)
	case s.from == 0:
		d.refineDC(blk, s.low)
	case s.high == 0:
		d.firstAC(blk, s, &d.acTables[c.ac])
	default:
		d.refineAC(blk, s, &d.acTables[c.ac])
	}
}

// sequentialInto reads a block of a sequential scan, which is of some components only.
func (d *Decoder) sequentialInto(blk *[64]int16, c *component) {
	wide := [64]int32{}
	d.plain.pred = c.pred
	d.block(&wide, &d.plain, &d.dcTables[c.dc], &d.acTables[c.ac])
	c.pred = d.plain.pred
	for i, v := range wide {
		blk[i] = int16(v)
	}
}

// Sampling is how many of the hmax by vmax parts of a pixel group component c has samples for.
func (d *Decoder) Sampling(c int) (h, hmax, v, vmax int) {
	return d.comps[c].h, d.hmax, d.comps[c].v, d.vmax
}

// CountScans counts the scan headers from the first on. In coded data the byte that begins a marker is always followed by 0 or a restart.
func (d *Decoder) CountScans() (n int64) {
	if d.scanAt == 0 {
		return 0
	}
	d.seek(d.scanAt - 2)
	for {
		m, _, ok := d.marker(d.size)
		if !ok {
			return n
		}
		if m == mSOS {
			n++
		}
	}
}
