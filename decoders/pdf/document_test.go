package pdf

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// book is a document of n pages with Helvetica as F1; catalog says what else its catalog has, entries what each page has.
func book(n int, entries func(w *pdftest.Writer, i int, pages []int) string, catalog func(w *pdftest.Writer, pages []int) string) []byte {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	var tree int
	var pages []int
	more := make([]string, n)
	if entries != nil { // what they add comes before the pages: their numbers depend on how much that is
		for round := range 2 {
			probe := &pdftest.Writer{Objects: append([]string(nil), w.Objects...)}
			for i := range n {
				more[i] = entries(probe, i, pages)
			}
			if round == 1 {
				w = probe
				break
			}
			base := len(probe.Objects)
			for i := range n {
				pages = append(pages, base+2*i+2)
			}
		}
	}
	tree, pages = w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), n, func(i int, _ []int) pdftest.Page {
		return pdftest.Page{Content: pdftest.Lines(fmt.Sprintf("Page %d says hello", i+1)), Entries: more[i]}
	})
	s := ""
	if catalog != nil {
		s = catalog(w, pages)
	}
	w.Catalog(tree, "%s", s)
	return w.Table()
}

// data returns the structured parts of unit at under one key, as one list.
func data(t *testing.T, res readapi.Result, at int64, key string) (out []any) {
	t.Helper()
	for _, p := range res.Parts {
		if p.Type != readapi.PartData || p.At != at {
			continue
		}
		var v map[string]any
		if err := json.Unmarshal(p.Data, &v); err != nil {
			t.Fatal(err)
		}
		if list, ok := v[key].([]any); ok {
			out = append(out, list...)
		}
	}
	return out
}

func want(t *testing.T, what string, got any, want string) {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(want), &v); err != nil {
		t.Fatalf("%s: %v", want, err)
	}
	b, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	var g any
	if err := json.Unmarshal(b, &g); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(v, g); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

func item(title string, level int, entries string) pdftest.OutlineItem {
	return pdftest.OutlineItem{Title: title, Level: level, Entries: entries}
}

func TestOutline(t *testing.T) {
	doc := book(5, nil, func(w *pdftest.Writer, pages []int) string {
		o := w.Outline(
			item("Begin", 1, fmt.Sprintf("/Dest[%d 0 R/Fit]", pages[0])),
			item("named in the tree", 2, "/Dest(beta)"),
			item("named in the dictionary", 2, "/Dest/old"),
			item("by action", 3, fmt.Sprintf("/A<</S/GoTo/D[%d 0 R/XYZ 0 0 0]>>", pages[3])),
			item("a dictionary behind a name", 1, "/A<</S/GoTo/D(alpha)>>"),
			item("Größe 😀\n2", 1, "/Dest[4/Fit]"),
			item("nowhere", 1, "/Dest(none)"),
			item("elsewhere", 1, "/A<</S/URI/URI(https://example.org/)>>"),
			item("no page", 1, "/Dest[1 0 R/Fit]"),
		)
		names := w.NameTree(1, "alpha", fmt.Sprintf("<</D[%d 0 R/Fit]>>", pages[4]), "beta", fmt.Sprintf("[%d 0 R/Fit]", pages[1]))
		return fmt.Sprintf("/Outlines %d 0 R/Names<</Dests %d 0 R>>/Dests<</old[%d 0 R/Fit]>>", o, names, pages[2])
	})
	res := decodeBytes(t, doc, readapi.Request{})
	want(t, "outline", res.Meta["outline"], `[{"title":"Begin","level":1,"page":1},{"title":"named in the tree","level":2,"page":2},
		{"title":"named in the dictionary","level":2,"page":3},{"title":"by action","level":3,"page":4},
		{"title":"a dictionary behind a name","level":1,"page":5},{"title":"Größe 😀 2","level":1,"page":5},{"title":"nowhere","level":1},
		{"title":"elsewhere","level":1,"uri":"https://example.org/"},{"title":"no page","level":1}]`)
	if res.Meta["outline_cut"] != nil {
		t.Error("the outline is said to be cut")
	}
}

