//go:build !wasip1

package readapi

import "strings"

// Flow follows the parts of an answer, in their order, for whoever lays them out to be read: it knows where a part needs a line that says which
// unit it is of, and what of the data stands in the text already.
type Flow struct {
	unit       Unit
	many       bool  // units, or an unknown number
	last       int64 // the unit of the part before
	from, next int64 // units whose text was given last, without a gap, and the one that would follow
}

// NewFlow returns the flow of an answer, before its first part.
func NewFlow(doc *Document) *Flow {
	return &Flow{unit: doc.Unit, many: doc.Total > 1, from: 1, next: 1}
}

// Next goes on to p and reports whether it begins with a marker of its unit: wherever a file has several, except where lines follow each
// other without a gap.
func (f *Flow) Next(p *Part) (marked bool) {
	defer func() { f.last = p.At }()
	if f.unit != UnitLine {
		marked = f.many && f.last != p.At
		if p.Type == PartText {
			f.from, f.next = p.At, p.At+1
		}
		return marked
	}
	switch {
	case p.Type == PartText:
		marked = p.At != f.next
		if marked {
			f.from = p.At
		}
		f.next = p.At + lineEnds(p.Text)
		if !strings.HasSuffix(p.Text, "\n") && !strings.HasSuffix(p.Text, "\r") {
			f.next++
		}
		return marked
	case f.beside(p):
		return false
	}
	marked = p.At != f.next && p.At != f.last
	f.from, f.next = p.At+1, p.At+1 // what p stands behind was given before
	return marked
}

// Words is the data of p, the part that Next went on to, in words: see DataText. Of a table whose rows are lines nothing is said where these
// are in the answer.
func (f *Flow) Words(p *Part) string {
	beside := f.beside(p)
	words := DataText(p.Data, beside)
	if beside && f.unit == UnitLine && strings.HasPrefix(words, tableWords) {
		return ""
	}
	return words
}

// beside reports whether the text of p's unit was given just before it.
func (f *Flow) beside(p *Part) bool { return f.from <= p.At && p.At < f.next }

// lineEnds counts the ends of lines in s: LF, CRLF and CR.
func lineEnds(s string) int64 {
	return int64(strings.Count(s, "\n") + strings.Count(s, "\r") - strings.Count(s, "\r\n"))
}
