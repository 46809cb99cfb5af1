package font

import (
	"testing"

	"golang.org/x/text/unicode/norm"
)

// TestForms compares the forms with Unicode's own, and holds that no character outside their blocks is touched.
func TestForms(t *testing.T) {
	n := 0
	for r := rune(1); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		got := normal(string(r))
		if !hasForm(r) {
			if got != string(r) && r != 0xad {
				t.Fatalf("%x is %q", r, got)
			}
			continue
		}
		if want := norm.NFKC.String(string(r)); got != string(r) {
			n++
			if alone := r >= 0xfe70 && r < 0xfe80 || r >= 0xfc5e && r <= 0xfc63; got != want && !alone {
				t.Errorf("%x is %q, want %q", r, got, want)
			}
		}
	}
	if n < 1500 {
		t.Errorf("%d forms", n)
	}
	for in, want := range map[string]string{"a\u00adb": "a-b", "a\x00b": "ab", "ﬃx": "ffix", "": "", "é": "é"} {
		if got := normal(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	if _, ok := unpackForms(forms[:len(forms)/2]).text(0xfb50); ok {
		t.Error("half of the forms")
	}
}

func TestSays(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "a": true, " ": true, "\t": true, "\u00a0": true, "é": true, "\x00": false, "\x07": false, "\x85": false, "\ue000": false, "a\uf8ff": false,
		"\ufffd": false, "\xff": false, "\uffff": false, "\ufdd0": false, "\U000f0000": false, "\U0001f600": true, "\u200b": true,
	} {
		if got := says([]byte(in)); got != want {
			t.Errorf("%q says %v", in, got)
		}
	}
}
