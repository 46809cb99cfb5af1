package content

import (
	"cmp"
	"math"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// canvas is a coarse picture of the page: what was painted last in each of its cells, and when. Text is compared with it when it is shown
// (is it in the colour of what lies behind it?) and when the page is done (was something painted over it?). Both cost a look at a few
// cells for each glyph, however much is painted. The first rectangles are kept as they are, and looked through; cells are made when more
// is painted than that. Most pages need none.
type canvas struct {
	x, y, step float64
	w, h       int // 0: not measured yet
	cells      []cell
	fresh      []bool // of each row, whether its cells were not painted on, and hold anything
	drawn      bool   // there are cells
	sheets     []sheet
	order      uint32 // how many things were painted
	covers     uint32 // the last of them that hides what it lies on
	pictures   int    // cells that lie in a picture
	crossings  []crossing
}

// cell is about two points wide.
type cell struct {
	color uint32 // RGB, with the flags below
	order uint32 // of the last thing that hides what it lies on
}

const (
	cellUnknown = 1 << 24 // of many colours, or of one that is not known
	cellPicture = 1 << 25
	paper       = 0xffffff
)

const (
	maxCells  = 160_000
	leastStep = 2.0 // points
)

// emptied returns c without what is painted; its memory serves the next page.
func (c *canvas) emptied() canvas {
	return canvas{cells: c.cells[:0], fresh: c.fresh[:0], sheets: c.sheets[:0], crossings: c.crossings[:0]}
}

// measure says where the cells of a page lie.
func (c *canvas) measure(box Rect) {
	if c.w > 0 {
		return
	}
	w, h := box.X1-box.X0, box.Y1-box.Y0
	c.x, c.y, c.step = box.X0, box.Y0, max(leastStep, math.Sqrt(w*h/maxCells)*1.01, max(w, h)/maxCells)
	c.w, c.h = int(w/c.step)+1, int(h/c.step)+1
}

// draw makes the cells, and paints on them what was kept.
func (c *canvas) draw() {
	if c.drawn {
		return
	}
	c.drawn = true
	if n := c.w * c.h; cap(c.cells) < n {
		c.cells = make([]cell, n)
	} else {
		c.cells = c.cells[:n]
	}
	c.fresh = slices.Grow(c.fresh[:0], c.h)[:c.h]
	for i := range c.fresh {
		c.fresh[i] = true
	}
	for i := range c.sheets {
		s := &c.sheets[i]
		for row := s.row; row < s.lastRow; row++ {
			c.paint(&s.coat, s.clip, s.order, row, s.col, s.lastCol)
		}
	}
	c.sheets = c.sheets[:0]
}

// at returns the cell at a place; the paper for one outside the page.
func (c *canvas) at(x, y float64) cell {
	col, row := (x-c.x)/c.step, (y-c.y)/c.step
	if !(col >= 0 && row >= 0 && col < float64(c.w) && row < float64(c.h)) {
		return cell{color: paper}
	}
	return c.cell(int(col), int(row))
}

// cell returns a cell of the page.
func (c *canvas) cell(col, row int) cell {
	if c.drawn {
		if c.fresh[row] {
			return cell{color: paper}
		}
		return c.cells[row*c.w+col]
	}
	k := cell{color: paper}
	for i := range c.sheets {
		if s := &c.sheets[i]; s.has(col, row) {
			s.coat.put(&k, s.order)
		}
	}
	return k
}

// row returns the cells of a row to paint on.
func (c *canvas) row(row int) []cell {
	line := c.cells[row*c.w : (row+1)*c.w]
	if c.fresh[row] {
		c.fresh[row] = false
		for i := range line {
			line[i] = cell{color: paper}
		}
	}
	return line
}

// paint puts the coat with a number on the cells of a row from one column to another, as far as the clip lets it.
func (c *canvas) paint(p *coat, cl *clip, order uint32, row, from, to int) {
	line := c.row(row)
	masked := cl != nil && cl.mask != nil
	if p.hides() && !masked { // nearly all that is painted
		for i := from; i < to; i++ {
			line[i] = cell{p.ink.rgb | line[i].color&cellPicture, order}
		}
		return
	}
	for col := from; col < to; col++ {
		if masked && !cl.mask.has(col, row) {
			continue
		}
		k := &line[col]
		if p.picture && k.color&cellPicture == 0 {
			c.pictures++
		}
		p.put(k, order)
	}
}

// columns returns the cells of a row whose middles lie between two places.
func (c *canvas) columns(x0, x1 float64) (from, to int) {
	from = int(min(max(math.Ceil((x0-c.x)/c.step-0.5), 0), float64(c.w)))
	to = int(min(max(math.Ceil((x1-c.x)/c.step-0.5), 0), float64(c.w)))
	return from, to
}

// rows is columns in the other direction.
func (c *canvas) rows(y0, y1 float64) (from, to int) {
	from = int(min(max(math.Ceil((y0-c.y)/c.step-0.5), 0), float64(c.h)))
	to = int(min(max(math.Ceil((y1-c.y)/c.step-0.5), 0), float64(c.h)))
	return from, to
}

// crossing is where an edge of a path goes through the middle of a row.
type crossing struct {
	row int32
	dir int32
	x   float64
}

// crossingWork is the work of finding and ordering one crossing.
const crossingWork = 4

// maxCrossings bounds one path.
const maxCrossings = 1 << 19

// scan calls each with the runs of cells whose middles lie in a path and in a rectangle, and returns how much work that was. It reports
// false, having called nothing, for a path that is too long to follow.
func (c *canvas) scan(p *path, evenOdd bool, within Rect, each func(row, from, to int)) (work int, ok bool) {
	if r, is := p.rect(); is {
		r = r.And(within)
		from, to := c.columns(r.X0, r.X1)
		first, last := c.rows(r.Y0, r.Y1)
		for row := first; row < last && from < to; row++ {
			each(row, from, to)
			work += 4 + (to-from)/16
		}
		return work, true
	}
	first, last := c.rows(within.Y0, within.Y1)
	c.crossings = c.crossings[:0]
	for i := range p.parts() {
		pts := p.part(i)
		for j := range pts {
			c.edge(pts[j], pts[(j+1)%len(pts)], first, last)
		}
		if len(c.crossings) > maxCrossings {
			return work, false
		}
	}
	order.By(c.crossings, func(a, b crossing) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.x, b.x))
	})
	work = crossingWork * len(c.crossings)
	for i, wind := 0, int32(0); i+1 < len(c.crossings); i++ {
		a, b := c.crossings[i], c.crossings[i+1]
		if wind += a.dir; a.row != b.row {
			wind = 0
			continue
		}
		if evenOdd && wind&1 != 0 || !evenOdd && wind != 0 {
			from, to := c.columns(max(a.x, within.X0), min(b.x, within.X1))
			if from < to {
				each(int(a.row), from, to)
				work += (to - from) / 16
			}
		}
	}
	return work, true
}

// edge notes where an edge crosses the rows from first to last.
func (c *canvas) edge(a, b point, first, last int) {
	dir := int32(1)
	if a.y > b.y {
		a, b, dir = b, a, -1
	}
	from, to := c.rows(a.y, b.y)
	for row := max(from, first); row < min(to, last); row++ {
		y := c.y + (float64(row)+0.5)*c.step
		if len(c.crossings) > maxCrossings {
			return
		}
		c.crossings = append(c.crossings, crossing{int32(row), dir, a.x + (b.x-a.x)*(y-a.y)/(b.y-a.y)})
	}
}
