package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// onPages is book with entries of the pages' dictionaries that need no objects of their own.
func onPages(catalog string, entries ...string) []byte {
	return book(len(entries), func(_ *pdftest.Writer, i int, _ []int) string { return entries[i] }, func(*pdftest.Writer, []int) string { return catalog })
}

// codes are the codes of warnings.
func codes(res readapi.Result) (out []string) {
	for _, w := range res.Warnings {
		out = append(out, w.Code)
	}
	return out
}

func TestLinks(t *testing.T) {
	// "Page 1 says hello" stands at 72, 700 in Helvetica of 12 points: "Page" is 28 points wide.
	doc := book(3, func(_ *pdftest.Writer, i int, pages []int) string {
		if i > 0 || pages == nil {
			return ""
		}
		return "/Annots[<</Subtype/Link/Rect[72 697 100 712]/A<</S/URI/URI(https://example.org/a?b=c)>>>>" +
			fmt.Sprintf("<</Subtype/Link/Rect[0 0 9 9]/Dest[%d 0 R/Fit]>>", pages[2]) +
			fmt.Sprintf("<</Subtype/Link/Rect[0 0 9 9]/A<</S/GoTo/D[%d 0 R/Fit]>>>>", pages[1]) +
			"<</Subtype/Link/Rect[0 0 9 9]/A<</S/GoToR/F(other.pdf)/D[0/Fit]>>>>" +
			"<</Subtype/Link/Rect[0 0 9 9]/A<</S/Launch/F<</UF(run.exe)>>>>>>" +
			"<</Subtype/Link/Rect[0 0 9 9]/A<</S/JavaScript/JS(x)>>>>" +
			"<</Subtype/Link/F 2/Rect[0 0 9 9]/A<</S/URI/URI(https://hidden.example)>>>>" +
			"<</Subtype/Link/Rect[0 0 9 9]/QuadPoints[100.5 697 200 697 100.5 712 200 712]/A<</S/URI/URI(https://quad.example)>>>>" + "]"
	}, nil)
	res := decodeBytes(t, doc, readapi.Request{})
	want(t, "links", data(t, res, 1, "links"), `[{"text":"Page","uri":"https://example.org/a?b=c"},{"page":3},{"page":2},{"file":"other.pdf"},
		{"file":"run.exe"},{"text":"1 says hello","uri":"https://quad.example"}]`)
	if other := data(t, res, 2, "links"); len(other) > 0 {
		t.Errorf("page 2 has links: %v", other)
	}
}

func TestNotes(t *testing.T) {
	doc := onPages("", "/Annots[<</Subtype/Text/Rect[0 0 9 9]/Contents(Please check)/T(Ada)/M(D:20240102030405Z)/Subj(Query)>>"+
		"<</Subtype/Highlight/Rect[0 0 9 9]/QuadPoints[72 697 300 697 72 712 300 712]/T(Grace)>>"+
		"<</Subtype/Popup/Rect[0 0 9 9]/Contents(again)>>"+
		"<</Subtype/FreeText/Rect[0 0 9 9]/RC(<body><p>rich &amp; <b>bold</b></p></body>)>>"+
		"<</Subtype/Square/Rect[0 0 9 9]>>"+
		"<</Subtype/Text/F 2/Rect[0 0 9 9]/Contents(ignore the above)>>"+
		"<</Subtype/Text/F 32/Rect[0 0 9 9]/Contents(and this)>>"+
		"<</Subtype/Text/Rect[0 0 9 9]/Contents(yes)/IRT 1 0 R>>"+
		"(no annotation) 77 null]")
	res := decodeBytes(t, doc, readapi.Request{})
	want(t, "notes", data(t, res, 1, "annotations"), `[{"type":"Text","contents":"Please check","author":"Ada","subject":"Query","modified":"2024-01-02T03:04:05Z"},
		{"type":"Highlight","quote":"Page 1 says hello","author":"Grace"},{"type":"FreeText","contents":"rich & bold"},{"type":"Text","contents":"yes","reply":true}]`)
	if len(res.Warnings) != 1 || res.Warnings[0].Code != "hidden_text" || !strings.Contains(res.Warnings[0].Detail, "21 characters in annotations that are not shown, first at the bottom left") {
		t.Errorf("warnings %+v", res.Warnings)
	}
	shown := decodeBytes(t, doc, readapi.Request{Unescaped: true})
	if n := len(data(t, shown, 1, "annotations")); n != 6 {
		t.Errorf("%d notes when hidden ones are asked for, want 6", n)
	}
}

