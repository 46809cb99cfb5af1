package text

import (
	"bytes"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// shown is the plain way to say what is shown of a line.
func shown(line string, at int) string {
	body := strings.TrimRight(line, "\r\n")
	runes := []rune(body)
	if len(runes) <= mostShown {
		return line
	}
	n := readapi.CutGrapheme(body, len(string(runes[:mostShown])))
	if n == 0 {
		n = len(string(runes[:mostShown]))
	}
	return body[:n] + "… [" + strconv.Itoa(utf8.RuneCountInString(body[n:])) + " more characters; read line " + strconv.Itoa(at) + " alone to see them]" + line[len(body):]
}

func TestLongLines(t *testing.T) {
	flags := "x" + strings.Repeat("🇩🇪", mostShown)
	for _, line := range []string{
		strings.Repeat("a", mostShown), strings.Repeat("a", mostShown+1), strings.Repeat("流", mostShown+1), flags, strings.Repeat("e\u0301", mostShown),
		"x" + strings.Repeat("👩\u200d", mostShown), "x" + strings.Repeat("\u0301", 5*mostShown), strings.Repeat("long ", chunkBytes), strings.Repeat("流水", 2*chunkBytes) + "x",
	} {
		for _, end := range []string{"", "\n", "\r\n", "\r"} {
			in := "first" + "\n" + line + end
			if end != "" {
				in += "last"
			}
			lines := split(in)
			want := ""
			for i, l := range lines {
				want += shown(l, i+1)
			}
			res := read(t, in, nil)
			if got := textOf(res); got != want {
				t.Fatalf("%.20q, %d bytes, end %q: %.80q … %.80q, want … %.80q", line, len(line), end, got, got[max(0, len(got)-80):], want[max(0, len(want)-80):])
			}
			cut := shown(lines[1], 2) != lines[1]
			for _, p := range res.Parts {
				if p.Truncated != (cut && p.At == 2) {
					t.Errorf("%.20q: the part of line %d is truncated: %v", line, p.At, p.Truncated)
				}
			}
			alone := read(t, in, func(r *readapi.Request) { r.Units = []readapi.Range{{From: 2, To: 2}} })
			if got := textOf(alone); got != lines[1] {
				t.Errorf("%.20q alone is %.40q", line, got)
			}
			if got := textOf(read(t, in, asSource)); got != in {
				t.Errorf("the source of %.20q is %.40q", line, got)
			}
		}
	}
}

// TestCursors: all answers one behind the other are the whole text, whatever the budget, the form and the lines asked for, and no cut goes
// through a character as a reader sees it.
func TestCursors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{
			"a", "ß", "流水线", "\n", "\r\n", "\r", "\t", " ", "👩\u200d🔧", "🇩🇪", "e\u0301", "word ", "\x1b[1m", "\u202e", strings.Repeat("long", 700), strings.Repeat("長", 2100),
		})
		in := strings.Join(rapid.SliceOfN(piece, 1, 40).Draw(t, "pieces"), "")
		req := readapi.Request{Version: 1, MediaType: "text/plain", Form: rapid.SampledFrom([]readapi.Form{readapi.FormAuto, readapi.FormSource}).Draw(t, "form")}
		lines := split(strings.ReplaceAll(in, "\x1b[1m", ""))
		if req.Form == readapi.FormSource {
			lines = split(in)
		}
		if len(lines) > 0 && rapid.Bool().Draw(t, "select") {
			from := rapid.IntRange(1, len(lines)).Draw(t, "from")
			req.Units = []readapi.Range{{From: int64(from), To: int64(rapid.IntRange(from, len(lines)).Draw(t, "to"))}}
		}
		want := ""
		for i, l := range lines {
			alone := len(req.Units) == 1 && req.Units[0].From == req.Units[0].To
			switch {
			case !readapi.Selected(req.Units, int64(i+1)):
			case req.Form == readapi.FormSource || alone:
				want += l
			default:
				want += shown(l, i+1)
			}
		}
		req.MaxTokens, req.MaxBytes = rapid.Int64Range(20, 4000).Draw(t, "tokens"), rapid.Int64Range(60, 9000).Draw(t, "bytes")
		got := ""
		for range 20_000 {
			res, err := pdk.Run(&Decoder, bytes.NewReader([]byte(in)), req)
			if err != nil {
				t.Fatal(err)
			}
			got += textOf(res)
			if !strings.HasPrefix(want, got) {
				t.Fatalf("%.60q … is no beginning of %.60q", got[max(0, len(got)-60):], want)
			}
			if n := len(got); n < len(want) && readapi.CutGrapheme(want, n) != n {
				t.Fatalf("cut between %q and %q", got[max(0, n-20):], want[n:min(len(want), n+20)])
			}
			if res.Next == nil {
				break
			}
			req.Start = *res.Next
		}
		if got != want {
			t.Fatalf("%d bytes of %d: %.80q", len(got), len(want), got)
		}
	})
}
