package readapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestKindOf(t *testing.T) {
	for _, c := range []struct {
		mediaType, name string
		want            readapi.Kind
	}{
		{"image/PNG", "", readapi.KindImage}, {"APPLICATION/PDF", "", readapi.KindPDF}, {"text/plain", "a.go", readapi.KindCode},
		{"text/plain", "a.txt", readapi.KindOther}, {"application/octet-stream", "Report.DOCX", readapi.KindDoc},
		{"application/json", "x.json", readapi.KindCode}, {"application/octet-stream", "x.pdf", readapi.KindOther}, {"", "Makefile", readapi.KindOther},
		{"application/pdf; v=1", "x.pdf", readapi.KindPDF}, {"image/svg+xml", "x", readapi.KindImage},
	} {
		m, _ := readapi.ParseMediaType(c.mediaType)
		if got := readapi.KindOf(m, c.name); got != c.want {
			t.Errorf("KindOf(%q, %q) = %s, want %s", c.mediaType, c.name, got, c.want)
		}
	}
}

func TestParseMediaType(t *testing.T) {
	for in, want := range map[string]readapi.MediaType{
		"text/plain": "text/plain", " Text/HTML ; charset=utf-8": "text/html", "image/svg+xml": "image/svg+xml",
		"": "", "text": "", "text/": "", "/plain": "", "a b/c": "", "text/plain/x": "", "tеxt/plain": "", "text/\x00": "",
	} {
		if got, ok := readapi.ParseMediaType(in); got != want || ok != (want != "") {
			t.Errorf("ParseMediaType(%q) = %q, %v, want %q", in, got, ok, want)
		}
	}
}

func TestErrors(t *testing.T) {
	cause := errors.New("disk on fire at /secret/path")
	e := &readapi.Error{Op: "host.Read", Code: readapi.CodeBusy, Ref: "att_1", Err: cause, RetryAfter: 1500 * time.Millisecond, Hint: "Later."}
	wrapped := fmt.Errorf("wrapped: %w", e)
	if !errors.Is(wrapped, readapi.CodeBusy) || errors.Is(wrapped, readapi.CodeTrap) || !errors.Is(wrapped, cause) {
		t.Error("errors.Is does not see the code and the cause")
	}
	b, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if s := string(b); strings.Contains(s, "secret") || strings.Contains(e.Message(), "secret") {
		t.Errorf("the cause leaks: %s", s)
	}
	want := map[string]any{
		"code": "busy", "message": e.Message(), "op": "host.Read", "ref": "att_1", "retryable": true, "retry_after_ms": 1500.0, "hint": "Later.",
	}
	var got map[string]any
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestCodes(t *testing.T) {
	seen := map[readapi.Code]bool{}
	for _, c := range readapi.Codes() {
		if seen[c] || !c.Known() {
			t.Errorf("%s is listed twice or has no sentence", c)
		}
		seen[c] = true
		if e := (&readapi.Error{Code: c}); !strings.HasSuffix(e.Message(), ".") {
			t.Errorf("%s has no whole sentence: %q", c, e.Message())
		}
	}
	if readapi.Code("no_such").Known() {
		t.Error("the list is not closed")
	}
	for err, want := range map[error]readapi.Code{
		nil: "", context.Canceled: readapi.CodeCanceled, context.DeadlineExceeded: readapi.CodeLimitTime, readapi.CodeGone: readapi.CodeGone,
		errors.New("x"): readapi.CodeInternal,
	} {
		if got := readapi.CodeOf(err); got != want {
			t.Errorf("CodeOf(%v) = %s, want %s", err, got, want)
		}
	}
}

func TestAsError(t *testing.T) {
	if readapi.AsError("op", nil) != nil {
		t.Error("nil does not stay nil")
	}
	inner := &readapi.Error{Code: readapi.CodeGone}
	got, ok := readapi.AsError("host.Read", inner).(*readapi.Error)
	if !ok || got.Op != "host.Read" || inner.Op != "" {
		t.Errorf("got %+v, the inner one is %+v", got, inner)
	}
	if e := readapi.AsError("outer", &readapi.Error{Op: "inner", Code: readapi.CodeGone}).(*readapi.Error); e.Op != "inner" {
		t.Errorf("the operation was replaced: %s", e.Op)
	}
}

func TestLimits(t *testing.T) {
	got, err := readapi.Limits{MaxPixels: 7}.WithDefaults()
	want := readapi.DefaultLimits()
	want.MaxPixels, want.MaxEdge = 7, 0 // the longer side is for the profile to say
	if err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	// Every number that is negative is refused, except the token budget's "no limit".
	for i := range reflect.TypeFor[readapi.Limits]().NumField() {
		var l readapi.Limits
		f := reflect.ValueOf(&l).Elem().Field(i)
		f.SetInt(-2)
		if _, err := l.WithDefaults(); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s may be negative", reflect.TypeFor[readapi.Limits]().Field(i).Name)
		}
	}
	if l, err := (readapi.Limits{MaxTokens: -1}).WithDefaults(); err != nil || l.MaxTokens != -1 {
		t.Errorf("no token limit: %+v, %v", l, err)
	}
}

