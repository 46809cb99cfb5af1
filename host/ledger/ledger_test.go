package ledger_test

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var scope = readapi.Scope{Principal: "local", Session: "s-1"}

func newLedger(t *testing.T) (*ledger.Ledger, *store.Index) {
	t.Helper()
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return ledger.New(index), index
}

func mustAppend(t *testing.T, l *ledger.Ledger, scope readapi.Scope, events ...ledger.Event) []string {
	t.Helper()
	ids, err := l.Append(t.Context(), scope, store.Batch{}, events...)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func all(t *testing.T, l *ledger.Ledger, scope readapi.Scope) (list []ledger.Event) {
	t.Helper()
	for e, err := range l.Events(t.Context(), scope, -1) {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}

func TestAppendGivesTurns(t *testing.T) {
	l, _ := newLedger(t)
	ids := mustAppend(t, l, scope,
		ledger.Event{Type: ledger.Assistant, Text: "hello"},
		ledger.Event{Type: ledger.User, Text: "hi", ID: "u1"},
		ledger.Event{Type: ledger.ToolCall, Tool: "ls"},
		ledger.Event{Type: ledger.Assistant, Text: "in another", Turn: "x"},
		ledger.Event{Type: ledger.ToolResult},
	)
	mustAppend(t, l, scope, ledger.Event{Type: ledger.Assistant, Text: "later"}, ledger.Event{Type: ledger.User, Text: "u2", Turn: "mine"})
	var turns []string
	for i, e := range all(t, l, scope) {
		turns = append(turns, e.Turn)
		if e.Seq != int64(i) || e.Time.IsZero() {
			t.Errorf("event %d has seq %d and time %v", i, e.Seq, e.Time)
		}
	}
	if want := []string{ids[0], "u1", "u1", "x", "x", "x", "mine"}; !slices.Equal(turns, want) {
		t.Errorf("turns %q, want %q", turns, want)
	}
	if len(ids[0]) != 32 || ids[1] != "u1" {
		t.Errorf("ids %q", ids)
	}
}

func TestAppendAgain(t *testing.T) {
	l, _ := newLedger(t)
	first := []ledger.Event{{ID: "u1", Type: ledger.User, Text: "hi"}, {ID: "a1", Type: ledger.Assistant, Text: "yes"}}
	mustAppend(t, l, scope, first...)
	mustAppend(t, l, scope, ledger.Event{Type: ledger.User, Text: "next"})
	mustAppend(t, l, scope, first...) // turn and time are those of the first time
	if n := len(all(t, l, scope)); n != 3 {
		t.Errorf("%d events, want 3", n)
	}
	if _, err := l.Append(t.Context(), scope, store.Batch{}, ledger.Event{ID: "a1", Type: ledger.Assistant, Text: "no"}); readapi.CodeOf(err) != readapi.CodeConflict {
		t.Errorf("another content: %v", err)
	}
	if _, err := l.Append(t.Context(), scope, store.Batch{}, ledger.Event{ID: "a1", Type: ledger.Assistant, Text: "yes", Turn: "other"}); readapi.CodeOf(err) != readapi.CodeConflict {
		t.Errorf("another turn: %v", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	user := ledger.Event{Type: ledger.User, Text: "x"}
	with := func(e ledger.Event, f func(*ledger.Event)) ledger.Event { f(&e); return e }
	for name, e := range map[string]ledger.Event{
		"no type":                   {Text: "x"},
		"unknown type":              {Type: "system", Text: "x"},
		"id with a line":            with(user, func(e *ledger.Event) { e.ID = "a\nb" }),
		"id of 257":                 with(user, func(e *ledger.Event) { e.ID = strings.Repeat("é", 257) }),
		"id not UTF-8":              with(user, func(e *ledger.Event) { e.ID = "\xff" }),
		"turn with a control":       with(user, func(e *ledger.Event) { e.Turn = "a\x7f" }),
		"turn of 513":               with(user, func(e *ledger.Event) { e.Turn = strings.Repeat("é", 513) }),
		"user says nothing":         {Type: ledger.User},
		"assistant says nothing":    {Type: ledger.Assistant},
		"assistant with a file":     {Type: ledger.Assistant, Text: "x", Attachments: []json.RawMessage{[]byte("{}")}},
		"call with a file":          {Type: ledger.ToolCall, Tool: "x", Attachments: []json.RawMessage{[]byte("{}")}},
		"call of nothing":           {Type: ledger.ToolCall, CallID: "c"},
		"text of a call":            {Type: ledger.ToolCall, Tool: "x", Text: "x"},
		"text of a result":          {Type: ledger.ToolResult, Text: "x"},
		"result of a user":          with(user, func(e *ledger.Event) { e.Result = []byte("1") }),
		"intent of a result":        {Type: ledger.ToolResult, Intent: "x"},
		"tool of an assistant":      {Type: ledger.Assistant, Text: "x", Tool: "x"},
		"display text of assistant": {Type: ledger.Assistant, Text: "x", DisplayText: "x"},
		"an attachment no JSON":     {Type: ledger.User, Attachments: []json.RawMessage{[]byte("{")}},
		"own key among others":      with(user, func(e *ledger.Event) { e.Extra = map[string]json.RawMessage{"ts": []byte("1")} }),
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := newLedger(t)
			_, err := l.Append(t.Context(), scope, store.Batch{}, user, e)
			if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), "event 2: ") {
				t.Errorf("the error does not say which: %v", err)
			}
			if n := len(all(t, l, scope)); n != 0 {
				t.Errorf("%d events stand all the same", n)
			}
			if err := ledger.Check(e); readapi.CodeOf(err) != readapi.CodeInvalidRequest || ledger.Check(user) != nil {
				t.Errorf("Check: %v", err)
			}
		})
	}
}

