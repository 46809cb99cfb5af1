package jpeg

// Row decodes the next row of pixels into dst: red, green, blue and 255, four bytes each. CMYK is taken for Adobe's, which is inverted.
// Every component must have been halved as often as the others.
func (d *Decoder) Row(dst []byte) {
	d.next()
	w := len(dst) / 4
	switch d.Colors() {
	case Gray:
		for i, v := range d.comps[0].line[:w] {
			p := (*[4]byte)(dst[i*4:])
			p[0], p[1], p[2], p[3] = v, v, v, 0xff
		}
	case YCbCr:
		Convert(dst, d.comps[0].line[:w], d.comps[1].line[:w], d.comps[2].line[:w])
	case RGB:
		r, g, b := d.comps[0].line[:w], d.comps[1].line[:w], d.comps[2].line[:w]
		for i := range w {
			p := (*[4]byte)(dst[i*4:])
			p[0], p[1], p[2], p[3] = r[i], g[i], b[i], 0xff
		}
	case CMYK:
		d.inks(dst, d.comps[0].line[:w], d.comps[1].line[:w], d.comps[2].line[:w], d.comps[3].line[:w])
	case YCCK:
		Convert(dst, d.comps[0].line[:w], d.comps[1].line[:w], d.comps[2].line[:w])
		mixBlack(dst, d.comps[3].line[:w])
	}
}

// Samples decodes the next row of pixels into dst: the components as they are coded, a byte each.
func (d *Decoder) Samples(dst []byte) {
	d.next()
	n := len(d.comps)
	for i := range d.comps {
		for x, v := range d.comps[i].line[:len(dst)/n] {
			dst[x*n+i] = v
		}
	}
}

// RowSize is the size of the picture that Row gives.
func (d *Decoder) RowSize() (w, h int) {
	s := d.comps[0].shift
	return up(d.Frame.Width, 1<<s), up(d.Frame.Height, 1<<s)
}

// next makes the components' lines of the next row.
func (d *Decoder) next() {
	w, h := d.RowSize()
	y := min(d.at, h-1)
	d.at++
	for i := range d.comps {
		c := &d.comps[i]
		if cap(c.line) < w+maxRatio {
			c.line = make([]byte, w+maxRatio)
		}
		// The row below is needed where it counts in.
		for need := min(c.sh-1, y*c.v/d.vmax+1); d.bands < d.mcusY && (d.bands == 0 || d.bands*c.rows <= need); {
			d.band()
		}
		d.enlarge(c, y, w)
	}
}

// maxRatio is how many samples more than its width a line may get.
const maxRatio = 8

// enlarge makes line y of the component at full size: with a triangle between samples of half the size, by repetition at other whole ratios,
// as libjpeg does, and on straight lines between samples at ratios such as 3 to 2.
func (d *Decoder) enlarge(c *component, y, w int) {
	fitsX, fitsY := d.hmax%c.h == 0, d.vmax%c.v == 0
	if !fitsX || !fitsY {
		d.interpolate(c, y, w)
		return
	}
	rx, ry := d.hmax/c.h, d.vmax/c.v
	at := min(y/ry, c.sh-1)
	near := c.row(at)
	far := near
	if ry == 2 {
		other := at + 1
		if y&1 == 0 {
			other = at - 1
		}
		far = c.row(max(0, min(c.sh-1, other)))
	}
	line := c.line[:w+maxRatio]
	switch {
	case rx == 1 && ry == 2:
		bias := 2
		if y&1 == 0 {
			bias = 1
		}
		for i, v := range near {
			line[i] = byte((int(v)*3 + int(far[i]) + bias) >> 2)
		}
	case rx == 1:
		copy(line, near)
	case rx == 2 && ry == 1 && c.sw > 2:
		triangle(line, near)
	case rx == 2 && ry == 2 && c.sw > 2:
		triangles(line, near, far)
	default:
		for i, v := range near {
			for j := range rx {
				if i*rx+j < w {
					line[i*rx+j] = v
				}
			}
		}
	}
}

