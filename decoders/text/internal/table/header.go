package table

import (
	"bytes"
	"unicode/utf8"
)

// header weighs whether the first row of a table names its columns.
type header struct {
	rows    int
	names   [][]byte
	columns []column
}

// column is what the cells of a column are below the first row.
type column struct {
	filled, numbers int
	same            bool // one says what the first row says
	longest         int
}

// mostColumns is how many columns are weighed.
const mostColumns = 256

// row takes a row.
func (h *header) row(s *Scanner) {
	h.rows++
	if h.rows == 1 {
		for i := range min(s.Cells(), mostColumns) {
			h.names = append(h.names, bytes.Clone(bytes.TrimSpace(s.Cell(i))))
		}
		h.columns = make([]column, len(h.names))
		return
	}
	for i := range min(s.Cells(), len(h.columns)) {
		cell, c := bytes.TrimSpace(s.Cell(i)), &h.columns[i]
		if len(cell) == 0 {
			continue
		}
		c.filled++
		if number(cell) {
			c.numbers++
		}
		c.same = c.same || bytes.Equal(cell, h.names[i])
		c.longest = max(c.longest, len(cell))
	}
}

// named reports whether the first row names the columns: it has words where there are numbers below, or, where all are words, they look like
// names.
func (h *header) named() bool {
	if h.rows < 2 || len(h.names) == 0 {
		return false
	}
	filled, votes, names := 0, 0, 0
	for i, n := range h.names {
		c := &h.columns[i]
		if len(n) == 0 {
			continue
		}
		filled++
		if number(n) || c.same || len(n) > 100 {
			votes -= 2
			continue
		}
		if c.filled > 0 && c.numbers*10 >= c.filled*8 {
			votes++
		}
		if known(n) || identifier(n) {
			names++
		}
	}
	switch {
	case filled*2 < len(h.names) || votes < 0:
		return false
	case votes > 0:
		return true
	}
	return names*2 >= filled && names > 0
}

// number reports whether a cell is a number, an amount, a date or a time.
func number(cell []byte) bool {
	digits := 0
	for len(cell) > 0 {
		r, n := utf8.DecodeRune(cell)
		switch {
		case '0' <= r && r <= '9':
			digits++
		case r == '.', r == ',', r == '-', r == '+', r == ':', r == '/', r == '%', r == ' ', r == '\'', r == 'T', r == 'Z', r == 'e', r == 'E',
			r == '$', r == '€', r == '£', r == '¥', r == '(', r == ')', r == '\u00a0', r == '\u2212':
		default:
			return false
		}
		cell = cell[n:]
	}
	return digits > 0
}

// identifier reports whether a cell is written as programs write names: in small letters, with low lines.
func identifier(cell []byte) bool {
	for i, c := range cell {
		if (c < 'a' || c > 'z') && c != '_' && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return len(cell) > 0
}

// known reports whether a cell is one of the names that many tables have.
func known(cell []byte) bool {
	if len(cell) > 20 {
		return false
	}
	switch string(bytes.ToLower(bytes.TrimLeft(cell, "#"))) {
	case "id", "name", "first name", "last name", "surname", "title", "date", "time", "year", "month", "day", "type", "kind", "value", "amount", "price",
		"total", "quantity", "qty", "count", "number", "no", "no.", "nr", "code", "key", "status", "state", "city", "country", "region", "address",
		"street", "zip", "phone", "email", "e-mail", "url", "website", "company", "category", "description", "comment", "comments", "note", "notes",
		"text", "language", "currency", "unit", "product", "item", "user", "username", "author", "version", "age", "gender", "ort", "preis", "datum",
		"betrag", "menge", "nom", "prix", "ville", "pays", "nombre", "fecha", "precio":
		return true
	}
	return false
}
