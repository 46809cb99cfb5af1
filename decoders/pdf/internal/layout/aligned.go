package layout

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// Tables without lines between their columns: text that stands in columns over some rows.

// rows takes rows as they stand, one below the other, with the tables among them.
func (f *flow) rows(rows []row, found []gutter) {
	f.blocks = slices.Grow(f.blocks, len(rows))
	at, apart := 0, true
	lines := func(to int) {
		for ; at < to; at++ {
			b := block{line: rows[at].pieces, apart: apart}
			if len(b.line) == 1 && b.line[0].grid != nil {
				b.grid = b.line[0].grid
			}
			f.blocks, apart = append(f.blocks, b), false
		}
	}
	for _, s := range stretches(rows, found) {
		if s.from < at {
			continue
		}
		if t, from, to := f.aligned(rows, &s); t != nil {
			lines(from)
			f.blocks = append(f.blocks, block{grid: t, apart: apart})
			at, apart = to+1, false
		}
	}
	lines(len(rows))
}

// stretch is rows that gutters part into the same columns.
type stretch struct {
	from, to int
	parts    []gutter
}

// stretches groups the gutters that share most of their rows, from top to bottom.
func stretches(rows []row, found []gutter) (out []stretch) {
	found = slices.Clone(found)
	order.By(found, func(a, b gutter) int { return cmp.Compare(a.first, b.first) })
	for _, g := range found {
		n := len(out)
		if n > 0 && out[n-1].takes(rows, &g) {
			s := &out[n-1]
			s.to = max(s.to, g.last)
			s.parts = append(s.parts, g)
			continue
		}
		out = append(out, stretch{g.first, g.last, []gutter{g}})
	}
	return slices.DeleteFunc(out, func(s stretch) bool { return s.to-s.from < 1 })
}

// takes reports whether g belongs to the columns of s: it shares most of the rows of one of both, or goes on with one of its gutters behind
// a row that reaches across.
func (s *stretch) takes(rows []row, g *gutter) bool {
	shared := min(s.to, g.last) - max(s.from, g.first) + 1
	if shared*2 >= min(s.to-s.from, g.last-g.first)+1 {
		return true
	}
	if g.first-s.to > 2 || rows[g.first].y-rows[s.to].y > 3.5*rows[g.first].size {
		return false
	}
	return slices.ContainsFunc(s.parts, func(p gutter) bool { return min(p.hi, g.hi)-max(p.lo, g.lo) >= minGutter*rows[g.first].size })
}

// Of text that stands in columns.
const (
	alignedRows = 3   // rows, or 2 where lines are drawn
	pairRows    = 6   // of two columns that nothing names and no lines part: two addresses have less
	cellWords   = 4.5 // words of a line of a cell, on average: more is running text
	farApart    = 2.5 // of the usual distance: another table begins
	alignedPart = 0.7 // of the cells begin, end or lie in the middle where those above do
	exact       = 0.35
)

// aligned makes a table of a stretch of rows, if it is one, and returns the rows that it takes.
func (f *flow) aligned(rows []row, s *stretch) (t *table, from, to int) {
	bounds := s.bounds(rows)
	if len(bounds) == 0 || len(bounds)+1 > maxCells/(s.to-s.from+1) {
		return nil, 0, 0
	}
	from, to = s.from, s.to
	lead := leading(rows[from : to+1])
	for i := from + 1; i <= to; i++ { // only what stands close together
		if rows[i].y-rows[i-1].y > farApart*lead {
			to = i - 1
		}
	}
	for from > 0 && heads(&rows[from-1], &rows[from], bounds) {
		from--
	}
	for to+1 < len(rows) && rows[to+1].y-rows[to].y < 1.5*rows[to].size && heads(&rows[to+1], &rows[to], bounds) {
		to++
	}
	t = tableOf(rows[from:to+1], bounds)
	ruled := f.rules.around(t)
	if len(t.rows) < alignedRows && ruled < 2 {
		return nil, 0, 0
	}
	if running := t.wordy() || t.led() || t.coded() || t.enumerated() || t.tight(); running && ruled < 3 {
		return nil, 0, 0
	}
	t.rows = t.continued(t.rows)
	if !t.sound() || !t.inColumns() {
		return nil, 0, 0
	}
	t.header = t.named(&f.rules)
	if t.cols == 2 && !t.header && ruled < 2 && len(t.rows) < pairRows { // two blocks of lines beside each other
		return nil, 0, 0
	}
	return t, from, to
}

