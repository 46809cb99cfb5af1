package table

import "bytes"

// Dialect is how a table is written.
type Dialect struct {
	Comma        byte // the delimiter
	Quotes       bool // cells may stand in quotes
	Columns      int  // that most rows have
	Header       bool // the first row names the columns
	DecimalComma bool // numbers are written 1,5
	Preface      int  // rows before the table: a title, a line that names the delimiter
}

// mostRows is how many rows of a sample are looked at.
const mostRows = 1000

// Detect finds how a table is written from its beginning; whole says that sample is all of it. likely is the delimiter that its media type
// stands for. ok is false for what is no table: one column, or rows of all lengths.
func Detect(sample []byte, whole bool, likely byte) (d Dialect, ok bool) {
	var best counted
	commas := [...]byte{likely, ',', ';', '\t', '|'}
	named, preface := separator(sample)
	if named != 0 {
		commas = [...]byte{named, named, named, named, named}
	}
	for i, c := range commas {
		if i > 0 && (c == likely || named != 0) {
			continue
		}
		n := count(sample, whole, Dialect{Comma: c, Quotes: true, Preface: preface})
		if n.broken { // then quotes mean nothing
			if m := count(sample, whole, Dialect{Comma: c, Preface: preface}); m.better(n) {
				n = m
			}
		}
		if n.better(best) {
			best = n
		}
	}
	if best.columns < 2 || best.full*10 < best.rows*6 {
		return Dialect{}, false
	}
	d = Dialect{Comma: best.comma, Quotes: best.quotes, Columns: best.columns, Preface: preface}
	d.look(sample, whole)
	return d, true
}

// separator reads a first line that names the delimiter, as spreadsheets write and read it: "sep=;".
func separator(b []byte) (comma byte, rows int) {
	line := b
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		line = b[:i]
	}
	line = bytes.Trim(line, `"`)
	if len(line) == 5 && bytes.EqualFold(line[:4], []byte("sep=")) && line[4] < 0x80 && line[4] != '"' {
		return line[4], 1
	}
	return 0, 0
}

// counted is what a sample looks like in one dialect.
type counted struct {
	comma   byte
	quotes  bool
	rows    int // that are not empty
	columns int // that most of them have
	full    int // rows with so many
	broken  bool
}

// better reports whether a is the more likely dialect.
func (a counted) better(b counted) bool {
	switch {
	case a.columns < 2 || b.columns < 2:
		return a.columns > b.columns
	case a.broken != b.broken:
		return b.broken
	case a.full*b.rows != b.full*a.rows: // the larger part of its rows is alike
		return a.full*b.rows > b.full*a.rows
	}
	return a.columns > b.columns
}

// count reads a sample in one dialect.
func count(sample []byte, whole bool, d Dialect) counted {
	c := counted{comma: d.Comma, quotes: d.Quotes}
	var lengths [maxCounted + 1]int
	strange := false
	open := each(sample, whole, d, func(s *Scanner, n int) bool {
		if n < d.Preface || s.Blank() || s.Comment() && s.Cells() == 1 {
			return true
		}
		c.rows++
		lengths[min(s.Cells(), maxCounted)]++
		if s.Breaks() > manyBreaks {
			strange = true
		}
		return c.rows < mostRows
	})
	for n := 2; n <= maxCounted; n++ {
		if lengths[n] > 0 && lengths[n] >= c.full {
			c.columns, c.full = n, lengths[n]
		}
	}
	if c.columns == 0 && c.rows > 0 {
		c.columns, c.full = 1, lengths[1]
	}
	c.broken = d.Quotes && (open || strange)
	return c
}

// manyBreaks is how many lines no cell has: its quote is one that nobody closed.
const manyBreaks = 200

// maxCounted is how many columns are told apart in a sample.
const maxCounted = 1024

// each gives the rows of a sample, by number from 0; the last one only of a sample that is whole. It reports whether the sample ends in a
// quote that is not closed.
func each(sample []byte, whole bool, d Dialect, row func(s *Scanner, n int) bool) (open bool) {
	s := NewScanner(d)
	at := 0
	for len(sample) > 0 {
		n, done := s.Row(sample)
		sample = sample[n:]
		if done {
			if !row(s, at) {
				return false
			}
			at++
		}
	}
	last, open := s.Finish()
	if last && (whole || at == 0) {
		row(s, at)
	}
	return open && (whole || s.Breaks() > manyBreaks)
}

// look finds what a dialect says beyond its delimiter: where the table begins, whether it has a header, how it writes numbers.
func (d *Dialect) look(sample []byte, whole bool) {
	var h header
	commas, points := 0, 0
	begun := false
	preface := d.Preface
	each(sample, whole, *d, func(s *Scanner, n int) bool {
		switch {
		case n < preface:
			return true
		case s.Blank(), s.Comment() && s.Cells() != d.Columns, !begun && s.Cells() == 1:
			if !begun {
				d.Preface = n + 1
			}
			return true
		}
		begun = true
		for i := range s.Cells() {
			switch cell := s.Cell(i); decimal(cell) {
			case ',':
				commas++
			case '.':
				points++
			}
		}
		h.row(s)
		return h.rows < mostRows
	})
	d.DecimalComma = d.Comma != ',' && commas > points
	d.Header = h.named()
}

// decimal is the mark of a number with a fraction, 0 for all else.
func decimal(cell []byte) (mark byte) {
	cell = bytes.TrimLeft(bytes.TrimSpace(cell), "+-")
	for i, c := range cell {
		switch {
		case '0' <= c && c <= '9':
		case (c == ',' || c == '.') && mark == 0 && i > 0 && i < len(cell)-1:
			mark = c
		default:
			return 0
		}
	}
	return mark
}
