package pdf

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestOperatorsInArrays reads strings with operators of the text state between them, which viewers leave out. What breaks off before the
// end of its array goes on at the next operator.
func TestOperatorsInArrays(t *testing.T) {
	for content, want := range map[string]string{
		"[(Large) 0.0 Tc -250 (clients,) 0 Tc\n-250 (small) /F1 12 Tf -250 (ones)]TJ": "Large clients, small ones\n",
		"[(One)-250 Tw(two) Tf Tf Tf]TJ T* (three) Tj":                                "Onetwo\nthree\n",
		"[ Tc Tf (one)]TJ": "one\n",
		"[(one) 3 Tr TJ":   "one\n",
		"[(one) ET BT /F1 12 Tf 72 600 Td (two) Tj": "two\n",
	} {
		doc := pdftest.Plain("BT /F1 12 Tf 14 TL 72 700 Td " + content + " ET").Table()
		if got := decodeBytes(t, doc, readapi.Request{}).Parts[0].Text; got != want {
			t.Errorf("%s: %q, want %q", content, got, want)
		}
	}
	many := pdftest.Plain("BT /F1 12 Tf 72 700 Td [" + strings.Repeat("0 Tc ", 400_000) + "(end)] TJ ET").Table()
	wantText(t, decodeBytes(t, many, readapi.Request{}), "end\n")
}

// TestFormsTakeFromThePage draws a form that has resources and not all that it names: the rest is the page's (ISO 32000-1, 7.8.3). What has
// the name in its own resources is that.
func TestFormsTakeFromThePage(t *testing.T) {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	tu := w.Flate("", "1 beginbfchar <41> <03b1> endbfchar")
	greek := w.Add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode %d 0 R>>", tu)
	inner := w.Stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", []byte("BT /F2 12 Tf 72 600 Td (A) Tj ET"))
	own := w.Stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", []byte("BT /F1 12 Tf 72 500 Td (own) Tj ET"))
	outer := w.Stream(fmt.Sprintf("/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<</XObject<</Own %d 0 R>>>>", own),
		[]byte("BT /F1 12 Tf 72 700 Td (outer) Tj ET /Inner Do /Own Do"))
	other := w.Stream("/Type/XObject/Subtype/Form/BBox[0 0 612 792]", []byte("BT /F1 12 Tf 72 500 Td (other) Tj ET"))
	w.Pages(fmt.Sprintf("/Font<</F1 %d 0 R/F2 %d 0 R>>/XObject<</Inner %d 0 R/Outer %d 0 R/Own %d 0 R>>", f, greek, inner, outer, other), "/Outer Do")
	wantText(t, decodeBytes(t, w.Table(), readapi.Request{}), "outer\n\nα\n\nown\n")
}

// TestPageInTwoPlaces has one page in the tree twice: that is two pages, as viewers count; a node in two places is one.
func TestPageInTwoPlaces(t *testing.T) {
	w := pdftest.Plain(pdftest.Lines("One"), pdftest.Lines("Two"))
	doc := w.Table()
	kids := doc[bytes.Index(doc, []byte("/Count 2/Kids["))+len("/Count 2/Kids["):]
	kids = kids[:bytes.IndexByte(kids, ']')]
	one, _, _ := bytes.Cut(kids, []byte(" "))
	twice := replace(doc, "/Count 2/Kids["+string(kids), fmt.Sprintf("/Count 3/Kids[%s %s 0 R", kids, one))
	res := decodeBytes(t, twice, readapi.Request{})
	wantText(t, res, "One\n", "Two\n", "One\n")
	if len(res.Warnings) > 0 {
		t.Errorf("warnings %v", res.Warnings)
	}
}

// TestMissingFonts shows text in fonts that are not there: as a viewer shows it in a font of its own.
func TestMissingFonts(t *testing.T) {
	for _, fonts := range []string{"", "/Font<<>>", "/Font<</F1 99 0 R>>", "/Font<</F1 null>>", "/Font<</F1 (x)>>", "/Font<</F1<<>>>>", "/Font 99 0 R"} {
		w := &pdftest.Writer{}
		w.Pages(fonts, pdftest.Lines("Words that stay", "words"))
		res := decodeBytes(t, w.Table(), readapi.Request{})
		wantText(t, res, "Words that stay\nwords\n")
	}
}

// TestCellsApartByBlanks sets a row of a table as one string whose blanks are stretched to the next column: its cells are those of the rows
// that are set piece by piece.
func TestCellsApartByBlanks(t *testing.T) {
	var c strings.Builder
	for y := 600; y <= 700; y += 20 {
		fmt.Fprintf(&c, "72 %d m 472 %d l S ", y, y)
	}
	for x := 72; x <= 472; x += 100 {
		fmt.Fprintf(&c, "%d 600 m %d 700 l S ", x, x)
	}
	c.WriteString("BT /F1 10 Tf ")
	for i := range 5 {
		fmt.Fprintf(&c, "1 0 0 1 76 %d Tm (name %d) Tj 1 0 0 1 176 %d Tm ", 685-20*i, i, 685-20*i)
		if i == 2 { // a digit is 5.56 wide, a blank 2.78
			fmt.Fprint(&c, "91.66 Tw (1 2 3) Tj 0 Tw ")
		} else {
			fmt.Fprintf(&c, "(1) Tj 1 0 0 1 276 %d Tm (2) Tj 1 0 0 1 376 %d Tm (3) Tj ", 685-20*i, 685-20*i)
		}
	}
	res := decodeBytes(t, pdftest.Plain(c.String()+"ET").Table(), readapi.Request{})
	var rows strings.Builder
	for i := range 5 {
		fmt.Fprintf(&rows, "name %d  1  2  3\n", i)
	}
	if got := res.Parts[0].Text; got != rows.String() {
		t.Errorf("%q, want %q", got, rows.String())
	}
}
