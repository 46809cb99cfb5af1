package layout

// table is what the cells of a table hold.
type table struct{ x0, x1, y1 float64 }

func (f *flow) grids(rows []row) []row { return rows }

// rows takes rows as they stand, one below the other, with the tables among them.
func (f *flow) rows(rows []row, found []gutter) {
	for i := range rows {
		f.blocks = append(f.blocks, block{line: rows[i].pieces, apart: i == 0})
	}
}

func (w *writer) table(t *table) {}
