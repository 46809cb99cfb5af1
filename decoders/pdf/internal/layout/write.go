package layout

import "bytes"

// block is one line of what is read, or a table.
type block struct {
	line  []piece // from left to right
	grid  *table
	apart bool // begins a part of the page: a column, what follows columns
}

// rows takes rows as they stand, one below the other, with the tables among them.
func (f *flow) rows(rows []row, found []gutter) {
	for i := range rows {
		f.blocks = append(f.blocks, block{line: rows[i].pieces, apart: i == 0})
	}
}

// table is what the cells of a table hold.
type table struct{}

func (f *flow) grids(rows []row) []row { return rows }

// writer writes the blocks of the flows.
type writer struct {
	out    []byte
	tables []Table
}

func (w *writer) flow(f *flow) {
	for i := range f.blocks {
		b := &f.blocks[i]
		w.line(b)
	}
}

func (w *writer) line(b *block) {
	start := len(w.out)
	rtl := false
	for i := range b.line {
		p := &b.line[i]
		if i > 0 {
			w.out = append(w.out, ' ')
		}
		rtl = rtl || p.rtl
		w.out = append(w.out, bytes.Trim(p.text, " ")...)
	}
	if rtl {
		line := logical([]rune(string(w.out[start:])))
		w.out = append(w.out[:start], string(line)...)
	}
	for len(w.out) > start && w.out[len(w.out)-1] == ' ' {
		w.out = w.out[:len(w.out)-1]
	}
	if len(w.out) > start {
		w.out = append(w.out, '\n')
	}
}

func (w *writer) result() Result { return Result{Text: string(w.out), Tables: w.tables} }
