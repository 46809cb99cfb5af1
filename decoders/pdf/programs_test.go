package pdf

import (
	"fmt"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// TestSimplePrograms reads codes of simple fonts that only the embedded program explains.
func TestSimplePrograms(t *testing.T) {
	const symbolic, plain = 4, 32
	unicode := map[rune]int{'A': 1, 'Ω': 2, 'ж': 3}
	for _, c := range []struct {
		name, subtype, more, key string
		flags                    int
		program                  []byte
		hex, want                string
	}{
		{"TrueType, symbol and Unicode", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{Unicode: unicode, Symbol: map[int]int{0xf021: 1, 0xf022: 2, 0xf023: 3}, Glyphs: 4}.Bytes(), "212223", "AΩж"},
		{"TrueType, symbol codes below 256", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{Unicode: unicode, Symbol: map[int]int{0x21: 1, 0x22: 2}, Glyphs: 4}.Bytes(), "2122", "AΩ"},
		{"TrueType, Macintosh and Unicode", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{Unicode: unicode, Mac: map[byte]int{1: 1, 2: 2, 3: 3}, Glyphs: 4}.Bytes(), "010203", "AΩж"},
		{"TrueType, Macintosh trimmed and post", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{MacShort: map[int]int{1: 1, 2: 2, 5: 3}, Post: []string{".notdef", "eacute", "f_f", "uni0416"}, Glyphs: 4}.Bytes(), "010205", "éffЖ"},
		{"TrueType, names of the Macintosh", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{Mac: map[byte]int{1: 36, 2: 130, 3: 226}, PostMac: true, Glyphs: 258}.Bytes(), "010203", "A†Ł"},
		{"TrueType, nothing but codes", "TrueType", "", "FontFile2", symbolic,
			pdftest.TrueType{Mac: map[byte]int{'A': 1}, Glyphs: 2}.Bytes(), "41", "A"},
		{"TrueType, glyphs by number", "TrueType", "/Encoding<</Differences[33/g1/g2/g3]>>", "FontFile2", plain,
			pdftest.TrueType{Unicode: unicode, Glyphs: 4}.Bytes(), "212223", "AΩж"},
		{"TrueType where Type 1 should be", "Type1", "", "FontFile", symbolic,
			pdftest.TrueType{Unicode: unicode, Mac: map[byte]int{33: 2}, Glyphs: 4}.Bytes(), "21", "Ω"},
		{"CFF", "Type1", "", "FontFile3", symbolic, pdftest.CFF{Names: []string{"afii10065", "ordmale", "f_i.alt"}, Codes: []byte{33, 34, 35}}.Bytes(), "2123", "аfi"},
		{"CFF, standard strings", "Type1", "", "FontFile3", symbolic, pdftest.CFF{SIDs: []int{34, 150, 229, 239, 378}, Codes: []byte{1, 2, 3, 4, 5}}.Bytes(),
			"0102030405", "A¹!0ÿ"},
		{"CFF, ranges", "Type1", "", "FontFile3", symbolic, pdftest.CFF{SIDs: []int{34, 35}, Codes: []byte{1, 2}, Ranges: true}.Bytes(), "0102", "AB"},
		{"OpenType", "Type1", "", "FontFile3", symbolic,
			pdftest.TrueType{CFF: pdftest.CFF{Names: []string{"Q_u", "alpha"}}.Bytes(), Mac: map[byte]int{1: 1, 2: 2}, Glyphs: 3}.Bytes(), "0102", "Quα"},
		{"Type 1", "Type1", "", "FontFile", symbolic, pdftest.Type1("256 array 0 1 255 {1 index exch /.notdef put} for dup 33 /alpha put dup 8#42 /uni0416 put readonly def"),
			"2122", "αЖ"},
		{"Type 1, standard", "Type1", "", "FontFile", plain, pdftest.Type1("StandardEncoding def"), "41aed0", "Afi—"},
		{"Type 1, an encoding before it", "Type1", "/Encoding/WinAnsiEncoding", "FontFile", plain, pdftest.Type1("256 array dup 65 /alpha put def"), "41", "A"},
	} {
		got := shown(t, c.hex, func(w *pdftest.Writer) int {
			d := w.Program(c.key, c.flags, c.program)
			return w.Add("<</Type/Font/Subtype/%s/BaseFont/ABCDEF+Test%s/FontDescriptor %d 0 R>>", c.subtype, c.more, d)
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCompositePrograms reads identifiers that only the embedded program explains.
func TestCompositePrograms(t *testing.T) {
	unicode := pdftest.TrueType{Unicode: map[rune]int{'A': 1, 'Ω': 2, 'ж': 3, '𝐀': 4}, Glyphs: 5}.Bytes()
	for _, c := range []struct {
		name, key string
		program   []byte
		glyphs    string // of the identifiers, two bytes each
		hex, want string
	}{
		{"identity", "FontFile2", unicode, "", "0001000200030004", "AΩж𝐀"},
		{"a map of glyphs", "FontFile2", unicode, "\x00\x00\x00\x03\x00\x02", "00010002", "жΩ"},
		{"a map that is too short", "FontFile2", unicode, "\x00\x00\x00\x03", "00010002", "ж"},
		{"symbol only", "FontFile2", pdftest.TrueType{Unicode: map[rune]int{0xf041: 1}, Post: []string{"", "A"}, Glyphs: 2}.Bytes(), "", "0001", "A"},
		{"symbol", "FontFile2", pdftest.TrueType{Symbol: map[int]int{0xf0b7: 1, 0xf061: 2}, Glyphs: 3}.Bytes(), "", "0001", "\uf0b7"},
		{"CFF by names", "FontFile3", pdftest.CFF{Names: []string{"alpha", "beta"}}.Bytes(), "", "00010002", "αβ"},
		{"CFF of a collection", "FontFile3", pdftest.CFF{CIDs: []int{1125, 1126}, Ordering: "Japan1"}.Bytes(), "", "0465", "亜"},
		{"OpenType with identifiers", "FontFile3",
			pdftest.TrueType{Unicode: map[rune]int{'亜': 1, '唖': 2}, CFF: pdftest.CFF{CIDs: []int{700, 701}, Ordering: "Identity"}.Bytes(), Glyphs: 3}.Bytes(), "",
			"02bc02bd", "亜唖"},
	} {
		got := shown(t, c.hex, func(w *pdftest.Writer) int {
			more := fmt.Sprintf("/FontDescriptor %d 0 R", w.Program(c.key, 4, c.program))
			if c.glyphs != "" {
				more += fmt.Sprintf("/CIDToGIDMap %d 0 R", w.Flate("", c.glyphs))
			}
			return w.Composite("/Identity-H", "Identity", more)
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	// Fonts of the office that are not embedded.
	got := shown(t, "00240045000300460003007000e3", func(w *pdftest.Writer) int {
		return w.Add("<</Type/Font/Subtype/Type0/BaseFont/Arial,Bold/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Arial,Bold>>]>>")
	})
	if got != "Ab c éł" {
		t.Errorf("Arial: %q", got)
	}
	for name, want := range map[string]string{"Verdana-Bold": "Ab", "CenturyGothic,Bold": "Ab", "Calibri": "", "Cambria": ""} {
		got := shown(t, "00240045", func(w *pdftest.Writer) int {
			return w.Add("<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/%s>>]>>", name, name)
		})
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	// The same with their order, and without a cmap; and a subset that has neither.
	for glyphs, want := range map[int]string{700: "Ab", 70: ""} {
		got := shown(t, "00240045", func(w *pdftest.Writer) int {
			d := w.Program("FontFile2", 4, pdftest.TrueType{Glyphs: glyphs}.Bytes())
			return w.Add("<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+ArialMT/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/FontDescriptor %d 0 R>>]>>", d)
		})
		if got != want {
			t.Errorf("Arial with %d glyphs: %q, want %q", glyphs, got, want)
		}
	}
}

// TestSymbolPrograms reads fonts of symbols, whose characters are private in their programs and maps.
func TestSymbolPrograms(t *testing.T) {
	program := pdftest.TrueType{Symbol: map[int]int{0xf0b7: 1, 0xf061: 2, 0xf0fc: 3}, Glyphs: 4}.Bytes()
	for _, c := range []struct{ name, hex, want string }{
		{"SymbolMT", "00020001", "α•"}, {"Wingdings-Regular", "0003", "✔"}, {"Icons", "0001", "\uf0b7"},
	} {
		got := shown(t, c.hex, func(w *pdftest.Writer) int {
			return w.Add("<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+%s/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/FontDescriptor %d 0 R>>]>>",
				c.name, w.Program("FontFile2", 4, program))
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		got = shown(t, "b7", func(w *pdftest.Writer) int {
			tu := w.Flate("", "1 beginbfchar <b7> <f0b7> endbfchar")
			return w.Add("<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+SymbolMT/ToUnicode %d 0 R>>", tu)
		})
		if got != "•" {
			t.Errorf("a simple one: %q", got)
		}
	}
}
