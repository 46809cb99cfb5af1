package table

// Scanner takes text apart into rows, from text that comes in pieces.
type Scanner struct {
	comma byte
	quote bool
	stop  [256]bool // what ends a run of plain bytes of a cell

	state  state
	blanks int  // between a quote and what follows it
	cr     bool // the row ended in CR, and LF may follow
	over   bool // the row is larger than anyone's
	ended  bool // and the next one is to begin

	cells  []byte // of the row at hand, one behind the other
	ends   []int  // where they end
	quoted bool   // its first cell is in quotes
	breaks int64  // line ends inside of its cells

	lineCR bool // the byte before was a CR inside of quotes
	line   int64
	first  int64 // line of the row
}

type state byte

const (
	cellStart state = iota
	plain           // in a cell without quotes
	inQuotes
	quoteSeen  // behind a quote that may end the cell
	blanksSeen // and behind blanks that follow it
)

// Bounds of a row: a cell that is longer has a quote that nobody closed.
const (
	maxRowBytes = 256 << 10
	maxColumns  = 16 << 10 // those of a spreadsheet
)

// NewScanner returns a scanner of text that is written so.
func NewScanner(d Dialect) *Scanner {
	s := &Scanner{comma: d.Comma, quote: d.Quotes, line: 1, first: 1}
	s.stop[d.Comma], s.stop['\r'], s.stop['\n'] = true, true, true
	return s
}

// Cells is how many cells the row has that Row finished last.
func (s *Scanner) Cells() int { return len(s.ends) }

// Cell returns what a cell says, from 0. It is valid until the next call of Row.
func (s *Scanner) Cell(i int) []byte {
	from := 0
	if i > 0 {
		from = s.ends[i-1]
	}
	return s.cells[from:s.ends[i]:s.ends[i]]
}

// Size is how many bytes the cells of the row have in all.
func (s *Scanner) Size() int { return len(s.cells) }

// Blank reports whether the row is an empty line.
func (s *Scanner) Blank() bool { return len(s.ends) == 1 && len(s.cells) == 0 && !s.quoted }

// Comment reports whether the row begins with a number sign that is not in quotes.
func (s *Scanner) Comment() bool {
	return !s.quoted && len(s.ends) > 0 && s.ends[0] > 0 && s.cells[0] == '#'
}

// Line is the line on which the row begins, from 1.
func (s *Scanner) Line() int64 { return s.first }

// Breaks is how many line ends stand inside of the cells of the row.
func (s *Scanner) Breaks() int64 { return s.breaks }

// Over reports whether the row is too large to be one.
func (s *Scanner) Over() bool { return s.over }

// begin makes room for the next row.
func (s *Scanner) begin() {
	s.cells, s.ends = s.cells[:0], s.ends[:0]
	s.quoted, s.over, s.breaks = false, false, 0
	s.first = s.line
}

// Row reads on in b: n bytes belong to the row, and done says that it ends with them. The call behind that begins the next row.
func (s *Scanner) Row(b []byte) (n int, done bool) {
	if s.ended {
		s.ended = false
		s.begin()
	}
	if s.cr { // the piece before ended between CR and LF
		s.cr = false
		if len(b) > 0 && b[0] == '\n' {
			n = 1
		}
		return n, s.end()
	}
	for n < len(b) {
		c := b[n]
		switch s.state {
		case cellStart:
			if c == '"' && s.quote {
				s.state = inQuotes
				s.quoted = s.quoted || len(s.ends) == 0
				n++
				continue
			}
			s.state = plain
			fallthrough
		case plain:
			k := n
			for k < len(b) && !s.stop[b[k]] {
				k++
			}
			s.add(b[n:k])
			n = k
			if n == len(b) {
				return n, false
			}
			c = b[n]
		case inQuotes:
			n += s.quotedRun(b[n:])
			continue
		case quoteSeen, blanksSeen:
			if more := s.behindQuote(c); more {
				n++
				continue
			}
			if s.state == inQuotes {
				continue
			}
		}
		n++
		if c == s.comma {
			s.cell()
			continue
		}
		if c == '\r' {
			if n == len(b) {
				s.cr = true
				return n, false
			}
			if b[n] == '\n' {
				n++
			}
		}
		return n, s.end()
	}
	return n, false
}

// quotedRun takes what stands in quotes, up to the next one.
func (s *Scanner) quotedRun(b []byte) (n int) {
	for n < len(b) && b[n] != '"' {
		c := b[n]
		if c == '\r' || c == '\n' && !s.lineCR {
			s.line++
			s.breaks++
		}
		s.lineCR = c == '\r'
		n++
	}
	s.add(b[:n])
	if n < len(b) {
		n++
		s.lineCR = false
		s.state, s.blanks = quoteSeen, 0
	}
	return n
}

// behindQuote looks at c behind a quote: two quotes are one; blanks may follow the last one; a quote with something else behind it was none
// that ends the cell. more is false where c still has to be read.
func (s *Scanner) behindQuote(c byte) (more bool) {
	switch {
	case s.stop[c]:
		return false
	case c == '"' && s.state == quoteSeen:
		s.add([]byte{'"'})
		s.state = inQuotes
		return true
	case c == ' ' && s.blanks < maxBlanks:
		s.blanks++
		s.state = blanksSeen
		return true
	}
	s.add([]byte{'"'})
	for range s.blanks {
		s.add([]byte{' '})
	}
	s.state = inQuotes
	return false
}

// maxBlanks is how many blanks may stand between a quote and the end of its cell.
const maxBlanks = 64

// add adds to the cell at hand.
func (s *Scanner) add(b []byte) {
	if len(s.cells)+len(b) > maxRowBytes {
		s.over = true
		return
	}
	s.cells = append(s.cells, b...)
}

// cell finishes a cell.
func (s *Scanner) cell() {
	s.state = cellStart
	if len(s.ends) == maxColumns {
		s.over = true
		return
	}
	s.ends = append(s.ends, len(s.cells))
}

// end finishes the row.
func (s *Scanner) end() bool {
	s.cell()
	s.line++
	s.ended = true
	return true
}

// Finish ends the text. It reports whether there is a last row, which has no line end; open says that a quote in it is not closed.
func (s *Scanner) Finish() (last, open bool) {
	if s.ended {
		s.ended = false
		s.begin()
		return false, false
	}
	if s.cr {
		s.cr = false
		return s.end(), false
	}
	if len(s.ends) == 0 && len(s.cells) == 0 && s.state == cellStart {
		return false, false
	}
	open = s.state == inQuotes
	return s.end(), open
}
