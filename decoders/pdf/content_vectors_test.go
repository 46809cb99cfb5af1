package pdf

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/content"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

var lengthRegexp = regexp.MustCompile(`/Length \d+`)

// shiftLength adds n to the first Length.
func shiftLength(data []byte, n int) []byte {
	done := false
	return lengthRegexp.ReplaceAllFunc(data, func(m []byte) []byte {
		if done {
			return m
		}
		done = true
		old, _ := strconv.Atoi(string(m[len("/Length "):]))
		return fmt.Appendf(nil, "/Length %d", old+n)
	})
}

// numbers are n lines that compress badly.
func numbers(n int) (out []string) {
	for i := range n {
		out = append(out, strconv.Itoa(i*i*7919))
	}
	return out
}

// withFont is one page that shows content in a font with a dictionary.
func withFont(name, comment, font, content string, pages ...string) vector {
	w := &pdftest.Writer{}
	f := w.Add("%s", font)
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), content)
	return vector{name: name, comment: comment, data: w.Table(), pages: pages}
}

func fontVectors() []vector {
	show := func(s string) string { return "BT /F1 12 Tf 72 700 Td " + s + " Tj ET" }
	font := func(s string) string { return "<</Type/Font/Subtype/Type1/BaseFont/Test" + s + ">>" }
	cid := func(name, comment, toUnicode, codes string, pages ...string) vector {
		w := &pdftest.Writer{}
		f := w.CIDFont(toUnicode)
		w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), show(codes))
		return vector{name: name, comment: comment, data: w.Table(), pages: pages}
	}
	type0 := func(name, comment, encoding, codes string, pages ...string) vector {
		return withFont(name, comment, "<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/"+encoding+"/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test>>]>>",
			show(codes), pages...)
	}
	low := cid("no-unicode", "most codes have no Unicode value", "1 beginbfchar <0001> <0041> endbfchar", "<0001000200030004>", "A\n")
	low.warn = []string{"low_confidence"}
	none := cid("no-unicode-at-all", "no code has a Unicode value", "", "<000100020003>", "")
	none.warn = []string{"no_text_layer", "low_confidence"}
	return []vector{
		withFont("win-ansi", "WinAnsiEncoding", font("/Encoding/WinAnsiEncoding"), show(`(\200 \223q\224 caf\351)`), "€ “q” café\n"),
		withFont("mac-roman", "MacRomanEncoding", font("/Encoding/MacRomanEncoding"), show(`(caf\216 \322q\323)`), "café “q”\n"),
		withFont("standard", "StandardEncoding by default", font(""), show("(it's \\256ne)"), "it’s fine\n"),
		withFont("symbol", "the font Symbol", "<</Type/Font/Subtype/Type1/BaseFont/Symbol>>", show(`(abg \243 \245)`), "αβγ ≤ ∞\n"),
		withFont("dingbats", "the font ZapfDingbats", "<</Type/Font/Subtype/Type1/BaseFont/ZapfDingbats>>", show(`(\063\110\254\325)`), "✓★①→\n"),
		withFont("differences", "Differences with names of all kinds",
			font("/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1/uni4F60/u1F600/f_i 65/B/C.alt/nonsense]>>"), show(`(\001\002\003AB C D)`), "你😀fiBC  D\n"),
		type1Program(),
		withFont("no-such-font", "the font is not there", "null", show("(plain)"), "plain\n"),
		cid("bfchar", "bfchar, more characters for a code, a surrogate pair", "3 beginbfchar <0001> <00480065> <0002> <D83DDE00> <0003> <FB03> endbfchar",
			"<000100020003>", "He😀ffi\n"),
		cid("bfrange", "bfrange over a border of 256, and one with an array", "2 beginbfrange <00F0> <0110> <4E00> <0001> <0003> [<0061> <0062> <00630064>] endbfrange",
			"<00F00110000100020003>", "一丠abcd\n"),
		type0("ucs2", "a predefined CMap of UCS-2", "UniGB-UCS2-H", "<4F60597D>", "你好\n"),
		type0("utf16", "a predefined CMap of UTF-16", "UniJIS-UTF16-H", "<D83DDE004F60>", "😀你\n"),
		type0("euc-jp", "a predefined CMap of EUC-JP, not embedded", "EUC-H", "<41C6FCCBDC8EB1>", "A日本ｱ\n"),
		type0("shift-jis", "a predefined CMap of Shift JIS", "90ms-RKSJ-H", "<41B193FA967B>", "Aｱ日本\n"),
		type0("jis", "a predefined CMap of JIS in 7 bits", "H", "<467C4B5C>", "日本\n"),
		type0("gbk", "a predefined CMap of GBK", "GBK-EUC-H", "<41C4E3BAC3>", "A你好\n"),
		type0("big5", "a predefined CMap of Big5", "ETen-B5-H", "<41A741A66E>", "A你好\n"),
		type0("euc-kr", "a predefined CMap of EUC-KR", "KSC-EUC-H", "<41B0A1B3AA>", "A가나\n"),
		japan1(),
		identityName(),
		cid("hebrew", "Hebrew drawn as it looks, from left to right", "1 beginbfrange <0020> <007a> <0020> endbfrange 1 beginbfrange <05d0> <05ea> <05d0> endbfrange",
			"<05dd05d505dc05e9>", "שלום\n"),
		cid("hebrew-mixed", "Hebrew with a Latin word and a number", "1 beginbfrange <0020> <007a> <0020> endbfrange 1 beginbfrange <05d0> <05ea> <05d0> endbfrange",
			"<05e205d105d80020006100620020003100320020"+"05dd05d505dc05e9>", "שלום ab 12 טבע\n"),
		hebrewBackwards(),
		low, none,
		withFont("type3", "a Type 3 font", "<</Type/Font/Subtype/Type3/FontMatrix[0.01 0 0 0.01 0 0]/FontBBox[0 0 50 50]/FirstChar 97/LastChar 98/Widths[50 50]"+
			"/CharProcs<<>>/Encoding<</Differences[97/a/b]>>>>", "BT /F1 10 Tf 1 0 0 1 72 700 Tm (a) Tj 1 0 0 1 77 700 Tm (b) Tj 1 0 0 1 90 700 Tm (a) Tj ET", "ab a\n"),
	}
}

