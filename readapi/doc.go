// Package readapi holds the words that every part of glovebox shares: addresses, sessions, media types, units, selections, budgets,
// documents, and the closed list of codes. It imports the standard library only and compiles to wasip1, so that a decoder inside the
// sandbox and the host outside it speak of the same things.
//
//	id, err := readapi.ParseURI("maka://runtime/attachments/att_1")
//	sel, err := readapi.ParseUnits("1-3,7")
//	if errors.Is(err, readapi.CodeInvalidRequest) { … }
//
// Data goes on from here to package host, which turns a request into a Document.
package readapi
