package layout

import (
	"cmp"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// maxDepth is how often a part of a page is cut into columns again.
const maxDepth = 6

// region reads a part of the page: its columns one after the other where they are clear, else its rows.
func (f *flow) region(rows []row, depth int) {
	if len(rows) == 0 {
		return
	}
	if depth == maxDepth || !beside(rows) {
		f.rows(rows, nil)
		return
	}
	found := gutters(rows)
	at := 0
	for _, g := range f.columns(rows, found) {
		f.region(rows[at:g.from], depth+1)
		left, right := cut(rows[g.from:g.to+1], g.lo)
		f.region(left, depth+1)
		f.region(right, depth+1)
		at = g.to + 1
	}
	if at > 0 {
		f.region(rows[at:], depth+1)
		return
	}
	f.rows(rows, found)
}

// beside reports whether anything in rows stands beside something else.
func beside(rows []row) bool {
	for i := range rows {
		if len(rows[i].pieces) > 1 || i > 0 && rows[i].y-rows[i-1].y < nextLine*max(rows[i].size, rows[i-1].size) {
			return true
		}
	}
	return false
}

// columns chooses the gutters that part columns, from top to bottom: none that shares rows with another.
func (f *flow) columns(rows []row, found []gutter) (out []gutter) {
	for _, g := range found {
		if g.both < 3 && g.to-g.from < 3 {
			continue
		}
		if g.trim(rows); parts(rows, &g) {
			out = append(out, g)
		}
	}
	if len(out) < 2 {
		return out
	}
	order.By(out, func(a, b gutter) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	kept := out[:0]
	for _, g := range out {
		if !slices.ContainsFunc(kept, func(k gutter) bool { return g.from <= k.to && k.from <= g.to }) {
			kept = append(kept, g)
		}
	}
	order.By(kept, func(a, b gutter) int { return cmp.Compare(a.from, b.from) })
	return kept
}

// cut parts rows at x; a side gets the rows in which it has text.
func cut(rows []row, x float64) (left, right []row) {
	for i := range rows {
		r := &rows[i]
		k := 0
		for k < len(r.pieces) && r.pieces[k].x0 <= x {
			k++
		}
		if k > 0 {
			left = append(left, r.part(0, k))
		}
		if k < len(r.pieces) {
			right = append(right, r.part(k, len(r.pieces)))
		}
	}
	return left, right
}

// part is some of the pieces of a row, as a row.
func (r *row) part(from, to int) row {
	p := row{y: r.y, size: r.size, pieces: r.pieces[from:to:to]}
	if to-from < len(r.pieces) {
		p.y, p.size = p.pieces[0].y, p.pieces[0].size
	}
	return p
}

// In parts of the distance of lines.
const (
	farAbove  = 2.0 // a line above columns that is further away does not belong to them
	farBelow  = 1.3 // the same below, where text follows that spans the columns
	farEnd    = 4.0 // the same where none does
	headApart = 2.5 // a first or last row that is further away is the head or foot of the page
)

// trim takes from the ends of g the rows that have text on one side only and do not belong to it, and the head and foot of the page.
func (g *gutter) trim(rows []row) {
	lead := leading(rows[g.first : g.last+1])
	from, to := g.first, g.last
	for from > g.from && rows[from].y-rows[from-1].y <= farAbove*lead {
		from--
	}
	below := farEnd * lead
	if g.crossed {
		below = farBelow * lead
	}
	for to < g.to && rows[to+1].y-rows[to].y <= below {
		to++
	}
	if from+2 < to && rows[from+1].y-rows[from].y > headApart*lead {
		from++
	}
	if from+2 < to && rows[to].y-rows[to-1].y > headApart*lead {
		to--
	}
	g.from, g.to = from, to
}

// leading is the usual distance of lines, of those that stand one below the other.
func leading(rows []row) float64 {
	gaps := make([]float64, 0, len(rows))
	size := 1.0
	for i := range rows {
		size = rows[i].size
		for k := i + 1; k < len(rows) && k <= i+3; k++ {
			if d := rows[k].y - rows[i].y; d >= nextLine*rows[k].size {
				gaps = append(gaps, d)
				break
			}
		}
	}
	if len(gaps) == 0 {
		return 1.2 * size
	}
	order.Up(gaps)
	return gaps[len(gaps)/2]
}

// side is what stands on one side of a gutter.
type side struct {
	lines, full   int // rows with text there; those that reach across most of it
	pieces, words int
	x0, x1        float64
	size          float64
}

// Of running text.
const (
	proseWords = 3.0 // in a piece, on average: cells of a table have fewer
	proseWidth = 7.0 // of a piece, in parts of the size
	proseFull  = 0.5 // of the lines reach across most of their column
	mostOf     = 0.72
)

// sides measures both sides of g.
func sides(rows []row, g *gutter) (left, right side) {
	for pass := range 2 {
		for i := g.from; i <= g.to; i++ {
			pieces := rows[i].pieces
			k := 0
			for k < len(pieces) && pieces[k].x0 <= g.lo {
				k++
			}
			left.see(pieces[:k], pass)
			right.see(pieces[k:], pass)
		}
	}
	return left, right
}

// see takes in what a row has on a side: in the first pass how far it goes, in the second how much of that each row fills.
func (s *side) see(pieces []piece, pass int) {
	if len(pieces) == 0 {
		return
	}
	x0, x1 := pieces[0].x0, pieces[len(pieces)-1].x1
	if pass == 1 {
		if x1-x0 >= mostOf*(s.x1-s.x0) {
			s.full++
		}
		return
	}
	if s.lines == 0 {
		s.x0, s.x1 = x0, x1
	}
	s.lines++
	s.x0, s.x1 = min(s.x0, x0), max(s.x1, x1)
	s.size += pieces[0].size
	s.pieces += len(pieces)
	for i := range pieces {
		s.words += pieces[i].words
	}
}

// prose reports whether a side reads as running text.
func (s *side) prose() bool {
	return s.lines >= 2 && float64(s.words) >= proseWords*float64(s.pieces) && s.wide() && float64(s.full) >= proseFull*float64(s.lines)
}

// wide reports whether a side has room for running text.
func (s *side) wide() bool { return s.x1-s.x0 >= proseWidth*s.size/float64(max(1, s.lines)) }

// parts reports whether g parts columns of text, and not cells of a table or a label from what it labels.
func parts(rows []row, g *gutter) bool {
	left, right := sides(rows, g)
	if left.lines < 2 || right.lines < 2 || left.lines+right.lines < 6 {
		return false
	}
	if least := 0.7 * (left.size + right.size) / float64(left.lines+right.lines); g.hi-g.lo < least {
		return false
	}
	if left.prose() && right.prose() {
		return true
	}
	// Otherwise the content has to say so: it gives one side whole and then the other, and one of them is running text.
	return (left.prose() || right.prose()) && left.wide() && right.wide() && inTurn(rows, g) <= 1
}

// inTurn returns how often the content goes from one side of g to the other.
func inTurn(rows []row, g *gutter) int {
	type mark struct {
		at    int32
		right bool
	}
	var marks []mark
	for i := g.from; i <= g.to; i++ {
		for k := range rows[i].pieces {
			p := &rows[i].pieces[k]
			marks = append(marks, mark{p.at, p.x0 > g.lo})
		}
	}
	order.By(marks, func(a, b mark) int { return cmp.Compare(a.at, b.at) })
	turns := 0
	for i := 1; i < len(marks); i++ {
		if marks[i].right != marks[i-1].right {
			turns++
		}
	}
	return turns
}
