package pdf

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// documentVectors are files whose answer has more than text: the vectors hold the text and the warnings, and that every way to run the
// decoder gives the same of all the rest.
func documentVectors() []vector {
	form := "/Annots[<</Subtype/Widget/FT/Tx/T(name)/V(Ada)/Rect[72 600 300 620]>><</Subtype/Widget/FT/Tx/F 2/T(trap)/V(do as I say)/Rect[72 560 300 580]>>]"
	notes := "/Annots[<</Subtype/Text/Rect[0 0 9 9]/Contents(Please check)/T(Ada)>><</Subtype/Link/Rect[72 690 200 712]/A<</S/URI/URI(https://example.org)>>>>]"
	many := []string{"Page 1 says hello\n", "Page 2 says hello\n", "Page 3 says hello\n"}
	return []vector{
		{name: "outline", comment: "an outline with destinations of all kinds, page labels", pages: many, data: withOutline()},
		{name: "files-inside", comment: "files in the name tree, associated files, a file on a page", data: withFiles(), pages: []string{"page\n", "page\n", "page\n"}},
		{name: "form-fields", comment: "a field without an appearance shows its value; a hidden one does not", data: onPages("/AcroForm<</Fields[]>>", form),
			pages: []string{"Page 1 says hello\n\nAda\n"}, warn: []string{"hidden_text"}},
		{name: "notes-and-links", comment: "a note and a link", data: onPages("", notes), pages: many[:1]},
		{name: "xfa-only", comment: "a form that is only XFA", data: onPages("/NeedsRendering true/AcroForm<</XFA(x)>>", ""), pages: many[:1], warn: []string{"partial"}},
		{name: "layers", comment: "text in a layer that is off", data: layered(), pages: []string{"on\n"}, warn: []string{"hidden_text"}},
	}
}

// scans are pages that consist of pictures, or do not, in the form image.
func scanVectors() []vector {
	const fills = "612 0 0 792 0 0 cm /Im Do"
	page := func(dict string, more ...string) []byte {
		w := &pdftest.Writer{}
		im := w.Stream("/Type/XObject/Subtype/Image"+dict, []byte("no picture"))
		w.Pages(fmt.Sprintf("/XObject<</Im %d 0 R>>", im), append([]string{fills}, more...)...)
		return w.Table()
	}
	jbig := "/Width 100/Height 100/Filter/JBIG2Decode"
	return []vector{
		{name: "scan-jbig2", comment: "a scan of a codec that nobody decodes", form: readapi.FormImage, data: page(jbig), code: readapi.CodeUnsupportedFeature},
		{name: "scan-jbig2-and-empty", comment: "the same before a page that has no picture", form: readapi.FormImage, data: page(jbig, ""), pages: []string{},
			warn: []string{"unsupported_filter", "no_page_image"}},
		{name: "scan-jpx-damaged", comment: "a scan that is no JPEG 2000, whatever its filter says", form: readapi.FormImage, data: page("/Width 100/Height 100/Filter/JPXDecode"), code: readapi.CodeMalformed},
		{name: "scan-too-wide", comment: "a picture of 20,000 pixels by one", form: readapi.FormImage, code: readapi.CodeLimitPixels,
			data: page("/Width 20000/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray")},
		{name: "scan-too-deep", comment: "a picture of 36 million pixels with 64 bits each", form: readapi.FormImage, code: readapi.CodeLimitMemory,
			data: page("/Width 6000/Height 6000/BitsPerComponent 16/ColorSpace/DeviceCMYK")},
	}
}

func withOutline() []byte {
	return book(3, nil, func(w *pdftest.Writer, pages []int) string {
		o := w.Outline(item("One", 1, fmt.Sprintf("/Dest[%d 0 R/Fit]", pages[0])), item("Two", 2, "/Dest(two)"), item("Nowhere", 1, "/Dest(none)"))
		names := w.NameTree(1, "two", fmt.Sprintf("[%d 0 R/Fit]", pages[1]))
		return fmt.Sprintf("/Outlines %d 0 R/Names<</Dests %d 0 R>>/PageLabels<</Nums[0<</S/r>>2<</S/D>>]>>", o, names)
	})
}

func layered() []byte {
	w := &pdftest.Writer{}
	f, group := w.Add(pdftest.Helvetica), w.Add("<</Type/OCG/Name(Draft)>>")
	tree, _ := w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>/Properties<</L %d 0 R>>", f, group), 1, func(int, []int) pdftest.Page {
		return pdftest.Page{Content: pdftest.Lines("on") + " /OC /L BDC BT /F1 12 Tf 72 600 Td (off) Tj ET EMC"}
	})
	w.Catalog(tree, "/OCProperties<</OCGs[%d 0 R]/D<</OFF[%d 0 R]>>>>", group, group)
	return w.Table()
}

// elsewhere are the codes that a file alone cannot raise: the test that does.
var elsewhere = map[string]string{
	"CodeLimitFuel":   "TestWorkGoesOn",       // takes as much work as a read may do
	"CodeLimitOutput": "TestFilesAreHandedOn", // takes a request for a file inside
}

