package layout

import (
	"bytes"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/font"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/order"
)

// block is one line of what is read, or a table.
type block struct {
	line  []piece // from left to right
	grid  *table
	apart bool // begins a part of the page: a column, what follows columns
}

// line is a block as it is written.
type line struct {
	text      []byte
	x0, x1, y float64
	size      float64
	style     font.Style
	apart     bool
	grid      *table

	lead    float64 // the usual distance of lines in this part of the page
	left    float64 // where the lines of this part begin
	broken  bool    // a paragraph begins here
	heading int     // its level, 0 for none
	indent  int     // blanks before it
}

// writer writes the lines of the flows.
type writer struct {
	out    []byte
	tables []Table
}

func (w *writer) flow(f *flow) {
	lines := f.written()
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && !lines[to].apart {
			to++
		}
		measure(lines[from:to])
		from = to
	}
	body := bodyOf(lines)
	for i := range lines {
		lines[i].broken = i == 0 || breaks(lines, i)
	}
	headings(lines, body)
	lists(lines)
	lines = f.hyphens(lines)
	w.out = slices.Grow(w.out, f.bytes+f.bytes/4+64)
	for i := range lines {
		w.line(&lines[i])
	}
}

// line writes a line, after a blank one if it begins a paragraph.
func (w *writer) line(l *line) {
	if l.broken && len(w.out) > 0 {
		w.out = append(w.out, '\n')
	}
	if l.grid != nil {
		w.table(l.grid)
		return
	}
	for range l.indent {
		w.out = append(w.out, ' ')
	}
	if l.heading > 0 {
		w.out = append(append(w.out, "###"[:l.heading]...), ' ')
	}
	w.out = append(append(w.out, l.text...), '\n')
}

func (w *writer) result() Result { return Result{Text: string(w.out), Tables: w.tables} }

// written makes the lines of the blocks; those without text are left out.
func (f *flow) written() []line {
	lines := make([]line, 0, len(f.blocks))
	buf := make([]byte, 0, len(f.buf))
	apart := false
	for i := range f.blocks {
		b := &f.blocks[i]
		apart = apart || b.apart
		var l line
		if b.grid != nil {
			l = line{grid: b.grid, x0: b.grid.x0, x1: b.grid.x1, y: b.grid.y1}
		} else {
			l = lineOf(b.line)
			start := len(buf)
			if buf = appendLine(buf, b.line, l.style&font.Mono != 0); len(buf) == start {
				continue
			}
			l.text = buf[start:len(buf):len(buf)]
		}
		l.apart, apart = apart, false
		lines = append(lines, l)
	}
	return lines
}

// lineOf measures a line.
func lineOf(pieces []piece) line {
	first, last := &pieces[0], &pieces[len(pieces)-1]
	l := line{x0: first.x0, x1: last.x1, y: first.y, size: first.size, style: first.style}
	widest := 0.0
	for i := range pieces {
		p := &pieces[i]
		if w := p.x1 - p.x0; w > widest {
			l.y, l.size, widest = p.y, p.size, w
		}
		l.style &= p.style
	}
	return l
}

// maxBlanks bounds the blanks that stand for one gap in code.
const maxBlanks = 80

// appendLine appends the text of the pieces in the order in which it is read. In code the gaps are as wide as they look.
func appendLine(out []byte, pieces []piece, code bool) []byte {
	start := len(out)
	rtl := false
	for i := range pieces {
		p := &pieces[i]
		text := bytes.Trim(p.text, " ")
		if len(text) == 0 {
			continue
		}
		if len(out) > start {
			out = append(out, ' ')
			if code {
				out = blanks(out, int(min(maxBlanks, math.Round((p.x0-pieces[i-1].x1)/(codeWidth*p.size))))-1)
			}
		}
		rtl = rtl || p.rtl
		out = append(out, text...)
	}
	if rtl {
		out = append(out[:start], string(logical([]rune(string(out[start:]))))...)
		for len(out) > start && out[len(out)-1] == ' ' {
			out = out[:len(out)-1]
		}
	}
	return out
}

// codeWidth is the width of a character of a fixed pitch, in parts of the size.
const codeWidth = 0.6

func blanks(out []byte, n int) []byte {
	for range n {
		out = append(out, ' ')
	}
	return out
}

// measure finds the usual distance and the left edge of the lines of one part of a page.
func measure(part []line) {
	gaps := make([]float64, 0, len(part))
	left := math.Inf(1)
	for i := range part {
		if part[i].grid != nil {
			continue
		}
		left = min(left, part[i].x0)
		if i > 0 && part[i-1].grid == nil {
			if gap := part[i].y - part[i-1].y; gap > 0 {
				gaps = append(gaps, gap/max(part[i].size, part[i-1].size))
			}
		}
	}
	lead := usualLead
	if len(gaps) >= 4 {
		order.Up(gaps)
		lead = min(max(gaps[len(gaps)*2/5], 0.9), 2.5)
	} else if len(gaps) > 0 {
		lead = min(max(slices.Min(gaps), usualLead), 1.6)
	}
	for i := range part {
		part[i].lead, part[i].left = lead*part[i].size, left
		if code := part[i].style&font.Mono != 0 && part[i].size > 0; code {
			part[i].indent = int(min(maxBlanks, math.Round((part[i].x0-left)/(codeWidth*part[i].size))))
		}
	}
}

// In parts of the size, or of the usual distance of lines.
const (
	usualLead  = 1.25 // of the size, where too few lines tell
	paragraph  = 1.3  // of the distance: a paragraph begins
	sizeChange = 1.15 // of the size: so does one where the size changes by more
	leastDent  = 0.8  // of the size: a first line that is indented
	mostDent   = 6.0
)

// breaks reports whether a paragraph begins with line i.
func breaks(lines []line, i int) bool {
	a, b := &lines[i-1], &lines[i]
	if a.grid != nil || b.grid != nil {
		return true
	}
	if b.apart {
		return !goesOn(a, b)
	}
	gap := b.y - a.y
	if gap < -0.5*b.size || gap > paragraph*max(a.lead, b.lead) || max(a.size, b.size) > sizeChange*min(a.size, b.size) {
		return true
	}
	dent := b.x0 - a.x0
	if dent < leastDent*b.size || dent > mostDent*b.size || b.style&font.Mono != 0 || i+1 == len(lines) {
		return false
	}
	next := &lines[i+1]
	return !next.apart && math.Abs(next.x0-a.x0) < 0.3*b.size && math.Abs(a.x0-a.left) < 0.3*b.size && next.y-b.y <= paragraph*b.lead
}

// goesOn reports whether a sentence goes on from the end of one column to the begin of the next.
func goesOn(a, b *line) bool {
	last, _ := utf8.DecodeLastRune(a.text)
	first, _ := utf8.DecodeRune(b.text)
	return unicode.IsLower(first) && (unicode.IsLetter(last) || last == ',' || last == '-') && max(a.size, b.size) <= sizeChange*min(a.size, b.size)
}
