package text

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func asCSV(req *readapi.Request) { req.MediaType = "text/csv" }

// rowsOf are the rows of all tables in an answer, and how many of the tables begin with a header.
func rowsOf(t testing.TB, parts []readapi.Part) (rows [][]string, headers int) {
	t.Helper()
	for _, p := range parts {
		if p.Type != readapi.PartData {
			continue
		}
		var d struct {
			Table struct {
				Rows   [][]string
				Header bool
			}
		}
		if err := json.Unmarshal(p.Data, &d); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, d.Table.Rows...)
		if d.Table.Header {
			headers++
		}
	}
	return rows, headers
}

func TestTable(t *testing.T) {
	in := "\ufeffName;Ort;Preis\r\nMüller;\"Köln\r\nMitte\";1,50\r\n\r\n# nothing\r\nWeiß;Görlitz\r\n"
	res := read(t, in, asCSV)
	if got := textOf(res); got != strings.TrimPrefix(in, "\ufeff") {
		t.Errorf("the text is %q", got)
	}
	rows, headers := rowsOf(t, res.Parts)
	if want := [][]string{{"Name", "Ort", "Preis"}, {"Müller", "Köln\r\nMitte", "1,50"}, {"Weiß", "Görlitz", ""}}; !reflect.DeepEqual(rows, want) || headers != 1 {
		t.Errorf("%d headers, rows %q", headers, rows)
	}
	if last := res.Parts[len(res.Parts)-1]; last.At != 6 {
		t.Errorf("the table stands at line %d", last.At)
	}
	for key, want := range map[string]any{
		"delimiter": ";", "columns": 3.0, "rows": 3.0, "header": true, "quoted_newlines": 1.0, "ragged_rows": 1.0, "comments": 1.0, "decimal_comma": true,
		"lines": 6.0, "newline": "crlf",
	} {
		if res.Meta[key] != want {
			t.Errorf("meta %s is %v, want %v", key, res.Meta[key], want)
		}
	}
	for name, in := range map[string]string{"one column": "a\nb\n", "prose": "So he, at last,\nwent.\nNobody, none, cared\n.\n", "nothing": ""} {
		if res := read(t, in, asCSV); len(res.Parts) > 1 || textOf(res) != in || res.Meta["delimiter"] != nil {
			t.Errorf("%s: %d parts, %v", name, len(res.Parts), res.Meta)
		}
	}
	res = read(t, "a,b\n1,2\n3,\"4\n5,6\n", func(r *readapi.Request) { r.MediaType = "text/csv" })
	if rows, _ := rowsOf(t, res.Parts); len(rows) != 4 { // the quote is taken for one that means nothing
		t.Errorf("a quote that is not closed: %q", rows)
	}
	if res := read(t, in, func(r *readapi.Request) { asCSV(r); asSource(r) }); len(res.Parts) != 1 {
		t.Errorf("the source has %d parts", len(res.Parts))
	}
}

