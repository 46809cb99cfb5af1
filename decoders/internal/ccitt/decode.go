package ccitt

// Params are what the data do not say themselves (ISO 32000-1, table 11). TIFF's modified Huffman coding (TIFF 6.0, section 10) is Group 3 in
// one dimension, aligned to bytes.
type Params struct {
	K          int // below 0: Group 4; 0: Group 3 in one dimension; above: in two
	Columns    int // pixels of a row; 1 at least
	ByteAlign  bool
	EndOfBlock bool // an end-of-block code ends the data, not the number of rows alone
}

// Decode decodes up to most rows. Each takes (Columns+7)/8 bytes, the first pixel in the highest bit, and black is 1. Damage costs the rows
// that it makes unreadable: those up to the next end of a line, and without such codes all that follow. damaged tells of it; rows that are
// missing at the end are not in the answer.
func Decode(src []byte, p Params, most int) (rows []byte, damaged bool) {
	if p.Columns < 1 {
		return nil, true
	}
	d := decoder{Params: p, in: bitReader{src: src}, line: make([]byte, (p.Columns+7)/8)}
	d.white, d.black = tables()
	for n := 0; n < most && d.next(); n++ {
		rows = append(rows, d.line...)
	}
	return rows, d.damaged
}

// decoder decodes row by row. A row is held as its changes: where pixels begin that differ from the one before, the first black.
type decoder struct {
	Params
	in           bitReader
	white, black runTable
	above, row   []int
	line         []byte // the row as bits
	damaged      bool
	lost         bool // nothing can be found any more
}

// next decodes a row and reports whether there was one.
func (d *decoder) next() bool {
	if d.lost || d.in.left() <= 0 {
		return false
	}
	flat, more := d.begin()
	if !more {
		return false
	}
	d.row = d.row[:0]
	ok := false
	if flat {
		ok = d.flat()
	} else {
		ok = d.folded()
	}
	if !ok {
		d.damaged = true
		d.lost = d.K < 0 || !d.in.resync()
		if d.lost && len(d.row) == 0 { // not even a part of it
			return false
		}
	}
	d.paint(ok)
	d.above, d.row = d.row, d.above
	return true
}

// begin moves to the first code of a row; flat says that it is coded in one dimension. more is false at the end of the data.
func (d *decoder) begin() (flat, more bool) {
	if v := d.in.peek(2 * eolBits); d.ByteAlign && v != twoEnds && v != twoTagged { // the end of the block need not be aligned
		d.in.align()
	}
	ends := 0
	for d.in.eol() {
		if ends++; d.K > 0 {
			if d.in.peek(1+eolBits)&(1<<eolBits-1) != 1 { // behind the tag there is no further end
				break
			}
			d.in.skip(1)
		}
	}
	left := d.in.left()
	if ends > 1 && d.EndOfBlock || ends > 0 && d.K < 0 || left <= 0 || left < 8 && d.in.peek(8) == 0 {
		return false, false
	}
	switch {
	case d.K == 0:
		return true, true
	case d.K < 0:
		return false, true
	}
	tag := d.in.peek(1)
	d.in.skip(1)
	return tag == 1, true
}

// Two ends of lines in sequence, which no row holds; the second with a tag between them.
const (
	twoEnds   = 1<<eolBits | 1
	twoTagged = 1<<eolBits | 1<<(eolBits-1)
)

// flat decodes a row in one dimension (T.4, 4.1).
func (d *decoder) flat() bool {
	at, black := 0, false
	for at < d.Columns {
		n, ok := d.run(black)
		if !ok {
			return false
		}
		at += n
		if !d.change(at) {
			return false
		}
		black = !black
	}
	return at == d.Columns
}

