package layout

import "slices"

// gutter is a strip of a region, from line to line, that no text crosses and that has text on both sides.
type gutter struct {
	lo, hi     float64 // x
	from, to   int     // its first and last row
	first      int     // first row with text on both sides
	last       int     // last such row
	both       int     // how many such rows
	crossed    bool    // ends at a row that reaches far over it, not at the end of the region or at a page number
	lone       int     // -1: the last row is on the left, 1: on the right, 0: on both sides
	loneY      float64 // its y
	loneHeight float64
}

const (
	minGutter  = 0.5 // of the size of the text beside it
	maxGutters = 48  // that are followed at one time
	nextLine   = 0.9 // of the size: two base lines nearer than this are beside each other
)

// gutters finds the strips between the pieces of rows, by one pass downwards.
func gutters(rows []row) (done []gutter) {
	var open []gutter
	for i := range rows {
		r := &rows[i]
		kept := open[:0]
		for _, g := range open {
			before := g
			if ok, wide := g.narrow(r); !ok {
				before.crossed = wide
				done = append(done, before)
				continue
			}
			g.see(r, i)
			kept = append(kept, g)
		}
		open = kept
		for k := 1; k < len(r.pieces) && len(open) < maxGutters; k++ {
			open = start(open, rows, i, r.pieces[k-1].x1, r.pieces[k].x0)
		}
		if i > 0 && len(open) < maxGutters {
			open = startBeside(open, rows, i)
		}
	}
	done = append(done, open...)
	return slices.DeleteFunc(done, func(g gutter) bool { return g.both < 2 })
}

// narrow takes away from g what r covers of it. It reports whether enough is left, and if not, whether r reaches far over it.
func (g *gutter) narrow(r *row) (ok, wide bool) {
	least := minGutter * r.size
	i, _ := slices.BinarySearchFunc(r.pieces, g.lo, func(p piece, x float64) int {
		if p.x1 <= x {
			return -1
		}
		return 1
	})
	for ; i < len(r.pieces) && r.pieces[i].x0 < g.hi; i++ {
		p := &r.pieces[i]
		if p.x0-g.lo >= g.hi-p.x1 {
			g.hi = min(g.hi, p.x0)
		} else {
			g.lo = max(g.lo, p.x1)
		}
		if g.hi-g.lo < least {
			return false, g.lo-p.x0 > 3*r.size && p.x1-g.hi > 3*r.size || p.x1-p.x0 > 12*r.size
		}
	}
	return true, false
}

// see notes on which sides of g row i has text.
func (g *gutter) see(r *row, i int) {
	left, right := r.pieces[0].x1 <= g.lo, r.pieces[len(r.pieces)-1].x0 >= g.hi
	g.to = i
	side := 0
	switch {
	case left && !right:
		side = -1
	case right && !left:
		side = 1
	}
	if side == 0 || side == -g.lone && r.y-g.loneY < nextLine*max(r.size, g.loneHeight) {
		g.both++
		if g.last = i; g.both == 1 {
			g.first = i
		}
		side = 0
	}
	g.lone, g.loneY, g.loneHeight = side, r.y, r.size
}

// start follows the gap from x0 to x1 in row i from there on, and back to where it begins, if no gutter lies in it already.
func start(open []gutter, rows []row, i int, x0, x1 float64) []gutter {
	if x1-x0 < minGutter*rows[i].size {
		return open
	}
	for k := range open {
		if open[k].lo < x1 && open[k].hi > x0 {
			return open
		}
	}
	g := gutter{lo: x0, hi: x1, from: i, to: i, first: i, last: i, both: 1}
	for k := i - 1; k >= 0 && i-k <= maxBack; k-- {
		before := g
		if ok, _ := g.narrow(&rows[k]); !ok {
			g = before
			break
		}
		g.from = k
	}
	return append(open, g)
}

// maxBack is how many rows a gutter is followed back: those above have only one of its sides.
const maxBack = 64

// startBeside follows the gap between two rows that are beside each other because their base lines differ by less than a line.
func startBeside(open []gutter, rows []row, i int) []gutter {
	a, b := &rows[i-1], &rows[i]
	if b.y-a.y >= nextLine*max(a.size, b.size) {
		return open
	}
	aLeft, aRight := a.pieces[0].x0, a.pieces[len(a.pieces)-1].x1
	bLeft, bRight := b.pieces[0].x0, b.pieces[len(b.pieces)-1].x1
	if aRight < bLeft {
		return start(open, rows, i, aRight, bLeft)
	}
	if bRight < aLeft {
		return start(open, rows, i, bRight, aLeft)
	}
	return open
}
