package jpeg

import "strconv"

// ringBands is how many rows of MCUs are held: a row of pixels needs samples of the one above, of its own and of the one below.
const ringBands = 3

// row is row y of the component, which must be held.
func (c *component) row(y int) []byte {
	return c.ring[y%(ringBands*c.rows)*c.stride:][:c.sw:c.sw]
}

// band decodes the next row of MCUs into the rings.
func (d *Decoder) band() {
	if d.bands == 0 {
		d.rings()
	}
	if !d.streaming {
		for i := range d.comps {
			d.transformBand(&d.comps[i])
		}
	} else if d.scan.n == 1 {
		d.readBlocks(&d.comps[0])
	} else {
		d.readMCUs()
	}
	d.bands++
}

// ringAt is the start of the band's rows in the component's ring.
func (d *Decoder) ringAt(c *component) []byte { return c.ring[d.bands%ringBands*c.rows*c.stride:] }

// readBlocks reads a band of a picture of one component, whose MCUs are single blocks.
func (d *Decoder) readBlocks(c *component) {
	dst := d.ringAt(c)
	for x := range c.bw {
		if !d.mcu() {
			d.gray(c, dst[x<<(3-c.shift):])
			continue
		}
		d.readBlock(c, dst[x<<(3-c.shift):])
		d.done()
	}
}

func (d *Decoder) readMCUs() {
	for x := range d.mcusX {
		live := d.mcu()
		for _, c := range d.scan.comps[:d.scan.n] {
			dst := d.ringAt(c)
			side := 8 >> c.shift
			for j := range c.v {
				for i := range c.h {
					at := dst[j*side*c.stride+(x*c.h+i)*side:]
					if live {
						d.readBlock(c, at)
					} else {
						d.gray(c, at)
					}
				}
			}
		}
		if live {
			d.done()
		}
	}
}

// readBlock reads a block of the scan into samples.
func (d *Decoder) readBlock(c *component, dst []byte) {
	if d.Frame.Arithmetic() {
		zero(&d.wide)
		end := d.arithmeticBlock(&d.wide, c)
		inverse(&d.wide, end, dst, c.stride, d.Frame.Precision > 8, c.shift)
		return
	}
	if c.shift == 3 {
		d.passBlock(c, &d.dcTables[c.dc], &d.acTables[c.ac])
		d.wide[0] = int32(c.pred) * c.quant[0]
		inverse(&d.wide, 1, dst, c.stride, d.Frame.Precision > 8, 3)
		return
	}
	zero(&d.wide)
	end := d.block(&d.wide, c, &d.dcTables[c.dc], &d.acTables[c.ac])
	inverse(&d.wide, end, dst, c.stride, d.Frame.Precision > 8, c.shift)
}

// zero empties a block, with stores and not by a call.
func zero(blk *[64]int32) {
	for i := 0; i < 64; i += 16 {
		b := (*[16]int32)(blk[i:])
		b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7] = 0, 0, 0, 0, 0, 0, 0, 0
		b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15] = 0, 0, 0, 0, 0, 0, 0, 0
	}
}

// gray fills in a block that there is no data for, as libjpeg does.
func (d *Decoder) gray(c *component, dst []byte) {
	d.wide = [64]int32{}
	inverse(&d.wide, 1, dst, c.stride, false, c.shift)
}

// transformBand makes a band of samples of the coefficients.
func (d *Decoder) transformBand(c *component) {
	dst := d.ringAt(c)
	side := 8 >> c.shift
	for j := range c.v {
		blocks := c.coef[(d.bands*c.v+j)*c.bw*64:][:c.bw*64]
		for x := range c.bw {
			blk := (*[64]int16)(blocks[x*64:])
			end := d.dequantise(blk, c)
			inverse(&d.wide, end, dst[j*side*c.stride+x*side:], c.stride, d.Frame.Precision > 8, c.shift)
		}
	}
}

// dequantise puts a block into d.wide and returns an end for inverse: 1, 10 or 64.
func (d *Decoder) dequantise(blk *[64]int16, c *component) int {
	var corner, rest int16
	for k := range 64 {
		at := natural[k] & 63
		v := blk[at]
		d.wide[at] = int32(v) * c.quant[k]
		switch {
		case k >= 10:
			rest |= v
		case k > 0:
			corner |= v
		}
	}
	switch {
	case rest != 0:
		return 64
	case corner != 0:
		return 10
	}
	return 1
}

// Planes decodes the picture and gives every row of every component, from the top, as Shrink made them. The rows of one component come in
// order; those of different ones are mixed. A row is valid until visit returns.
func (d *Decoder) Planes(visit func(c, y int, row []byte)) {
	for d.bands < d.mcusY {
		d.band()
		for i := range d.comps {
			c := &d.comps[i]
			for y := (d.bands - 1) * c.rows; y < min(d.bands*c.rows, c.sh); y++ {
				visit(i, y, c.row(y))
			}
		}
	}
}

// Missing says what the picture lacks, in words for a reader; "" when nothing. It is asked when the last row was given.
//
// Errors: malformed_input when there is hardly a picture: less than one row of blocks.
func (d *Decoder) Missing() (string, error) {
	if d.scans <= 1 {
		d.first, d.firstOf = d.read, d.total
	}
	if d.streaming && d.bands == d.mcusY {
		d.leave()
	}
	if d.first < min(d.firstRow, (d.firstOf+1)/2) {
		return "", noData
	}
	share := func(n, of int) string { return percent(of-n, of) }
	switch {
	case d.first < d.firstOf:
		return "the pixel data is cut or damaged: " + share(d.first, d.firstOf) + " of the picture is missing", nil
	case d.read < d.total:
		return "the pixel data is cut or damaged: " + share(d.read, d.total) + " of the detail is missing", nil
	case d.broken || !d.whole && d.lacking() || d.qm != nil && d.qm.made > 0 && d.end == endOfFile:
		return "the file ends early: detail is missing", nil
	case d.bad > 0:
		return "the pixel data is damaged: parts of the picture may be wrong", nil
	}
	return "", nil
}

// lacking reports whether bits of coefficients came in no scan.
func (d *Decoder) lacking() bool {
	for i := range d.comps {
		if !d.streaming && d.comps[i].whole != ^uint64(0) {
			return true
		}
	}
	return false
}

// percent is n of many in hundredths, at least one.
func percent(n, many int) string {
	p := max(1, min(99, n*100/max(1, many)))
	if n == many {
		p = 100
	}
	return strconv.Itoa(p) + " %"
}