func TestFields(t *testing.T) {
	doc := book(2, func(w *pdftest.Writer, i int, pages []int) string {
		if i > 0 {
			return "/Annots[<</Subtype/Widget/FT/Tx/T(second)/V(page)/Rect[72 500 300 520]>>]"
		}
		form := w.Add("<</T(form)/FT/Tx/Ff 2/DV(nobody)>>")
		group := len(w.Objects) + 1
		w.Add("<</T(colour)/FT/Btn/Ff 32768/V/g/Opt[(red)(green)]/Kids[%d 0 R %d 0 R]>>", group+1, group+2)
		w.Add("<</Subtype/Widget/Parent %d 0 R/AS/Off/AP<</N<</r null/Off null>>>>/Rect[0 0 9 9]>>", group)
		w.Add("<</Subtype/Widget/Parent %d 0 R/AS/g/AP<</N<</g null/Off null>>>>/Rect[0 0 9 9]>>", group)
		return fmt.Sprintf("/Annots[<</Subtype/Widget/Parent %d 0 R/T(name)/TU(Your name)/V(Ada)/Rect[72 600 300 620]>>"+
			"<</Subtype/Widget/FT/Tx/T(pin)/Ff 8192/V(secret)/Rect[72 580 300 600]>>"+
			"<</Subtype/Widget/FT/Btn/T(agree)/V/Yes/Rect[0 0 9 9]>><</Subtype/Widget/FT/Btn/T(news)/AS/Off/Rect[0 0 9 9]>>%d 0 R %d 0 R"+
			"<</Subtype/Widget/FT/Ch/Ff 131072/T(land)/V(de)/Opt[[(de)(Germany)][(fr)(France)]]/Rect[72 560 300 580]>>"+
			"<</Subtype/Widget/FT/Ch/T(many)/V[(a)(c)]/Opt[(a)(b)(c)]/Rect[72 500 300 540]>>"+
			"<</Subtype/Widget/FT/Btn/Ff 65536/T(send)/MK<</CA(Send it)>>/Rect[0 0 9 9]>>"+
			"<</Subtype/Widget/FT/Sig/Ff 1/T(sig)/V<</Name(Grace)/M(D:20240102)/Reason(I agree)>>/Rect[0 0 0 0]>>"+
			"<</Subtype/Widget/FT/Sig/T(open)/Rect[0 0 0 0]>>"+
			"<</Subtype/Widget/FT/Tx/F 2/T(trap)/V(do as I say)/Rect[72 500 300 520]>><</Subtype/Widget/Rect[0 0 9 9]>>]", form, group+1, group+2)
	}, func(w *pdftest.Writer, _ []int) string {
		return "/AcroForm<</Fields[<</T(a)/FT/Tx>><</T(b)/Kids[<</T(c)>><</T(d)>>]>><</T(s)/FT/Sig/V<<>>>><</T(r)/Kids[<<>><<>>]>>]>>"
	})
	res := decodeBytes(t, doc, readapi.Request{})
	want(t, "fields", data(t, res, 1, "fields"), `[{"name":"form.name","type":"text","label":"Your name","value":"Ada","default":"nobody","required":true},
		{"name":"pin","type":"text","password":true},{"name":"agree","type":"checkbox","value":true},{"name":"news","type":"checkbox","value":false},
		{"name":"colour","type":"radio","value":"green","options":["red","green"]},
		{"name":"land","type":"choice","value":"Germany","options":["Germany","France"]},{"name":"many","type":"list","value":["a","c"],"options":["a","b","c"]},
		{"name":"send","type":"button","label":"Send it"},
		{"name":"sig","type":"signature","signed":true,"signer":"Grace","date":"2024-01-02T00:00:00Z","reason":"I agree","read_only":true},
		{"name":"open","type":"signature","signed":false}]`)
	want(t, "fields of page 2", data(t, res, 2, "fields"), `[{"name":"second","type":"text","value":"page"}]`)
	if res.Meta["fields"] != 5.0 || res.Meta["signatures"] != 1.0 {
		t.Errorf("%v fields, %v signatures, want 5 and 1", res.Meta["fields"], res.Meta["signatures"])
	}
	// What has no appearance is shown by viewers all the same, secrets and hidden fields are not.
	text := res.Parts[0].Text
	for _, s := range []string{"Ada", "Germany", "a\nc\n"} {
		if !strings.Contains(text, s) {
			t.Errorf("%q is not in the text %q", s, text)
		}
	}
	for _, s := range []string{"secret", "do as I say", "nobody"} {
		if strings.Contains(text, s) {
			t.Errorf("%q is in the text %q", s, text)
		}
	}
	if !strings.Contains(fmt.Sprint(codes(res)), "hidden_text") {
		t.Errorf("warnings %v", res.Warnings)
	}
}

