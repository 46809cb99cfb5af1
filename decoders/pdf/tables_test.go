package pdf

import (
	"bytes"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/layout"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// tablePage is a page with tables on it.
type tablePage struct {
	name  string
	grids []*pdftest.Grid
	turn  int  // how the page is turned
	prose bool // text above and below
}

func grid(lines, align, order string, cells [][]string) *pdftest.Grid {
	return &pdftest.Grid{Cells: cells, Align: align, Lines: lines, Order: order, Gap: 12, Size: 10, Leader: 3}
}

// with changes a grid.
func with(g *pdftest.Grid, change func(*pdftest.Grid)) *pdftest.Grid {
	change(g)
	return g
}

func headed(g *pdftest.Grid) { g.Head = true }

func small(g *pdftest.Grid) *pdftest.Grid { g.Size = 7; return g }

func narrow(g *pdftest.Grid) { g.Gap = 7 }

// scale are East Asian names beside numbers.
func scale() [][]string {
	return [][]string{{"品名", "数量", "単価"}, {"鉛筆", "十二", "八十"}, {"消しゴム", "三", "百"}, {"帳面", "五", "百二十"}, {"万年筆", "一", "三千"}}
}

// money are sums with signs, and a last row of totals.
func money() [][]string {
	return [][]string{
		{"Item", "Debit", "Credit"}, {"Rent of the hall", "1,200.00", ""}, {"Tickets", "", "2,340.50"}, {"Printing", "(88.10)", ""}, {"Bank", "-12.00", "0.35"},
		{"Total", "1,112.10", "2,340.85"},
	}
}

// answers are short cells that are mostly the same.
func answers() [][]string {
	return [][]string{{"Task", "Mon", "Tue", "Wed"}, {"wash", "yes", "no", "yes"}, {"cook", "no", "no", "yes"}, {"read", "-", "yes", "yes"}, {"sleep", "yes", "yes", "yes"}}
}

// spanning is a table whose first row has a cell over two columns.
func spanning(lines string) *pdftest.Grid {
	cells := pdftest.Numbers(31, 6, 4, 1)
	cells = append([][]string{{"", "Results of the year", "", cells[0][3]}}, cells...)
	cells[1][3] = "more"
	return with(grid(lines, "lrrr", "rows", cells), func(g *pdftest.Grid) { g.Span = 2 })
}

// tablePages are pages with tables of all kinds.
func tablePages() []tablePage {
	one := func(name string, g *pdftest.Grid) tablePage {
		return tablePage{name: name, grids: []*pdftest.Grid{g}, prose: true}
	}
	bare := func(name string, g *pdftest.Grid) tablePage { return tablePage{name: name, grids: []*pdftest.Grid{g}} }
	n, w := pdftest.Numbers, pdftest.Names
	return []tablePage{
		one("grid, numbers", grid("grid", "lrrr", "rows", n(1, 6, 4, 2))),
		one("grid, by columns", grid("grid", "lrrr", "columns", n(2, 8, 4, 0))),
		one("grid, in no order", grid("grid", "lccc", "cells", n(3, 9, 4, 1))),
		one("grid, wrapped cells", small(grid("grid", "lll", "rows", pdftest.Wrapped(w(4, 6, 3, 5), 2, 2)))),
		one("grid, empty cells", grid("grid", "lrrrr", "rows", pdftest.Without(n(5, 9, 5, 1), 1, 2, 3))),
		one("grid, 12 columns", with(grid("grid", "lrrrrrrrrrrr", "rows", n(6, 10, 12, 0)), func(g *pdftest.Grid) { g.Size, g.Gap = 6, 6 })),
		bare("grid, 40 rows", grid("grid", "lrr", "rows", n(7, 40, 3, 1))),
		one("grid, narrow", with(grid("grid", "lllll", "rows", w(8, 7, 5, 2)), func(g *pdftest.Grid) { g.Gap = 4 })),
		one("grid, two columns", grid("grid", "lr", "rows", n(9, 5, 2, 2))),
		one("grid, spanning head", spanning("grid")),
		one("grid, East Asian", with(grid("grid", "lrr", "rows", scale()), func(g *pdftest.Grid) { g.Font = pdftest.Wide })),
		{name: "grid, page turned left", grids: []*pdftest.Grid{grid("grid", "lrrr", "rows", n(10, 6, 4, 2))}, turn: 90},
		{name: "grid, page upside down", grids: []*pdftest.Grid{grid("grid", "lrrr", "rows", n(11, 6, 4, 2))}, turn: 180},
		one("outer lines", with(grid("outer", "lrrr", "rows", n(12, 8, 4, 1)), headed)),
		one("outer lines, by columns", grid("outer", "lrrr", "columns", n(13, 8, 4, 1))),
		one("lines between columns", grid("columns", "lrrr", "rows", n(14, 7, 4, 2))),
		one("lines between columns, words", grid("columns", "lll", "rows", w(15, 7, 3, 3))),
		one("books, numbers", with(grid("books", "lrrr", "rows", n(16, 6, 4, 2)), headed)),
		one("books, decimal points", with(grid("books", "lddd", "rows", n(17, 9, 4, 2)), headed)),
		one("books, centred", grid("books", "lccc", "rows", n(18, 6, 4, 0))),
		one("books, wrapped cells", small(grid("books", "lll", "rows", pdftest.Wrapped(w(19, 6, 3, 5), 2, 3)))),
		one("books, empty cells", grid("books", "lrrrr", "rows", pdftest.Without(n(20, 10, 5, 1), 2, 1, 4))),
		one("books, spanning head", spanning("books")),
		one("books, three rows", grid("books", "lrr", "rows", n(21, 3, 3, 1))),
		one("books, narrow", with(grid("books", "lrrrrr", "rows", n(22, 8, 6, 1)), narrow)),
		one("lines between rows", grid("rows", "lrrr", "rows", n(23, 7, 4, 1))),
		one("lines between rows, wrapped", small(grid("rows", "lll", "rows", pdftest.Wrapped(w(24, 5, 3, 5), 1, 2)))),
		one("filled cells", with(grid("fills", "lrrr", "rows", n(25, 7, 4, 1)), headed)),
		one("filled rows", with(grid("stripes", "lrrr", "rows", n(26, 9, 4, 1)), headed)),
		one("filled rows, by columns", grid("stripes", "lccc", "columns", n(27, 9, 4, 0))),
		one("no lines, numbers", grid("none", "lrrr", "rows", n(28, 7, 4, 2))),
		one("no lines, head", with(grid("none", "lrrr", "rows", n(29, 12, 4, 0)), headed)),
		one("no lines, words", grid("none", "llll", "rows", w(30, 8, 4, 2))),
		one("no lines, by columns", grid("none", "lrrr", "columns", n(32, 8, 4, 1))),
		one("no lines, in no order", grid("none", "lrrr", "cells", n(33, 8, 4, 1))),
		one("no lines, narrow", with(grid("none", "lrrrr", "rows", n(34, 9, 5, 1)), narrow)),
		one("no lines, empty cells", grid("none", "lrrrr", "rows", pdftest.Without(n(35, 12, 5, 1), 1, 1, 4))),
		one("no lines, three rows", grid("none", "lrr", "rows", n(36, 3, 3, 0))),
		one("no lines, East Asian", with(grid("none", "lrr", "rows", scale()), func(g *pdftest.Grid) { g.Font, g.Gap = pdftest.Wide, 18 })),
		{name: "no lines, page turned right", grids: []*pdftest.Grid{grid("none", "lrrr", "rows", n(37, 6, 4, 2))}, turn: 270},
		one("a frame for each cell", grid("cells", "lrrr", "rows", n(42, 7, 4, 1))),
		one("a frame for each cell, wrapped", small(grid("cells", "lll", "cells", pdftest.Wrapped(w(43, 6, 3, 5), 0, 2)))),
		one("filled strips for lines", grid("thin", "lccr", "rows", n(44, 7, 4, 0))),
		one("large and wide", with(grid("none", "lrr", "rows", n(45, 7, 3, 1)), func(g *pdftest.Grid) { g.Size, g.Gap, g.Leader = 14, 60, 8 })),
		one("sums of money", grid("books", "lrr", "rows", money())),
		one("yes and no", grid("grid", "lccc", "rows", answers())),
		one("words, with a head", with(grid("none", "lll", "rows", w(46, 9, 3, 2)), headed)),
		one("two columns, with a head", with(grid("none", "lr", "rows", n(47, 6, 2, 0)), headed)),
		{name: "two grids", grids: []*pdftest.Grid{grid("grid", "lrrr", "rows", n(38, 5, 4, 1)), grid("grid", "lll", "rows", w(39, 5, 3, 2))}, prose: true},
		{name: "two of different kinds", grids: []*pdftest.Grid{grid("books", "lrrr", "rows", n(40, 6, 4, 1)), grid("none", "lrr", "rows", n(41, 6, 3, 2))}, prose: true},
	}
}

// data draws the page.
func (p *tablePage) data() []byte {
	s := &pdftest.Sheet{Rotate: p.turn}
	switch p.turn { // the content is turned back, so that it stands upright when the page is shown
	case 90:
		s.Raw("0 1 -1 0 612 0 cm")
	case 180:
		s.Raw("-1 0 0 -1 612 792 cm")
	case 270:
		s.Raw("0 -1 1 0 0 792 cm")
	}
	y := 560.0
	if p.turn == 0 || p.turn == 180 {
		y = 740
	}
	for i, g := range p.grids {
		if p.prose {
			y = s.Paragraph(pdftest.Regular, 10, 72, y, 460, pdftest.Words(900+i+len(p.name), 60)) - 14
		}
		y -= g.Draw(s, 80, y) + 26
	}
	if p.prose {
		s.Paragraph(pdftest.Regular, 10, 72, y, 460, pdftest.Words(950+len(p.name), 60))
	}
	return pdftest.Sheets(s)
}

// laid lays out the first page of a file.
func laid(t *testing.T, data []byte) layout.Result {
	t.Helper()
	d, err := openDocument(bytes.NewReader(data), "")
	if err != nil {
		t.Fatal(err)
	}
	d.read(1, d.page(1))
	return layout.Lay(&d.content)
}

// neighbours are the pairs of cells with text that follow each other in a row or a column, whatever is empty between them: the measure of
// the ICDAR competition on tables, over the text of cells.
func neighbours(rows [][]string, pairs map[string]int) {
	for r := range rows {
		for c, cell := range rows[r] {
			if cell == "" {
				continue
			}
			for k := c + 1; k < len(rows[r]); k++ {
				if rows[r][k] != "" {
					pairs["→"+cell+"→"+rows[r][k]]++
					break
				}
			}
			for k := r + 1; k < len(rows); k++ {
				if c < len(rows[k]) && rows[k][c] != "" {
					pairs["↓"+cell+"↓"+rows[k][c]]++
					break
				}
			}
		}
	}
}

// TestWords: read as words a table is its lines in the text, and the links of its page stay.
func TestWords(t *testing.T) {
	var in []byte
	for _, p := range tablePages() {
		if res := laid(t, p.data()); len(res.Tables) > 0 {
			in = p.data()
			break
		}
	}
	plain, words := decodeBytes(t, in, readapi.Request{}), decodeBytes(t, in, readapi.Request{Words: true})
	if len(plain.Parts) < 2 || len(words.Parts) != 1 || plain.Parts[0].Text != words.Parts[0].Text {
		t.Fatalf("%d parts, as words %d", len(plain.Parts), len(words.Parts))
	}
	for part := range int64(len(plain.Parts)) { // a position in one reading means the same in the other
		rest := decodeBytes(t, in, readapi.Request{Words: true, Start: readapi.Position{At: 1, Part: part}})
		if got := len(rest.Parts); part == 0 && got != 1 || part > 0 && got != 0 {
			t.Errorf("from part %d as words: %d parts", part, got)
		}
	}
}

// The bar of the tables.
const leastAdjacency = 0.9

func TestTables(t *testing.T) {
	pages := tablePages()
	if len(pages) < 40 {
		t.Fatalf("%d pages", len(pages))
	}
	var hit, want, got int
	for _, p := range pages {
		res := laid(t, p.data())
		expected, found := map[string]int{}, map[string]int{}
		for _, g := range p.grids {
			neighbours(g.Rows(), expected)
		}
		for _, table := range res.Tables {
			neighbours(table.Rows, found)
		}
		h, w, g := 0, 0, 0
		for pair, n := range expected {
			h, w = h+min(n, found[pair]), w+n
		}
		for _, n := range found {
			g += n
		}
		hit, want, got = hit+h, want+w, got+g
		if f1 := 2 * float64(h) / float64(w+g); f1 < leastAdjacency {
			t.Logf("%s: F1 %.2f (%d of %d, %d found)\n%s", p.name, f1, h, w, g, res.Text)
		}
		checkPlaces(t, p.name, res)
	}
	f1 := 2 * float64(hit) / float64(want+got)
	t.Logf("%d pages: cell adjacency F1 %.3f, recall %.3f, precision %.3f", len(pages), f1, float64(hit)/float64(want), float64(hit)/float64(got))
	if f1 < leastAdjacency {
		t.Errorf("cell adjacency F1 %.3f, want %.2f", f1, leastAdjacency)
	}
}

// checkPlaces holds what a table says of its place in the text: all of its words stand there, and every row has as many cells.
func checkPlaces(t *testing.T, name string, res layout.Result) {
	t.Helper()
	for _, table := range res.Tables {
		if table.From < 0 || table.From >= table.To || table.To > len(res.Text) {
			t.Fatalf("%s: a table from %d to %d of %d bytes", name, table.From, table.To, len(res.Text))
		}
		text := " " + strings.Join(strings.Fields(res.Text[table.From:table.To]), " ") + " "
		for _, row := range table.Rows {
			if len(row) != len(table.Rows[0]) {
				t.Errorf("%s: %d cells in a row, %d in the first", name, len(row), len(table.Rows[0]))
			}
			for _, cell := range row {
				for _, word := range strings.Fields(cell) {
					if !strings.Contains(text, " "+word+" ") {
						t.Errorf("%s: %q is in the table and not in its text", name, word)
					}
				}
			}
		}
	}
}

func TestNoTables(t *testing.T) {
	pages := pdftest.UntabledPages()
	if len(pages) < 15 {
		t.Fatalf("%d pages", len(pages))
	}
	for _, p := range pages {
		if res := laid(t, pdftest.Sheets(p.Sheet)); len(res.Tables) > 0 {
			t.Errorf("%s: %d tables, of which the first is %q\n%s", p.Name, len(res.Tables), res.Tables[0].Rows, res.Text)
		}
	}
}
