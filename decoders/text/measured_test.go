package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
)

// kinds are the shapes in which a text of a legacy charset meets a reader.
var kinds = []struct {
	name string
	make func(text, names string) string
}{
	{"words", func(text, _ string) string { return firstWords(text, 30) }},
	{"line", func(text, _ string) string { return firstWords(text, 80) + "\n" }},
	{"paragraph", func(text, _ string) string { return text + "\n" }},
	{"page", func(text, names string) string { return strings.Repeat(text+"\n\n"+names, 12) }},
	{"markup", func(text, _ string) string {
		return "<html><head><title>index</title><link rel=\"stylesheet\" href=\"main.css\"></head>\n<body class=\"page\">\n<div id=\"content\"><p>" +
			strings.ReplaceAll(text, "\n", "</p>\n<p>") + "</p></div>\n<script src=\"app.js\"></script></body></html>\n"
	}},
	{"code", func(text, _ string) string {
		return "#include <stdio.h>\n\n/* " + firstWords(text, 100) + " */\nint main(int argc, char **argv)\n{\n\tfor (int i = 0; i < argc; i++)\n\t\tprintf(\"%s\\n\", argv[i]);\n\treturn 0;\n}\n"
	}},
	{"table", func(text, names string) string {
		return "id;name;city;amount\n" + "1;" + strings.ReplaceAll(names, "\n", ";12.50\n2;") + firstWords(text, 25) + ";;0\n"
	}},
	{"names", func(_, names string) string { return names }},
	{"upper", func(text, _ string) string { return strings.ToUpper(text) + "\n" }},
	{"settings", func(text, _ string) string {
		return "[main]\nversion=1.2\ntitle=" + firstWords(text, 40) + "\n; see the manual\npath=/usr/share/app\nenabled=true\nhint=" + lastWords(text, 40) + "\n"
	}},
}

// firstWords cuts a text behind the word that ends after about n characters, or right there in scripts without blanks.
func firstWords(text string, n int) string {
	text = strings.ReplaceAll(text, "\n", " ")
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	for i := n; i < min(len(runes), n+20); i++ {
		if unicode.IsSpace(runes[i]) {
			return string(runes[:i])
		}
	}
	return string(runes[:n])
}

func lastWords(text string, n int) string {
	_, line, _ := strings.Cut(text, "\n")
	return firstWords(line, n)
}

// TestDetectMeasured is the project's own measure of the detection: texts that it was not made from, in their languages' charsets, whole
// and in pieces, among ASCII and alone. A sample is right when its text is. The rate may only rise.
func TestDetectMeasured(t *testing.T) {
	const rate = 97 // per cent
	right, all := 0, 0
	for _, l := range charsettest.Measured {
		for label := range strings.FieldsSeq(l.Charsets) {
			for _, k := range kinds {
				want := k.make(l.Text, l.Names)
				in, err := charsettest.TryEncode(want, label)
				if err != nil { // upper case that the charset lacks
					want = k.make(strings.Map(dropRare, l.Text), l.Names)
					in = charsettest.Encode(t, want, label)
				}
				if label == "windows-1258" {
					want = charsettest.Apart(want)
				}
				all++
				res, err := try(in, asSource)
				if err == nil && textOf(res) == want {
					right++
					continue
				}
				if err != nil {
					t.Logf("%s of %s in %s: %v", k.name, l.Name, label, err)
					continue
				}
				t.Logf("%s of %s in %s is read as %v (%v): %.60q", k.name, l.Name, label, res.Meta["charset"], res.Meta["confidence"], firstHigh(textOf(res)))
			}
		}
	}
	t.Logf("%d of %d samples are right: %.1f %%", right, all, 100*float64(right)/float64(all))
	if right*100 < all*rate {
		t.Errorf("less than %d %%", rate)
	}
}

// dropRare leaves out what has no upper case in some charsets.
func dropRare(r rune) rune {
	if r == 'ΐ' || r == 'ΰ' {
		return -1
	}
	return r
}

func firstHigh(s string) string {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return s[max(0, i-10):]
		}
	}
	return s
}