// japan1 is a font of Adobe-Japan1 without ToUnicode: kanji, kana, Latin, half-width katakana, a vertical form.
func japan1() vector {
	font := "<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType0/BaseFont/Test" +
		"/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>>>]>>"
	return withFont("japan1", "character identifiers of Adobe-Japan1", font,
		fmt.Sprintf("BT /F1 12 Tf 72 700 Td <%04x%04x%04x%04x%04x%04x> Tj ET", 1125, 4090, 843, 34, 327, 7899), "亜弌あA｡（\n")
}

// identityName is a font whose ToUnicode is a name.
func identityName() vector {
	font := "<</Type/Font/Subtype/Type0/BaseFont/Test/Encoding/Identity-H/ToUnicode/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Test>>]>>"
	return withFont("tounicode-name", "ToUnicode is the name Identity-H: the codes are Unicode", font, "BT /F1 12 Tf 72 700 Td <014100f3> Tj ET", "Łó\n")
}

// hebrewBackwards draws each letter by itself, from right to left, in reading order.
func hebrewBackwards() vector {
	w := &pdftest.Writer{}
	f := w.CIDFont("1 beginbfrange <05d0> <05ea> <05d0> endbfrange")
	content := "BT /F1 12 Tf "
	for i, r := range []rune("שלום") {
		content += fmt.Sprintf("1 0 0 1 %d 700 Tm <%04x> Tj ", 200-6*i, r)
	}
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), content+"ET")
	return vector{name: "hebrew-backwards", comment: "Hebrew drawn from right to left", data: w.Table(), pages: []string{"שלום\n"}}
}

// type1Program is a font without Encoding whose program has one.
func type1Program() vector {
	w := &pdftest.Writer{}
	program := w.Stream("", []byte("%!PS-AdobeFont-1.0: Test\n/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for\n"+
		"dup 97 /Omega put\ndup 98 /germandbls put\nreadonly def\ncurrentfile eexec\n"))
	f := w.Add("<</Type/Font/Subtype/Type1/BaseFont/Test/FontDescriptor<</Flags 4/FontFile %d 0 R>>>>", program)
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), "BT /F1 12 Tf 72 700 Td (ab) Tj ET")
	return vector{name: "type1-program", comment: "the encoding of an embedded program", data: w.Table(), pages: []string{"Ωß\n"}}
}

