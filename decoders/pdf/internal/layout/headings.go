package layout

import (
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
)

// body is what most text of a page is set in.
type body struct {
	size  float64
	bold  bool
	bytes int // of text of that size
	lines int
}

// bodyOf finds it: sizes count as one within a quarter of a point.
func bodyOf(lines []line) (b body) {
	type count struct{ bytes, bold, lines int }
	sizes := map[int]count{}
	for i := range lines {
		if l := &lines[i]; l.grid == nil && l.size < 1e4 {
			key := int(l.size*4 + 0.5)
			c := sizes[key]
			c.bytes += len(l.text)
			c.lines++
			if l.style&font.Bold != 0 {
				c.bold += len(l.text)
			}
			sizes[key] = c
			if c.bytes > b.bytes || c.bytes == b.bytes && l.size < b.size {
				b = body{l.size, c.bold*2 > c.bytes, c.bytes, c.lines}
			}
		}
	}
	return b
}

// What is certain to be a heading.
const (
	leastBody   = 160 // bytes: below that nothing says what is usual on the page
	leastLines  = 3
	titleSize   = 1.6 // of the body's size: level 1
	sectionSize = 1.3 // level 2
	partSize    = 1.12
	maxHeading  = 90 // characters of a line
	maxBold     = 60 // of one of the body's size
	maxTitle    = 3  // lines of one heading
)

// headings marks the lines that are certain to be headings and joins those that are one.
func headings(lines []line, b body) {
	if b.bytes < leastBody || b.lines < leastLines {
		return
	}
	for i := 0; i < len(lines); {
		level := b.level(lines, i)
		if first, _ := utf8.DecodeRune(lines[i].text); unicode.IsLower(first) {
			level = 0
		}
		end := i + 1
		for level > 0 && end < len(lines) && b.level(lines, end) == level && follow(&lines[end-1], &lines[end]) {
			end++
		}
		if level > 0 && end-i <= maxTitle && !runsOn(lines, end) {
			lines[i].heading = level
			for k := i + 1; k < end; k++ {
				lines[i].text = append(append(lines[i].text, ' '), lines[k].text...)
				lines[k].text = nil
			}
			lines[i].broken = true
			if end < len(lines) {
				lines[end].broken = true
			}
		}
		i = end
	}
}

// follow reports whether b is the next line of the heading a.
func follow(a, b *line) bool {
	near := 1.5
	if !b.broken {
		near = 2.2
	}
	return !b.apart && b.size < 1.05*a.size && a.size < 1.05*b.size && b.y > a.y && b.y-a.y <= near*b.size && a.style == b.style
}

// runsOn reports whether what is above line i goes on in it as running text does: then it is a paragraph in larger letters than most of the
// page has, which may be notes or an abstract.
func runsOn(lines []line, i int) bool {
	if i == len(lines) || lines[i].grid != nil || !follow(&lines[i-1], &lines[i]) {
		return false
	}
	first, _ := utf8.DecodeRune(lines[i].text)
	last, _ := utf8.DecodeLastRune(lines[i].text)
	return unicode.IsLower(first) || len(lines[i].text) > maxBold || last == '.' || last == ','
}

// level is that of the heading that line i is, or 0.
func (b *body) level(lines []line, i int) int {
	l := &lines[i]
	ratio, bold := l.size/b.size, l.style&font.Bold != 0 && !b.bold
	if l.grid != nil || ratio < 0.95 || ratio < sectionSize && !bold || l.style&font.Mono != 0 || !titled(l.text, maxHeading) {
		return 0
	}
	switch {
	case ratio >= titleSize:
		return 1
	case ratio >= sectionSize:
		return 2
	case ratio >= partSize, titled(l.text, maxBold) && alone(lines, i):
		return 3
	}
	return 0
}

// alone reports whether line i stands apart from the text above and below.
func alone(lines []line, i int) bool {
	if !lines[i].broken || i+1 == len(lines) {
		return false
	}
	next := &lines[i+1]
	return next.grid == nil && next.broken && !next.apart && next.style&font.Bold == 0 && next.y-lines[i].y < 3*lines[i].lead
}

// titled reports whether a line reads as a title: not long, with letters, not the end of a sentence.
func titled(text []byte, most int) bool {
	n, letters := 0, 0
	for _, r := range string(text) {
		n++
		if unicode.IsLetter(r) {
			letters++
		}
		if n > most {
			return false
		}
	}
	last, _ := utf8.DecodeLastRune(text)
	return letters >= 2 && letters*2 >= n && last != '.' && last != ',' && last != ';' && last != ':'
}
