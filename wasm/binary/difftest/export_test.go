package difftest

import "testing"

// CompareTo compares wasm with what is said to be its rewritten form, and reports to t.
func (l *Lab) CompareTo(t testing.TB, wasm, rewritten []byte, opts *Options, calls []Call) {
	l.On(t).compare(wasm, rewritten, opts, calls)
}
