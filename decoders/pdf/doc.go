// Package pdf decodes PDF files into text, a page at a time.
//
//	res, err := pdk.Run(&pdf.Decoder, bytes.NewReader(data), readapi.Request{Form: readapi.FormText})
//
// A file goes through three layers. The repair step (file.go, xref.go, rebuild.go, crypt.go, filters.go) finds the objects of a file,
// sound or not, and shows them to the object layer through a view (view.go) in which everything is in order. The object layer,
// github.com/ledongthuc/pdf, parses objects and follows references; value.go makes its panics into nulls. On top the interpreter
// (interp.go, font.go, cmap.go, encoding.go, layout.go) runs the content of a page and turns glyphs into words and lines by where they
// stand.
//
// Nothing is allocated by a number that a file declares, no walk goes anywhere twice, and work is counted (budget.go), so that a read
// ends on any input also natively. Only what is asked for is read: the tail, the cross-references and the objects of the pages selected.
package pdf
