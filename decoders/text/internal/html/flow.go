package html

import "unicode/utf8"

// flow is text in the making: of the page, or of a cell of a table.
type flow struct {
	buf    []byte
	feeds  int  // line ends at the end of what was written
	due    int  // line ends to be written before the next text, at least
	space  bool // white space is due
	began  bool // something was written
	lines  int64
	prefix []byte // of every line: quotes, and the indent of lists
	marker int    // how many bytes at the end of prefix the marker takes on the next line
	marks  []byte // the marker itself
}

// What a line may have before its text: deeper lists and quotes look like those around them.
const maxPrefix = 48

// gap asks for n line ends before the next text.
func (f *flow) gap(n int) {
	f.due = max(f.due, n)
	f.space = false
}

// left is what the elements around a line leave of its beginning: how long the prefix is, and what of the marker is theirs.
type left struct{ prefix, marker, marks uint8 }

func (f *flow) left() left { return left{uint8(len(f.prefix)), uint8(f.marker), uint8(len(f.marks))} }

// mark puts a marker before the next line. With hang, those behind it are indented by as much.
func (f *flow) mark(m string, hang bool) {
	if len(f.prefix)+len(f.marks)+len(m) > maxPrefix {
		return
	}
	f.marks = append(f.marks, m...)
	if !hang {
		return
	}
	f.marker += len(m)
	for range len(m) {
		f.prefix = append(f.prefix, ' ')
	}
}

// indent puts p before each line from now on.
func (f *flow) indent(p string) {
	if len(f.prefix)+len(p) <= maxPrefix {
		f.prefix = append(f.prefix, p...)
	}
}

// back ends what mark or indent began. A marker without text behind it is taken back.
func (f *flow) back(to left) {
	f.prefix = f.prefix[:min(int(to.prefix), len(f.prefix))]
	f.marks = f.marks[:min(int(to.marks), len(f.marks))]
	f.marker = min(int(to.marker), f.marker)
}

// open makes sure that a line is open for text.
func (f *flow) open() {
	if f.began {
		for f.feeds < f.due {
			f.feed()
		}
	}
	f.due = 0
	if f.began && f.feeds == 0 {
		if f.space {
			f.buf = append(f.buf, ' ')
		}
		f.space = false
		return
	}
	f.space, f.began, f.feeds = false, true, 0
	if len(f.marks) > 0 {
		f.buf = append(f.buf, f.prefix[:max(0, len(f.prefix)-f.marker)]...)
		f.buf = append(f.buf, f.marks...)
		f.marker, f.marks = 0, f.marks[:0]
		return
	}
	f.buf = append(f.buf, f.prefix...)
}

// feed ends a line.
func (f *flow) feed() {
	f.buf = append(f.buf, '\n')
	f.feeds++
	f.lines++
}

// end ends the open line, if there is one.
func (f *flow) end() {
	f.space = false
	if f.began && f.feeds == 0 {
		f.feed()
	}
}

// text adds text whose white space is folded.
func (f *flow) text(b []byte) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && space(b[n]) {
			n++
		}
		if n > 0 {
			f.space = f.space || f.began && f.feeds == 0 && f.due == 0
			b = b[n:]
			continue
		}
		for n < len(b) && !space(b[n]) {
			n++
		}
		f.open()
		f.buf = append(f.buf, b[:n]...)
		b = b[n:]
	}
}

// verbatim adds text whose white space stays.
func (f *flow) verbatim(b []byte) {
	for len(b) > 0 {
		n := 0
		for n < len(b) && b[n] != '\n' {
			n++
		}
		if n > 0 {
			f.open()
			f.buf = append(f.buf, b[:n]...)
		}
		if n == len(b) {
			return
		}
		if f.began {
			f.due = max(f.due, f.feeds) + 1
		}
		b = b[n+1:]
	}
}

// line is a break within a paragraph.
func (f *flow) line() {
	f.space = false
	if f.began {
		f.due = min(2, max(f.due, f.feeds)+1)
	}
}

// visible counts the characters of b that are no white space.
func visible(b []byte) (n int64) {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c > ' ' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r != '\u00a0' {
			n++
		}
		i += size
	}
	return n
}
