package content

// clip is what may be painted on: a rectangle, and of it what a mask lets through. A clip is never changed, so states share it.
type clip struct {
	rect Rect
	mask *mask // nil: the whole rectangle
}

// mask says which cells of the canvas a path encloses. Its columns begin and end where words of 64 do, so that masks are joined by words.
type mask struct {
	col, row, w, h int
	bits           []uint64
}

func (m *mask) has(col, row int) bool {
	col, row = col-m.col, row-m.row
	if col < 0 || row < 0 || col >= m.w || row >= m.h {
		return false
	}
	i := row*m.w + col
	return m.bits[i>>6]>>(i&63)&1 != 0
}

// words returns 64 cells of a row, from a column that is a multiple of 64.
func (m *mask) words(col, row int) uint64 {
	col, row = col-m.col, row-m.row
	if col < 0 || row < 0 || col >= m.w || row >= m.h {
		return 0
	}
	return m.bits[(row*m.w+col)>>6]
}

// add puts the cells of a row from one column to another into m, as far as within, which may be nil, has them.
func (m *mask) add(row, from, to int, within *mask) {
	for col := from &^ 63; col < to; col += 64 {
		run := ^uint64(0)
		if col < from {
			run <<= from - col
		}
		if rest := to - col; rest < 64 {
			run &= 1<<rest - 1
		}
		if within != nil {
			run &= within.words(col, row)
		}
		m.bits[((row-m.row)*m.w+col-m.col)>>6] |= run
	}
}

// hasPoint reports whether a place on the page is let through.
func (c *clip) hasPoint(cv *canvas, x, y float64) bool {
	if !c.rect.has(x, y) {
		return false
	}
	return c.mask == nil || c.mask.has(int((x-cv.x)/cv.step), int((y-cv.y)/cv.step))
}

// clipped returns the clip that is left of c inside a path (8.5.4).
func (in *Interp) clipped(c *clip, p *path, evenOdd bool) *clip {
	if r, ok := p.rect(); ok {
		return &clip{c.rect.And(r), c.mask}
	}
	out := &clip{rect: c.rect.And(p.bounds())}
	if p.long {
		in.page.Short = tooMuchPaint
	}
	if p.long || out.rect.Empty() {
		out.mask = c.mask
		return out
	}
	cv := &in.page.canvas
	cv.measure(in.box())
	m := &mask{}
	// One cell more on each side: its middle may lie outside of the rectangle, and what stands in it inside.
	m.col, m.w = cv.columns(out.rect.X0-cv.step, out.rect.X1+cv.step)
	m.row, m.h = cv.rows(out.rect.Y0-cv.step, out.rect.Y1+cv.step)
	m.col &^= 63
	m.w, m.h = (m.w-m.col+63)&^63, m.h-m.row
	m.bits = make([]uint64, m.w*m.h/64)
	wide := Rect{out.rect.X0 - cv.step, out.rect.Y0 - cv.step, out.rect.X1 + cv.step, out.rect.Y1 + cv.step}
	work, ok := cv.scan(p, evenOdd, wide, func(row, from, to int) { m.add(row, from, to, c.mask) })
	in.file.Work(1 + work + len(m.bits)/8)
	if out.mask = m; !ok {
		in.page.Short = tooMuchPaint
	}
	return out
}

// has reports whether a place lies in r.
func (r Rect) has(x, y float64) bool { return x >= r.X0 && x <= r.X1 && y >= r.Y0 && y <= r.Y1 }

// And returns what two rectangles share; it is empty if they share nothing.
func (r Rect) And(o Rect) Rect {
	out := Rect{max(r.X0, o.X0), max(r.Y0, o.Y0), min(r.X1, o.X1), min(r.Y1, o.Y1)}
	if out.X1 < out.X0 || out.Y1 < out.Y0 {
		return Rect{out.X0, out.Y0, out.X0, out.Y0}
	}
	return out
}

// Area is how large r is.
func (r Rect) Area() float64 {
	if r.Empty() {
		return 0
	}
	return (r.X1 - r.X0) * (r.Y1 - r.Y0)
}
