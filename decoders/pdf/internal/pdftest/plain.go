package pdftest

import (
	"fmt"
	"strings"
)

// Untabled is a page without a table, though its text stands in rows, in columns or between lines.
type Untabled struct {
	Name  string
	Sheet *Sheet
}

// UntabledPages are such pages of all kinds.
func UntabledPages() []Untabled { return append(untabledText(), untabledRows()...) }

// untabled is a page that draw draws.
func untabled(name string, draw func(s *Sheet)) Untabled {
	s := &Sheet{}
	draw(s)
	return Untabled{name, s}
}

// untabledText are pages of running text.
func untabledText() (out []Untabled) {
	add := func(name string, draw func(s *Sheet)) { out = append(out, untabled(name, draw)) }
	add("running text", func(s *Sheet) { s.Paragraph(Regular, 11, 72, 740, 468, Words(0, 500)) })
	add("text with stretched blanks", func(s *Sheet) { justified(s, 72, 740, 468, Words(0, 500)) })
	add("narrow text with stretched blanks", func(s *Sheet) { justified(s, 72, 740, 130, Words(0, 200)) })
	for _, order := range []string{"", "across"} {
		p := TwoColumns("two columns "+order, order, 3, 660, 0, 20, 180, 170)
		out = append(out, Untabled{p.Name, p.Sheet})
	}
	return out
}

// untabledRows are pages of what stands in rows.
func untabledRows() (out []Untabled) {
	add := func(name string, draw func(s *Sheet)) { out = append(out, untabled(name, draw)) }
	add("a form", formPage)
	add("a form with lines to write on", func(s *Sheet) {
		formPage(s)
		for i := range 8 {
			s.Line(200, 698-24*float64(i), 500, 698-24*float64(i))
		}
	})
	add("a table of contents", contentsPage)
	add("code", codePage)
	add("a list with bullets", func(s *Sheet) {
		for i := range 12 {
			s.Text(Regular, 11, 72+18*float64(i/2%3), 740-16*float64(i), "•")
			s.Text(Regular, 11, 90+18*float64(i/2%3), 740-16*float64(i), strings.Join(Words(i*7, 3+i%4), " "))
		}
	})
	add("a numbered list", func(s *Sheet) {
		for i := range 12 {
			s.Text(Regular, 11, 72, 740-16*float64(i), fmt.Sprintf("%d.", i+1))
			s.Text(Regular, 11, 96, 740-16*float64(i), strings.Join(Words(i*7, 2+i%4), " "))
		}
	})
	add("two addresses", addressesPage)
	add("text between lines", func(s *Sheet) {
		s.Line(72, 760, 540, 760)
		y := s.Paragraph(Regular, 11, 72, 740, 468, Words(0, 300))
		s.Line(72, y, 540, y)
		y = s.Paragraph(Regular, 9, 72, y-14, 468, Words(300, 60))
		s.Line(72, y, 540, y)
	})
	add("text in a frame", func(s *Sheet) {
		s.Raw("60 500 492 260 re S 60 460 492 40 re S")
		s.Paragraph(Regular, 11, 72, 740, 468, Words(0, 160))
		s.Paragraph(Regular, 11, 72, 480, 468, Words(200, 8))
	})
	add("a chart", chartPage)
	add("a poem", func(s *Sheet) {
		for i := range 24 {
			s.Text(Regular, 12, 100+20*float64(i%2), 740-17*float64(i)-10*float64(i/4), strings.Join(Words(i*9, 3+i*5%4), " "))
		}
	})
	add("terms with what they mean", func(s *Sheet) {
		y := 740.0
		for i := range 8 {
			s.Text(Bold, 10, 72, y, Words(i, 1)[0])
			y = s.Paragraph(Regular, 10, 170, y, 360, Words(100+i*40, 24)) - 4
		}
	})
	add("signatures", func(s *Sheet) {
		s.Paragraph(Regular, 11, 72, 740, 468, Words(0, 200))
		for i, w := range Words(300, 2) {
			x := 72 + 280*float64(i)
			s.Line(x, 400, x+160, 400)
			s.Text(Regular, 9, x, 388, w+" "+w+"ra")
			s.Text(Regular, 9, x, 376, "the "+w)
		}
	})
	return out
}

// justified stretches the blanks of lines, word by word.
func justified(s *Sheet, x, y, width float64, words []string) {
	lines := Broken(Regular, 10, width, words)
	for i, l := range lines {
		parts := strings.Fields(l)
		free := 0.0
		if i < len(lines)-1 && len(parts) > 1 {
			free = (width - Width(Regular, 10, l)) / float64(len(parts)-1)
		}
		at := x
		for _, w := range parts {
			s.Text(Regular, 10, at, y, w)
			at += Width(Regular, 10, w+" ") + free
		}
		y -= 12
	}
}

// formPage is labels and what stands behind them.
func formPage(s *Sheet) {
	labels := []string{"Name:", "First name:", "Street:", "Town:", "Country:", "Telephone:", "Born:", "Remarks:"}
	for i, l := range labels {
		s.Text(Regular, 11, 72, 700-24*float64(i), l)
		s.Text(Regular, 11, 200, 700-24*float64(i), strings.Join(Words(i*5, 1+i%3), " "))
	}
}

// contentsPage is a table of contents.
func contentsPage(s *Sheet) {
	for i := range 18 {
		x, y := 72+14*float64(i%3), 740-15*float64(i)
		title := fmt.Sprintf("%d.%d %s", i/3+1, i%3, strings.Join(Words(i*6, 2+i%3), " "))
		s.Text(Regular, 11, x, y, title)
		from := x + Width(Regular, 11, title) + 4
		s.Text(Regular, 11, from, y, strings.Repeat(". ", int((500-from)/Width(Regular, 11, ". "))))
		s.Text(Regular, 11, 510, y, fmt.Sprint(3+i*4))
	}
}

// codePage is a listing with remarks behind its lines.
func codePage(s *Sheet) {
	for i, l := range []string{"func sum(all []int) int {", "    n := 0", "    for _, v := range all {", "        n += v", "    }", "    return n", "}"} {
		s.Text(Mono, 9, 72, 740-11*float64(i), l)
		s.Text(Mono, 9, 300, 740-11*float64(i), "// "+Words(i*3, 1)[0])
	}
}

// addressesPage are two blocks of lines beside each other.
func addressesPage(s *Sheet) {
	for i := range 4 {
		s.Text(Regular, 11, 72, 740-14*float64(i), strings.Join(Words(i*3, 1+i%3), " "))
		s.Text(Regular, 11, 340, 740-14*float64(i), strings.Join(Words(50+i*3, 2), " "))
	}
	s.Paragraph(Regular, 11, 72, 640, 468, Words(100, 150))
}

// chartPage is lines across and along with names at its edges.
func chartPage(s *Sheet) {
	for i := range 7 {
		v := float64(i)
		s.Line(120, 500+30*v, 480, 500+30*v)
		s.Line(120+60*v, 500, 120+60*v, 680)
		s.Text(Regular, 8, 96, 497+30*v, fmt.Sprint(i*20))
		s.Text(Regular, 8, 112+60*v, 486, fmt.Sprint(2010+i))
		s.Fill(0.4, 130+50*v, 500, 20, 20+17*v)
	}
	s.Paragraph(Regular, 11, 72, 440, 468, Words(0, 120))
}
