package difftest

import "testing"

// CompareTo compares wasm with what is said to be its rewritten form, and reports to t.
func (l *Lab) CompareTo(t testing.TB, wasm, rewritten []byte, opts *Options, calls []Call) {
	l.t = t
	l.compare(wasm, rewritten, opts, calls)
}