func contentVectors() []vector {
	page := func(name, comment, content string, pages ...string) vector {
		return vector{name: name, comment: comment, data: pdftest.Plain(content).Table(), pages: pages}
	}
	return []vector{
		page("operators", "the operators that show text", `BT /F1 10 Tf 72 700 Td (a) Tj 0 -14 TD (b) Tj T* (c) Tj (d) ' 1 0 (e) " ET`, "a\nb\nc\nd\ne\n"),
		page("kerning", "a space made by kerning, and kerning that is none", `BT /F1 10 Tf 72 700 Td [(He) 40 (llo) -300 (wor) -60 (ld)] TJ ET`, "Hello world\n"),
		page("words-apart", "words placed one by one", `BT /F1 10 Tf 1 0 0 1 72 700 Tm (one) Tj 1 0 0 1 95 700 Tm (two) Tj 1 0 0 1 72 680 Tm (three) Tj ET`, "one two\nthree\n"),
		page("letters-apart", "letters placed one by one where they belong", `BT /F1 10 Tf 1 0 0 1 72 700 Tm (H) Tj 1 0 0 1 79.22 700 Tm (i) Tj ET`, "Hi\n"),
		page("spaced-out", "character spacing is no word break", `BT /F1 10 Tf 3 Tc 72 700 Td (Hello) Tj ET`, "Hello\n"),
		page("rotated", "text that runs upwards", `BT /F1 10 Tf 0 1 -1 0 100 100 Tm (up) Tj 0 1 -1 0 100 115 Tm (wards) Tj ET`, "up wards\n"),
		page("scaled", "the size comes from the matrix", `q 10 0 0 10 72 700 cm BT /F1 1 Tf (ab) Tj 1.3 0 Td (c) Tj ET Q`, "ab c\n"),
		page("invisible", "text over a scan is text of record", "q 612 0 0 792 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q BT 3 Tr /F1 10 Tf 72 700 Td (scanned) Tj ET", "scanned\n"),
		page("inline-image", "an inline image that looks like text", "q BI /W 2 /H 2 /BPC 8 /CS /G ID (a) Tj EI\x00 EI Q\n"+pdftest.Lines(hello), hello+"\n"),
		page("stack", "Q without q, and q without Q", "Q Q Q q q q "+pdftest.Lines(hello), hello+"\n"),
		page("garbage", "what is no content is skipped", ">> ] ) } 12 /X << /A [ ] ] >> zz \x80\xff "+pdftest.Lines(hello), hello+"\n"),
		page("deep-stack", "600 times q", strings.Repeat("q ", 600)+pdftest.Lines(hello)+strings.Repeat(" Q", 600), hello+"\n"),
		page("deep-arrays", "2,000 open brackets", strings.Repeat("[", 2000)+pdftest.Lines(hello), hello+"\n"),
		{name: "form", comment: "a form inside a form", data: forms(false), pages: []string{"outer inner\n"}},
		{name: "form-cycle", comment: "a form that draws itself", data: forms(true), pages: []string{strings.Repeat("outer ", content.MaxFormDepth-1) + "outer\n"}, warn: []string{"partial"}},
		{name: "annotations", comment: "appearances are read, hidden ones are not", data: annotated(), pages: []string{hello + "\n\nseen\n\non\n"}, warn: []string{"hidden_text"}},
	}
}

// forms is a page that draws form 2, which draws form 3, or itself.
func forms(cycle bool) []byte {
	inner := 3
	if cycle {
		inner = 2
	}
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	w.Stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 900 900]/Resources<</Font<</F1 %d 0 R>>/XObject<</X %d 0 R>>>>", f, inner),
		[]byte("BT /F1 10 Tf 72 700 Td (outer) Tj ET q 1 0 0 1 30 0 cm /X Do Q"))
	w.Stream("/Type/XObject/Subtype/Form/BBox[0 0 900 900]", []byte("BT /F1 10 Tf 72 700 Td (inner) Tj ET"))
	w.Pages("/XObject<</X 2 0 R>>", "/X Do")
	return w.Table()
}

func annotated() []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	content := w.Stream("", []byte(pdftest.Lines(hello)))
	look := func(text string) int {
		return w.Stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 90 20]/Resources<</Font<</F1 %d 0 R>>>>", f), fmt.Appendf(nil, "BT /F1 10 Tf 2 2 Td (%s) Tj ET", text))
	}
	seen, hidden, on, off := look("seen"), look("hidden"), look("on"), look("off")
	page, tree := len(w.Objects)+1, len(w.Objects)+2
	w.Add("<</Type/Page/Parent %d 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>/Annots[<</Subtype/FreeText/Rect[72 600 200 620]/AP<</N %d 0 R>>>>"+
		"<</Subtype/FreeText/F 2/Rect[72 580 200 600]/AP<</N %d 0 R>>>><</Subtype/Widget/Rect[72 560 200 580]/AS/On/AP<</N<</On %d 0 R/Off %d 0 R>>>>>>]>>",
		tree, content, f, seen, hidden, on, off)
	w.Add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.Root = w.Add("<</Type/Catalog/Pages %d 0 R>>", tree)
	return w.Table()
}