func TestDocumentJSON(t *testing.T) {
	doc := readapi.Document{
		Name: "a.pdf", MediaType: "application/pdf", Kind: readapi.KindPDF, Bytes: 3, Unit: readapi.UnitPage, Total: 9, Next: "c",
		Covers: readapi.Range{From: 1, To: 2}, Meta: map[string]any{"title": "t"},
		Parts: []readapi.Part{
			{Type: readapi.PartText, Unit: readapi.UnitPage, At: 1, Text: ""},
			{Type: readapi.PartImage, Unit: readapi.UnitPage, At: 2, Image: &readapi.Image{MediaType: "image/png", Width: 1, Height: 2, Bytes: []byte{1, 2}}},
			{Type: readapi.PartData, Unit: readapi.UnitPage, At: 2, Data: json.RawMessage(`{"a":1}`), Truncated: true},
		},
		Warnings: []readapi.Warning{{Code: readapi.WarnPartial, Detail: "d", At: 2}}, Children: []readapi.Child{},
	}
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var back readapi.Document
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(doc, back); d != "" {
		t.Error(d)
	}
	var empty map[string]any
	b, _ = json.Marshal(readapi.Document{})
	if err := json.Unmarshal(b, &empty); err != nil {
		t.Fatal(err)
	}
	if v, ok := empty["next"]; !ok || v != nil {
		t.Errorf("next is %v at the end, want null", v)
	}
	for _, k := range []string{"parts", "children", "warnings"} {
		if _, ok := empty[k].([]any); !ok {
			t.Errorf("%s is %v when there are none, want []", k, empty[k])
		}
	}
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\r\n": "plain\ttext\r\n", "a\x1b[2Jb": `a\u{1B}[2Jb`, "\u202egnp.exe": `\u{202E}gnp.exe`, "\U000E0041": `\u{E0041}`,
		"👨\u200d👩": "👨\u200d👩", "\u0085": `\u{85}`, "bad\xffbyte": "bad\uFFFDbyte", "\ufeff": `\u{FEFF}`, "é漢": "é漢",
	} {
		if got, _ := readapi.Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		out, n := readapi.Escape(s)
		if !utf8.ValidString(out) || strings.ContainsAny(out, "\x00\x1b\x7f\u0085\u202e\u2066\ufeff\U000E0041") {
			t.Fatalf("Escape(%q) = %q", s, out)
		}
		if again, m := readapi.Escape(out); again != out || m != 0 {
			t.Fatalf("not idempotent: %q", out)
		}
		if line := readapi.EscapeLine(s); strings.ContainsAny(line, "\n\r\t") {
			t.Fatalf("EscapeLine(%q) = %q", s, line)
		}
		if n == 0 && utf8.ValidString(s) && out != s {
			t.Fatalf("%q was changed though nothing is hidden in it", s)
		}
	})
}

