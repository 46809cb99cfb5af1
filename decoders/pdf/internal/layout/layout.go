// Package layout turns what stands on a page into text that reads as the page does.
package layout

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"

// layout lays out one page.
type layout struct{ page *content.Page }

// Result is a page as it reads.
type Result struct {
	Text   string // ends in one newline; "" for a page without text
	Tables []Table
}

// Table is a table that stands in a text.
type Table struct {
	Rows     [][]string // every row has as many cells; a cell that another one spans is ""
	Header   bool       // the first row names the columns
	From, To int        // what of Text it takes, in bytes
}

// Lay returns what is seen of a page as text, and the tables in it.
func Lay(p *content.Page) Result {
	l := layout{page: p}
	return Result{Text: l.text()}
}

func (l *layout) text() string {
	out := make([]byte, 0, len(l.page.Buf)+len(l.page.Buf)/8+16)
	for i := 0; i < len(l.page.Spans); {
		end, rtl := l.line(i)
		if i > 0 {
			out = append(trimRight(out), '\n')
		}
		if rtl {
			out = l.appendRTL(out, l.page.Spans[i:end])
		} else {
			out = l.appendSpans(out, l.page.Spans[i:end])
		}
		i = end
	}
	if out = trimRight(out); len(out) > 0 {
		out = append(out, '\n')
	}
	return string(out)
}

// line returns the end of the line that begins with span i, and whether some of it runs from right to left: such a line may be drawn in
// either direction.
func (l *layout) line(i int) (end int, rtl bool) {
	rtl = l.page.Spans[i].RTL
	for end = i + 1; end < len(l.page.Spans); end++ {
		a, b := &l.page.Spans[end-1], &l.page.Spans[end]
		rtl = rtl || b.RTL
		if g := content.Between(a, b); g == content.GapLine && !(rtl && beside(a, b)) {
			return end, rtl && anyRTL(l.page.Spans[i:end])
		}
	}
	return end, rtl
}

// appendSpans appends the spans of a line with blanks where there are gaps.
func (l *layout) appendSpans(out []byte, spans []content.Span) []byte {
	for i := range spans {
		if n := len(out); i > 0 && n > 0 && out[n-1] != ' ' && content.Between(&spans[i-1], &spans[i]) != content.GapNone {
			out = append(out, ' ')
		}
		out = append(out, l.page.Text(&spans[i])...)
	}
	return out
}

// trimRight drops blanks at the end.
func trimRight(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
