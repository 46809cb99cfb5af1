package layout

import (
	"cmp"

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
	columns := f.columns(rows, found)
	if f.asGiven(rows, columns) {
		return
	}
	at := 0
	for _, g := range columns {
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
		if g.trim(rows); f.parts(rows, &g) {
			out = append(out, g)
		}
	}
	order.By(out, func(a, b gutter) int { return cmp.Compare(a.from, b.from) })
	kept := out[:0]
	for _, g := range out {
		switch n := len(kept); {
		case n == 0 || g.from > kept[n-1].to:
			kept = append(kept, g)
		case g.to-g.from > kept[n-1].to-kept[n-1].from:
			kept[n-1] = g
		}
	}
	return kept
}

// cut parts rows at x; a side gets the rows in which it has text.
func cut(rows []row, x float64) (left, right []row) {
	left, right = make([]row, 0, len(rows)), make([]row, 0, len(rows))
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

// side is what stands next to a gutter on one side of it.
type side struct {
	lines, words int
	led          int     // lines in which dots lead to their end
	full         int     // lines that are as wide as most
	widest       float64 // of them
	size         float64 // of all together
	close        int     // lines that stand as near to the one above as lines of a paragraph do
	y            float64 // of the last
}

// Of running text.
const (
	proseWords = 3.0  // in a line, on average: cells of a table have fewer
	fewWords   = 1.8  // in a narrow column of many lines
	manyLines  = 8    // that many
	proseWidth = 6.0  // of the widest line, in parts of the size
	proseFull  = 0.5  // of the lines are as wide as most
	fewFull    = 0.7  // the same in a narrow column
	mostOf     = 0.72 // of the widest line: as wide as most
	stretched  = 0.9  // of the size: a blank may be so wide
	closeLines = 2.0  // of the size: lines of a paragraph are no further apart
	proseClose = 0.5  // of the lines stand so
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
			from, to := k-1, k+1
			for from > 0 && pieces[from].x0-pieces[from-1].x1 <= stretched*pieces[from].size {
				from--
			}
			for to < len(pieces) && pieces[to].x0-pieces[to-1].x1 <= stretched*pieces[to].size {
				to++
			}
			if k > 0 {
				left.see(pieces[from:k], pass)
			}
			if k < len(pieces) {
				right.see(pieces[k:to], pass)
			}
		}
	}
	return left, right
}

// see takes in a line: in the first pass how wide it is, in the second how much of the widest that is.
func (s *side) see(line []piece, pass int) {
	w := line[len(line)-1].x1 - line[0].x0
	if pass == 1 {
		if w >= mostOf*s.widest {
			s.full++
		}
		return
	}
	if s.lines > 0 && line[0].y-s.y <= closeLines*line[0].size {
		s.close++
	}
	s.lines++
	s.y = line[0].y
	s.widest = max(s.widest, w)
	s.size += line[0].size
	led := false
	for i := range line {
		s.words += line[i].words
		led = led || line[i].led()
	}
	if led {
		s.led++
	}
}

// prose reports whether a side reads as running text.
func (s *side) prose() bool {
	words, full := float64(s.words)/float64(max(1, s.lines)), float64(s.full)/float64(max(1, s.lines))
	if s.led*2 > s.lines {
		return s.wide()
	}
	return s.lines >= 2 && s.wide() && float64(s.close) >= proseClose*float64(s.lines-1) && (words >= proseWords && full >= proseFull || s.lines >= manyLines && words >= fewWords && full >= fewFull)
}

// wide reports whether a side has room for running text.
func (s *side) wide() bool { return s.widest >= proseWidth*s.size/float64(max(1, s.lines)) }

// parts reports whether g parts columns of text, and not cells of a table or a label from what it labels.
func (f *flow) parts(rows []row, g *gutter) bool {
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
	// Otherwise the content has to say so: it gives one side whole and then the other, and one of them is running text, or both are words.
	if !left.wide() || !right.wide() || inTurn(rows, g) > 1 {
		return false
	}
	return left.prose() || right.prose() || left.listed() && right.listed() && !f.rules.cross(g, rows)
}

// listed reports whether a side is a list of many words.
func (s *side) listed() bool { return s.lines >= manyLines && s.words >= s.lines }

// cross reports whether two lines are drawn across the gutter.
func (r *rules) cross(g *gutter, rows []row) bool {
	n := 0
	for _, s := range r.along {
		if s.at >= rows[g.from].y-2*rows[g.from].size && s.at <= rows[g.to].y+rows[g.to].size && s.from < g.lo && s.to > g.hi {
			n++
		}
	}
	return n >= 2
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
