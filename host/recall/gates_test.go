package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// countingDriver counts what is read.
type countingDriver struct {
	*memindex.Driver
	reads int
}

func (d *countingDriver) Sessions(ctx context.Context, p readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	d.reads++
	return d.Driver.Sessions(ctx, p, q)
}

func (d *countingDriver) Events(ctx context.Context, s readapi.Scope, after int64, limit int) ([]store.Event, error) {
	d.reads++
	return d.Driver.Events(ctx, s, after, limit)
}

func (d *countingDriver) Event(ctx context.Context, s readapi.Scope, id string) (store.Event, bool, error) {
	d.reads++
	return d.Driver.Event(ctx, s, id)
}

func (d *countingDriver) Session(ctx context.Context, s readapi.Scope) (store.Session, bool, error) {
	d.reads++
	return d.Driver.Session(ctx, s)
}

var asking = readapi.Scope{Principal: "local", Session: "s-asking"}

// TestGates holds the order of the gates, and that none of them lets anything be read.
func TestGates(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	long := strings.Repeat("é", MaxTermRunes)
	many := strings.Fields("t0 t1 t2 t3 t4 t5 t6 t7 t8")
	for _, c := range []struct {
		name  string
		ctx   context.Context
		scope readapi.Scope
		req   Request
		want  readapi.Code
	}{
		{"ctx before the request", canceled, asking, Request{}, readapi.CodeCanceled},
		{"scope", nil, readapi.Scope{Principal: "local", Session: "a b"}, words("ok"), readapi.CodeInvalidRequest},
		{"no principal", nil, readapi.Scope{Session: "s"}, words("ok"), readapi.CodeInvalidRequest},
		{"no terms", nil, asking, Request{}, readapi.CodeInvalidRequest},
		{"no terms, another way", nil, asking, words(), readapi.CodeInvalidRequest},
		{"an empty term", nil, asking, words("ok", ""), readapi.CodeInvalidRequest},
		{"a blank term", nil, asking, words("ok", " \u3000\n"), readapi.CodeInvalidRequest},
		{"a long term", nil, asking, words(long + "e"), readapi.CodeInvalidRequest},
		{"a term that is no text", nil, asking, words("\xff"), readapi.CodeInvalidRequest},
		{"nine terms", nil, asking, words(many...), readapi.CodeInvalidRequest},
		{"negative limit", nil, asking, Request{Terms: words("ok").Terms, Limit: -1}, readapi.CodeInvalidRequest},
		{"limit 26", nil, asking, Request{Terms: words("ok").Terms, Limit: 26}, readapi.CodeInvalidRequest},
		{"since after until", nil, asking, Request{Terms: words("ok").Terms, Since: noon, Until: noon.Add(-time.Millisecond)}, readapi.CodeInvalidRequest},
		{"since before 1970", nil, asking, Request{Terms: words("ok").Terms, Since: time.Unix(-1, 0)}, readapi.CodeInvalidRequest},
		{"long question", nil, asking, Request{Terms: words("ok").Terms, Question: long + "e"}, readapi.CodeInvalidRequest},
		{"terms and an anchor", nil, asking, Request{Terms: words("ok").Terms, Expand: &Expand{Anchor: "a"}}, readapi.CodeInvalidRequest},
		{"an anchor of nothing", nil, asking, Request{Expand: &Expand{}}, readapi.CodeInvalidRequest},
		{"a long anchor", nil, asking, Request{Expand: &Expand{Anchor: strings.Repeat("é", 257)}}, readapi.CodeInvalidRequest},
		{"nine before", nil, asking, Request{Expand: &Expand{Anchor: "a", Before: 9}}, readapi.CodeInvalidRequest},
		{"two less than none", nil, asking, Request{Expand: &Expand{Anchor: "a", After: -2}}, readapi.CodeInvalidRequest},
		{"no session to expand", nil, asking, Request{Expand: &Expand{Anchor: "a", Session: "a b"}}, readapi.CodeInvalidRequest},
		{"a credential", nil, asking, words("sk-ant-api03-abcdefghijklmnop"), readapi.CodeInvalidRequest},
		{"a credential with capitals", nil, asking, words("AIzaABCDEFGHIJKLMNOPQRST"), readapi.CodeInvalidRequest},
		{"the request before incognito", nil, asking, Request{Incognito: true}, readapi.CodeInvalidRequest},
		{"a credential before incognito", nil, asking, Request{Terms: words("password=hunter2").Terms, Incognito: true}, readapi.CodeInvalidRequest},
		{"incognito", nil, asking, Request{Terms: words("ok").Terms, Incognito: true}, readapi.CodeIncognitoActive},
		{"incognito, expand", nil, asking, Request{Expand: &Expand{Anchor: "a"}, Incognito: true}, readapi.CodeIncognitoActive},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := &countingDriver{Driver: memindex.New()}
			index, err := store.NewIndex(d)
			if err != nil {
				t.Fatal(err)
			}
			offers := &fakeOffers{}
			ctx := c.ctx
			if ctx == nil {
				ctx = t.Context()
			}
			answer, err := New(ledger.New(index), offers).Recall(ctx, c.scope, c.req)
			if readapi.CodeOf(err) != c.want || answer != nil {
				t.Errorf("%v, %v", answer, err)
			}
			if d.reads+offers.calls > 0 {
				t.Errorf("%d reads, %d offers", d.reads, offers.calls)
			}
		})
	}
}

