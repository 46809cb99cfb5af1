package charset

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestOwnTables: each has its 128 characters, says each of them once, and what it writes it reads.
func TestOwnTables(t *testing.T) {
	for i := range ownTables {
		o := &ownTables[i]
		if n := utf8.RuneCountInString(o.high); n != 128 {
			t.Errorf("%s has %d characters above ASCII", o.label, n)
		}
		seen := map[rune]bool{}
		for b := range 256 {
			r := o.DecodeByte(byte(b))
			if seen[r] && r != utf8.RuneError {
				t.Errorf("%s has %q twice", o.label, r)
			}
			seen[r] = true
			if r == utf8.RuneError {
				continue
			}
			in, err := o.NewEncoder().String(string(r))
			if err != nil || in != string([]byte{byte(b)}) {
				t.Errorf("%s writes %q as %q, %v", o.label, r, in, err)
			}
			if out, err := o.NewDecoder().String(in); err != nil || out != string(r) {
				t.Errorf("%s reads %q as %q, %v", o.label, in, out, err)
			}
		}
	}
}

func TestOwnTablesKnown(t *testing.T) {
	for _, c := range []struct{ label, in, want string }{
		{"x-mac-ce", "\x8a\xb8\xde", "äłř"}, {"ibm775", "\x83\xd5\xd2", "āšę"}, {"ibm1125", "\xf7\xf9", "ії"}, {"ibm737", "\x98\xe1", "αά"},
		{"ibm857", "\x8d\xa7\x9f", "ığş"}, {"viscii", "\x02\xd5\xb5", "Ẳạộ"}, {"x-mac-greek", "\xe1\xc0", "αά"}, {"x-mac-turkish", "\xdd\xdb", "ığ"},
	} {
		if got, _ := Encoding(c.label).NewDecoder().String(c.in); got != c.want {
			t.Errorf("%q in %s is %q, want %q", c.in, c.label, got, c.want)
		}
	}
}

func TestISO2022KR(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""}, {"\x1b$)C", ""}, {"\x1b$)Cabc", "abc"}, {"\x0e0!3*\x0f!", "가나!"}, {"\x0e0!\n0!", "가\n0!"}, {"\x0e0!0", "가\ufffd"},
		{"\x0e0\x0f", "\ufffd"}, {"\xb0\xa1", "\ufffd\ufffd"}, {"\x0e0! 3*", "가 나"}, {"\x0e~~", "\ufffd"}, {"\x1b[1mx", "\x1b[1mx"}, {"\x1b$", ""},
	} {
		for _, whole := range []string{c.in, strings.Repeat("x", 4090) + c.in} { // across the pieces of a reader too
			want := strings.Repeat("x", len(whole)-len(c.in)) + c.want
			if got, err := Encoding("iso-2022-kr").NewDecoder().String(whole); err != nil || got != want {
				t.Errorf("%q is %q, %v, want %q", c.in, strings.TrimLeft(got, "x"), err, c.want)
			}
		}
	}
}
