package rtf

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func text(t interface{ Fatalf(string, ...any) }, in string) (string, *Document) {
	var out strings.Builder
	doc, err := Read([]byte(in), Sink{Text: func(b []byte) error {
		if !utf8.Valid(b) {
			t.Fatalf("%q: a piece is not UTF-8: %q", in, b)
		}
		out.Write(b)
		return nil
	}})
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return out.String(), doc
}

// TestText: whatever a text is written with, it comes back: as \u with something for old readers behind it, as bytes of the code page, as
// they are, between groups that change nothing.
func TestText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var in, want strings.Builder
		in.WriteString(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0\fcharset0 A;}}`)
		uc := 1
		for range rapid.IntRange(0, 40).Draw(t, "pieces") {
			switch c := rapid.RuneFrom([]rune("ab äé€漢😀\\{}")).Draw(t, "rune"); rapid.IntRange(0, 5).Draw(t, "how") {
			case 0:
				for _, u := range utf16.AppendRune(nil, c) {
					fmt.Fprintf(&in, `\u%d`, int16(u))
					if uc == 0 {
						in.WriteByte(' ')
					}
					in.WriteString(strings.Repeat(rapid.SampledFrom([]string{"?", `\'3f`, `\emdash `}).Draw(t, "instead"), uc))
				}
				want.WriteRune(c)
			case 1:
				in.WriteString(`\'e4`)
				want.WriteRune('ä')
			case 2:
				in.WriteString("x\r\n")
				want.WriteByte('x')
			case 3:
				in.WriteString(`{\b{\i y}}{\*\nobody knows{ this}}`)
				want.WriteByte('y')
			case 4:
				uc = rapid.IntRange(0, 3).Draw(t, "uc")
				fmt.Fprintf(&in, `\uc%d `, uc)
			case 5:
				in.WriteString("z\\par\n")
				want.WriteString("z\n")
			}
		}
		in.WriteString("}")
		got, doc := text(t, in.String())
		expected := want.String()
		if expected != "" && !strings.HasSuffix(expected, "\n") {
			expected += "\n"
		}
		if got != expected || doc.Damaged || doc.Replaced > 0 {
			t.Fatalf("%s: %q, want %q", in.String(), got, expected)
		}
	})
}

// TestTables: a row is a line, its cells have tabs between them; what is in a cell stays on the line.
func TestTables(t *testing.T) {
	for in, want := range map[string]string{
		`\trowd\intbl a\cell b\cell\row\intbl c\cell\cell\row\pard d`:                                   "a\tb\nc\nd\n",
		`\intbl a\par\par b\line c\cell{\b d}\cell\row`:                                                 "a b c\td\n",
		`\intbl\cell\cell x\cell\row`:                                                                   "\t\tx\n",
		`\intbl a{\intbl n\nestcell m\nestcell{\*\nesttableprops\nestrow}{\nonesttables\par}}\cell\row`: "an\tm\n",
		`\intbl\cell\row after`:                                                                         "after\n",
	} {
		if got, _ := text(t, `{\rtf1 `+in+"}"); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

func TestLinks(t *testing.T) {
	for in, want := range map[string]string{
		`HYPERLINK "http://a b"`:             "http://a b",
		`HYPERLINK http://a `:                "http://a",
		` HYPERLINK \\l "place"`:             "#place",
		`HYPERLINK "u" \\o "tip" \\t "_top"`: "u",
		`HYPERLINK \\n "u"`:                  "u",
		`PAGE`:                               "",
		`HYPERLINK`:                          "",
		`HYPERLINK "open`:                    "open",
	} {
		var got []Link
		in := `{\rtf1 {\field{\*\fldinst ` + in + `}{\fldrslt {\b sh}own}}\par}`
		if _, err := Read([]byte(in), Sink{Links: func(l []Link) error { got = append(got, l...); return nil }}); err != nil {
			t.Fatal(err)
		}
		if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || got[0] != Link{"shown", want}) {
			t.Errorf("%s: %v, want %s", in, got, want)
		}
	}
}

// TestBounds: what a document nests, opens and names without end costs no more than its size.
func TestBounds(t *testing.T) {
	for name, in := range map[string]string{
		"fields":  strings.Repeat(`\field\fldrslt`, 200_000),
		"groups":  strings.Repeat(`{\field{\*\fldinst HYPERLINK "x"}{\fldrslt `, 100_000),
		"fonts":   `{\fonttbl` + strings.Repeat(`{\f1\fcharset2 Symbol;}`, 100_000) + "}",
		"pieces":  `{\pict` + strings.Repeat(`\bin1 x`, 200_000) + "}",
		"notes":   strings.Repeat(`{\footnote `, 100_000),
		"info":    `{\info` + strings.Repeat(`{\title x}`, 100_000) + "}",
		"unicode": strings.Repeat(`\u55357`, 200_000),
	} {
		if got, _ := text(t, `{\rtf1 `+in); len(got) > 3*len(in) {
			t.Errorf("%s: %d bytes of text from %d", name, len(got), len(in))
		}
	}
}
