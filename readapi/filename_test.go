package readapi_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestFileName(t *testing.T) {
	for in, want := range map[string]string{
		"dir/fixture.txt":        "dir-fixture.txt",
		" ../unsafe:name?.txt ":  "unsafe-name-.txt",
		"-.gitignore":            "gitignore",
		"  . a":                  "a",
		"...":                    "artifact",
		"":                       "artifact",
		"a\tb.txt":               "a b.txt",
		"a*b|c<d>e\"f.txt":       "a-b-c-d-e-f.txt",
		`C:\Users\me\q3.pdf`:     "C--Users-me-q3.pdf",
		"a\nb\r\n c":             "a b c",
		"a\x00b":                 "a-b",
		"q3\u202efdp.exe":        "q3fdp.exe", // what turns the reading direction is not kept
		"\u202e":                 "artifact",
		"a\x1b[2Jb":              "a[2Jb",
		"a\xffb":                 "a-b",
		"流水线\u3000图.png":         "流水线 图.png",
		"a. ":                    "a",
		"\U000E0041a\U000E0042b": "ab",

		strings.Repeat("a", 119) + "\U0001F600tail": strings.Repeat("a", 119),
		strings.Repeat("a", 118) + "\U0001F600tail": strings.Repeat("a", 118) + "\U0001F600",
		strings.Repeat("x", 120):                    strings.Repeat("x", 120),
		strings.Repeat("x", 200) + ".pdf":           strings.Repeat("x", 116) + ".pdf",
		strings.Repeat("x", 116) + "....pdf":        strings.Repeat("x", 116) + ".pdf",
		strings.Repeat("x", 200) + ".what is this":  strings.Repeat("x", 120),
	} {
		if got := readapi.FileName(in); got != want {
			t.Errorf("FileName(%q) = %q, want %q", in, got, want)
		}
	}
}

// Whatever the name: one line of UTF-8 without separators or what is not seen, bounded, and as it is when it is stored again.
func FuzzFileName(f *testing.F) {
	for _, s := range []string{"a.txt", " ../x?.pdf ", strings.Repeat("x", 200) + ".pdf", "\u202e", "a\xff", strings.Repeat("\U0001F600", 61) + ".b c", "a. .pdf"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		name := readapi.FileName(s)
		if again := readapi.FileName(name); again != name {
			t.Fatalf("%q is stored as %q and then as %q", s, name, again)
		}
		if n := len(utf16.Encode([]rune(name))); n == 0 || n > 120 || !utf8.ValidString(name) {
			t.Fatalf("%q is stored as %q, %d units", s, name, n)
		}
		if strings.ContainsAny(name, "\x00\\/:*?\"<>|\r\n\t") || strings.ContainsFunc(name, readapi.Hidden) || strings.HasPrefix(name, ".") {
			t.Fatalf("%q is stored as %q", s, name)
		}
	})
}
