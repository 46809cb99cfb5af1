package pdftest

import (
	"fmt"
	"strings"
)

// Sheet is the content of one page, drawn by places: what word processors and typesetters write.
type Sheet struct {
	b      strings.Builder
	Rotate int // of the page
}

// The fonts of a sheet.
const (
	Regular = "F1"
	Bold    = "F2"
	Mono    = "F3"
	Wide    = "F4" // every character of the basic plane, as wide as high
)

// Width returns how wide text is, in points.
func Width(font string, size float64, text string) (w float64) {
	for _, r := range text {
		w += float64(advance(font, r)) * size / 1000
	}
	return w
}

// advance is the width of a character in thousandths, as in a sans serif.
func advance(font string, r rune) int {
	switch {
	case font == Wide:
		return 1000
	case font == Mono:
		return 600
	case strings.ContainsRune(" .,:;!|'ijlftI", r):
		return 278
	case strings.ContainsRune("()-rsckvxyz", r):
		return 420
	case r >= 'A' && r <= 'Z', r == 'm', r == 'w', r == '%':
		return 720
	}
	return 556
}

// Text shows text whose base line begins at a place.
func (s *Sheet) Text(font string, size, x, y float64, text string) {
	fmt.Fprintf(&s.b, "BT /%s %g Tf 1 0 0 1 %.2f %.2f Tm ", font, size, x, y)
	if font == Wide {
		s.b.WriteString("<")
		for _, r := range text {
			fmt.Fprintf(&s.b, "%04x", r)
		}
		s.b.WriteString("> Tj ET\n")
		return
	}
	fmt.Fprintf(&s.b, "(%s) Tj ET\n", strings.NewReplacer("\\", "\\\\", "(", "\\(", ")", "\\)", "•", "\\225", "–", "\\226").Replace(text))
}

// Line strokes a line.
func (s *Sheet) Line(x0, y0, x1, y1 float64) {
	fmt.Fprintf(&s.b, "0.5 w %.2f %.2f m %.2f %.2f l S\n", x0, y0, x1, y1)
}

// Fill fills a rectangle with a grey.
func (s *Sheet) Fill(grey, x, y, w, h float64) {
	fmt.Fprintf(&s.b, "q %g g %.2f %.2f %.2f %.2f re f Q\n", grey, x, y, w, h)
}

// Raw adds operators.
func (s *Sheet) Raw(operators string) { s.b.WriteString(operators + "\n") }

// Sheets returns a document with one page for each sheet.
func Sheets(sheets ...*Sheet) []byte {
	w := &Writer{}
	simple := func(name, font string) int {
		var widths []string
		for r := rune(32); r < 127; r++ {
			widths = append(widths, fmt.Sprint(advance(font, r)))
		}
		return w.Add("<</Type/Font/Subtype/TrueType/BaseFont/%s/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[%s]"+
			"/FontDescriptor<</Type/FontDescriptor/FontName/%s/Flags 32/MissingWidth 556>>>>", name, strings.Join(widths, " "), name)
	}
	regular, bold, mono := simple("Sans", Regular), simple("Sans-Bold", Bold), simple("SansMono", Mono)
	cid := w.Add("<</Type/Font/Subtype/CIDFontType2/BaseFont/Wide/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000>>")
	tu := w.Flate("", ToUnicodeMap("1 beginbfrange <0000> <ffff> <0000> endbfrange"))
	wide := w.Add("<</Type/Font/Subtype/Type0/BaseFont/Wide/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>", cid, tu)
	var kids []string
	tree := len(w.Objects) + 2*len(sheets) + 1
	for _, s := range sheets {
		content := w.Flate("", s.b.String())
		page := w.Add("<</Type/Page/Parent %d 0 R/MediaBox[0 0 612 792]/Rotate %d/Contents %d 0 R/Resources<</Font<</F1 %d 0 R/F2 %d 0 R/F3 %d 0 R/F4 %d 0 R>>>>>>",
			tree, s.Rotate, content, regular, bold, mono, wide)
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
	}
	w.Add("<</Type/Pages/Count %d/Kids[%s]>>", len(kids), strings.Join(kids, " "))
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	return w.Table()
}

// Words are n words that make no sense, from a number on. Each is there once in some thousands, so that their order can be told.
func Words(from, n int) (out []string) {
	const heads, vowels = "bdfghjklmnprstv", "aeiou"
	tails := []string{"", "n", "", "ra", "s", "", "lin", "t"}
	syllable := func(i int) string { return heads[i%15:i%15+1] + vowels[i/15%5:i/15%5+1] }
	for i := from; i < from+n; i++ {
		out = append(out, syllable(i*7)+syllable(i/75)+tails[i*5%8])
	}
	return out
}

// Paragraph breaks words into lines that are no wider than width, and shows them with the left edge at x; it returns the base line behind the last.
func (s *Sheet) Paragraph(font string, size, x, y, width float64, words []string) float64 {
	for _, line := range Broken(font, size, width, words) {
		s.Text(font, size, x, y, line)
		y -= 1.2 * size
	}
	return y
}

// Broken breaks words into lines.
func Broken(font string, size, width float64, words []string) (lines []string) {
	line := ""
	for _, word := range words {
		if line != "" && Width(font, size, line+" "+word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