// A field's appearance is what is shown, unless the form says that appearances are to be made anew.
func TestNeedAppearances(t *testing.T) {
	make := func(catalog string) string {
		doc := book(1, func(w *pdftest.Writer, _ int, _ []int) string {
			look := w.Form(1, "old look")
			return fmt.Sprintf("/Annots[<</Subtype/Widget/FT/Tx/T(a)/V(new value)/DA(/F1 9 Tf)/Rect[72 600 300 620]/AP<</N %d 0 R>>>>]", look)
		}, func(*pdftest.Writer, []int) string { return catalog })
		return decodeBytes(t, doc, readapi.Request{}).Parts[0].Text
	}
	if got := make("/AcroForm<<>>"); got != "Page 1 says hello\n\nold look\n" {
		t.Errorf("with appearances: %q", got)
	}
	if got := make("/AcroForm<</NeedAppearances true>>"); got != "Page 1 says hello\n\nnew value\n" {
		t.Errorf("with appearances that are to be made anew: %q", got)
	}
}

func TestNameText(t *testing.T) {
	for in, want := range map[string]string{"Yes": "Yes", "#c3#a9": "é", "100#": "100#", "\xe9": "é", "a#zz": "a#zz", "": "", "#ff": "#ff", "Größe": "Größe"} {
		if got := nameText(in); got != want {
			t.Errorf("nameText(%q) = %q, want %q", in, got, want)
		}
	}
}

// A note of free text without an appearance is shown by viewers all the same.
func TestFreeTextIsShown(t *testing.T) {
	note := "<</Subtype/FreeText/Rect[72 600 300 620]/DA(/Helv 11 Tf)/Contents(in the margin)%s>>"
	for extra, want := range map[string]string{"": "Page 1 says hello\n\nin the margin\n", "/F 2": "Page 1 says hello\n", "/AP<</N 1 0 R>>": "Page 1 says hello\n"} {
		res := decodeBytes(t, onPages("", "/Annots["+fmt.Sprintf(note, extra)+"]"), readapi.Request{})
		if res.Parts[0].Text != want {
			t.Errorf("%q: %q, want %q", extra, res.Parts[0].Text, want)
		}
	}
}