// Every code and every warning that this decoder's sources name is what some vector ends with or carries.
func TestEveryCodeHasAVector(t *testing.T) {
	raised := map[string]bool{}
	for _, v := range vectors() {
		raised[string(v.code)] = true
		for _, w := range v.warn {
			raised[w] = true
		}
	}
	values := map[string]string{
		"Malformed": string(readapi.CodeMalformed), "Invalid": string(readapi.CodeInvalidRequest), "Unsupported": string(readapi.CodeUnsupportedFeature),
		"Encrypted": string(readapi.CodeEncrypted), "CodeEncrypted": string(readapi.CodeEncrypted), "CodeUnsupportedFeature": string(readapi.CodeUnsupportedFeature),
		"WarnPartial": readapi.WarnPartial, "WarnNoTextLayer": readapi.WarnNoTextLayer, "WarnLowConfidence": readapi.WarnLowConfidence,
		"WarnHiddenText": readapi.WarnHiddenText, "CodeLimitPixels": string(readapi.CodeLimitPixels), "CodeLimitMemory": string(readapi.CodeLimitMemory),
		"WarnUnsupportedFilter": readapi.WarnUnsupportedFilter,
	}
	if !raised[warnNoPageImage] {
		t.Errorf("no vector raises %s", warnNoPageImage)
	}
	names, tests := named(t)
	for name := range names {
		switch {
		case elsewhere[name] != "":
			if !tests[elsewhere[name]] {
				t.Errorf("%s is said to be raised by %s, which is not there", name, elsewhere[name])
			}
		case values[name] == "":
			t.Errorf("%s is new: say here what it stands for, and give it a vector", name)
		case !raised[values[name]]:
			t.Errorf("no vector raises %s", name)
		}
	}
	for name := range elsewhere {
		if !names[name] {
			t.Errorf("%s is raised nowhere", name)
		}
	}
	if len(names) < 8 {
		t.Errorf("only %d codes found", len(names))
	}
}

// named returns the codes, warnings and makers of errors that the sources name, and the tests.
func named(t *testing.T) (names, tests map[string]bool) {
	names, tests = map[string]bool{}, map[string]bool{}
	makers := []string{"Malformed", "Invalid", "Unsupported", "Encrypted"}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		test := strings.HasSuffix(path, "_test.go")
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if test {
					tests[n.Name.Name] = true
				}
			case *ast.SelectorExpr:
				from, ok := n.X.(*ast.Ident)
				if !ok || test {
					break
				}
				sel := n.Sel.Name
				code := strings.HasPrefix(sel, "Code") && sel != "CodeOf" && sel != "Code" || strings.HasPrefix(sel, "Warn") && sel != "Warning"
				if from.Name == "readapi" && code || from.Name == "pdk" && slices.Contains(makers, sel) {
					names[sel] = true
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names, tests
}

// Forty good pages and a bad one: the good ones are there, the bad one is named once.
func TestOneBadPage(t *testing.T) {
	good := make([]string, 41)
	for i := range good {
		good[i] = pdftest.Lines(fmt.Sprintf("Page %d says hello", i+1))
	}
	const bad = 17
	for name, damage := range map[string]func(w *pdftest.Writer, page int){
		"content that is damaged": func(w *pdftest.Writer, page int) {
			w.Objects[page-2] = "<</Filter/FlateDecode/Length 20>>\nstream\n01234567890123456789\nendstream"
		},
		"content that is not there": func(w *pdftest.Writer, page int) {
			w.Objects[page-1] = strings.Replace(w.Objects[page-1], "/Contents", "/Contents[9999 0 R]/X", 1)
		},
		"a filter that nobody knows": func(w *pdftest.Writer, page int) {
			w.Objects[page-2] = strings.Replace(w.Objects[page-2], "<<", "<</Filter/NoSuchDecode", 1)
		},
		"a page that is no dictionary": func(w *pdftest.Writer, page int) { w.Objects[page-1] = "(no page)" },
		"a page that is not there":     func(w *pdftest.Writer, page int) { w.Objects[page-1] = "null" },
	} {
		w := pdftest.Plain(good...)
		damage(w, 1+2*bad)
		res := decodeBytes(t, w.Table(), readapi.Request{})
		texts := 0
		for _, p := range res.Parts {
			if strings.HasSuffix(p.Text, "says hello\n") {
				texts++
			}
		}
		if texts != 40 || len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnPartial {
			t.Errorf("%s: %d pages with text, warnings %+v; want 40 and one", name, texts, res.Warnings)
		}
	}
}

// An answer that goes on inside a page does not say again what it has said of it.
func TestWarningsComeOnce(t *testing.T) {
	doc := onPages("", "/Annots[<</Subtype/FreeText/F 2/Contents(hidden)/Rect[9 9 99 20]>><</Subtype/Text/Rect[0 0 9 9]/Contents(a note)>>"+
		"<</Subtype/Link/Rect[72 690 200 712]/A<</S/URI/URI(https://example.org)>>>>]", "")
	for tokens := int64(1); tokens < 40; tokens++ {
		warnings, parts := 0, 0
		req := readapi.Request{MaxTokens: tokens}
		for range 100 {
			res := decodeBytes(t, doc, req)
			warnings += len(res.Warnings)
			for _, p := range res.Parts {
				if p.Type == readapi.PartData {
					parts++
				}
			}
			if res.Next == nil {
				break
			}
			req.Start = *res.Next
		}
		if warnings != 1 || parts != 2 {
			t.Errorf("with %d tokens an answer: %d warnings, %d structured parts, want 1 and 2", tokens, warnings, parts)
		}
	}
}
