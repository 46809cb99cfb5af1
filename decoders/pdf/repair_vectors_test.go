package pdf

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
)

// Files whose structure is damaged in ways that readers get over.

// three is a document of three pages.
func three() *pdftest.Writer {
	return pdftest.Plain(pdftest.Lines("One"), pdftest.Lines("Two"), pdftest.Lines("Three"))
}

var threePages = []string{"One\n", "Two\n", "Three\n"}

// from is a file of three pages, damaged, and what is to be read of it.
func from(name, comment string, data []byte, pages []string, warn ...string) vector {
	return vector{name: name, comment: comment, data: data, pages: pages, warn: warn}
}

func offsetVectors() []vector {
	table := three().Table()
	first, second := fmt.Sprintf("%010d 00000 n", bytes.Index(table, []byte("2 0 obj"))), fmt.Sprintf("%010d 00000 n", bytes.Index(table, []byte("4 0 obj")))
	swapped := replace(replace(replace(table, first, "swap"), second, first), "swap", second)
	glued := bytes.ReplaceAll(table[:xrefAt(table)], []byte("endobj\n"), []byte("endobj"))
	return []vector{
		from("cr-only", "every end of line is a carriage return", bytes.ReplaceAll(table, []byte("\n"), []byte("\r")), threePages),
		from("offsets-low", "every offset is 3 too low", shifted(table, -3), threePages),
		from("offsets-far", "every offset is 200 too high", shifted(table, 200), threePages),
		from("entry-free", "the entry of a page says that it is free", replace(table, first, strings.Replace(first, "n", "f", 1)), threePages),
		from("entries-swapped", "two entries have each other's offset", swapped, threePages),
		from("xref-keyword-missing", "the table has no keyword", replaceLast(replaceLast(table, "startxref", "startxRef"), "xref\n", "\n"), threePages),
		from("xref-beside", "startxref is 5 too low", replaceLast(table, fmt.Sprintf("startxref\n%d", xrefAt(table)), fmt.Sprintf("startxref\n%d", xrefAt(table)-5)), threePages),
		from("prev-zero", "Prev is 0", replace(table, "/Root", "/Prev 0/Root"), threePages),
		from("glued-objects", "no white space behind endobj, and no table", glued, threePages),
		from("number-huge", "an object number of 8,000,000", replace(replace(bytes.ReplaceAll(table[:xrefAt(table)], []byte("5 0 R"), []byte("8000000 0 R")), "\n5 0 obj", "\n8000000 0 obj"), "%PDF", "%PDF"), threePages),
		from("linear", "a linearized file", three().Linear(6), threePages),
		from("linear-damaged", "a linearized file whose first section is damaged", replace(three().Linear(6), "xref\n6 ", "xrfe\n6 "), threePages),
		from("linear-cut", "a linearized file that breaks off on its first page", linearCut(), []string{"One\n", "", ""}, "partial", "partial", "partial"),
	}
}

// linearCut has the tree and the first page at the front and ends behind them.
func linearCut() []byte {
	w := &pdftest.Writer{}
	var pages string
	for i, text := range []string{"One", "Two", "Three"} {
		w.Stream("", []byte(pdftest.Lines(text)))
		pages += fmt.Sprintf(" %d 0 R", 5+i)
	}
	w.Add(pdftest.Helvetica)
	for i := range 3 {
		w.Add("<</Type/Page/Parent 8 0 R/Contents %d 0 R/Resources<</Font<</F1 4 0 R>>>>>>", 1+i)
	}
	w.Add("<</Type/Pages/Count 3/Kids[%s]>>", pages)
	w.Root = w.Add("<</Type/Catalog/Pages 8 0 R>>")
	data := w.Linear(4)
	return data[:bytes.Index(data, []byte("2 0 obj"))+40]
}

func cutVectors() []vector {
	table, packed := three().Table(), three().Packed(true)
	in := bytes.Index(table, []byte("(Two")) + 3
	sealed := pdftest.Encrypted(6, "", hello)
	return []vector{
		from("cut-in-page", "the file breaks off in the text of its second page", table[:in], []string{"One\n"}, "partial"),
		from("cut-behind-page", "the file breaks off behind its second page", table[:bytes.Index(table, []byte("\n6 0 obj"))+20], threePages[:2], "partial"),
		from("cut-packed", "the file breaks off in its cross-reference stream; pages and catalog are in an object stream", packed[:xrefAt(packed)+20], threePages, "partial"),
		from("cut-encrypted", "an encrypted file without its trailer", sealed[:bytes.LastIndex(sealed, []byte("trailer"))], hi),
	}
}

