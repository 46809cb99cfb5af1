// Package html gives the visible text of HTML, in the order of reading and with the structure of its blocks.
//
//	page, err := html.Render(next, html.Output{Write: write, Data: data}, html.Options{})
//
// It is a tokenizer and a layout in one pass, not a tree: the text comes in pieces, leaves in pieces, and what is kept in between is the
// open elements, the line and the table at hand. Nothing is fetched, no script runs, and no style sheet is looked at but for the styles
// that stand in the elements themselves.
package html
