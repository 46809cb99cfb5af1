package object

import "testing"

func TestLexerNumbers(t *testing.T) {
	for in, want := range map[string]float64{
		"1": 1, "-1.5": -1.5, "+.25": .25, "-": 0, ".": 0, "--5": -5, "1.2.3": 1.2, "12-34": 12, "5-": 5, "0.5w": .5, "007": 7, "4.": 4, "0.75": .75, "612.283": 612.283,
		"0.00000000000000000001": 0, "1.0000000000000000000000001": 1,
	} {
		l := Lexer{B: []byte(in)}
		if got := l.Next(); got.Kind != TokNumber || got.Num != want {
			t.Errorf("%q is %v, want %v", in, got, want)
		}
	}
}

func TestLexerStrings(t *testing.T) {
	for in, want := range map[string]string{
		"(a(b)c)": "a(b)c", `(\101\60\7x)`: "A0\ax", "(a\\\nb\\\r\nc)": "abc", "(a\r\nb\rc)": "a\nb\nc", `(\n\r\t\b\f\(\)\\\q)`: "\n\r\t\b\f()\\q",
		"(open": "open", `(\`: "", "<48 65 6C6>": "Hel`", "<4": "@", "<zz41>": "A", "/A#42#zz": "AB#zz", "/": "",
	} {
		l := Lexer{B: []byte(in)}
		if got := l.Next(); string(got.S) != want {
			t.Errorf("%q is %q, want %q", in, got.S, want)
		}
	}
}
