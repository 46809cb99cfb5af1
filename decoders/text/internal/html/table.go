package html

import (
	"strconv"
	"strings"
)

// mode is how a table is written.
type mode byte

const (
	undecided mode = iota // its rows wait until it is clear what it is
	asData                // a line for each row, and a structured part
	laidOut               // it only puts things in their places: each cell is a block
)

// tableState is a table in the making.
type tableState struct {
	outer *tableState
	flow  *flow // where it stands
	mode  mode
	hint  bool // it says that it is one: by a head, a caption or a border

	rows   []tableRow // that wait
	size   int        // of the rows, about
	row    tableRow
	open   bool  // a row is open
	spans  []int // how many more rows a cell above takes, by column
	cell   flow
	inCell bool
	head   bool // the cell is one of a head
	across int
	down   int

	written int // rows
	run     [][]string
	header  bool // the first row of the run names the columns
	bytes   int  // of the run
}

// tableRow is a row: its cells, and whether all of them name columns.
type tableRow struct {
	cells []string
	heads int
}

// Bounds of a table: how much waits until it is decided what it is, and how far a cell may span (browsers: 1,000 columns, 65,534 rows).
const (
	waitBytes = 64 << 10
	waitRows  = 400
	maxSpan   = 100
	maxDown   = 1000
	maxCells  = 1000 // of a row
	runRows   = 200
)

func (l *layout) startTable() error {
	if l.drops > 0 || l.capture != nil {
		return nil
	}
	t := &tableState{outer: l.table}
	if l.table != nil {
		l.layOut(l.table)
		if l.table.mode == asData {
			t.mode = laidOut
		}
	}
	t.flow = l.cur
	role := string(l.z.Attr("role"))
	if role == "presentation" || role == "none" {
		t.mode = laidOut
	}
	if b := l.z.Attr("border"); b != nil && string(b) != "0" {
		t.hint = true
	}
	l.table = t
	l.cur.gap(1)
	return nil
}

// hasTable reports whether the part of a table at hand belongs to one that is shown.
func (l *layout) hasTable() bool { return l.table != nil && l.drops == 0 && l.capture == nil }

// inData reports whether what comes belongs into a cell of data, which is part of a line.
func (l *layout) inData() bool { return l.table != nil && l.table.mode == asData && l.table.inCell }

func (l *layout) startRow() error {
	if !l.hasTable() {
		return nil
	}
	if l.table.open { // of cells that no row was opened for
		if err := l.endRow(); err != nil {
			return err
		}
	}
	l.table.row, l.table.open = tableRow{}, true
	return nil
}

func (l *layout) startCell() error {
	if !l.hasTable() || l.table.mode == laidOut {
		l.cur.gap(1)
		return nil
	}
	t := l.table
	t.open = true
	t.fillSpans()
	t.inCell, t.head = true, string(l.z.Name()) == "th"
	t.across, t.down = span(l.z.Attr("colspan"), maxSpan), span(l.z.Attr("rowspan"), maxDown)
	t.cell = flow{buf: t.cell.buf[:0]}
	l.cur = &t.cell
	return nil
}