// The upper levels of an outline that is too long are there, and it says that it was cut.
func TestOutlineIsCutFromBelow(t *testing.T) {
	var items []pdftest.OutlineItem
	for c := range 20 {
		items = append(items, item(fmt.Sprintf("chapter %d", c), 1, ""))
		for s := range maxOutline / 10 {
			items = append(items, item(fmt.Sprintf("section %d.%d", c, s), 2, ""))
		}
	}
	doc := book(1, nil, func(w *pdftest.Writer, _ []int) string { return fmt.Sprintf("/Outlines %d 0 R", w.Outline(items...)) })
	res := decodeBytes(t, doc, readapi.Request{})
	list, _ := res.Meta["outline"].([]any)
	chapters := 0
	for _, e := range list {
		if e.(map[string]any)["level"] == 1.0 {
			chapters++
		}
	}
	if len(list) != maxOutline || chapters != 20 || res.Meta["outline_cut"] != true {
		t.Errorf("%d entries, %d of the first level, cut %v; want %d, 20, true", len(list), chapters, res.Meta["outline_cut"], maxOutline)
	}
}

func TestOutlineDepthIsBounded(t *testing.T) {
	var items []pdftest.OutlineItem
	for i := range maxOutlineLevel + 3 {
		items = append(items, item("x", i+1, ""))
	}
	doc := book(1, nil, func(w *pdftest.Writer, _ []int) string { return fmt.Sprintf("/Outlines %d 0 R", w.Outline(items...)) })
	res := decodeBytes(t, doc, readapi.Request{})
	if list, _ := res.Meta["outline"].([]any); len(list) != maxOutlineLevel || res.Meta["outline_cut"] != true {
		t.Errorf("%d levels, cut %v", len(list), res.Meta["outline_cut"])
	}
}

// In a tree whose pages are not walked, a page's number comes from its parents: balanced, with kids that lie about theirs, and with a
// parent that does not know the page.
func TestOutlineOfManyPages(t *testing.T) {
	const pages = 3 * eagerPages
	w := large(pages, 1)
	var nums []int
	for i, o := range w.Objects {
		if strings.HasPrefix(o, "<</Type/Page/") {
			nums = append(nums, i+1)
		}
	}
	o := w.Outline(item("first", 1, fmt.Sprintf("/Dest[%d 0 R]", nums[0])), item("last", 1, fmt.Sprintf("/Dest[%d 0 R]", nums[pages-1])),
		item("middle", 1, fmt.Sprintf("/Dest[%d 0 R]", nums[200])), item("stray", 1, "/Dest[1 0 R]"))
	w.Objects[w.Root-1] = replaceString(w.Objects[w.Root-1], "/Pages", fmt.Sprintf("/Outlines %d 0 R/Pages", o))
	res := decodeBytes(t, w.Table(), readapi.Request{Units: []readapi.Range{{From: 7, To: 7}}})
	want(t, "outline", res.Meta["outline"], fmt.Sprintf(`[{"title":"first","level":1,"page":1},{"title":"last","level":1,"page":%d},
		{"title":"middle","level":1,"page":201},{"title":"stray","level":1}]`, pages))
}

func replaceString(s, old, with string) string { return string(replace([]byte(s), old, with)) }

func TestPageLabels(t *testing.T) {
	doc := book(12, nil, func(*pdftest.Writer, []int) string {
		return "/PageLabels<</Kids[<</Nums[0<</S/r>>3<</S/D>>]>><</Nums[5<</S/A/P(App. )>>7<</S/a/St 27>>9<</P(Index)>>10<</S/R/St 1998>>]>>]>>"
	})
	res := decodeBytes(t, doc, readapi.Request{})
	want(t, "labels", res.Meta["page_labels"], `[{"from":1,"to":3,"first":"i","last":"iii"},{"from":4,"to":5,"first":"1","last":"2"},
		{"from":6,"to":7,"first":"App. A","last":"App. B"},{"from":8,"to":9,"first":"aa","last":"bb"},{"from":10,"to":10,"first":"Index","last":"Index"},
		{"from":11,"to":12,"first":"MCMXCVIII","last":"MCMXCIX"}]`)
	plain := book(3, nil, func(*pdftest.Writer, []int) string { return "/PageLabels<</Nums[0<</S/D>>]>>" })
	if res := decodeBytes(t, plain, readapi.Request{}); res.Meta["page_labels"] != nil {
		t.Errorf("pages that are labelled as they are counted have labels: %v", res.Meta["page_labels"])
	}
	absurd := book(3, nil, func(*pdftest.Writer, []int) string {
		return "/PageLabels<</Nums[0<</S/r/St 1099511627775>>1<</S/a/St 1099511627775>>-5<</S/D>>99<</S/D>>]>>"
	})
	want(t, "absurd labels", decodeBytes(t, absurd, readapi.Request{}).Meta["page_labels"],
		`[{"from":1,"to":1,"first":"1099511627775","last":"1099511627775"},{"from":2,"to":3,"first":"1099511627775","last":"1099511627776"}]`)
}

