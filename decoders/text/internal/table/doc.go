// Package table reads tables that are written as text: comma-separated values (RFC 4180) as programs really write them, with any of the
// usual delimiters.
//
//	d, ok := table.Detect(sample, whole, ',')
//	s := table.NewScanner(d)
//	for len(chunk) > 0 {
//		n, done := s.Row(chunk) // n bytes belong to the row; done: it ends with them
//		chunk = chunk[n:]
//	}
//	last := s.Finish()
//
// The text itself stays what it is: the scanner only says where its rows end and what their cells say.
package table
