package layout

import (
	"cmp"
	"math"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// piece is words of one base line without a wide gap between them: of a line of running text mostly all, in a table one cell's.
type piece struct {
	text      []byte // as it looks, from left to right
	x0, x1, y float64
	size      float64    // of most of it
	style     font.Style // of all of it
	at        int32      // its first span: where it comes in the content
	words     int        // roughly, and no numbers
	rtl       bool
	grid      *table // what stands there is a table
}

// row is the pieces on one base line, from left to right.
type row struct {
	y, size float64
	pieces  []piece
}

// Of what lies on one base line, in parts of the size.
const (
	pieceGap = 0.5  // along: more parts pieces. A stretched blank of justified text may be wider; that does no harm
	overlap  = 0.6  // along, backwards: kerning, accents
	sameLine = 0.25 // across, of text of one size
	raised   = 0.6  // across, of smaller text beside it: what is raised or lowered belongs to the line
	smaller  = 0.8  // how small that is
)

// run is items that follow each other in the content and on the page.
type run struct {
	from, to        int32 // in items
	x0, x1, y, size float64
}

// rowsOf finds the base lines from top to bottom.
func (f *flow) rowsOf() []row {
	runs := f.runs()
	down := func(a, b run) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.from, b.from)) }
	if !slices.IsSortedFunc(runs, down) {
		order.By(runs, down)
	}
	lines := withRaised(split(runs))
	f.slab = make([]piece, 0, len(runs))
	rows := make([]row, 0, len(lines))
	for _, line := range lines {
		order.By(line, func(a, b run) int { return cmp.Or(cmp.Compare(a.x0, b.x0), cmp.Compare(a.from, b.from)) })
		rows = f.layers(rows, line)
	}
	sortRows(rows)
	return ruby(rows)
}

// sortRows sorts rows from top to bottom.
func sortRows(rows []row) {
	down := func(a, b row) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.pieces[0].at, b.pieces[0].at)) }
	if !slices.IsSortedFunc(rows, down) {
		order.By(rows, down)
	}
}

// maxLayers is how many texts on the same place are told apart.
const maxLayers = 8

// layers appends a row of a line, or more if some of its text lies on other text of it.
func (f *flow) layers(rows []row, line []run) []row {
	for range maxLayers {
		var over []run
		end := line[0].x1
		for i := 1; i < len(line); i++ {
			u := line[i]
			if u.x0 < end-overlap*u.size {
				if over == nil {
					over, line = make([]run, 0, len(line)-i), slices.Clone(line)
				}
				over = append(over, u)
				line[i].to = u.from // taken
				continue
			}
			end = max(end, u.x1)
		}
		if over == nil {
			break
		}
		rows = append(rows, f.row(slices.DeleteFunc(line, func(u run) bool { return u.to == u.from })))
		line = over
	}
	return append(rows, f.row(line))
}

// runs joins the items that follow each other both ways.
func (f *flow) runs() []run {
	runs := make([]run, 0, len(f.items)/2+1)
	for i := range f.items {
		it := &f.items[i]
		if n := len(runs); n > 0 && f.follows(&f.items[i-1], it) {
			r := &runs[n-1]
			if it.x1-it.x0 > 0 && it.size > r.size*1.1 || it.size > r.size*smaller && it.x1-it.x0 > r.x1-r.x0 {
				r.y, r.size = it.y, it.size
			}
			r.to, r.x0, r.x1 = int32(i+1), min(r.x0, it.x0), max(r.x1, it.x1)
			continue
		}
		runs = append(runs, run{from: int32(i), to: int32(i + 1), x0: it.x0, x1: it.x1, y: it.y, size: it.size})
	}
	return runs
}

// follows reports whether b goes on where a ends.
func (f *flow) follows(a, b *item) bool {
	larger := max(a.size, b.size)
	across, along := math.Abs(b.y-a.y), b.x0-a.x1
	if across > content.LineGap*larger || along < -overlap*larger || along > pieceGap*larger {
		return false
	}
	if across > sameLine*larger && min(a.size, b.size) > smaller*larger && a.x1-a.x0 > 2*larger && b.x1-b.x0 > 2*larger {
		return false // a step down by less than a line, but no index
	}
	return !f.rules.between(a.x1, b.x0, b.y-0.3*b.size)
}

// split parts runs, which are sorted downwards, into lines.
func split(runs []run) [][]run {
	lines := make([][]run, 0, len(runs)/2+1)
	for i := 0; i < len(runs); {
		end, main := i+1, &runs[i]
		for end < len(runs) && runs[end].y-main.y <= sameLine*min(main.size, runs[end].size) {
			if runs[end].x1-runs[end].x0 > main.x1-main.x0 && runs[end].y-runs[i].y <= sameLine*runs[i].size {
				main = &runs[end]
			}
			end++
		}
		lines = append(lines, runs[i:end:end])
		i = end
	}
	return lines
}

