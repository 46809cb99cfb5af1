package text

import (
	"io"
	"strconv"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/table"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// sampleBytes is how much of a table is looked at to find how it is written.
const sampleBytes = 64 << 10

// Rows come in structured parts of about so many bytes, the first one of fewer, so that the head of a table has one.
const (
	runBytes      = 4 << 10
	firstRunBytes = 1 << 10
	runRows       = 200
)

// commaTables and tabTables show tables that are written as text; what their media types say of the delimiter is only what is tried first.
var (
	commaTables = renderer{render: func(p *page) error { return renderTable(p, ',') }}
	tabTables   = renderer{render: func(p *page) error { return renderTable(p, '\t') }}
)

// renderTable shows a table as its lines stand, and behind each run of rows these as a structured part. What is no table after all is shown
// as it stands and has none.
func renderTable(p *page, likely byte) error {
	src, err := p.source()
	if err != nil {
		return err
	}
	p.lines.capped()
	sample, whole, err := head(src)
	if err != nil {
		return err
	}
	d, ok := table.Detect(sample, whole, likely)
	if !ok {
		return errPlain
	}
	t := tableRun{p: p, s: table.NewScanner(d), d: d, most: firstRunBytes}
	for piece := sample; ; {
		if err := t.feed(piece); err != nil {
			return t.close(err)
		}
		if piece, err = src.next(); err != nil {
			break
		}
	}
	if err != io.EOF {
		return err
	}
	return t.close(t.finish())
}

// head reads the beginning of a text.
func head(src *source) (sample []byte, whole bool, err error) {
	for len(sample) < sampleBytes {
		piece, err := src.next()
		if err == io.EOF {
			return sample, true, nil
		}
		if err != nil {
			return nil, false, err
		}
		sample = append(sample, piece...)
	}
	return sample, false, nil
}

// tableRun collects the rows of a run while the lines go by. Where runs end follows from the file alone, whatever was asked for.
type tableRun struct {
	p *page
	s *table.Scanner
	d table.Dialect

	most, size, count int // bytes and rows of the run

	cells  []byte // of its rows that are asked for, one behind the other
	ends   []int
	widths []int // of these rows, in cells
	header bool  // the first of them names the columns

	seen, rows, ragged, comments, breaks int64

	broken int64 // the line from which on nothing is to be relied on
}

// feed writes a piece of the text, and the runs that end in it.
func (t *tableRun) feed(piece []byte) error {
	written := 0
	for at := 0; at < len(piece); {
		n, done := t.s.Row(piece[at:])
		at += n
		if !done {
			break
		}
		t.row()
		if t.size < t.most && t.count < runRows {
			continue
		}
		err := t.p.write(piece[written:at])
		written = at
		if err == nil || err == errEnough {
			if e := t.end(); e != nil {
				return e
			}
		}
		if err != nil {
			return err
		}
	}
	return t.p.write(piece[written:])
}

// row takes the row that the scanner has finished.
func (t *tableRun) row() {
	s := t.s
	t.seen++
	if s.Over() && t.broken == 0 {
		t.broken = s.Line()
	}
	switch {
	case t.broken > 0, t.seen <= int64(t.d.Preface), s.Blank():
		return
	case s.Comment() && s.Cells() != t.d.Columns:
		t.comments++
		return
	}
	t.rows++
	t.breaks += s.Breaks()
	if s.Cells() != t.d.Columns {
		t.ragged++
	}
	t.count++
	t.size += s.Size() + 3*s.Cells() + 3 // quotes and commas
	if t.p.lines.full || len(t.p.req.Units) > 0 && !readapi.Selected(t.p.req.Units, s.Line()) {
		return
	}
	if t.rows == 1 {
		t.header = t.d.Header
	}
	t.widths = append(t.widths, s.Cells())
	if t.p.req.Words { // the cells leave as lines alone
		return
	}
	from := len(t.cells)
	for i := range s.Cells() {
		cell := s.Cell(i)
		t.cells = append(t.cells, cell...)
		t.ends = append(t.ends, from+len(cell))
		from += len(cell)
	}
}

// end finishes a run behind its last line.
func (t *tableRun) end() error {
	if err := t.p.lines.settle(); err != nil {
		return err
	}
	var err error
	switch {
	case len(t.widths) == 0 || !t.p.lines.wantedLast():
	case t.p.req.Words:
		err = t.p.table(nil)
	default:
		err = t.p.table(map[string]any{"table": map[string]any{"rows": t.list(), "header": t.header}})
	}
	t.cells, t.ends, t.widths = t.cells[:0], t.ends[:0], t.widths[:0]
	t.size, t.count, t.header, t.most = 0, 0, false, runBytes
	return err
}

// list is the rows of the run, every one as long.
func (t *tableRun) list() [][]string {
	columns := 0
	for _, n := range t.widths {
		columns = max(columns, n)
	}
	all := string(t.cells)
	rows := make([][]string, len(t.widths))
	k, from := 0, 0
	for i, n := range t.widths {
		rows[i] = make([]string, columns)
		for c := range n {
			rows[i][c] = all[from:t.ends[k]]
			from = t.ends[k]
			k++
		}
	}
	return rows
}

// finish ends the text, and with it the last run.
func (t *tableRun) finish() error {
	last, open := t.s.Finish()
	switch {
	case last && open:
		t.broken = max(t.broken, t.s.Line())
	case last:
		t.row()
	}
	if err := t.p.lines.finish(); err != nil {
		return err
	}
	return t.end()
}

// close notes what is known of the table; err is why it ends.
func (t *tableRun) close(err error) error {
	if err != nil && err != errEnough {
		return err
	}
	facts := map[string]any{
		"delimiter": string(rune(t.d.Comma)), "columns": t.d.Columns, "rows": t.rows, "header": t.d.Header, "quoted_newlines": t.breaks,
	}
	if err == errEnough {
		facts["rows_at_least"] = true
	}
	if t.ragged > 0 {
		facts["ragged_rows"] = t.ragged
	}
	if t.comments > 0 {
		facts["comments"] = t.comments
	}
	if t.d.DecimalComma {
		facts["decimal_comma"] = true
	}
	t.p.meta(facts)
	if t.broken > 0 {
		detail := "a cell that begins at line " + strconv.FormatInt(t.broken, 10) + " does not end: rows from there on are in the text alone"
		if e := t.p.w.Warn(readapi.WarnPartial, detail, 0); e != nil {
			return e
		}
	}
	return err
}