func TestXMP(t *testing.T) {
	w := &pdftest.Writer{}
	x := w.XMP(`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Caf&#xe9; &amp; <b>more</b></rdf:li><rdf:li xml:lang="de">anders</rdf:li></rdf:Alt></dc:title>` +
		`<dc:creator><rdf:Seq><rdf:li>Ada</rdf:li><rdf:li>Grace</rdf:li></rdf:Seq></dc:creator><xmp:CreateDate>2024-02-29T12:30:15.25+01:00</xmp:CreateDate>` +
		`<xmp:ModifyDate>2025-03</xmp:ModifyDate><pdf:Producer/><pdf:ProducerX>no</pdf:ProducerX><dc:language><rdf:Bag><rdf:li>fr-CA</rdf:li></rdf:Bag></dc:language>` +
		`<rdf:Description pdfaid:part="3" pdfaid:conformance='B' pdf:Keywords="a &lt; b"/><dc:description>in the packet</dc:description>`)
	w.Info = w.Add("<</Subject(in Info)>>")
	tree, _ := w.Tree("", 1, func(int, []int) pdftest.Page { return pdftest.Page{} })
	w.Catalog(tree, "/Metadata %d 0 R", x)
	m := decodeBytes(t, w.Table(), readapi.Request{}).Meta
	for key, v := range map[string]any{
		"title": "Café & more", "author": "Ada, Grace", "subject": "in Info", "keywords": "a < b", "created": "2024-02-29T12:30:15+01:00",
		"modified": "2025-03-01T00:00:00Z", "language": "fr-CA", "pdfa": "3B", "producer": nil,
	} {
		if m[key] != v {
			t.Errorf("%s is %v, want %v", key, m[key], v)
		}
	}
	for _, s := range []string{"<dc:title>&", "<dc:title", "dc:title=", " dc:title='x", "<dc:title><rdf:li", "&#x110000;", "<dc:title>&#0;&nosuch;</dc:title>"} {
		newXMP([]byte(s)).text("dc:title") // no panic
	}
	wide := newXMP([]byte("\xff\xfe<\x00d\x00:\x00t\x00>\x00\xe9\x00<\x00/\x00d\x00:\x00t\x00>\x00"))
	if got := wide.text("d:t"); got != "é" {
		t.Errorf("UTF-16 gives %q", got)
	}
}

// A packet that mentions a property without end costs no more than its length, a few times.
func TestXMPIsBounded(t *testing.T) {
	for _, s := range []string{"<dc:title>", "<dc:title></dc:title>", " dc:title", " dc:title='", "<dc:title><rdf:li>", "&"} {
		x := newXMP([]byte(strings.Repeat(s, maxXMPBytes/len(s)) + "</dc:title>"))
		start := time.Now()
		for range 10 {
			x.text("dc:title")
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%q takes %v", s, d)
		}
	}
}

func FuzzXMP(f *testing.F) {
	f.Add([]byte("<dc:title><rdf:Alt><rdf:li>a &amp; b</rdf:li></rdf:Alt></dc:title>"))
	f.Add([]byte(" dc:title='a &#x41;'/>"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if s := newXMP(b).text("dc:title"); !utf8.ValidString(s) {
			t.Errorf("%q gives %q", b, s)
		}
	})
}

