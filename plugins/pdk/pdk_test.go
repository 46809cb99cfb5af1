package pdk_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
	"pgregory.net/rapid"
)

// units is a decoder whose units are given; line makes it emit them as lines.
func units(texts []string, line bool) *pdk.Decoder {
	return &pdk.Decoder{
		Name: "units", Version: "1", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "card", Forms: []readapi.Form{readapi.FormText},
		Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
			for at := range w.Units(int64(len(texts))) {
				emit := w.Text
				if line {
					emit = w.Line
				}
				if err := emit(at, texts[at-1]); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func read(t testing.TB, d *pdk.Decoder, req readapi.Request) (readapi.Result, error) {
	t.Helper()
	if req.Form == "" {
		req.Form = readapi.FormAuto
	}
	return pdk.Run(d, bytes.NewReader(nil), req)
}

// walk reads answer by answer and returns each unit's text as it was put together.
func walk(t *rapid.T, d *pdk.Decoder, req readapi.Request) map[int64]string {
	got := map[int64]string{}
	for i := 0; ; i++ {
		if i > 10_000 {
			t.Fatal("the cursors do not end")
		}
		res, err := pdk.Run(d, bytes.NewReader(nil), req)
		if err != nil {
			t.Fatal(err)
		}
		var tokens, n int64
		for _, p := range res.Parts {
			if p.Offset != int64(len(got[p.At])) {
				t.Fatalf("unit %d goes on at %d, had %d bytes", p.At, p.Offset, len(got[p.At]))
			}
			got[p.At] += p.Text
			text := p.Text // as it leaves
			if !req.Unescaped && req.Form != readapi.FormSource {
				text, _ = readapi.Escape(text)
			}
			tokens += readapi.EstimateTokens(text)
			n += int64(len(text))
		}
		small := len(res.Parts) == 1 && utf8.RuneCountInString(res.Parts[0].Text) == 1 // progress beats the budget
		if !small && (req.MaxTokens > 0 && tokens > req.MaxTokens || req.MaxBytes > 0 && n > req.MaxBytes) {
			t.Fatalf("%d tokens, %d bytes in an answer of at most %d, %d", tokens, n, req.MaxTokens, req.MaxBytes)
		}
		if res.Next == nil {
			return got
		}
		if *res.Next == req.Start {
			t.Fatalf("no progress at %+v", req.Start)
		}
		req.Start = *res.Next
	}
}

// Walking the cursors gives every selected unit once and whole, whatever the budget.
func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab \né漢́\u200d👩\x1b\u0085\u202e\U000E0041")))
		texts := rapid.SliceOfN(text, 1, 12).Draw(t, "texts")
		req := readapi.Request{
			Version: 1, Form: readapi.FormAuto, MaxTokens: rapid.Int64Range(0, 8).Draw(t, "tokens"), MaxBytes: rapid.Int64Range(0, 20).Draw(t, "bytes"),
			Unescaped: rapid.Bool().Draw(t, "unescaped"),
		}
		if rapid.Bool().Draw(t, "select") {
			from := rapid.Int64Range(1, int64(len(texts))).Draw(t, "from")
			req.Units = []readapi.Range{{From: from, To: rapid.Int64Range(from, int64(len(texts))).Draw(t, "to")}}
		}
		got := walk(t, units(texts, false), req)
		for i, want := range texts {
			at := int64(i + 1)
			text, ok := got[at]
			if ok != readapi.Selected(req.Units, at) || ok && text != want {
				t.Fatalf("unit %d is %q, want %q", at, text, want)
			}
		}
	})
}

// Lines share parts, and joining the parts gives the text back.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var texts []string
		for _, s := range rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune("ab é漢"))), 1, 30).Draw(t, "lines") {
			texts = append(texts, s+"\n")
		}
		req := readapi.Request{Version: 1, Form: readapi.FormAuto, MaxTokens: rapid.Int64Range(0, 8).Draw(t, "tokens")}
		var all strings.Builder
		for i := 0; ; i++ {
			res, err := pdk.Run(units(texts, true), bytes.NewReader(nil), req)
			if err != nil || i > 10_000 {
				t.Fatal(i, err)
			}
			for _, p := range res.Parts {
				all.WriteString(p.Text)
			}
			if res.Next == nil {
				break
			}
			req.Start = *res.Next
		}
		if all.String() != strings.Join(texts, "") {
			t.Fatalf("got %q, want %q", all.String(), texts)
		}
	})
	res, err := read(t, units([]string{"a\n", "b\n", "c\n"}, true), readapi.Request{})
	if err != nil || len(res.Parts) != 1 || res.Parts[0].Text != "a\nb\nc\n" || res.Covers != (readapi.Range{From: 1, To: 3}) {
		t.Errorf("got %+v, %v, want one part of three lines", res, err)
	}
}

