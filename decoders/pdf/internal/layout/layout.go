// Package layout turns what stands on a page into text that reads as the page does: lines from places, columns in the order in which they
// are read, paragraphs, lists, headings and tables. Next is package pdf, which gives it out.
package layout

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
)

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
	var w writer
	for _, f := range flowsOf(p) {
		if f.skew {
			f.inContentOrder()
		} else {
			f.lines()
		}
		w.flow(f)
	}
	return w.result()
}