// run decodes a run: any number of codes of 64 and more, then one below.
func (d *decoder) run(black bool) (pixels int, ok bool) {
	table := d.white
	if black {
		table = d.black
	}
	for {
		r := table[d.in.peek(codeBits)]
		if r.bits == 0 || pixels > d.Columns || d.in.left() <= 0 {
			return 0, false
		}
		d.in.skip(int(r.bits))
		pixels += int(r.pixels)
		if r.pixels < 64 {
			return pixels, true
		}
	}
}

// change notes that the colour changes at a column. It reports whether the row can have so many changes: codes of no pixels have no end.
func (d *decoder) change(at int) bool {
	d.row = append(d.row, min(at, d.Columns))
	return len(d.row) <= d.Columns+8
}

// folded decodes a row in two dimensions (T.6, 2.2): in terms of the changes of the row above.
func (d *decoder) folded() bool {
	a0, black := -1, false
	i := 0 // in above
	for a0 < d.Columns {
		// b1 is the first change above, right of a0, to the colour that is not the present one.
		for i > 0 && d.aboveAt(i-1) > a0 {
			i--
		}
		for d.aboveAt(i) <= a0 && d.aboveAt(i) < d.Columns || black != (i&1 == 1) {
			i++
		}
		b1 := d.aboveAt(i)
		by, mode := d.mode()
		switch mode {
		case pass:
			a0 = d.aboveAt(i + 1)
		case horizontal:
			first, ok := d.run(black)
			if !ok {
				return false
			}
			second, ok := d.run(!black)
			if !ok || max(a0, 0)+first+second > d.Columns {
				return false
			}
			a1 := max(a0, 0) + first
			a0 = a1 + second
			if d.change(a1); !d.change(a0) {
				return false
			}
		case vertical:
			at := b1 + by
			if at < max(a0, 0) || at > d.Columns || !d.change(at) {
				return false
			}
			a0, black = at, !black
		default:
			return false
		}
	}
	return true
}

// aboveAt returns change i of the row above; behind its last one all are the end of the row.
func (d *decoder) aboveAt(i int) int {
	if i < len(d.above) {
		return d.above[i]
	}
	return d.Columns
}

// mode is what a code of two dimensions says (T.6, table 1).
type mode uint8

const (
	invalid mode = iota // also what begins an extension: nobody writes those
	pass
	horizontal
	vertical
)

// mode decodes the next code; by is how far the change stands right of the one above.
func (d *decoder) mode() (by int, m mode) {
	if d.in.left() <= 0 {
		return 0, invalid
	}
	v := d.in.peek(7)
	skip := func(n int) { d.in.skip(n) }
	switch {
	case v>>6 == 1:
		skip(1)
		return 0, vertical
	case v>>4 == 3, v>>4 == 2:
		skip(3)
		return (v>>4&1)*2 - 1, vertical
	case v>>4 == 1:
		skip(3)
		return 0, horizontal
	case v>>3 == 1:
		skip(4)
		return 0, pass
	case v>>1 == 3, v>>1 == 2:
		skip(6)
		return (v>>1&1)*4 - 2, vertical
	case v == 3, v == 2:
		skip(7)
		return (v&1)*6 - 3, vertical
	}
	return 0, invalid
}

// paint draws the row's black runs into line. Of a row that breaks off the last run has no end and is left out.
func (d *decoder) paint(whole bool) {
	clear(d.line)
	for i := 0; i < len(d.row); i += 2 {
		to := d.Columns
		if i+1 < len(d.row) {
			to = d.row[i+1]
		} else if !whole {
			break
		}
		fill(d.line, d.row[i], to)
	}
}

// fill sets the bits from a up to b.
func fill(line []byte, a, b int) {
	if a >= b {
		return
	}
	first, last := a>>3, (b-1)>>3
	left, right := byte(0xff)>>(a&7), byte(0xff)<<(7-(b-1)&7)
	if first == last {
		line[first] |= left & right
		return
	}
	line[first] |= left
	for i := first + 1; i < last; i++ {
		line[i] = 0xff
	}
	line[last] |= right
}
