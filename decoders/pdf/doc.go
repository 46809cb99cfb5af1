// Package pdf decodes PDF files into text, a page at a time.
//
//	res, err := pdk.Run(&pdf.Decoder, bytes.NewReader(data), readapi.Request{Form: readapi.FormText})
//
// Data goes one way through the packages below internal: object finds the objects of a file, sound or not; font turns codes into text;
// content runs the content of a page and says what stands where; layout makes lines, paragraphs and tables of that. This package knows
// documents: pages, what a file says of itself, and the answer.
//
// Nothing is allocated by a number that a file declares, no walk goes anywhere twice, and work is counted, so that a read ends on any
// input also natively. Only what is asked for is read: the tail, the cross-references and the objects of the pages selected.
package pdf
