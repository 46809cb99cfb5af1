package pdftest

import (
	"slices"
	"strings"
)

// Columned is a page of running text in columns, and its words in the order in which they are read. Every word is there once.
type Columned struct {
	Name  string
	Sheet *Sheet
	Words []string
}

// printed is a line of text and where it is drawn.
type printed struct {
	size, x, y float64
	text       string
	width      float64 // that its blanks are stretched to, 0 if they are not
}

// columned collects the lines of a page.
type columned struct {
	lines []printed
	words []string
	next  int // number of the next word
}

// text breaks n new words into lines; it returns the base line behind the last.
func (c *columned) text(size, x, y, width float64, n int) float64 {
	words := Words(c.next, n)
	c.next += n
	c.words = append(c.words, words...)
	for _, l := range Broken(Regular, size, width, words) {
		c.lines = append(c.lines, printed{size: size, x: x, y: y, text: l})
		y -= 1.2 * size
	}
	return y
}

// justified is text whose blanks are stretched, as typesetters do, but for those of the last line.
func (c *columned) justified(size, x, y, width float64, n int) float64 {
	from := len(c.lines)
	y = c.text(size, x, y, width, n)
	for i := from; i < len(c.lines)-1; i++ {
		c.lines[i].width = width
	}
	return y
}

// centred is one line of n new words in the middle of a width.
func (c *columned) centred(size, x, y, width float64, n int) {
	from := len(c.lines)
	c.text(size, x, y, 1e4, n)
	l := &c.lines[from]
	l.x += (width - Width(Regular, size, l.text)) / 2
}

// index is two columns of entries and what leads to the numbers of their pages.
func (c *columned) index(leader string) {
	for i := range 60 {
		x, y := 72+246*float64(i/30), 740-12*float64(i%30)
		from := len(c.lines)
		c.text(10, x, y, 1e4, 1+i%3)
		l := &c.lines[from]
		l.text += " "
		if leader != "" {
			l.text += strings.Repeat(leader, int((205-Width(Regular, 10, l.text))/Width(Regular, 10, leader)))
		}
		l.text += string(rune('1' + i%9))
	}
}

// page draws the lines in an order: as they come, by their height (across), or mixed.
func (c *columned) page(name, order string, rotate int) Columned {
	s := &Sheet{Rotate: rotate}
	switch rotate {
	case 90:
		s.Raw("0 1 -1 0 612 0 cm")
	case 180:
		s.Raw("-1 0 0 -1 612 792 cm")
	}
	lines := slices.Clone(c.lines)
	switch order {
	case "across":
		slices.SortStableFunc(lines, func(a, b printed) int { return int(b.y*10) - int(a.y*10) })
	case "backwards":
		slices.Reverse(lines)
	case "mixed":
		slices.SortStableFunc(lines, func(a, b printed) int { return int(a.y*37+a.x*11)%41 - int(b.y*37+b.x*11)%41 })
	}
	for _, l := range lines {
		words, x, free := strings.Fields(l.text), l.x, 0.0
		if l.width > 0 {
			free = (l.width - Width(Regular, l.size, l.text)) / float64(max(1, len(words)-1))
		}
		for _, w := range words {
			s.Text(Regular, l.size, x, l.y, w)
			x += Width(Regular, l.size, w+" ") + free
		}
	}
	return Columned{name, s, c.words}
}

// TwoColumns is a page of two columns below a title, with more or less of everything.
func TwoColumns(name, order string, title int, top, drop, gutter float64, left, right int) Columned {
	c := &columned{next: len(name) * 7}
	if title > 0 {
		c.centred(18, 72, top+60, 468, title)
		c.text(10, 72, top+36, 468, 20)
	}
	width := (468 - gutter) / 2
	c.text(10, 72, top, width, left)
	c.text(10, 72+width+gutter, top-drop, width, right)
	return c.page(name, order, 0)
}

// ColumnPages are pages in columns of all kinds.
func ColumnPages() []Columned {
	return slices.Concat(twoColumnPages(), columnsAlone(), columnsAmong(), columnsStretched())
}

func twoColumnPages() []Columned {
	return []Columned{
		TwoColumns("two columns", "", 0, 740, 0, 24, 150, 150),
		TwoColumns("two columns, drawn across", "across", 0, 740, 0, 24, 150, 150),
		TwoColumns("two columns, the right one drawn first", "backwards", 0, 740, 0, 24, 150, 150),
		TwoColumns("two columns, drawn in no order", "mixed", 0, 740, 0, 24, 150, 150),
		TwoColumns("two columns, base lines apart", "", 0, 740, 5, 24, 150, 150),
		TwoColumns("two columns, base lines apart, drawn across", "across", 0, 740, 5, 24, 150, 150),
		TwoColumns("two columns below a title", "", 4, 660, 0, 20, 150, 150),
		TwoColumns("two columns below a title, drawn across", "across", 4, 660, 0, 20, 150, 150),
		TwoColumns("two columns, little between", "", 0, 740, 0, 11, 170, 170),
		TwoColumns("two columns, the left one longer", "", 3, 660, 0, 24, 160, 60),
		TwoColumns("two columns, the right one longer", "across", 3, 660, 0, 24, 60, 160),
		TwoColumns("two columns, the right one lower", "", 0, 740, 84, 24, 150, 150),
	}
}

