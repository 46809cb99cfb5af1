package layout

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// table is pieces in rows and columns.
type table struct {
	x0, y0, x1, y1 float64
	cols           int
	rows           []tableRow
	header         bool
	size           float64 // of its text
	at             int32   // its first span
}

// tableRow is the cells of a row, and where it stands.
type tableRow struct {
	cells  []cell
	y0, y1 float64 // its first and last base line
}

// cell is the lines of a cell.
type cell struct {
	lines [][]piece
	spans bool // into the next columns
}

func (c *cell) empty() bool { return len(c.lines) == 0 }

// add puts a piece into the cell: pieces come from top to bottom, and on one base line from left to right.
func (c *cell) add(p piece) {
	if n := len(c.lines); n > 0 {
		last := c.lines[n-1]
		if q := &last[len(last)-1]; p.y-q.y < sameCellLine*max(p.size, q.size) && p.x0 >= q.x0 {
			c.lines[n-1] = append(last, p)
			return
		}
	}
	c.lines = append(c.lines, []piece{p})
}

// sameCellLine is how far base lines in a cell may differ, in parts of the size.
const sameCellLine = 0.3

// text returns what a cell holds, its lines joined.
func (c *cell) text() string {
	var out []byte
	for _, l := range c.lines {
		if len(out) > 0 {
			out = append(out, ' ')
		}
		out = appendLine(out, l, false)
	}
	return string(bytes.TrimRight(out, " "))
}

// Of how a table is written.
const (
	columnGap  = 2  // blanks between columns
	maxPadding = 60 // a column is not padded to more
)

// table writes t as aligned text, and keeps its rows.
func (w *writer) table(t *table) {
	from := len(w.out)
	text := make([][][][]byte, len(t.rows)) // by row, column, line
	widths := make([]int, t.cols)
	rtl := 0
	for r := range t.rows {
		text[r] = make([][][]byte, t.cols)
		for c := range t.rows[r].cells {
			cell := &t.rows[r].cells[c]
			for _, l := range cell.lines {
				b := appendLine(nil, l, false)
				text[r][c] = append(text[r][c], b)
				if !cell.spans {
					widths[c] = min(maxPadding, max(widths[c], width(b)))
				}
				if l[0].rtl {
					rtl++
				} else if l[0].words > 1 || l[0].x1-l[0].x0 > l[0].size {
					rtl--
				}
			}
		}
	}
	for r := range text {
		w.tableRow(text[r], widths)
	}
	w.tables = append(w.tables, Table{Rows: t.texts(rtl > 0), Header: t.header, From: from, To: len(w.out)})
}

// tableRow writes the lines of one row.
func (w *writer) tableRow(cells [][][]byte, widths []int) {
	for n, more := 0, true; more; n++ {
		more = false
		start, at, want := len(w.out), 0, 0
		for c := range cells {
			if n < len(cells[c]) && len(cells[c][n]) > 0 {
				pad := want - at
				if at > 0 {
					pad = max(pad, columnGap)
				}
				w.out = blanks(w.out, pad)
				w.out = append(w.out, cells[c][n]...)
				at += pad + width(cells[c][n])
			}
			more = more || n+1 < len(cells[c])
			want += widths[c] + columnGap
		}
		if len(w.out) > start {
			w.out = append(w.out, '\n')
		}
	}
}

// texts returns the cells as text; the columns of a table that is written from right to left are in the order in which they are read.
func (t *table) texts(rtl bool) [][]string {
	rows := make([][]string, len(t.rows))
	for r := range t.rows {
		rows[r] = make([]string, t.cols)
		for c := range t.rows[r].cells {
			to := c
			if rtl {
				to = t.cols - 1 - c
			}
			rows[r][to] = t.rows[r].cells[c].text()
		}
	}
	return rows
}

// width is how many columns of a terminal text takes: two for characters of East Asia.
func width(b []byte) (n int) {
	for _, r := range string(b) {
		n++
		if r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 || r >= 0xf900 && r <= 0xfaff ||
			r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0xffe0 && r <= 0xffe6 || r >= 0x1f300 && r <= 0x1f64f || r >= 0x20000 && r <= 0x3fffd) {
			n++
		}
	}
	return n
}

// named reports whether the first row names the columns: it alone is bold, or a line is drawn below it and not below each row, or it has
// no figures where the rows below have them.
func (t *table) named(r *rules) bool {
	if len(t.rows) < 2 {
		return false
	}
	first := &t.rows[0]
	if first.bold() && !t.rows[1].bold() {
		return true
	}
	if t.ruled(r, 0) && !(len(t.rows) > 2 && t.ruled(r, 1)) {
		return true
	}
	figures := 0
	for c := range first.cells {
		if first.cells[c].figures() {
			return false
		}
		below := 0
		for k := 1; k < len(t.rows); k++ {
			if t.rows[k].cells[c].figures() {
				below++
			}
		}
		if below*2 > len(t.rows)-1 && !first.cells[c].empty() {
			figures++
		}
	}
	return figures > 0
}

// ruled reports whether a line is drawn between row i and the next.
func (t *table) ruled(r *rules, i int) bool {
	return i+1 < len(t.rows) && r.under(t.x0, t.x1, t.rows[i].y1, t.rows[i+1].y0)
}

// bold reports whether all of a row is.
func (r *tableRow) bold() bool {
	any := false
	for i := range r.cells {
		for _, l := range r.cells[i].lines {
			for k := range l {
				if any = true; l[k].style&font.Bold == 0 {
					return false
				}
			}
		}
	}
	return any
}

// figures reports whether a cell holds a number.
func (c *cell) figures() bool {
	digits, others := 0, 0
	for _, l := range c.lines {
		for i := range l {
			for _, b := range l[i].text {
				switch {
				case b >= '0' && b <= '9':
					digits++
				case b > ' ' && !bytes.ContainsRune([]byte(".,-+%()$/:"), rune(b)):
					others++
				}
			}
		}
	}
	return digits > 0 && others <= digits/2
}