func TestIsoDate(t *testing.T) {
	for in, want := range map[string]string{
		"2024": "2024-01-01T00:00:00Z", "2024-05": "2024-05-01T00:00:00Z", "2024-05-06T07:08": "2024-05-06T07:08:00Z",
		"2024-05-06T07:08:09.123-03:30": "2024-05-06T07:08:09-03:30", "2024-05-06T07:08:09Z": "2024-05-06T07:08:09Z", "x": "", "": "", "2024-13": "",
	} {
		if got := isoDate(in); got != want {
			t.Errorf("isoDate(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFeatures(t *testing.T) {
	plain := decodeBytes(t, book(1, nil, nil), readapi.Request{}).Meta
	for _, key := range []string{"xfa", "linearized", "javascript", "portfolio", "fields", "files", "layers", "outline", "page_labels", "map", "pdfa"} {
		if plain[key] != nil {
			t.Errorf("a plain file has %s: %v", key, plain[key])
		}
	}
	for key, catalog := range map[string]string{
		"xfa": "/AcroForm<</XFA(x)>>", "javascript": "/OpenAction<</S/JavaScript/JS(x)>>", "portfolio": "/Collection<<>>",
	} {
		m := decodeBytes(t, book(1, nil, func(*pdftest.Writer, []int) string { return catalog }), readapi.Request{}).Meta
		if m[key] != true {
			t.Errorf("%s does not give %s", catalog, key)
		}
	}
	for _, catalog := range []string{"/Names<</JavaScript<</Names[(a)<</S/JavaScript/JS(x)>>]>>>>", "/AA<</WC<</S/JavaScript/JS(x)>>>>"} {
		if m := decodeBytes(t, book(1, nil, func(*pdftest.Writer, []int) string { return catalog }), readapi.Request{}).Meta; m["javascript"] != true {
			t.Errorf("%s: no javascript", catalog)
		}
	}
	w := pdftest.Plain(pdftest.Lines(hello))
	w.Header = "%PDF-1.7\n%<</Linearized 1>>\n"
	if m := decodeBytes(t, w.Table(), readapi.Request{}).Meta; m["linearized"] != true {
		t.Error("a linearized file does not say so")
	}
}

func TestLayersAreNamed(t *testing.T) {
	doc := book(1, nil, func(w *pdftest.Writer, _ []int) string {
		a, b := w.Add("<</Type/OCG/Name(Base)>>"), w.Add("<</Type/OCG/Name(Draft)>>")
		return fmt.Sprintf("/OCProperties<</OCGs[%d 0 R %d 0 R]/D<</OFF[%d 0 R]>>>>", a, b, b)
	})
	want(t, "layers", decodeBytes(t, doc, readapi.Request{}).Meta["layers"], `[{"name":"Base","on":true},{"name":"Draft","on":false}]`)
}

func TestPageSizes(t *testing.T) {
	w := &pdftest.Writer{}
	f := w.Add(pdftest.Helvetica)
	entries := []string{"", "", "/Rotate 90", "/CropBox[0 0 100 200]", "/UserUnit 2"}
	tree, _ := w.Tree(fmt.Sprintf("/Font<</F1 %d 0 R>>", f), 5, func(i int, _ []int) pdftest.Page {
		p := pdftest.Page{Entries: entries[i], Content: pdftest.Lines("x")}
		switch i {
		case 3:
			p.Content = "BT /F1 12 Tf 10 100 Td (x) Tj ET"
		case 4:
			p.Content = ""
		}
		return p
	})
	w.Catalog(tree, "")
	want(t, "sizes", decodeBytes(t, w.Table(), readapi.Request{}).Meta["page_sizes"], `[{"from":1,"to":2,"width":612,"height":792,"text":true},
		{"from":3,"to":3,"width":792,"height":612,"text":true},{"from":4,"to":4,"width":100,"height":200,"text":true},
		{"from":5,"to":5,"width":1224,"height":1584,"text":false}]`)
}

// Whatever stands in them, the facts of a document fit the frames that they travel in.
func TestMetaIsBounded(t *testing.T) {
	long := "(" + strings.Repeat(`\001`, maxMetaBytes+100) + ")"
	short := "(" + strings.Repeat(`\001`, maxTitleBytes+100) + ")"
	name := "/" + strings.Repeat("#01", maxTitleBytes+100)
	doc := book(1, nil, func(w *pdftest.Writer, _ []int) string {
		w.Info = w.Add("<</Title%s/Author%s/Subject%s/Keywords%s/Creator%s/Producer%s>>", long, long, long, long, long, long)
		var items []pdftest.OutlineItem
		var specs, groups strings.Builder
		for i := range maxOutline + 10 {
			items = append(items, item("x", 1, "/Title"+short+"/A<</S/URI/URI"+short+">>"))
			file := w.Stream("", nil)
			spec := w.Add("<</F%s/Desc%s/AFRelationship%s/EF<</F %d 0 R>>>>", short, short, name, file)
			fmt.Fprintf(&specs, "(%d)%d 0 R", i, spec)
			fmt.Fprintf(&groups, "%d 0 R ", w.Add("<</Name%s>>", short))
		}
		tree := w.Add("<</Names[%s]>>", specs.String())
		return fmt.Sprintf("/Lang%s/Outlines %d 0 R/Names<</EmbeddedFiles %d 0 R>>/OCProperties<</OCGs[%s]/D<<>>>>", long, w.Outline(items...), tree, groups.String())
	})
	res := decodeBytes(t, doc, readapi.Request{MaxTokens: 1})
	if list, _ := res.Meta["outline"].([]any); len(list) != maxOutline {
		t.Errorf("%d entries of the outline", len(list))
	}
	if list, _ := res.Meta["files"].([]any); len(list) != maxDescribed || len(res.Children) != maxOutline+10 {
		t.Errorf("%d files are described, %d listed", len(list), len(res.Children))
	}
	if list, _ := res.Meta["layers"].([]any); len(list) != maxLayers {
		t.Errorf("%d layers", len(list))
	}
}