func TestTokens(t *testing.T) {
	for s, want := range map[string]int64{"": 0, "abcd": 1, "abcde": 2, "漢字": 2, "é": 1, "éé": 1} {
		if got := readapi.EstimateTokens(s); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", s, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("\x00\x0f\x1b\x7f\u0085\u202e\ufeff\U000E0041\U000FFFFD\t\n\uFFFD")))).Draw(t, "s")
		tokens, size := rapid.Int64Range(0, 40).Draw(t, "tokens"), rapid.Int64Range(0, 80).Draw(t, "bytes")
		escaped := rapid.Bool().Draw(t, "escaped")
		out, _ := readapi.Escape(s)
		if tokens, size := readapi.EscapedCost(s); tokens != readapi.EstimateTokens(out) || size != int64(len(out)) {
			t.Fatalf("EscapedCost(%q) = %d, %d for %q", s, tokens, size, out)
		}
		fits := func(s string) bool {
			if escaped {
				s, _ = readapi.Escape(s)
			}
			return (tokens == 0 || readapi.EstimateTokens(s) <= tokens) && (size == 0 || int64(len(s)) <= size)
		}
		cut := readapi.Cut(s, tokens, size, escaped)
		if !strings.HasPrefix(s, cut) || !utf8.ValidString(cut) || !fits(cut) {
			t.Fatalf("Cut(%q, %d, %d, %v) = %q", s, tokens, size, escaped, cut)
		}
		if rest := s[len(cut):]; rest != "" {
			_, n := utf8.DecodeRuneInString(rest)
			if fits(cut + rest[:n]) {
				t.Fatalf("Cut(%q, %d, %d, %v) = %q could be longer", s, tokens, size, escaped, cut)
			}
		}
	})
	for _, huge := range []int64{math.MaxInt64, math.MaxInt64/4 + 1, math.MaxInt64 / 4} {
		if got := readapi.Cut("abc", huge, huge, false); got != "abc" {
			t.Errorf("Cut(abc, %d) = %q", huge, got)
		}
	}
}

// TestMessages: a sentence is true of what its detail is about, and a limit is told with its numbers.
func TestMessages(t *testing.T) {
	for want, e := range map[string]readapi.Error{
		"The request is not valid: attach needs a session.":                                   {Code: readapi.CodeInvalidRequest, Detail: "attach needs a session"},
		"There is no such attachment.":                                                        {Code: readapi.CodeNotFound},
		"It was not found: there is no decoder of this name.":                                 {Code: readapi.CodeNotFound, Detail: "there is no decoder of this name"},
		"The file is larger than the limit: max_attachment_bytes is 1000, and this has 1001.": {Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_attachment_bytes", Value: 1000, Actual: 1001}},
		"Reading took longer than the time limit: timeout_ms is 30000.":                       {Code: readapi.CodeLimitTime, Limit: &readapi.LimitHit{Name: "timeout_ms", Value: 30000}},
		"This cannot be used: the data directory cannot be written.":                          {Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory cannot be written"},
	} {
		if e.Code != "" && e.Message() != want {
			t.Errorf("%s: %q, want %q", e.Code, e.Message(), want)
		}
	}
}

func TestRetryable(t *testing.T) {
	if e := (&readapi.Error{Code: readapi.CodeConflict}); !e.Retryable() {
		t.Error("a concurrent change may be over")
	}
	if e := (&readapi.Error{Code: readapi.CodeConflict, Final: true}); e.Retryable() {
		t.Error("what is final can be tried again")
	}
	if e := (&readapi.Error{Code: readapi.CodeMalformed}); e.Retryable() {
		t.Error("a damaged file heals")
	}
}
