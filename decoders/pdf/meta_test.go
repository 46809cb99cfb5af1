package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestMeta(t *testing.T) {
	w := &pdfWriter{}
	w.info = w.add("<</Title<FEFF00DC0062006500720020D83DDE00>/Author(J\\374rgen \\200)/Subject()/Producer(\xef\xbb\xbfgl\xc3\xb6ve)/CreationDate(D:20240229120000+01'00')/ModDate(D:2025)>>")
	first := w.add("<</Title(a)/Next 3 0 R>>")
	w.add("<</Title(b)/Next 2 0 R>>") // a loop
	outlines := w.add("<</First %d 0 R>>", first)
	page := w.add("<</Type/Page>>")
	tree := w.add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.root = w.add("<</Type/Catalog/Pages %d 0 R/Outlines %d 0 R/Lang(de)/Version/2.0/MarkInfo<</Marked true>>>>", tree, outlines)
	res := decodeBytes(t, w.table(), readapi.Request{})
	want := map[string]any{
		"title": "Über 😀", "author": "Jürgen •", "producer": "glöve", "created": "2024-02-29T12:00:00+01:00", "modified": "2025-01-01T00:00:00Z",
		"pages": 1.0, "version": "2.0", "language": "de", "tagged": true, "outline": 2.0, "encrypted": false,
	}
	if d := cmp.Diff(want, res.Meta); d != "" {
		t.Errorf("meta (-want +got):\n%s", d)
	}
}

func TestMetaIsDecrypted(t *testing.T) {
	for revision := 2; revision <= 6; revision++ {
		res := decodeBytes(t, encrypted(revision, "", hello), readapi.Request{})
		if res.Meta["title"] != "Sealed" || res.Meta["encrypted"] != true {
			t.Errorf("revision %d: meta %v", revision, res.Meta)
		}
	}
}

func TestDate(t *testing.T) {
	for in, want := range map[string]string{
		"D:20240131235958Z": "2024-01-31T23:59:58Z", "20240131": "2024-01-31T00:00:00Z", "D:20240131120000-0830": "2024-01-31T12:00:00-08:30",
		"D:20240131120000+01'00": "2024-01-31T12:00:00+01:00", "D:2024013": "2024-01-01T00:00:00Z", "D:20241331": "", "yesterday": "", "": "", "D:20240131250000": "",
	} {
		if got := date(in); got != want {
			t.Errorf("date(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestGlyphList(t *testing.T) {
	last, n := "", 0
	for line := range strings.SplitSeq(strings.TrimSpace(glyphList), "\n") {
		if line[0] == '#' {
			continue
		}
		var name string
		var r rune
		if _, err := fmt.Sscanf(line, "%s %x", &name, &r); err != nil || name <= last {
			t.Fatalf("line %q behind %q: %v", line, last, err)
		}
		if got := glyphRune(name); got != r {
			t.Errorf("glyphRune(%q) = %x, want %x", name, got, r)
		}
		last = name
		n++
	}
	if n < 4000 {
		t.Errorf("%d names", n)
	}
	for _, name := range []string{"", "#", "zzzz", "nonsense", "A ", "Copyright"} {
		if r := glyphRune(name); r != 0 {
			t.Errorf("glyphRune(%q) = %x", name, r)
		}
	}
}

func TestLexerNumbers(t *testing.T) {
	for in, want := range map[string]float64{
		"1": 1, "-1.5": -1.5, "+.25": .25, "-": 0, ".": 0, "--5": -5, "1.2.3": 1.2, "12-34": 12, "5-": 5, "0.5w": .5, "007": 7, "4.": 4,
	} {
		l := lexer{b: []byte(in)}
		if got := l.next(); got.kind != tokNumber || got.num != want {
			t.Errorf("%q is %v, want %v", in, got, want)
		}
	}
}

func TestLexerStrings(t *testing.T) {
	for in, want := range map[string]string{
		"(a(b)c)": "a(b)c", `(\101\60\7x)`: "A0\ax", "(a\\\nb\\\r\nc)": "abc", "(a\r\nb\rc)": "a\nb\nc", `(\n\r\t\b\f\(\)\\\q)`: "\n\r\t\b\f()\\q",
		"(open": "open", `(\`: "", "<48 65 6C6>": "Hel`", "<4": "@", "<zz41>": "A", "/A#42#zz": "AB#zz", "/": "",
	} {
		l := lexer{b: []byte(in)}
		if got := l.next(); string(got.s) != want {
			t.Errorf("%q is %q, want %q", in, got.s, want)
		}
	}
}