// withRaised puts lines of indices that were drawn by themselves into the line that they stand at.
func withRaised(lines [][]run) [][]run {
	out := lines[:0]
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if n := len(out); n > 0 && attached(line, out[n-1]) { // lowered
			out[n-1] = append(slices.Clone(out[n-1]), line...)
			continue
		}
		if i+1 < len(lines) && attached(line, lines[i+1]) { // raised
			lines[i+1] = append(slices.Clone(lines[i+1]), line...)
			continue
		}
		out = append(out, line)
	}
	return out
}

// maxRaised bounds what is looked at for one line of indices.
const maxRaised = 64

// attached reports whether all of small is small text that touches the text of line.
func attached(small, line []run) bool {
	if len(small) > maxRaised || len(line) > maxRaised {
		return false
	}
	for i := range small {
		s := &small[i]
		if !slices.ContainsFunc(line, func(r run) bool {
			return s.size <= smaller*r.size && math.Abs(s.y-r.y) <= raised*r.size &&
				s.x0-r.x1 <= pieceGap*r.size && r.x0-s.x1 <= pieceGap*r.size && s.x1-s.x0 < 6*r.size
		}) {
			return false
		}
	}
	return true
}

// row joins the runs of a line, which are sorted, into pieces.
func (f *flow) row(line []run) row {
	var r row
	first, items := len(f.slab), f.some[:0]
	var last run
	for i, u := range line {
		if gap := u.x0 - last.x1; i > 0 && (gap > pieceGap*max(u.size, last.size) || gap < -overlap*max(u.size, last.size) ||
			f.rules.between(last.x1, u.x0, u.y-0.3*u.size)) {
			f.slab = append(f.slab, f.piece(items))
			items = items[:0]
		}
		items = append(items, f.items[u.from:u.to]...)
		last = u
	}
	f.slab, f.some = append(f.slab, f.piece(items)), items
	r.pieces = f.slab[first:len(f.slab):len(f.slab)]
	widest := &r.pieces[0]
	for i := range r.pieces {
		if p := &r.pieces[i]; p.x1-p.x0 > widest.x1-widest.x0 {
			widest = p
		}
	}
	r.y, r.size = widest.y, widest.size
	return r
}

// piece makes a piece of items, from left to right.
func (f *flow) piece(items []item) piece {
	first := &items[0]
	p := piece{x0: first.x0, x1: first.x1, y: first.y, size: first.size, style: first.style, at: first.span}
	start, widest := len(f.buf), -1.0
	for i := range items {
		it := &items[i]
		s := &f.page.Spans[it.span]
		text := f.page.Text(s)
		if n := len(f.buf); i > 0 && n > start && f.buf[n-1] != ' ' && text[0] != ' ' && f.gap(&items[i-1], it) {
			f.buf = append(f.buf, ' ')
		}
		f.buf = append(f.buf, text...)
		p.x0, p.x1, p.at = min(p.x0, it.x0), max(p.x1, it.x1), min(p.at, it.span)
		if w := it.x1 - it.x0; w > widest || it.size > p.size*1.1 && w > it.size {
			p.y, p.size, widest = it.y, it.size, max(w, widest)
		}
		if len(text) > 1 || text[0] != ' ' {
			p.style &= it.style
		}
		p.rtl = p.rtl || it.rtl
	}
	p.text = f.buf[start:len(f.buf):len(f.buf)]
	f.buf = append(f.buf, '\n')
	p.words = countWords(p.text)
	return p
}

// gap reports whether a blank stands between two items of a line. Indices follow without one though their base lines differ.
func (f *flow) gap(a, b *item) bool {
	if larger := max(a.size, b.size); min(a.size, b.size) <= smaller*larger && math.Abs(b.x0-a.x1) <= touching*larger {
		return false
	}
	return content.Between(&f.page.Spans[a.span], &f.page.Spans[b.span]) != content.GapNone
}

// touching is how far apart an index and what it belongs to are, in parts of the larger size.
const touching = 0.1

// countWords counts words that begin with a letter; of scripts without blanks two characters are one.
func countWords(b []byte) int {
	n, wide := 0, 0
	for i, c := range b {
		if c >= 0xe3 && c <= 0xed {
			wide++
		} else if c > ' ' && (i == 0 || b[i-1] == ' ') && (c >= 0xc3 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z') {
			n++
		}
	}
	return n + wide/2
}
