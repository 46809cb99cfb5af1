package pdf

import (
	"fmt"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// programVectors are fonts whose codes only tables say anything of: those of the font's program, and those of the decoder.
func programVectors() []vector {
	font := func(name, comment, hex, want string, make func(w *pdftest.Writer) int) vector {
		w := &pdftest.Writer{}
		return vector{name: name, comment: comment, data: w.Shown(make(w), hex), pages: []string{want + "\n"}}
	}
	program := func(w *pdftest.Writer, key string, data []byte) string {
		return fmt.Sprintf("/FontDescriptor %d 0 R", w.Program(key, 4, data))
	}
	return []vector{
		font("program-truetype", "the cmap of an embedded TrueType program", "212223", "AΩж", func(w *pdftest.Writer) int {
			p := pdftest.TrueType{Unicode: map[rune]int{'A': 1, 'Ω': 2, 'ж': 3}, Symbol: map[int]int{0xf021: 1, 0xf022: 2, 0xf023: 3}, Glyphs: 4}
			return w.Add("<</Type/Font/Subtype/TrueType/BaseFont/Test%s>>", program(w, "FontFile2", p.Bytes()))
		}),
		font("program-cff", "the names of an embedded CFF program", "2122", "αfi", func(w *pdftest.Writer) int {
			p := pdftest.CFF{Names: []string{"alpha", "f_i"}, Codes: []byte{0x21, 0x22}}
			return w.Add("<</Type/Font/Subtype/Type1/BaseFont/Test%s>>", program(w, "FontFile3", p.Bytes()))
		}),
		font("program-opentype", "identifiers in CFF, characters in cmap", "02bc02bd", "亜唖", func(w *pdftest.Writer) int {
			p := pdftest.TrueType{Unicode: map[rune]int{'亜': 1, '唖': 2}, CFF: pdftest.CFF{CIDs: []int{700, 701}, Ordering: "Identity"}.Bytes(), Glyphs: 3}
			return w.Composite("/Identity-H", "Identity", program(w, "FontFile3", p.Bytes()))
		}),
		font("collection-korea1", "identifiers of a collection without any map", "043e", "가", func(w *pdftest.Writer) int {
			return w.Composite("/Identity-H", "Korea1", "")
		}),
		font("cmap-embedded", "a CMap of the file that uses a predefined one", "f0f093fa41", "亜日A", func(w *pdftest.Writer) int {
			n := w.Flate("/Type/CMap", "/90ms-RKSJ-H usecmap 1 begincidrange <f0f0> <f0f0> 1125 endcidrange")
			return w.Composite(fmt.Sprintf(" %d 0 R", n), "Japan1", "/W[231 632 500]")
		}),
		font("to-unicode-useless", "ToUnicode says private characters, the encoding knows better", "414243", "ABC", func(w *pdftest.Writer) int {
			tu := w.Flate("", "1 beginbfrange <41> <43> <f041> endbfrange")
			return w.Add("<</Type/Font/Subtype/Type1/BaseFont/Test/Encoding/WinAnsiEncoding/FirstChar 65/Widths[600 600 600]/ToUnicode %d 0 R>>", tu)
		}),
		font("forms-arabic", "presentation forms, in the order in which they are drawn", "000100020003", "سلام", func(w *pdftest.Writer) int {
			return w.CIDFont("3 beginbfchar <0001> <fee1> <0002> <fefc> <0003> <feb3> endbfchar")
		}),
	}
}