func TestSelectionThatIsNotThere(t *testing.T) {
	d := units([]string{"a", "b"}, false)
	for _, req := range []readapi.Request{
		{Units: []readapi.Range{{From: 3, To: 3}}}, {Units: []readapi.Range{{From: 1, To: 9}}}, {Start: readapi.Position{At: 3}},
		{Start: readapi.Position{At: 1, Offset: 99}}, {Form: readapi.FormImage},
	} {
		if _, err := read(t, d, req); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%+v: %v, want invalid_request", req, err)
		}
	}
	if _, err := read(t, units([]string{"é"}, false), readapi.Request{Start: readapi.Position{At: 1, Offset: 1}}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a start inside a character: %v, want invalid_request", err)
	}
}

func TestFailures(t *testing.T) {
	fail := func(err error) *pdk.Decoder {
		return &pdk.Decoder{Decode: func(readapi.Input, *readapi.Request, *pdk.Writer) error { return err }}
	}
	for want, err := range map[readapi.Code]error{
		readapi.CodeMalformed:          errors.New("library: offset 7"),
		readapi.CodeUnsupportedFeature: fmt.Errorf("page 3: %w", pdk.Unsupported("JPXDecode")),
		readapi.CodeEncrypted:          pdk.Encrypted(""),
		readapi.CodeLimitPixels:        pdk.OverLimit(readapi.CodeLimitPixels, "max_pixels", 1, 2),
	} {
		_, got := read(t, fail(err), readapi.Request{})
		if readapi.CodeOf(got) != want {
			t.Errorf("%v became %v, want %s", err, got, want)
		}
		if strings.Contains(got.Error(), "offset 7") {
			t.Errorf("a library's text leaves: %v", got)
		}
	}
	// A decoder cannot claim a code that belongs to the host.
	if _, err := read(t, fail(readapi.CodeNotFound), readapi.Request{}); readapi.CodeOf(err) != readapi.CodeMalformed {
		t.Errorf("got %v, want malformed_input", err)
	}
	if res, err := read(t, fail(pdk.ErrFull), readapi.Request{}); err != nil || res.Next != nil {
		t.Errorf("got %+v, %v", res, err)
	}
}

// A unit of several parts that does not fit one answer goes on with the part that is missing, not with the ones that were given.
func TestPartsOfOneUnit(t *testing.T) {
	d := &pdk.Decoder{Unit: "page", Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
		for at := range w.Units(3) {
			if err := w.Text(at, strings.Repeat("word ", int(at)*4)); err != nil {
				return err
			}
			if err := w.Data(at, map[string]int64{"unit": at}); err != nil {
				return err
			}
			if err := w.Image(at, "image/png", 1, 1, make([]byte, 30)); err != nil {
				return err
			}
		}
		return nil
	}}
	kinds := func(res readapi.Result) (out []string) {
		for _, p := range res.Parts {
			out = append(out, fmt.Sprint(p.At, p.Type, p.Offset))
		}
		return out
	}
	whole, err := read(t, d, readapi.Request{})
	if err != nil || len(whole.Parts) != 9 {
		t.Fatalf("%v, %v", kinds(whole), err)
	}
	for most := int64(30); most < 200; most++ {
		req := readapi.Request{MaxBytes: most}
		texts, others := map[int64]string{}, 0
		for range 100 {
			res, err := read(t, d, req)
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range res.Parts {
				if p.Type != readapi.PartText {
					others++
					continue
				}
				if int(p.Offset) != len(texts[p.At]) {
					t.Fatalf("budget %d: text of unit %d goes on at %d, had %d", most, p.At, p.Offset, len(texts[p.At]))
				}
				texts[p.At] += p.Text
			}
			if res.Next == nil {
				break
			}
			req.Start = *res.Next
		}
		if others != 6 || len(texts[1]) != 20 || len(texts[2]) != 40 || len(texts[3]) != 60 {
			t.Fatalf("budget %d: %d pictures and tables, want 6; texts of %d, %d, %d bytes", most, others, len(texts[1]), len(texts[2]), len(texts[3]))
		}
	}
}

// A structured part is plain values, or JSON that the decoder made itself.
func TestData(t *testing.T) {
	for _, c := range []struct {
		emit func(w *pdk.Writer) error
		want string // "": the read fails
	}{
		{func(w *pdk.Writer) error {
			return w.Data(1, map[string]any{"rows": [][]string{{"a", "<b>"}}, "n": 1.5})
		}, `{"n":1.5,"rows":[["a","<b>"]]}`},
		{func(w *pdk.Writer) error { return w.Data(1, readapi.Child{N: 1}) }, `{"n":1,"name":"","media_type":"","bytes":0}`},
		{func(w *pdk.Writer) error { return w.JSON(1, []byte(`[1, 2]`)) }, `[1, 2]`},
		{func(w *pdk.Writer) error { return w.JSON(1, []byte(`[1, 2`)) }, ""},
		{func(w *pdk.Writer) error { return w.Data(1, struct{ A int }{1}) }, ""},
	} {
		d := &pdk.Decoder{Unit: "page", Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error { return c.emit(w) }}
		res, err := read(t, d, readapi.Request{})
		if (err == nil) != (c.want != "") {
			t.Errorf("%q: %v", c.want, err)
		} else if err == nil && string(res.Parts[0].Data) != c.want {
			t.Errorf("%s, want %s", res.Parts[0].Data, c.want)
		}
	}
}

