package pdftest

import (
	"fmt"
	"slices"
	"strings"
)

// Grid says how a table is drawn.
type Grid struct {
	Cells  [][]string // a cell's lines are parted by "\n"; a cell that is spanned is ""
	Align  string     // of each column: l, r, c, or d for the decimal point
	Lines  string     // grid, cells (a frame for each), thin (filled strips), outer, books, rows, columns, fills, stripes or none
	Order  string     // in which cells are drawn: rows, columns or cells, which is neither
	Head   bool       // the first row is bold
	Span   int        // the first cell of the second column of the first row spans so many columns
	Gap    float64    // between columns, at least
	Font   string
	Size   float64
	Leader float64 // more than usual between rows
}

// Rows returns the cells as they are read.
func (g *Grid) Rows() [][]string {
	var out [][]string
	for _, r := range g.Cells {
		var row []string
		for _, c := range r {
			row = append(row, strings.ReplaceAll(c, "\n", " "))
		}
		out = append(out, row)
	}
	return out
}

// placed is a line of a cell and where it is drawn.
type placed struct {
	font, text string
	x, y       float64
	row, col   int
}

// Draw draws the table with its upper left corner at a place, and returns the height that it took.
func (g *Grid) Draw(s *Sheet, x, top float64) float64 {
	widths := g.widths()
	xs, ys := []float64{x}, []float64{top}
	for _, w := range widths {
		xs = append(xs, xs[len(xs)-1]+w+g.Gap)
	}
	lead := 1.2 * g.Size
	for _, r := range g.Cells {
		lines := 1
		for _, c := range r {
			lines = max(lines, strings.Count(c, "\n")+1)
		}
		ys = append(ys, ys[len(ys)-1]-float64(lines)*lead-g.Leader)
	}
	g.fills(s, xs, ys)
	for _, p := range g.order(g.place(xs, ys, widths)) {
		s.Text(p.font, g.Size, p.x, p.y, p.text)
	}
	g.lines(s, xs, ys)
	return top - ys[len(ys)-1]
}

func (g *Grid) font(row int) string {
	if g.Head && row == 0 {
		return Bold
	}
	if g.Font != "" {
		return g.Font
	}
	return Regular
}

// widths are those of the columns.
func (g *Grid) widths() []float64 {
	widths := make([]float64, len(g.Cells[0]))
	for r := range g.Cells {
		for c, cell := range g.Cells[r] {
			if r == 0 && g.Span > 1 && c == 1 {
				continue
			}
			for _, l := range strings.Split(cell, "\n") {
				widths[c] = max(widths[c], Width(g.font(r), g.Size, l))
			}
		}
	}
	return widths
}

// place places the lines of the cells.
func (g *Grid) place(xs, ys, widths []float64) (out []placed) {
	for r := range g.Cells {
		for c, cell := range g.Cells[r] {
			x, w := xs[c]+g.Gap/2, widths[c]
			align := g.Align[c]
			if r == 0 && g.Span > 1 && c == 1 {
				w, align = xs[c+g.Span]-xs[c]-g.Gap, 'c'
			}
			for i, l := range strings.Split(cell, "\n") {
				if l == "" {
					continue
				}
				font := g.font(r)
				at := x
				switch free := w - Width(font, g.Size, l); align {
				case 'r':
					at += free
				case 'c':
					at += free / 2
				case 'd':
					whole, _, _ := strings.Cut(l, ".")
					at += w*0.6 - Width(font, g.Size, whole)
				}
				out = append(out, placed{font, l, at, ys[r] - g.Size*(1.05+1.2*float64(i)) - g.Leader/2, r, c})
			}
		}
	}
	return out
}

// order is the order in which the lines are drawn.
func (g *Grid) order(all []placed) []placed {
	switch g.Order {
	case "columns":
		slices.SortStableFunc(all, func(a, b placed) int { return a.col - b.col })
	case "cells":
		key := func(p placed) int { return (p.row*31 + p.col*17) % 23 }
		slices.SortStableFunc(all, func(a, b placed) int { return key(a) - key(b) })
	}
	return all
}

