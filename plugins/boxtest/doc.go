// Package boxtest is a decoder of files with files inside, for tests of whoever reads those: of ZIP archives, whose entries are the units.
//
//	reader.Add(…) // boxtest.Decoder natively, or as the guest that Build makes
//	boxtest.Zip("", boxtest.Entry{Name: "a.txt", Data: text}, boxtest.Entry{Name: "b.zip", Data: boxtest.Nest(3, leaf)})
//
// A text entry is text and every other one is named; in the form image entries are handed on as pictures. An archive whose comment says so
// wants a password. Only tests import this package.
package boxtest