// TestTable: what is left out for a reader of words counts as a part, so that a position is the same in both kinds of answer.
func TestTable(t *testing.T) {
	d := &pdk.Decoder{
		Name: "tables", Version: "1", MediaTypes: []readapi.MediaType{"text/plain"}, Unit: "card",
		Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
			for at := range w.Units(2) {
				if err := errors.Join(w.Text(at, "text"), w.Table(at, []string{"cell"}), w.Data(at, "more")); err != nil {
					return err
				}
			}
			return nil
		},
	}
	said := func(words bool, start readapi.Position) (s string) {
		res, err := read(t, d, readapi.Request{Words: words, Start: start})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Parts {
			s += fmt.Sprintf("%d%s%s ", p.At, p.Text, p.Data)
		}
		return s
	}
	for _, c := range []struct {
		words bool
		start readapi.Position
		want  string
	}{
		{false, readapi.Position{}, `1text 1["cell"] 1"more" 2text 2["cell"] 2"more" `},
		{true, readapi.Position{}, `1text 1"more" 2text 2"more" `},
		{true, readapi.Position{At: 1, Part: 1}, `1"more" 2text 2"more" `},
		{true, readapi.Position{At: 1, Part: 2}, `1"more" 2text 2"more" `},
		{false, readapi.Position{At: 1, Part: 2}, `1"more" 2text 2["cell"] 2"more" `},
	} {
		if got := said(c.words, c.start); got != c.want {
			t.Errorf("words %v from %v: %s", c.words, c.start, got)
		}
	}
}

func TestStop(t *testing.T) {
	d := &pdk.Decoder{Unit: "frame", Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
		n := 0
		for at := range w.Units(5) {
			if n++; n > 2 {
				return w.Stop(at)
			}
			if err := w.Text(at, "x"); err != nil {
				return err
			}
		}
		return nil
	}}
	var got []int64
	var req readapi.Request
	for range 10 {
		res, err := read(t, d, req)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range res.Parts {
			got = append(got, p.At)
		}
		if res.Next == nil {
			break
		}
		req.Start = *res.Next
	}
	if fmt.Sprint(got) != "[1 2 3 4 5]" {
		t.Errorf("got units %v", got)
	}
	nothing := &pdk.Decoder{Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error { return w.Stop(1) }}
	if _, err := read(t, nothing, readapi.Request{}); readapi.CodeOf(err) != readapi.CodeLimitOutput {
		t.Errorf("an answer without anything: %v", err)
	}
}

func TestImageBudget(t *testing.T) {
	d := &pdk.Decoder{Unit: "frame", Decode: func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
		for at := range w.Units(3) {
			if err := w.Image(at, "image/png", 1, 1, make([]byte, 100)); err != nil {
				return err
			}
		}
		return nil
	}}
	res, err := read(t, d, readapi.Request{MaxBytes: 250})
	if err != nil || len(res.Parts) != 2 || res.Next == nil || res.Next.At != 3 {
		t.Errorf("got %d parts, next %v, %v", len(res.Parts), res.Next, err)
	}
	if _, err := read(t, d, readapi.Request{MaxBytes: 50}); readapi.CodeOf(err) != readapi.CodeLimitOutput {
		t.Errorf("a picture over the whole budget: %v", err)
	}
}

// An answer ends before it has more parts or warnings than the protocol allows, and the next one goes on: a thousand scanned pages without
// text used to be bad_output.
func TestManyUnits(t *testing.T) {
	const total = 70_000
	for name, c := range map[string]struct{ perUnit, answers int }{"parts": {0, 2}, "warnings": {1, 70}, "many of one unit": {3000, 0}} {
		t.Run(name, func(t *testing.T) {
			d := units(nil, false)
			d.Decode = func(_ readapi.Input, _ *readapi.Request, w *pdk.Writer) error {
				for at := range w.Units(total) {
					for range c.perUnit {
						if err := w.Warn(readapi.WarnNoTextLayer, "scanned", at); err != nil {
							return err
						}
					}
					if err := w.Text(at, ""); err != nil {
						return err
					}
				}
				return nil
			}
			var seen int64
			req := readapi.Request{}
			for answers := 1; ; answers++ {
				res, err := read(t, d, req)
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range res.Parts {
					if seen++; p.At != seen {
						t.Fatalf("unit %d, want %d", p.At, seen)
					}
				}
				if c.answers == 0 {
					if last := res.Warnings[len(res.Warnings)-1]; len(res.Parts) != 1 || last.Code != readapi.WarnPartial {
						t.Fatalf("%d parts, last warning %+v", len(res.Parts), last)
					}
					return
				}
				if res.Next == nil {
					if seen != total || answers > c.answers {
						t.Errorf("%d units in %d answers", seen, answers)
					}
					return
				}
				req.Start = *res.Next
			}
		})
	}
}