// drawn is a page that draw draws.
func drawn(name, order string, rotate int, draw func(c *columned)) Columned {
	c := &columned{next: 400 + len(name)*11}
	draw(c)
	return c.page(name, order, rotate)
}

// columnsAlone are pages of columns and nothing else.
func columnsAlone() (pages []Columned) {
	add := func(name, order string, rotate int, draw func(c *columned)) {
		pages = append(pages, drawn(name, order, rotate, draw))
	}
	three := func(c *columned) {
		for i := range 3 {
			c.text(9, 60+170*float64(i), 720, 152, 110)
		}
	}
	add("three columns", "", 0, three)
	add("three columns, drawn across", "across", 0, three)
	add("three columns, of which one is short", "", 0, func(c *columned) {
		for i, n := range []int{110, 40, 100} {
			c.text(9, 60+170*float64(i), 720, 152, n)
		}
	})
	add("two columns, page on its side", "", 90, func(c *columned) {
		c.text(10, 72, 540, 300, 150)
		c.text(10, 402, 540, 300, 150)
	})
	add("two columns, page upside down", "across", 180, func(c *columned) {
		c.text(10, 72, 740, 220, 150)
		c.text(10, 320, 740, 220, 150)
	})
	add("a wide and a narrow column", "across", 0, func(c *columned) {
		c.text(10, 72, 740, 310, 200)
		c.text(8, 402, 740, 130, 90)
	})
	return pages
}

// columnsAmong are pages of columns among other text.
func columnsAmong() (pages []Columned) {
	add := func(name, order string, rotate int, draw func(c *columned)) {
		pages = append(pages, drawn(name, order, rotate, draw))
	}
	add("notes at the side", "", 0, func(c *columned) {
		c.text(10, 180, 740, 360, 260)
		c.text(7, 72, 716, 90, 9)
		c.text(7, 72, 620, 90, 12)
		c.words = append(c.words[260:], c.words[:260]...)
	})
	add("footnotes below the columns", "", 0, func(c *columned) {
		y := min(c.text(10, 72, 740, 222, 130), c.text(10, 318, 740, 222, 130))
		c.text(7, 72, y-24, 468, 60)
	})
	add("a footnote below one column", "", 0, func(c *columned) {
		y := c.text(10, 72, 740, 222, 130)
		c.text(7, 72, y-12, 222, 30)
		c.text(10, 318, 740, 222, 150)
	})
	add("text across between columns", "across", 0, func(c *columned) {
		for _, y := range []float64{740, 420} {
			c.text(10, 72, y, 222, 80)
			y = c.text(10, 318, y, 222, 80)
			c.text(10, 72, y-20, 468, 50)
		}
	})
	add("head and foot of the page", "", 0, func(c *columned) {
		c.centred(9, 72, 765, 468, 4)
		c.text(10, 72, 730, 222, 150)
		c.text(10, 318, 730, 222, 150)
		c.centred(9, 72, 60, 468, 1)
	})
	add("headings in the columns", "across", 0, func(c *columned) {
		for i := range 2 {
			y, x := 740.0, 72+246*float64(i)
			for range 3 {
				c.text(13, x, y-10, 222, 2)
				y = c.text(10, x, y-30, 222, 45)
			}
		}
	})
	return pages
}

// columnsStretched are pages of columns with more in them than running text.
func columnsStretched() (pages []Columned) {
	add := func(name, order string, rotate int, draw func(c *columned)) {
		pages = append(pages, drawn(name, order, rotate, draw))
	}
	for _, order := range []string{"", "across"} {
		add("two columns with stretched blanks "+order, order, 0, func(c *columned) {
			c.justified(10, 72, 740, 228, 150)
			c.justified(10, 310, 740, 228, 150)
		})
	}
	add("three columns with stretched blanks", "across", 0, func(c *columned) {
		for i := range 3 {
			c.justified(9, 60+165*float64(i), 720, 154, 100)
		}
	})
	for _, order := range []string{"", "across"} {
		add("an index with dots in two columns "+order, order, 0, func(c *columned) { c.index(". ") })
	}
	add("a quotation across two columns", "", 0, func(c *columned) {
		y := c.text(10, 72, 740, 222, 90)
		below := c.text(10, 72, y-60, 222, 90)
		c.text(10, 318, 740, 222, 90)
		c.text(10, 318, y-60, 222, 90)
		c.centred(14, 72, y-30, 468, 7)
		c.text(9, 72, below-40, 468, 40)
	})
	add("texts around a picture", "", 0, func(c *columned) {
		for i := range 10 {
			c.text(10, 72, 740-12*float64(i), 1e4, 6+i/3)
		}
		c.text(10, 72, 620, 200, 60)
		for i := range 24 {
			c.text(10, 330-14*float64(i/4), 740-12*float64(i), 1e4, 6)
		}
	})
	add("an index in two columns", "", 0, func(c *columned) { c.index("") })
	add("a table in a column", "", 0, func(c *columned) {
		c.text(10, 72, 740, 222, 60)
		for i := range 5 {
			y := 600 - 14*float64(i)
			c.text(10, 80, y, 60, 1)
			c.text(10, 160, y, 60, 1)
			c.text(10, 240, y, 60, 1)
		}
		c.text(10, 72, 510, 222, 60)
		c.text(10, 318, 740, 222, 160)
	})
	add("paragraphs apart in one column", "", 0, func(c *columned) {
		y := 740.0
		for range 5 {
			y = c.text(10, 72, y, 468, 50) - 8
		}
	})
	return pages
}