// bounds returns where columns are parted: in the gutters that few rows reach across.
func (s *stretch) bounds(rows []row) (at []float64) {
	parts := slices.Clone(s.parts)
	order.By(parts, func(a, b gutter) int { return cmp.Compare(a.lo, b.lo) })
	var merged []gutter
	for _, g := range parts {
		if n := len(merged); n > 0 && g.lo < merged[n-1].hi {
			m := &merged[n-1]
			m.lo, m.hi, m.both = g.lo, min(m.hi, g.hi), m.both+g.both
			continue
		}
		merged = append(merged, g)
	}
	for _, g := range merged {
		if g.both*4 >= s.to-s.from+1 {
			at = append(at, (g.lo+g.hi)/2)
		}
	}
	return at
}

// heads reports whether a belongs to the table that begins or ends with row b: it stands close, and in columns other than the first.
func heads(a, b *row, bounds []float64) bool {
	if math.Abs(a.y-b.y) > 1.6*max(a.size, b.size) {
		return false
	}
	for i := range a.pieces {
		if p := &a.pieces[i]; p.grid != nil || p.x0 < bounds[0] || column(bounds, p.x0) != column(bounds, p.x1) {
			return false
		}
	}
	return true
}

// column returns the column that x lies in.
func column(bounds []float64, x float64) int {
	i, _ := slices.BinarySearch(bounds, x)
	return i
}

// tableOf puts rows into cells.
func tableOf(rows []row, bounds []float64) *table {
	first := &rows[0].pieces[0]
	t := &table{x0: first.x0, x1: first.x1, y0: rows[0].y - rows[0].size, y1: rows[len(rows)-1].y, cols: len(bounds) + 1, size: first.size, at: first.at}
	for i := range rows {
		r := tableRow{cells: make([]cell, t.cols), y0: rows[i].y, y1: rows[i].y}
		for _, p := range rows[i].pieces {
			c := column(bounds, p.x0+0.1*p.size)
			if column(bounds, p.x1-0.1*p.size) > c {
				r.cells[c].spans = true
			}
			r.cells[c].add(p)
			t.x0, t.x1 = min(t.x0, p.x0), max(t.x1, p.x1)
		}
		t.rows = append(t.rows, r)
	}
	return t
}

// around returns how many lines are drawn along a table, from just above it to just below.
func (r *rules) around(t *table) (n int) {
	i, _ := slices.BinarySearchFunc(r.along, t.y0-t.size, func(s segment, y float64) int { return cmp.Compare(s.at, y) })
	for ; i < len(r.along) && r.along[i].at <= t.y1+t.size; i++ {
		if min(r.along[i].to, t.x1)-max(r.along[i].from, t.x0) > 0.6*(t.x1-t.x0) {
			n++
		}
	}
	return n
}

// wordy reports whether the cells hold running text.
func (t *table) wordy() bool {
	words, lines := 0, 0
	for i := range t.rows {
		for c := range t.rows[i].cells {
			if cell := &t.rows[i].cells[c]; !cell.empty() && !cell.spans {
				lines++
				for _, p := range cell.lines[0] {
					words += p.words
				}
			}
		}
	}
	return float64(words) > cellWords*float64(lines)
}

// tight reports whether the gaps between cells are hardly wider than stretched blanks, which may stand below each other by chance.
func (t *table) tight() bool {
	var gaps []float64
	for i := range t.rows {
		end, size := math.Inf(1), 1.0
		for c := range t.rows[i].cells {
			if cell := &t.rows[i].cells[c]; !cell.empty() {
				l := cell.lines[0]
				if gap := l[0].x0 - end; gap > 0 {
					gaps = append(gaps, gap/size)
				}
				end, size = l[len(l)-1].x1, l[0].size
			}
		}
	}
	order.Up(gaps)
	return len(gaps) == 0 || gaps[len(gaps)/2] < leastGap
}

// leastGap is that of half the gaps of a table, in parts of the size.
const leastGap = 0.9