func TestAppendAllows(t *testing.T) {
	l, _ := newLedger(t)
	mustAppend(t, l, scope,
		ledger.Event{Type: ledger.User, Text: "x", ID: strings.Repeat("é", 256), Turn: strings.Repeat("é", 512)},
		ledger.Event{Type: ledger.User, Attachments: []json.RawMessage{[]byte("null")}}, // malformed ones are kept
		ledger.Event{Type: ledger.ToolCall, Intent: "look"},
		ledger.Event{Type: ledger.ToolResult}, // archived away
		ledger.Event{Type: ledger.ToolResult, Result: []byte(`{"a":1}`), Tool: "x", CallID: "c"},
	)
	if got := all(t, l, scope)[1].Attachments; len(got) != 1 || string(got[0]) != "null" {
		t.Errorf("the malformed attachment is %s", got)
	}
}

func TestAppendTooLarge(t *testing.T) {
	l, _ := newLedger(t)
	e := ledger.Event{ID: "u", Type: ledger.User, Turn: "t", Time: noon}
	e.Text = "x"
	b, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("word ", ledger.MaxEventBytes/5)
	e.Text = text[:ledger.MaxEventBytes-len(b)+1]
	mustAppend(t, l, scope, e)
	e.ID, e.Text = "v", text[:ledger.MaxEventBytes-len(b)+2]
	if _, err := l.Append(t.Context(), scope, store.Batch{}, e); readapi.CodeOf(err) != readapi.CodeTooLarge {
		t.Errorf("one byte more: %v", err)
	}
}

// random returns n characters of base64 that nothing made on purpose.
func random(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.StdEncoding.EncodeToString(b)[:n]
}

func wrap(s string, line int, end string) string {
	var b strings.Builder
	for part := range slices.Chunk([]byte(s), line) {
		b.Write(part)
		b.WriteString(end)
	}
	return b.String()
}

func lines(n int, line func() string) string {
	var b strings.Builder
	for range n {
		b.WriteString(line() + "\n")
	}
	return b.String()
}

func TestInlineBytes(t *testing.T) {
	digest := func(n int) func() string {
		return func() string {
			b := make([]byte, n)
			rand.Read(b)
			return hex.EncodeToString(b)
		}
	}
	for _, c := range []struct {
		name, text string
		refused    bool
	}{
		{"base64, 8 KiB", "here: " + random(8<<10), true},
		{"base64, one less", "here: " + random(8<<10-1), false},
		{"base64 after a new line", "here:\n" + random(8<<10), true},
		{"base64 for URLs", strings.NewReplacer("+", "-", "/", "_").Replace(random(9000)), true},
		{"hexadecimal", digest(6000)(), true},
		{"mail", "Content-Transfer-Encoding: base64\r\n\r\n" + wrap(random(9000), 76, "\r\n"), true},
		{"PEM", "-----BEGIN X-----\n" + wrap(random(9000), 64, "\n") + "-----END X-----", true},
		{"a short certificate", wrap(random(4000), 64, "\n"), false},
		{"data: URI", "![x](data:image/png;base64," + strings.Repeat("AAAA", 2048) + ")", true},
		{"data: URI, percent", "data:image/svg+xml,%3Csvg" + strings.Repeat("%20", 3000), true},
		{"data: URI, small", "![x](data:image/png;base64," + random(2000) + ")", false},
		{"many small ones", strings.Repeat("data:image/png;base64,"+random(2000)+" ", 20), false},
		{"data: as a word", "data:" + strings.Repeat("1,2,3,", 3000), false},

		{"prose", strings.Repeat("The quick brown fox jumps over the lazy dog. ", 2000), false},
		{"Chinese without spaces", strings.Repeat("上下文窗口的问题", 3000), false},
		{"one letter", strings.Repeat("x", 100_000), false},
		{"a line of dashes", strings.Repeat("-=", 50_000), false},
		{"a genome", strings.Repeat("GATTACA", 5000), false},
		{"digits", strings.Repeat("31415926535897932384626433832795", 1000), false},
		{"digests, one on each line", lines(1000, digest(32)), false},
		{"digests in base64, one on each line", lines(1000, func() string { return random(86) + "==" }), false},
		{"words, one on each line", strings.Repeat("internationalization\nlocalization\nglobalization\n", 1000), false},
		{"JSON", strings.Repeat(`{"name":"value","list":[1,2,3]},`, 2000), false},
		{"minified script", strings.Repeat(`function(a,b){return a.b(c)+d[e]};var f=g.h||{};`, 2000), false},
		{"addresses", strings.Repeat("https://example.org/a/b/c?d=e&f=g\n", 2000), false},
		{"CSV", strings.Repeat("abc,def,1.5,2026-01-01\n", 2000), false},
		{"a dump with spaces", strings.Repeat("0000 7f45 4c46 0201 0100 0000\n", 2000), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			quoted, err := json.Marshal(map[string]any{"a": []string{"b", c.text}})
			if err != nil {
				t.Fatal(err)
			}
			for where, e := range map[string]ledger.Event{
				"text":       {Type: ledger.User, Text: c.text},
				"result":     {Type: ledger.ToolResult, Result: quoted},
				"attachment": {Type: ledger.User, Attachments: []json.RawMessage{quoted}},
				"extra":      {Type: ledger.Assistant, Text: "x", Extra: map[string]json.RawMessage{"more": quoted}},
			} {
				l, _ := newLedger(t)
				_, err := l.Append(t.Context(), scope, store.Batch{}, e)
				want := readapi.Code("")
				if c.refused {
					want = readapi.CodeTooLarge
				}
				if readapi.CodeOf(err) != want {
					t.Errorf("in %s: %v", where, err)
				}
			}
		})
	}
}

