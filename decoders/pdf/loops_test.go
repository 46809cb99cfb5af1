package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Structures that lead back into themselves, or are as large as they can be, cost neither the page's text nor much work.
func TestStructuresEnd(t *testing.T) {
	annots := func(s string) [2]string { return [2]string{"", "/Annots[" + s + "]"} }
	catalog := func(s string) [2]string { return [2]string{s, ""} }
	for name, c := range map[string][2]string{
		// Object 2 is what each of these says that it is, below.
		"outline that is its own first":      catalog("/Outlines<</First 2 0 R>>"),
		"names that are their own kids":      catalog("/Names<</Dests 2 0 R/EmbeddedFiles 2 0 R>>/Outlines<</First<</Title(a)/Dest(x)>>>>"),
		"labels that are their own kids":     catalog("/PageLabels 2 0 R"),
		"a destination that is its own":      catalog("/Outlines<</First<</Title(a)/Dest 2 0 R>>>>"),
		"a name that stands for itself":      catalog("/Dests<</a/a>>/Outlines<</First<</Title(a)/Dest/a>>>>"),
		"fields that are their own kids":     catalog("/AcroForm<</Fields[2 0 R]>>"),
		"a catalog as its own everything":    catalog("/AcroForm 2 0 R/Names 2 0 R/Outlines 2 0 R/OCProperties 2 0 R/Metadata 2 0 R/PageLabels 2 0 R/Collection 2 0 R/AF[2 0 R 2 0 R]"),
		"layers that are no references":      catalog("/OCProperties<</OCGs[<<>>(a) 1 null 2 0 R]/D<</OFF[1 2 0 R]/ON(x)>>>>"),
		"a field that is its own parent":     annots("2 0 R"),
		"an annotation below itself":         annots("<</Subtype/Widget/FT/Tx/Parent 2 0 R/Rect[0 0 9 9]>>"),
		"a file that is its own":             annots("<</Subtype/FileAttachment/FS 2 0 R/AF 2 0 R>><</Subtype/RichMedia/RichMediaContent<</Assets 2 0 R>>>>"),
		"annotations that are none":          annots("1 (a) /b [2 0 R] null 99 0 R"),
		"a highlight of a million corners":   annots("<</Subtype/Highlight/QuadPoints[" + strings.Repeat("0 ", 200_000) + "]/Rect[0 0 1 1]>>"),
		"a link to everywhere":               annots("<</Subtype/Link/Rect[-1e30 -1e30 1e30 1e30]/A<</S/URI/URI(x)>>>>"),
		"a rectangle that is none":           annots("<</Subtype/Widget/FT/Tx/V(x)/T(a)/Rect[(a)/b]>><</Subtype/Link/Rect 2 0 R/Dest 2 0 R>>"),
		"a field of a million options":       annots("<</Subtype/Widget/FT/Ch/T(a)/Rect[0 0 9 9]/Opt[" + strings.Repeat("(a)", 100_000) + "]>>"),
		"a value that is absurdly placed":    annots("<</Subtype/Widget/FT/Tx/T(a)/V(x)/Rect[1e300 1e300 -1e300 1e300]/DA(/F 1e300 Tf)>>"),
		"a value that is longer than a page": annots("<</Subtype/Widget/FT/Tx/T(a)/V(" + strings.Repeat("x\\n", 100_000) + ")/Rect[0 0 9 9]>>"),
	} {
		w := &pdftest.Writer{}
		f := w.Add(pdftest.Helvetica)
		w.Add("<</Title(a)/First 2 0 R/Next 2 0 R/Kids[2 0 R 2 0 R]/Parent 2 0 R/Names[(x)2 0 R]/Nums[0 2 0 R]/D 2 0 R/T(t)/FT/Tx/Subtype/Widget/Rect[0 0 9 9]" +
			"/EF 2 0 R/F 2 0 R/UF 2 0 R/Fields[2 0 R]/XFA 2 0 R/V 2 0 R/OCGs[2 0 R]/EmbeddedFiles 2 0 R/Dests 2 0 R/JavaScript 2 0 R/OFF[2 0 R]>>")
		tree, _ := w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), 1, func(int, []int) pdftest.Page {
			return pdftest.Page{Content: pdftest.Lines(hello), Entries: c[1]}
		})
		w.Catalog(tree, "%s", c[0])
		res, err := run(w.Table(), readapi.Request{})
		if err != nil || len(res.Parts) == 0 || !strings.Contains(res.Parts[0].Text, hello) {
			t.Errorf("%s: %v, %d parts", name, err, len(res.Parts))
		}
	}
}