// led reports whether dots lead from column to column, as in a table of contents.
func (t *table) led() bool {
	n := 0
	for i := range t.rows {
		if slices.ContainsFunc(t.rows[i].cells, func(c cell) bool {
			return slices.ContainsFunc(c.lines, func(l []piece) bool {
				return slices.ContainsFunc(l, func(p piece) bool { return p.led() })
			})
		}) {
			n++
		}
	}
	return n*3 >= len(t.rows)
}

// led reports whether dots lead from some of p to the rest.
func (p *piece) led() bool {
	return bytes.Contains(p.text, []byte("....")) || bytes.Contains(p.text, []byte(". . .")) || bytes.Contains(p.text, []byte("……"))
}

// coded reports whether most of the text is set in a fixed pitch.
func (t *table) coded() bool {
	mono, all := 0, 0
	for i := range t.rows {
		for c := range t.rows[i].cells {
			for _, l := range t.rows[i].cells[c].lines {
				for _, p := range l {
					if all += len(p.text); p.style&font.Mono != 0 {
						mono += len(p.text)
					}
				}
			}
		}
	}
	return mono*10 > all*7
}

// enumerated reports whether a column only marks the lines of the next, the first of two counts them, or the first names what stands beside.
func (t *table) enumerated() bool {
	marks, bulleted, labels, n := 0, 0, 0, 0
	for i := range t.rows {
		cells := t.rows[i].cells
		if slices.ContainsFunc(cells, func(c cell) bool { return !c.empty() && bullet(c.lines[0][0].text) }) {
			bulleted++
		}
		if cells[0].empty() {
			continue
		}
		n++
		if t.cols <= 3 && cells[0].label() {
			labels++
		}
		if t.cols == 2 && mark(bytes.TrimSpace(cells[0].lines[0][0].text)) {
			marks++
		}
	}
	return marks*2 > n || labels*2 > n || bulleted*2 > len(t.rows)
}

// bullet reports whether text is a bullet and no more.
func bullet(text []byte) bool {
	r, n := utf8.DecodeRune(bytes.TrimSpace(text))
	return n == len(bytes.TrimSpace(text)) && strings.ContainsRune(bullets, r)
}

// mark reports whether text is a bullet or a number of a list: "•", "3.", "(a)", "[12]", "iv)".
func mark(text []byte) bool {
	if r, n := utf8.DecodeRune(text); n == len(text) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return true
	}
	if len(text) > 5 || len(text) < 2 {
		return false
	}
	last := text[len(text)-1]
	return (last == '.' || last == ')' || last == ']') && !bytes.ContainsAny(text[:len(text)-1], ".,: ")
}

// inColumns reports whether most cells begin, end or lie in the middle where the others of their column do, or have their point there.
func (t *table) inColumns() bool {
	good, all := 0, 0
	for c := range t.cols {
		var at [4][]float64
		tolerance := 0.0
		for i := range t.rows {
			cell := &t.rows[i].cells[c]
			if cell.empty() || cell.spans {
				continue
			}
			l := cell.lines[0]
			x0, x1 := l[0].x0, l[len(l)-1].x1
			tolerance = max(tolerance, exact*l[0].size)
			at[0], at[1], at[2], at[3] = append(at[0], x0), append(at[1], x1), append(at[2], (x0+x1)/2), append(at[3], point(&l[len(l)-1]))
		}
		best := 0
		for _, edge := range at {
			best = max(best, most(edge, tolerance))
		}
		good, all = good+best, all+len(at[0])
	}
	return float64(good) >= alignedPart*float64(all)
}

// point is where the decimal point of a number stands, or would.
func point(p *piece) float64 {
	i := bytes.LastIndexAny(p.text, ".,")
	if i < 0 {
		i = len(p.text)
	}
	return p.x0 + (p.x1-p.x0)*float64(i)/float64(max(1, len(p.text)))
}

// most returns how many of the places lie within the tolerance of each other.
func most(at []float64, tolerance float64) (n int) {
	order.Up(at)
	for i, k := 0, 0; i < len(at); i++ {
		for at[i]-at[k] > 2*tolerance {
			k++
		}
		n = max(n, i-k+1)
	}
	return n
}
