package pdf

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestToUnicode reads through maps that writers make, whole and broken ones.
func TestToUnicode(t *testing.T) {
	space := "1 begincodespacerange <0000> <ffff> endcodespacerange "
	for _, c := range []struct{ name, body, hex, want string }{
		{"range", space + "1 beginbfrange <0003> <0005> <0041> endbfrange", "000300040005", "ABC"},
		{"array", space + "1 beginbfrange <0003> <0005> [<0041> <00660069> <0043>] endbfrange", "000300040005", "AfiC"},
		{"array too short", space + "1 beginbfrange <0003> <0009> [<0041>] endbfrange 1 beginbfchar <0004> <0042> endbfchar", "00030004", "AB"},
		{"over a byte", space + "1 beginbfrange <00fe> <0101> <00fe> endbfrange", "00fe00ff01000101", "þÿĀā"},
		{"last of several", space + "1 beginbfrange <0003> <0004> <00660061> endbfrange", "00030004", "fafb"},
		{"surrogates", space + "1 beginbfrange <0003> <0004> <d835dc00> endbfrange", "00030004", "𝐀𝐁"},
		{"a text of several glyphs", space + "3 beginbfchar <0041> <> <0042> <062d0628> <0043> <> endbfchar", "004100420043", "حب"},
		{"no code spaces", "1 beginbfchar <0003> <0041> endbfchar", "0003", "A"},
		{"spaces of one byte", "1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <03> <0041> <04> <0042> endbfchar", "00030004", "AB"},
		{"spaces wrong, codes of two bytes", "2 begincodespacerange <00> <ff> <0000> <ffff> endcodespacerange 1 beginbfchar <0003> <0041> endbfchar", "0003", "A"},
		{"names", space + "2 beginbfchar <0003> /A <0004> /fi endbfchar", "00030004", "Afi"},
		{"odd digits", space + "1 beginbfchar <0003> <004> endbfchar", "0003", "@"},
		{"white space in digits", space + "1 beginbfchar <00 03> <00\n41> endbfchar", "0003", "A"},
		{"one byte", space + "1 beginbfchar <0003> <41> endbfchar", "0003", "A"},
		{"byte order mark", space + "1 beginbfchar <0003> <feff0041> endbfchar", "0003", "A"},
		{"said twice", space + "2 beginbfchar <0003> <0042> <0003> <0041> endbfchar", "0003", "A"},
		{"count is wrong", space + "7 beginbfchar <0003> <0041> <0004> <0042> endbfchar", "00030004", "AB"},
		{"no end", space + "1 beginbfchar <0003> <0041> endbfchar 1 beginbfchar <0004> <0042>", "0003", "A"},
		{"glued", space + "1 beginbfchar<0003><0041>endbfchar 1 beginbfrange<0004><0005><0042>endbfrange", "000300040005", "ABC"},
		{"over another range", space + "2 beginbfrange <0000> <00ff> <0000> <0003> <0003> <0041> endbfrange", "00030042", "AB"},
	} {
		w := &pdftest.Writer{}
		tu := w.Flate("", c.body)
		font := w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/ToUnicode %d 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test>>]>>", tu)
		res := decodeBytes(t, w.Shown(font, c.hex), readapi.Request{})
		if got := strings.TrimSpace(res.Parts[0].Text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCodesByToUnicode holds that the code spaces of ToUnicode count where the encoding is not known.
func TestCodesByToUnicode(t *testing.T) {
	for encoding, want := range map[string]string{"/Identity-H": "", "/Nobody-H": "AB", "": "AB"} {
		got := shown(t, "0304", func(w *pdftest.Writer) int {
			tu := w.Flate("", "1 begincodespacerange <00> <ff> endcodespacerange 2 beginbfchar <03> <0041> <04> <0042> endbfchar")
			if encoding != "" {
				encoding = "/Encoding" + encoding
			}
			return w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test%s/ToUnicode %d 0 R/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test>>]>>", encoding, tu)
		})
		if got != want {
			t.Errorf("%s: %q, want %q", encoding, got, want)
		}
	}
}

// TestUselessToUnicode holds that a map that says nothing is asked nothing: the names of the glyphs are. Each case fails if the text of the
// map is taken as it is.
func TestUselessToUnicode(t *testing.T) {
	for _, c := range []struct{ name, body string }{
		{"empty", ""},
		{"no characters", "1 beginbfrange <41> <43> <fffd> endbfrange"},
		{"all one", "10 beginbfchar <41> <0020> <42> <0020> <43> <0020> <44> <0020> <45> <0020> <46> <0020> <47> <0020> <48> <0020> <49> <0020> <50> <0020> endbfchar"},
		{"zero", "3 beginbfchar <41> <0000> <42> <0000> <43> <0000> endbfchar"},
		{"private", "1 beginbfrange <41> <43> <f041> endbfrange"},
		{"controls", "3 beginbfchar <41> <0001> <42> <0002> <43> <0003> endbfchar"},
		{"names and zeros that say nothing", "3 beginbfchar <41> /g1 <42> <0042> <43> <00000000> endbfchar"},
		{"texts that are empty", "3 beginbfchar <41> <> <42> <> <43> <> endbfchar"},
		{"one good, others not", "3 beginbfchar <41> <0001> <42> <0042> <43> <e003> endbfchar"},
		{"not a map", "%PDF-1.4 garbage <41> ((("},
	} {
		w := &pdftest.Writer{}
		tu := w.Stream("", []byte("1 begincodespacerange <00> <ff> endcodespacerange "+c.body))
		font := w.Add("<</Type/Font/Subtype/Type1/BaseFont/Test/Encoding/WinAnsiEncoding/FirstChar 65/Widths[600 600 600]/ToUnicode %d 0 R>>", tu)
		res := decodeBytes(t, w.Shown(font, "414243"), readapi.Request{})
		if got := strings.TrimSpace(res.Parts[0].Text); got != "ABC" || len(res.Warnings) > 0 {
			t.Errorf("%s: %q %v", c.name, got, res.Warnings)
		}
	}
}

// TestNamedToUnicode holds what a name in place of a map means.
func TestNamedToUnicode(t *testing.T) {
	for _, c := range []struct{ name, hex, want string }{
		{"Identity-H", "00410042", "AB"}, {"Identity-V", "00410042", "AB"}, {"Adobe-Japan1-UCS2", "0465", "亜"},
	} {
		w := &pdftest.Writer{}
		font := w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/ToUnicode/%s/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test>>]>>", c.name)
		res := decodeBytes(t, w.Shown(font, c.hex), readapi.Request{})
		if got := strings.TrimSpace(res.Parts[0].Text); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestIdentityToUnicode holds that codes that are said to be Unicode are that, unless they are the numbers of glyphs in a program that knows
// what its glyphs are.
func TestIdentityToUnicode(t *testing.T) {
	program := pdftest.TrueType{Unicode: map[rune]int{'A': 36, 'b': 69}, Glyphs: 70}.Bytes()
	for _, c := range []struct {
		name, toUnicode, glyphs string
		program                 bool
		want                    string
	}{
		{"a name", "name", "", false, "$E"},
		{"a name and a program", "name", "", true, "Ab"},
		{"a name and a map of glyphs", "name", strings.Repeat("\x00\x24", 70), true, "$E"},
		{"a range", "1 beginbfrange <0000> <ffff> <0000> endbfrange", "", false, "$E"},
		{"a range and a program", "1 beginbfrange <0000> <ffff> <0000> endbfrange", "", true, "Ab"},
		{"a narrow range and a program", "1 beginbfrange <0020> <007e> <0020> endbfrange", "", true, "$E"},
	} {
		got := shown(t, "00240045", func(w *pdftest.Writer) int {
			tu, more := "/Identity-H", ""
			if c.toUnicode != "name" {
				tu = fmt.Sprintf(" %d 0 R", w.Flate("", c.toUnicode))
			}
			if c.program {
				more = fmt.Sprintf("/FontDescriptor %d 0 R", w.Program("FontFile2", 4, program))
			}
			if c.glyphs != "" {
				more += fmt.Sprintf("/CIDToGIDMap %d 0 R", w.Flate("", c.glyphs))
			}
			return w.Add("<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/ToUnicode%s/DescendantFonts[<</Type/Font/Subtype/CIDFontType2%s>>]>>", tu, more)
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPrivateIsUnknown holds that private characters are shown and counted as unknown.
func TestPrivateIsUnknown(t *testing.T) {
	w := &pdftest.Writer{}
	font := w.CIDFont("1 beginbfchar <0041> <e123> endbfchar")
	res := decodeBytes(t, w.Shown(font, strings.Repeat("0041", 20)), readapi.Request{})
	low := slices.ContainsFunc(res.Warnings, func(w readapi.Warning) bool { return w.Code == readapi.WarnLowConfidence })
	if got := strings.TrimSpace(res.Parts[0].Text); got != strings.Repeat("\ue123", 20) || !low {
		t.Errorf("%q %v", got, res.Warnings)
	}
}

// TestForms holds that forms are read as what they are forms of.
func TestForms(t *testing.T) {
	var body strings.Builder
	var hex, want string
	for i, c := range []struct{ form, text string }{
		{"fb00", "ff"}, {"fb03", "ffi"}, {"fb05", "st"}, {"2f00", "一"}, {"2fd5", "龠"}, {"2ea0", "⺠"}, {"f900", "豈"}, {"fe41", "「"}, {"00ad", "-"}, {"fb01", "fi"},
		{"0132", "Ĳ"},
	} {
		fmt.Fprintf(&body, "1 beginbfchar <%04x> <%s> endbfchar ", i+1, c.form)
		hex += fmt.Sprintf("%04x", i+1)
		want += c.text
	}
	got := shown(t, hex, func(w *pdftest.Writer) int { return w.CIDFont(body.String()) })
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// سلام in presentation forms, from left to right as it is drawn
	got = shown(t, "0001000200030004", func(w *pdftest.Writer) int {
		return w.CIDFont("4 beginbfchar <0001> <fee1> <0002> <fefc> <0003> <fee0> <0004> <feb3> endbfchar")
	})
	if want := "سل\u0644\u0627م"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
