package ccitt

import "strings"

// encoder writes fax data, row by row, in the plainest way that is right.
type encoder struct {
	Params
	out   []byte
	bits  int
	above []bool
	eols  bool // Group 3: an end of line before each row
	n     int
}

func (e *encoder) put(code string) {
	for _, c := range code {
		if e.bits&7 == 0 {
			e.out = append(e.out, 0)
		}
		if c == '1' {
			e.out[e.bits>>3] |= 0x80 >> (e.bits & 7)
		}
		e.bits++
	}
}

const eolCode = "000000000001"

func (e *encoder) run(n int, black bool) {
	list := whiteCodes
	if black {
		list = blackCodes
	}
	codes := strings.Fields(list + " " + commonCodes)
	for n >= 2560 {
		e.put(codes[63+40])
		n -= 2560
	}
	if n >= 64 {
		e.put(codes[63+n/64])
		n %= 64
	}
	e.put(codes[n])
}

// row writes one row of pixels, true for black.
func (e *encoder) row(px []bool) {
	if e.above == nil {
		e.above = make([]bool, len(px))
	}
	if e.ByteAlign {
		e.bits = (e.bits + 7) &^ 7
	}
	flat := e.K == 0 || e.K > 0 && e.n%e.K == 0
	if e.eols {
		e.put(eolCode)
	}
	if e.K > 0 {
		e.put(map[bool]string{true: "1", false: "0"}[flat])
	}
	if flat {
		e.flat(px)
	} else {
		e.folded(px)
	}
	e.above = px
	e.n++
}

// until returns the first place from i on that does not have the colour.
func until(px []bool, i int, color bool) int {
	for i < len(px) && px[i] == color {
		i++
	}
	return i
}

func (e *encoder) flat(px []bool) {
	for i, black := 0, false; i < len(px); black = !black {
		j := until(px, i, black)
		e.run(j-i, black)
		i = j
	}
}

func (e *encoder) folded(px []bool) {
	at := func(row []bool, i int) bool { return i >= 0 && i < len(row) && row[i] }
	change := func(row []bool, from int, color bool) int { // first changing element right of from, to what is not color
		for i := from + 1; i < len(row); i++ {
			if row[i] != color && at(row, i-1) == color {
				return i
			}
		}
		return len(row)
	}
	codes := map[int]string{0: "1", 1: "011", 2: "000011", 3: "0000011", -1: "010", -2: "000010", -3: "0000010"}
	for a0, black := -1, false; a0 < len(px); {
		a1 := until(px, max(a0, 0), black)
		b1 := change(e.above, a0, black)
		b2 := until(e.above, b1, !black)
		switch code, near := codes[a1-b1]; {
		case b2 < a1:
			e.put("0001")
			a0 = b2
		case near:
			e.put(code)
			a0, black = a1, !black
		default:
			e.put("001")
			a2 := until(px, a1, !black)
			e.run(a1-max(a0, 0), black)
			e.run(a2-a1, !black)
			a0 = a2
		}
	}
}

// end writes the end of the block.
func (e *encoder) end() []byte {
	n := 6
	if e.K < 0 {
		n = 2
	}
	for range n {
		e.put(eolCode)
		if e.K > 0 {
			e.put("1")
		}
	}
	return e.out
}