// TestBrokenQuote: a quote that opens behind what is looked at for the dialect, and is never closed, ends the data and not the text.
func TestBrokenQuote(t *testing.T) {
	in := "a,b\n" + strings.Repeat("1,2\n", sampleBytes) + "3,\"4\n" + strings.Repeat("5,6\n", sampleBytes)
	res := read(t, in, asCSV)
	rows, _ := rowsOf(t, res.Parts)
	if len(rows) != sampleBytes+1 || textOf(res) != in {
		t.Errorf("%d rows", len(rows))
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnPartial || !strings.Contains(res.Warnings[0].Detail, "line 65538") {
		t.Errorf("warnings %v", res.Warnings)
	}
}

// TestTableInvariants: cursors, selections and budgets give each line and each run once, whatever ends the lines.
func TestTableInvariants(t *testing.T) {
	for _, end := range []string{"\n", "\r\n", "\r"} {
		var b strings.Builder
		b.WriteString("id,what" + end)
		for i := range 240 {
			fmt.Fprintf(&b, "%d,\"row%s%d\"%s", i, strings.Repeat(end, i%3/2), i, end)
		}
		in := strings.TrimSuffix(b.String(), end)
		decodertest.Invariants(t, []byte(in), "text", decodeAs("text/csv"))
		res := read(t, in, asCSV)
		all, _ := rowsOf(t, res.Parts)
		if len(all) != 241 {
			t.Fatalf("%q: %d rows", end, len(all))
		}
		rapid.Check(t, func(rt *rapid.T) {
			req := readapi.Request{MaxTokens: int64(rapid.IntRange(60, 4000).Draw(rt, "tokens"))}
			var got [][]string
			for next := (&readapi.Position{}); next != nil; {
				start := *next
				res := read(t, in, func(r *readapi.Request) { asCSV(r); r.MaxTokens, r.Start = req.MaxTokens, start })
				rows, _ := rowsOf(t, res.Parts)
				got = append(got, rows...)
				next = res.Next
			}
			if !reflect.DeepEqual(got, all) {
				rt.Fatalf("%q with %d tokens: the walk gives %d rows", end, req.MaxTokens, len(got))
			}
		})
	}
}

// TestTableWords: read as words a table is its lines. The cursors of that reading give every line once, and one of either kind that is used for
// the other leaves no line out.
func TestTableWords(t *testing.T) {
	in := "id,what\n" + strings.Repeat("1,some words in a cell\n", 900)
	rapid.Check(t, func(rt *rapid.T) {
		tokens := int64(rapid.IntRange(60, 4000).Draw(rt, "tokens"))
		mixed := rapid.Bool().Draw(rt, "both kinds")
		words, got, at := true, "", int64(0)
		for next := (&readapi.Position{}); next != nil; {
			start := *next
			res := read(t, in, func(r *readapi.Request) { asCSV(r); r.MaxTokens, r.Start, r.Words = tokens, start, words })
			for _, p := range res.Parts {
				if p.Type == readapi.PartData && words {
					rt.Fatalf("a reader of words gets %s", p.Data)
				}
				if p.At < at {
					rt.Fatalf("line %d behind line %d", p.At, at)
				}
				at = p.At
			}
			got += textOf(res)
			if next = res.Next; mixed {
				words = rapid.Bool().Draw(rt, "words")
			}
		}
		if got != in {
			rt.Fatalf("%d tokens: %d of %d bytes", tokens, len(got), len(in))
		}
	})
	size := func(words bool) int {
		return len(textOf(read(t, in, func(r *readapi.Request) { asCSV(r); r.MaxTokens, r.Words = 2000, words })))
	}
	if with, without := size(false), size(true); without < 2*with-100 {
		t.Errorf("2000 tokens hold %d bytes beside tables and %d alone", with, without)
	}
	a, b := read(t, in, asCSV), read(t, in, func(r *readapi.Request) { asCSV(r); r.Words = true })
	if !reflect.DeepEqual(a.Meta, b.Meta) || a.Total != b.Total {
		t.Errorf("as words the file is %v, else %v", b.Meta, a.Meta)
	}
}

// TestPageWords: of a page the links stay.
func TestPageWords(t *testing.T) {
	page := "<table border><tr><td>a<td><a href=/x>b</a></table><p>c"
	res := read(t, page, func(r *readapi.Request) { r.MediaType, r.Words = "text/html", true })
	var data []string
	for _, p := range res.Parts {
		if p.Type == readapi.PartData {
			data = append(data, string(p.Data))
		}
	}
	if len(data) != 1 || !strings.HasPrefix(data[0], `{"links":`) || !strings.Contains(textOf(res), "a | b") {
		t.Errorf("the page gives %q and %q", textOf(res), data)
	}
}

// TestTableSelection: a part has the rows of the lines that were asked for and no others.
func TestTableSelection(t *testing.T) {
	in := "id,what\n" + strings.Repeat("1,x\n", 2000)
	whole := read(t, in, asCSV)
	var ends []int64
	for _, p := range whole.Parts {
		if p.Type == readapi.PartData {
			ends = append(ends, p.At)
		}
	}
	if len(ends) < 3 {
		t.Fatalf("runs end at %v", ends)
	}
	res := read(t, in, func(r *readapi.Request) { asCSV(r); r.Units = []readapi.Range{{From: ends[1] - 9, To: ends[1] + 5}} })
	if rows, headers := rowsOf(t, res.Parts); len(rows) != 10 || headers != 0 {
		t.Errorf("%d rows, %d headers", len(rows), headers)
	}
	large := in + strings.Repeat("2,y\n", scanBytes/2)
	res = read(t, large, func(r *readapi.Request) { asCSV(r); r.Units = []readapi.Range{{From: 1, To: ends[0]}} })
	if rows, headers := rowsOf(t, res.Parts); int64(len(rows)) != ends[0] || headers != 1 || res.Meta["rows_at_least"] != true {
		t.Errorf("the head of a large file: %d rows, %d headers, %v", len(rows), headers, res.Meta)
	}
}
