// Package json reads JSON (RFC 8259) token by token, from text that comes in pieces.
//
//	r := json.NewReader(next) // next gives the text piece by piece, and io.EOF at its end
//	for {
//		t, err := r.Next()
//		if err == io.EOF {
//			break // the text is one JSON value
//		}
//		if err != nil {
//			return err // a *json.SyntaxError says where and why, any other error is that of next
//		}
//		if t.Kind == json.Key && t.Text() == "outputs" {
//			err = r.Skip() // the whole value that follows
//		}
//	}
//
// It is strict: what encoding/json takes for valid is valid, all else is not. There is no recursion; memory is bounded by the longest
// token that is kept (Reader.MaxToken) and by a bit for each level. The text is taken as UTF-8, which whoever gives the pieces has made
// sure of.
package json