func newestVectors() []vector {
	newer := pdftest.Plain(pdftest.Lines("Old"))
	table := newer.Table()
	page := strings.Replace(newer.Objects[2], "/Contents 2 0 R", "/Contents 9 0 R", 1)
	content := pdftest.Lines("New")
	stream := fmt.Sprintf("9 0 obj\n<</Length %d>>\nstream\n%s\nendstream\nendobj\n", len(content), content)
	pack := func(num int, body string) string {
		z := pdftest.Deflate("3 0 " + body)
		return fmt.Sprintf("%d 0 obj\n<</Type/ObjStm/N 1/First 4/Extends %d 0 R/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream\nendobj\n", num, num, len(z), z)
	}
	inner := pdftest.Plain(pdftest.Lines("Embedded")).Table()
	outer := pdftest.Plain(pdftest.Lines(hello))
	outer.Stream("/Type/EmbeddedFile", inner)
	outside := outer.Table()
	return []vector{
		from("newest-plain", "without a table, the object that was appended counts", append(append(bytes.Clone(table[:xrefAt(table)]), stream...), "3 0 obj\n"+page+"\nendobj\n"...), []string{"New\n"}),
		from("newest-packed", "without a table, an appended object stream counts", append(append(bytes.Clone(table[:xrefAt(table)]), stream...), pack(10, page)...), []string{"New\n"}),
		from("newest-pack", "of two object streams the one that was appended counts", append(append(append(bytes.Clone(table[:xrefAt(table)]), pack(11, "<</Type/Page>>")...), stream...), pack(10, page)...), []string{"New\n"}),
		from("newest-behind-pack", "a plain object behind an object stream counts", append(append(append(bytes.Clone(table[:xrefAt(table)]), pack(11, "<</Type/Page>>")...), stream...), "3 0 obj\n"+page+"\nendobj\n"...), []string{"New\n"}),
		from("embedded-no-xref", "an embedded PDF, and no table outside", outside[:xrefAt(outside)], hi),
	}
}

func treeVectors() []vector {
	table := three().Table()
	kids := "/Kids[3 0 R 5 0 R 7 0 R]"
	with := func(old, new string) []byte { return replace(table, old, new) }
	inline := "<</Type/Page/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 1 0 R>>>>>>"
	lone := pdftest.Plain(pdftest.Lines(hello)).Table()
	bare := bytes.ReplaceAll(bytes.ReplaceAll(table, []byte("/Type/Pages"), nil), []byte("/Type/Page"), nil)
	return []vector{
		from("kids-nested", "an array in an array of kids", with(kids, "/Kids[3 0 R[[5 0 R]7 0 R]]"), threePages),
		from("kids-inline", "a page that stands in the array of kids", with(kids, "/Kids[3 0 R "+inline+" 7 0 R]"), threePages),
		from("kids-no-array", "one kid without an array", replace(lone, "/Kids[3 0 R]", "/Kids 3 0 R"), hi),
		from("kids-missing", "a node without kids", replace(lone, "/Kids[3 0 R]", ""), hi),
		from("types-missing", "pages and nodes without Type", bare, threePages),
		from("count-wrong", "a Count of 7", with("/Count 3", "/Count 7"), threePages),
		from("count-negative", "a Count of -1", with("/Count 3", "/Count -1"), threePages),
		from("count-missing", "no Count", with("/Count 3", ""), threePages),
		from("tree-is-page", "the catalog's Pages is a page", replace(lone, "/Pages 4 0 R", "/Pages 3 0 R"), hi),
		from("root-missing", "no Root in the trailer", replace(lone, "/Root", "/Toor"), hi),
		from("root-no-pages", "the catalog has no Pages; the page is found by searching", replace(lone, "/Pages 4 0 R", "/Sagep 4 0 R"), hi),
		from("content-missing", "the content of a page is not there", with("/Contents 4 0 R", "/Contents 44 0 R"), []string{"One\n", "", "Three\n"}, "partial"),
		from("loose-inherit", "pages that are found by searching, whose resources are inherited", replace(inheritedResources(), "/Pages 4 0 R", "/Sagep 4 0 R"), hi),
	}
}

func streamVectors() []vector {
	lone := pdftest.Plain(pdftest.Lines(hello)).Table()
	return []vector{
		from("stream-blank", "a blank behind the keyword stream", replace(lone, "stream\n", "stream \n"), hi),
		from("stream-cr", "a carriage return alone behind the keyword stream", replace(lone, "stream\n", "stream\r"), hi),
		from("length-lost", "Length refers to an object that is not there", lengthRegexp.ReplaceAll(lone, []byte("/Length 77 0 R")), hi),
		from("endstream-missing", "a stream without endstream", replace(lone, "\nendstream", ""), hi),
		from("stream-external", "the data of the content are in another file", replace(lone, "/Length", "/F(other.pdf)/Length"), []string{""}, "no_text_layer"),
	}
}
