package layout

import (
	"cmp"
	"slices"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// byLines parts the rows of t that hold many lines into one row for each base line, where the cells stand beside each other on them.
func (t *table) byLines() {
	var rows []tableRow
	for i := range t.rows {
		lines := t.rows[i].baseLines()
		beside, words, pieces := 0, 0, 0
		for k := range lines {
			filled := 0
			for c := range lines[k].cells {
				for _, l := range lines[k].cells[c].lines {
					filled++
					for _, p := range l {
						words, pieces = words+p.words, pieces+1
					}
				}
			}
			if filled > 1 {
				beside++
			}
		}
		if len(lines) < 3 || float64(beside) < 0.6*float64(len(lines)) || words > 4*pieces {
			rows = append(rows, t.rows[i])
			continue
		}
		rows = append(rows, t.continued(lines)...)
	}
	t.rows = rows
}

// baseLines parts a row into its base lines.
func (r *tableRow) baseLines() (out []tableRow) {
	type mark struct {
		y    float64
		col  int
		line []piece
	}
	var marks []mark
	for c := range r.cells {
		for _, l := range r.cells[c].lines {
			marks = append(marks, mark{l[0].y, c, l})
		}
	}
	order.By(marks, func(a, b mark) int { return cmp.Compare(a.y, b.y) })
	for _, m := range marks {
		n := len(out)
		if n == 0 || m.y-out[n-1].y0 >= sameCellLine*m.line[0].size || !out[n-1].cells[m.col].empty() {
			out = append(out, tableRow{cells: make([]cell, len(r.cells)), y0: m.y, y1: m.y})
			n++
		}
		c := &out[n-1].cells[m.col]
		c.lines, c.spans = [][]piece{m.line}, r.cells[m.col].spans
	}
	return out
}

// continued joins to a row the lines below it that go on with its cells: none begins the row anew, each stands below a line that was full,
// and the next word of it would not have found room there.
func (t *table) continued(rows []tableRow) []tableRow {
	right := make([]float64, t.cols)
	for i := range rows {
		for c := range rows[i].cells {
			for _, l := range rows[i].cells[c].lines {
				if !rows[i].cells[c].spans {
					right[c] = max(right[c], l[len(l)-1].x1)
				}
			}
		}
	}
	pitch := pitchOf(rows)
	var out []tableRow
	for i := range rows {
		n := len(out)
		if n == 0 || !goesOnIn(&out[n-1], &rows[i], right, pitch) {
			out = append(out, rows[i])
			continue
		}
		last := &out[n-1]
		for c := range last.cells {
			last.cells[c].lines = append(last.cells[c].lines, rows[i].cells[c].lines...)
		}
		last.y1 = rows[i].y1
	}
	return out
}

// pitchOf is the usual distance of rows.
func pitchOf(rows []tableRow) float64 {
	var gaps []float64
	for i := 1; i < len(rows); i++ {
		gaps = append(gaps, rows[i].y0-rows[i-1].y1)
	}
	if len(gaps) == 0 {
		return 0
	}
	order.Up(gaps)
	return gaps[len(gaps)/2]
}

// goesOnIn reports whether b is the next line of the cells of a.
func goesOnIn(a, b *tableRow, right []float64, pitch float64) bool {
	filled := 0
	for c := range b.cells {
		if b.cells[c].empty() {
			continue
		}
		filled++
		if a.cells[c].empty() {
			return false
		}
		above := a.cells[c].lines[len(a.cells[c].lines)-1]
		l, p := b.cells[c].lines[0], above[len(above)-1]
		if b.y0-p.y > 1.6*p.size || p.x1+firstWidth(&l[0]) <= right[c] && b.y0-a.y1 > 0.8*pitch {
			return false
		}
	}
	// A line that fills all cells is a row of its own, unless rows are further apart than lines.
	if filled > 0 && (b.cells[0].empty() || filled*2 <= len(b.cells)) {
		return true
	}
	return filled > 0 && b.y0-a.y1 < 0.8*pitch
}

// firstWidth is how much room a blank and the first word of p take.
func firstWidth(p *piece) float64 {
	n := 0
	for n < len(p.text) && p.text[n] != ' ' {
		n++
	}
	return (p.x1-p.x0)*float64(n)/float64(max(1, len(p.text))) + 0.25*p.size
}

// tidy drops rows and columns without text.
func (t *table) tidy() {
	t.rows = slices.DeleteFunc(t.rows, func(r tableRow) bool {
		return !slices.ContainsFunc(r.cells, func(c cell) bool { return !c.empty() })
	})
	used := make([]bool, t.cols)
	for i := range t.rows {
		for c := range t.rows[i].cells {
			used[c] = used[c] || !t.rows[i].cells[c].empty()
		}
	}
	for i := range t.rows {
		kept := t.rows[i].cells[:0]
		for c := range used {
			if used[c] {
				kept = append(kept, t.rows[i].cells[c])
			}
		}
		t.rows[i].cells = kept
	}
	t.cols = 0
	for _, u := range used {
		if u {
			t.cols++
		}
	}
}

// Of a table.
const (
	leastFilled = 0.25 // of the cells hold text
	leastBeside = 0.5  // of the rows have more than one cell with text
)

// sound reports whether rows and columns came out as those of a table, and not as those of a form.
func (t *table) sound() bool {
	if t.cols < 2 || len(t.rows) < 2 {
		return false
	}
	filled, beside, labels := 0, 0, 0
	for i := range t.rows {
		n := 0
		for c := range t.rows[i].cells {
			cell := &t.rows[i].cells[c]
			if cell.empty() {
				continue
			}
			n++
			if cell.label() {
				labels++
			}
		}
		if filled += n; n > 1 {
			beside++
		}
	}
	return float64(filled) >= leastFilled*float64(len(t.rows)*t.cols) && float64(beside) >= leastBeside*float64(len(t.rows)) && labels*3 < filled
}

// label reports whether a cell names what stands behind it.
func (c *cell) label() bool {
	l := c.lines[len(c.lines)-1]
	text := l[len(l)-1].text
	return len(text) > 0 && text[len(text)-1] == ':'
}
