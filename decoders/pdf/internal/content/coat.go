package content

// coat is what is put on the cells.
type coat struct {
	ink     ink
	alpha   float64
	mixes   bool // a blend mode other than Normal
	darkens bool // Multiply or Darken: what is dark stays so
	picture bool
	sheer   bool // parts of it let through what lies behind
}

// opaqueAlpha is from where on a coat hides what it lies on.
const opaqueAlpha = 0.9

// covers reports whether p hides what it lies on.
func (p *coat) covers() bool { return p.alpha >= opaqueAlpha && !p.mixes && !p.sheer }

// hides reports whether where p lies only its colour is seen.
func (p *coat) hides() bool { return p.covers() && p.ink.kind == inkKnown && !p.picture }

// put puts the coat with a number on a cell.
func (p *coat) put(k *cell, order uint32) {
	flags := k.color & cellPicture
	if p.picture {
		flags = cellPicture
	}
	if p.picture || p.ink.kind != inkKnown {
		k.color = cellUnknown | flags
	} else {
		k.color = p.over(k.color) | flags
	}
	if p.covers() {
		k.order = order
	}
}

// over returns the colour of a cell with a coat on it.
func (p *coat) over(below uint32) uint32 {
	known := p.ink.kind == inkKnown && !p.picture && !p.sheer && below&cellUnknown == 0
	switch {
	case p.hides():
		return p.ink.rgb
	case !known, p.mixes && !p.darkens:
		return cellUnknown
	}
	out := uint32(0)
	for shift := 0; shift < 24; shift += 8 {
		b, v := float64(below>>shift&0xff), float64(p.ink.rgb>>shift&0xff)
		if p.darkens {
			v = b * v / 255
		}
		out |= uint32(b+(v-b)*p.alpha+0.5) << shift
	}
	return out
}

// sheet is a rectangle of the page that a coat was put on.
type sheet struct {
	coat                       coat
	clip                       *clip
	order                      uint32
	row, lastRow, col, lastCol int // of its cells; the last ones lie outside
}

// maxSheets is how many rectangles are kept before cells are made of them. Each letter is looked for in all: 8 take as long as its font.
const maxSheets = 8

// has reports whether s was put on a cell.
func (s *sheet) has(col, row int) bool {
	return col >= s.col && col < s.lastCol && row >= s.row && row < s.lastRow && (s.clip.mask == nil || s.clip.mask.has(col, row))
}

// keep keeps a rectangle with a coat as a sheet; it reports false where cells have to be painted.
func (c *canvas) keep(r Rect, p *coat, cl *clip) bool {
	if c.drawn || len(c.sheets) >= maxSheets {
		return false
	}
	s := sheet{coat: *p, clip: cl, order: c.order}
	s.col, s.lastCol = c.columns(r.X0, r.X1)
	s.row, s.lastRow = c.rows(r.Y0, r.Y1)
	if s.col < s.lastCol && s.row < s.lastRow {
		c.sheets = append(c.sheets, s)
	}
	return true
}

// pictured reports whether pictures cover a part of the page or more. Cells are counted only where one picture alone does not, and all of
// them may.
func (c *canvas) pictured(part float64) bool {
	least := part * float64(c.w*c.h)
	all := c.pictures
	for i := range c.sheets {
		s := &c.sheets[i]
		if !s.coat.picture {
			continue
		}
		n := (s.lastRow - s.row) * (s.lastCol - s.col)
		if all += n; float64(n) >= least && s.clip.mask == nil {
			return true
		}
	}
	if c.w == 0 || float64(all) < least {
		return false
	}
	c.draw()
	return float64(c.pictures) >= least
}
