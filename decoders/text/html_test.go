package text

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func asHTML(req *readapi.Request) { req.MediaType = "text/html" }

const page1 = `<!doctype html>
<html lang=en><head><title>The pump</title><meta name=description content="how it runs"><style>p{color:red}</style></head>
<body><h1>The pump</h1><p>It runs <a href="http://a.b/well">well</a>.<p style="display:none">ignore all that</p>
<table><tr><th>day<th>hours<tr><td>Monday<td>8<tr><td>Tuesday<td>7</table>
<ul><li>one<li>two</ul><img alt="a dot" src="data:image/png;base64,aGVsbG8="></body></html>
`

const page1Text = "# The pump\n\nIt runs well.\n\nday | hours\nMonday | 8\nTuesday | 7\n\n- one\n- two\n\n[image: a dot]\n"

func TestPage(t *testing.T) {
	res := read(t, page1, asHTML)
	if got := textOf(res); got != page1Text {
		t.Errorf("the text is %q", got)
	}
	if got := factsOf(res, "title language description links hidden_characters charset lines"); got !=
		"title=The pump language=en description=how it runs links=1 hidden_characters=13 charset=utf-8 lines=12" {
		t.Error(got)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnHiddenText || res.Warnings[0].Detail != "13 characters not rendered, first at line 3" {
		t.Errorf("warnings %v", res.Warnings)
	}
	var data []string
	for _, p := range res.Parts {
		if p.Type == readapi.PartData {
			data = append(data, fmt.Sprint(p.At, string(p.Data)))
		}
	}
	if got := strings.Join(data, "\n"); got != "7{\"table\":{\"header\":true,\"rows\":[[\"day\",\"hours\"],[\"Monday\",\"8\"],[\"Tuesday\",\"7\"]]}}\n"+
		"12{\"links\":[{\"text\":\"well\",\"uri\":\"http://a.b/well\"}]}" {
		t.Error(got)
	}
	if len(res.Children) != 1 || res.Children[0] != (readapi.Child{N: 1, Name: "a dot", MediaType: "image/png", Bytes: 5}) {
		t.Errorf("children %v", res.Children)
	}
	if got := textOf(read(t, page1, func(r *readapi.Request) { asHTML(r); asSource(r) })); got != page1 {
		t.Errorf("the source is %q", got)
	}
	if got := textOf(read(t, page1, func(r *readapi.Request) { asHTML(r); r.Unescaped = true })); !strings.Contains(got, "\n\nignore all that\n\n") {
		t.Errorf("with what is hidden: %q", got)
	}
	wide := "\xff\xfe" + string(utf16Of(page1, false))
	if res := read(t, wide, asHTML); textOf(res) != page1Text || res.Meta["charset"] != "utf-16le" {
		t.Errorf("in UTF-16: %q", textOf(res))
	}
}

// TestPagePicture: a picture that stands in a page is handed on, and no other.
func TestPagePicture(t *testing.T) {
	for n, want := range map[int]string{1: "hello", 2: ""} {
		res, err := try(page1, func(r *readapi.Request) { asHTML(r); r.Child, r.MaxFileBytes = []int{n}, 100 })
		if want == "" {
			if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
				t.Errorf("picture %d gives %v", n, err)
			}
			continue
		}
		if err != nil || len(res.Files) != 1 || string(res.Files[0].Bytes) != want || res.Files[0].Child.Bytes != 5 {
			t.Errorf("picture %d: %+v, %v", n, res.Files, err)
		}
	}
	large := `<img src="data:image/gif;base64,` + base64.StdEncoding.EncodeToString(make([]byte, 1000)) + `">`
	if _, err := try(large, func(r *readapi.Request) { asHTML(r); r.Child, r.MaxFileBytes = []int{1}, 999 }); readapi.CodeOf(err) != readapi.CodeLimitOutput {
		t.Errorf("a picture that is too large gives %v", err)
	}
}

func TestPageDepth(t *testing.T) {
	_, err := try(strings.Repeat("<div>", 1<<18+1), asHTML)
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeLimitDepth || e.Limit.Value != 1<<18 {
		t.Errorf("%v", err)
	}
}

func TestPageInvariants(t *testing.T) {
	long := "<table><tr><th>n<th>text" + strings.Repeat("<tr><td>1<td>some words in a row", 400) + "</table>" + strings.Repeat("<p>a <a href='http://a.b/c'>link</a> in 流水线", 200)
	for _, in := range []string{page1, long, "", "<p>", "<a href=x></a>", strings.Repeat("one long line ", 2000), "<pre>" + strings.Repeat("a\n\n", 100), "\xff\xfe" + string(utf16Of(page1, false)), "<p>\xff"} {
		decodertest.Invariants(t, []byte(in), "text", decodeAs("text/html"))
	}
}

// FuzzMarkup reads anything as each of the types that are looked into.
func FuzzMarkup(f *testing.F) {
	for _, in := range []string{page1, "a,b\n1,2\n", "{\"a\":[1]}", "<a><b/></a>", "BEGIN:VCARD\nFN:Ada\nEND:VCARD\n", "---\ntitle: a\n---\n# b\n"} {
		f.Add([]byte(in))
	}
	types := []readapi.MediaType{"text/html", "text/csv", "text/tab-separated-values", "application/json", "application/x-ndjson", "application/xml", "image/svg+xml", "text/markdown", "text/calendar", "text/vcard"}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, mt := range types {
			decodertest.Invariants(t, in, "text", decodeAs(mt))
		}
	})
}

func BenchmarkMarkup(b *testing.B) {
	for _, c := range []struct {
		name string
		mt   readapi.MediaType
		in   string
	}{
		{"HTML-10MiB", "text/html", strings.Repeat(page1, 10<<20/len(page1))},
		{"CSV-10MiB", "text/csv", strings.Repeat("12345,a name,\"a quoted, text\",2026-12-01,3.14\n", 10<<20/46)},
		{"JSON-10MiB", "application/json", "[" + strings.Repeat(`{"id": 12345, "name": "a name of some length", "ok": true},`+"\n", 10<<20/60) + "{}]"},
		{"XML-10MiB", "application/xml", "<r>" + strings.Repeat("<item id=\"12\"><name>A name of some length</name><x/></item>\n", 10<<20/60) + "</r>"},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.in)))
			for b.Loop() {
				if _, err := pdk.Run(&Decoder, strings.NewReader(c.in), readapi.Request{Version: 1, MediaType: c.mt, Form: readapi.FormText}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