func (g *Grid) fills(s *Sheet, xs, ys []float64) {
	for r := range g.Cells {
		switch {
		case g.Lines == "stripes" && r%2 == 1, g.Lines == "fills" && r == 0:
			s.Fill(0.85, xs[0], ys[r+1], xs[len(xs)-1]-xs[0], ys[r]-ys[r+1])
		case g.Lines == "fills":
			for c := range g.Cells[r] {
				s.Fill(0.95-0.05*float64(c%2), xs[c]+0.5, ys[r+1]+0.5, xs[c+1]-xs[c]-1, ys[r]-ys[r+1]-1)
			}
		}
	}
}

func (g *Grid) lines(s *Sheet, xs, ys []float64) {
	left, right, top, bottom := xs[0], xs[len(xs)-1], ys[0], ys[len(ys)-1]
	switch g.Lines {
	case "grid":
		for _, y := range ys {
			s.Line(left, y, right, y)
		}
		for c, x := range xs {
			if g.Span > 1 && c > 1 && c < 1+g.Span {
				s.Line(x, ys[1], x, bottom)
				continue
			}
			s.Line(x, top, x, bottom)
		}
	case "cells":
		for r := range g.Cells {
			for c := range g.Cells[r] {
				s.Raw(fmt.Sprintf("%.2f %.2f %.2f %.2f re S", xs[c], ys[r+1], xs[c+1]-xs[c], ys[r]-ys[r+1]))
			}
		}
	case "thin":
		for _, y := range ys {
			s.Fill(0, left, y-0.3, right-left, 0.6)
		}
		for _, x := range xs {
			s.Fill(0, x-0.3, bottom, 0.6, top-bottom)
		}
	case "outer", "columns":
		s.Raw(fmt.Sprintf("%.2f %.2f %.2f %.2f re S", left, bottom, right-left, top-bottom))
		s.Line(left, ys[1], right, ys[1])
		for _, x := range xs[1 : len(xs)-1] {
			if g.Lines == "columns" {
				s.Line(x, top, x, bottom)
			}
		}
	case "books":
		for _, y := range []float64{top, ys[1], bottom} {
			s.Line(left, y, right, y)
		}
		if g.Span > 1 {
			s.Line(left, ys[2], right, ys[2])
		}
	case "rows":
		for _, y := range ys {
			s.Line(left, y, right, y)
		}
	}
}

// Numbers are cells: a first column of names, the others of numbers with so many decimals, below a row of names.
func Numbers(seed, rows, cols, decimals int) (cells [][]string) {
	names := Words(seed, rows+cols)
	v := uint32(seed*9176 + 11)
	for r := range rows {
		var row []string
		for c := range cols {
			v = v*1664525 + 1013904223
			switch {
			case r == 0:
				row = append(row, strings.ToUpper(names[c][:1])+names[c][1:])
			case c == 0:
				row = append(row, names[cols+r])
			default:
				row = append(row, fmt.Sprintf("%.*f", decimals, float64(v>>12%100000)/[]float64{1, 10, 100, 1000}[c%4]))
			}
		}
		cells = append(cells, row)
	}
	return cells
}

// Names are cells of words: up to so many in each.
func Names(seed, rows, cols, most int) (cells [][]string) {
	words := Words(seed, rows*cols*most+1)
	k := 0
	for r := range rows {
		var row []string
		for c := range cols {
			n := 1 + (r*7+c*3+seed)%most
			row = append(row, strings.Join(words[k:k+n], " "))
			k += n
		}
		cells = append(cells, row)
	}
	return cells
}

// Wrapped breaks the cells of column c into lines of at most so many words.
func Wrapped(cells [][]string, c, most int) [][]string {
	for r := range cells {
		words := strings.Fields(cells[r][c])
		for i := most; i < len(words); i += most {
			words[i] = "\n" + words[i]
		}
		cells[r][c] = strings.ReplaceAll(strings.Join(words, " "), " \n", "\n")
	}
	return cells
}

// Without empties each cell but those of the first row and column for which row*a+col*b is a multiple of n.
func Without(cells [][]string, a, b, n int) [][]string {
	for r := 1; r < len(cells); r++ {
		for c := 1; c < len(cells[r]); c++ {
			if (r*a+c*b)%n == 0 {
				cells[r][c] = ""
			}
		}
	}
	return cells
}