// triangle doubles a row: a quarter of each sample is its neighbour's.
func triangle(line, in []byte) {
	last := len(in) - 1
	line[0] = in[0]
	line[1] = byte((int(in[0])*3 + int(in[1]) + 2) >> 2)
	for i := 1; i < last; i++ {
		v := int(in[i]) * 3
		line[2*i], line[2*i+1] = byte((v+int(in[i-1])+1)>>2), byte((v+int(in[i+1])+2)>>2)
	}
	line[2*last] = byte((int(in[last])*3 + int(in[last-1]) + 1) >> 2)
	line[2*last+1] = in[last]
}

// triangles doubles a row that lies next to far: a quarter is far's, and a quarter of each column its neighbour's.
func triangles(line, near, far []byte) {
	last := len(near) - 1
	far = far[:len(near)]
	before, v := 0, int(near[0])*3+int(far[0])
	for i := range last {
		after := int(near[i+1])*3 + int(far[i+1])
		if i == 0 {
			before = v
		}
		line[2*i], line[2*i+1] = byte((v*3+before+8)>>4), byte((v*3+after+7)>>4)
		before, v = v, after
	}
	line[2*last], line[2*last+1] = byte((v*3+before+8)>>4), byte((v*4+7)>>4)
}

// interpolate makes a line of a component whose size is no whole part of the picture's. Places are in 1<<16 of a sample.
func (d *Decoder) interpolate(c *component, y, w int) {
	const unit = 1 << 16
	place := func(i, part, of, n int) (at, next, f int) {
		p := max(0, min((n-1)*unit, ((2*i+1)*part*unit/of-unit)/2))
		return p / unit, min(p/unit+1, n-1), p % unit
	}
	at, next, fy := place(y, c.v, d.vmax, c.sh)
	a, b := c.row(at), c.row(next)
	for x := range w {
		i, j, fx := place(x, c.h, d.hmax, c.sw)
		top := int(a[i])*(unit-fx) + int(a[j])*fx
		low := int(b[i])*(unit-fx) + int(b[j])*fx
		c.line[x] = byte((top>>8*(unit-fy) + low>>8*fy + 1<<23) >> 24)
	}
}

// Convert makes a row of pixels, four bytes each, of luma and chroma (JFIF 1.02, page 3), rounded as libjpeg does.
func Convert(dst, luma, cb, cr []byte) {
	cb, cr = cb[:len(luma)], cr[:len(luma)]
	for i, l := range luma {
		v, b, r := int(l), int(cb[i])-128, int(cr[i])-128
		p := (*[4]byte)(dst[i*4:])
		p[0] = clip(v + (91881*r+1<<15)>>16)
		p[1] = clip(v + (-22554*b-46802*r+1<<15)>>16)
		p[2] = clip(v + (116130*b+1<<15)>>16)
		p[3] = 0xff
	}
}

func clip(v int) byte { return byte(max(0, min(255, v))) }

// inks converts a row of CMYK, which is inverted.
func (d *Decoder) inks(dst, c, m, y, k []byte) {
	for i := range c {
		black := int(k[i])
		p := (*[4]byte)(dst[i*4:])
		p[0], p[1], p[2], p[3] = over(c[i], black), over(m[i], black), over(y[i], black), 0xff
	}
}

// mixBlack makes colours of a row of YCCK: what is converted are inks, and Adobe's four are inverted.
func mixBlack(dst, k []byte) {
	for i, v := range k {
		p := (*[4]byte)(dst[i*4:])
		p[0], p[1], p[2] = over(^p[0], int(v)), over(^p[1], int(v)), over(^p[2], int(v))
	}
}

// over is a share of light times another.
func over(a byte, b int) byte { return byte((int(a)*b + 127) / 255) }

// Inks decodes the next row of a picture of four components into dst: cyan, magenta, yellow, black, 255 for all of an ink.
func (d *Decoder) Inks(dst []byte) {
	d.Samples(dst)
	if d.Colors() == YCCK {
		for i := 0; i+4 <= len(dst); i += 4 {
			v, b, r := int(dst[i]), int(dst[i+1])-128, int(dst[i+2])-128
			dst[i] = ^clip(v + (91881*r+1<<15)>>16)
			dst[i+1] = ^clip(v + (-22554*b-46802*r+1<<15)>>16)
			dst[i+2] = ^clip(v + (116130*b+1<<15)>>16)
		}
	}
	for i, v := range dst {
		dst[i] = ^v
	}
}