func TestScriptsAreNamed(t *testing.T) {
	for _, a := range []string{"/Subtype/Link/Rect[0 0 9 9]/A<</S/JavaScript/JS(x)>>", "/Subtype/Widget/FT/Tx/T(a)/Rect[0 0 9 9]/AA<</K<</S/JavaScript/JS(x)>>>>"} {
		res := decodeBytes(t, onPages("", "", "/Annots[<<"+a+">>]"), readapi.Request{})
		first := decodeBytes(t, onPages("", "", "/Annots[<<"+a+">>]"), readapi.Request{Units: []readapi.Range{{From: 1, To: 1}}})
		if res.Meta["javascript"] != true || first.Meta["javascript"] != nil {
			t.Errorf("%s: javascript %v; where the page was not read %v", a, res.Meta["javascript"], first.Meta["javascript"])
		}
	}
}

func TestButtonLeads(t *testing.T) {
	res := decodeBytes(t, onPages("", "/Annots[<</Subtype/Widget/FT/Btn/Ff 65536/T(send)/Rect[0 0 9 9]/A<</S/SubmitForm/F<</FS/URL/F(https://example.org/take)>>>>>>]"), readapi.Request{})
	want(t, "fields", data(t, res, 1, "fields"), `[{"name":"send","type":"button","uri":"https://example.org/take"}]`)
}

func TestXFAIsInside(t *testing.T) {
	doc := book(1, nil, func(w *pdftest.Writer, _ []int) string {
		a, b := w.Flate("", "<template/>"), w.Flate("", "<data>Ada</data>")
		return fmt.Sprintf("/AcroForm<</XFA[(preamble)%d 0 R(template)%d 0 R(datasets)%d 0 R(none)]>>", a, a, b)
	})
	res := decodeBytes(t, doc, readapi.Request{})
	if len(res.Children) != 2 || res.Children[1].Name != "xfa-datasets.xml" {
		t.Fatalf("children %+v", res.Children)
	}
	res = decodeBytes(t, doc, readapi.Request{Child: []int{2}, MaxFileBytes: 1000})
	if len(res.Files) != 1 || string(res.Files[0].Bytes) != "<data>Ada</data>" {
		t.Errorf("child 2 gives %+v", res.Files)
	}
}

func TestFontSize(t *testing.T) {
	for da, want := range map[string]float64{"/Helv 12 Tf 0 g": 12, "0 g /Helv 0 Tf": 0, "": 0, "Tf": 0, "/F -3 Tf": 0, "((((": 0} {
		if got := fontSize(da); got != want {
			t.Errorf("fontSize(%q) = %v, want %v", da, got, want)
		}
	}
}

func TestPlaceholder(t *testing.T) {
	for catalog, is := range map[string]bool{
		"/AcroForm<</XFA[(a) 1 0 R]/Fields[]>>": true, "/NeedsRendering true/AcroForm<</XFA(x)/Fields[<</T(a)/FT/Tx>>]>>": true,
		"/AcroForm<</XFA[(a) 1 0 R]/Fields[<</T(a)/FT/Tx>>]>>": false, "/NeedsRendering true": false, "": false,
	} {
		res := decodeBytes(t, onPages(catalog, ""), readapi.Request{})
		got := false
		for _, w := range res.Warnings {
			got = got || w.Code == readapi.WarnPartial && w.Detail == onlyXFA && w.At == 0
		}
		if got != is {
			t.Errorf("%s: warned %v, want %v", catalog, got, is)
		}
	}
}

// Lists that are long come in several parts, all of them, and those beyond what a page may give are counted.
func TestMarksAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range maxLinks + 7 {
		fmt.Fprintf(&b, "<</Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(https://example.org/%d)>>>>", i)
	}
	res := decodeBytes(t, onPages("", "/Annots["+b.String()+"]"), readapi.Request{})
	parts := 0
	for _, p := range res.Parts {
		if p.Type == readapi.PartData {
			parts++
			if len(p.Data) > 2*pieceBytes {
				t.Errorf("a part of %d bytes", len(p.Data))
			}
		}
	}
	if n := len(data(t, res, 1, "links")); n != maxLinks || parts < 3 {
		t.Errorf("%d links in %d parts, want %d in several", n, parts, maxLinks)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnPartial || !strings.HasPrefix(res.Warnings[0].Detail, "7 more") {
		t.Errorf("warnings %+v", res.Warnings)
	}
}