func TestBoundsThatAreAllowed(t *testing.T) {
	r, _ := setup(t, nil, &fakeOffers{})
	long := strings.Repeat("é", MaxTermRunes)
	for _, req := range []Request{
		{Terms: []string{"  " + long + "\n", "b", "c", "d", "e", "f", "g", "h"}, Limit: MaxLimit, Since: noon, Until: noon, Question: long},
		{Terms: []string{"a"}, Limit: 1, Since: time.UnixMilli(0)},
	} {
		answer, err := r.Recall(t.Context(), asking, req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(answer)
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"passages":[],"searched":{"sessions":0,"oldest":null,"capped":false},"unmatched_terms":["`; !strings.HasPrefix(string(b), want) {
			t.Errorf("the answer of a principal without sessions is %s", b)
		}
	}
}

func TestParseRequest(t *testing.T) {
	ok := map[string]Request{
		`{"terms":["a"]}`: words("a"),
		`{"terms":["a"],"limit":3,"since":0,"until":"2026-03-01T13:00:00+01:00","question":"q"}`: {Terms: []string{"a"}, Limit: 3, Since: time.UnixMilli(0).UTC(),
			Until: noon, Question: "q"},
		`{"expand":{"anchor_id":"m"}}`:                                         {Expand: &Expand{Anchor: "m", Before: -1, After: -1}},
		` {"expand":{"session_id":"s","anchor_id":"m","before":0,"after":8}} `: {Expand: &Expand{Session: "s", Anchor: "m", After: 8}},
		`{}`: {},
	}
	for in, want := range ok {
		got, err := ParseRequest([]byte(in))
		if err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v\n%s", in, err, cmp.Diff(want, got))
		}
	}
	for _, in := range []string{``, `null`, `[]`, `"a"`, `{"terms":"a"}`, `{"terms":["a"],"limit":0}`, `{"terms":["a"],"limit":1.5}`, `{"terms":["a"],"since":-1}`,
		`{"terms":["a"],"since":1e300}`, `{"terms":["a"],"since":"monday"}`, `{"terms":["a"],"more":1}`, `{"terms":["a"]} {}`, `{"terms":["a"]`,
		`{"expand":{"anchor_id":"m","before":-1}}`, `{"terms":["a"],"incognito":false}`} {
		if _, err := ParseRequest([]byte(in)); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestRequestRefused are requests as they come from outside, each refused at one of the two doors.
func TestRequestRefused(t *testing.T) {
	r, _ := setup(t, nil, &fakeOffers{})
	for _, in := range []string{`null`, `[]`, `{}`, `{"terms":[]}`, `{"terms":[""]}`, `{"terms":["ok"],"limit":0}`, `{"terms":["ok"],"limit":1000}`,
		`{"terms":["ok"],"since":10,"until":5}`, `{"terms":["t0","t1","t2","t3","t4","t5","t6","t7","t8"]}`} {
		req, err := ParseRequest([]byte(in))
		if err == nil {
			_, err = r.Recall(t.Context(), asking, req)
		}
		if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: %v", in, err)
		}
	}
}

func TestWindow(t *testing.T) {
	r, _ := setup(t, history{{"s", []string{assistant("a0", "t0", "x"), assistant("a1", "t1", "x"), assistant("a2", "t1", "y"), assistant("a3", "t2", "x")}}}, &fakeOffers{})
	for _, c := range []struct {
		since, until time.Time
		want         []string
	}{
		{time.Time{}, time.Time{}, []string{"a3", "a1", "a0"}},
		{noon, noon, []string{"a0"}},
		{noon.Add(time.Minute), time.Time{}, []string{"a3", "a1"}},
		{noon.Add(time.Minute + 1), time.Time{}, []string{"a3"}},
		{time.Time{}, noon.Add(time.Minute), []string{"a1", "a0"}},
		{time.Time{}, noon.Add(time.Minute - 1), []string{"a0"}},
	} {
		answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s"}, Request{Terms: []string{"x"}, Since: c.since, Until: c.until})
		if err != nil {
			t.Fatal(err)
		}
		if err := anchors(c.want...)(answer); err != nil {
			t.Errorf("%v to %v: %v", c.since, c.until, err)
		}
	}
}

func TestOffersOnce(t *testing.T) {
	offers := &fakeOffers{}
	var events []string
	for i := range 20 {
		events = append(events, user(fmt.Sprint("u", i), fmt.Sprint("t", i), "x", png("a.png"), file("s-shot", fmt.Sprint(i), "image", "image/png")))
	}
	r, _ := setup(t, history{{"s-shot", events}, {"s-else", []string{user("u", "t", "x", file("s-else", "b.png", "image", "image/png"))}}}, offers)
	scope := readapi.Scope{Principal: "local", Session: "s-shot"}
	if _, err := r.Recall(t.Context(), scope, Request{Terms: []string{"x"}, Limit: 25}); err != nil {
		t.Fatal(err)
	}
	if offers.calls != 1 || offers.asked != 21 {
		t.Errorf("%d calls, %d refs asked; want one call for the 21 that differ and are the session's own", offers.calls, offers.asked)
	}
	if _, err := r.Recall(t.Context(), asking, words("x")); err != nil || offers.calls != 1 {
		t.Errorf("a session without files asked: %d calls, %v", offers.calls, err)
	}
	offers.err = &readapi.Error{Code: readapi.CodeBusy}
	if _, err := r.Recall(t.Context(), scope, words("x")); readapi.CodeOf(err) != readapi.CodeBusy {
		t.Errorf("offers that fail: %v", err)
	}
}

// TestManyFiles has more files than one question may name: what is left out is said to be there.
func TestManyFiles(t *testing.T) {
	offers := &fakeOffers{}
	var events []string
	n := 0
	for turn := range 25 {
		for i := range 9 {
			var files []string
			for range 8 {
				n++
				files = append(files, strings.Replace(png("f"), "art_01HQ", fmt.Sprint("art_", n), 1))
			}
			text := "y"
			if i == 4 {
				text = "x"
			}
			events = append(events, user(fmt.Sprintf("u%d-%d", turn, i), fmt.Sprint("t", turn), text, files...))
		}
	}
	r, _ := setup(t, history{{"s-shot", events}}, offers)
	answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s-shot"}, Request{Terms: []string{"x"}, Limit: 25})
	if err != nil {
		t.Fatal(err)
	}
	if offers.calls != 1 || offers.asked > maxRefs {
		t.Errorf("%d calls, the last for %d files", offers.calls, offers.asked)
	}
	for _, p := range answer.Passages {
		for _, m := range p.Messages {
			for _, f := range m.Materials {
				if f.Resource == "" {
					t.Fatalf("a file without an address: %+v", f)
				}
			}
		}
		if len(p.Messages) < 9 && !p.HasMoreBefore && !p.HasMoreAfter {
			t.Errorf("%d messages, and nothing says that there are more", len(p.Messages))
		}
	}
	if len(answer.Passages) != 25 {
		t.Errorf("%d passages", len(answer.Passages))
	}
}

func TestCapAndPrincipals(t *testing.T) {
	var h history
	for i := range 201 {
		h = append(h, struct {
			session string
			events  []string
		}{fmt.Sprintf("s-%03d", i), []string{assistant("a", "t", "x")}})
	}
	r, index := setup(t, h, &fakeOffers{})
	stranger := readapi.Scope{Principal: "stranger", Session: "s-000"}
	if _, err := ledger.New(index).Append(t.Context(), stranger, store.Batch{}, ledger.Event{ID: "foreign", Type: ledger.Assistant, Text: "x", Time: noon.Add(time.Hour * 99)}); err != nil {
		t.Fatal(err)
	}
	answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s-200"}, Request{Terms: []string{"x"}, Limit: 25})
	if err != nil {
		t.Fatal(err)
	}
	want := Searched{Sessions: 200, Oldest: noon.Add(time.Minute), Capped: true}
	if answer.Searched != want || len(answer.Passages) != 25 {
		t.Errorf("searched %+v, want %+v; %d passages", answer.Searched, want, len(answer.Passages))
	}
	answer, err = r.Recall(t.Context(), stranger, words("x"))
	if err != nil {
		t.Fatal(err)
	}
	if err := anchors("foreign")(answer); err != nil || answer.Searched.Sessions != 1 || answer.Searched.Capped {
		t.Errorf("%v, %+v", err, answer.Searched)
	}
	if _, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s-200"}, Request{Expand: &Expand{Session: "s-000", Anchor: "foreign"}}); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("a foreign principal's message: %v", err)
	}
}