// span reads how many columns or rows a cell takes.
func span(v []byte, most int) int {
	n, err := strconv.Atoi(strings.TrimSpace(string(v)))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

// fillSpans adds the cells that belong to the rows above.
func (t *tableState) fillSpans() {
	for len(t.row.cells) < len(t.spans) && t.spans[len(t.row.cells)] > 0 {
		t.spans[len(t.row.cells)]--
		t.row.cells = append(t.row.cells, "")
	}
}

func (l *layout) endCell() error {
	t := l.table
	if t == nil || t.mode == laidOut || !t.inCell {
		if l.drops == 0 && l.capture == nil {
			l.cur.gap(1)
		}
		return nil
	}
	t.inCell = false
	l.cur = t.flow
	text := strings.TrimRight(string(t.cell.buf), "\n ")
	if t.head {
		t.row.heads++
	}
	for k := range t.across {
		if len(t.row.cells) >= maxCells {
			break
		}
		for len(t.spans) <= len(t.row.cells) {
			t.spans = append(t.spans, 0)
		}
		t.spans[len(t.row.cells)] = t.down - 1
		if k > 0 {
			text = ""
			if t.head {
				t.row.heads++
			}
		}
		t.row.cells = append(t.row.cells, text)
	}
	return nil
}

// endRow finishes a row, if there is one.
func (l *layout) endRow() error {
	t := l.table
	if t == nil || !t.open {
		if l.drops == 0 && l.capture == nil {
			l.cur.gap(1)
		}
		return nil
	}
	t.open = false
	t.fillSpans()
	row := t.row
	t.row = tableRow{}
	switch {
	case t.mode == laidOut:
		l.cur.gap(1)
		return nil
	case len(row.cells) == 0:
		return nil
	case t.mode == asData:
		return l.writeRow(t, row)
	}
	t.rows = append(t.rows, row)
	for _, c := range row.cells {
		t.size += len(c) + 16
	}
	if t.size > waitBytes || len(t.rows) > waitRows {
		return l.decide(t)
	}
	return nil
}

func (l *layout) endTable() error {
	t := l.table
	if t == nil || l.drops > 0 || l.capture != nil {
		return nil
	}
	if err := l.endRow(); err != nil {
		return err
	}
	if t.mode == undecided {
		if err := l.decide(t); err != nil {
			return err
		}
	}
	l.table, l.cur = t.outer, t.flow
	if t.mode == asData {
		if err := l.flushRun(t); err != nil {
			return err
		}
		l.cur.gap(2)
	} else {
		l.cur.gap(1)
	}
	return l.flushLinks(false)
}

// decide says what a table is by the rows that wait, and writes them.
func (l *layout) decide(t *tableState) error {
	if t.flow != &l.main || !t.isData() {
		l.layOut(t)
		return l.flushFull()
	}
	t.mode = asData
	t.flow.gap(2)
	rows := t.rows
	t.rows, t.size = nil, 0
	for _, r := range rows {
		if err := l.writeRow(t, r); err != nil {
			return err
		}
	}
	return nil
}

// isData reports whether a table holds data: rows and columns, and in the cells words rather than pages.
func (t *tableState) isData() bool {
	columns, filled, pairs, long, heads := 0, 0, 0, 0, 0
	for _, r := range t.rows {
		n := 0
		for _, c := range r.cells {
			if c != "" {
				n++
			}
			if len(c) > 1000 || strings.Contains(c, "\n\n") {
				long++
			}
		}
		columns = max(columns, len(r.cells))
		filled += n
		heads += r.heads
		if n > 1 {
			pairs++
		}
	}
	switch {
	case columns < 2, filled == 0:
		return false
	case heads > 0, t.hint:
		return long*4 <= filled
	}
	return len(t.rows) > 1 && pairs*2 >= len(t.rows) && long*10 <= filled
}

// layOut writes what waits of a table as blocks, and all that follows in it too.
func (l *layout) layOut(t *tableState) {
	if t.mode != undecided {
		return
	}
	t.mode = laidOut
	for _, r := range append(t.rows, t.row) {
		for _, c := range r.cells {
			if c != "" {
				t.flow.gap(1)
				t.flow.verbatim([]byte(c))
				t.flow.gap(1)
			}
		}
	}
	t.rows, t.row, t.size = nil, tableRow{}, 0
	if !t.inCell {
		return
	}
	t.inCell = false
	l.cur = t.flow
	if t.cell.began {
		t.flow.gap(1)
		t.flow.verbatim(t.cell.buf)
		t.flow.gap(t.cell.due)
	}
	for i := len(l.stack) - 1; i >= 0 && l.stack[i].kind != table; i-- { // what is open in the cell goes on in the flow around it
		l.stack[i].left = t.flow.left()
	}
}

// writeRow writes a row of data as a line.
func (l *layout) writeRow(t *tableState, r tableRow) error {
	if t.written == 0 {
		t.header = r.heads == len(r.cells)
	}
	t.written++
	f := t.flow
	f.gap(1)
	n := len(r.cells)
	for n > 0 && r.cells[n-1] == "" {
		n--
	}
	for i, c := range r.cells[:n] {
		f.open()
		if i > 0 {
			f.buf = append(f.buf, " | "...)
		}
		f.buf = appendLine(f.buf, c)
	}
	if n == 0 {
		f.open()
		f.buf = append(f.buf, '|')
	}
	f.end()
	for _, c := range r.cells {
		t.bytes += len(c) + 3
	}
	t.run = append(t.run, r.cells)
	if t.bytes >= pieceBytes || len(t.run) >= runRows {
		if err := l.flushRun(t); err != nil {
			return err
		}
	}
	return l.flushFull()
}

// appendLine adds a cell as part of a line.
func appendLine(dst []byte, cell string) []byte {
	gap := false
	for i := range len(cell) {
		c := cell[i]
		if c == '\n' {
			gap = true
			continue
		}
		if gap {
			dst = append(dst, ' ')
			gap = false
		}
		dst = append(dst, c)
	}
	return dst
}

// flushRun hands on the rows that were written since it last did.
func (l *layout) flushRun(t *tableState) error {
	if len(t.run) == 0 {
		return nil
	}
	columns := 0
	for _, r := range t.run {
		columns = max(columns, len(r))
	}
	for i, r := range t.run {
		for len(r) < columns {
			r = append(r, "")
		}
		t.run[i] = r
	}
	value := map[string]any{"table": map[string]any{"rows": t.run, "header": t.header}}
	t.run, t.bytes, t.header = nil, 0, false
	return l.data(l.out.Table, value)
}