func TestPages(t *testing.T) {
	l, index := newLedger(t)
	for i := range 300 {
		s := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprintf("s-%03d", i))}
		mustAppend(t, l, s, ledger.Event{Type: ledger.User, Text: "x", Time: noon})
	}
	for i := range 200 {
		mustAppend(t, l, scope, ledger.Event{ID: fmt.Sprint("m", i), Type: ledger.User, Text: "x", Time: noon})
	}
	for i, e := range all(t, l, scope) {
		if e.ID != fmt.Sprint("m", i) || e.Seq != int64(i) {
			t.Fatalf("event %d is %s with number %d", i, e.ID, e.Seq)
		}
	}
	seen := 0
	for e, err := range l.Events(t.Context(), scope, 149) {
		if err != nil || e.Seq != int64(150+seen) {
			t.Fatalf("behind 149: %d, %v", e.Seq, err)
		}
		seen++
	}
	if seen != 50 {
		t.Errorf("%d events behind 149", seen)
	}
	var ids []string
	for s, err := range l.Sessions(t.Context(), "local", true) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, string(s.ID))
	}
	if len(ids) != 301 || !slices.IsSorted(ids) {
		t.Errorf("%d sessions, in order: %v", len(ids), slices.IsSorted(ids))
	}
	if s, err := l.Session(t.Context(), scope); err != nil || s.Messages != 200 {
		t.Errorf("%+v, %v", s, err)
	}
	stranger := readapi.Scope{Principal: "stranger", Session: scope.Session}
	if _, err := l.Session(t.Context(), stranger); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("session of a stranger: %v", err)
	}
	if _, err := l.Event(t.Context(), stranger, "m0"); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("event of a stranger: %v", err)
	}
	if e, err := l.Event(t.Context(), scope, "m7"); err != nil || e.Seq != 7 {
		t.Errorf("%+v, %v", e, err)
	}
	if n := len(all(t, l, stranger)); n != 0 {
		t.Errorf("a stranger sees %d events", n)
	}
	if _, err := index.Append(t.Context(), scope, store.Batch{Events: []store.Event{{ID: "bad", Type: "user", Turn: "t", Time: noon, Payload: []byte(`{"type":"odd"}`)}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Event(t.Context(), scope, "bad"); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("a row that is no event: %v", err)
	}
}

func BenchmarkEvents(b *testing.B) {
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		b.Fatal(err)
	}
	l := ledger.New(index)
	for i := range 1000 {
		if _, err := l.Append(b.Context(), scope, store.Batch{}, ledger.Event{Type: ledger.User, Text: fmt.Sprint(i, strings.Repeat(" some words", 50))}); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		for _, err := range l.Events(b.Context(), scope, -1) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// TestMaxAppend: one step of the store is not endless, and exactly the most of it is one.
func TestMaxAppend(t *testing.T) {
	l, _ := newLedger(t)
	scope := readapi.Scope{Principal: "local", Session: "s"}
	events := make([]ledger.Event, ledger.MaxAppend+1)
	for i := range events {
		events[i] = ledger.Event{Type: ledger.Assistant, Text: "x"}
	}
	if _, err := l.Append(t.Context(), scope, store.Batch{}, events...); readapi.CodeOf(err) != readapi.CodeTooLarge {
		t.Errorf("one too many: %v", err)
	}
	if ids, err := l.Append(t.Context(), scope, store.Batch{}, events[1:]...); err != nil || len(ids) != ledger.MaxAppend {
		t.Errorf("exactly the most: %d, %v", len(ids), err)
	}
}