func TestExpand(t *testing.T) {
	var events []string
	for i := range 20 {
		events = append(events, assistant(fmt.Sprint("m", i), "t", fmt.Sprint("text ", i)))
		events = append(events, fmt.Sprintf(`{"type":"tool_result","id":"r%d","turn":"t","result":"out"}`, i), assistant(fmt.Sprint("o", i), fmt.Sprint("other", i), "x"))
	}
	events = append(events, `{"type":"tool_call","id":"silent","turn":"t","tool":"x"}`)
	r, _ := setup(t, append(history{{"s-a", events}}, begun("s-asking")...), &fakeOffers{})
	scope := readapi.Scope{Principal: "local", Session: "s-a"}
	for _, c := range []struct {
		x           Expand
		first, last string
		n           int
		before      bool
		after       bool
	}{
		{Expand{Anchor: "m10", Before: -1, After: -1}, "m2", "m18", 17, true, true},
		{Expand{Anchor: "m10", Before: 0, After: 0}, "m10", "m10", 1, true, true},
		{Expand{Anchor: "m1", Before: 8, After: 2}, "m0", "m3", 4, false, true},
		{Expand{Anchor: "m19", Before: 1, After: 8}, "m18", "m19", 2, true, false},
		{Expand{Anchor: "r0", Before: 1, After: 1}, "m0", "m1", 3, false, true},
	} {
		answer, err := r.Recall(t.Context(), scope, Request{Expand: &c.x})
		if err != nil {
			t.Fatal(err)
		}
		p := answer.Passages[0]
		if p.AnchorID != c.x.Anchor || len(p.Messages) != c.n || p.Messages[0].MessageID != c.first || p.Messages[c.n-1].MessageID != c.last ||
			p.HasMoreBefore != c.before || p.HasMoreAfter != c.after || p.Score != 0 {
			t.Errorf("%+v: %+v", c.x, p)
		}
		if answer.Searched.Sessions != 1 || answer.UnmatchedTerms == nil {
			t.Errorf("%+v", answer)
		}
	}
	if _, err := r.Recall(t.Context(), asking, Request{Expand: &Expand{Session: "s-a", Anchor: "m1"}}); err != nil {
		t.Errorf("from another session: %v", err)
	}
	nobody := readapi.Scope{Principal: "local", Session: "s-nobody"}
	if _, err := r.Recall(t.Context(), nobody, Request{Expand: &Expand{Session: "s-a", Anchor: "m1"}}); readapi.CodeOf(err) != readapi.CodeNotFound {
		t.Errorf("from a session that does not exist: %v", err)
	}
	for name, req := range map[string]Request{
		"absent":         {Expand: &Expand{Anchor: "nobody"}},
		"other session":  {Expand: &Expand{Anchor: "m1", Session: "s-b"}},
		"nothing in it":  {Expand: &Expand{Anchor: "silent"}},
		"turn in flight": {Expand: &Expand{Anchor: "m1"}, ExcludeTurns: []string{"t"}},
	} {
		if _, err := r.Recall(t.Context(), scope, req); readapi.CodeOf(err) != readapi.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestArchivedSessions: a driver is asked for the archived sessions too.
func TestArchivedSessions(t *testing.T) {
	d := &archiveDriver{Driver: memindex.New()}
	index, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.New(index)
	if _, err := l.Append(t.Context(), asking, store.Batch{}, ledger.Event{Type: ledger.Assistant, Text: "x"}); err != nil {
		t.Fatal(err)
	}
	if _, err := New(l, &fakeOffers{}).Recall(t.Context(), asking, words("x")); err != nil || !d.archived {
		t.Errorf("archived sessions are left out (%v)", err)
	}
}

type archiveDriver struct {
	*memindex.Driver
	archived bool
}

func (d *archiveDriver) Sessions(ctx context.Context, p readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	d.archived = q.Archived
	return d.Driver.Sessions(ctx, p, q)
}

// TestFailures: what the store cannot give is an error, never half an answer.
func TestFailures(t *testing.T) {
	for k := range 4 {
		d := &failingDriver{Driver: memindex.New(), left: k}
		index, err := store.NewIndex(d)
		if err != nil {
			t.Fatal(err)
		}
		l := ledger.New(index)
		if _, err := l.Append(t.Context(), asking, store.Batch{}, ledger.Event{ID: "a", Turn: "t", Time: noon, Type: ledger.Assistant, Text: "x"}); err != nil {
			t.Fatal(err)
		}
		answer, err := New(l, &fakeOffers{}).Recall(t.Context(), asking, words("x"))
		if want := k < 3; (readapi.CodeOf(err) == readapi.CodeBusy) != want || (answer == nil) != want {
			t.Errorf("failure of read %d: %v, %v", k, answer, err)
		}
	}
}

type failingDriver struct {
	*memindex.Driver
	left int
}

func (d *failingDriver) fail() error {
	if d.left--; d.left == -1 {
		return &readapi.Error{Code: readapi.CodeBusy}
	}
	return nil
}

func (d *failingDriver) Sessions(ctx context.Context, p readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	return try(d.fail(), func() ([]store.Session, error) { return d.Driver.Sessions(ctx, p, q) })
}

func (d *failingDriver) Events(ctx context.Context, s readapi.Scope, after int64, limit int) ([]store.Event, error) {
	return try(d.fail(), func() ([]store.Event, error) { return d.Driver.Events(ctx, s, after, limit) })
}

func try[T any](err error, f func() (T, error)) (T, error) {
	if err != nil {
		var zero T
		return zero, err
	}
	return f()
}

// TestUnknownSession: a session that does not exist finds nothing, though its principal's sessions have it.
func TestUnknownSession(t *testing.T) {
	r, _ := setup(t, history{{"s-shot", []string{user("u1", "ts", "x")}}}, &fakeOffers{})
	answer, err := r.Recall(t.Context(), asking, words("x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	if err := all(anchors(), unmatched("x", "y"))(answer); err != nil || answer.Searched != (Searched{}) {
		t.Errorf("%v, searched %+v", err, answer.Searched)
	}
	if b, err := json.Marshal(answer.Searched); string(b) != `{"sessions":0,"oldest":null,"capped":false}` {
		t.Errorf("as JSON: %s, %v", b, err)
	}
}

// lateContext is canceled when it has been asked a number of times.
type lateContext struct {
	context.Context
	left int
}

func (c *lateContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// TestCanceledWithin: a search ends with ctx before the next message, not only before the next page of them, and so does the look at what
// surrounds a hit.
func TestCanceledWithin(t *testing.T) {
	const events = 40 // less than a page
	h := begun("s-asking")
	for i := range events {
		h[0].events = append(h[0].events, assistant(fmt.Sprint("m", i), "t", "needle"))
	}
	r, _ := setup(t, h, &fakeOffers{})
	for name, c := range map[string]struct {
		req   Request
		asked int // at least
	}{"search": {words("needle"), events + events/2}, "expand": {Request{Expand: &Expand{Anchor: fmt.Sprint("m", events-1), Before: -1}}, events}} {
		const many = 1 << 20
		whole := &lateContext{t.Context(), many}
		if _, err := r.Recall(whole, asking, c.req); err != nil {
			t.Fatal(err)
		}
		asked := many - whole.left
		if asked < c.asked {
			t.Errorf("%s: ctx was asked %d times for %d messages", name, asked, events)
		}
		for left := range asked {
			if answer, err := r.Recall(&lateContext{t.Context(), left}, asking, c.req); readapi.CodeOf(err) != readapi.CodeCanceled || answer != nil {
				t.Errorf("%s, canceled after %d of %d: %v, %v", name, left, asked, answer, err)
			}
		}
	}
}
