package recall

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// texts are what messages and names are made of: what JSON makes long, what hides and what is hidden.
func texts(secret string) *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{"alpha", "Beta", "上下文", "Straße", "redacted", " ", "\n", `"`, "<", "&", "\u2028", "😀", "\u202e", `{"token":1}`, "é", "e\u0301", "x"}),
		rapid.SampledFrom([]string{" " + secret + " ", ` token="` + secret + `" `, `{"a":"` + secret + `"}`}),
		rapid.String(),
	)
	return rapid.Custom(func(t *rapid.T) string {
		s := strings.Join(rapid.SliceOfN(piece, 0, 4).Draw(t, "pieces"), "")
		return strings.Repeat(s, rapid.SampledFrom([]int{1, 1, 1, 1, 1, 2, 40, 400}).Draw(t, "times"))
	})
}

func attachment(t *rapid.T, secret string, sessions []string) json.RawMessage {
	if rapid.IntRange(0, 5).Draw(t, "malformed") == 0 {
		return json.RawMessage(rapid.SampledFrom([]string{"null", "{}", `{"kind":"image"}`, "7"}).Draw(t, "attachment"))
	}
	b, err := json.Marshal(readapi.AttachmentRef{Kind: readapi.KindImage, Name: texts(secret).Draw(t, "name"), MimeType: rapid.SampledFrom([]string{"image/png", secret}).Draw(t, "mime"),
		Ref: readapi.StorageRef{Kind: readapi.RefSessionFile, SessionID: readapi.SessionID(rapid.SampledFrom(sessions).Draw(t, "owner")),
			RelativePath: rapid.SampledFrom([]string{"art_1", "art_2", "deleted_1", "dir/x", strings.Repeat("a", 128)}).Draw(t, "path")}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// event makes an event that a ledger takes. Its id begins with the principal's.
func event(t *rapid.T, principal readapi.PrincipalID, n int, secret string, sessions []string) ledger.Event {
	e := ledger.Event{ID: fmt.Sprint(principal, n), Type: rapid.SampledFrom([]ledger.Type{ledger.User, ledger.User, ledger.Assistant, ledger.ToolCall, ledger.ToolResult}).Draw(t, "type"),
		Turn: rapid.SampledFrom([]string{"t1", "t2", "t3"}).Draw(t, "turn"), Time: noon.Add(time.Duration(n) * time.Second)}
	text := texts(secret).Draw(t, "text")
	switch e.Type {
	case ledger.User:
		e.Text = text
		for range rapid.IntRange(0, 10).Draw(t, "files") {
			e.Attachments = append(e.Attachments, attachment(t, secret, sessions))
		}
		if text == "" && e.Attachments == nil {
			e.Text = "x"
		}
	case ledger.Assistant:
		e.Text = text + "x"
	case ledger.ToolCall:
		e.Intent, e.Tool = text, "grep"
	case ledger.ToolResult:
		e.Result, _ = json.Marshal(map[string]any{"kind": "k", "text": text, "token": secret, "n": []string{"alpha"}})
	}
	return e
}

func TestAnswers(t *testing.T) {
	sessions := []string{"s-1", "s-2", "s-3"}
	rapid.Check(t, func(t *rapid.T) {
		index, err := store.NewIndex(memindex.New())
		if err != nil {
			t.Fatal(err)
		}
		secret := rapid.StringMatching(`ghp_[0-9A-Za-z]{24}`).Draw(t, "secret")
		l := ledger.New(index)
		events := map[string]ledger.Event{}
		sessionOf := map[string]string{}
		for n := range rapid.IntRange(0, 16).Draw(t, "events") {
			scope := readapi.Scope{Principal: readapi.PrincipalID(rapid.SampledFrom([]string{"p-me-", "p-you-"}).Draw(t, "principal")),
				Session: readapi.SessionID(rapid.SampledFrom(sessions).Draw(t, "session"))}
			e := event(t, scope.Principal, n, secret, sessions)
			if _, err := l.Append(t.Context(), scope, store.Batch{}, e); err != nil {
				t.Fatal(err)
			}
			events[e.ID], sessionOf[e.ID] = e, string(scope.Session)
		}
		offers := &fakeOffers{}
		r := New(l, offers)
		req := Request{Terms: rapid.SliceOfN(rapid.SampledFrom([]string{"alpha", "BETA", "上下", "STRASSE", "redacted", "x", secret[4:], "e\u0301", "<", "zzz"}), 1, 8).Draw(t, "terms"),
			Limit: rapid.IntRange(0, MaxLimit).Draw(t, "limit"), ExcludeTurns: rapid.SliceOfN(rapid.SampledFrom([]string{"t1", "t2"}), 0, 1).Draw(t, "exclude")}
		me := readapi.Scope{Principal: "p-me-", Session: "s-1"}
		answer, err := r.Recall(t.Context(), me, req)
		if err != nil {
			t.Fatal(err)
		}
		if offers.calls > 1 {
			t.Fatalf("%d offers", offers.calls)
		}
		again, err := r.Recall(t.Context(), me, req)
		if err != nil || !reflect.DeepEqual(answer, again) {
			t.Fatalf("another answer: %v", err)
		}
		checkAnswer(t, answer, req)
		if b, _ := json.Marshal(answer.Passages); strings.Contains(string(b), secret[:24]) {
			t.Fatalf("%s stands in %s", secret, b)
		}
		for _, p := range answer.Passages {
			for _, m := range p.Messages {
				e := events[m.MessageID]
				if !strings.HasPrefix(m.MessageID, "p-me-") || sessionOf[m.MessageID] != string(p.SessionID) || e.Turn != events[p.AnchorID].Turn {
					t.Fatalf("message %s is shown in session %s", m.MessageID, p.SessionID)
				}
				if p.SessionID == me.Session && slices.Contains(req.ExcludeTurns, e.Turn) {
					t.Fatalf("message %s is in flight", m.MessageID)
				}
				checkMaterials(t, m, e, me)
			}
			if !found(r, events[p.AnchorID], req.Terms) {
				t.Fatalf("none of %q stands in %s", req.Terms, p.AnchorID)
			}
		}
	})
}

// found reports whether one of the terms stands in a text of e, and in that text as it is shown.
func found(r *Recall, e ledger.Event, terms []string) bool {
	f := newFolder()
	for _, s := range r.segments(e) {
		for _, term := range terms {
			if strings.Contains(f.text(s.stored), f.text(term)) && strings.Contains(f.text(s.hidden()), f.text(term)) {
				return true
			}
		}
	}
	return false
}

// checkMaterials: only the session's own files say whether they open, and they always do.
func checkMaterials(t *rapid.T, m Message, e ledger.Event, me readapi.Scope) {
	refs := e.Refs()
	if len(refs) != len(m.Materials) {
		t.Fatalf("%d files, %d materials", len(refs), len(m.Materials))
	}
	for i, ref := range refs {
		f := m.Materials[i]
		own := ref.Ref.SessionID == me.Session
		if (f.Resource != "") && (f.Unavailable != "") || own != (f.Resource != "" || f.Unavailable != "") {
			t.Fatalf("%+v has %q and %q", ref, f.Resource, f.Unavailable)
		}
	}
}

// checkAnswer holds what is true of every answer.
func checkAnswer(t *rapid.T, a *Answer, req Request) {
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > maxAnswerBytes || !utf8.Valid(b) || strings.Contains(strings.Replace(string(b), `"oldest":null`, "", 1), "null") {
		t.Fatalf("%d bytes, or not UTF-8, or a null: %.2000s", len(b), b)
	}
	if len(a.Passages) > max(req.Limit, DefaultLimit) && req.Limit != 0 {
		t.Fatalf("%d passages", len(a.Passages))
	}
	if !slices.IsSortedFunc(a.Passages, func(x, y Passage) int { return int((y.Score - x.Score) * 1e6) }) {
		t.Fatal("not by score")
	}
	for _, p := range a.Passages {
		if n := size(p); n > maxPassageBytes {
			t.Fatalf("a passage of %d bytes", n)
		}
		anchor := 0
		for i, m := range p.Messages {
			if m.MessageID == p.AnchorID {
				anchor++
			}
			if i > 0 && !m.Timestamp.After(p.Messages[i-1].Timestamp) {
				t.Fatal("not in order of time")
			}
			if size(m.Text)-2 > maxTextBytes || m.Truncated && m.Text != "" && !strings.HasSuffix(m.Text, "…") || len(m.Materials) > readapi.MaxAttachments {
				t.Fatalf("%d bytes of text, %d materials", size(m.Text), len(m.Materials))
			}
			if m.Role == ledger.ToolResult && m.MessageID != p.AnchorID {
				t.Fatal("a result as a neighbour")
			}
			if m.Text == "" && len(m.Materials) == 0 && !m.Truncated {
				t.Fatal("a message with nothing to show")
			}
		}
		if anchor != 1 || len(p.Messages) > 2*neighbours+1 {
			t.Fatalf("%d anchors in %d messages", anchor, len(p.Messages))
		}
	}
}

// TestEscapedBytes compares the budget's arithmetic with the encoder.
func TestEscapedBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.ToValidUTF8(rapid.OneOf(rapid.String(), rapid.StringOfN(rapid.RuneFrom([]rune("<>&\"\\\b\f\n\r\t\u2028\u2029\x7f\x00\u00e9\uffff\U0001f600")), 0, 30, -1)).Draw(t, "s"), "")
		if got, want := escapedBytes(s), size(s)-2; got != want {
			t.Fatalf("%q: %d, want %d", s, got, want)
		}
		n := rapid.IntRange(-3, 60).Draw(t, "n")
		cut, was := cutEscaped(s, n)
		if escapedBytes(cut) > max(n, 0) || was != (cut != s) || !utf8.ValidString(cut) {
			t.Fatalf("%q cut to %d is %q", s, n, cut)
		}
	})
}

// TestFold compares the short way with the library's, and wants characters that differ by case to be the same.
func TestFold(t *testing.T) {
	f := newFolder()
	library := func(s string) string { return norm.NFC.String(cases.Fold().String(norm.NFC.String(s))) }
	for r := rune(0); r <= 0x1ffff; r++ { // no letter is above
		s := f.text(string(r))
		if !unicode.Is(unicode.Cherokee, r) && s != library(string(r)) {
			t.Errorf("%U is folded to %q, want %q", r, s, library(string(r)))
		}
		if other := unicode.SimpleFold(r); s != f.text(string(other)) {
			t.Errorf("%U is folded to %q, %U to %q", r, s, other, f.text(string(other)))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.StringOf(rapid.RuneFrom([]rune("aÅKΣςΟßİıﬃe\u0301\u0345ᾳ上가각ᄀ\u1161ǆ.Ꭰꭰ")))).Draw(t, "s")
		if got, want := f.text(s), library(s); got != want && !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Cherokee, r) }) {
			t.Fatalf("%q is folded to %q, want %q", s, got, want)
		}
		if twice := f.text(f.text(s)); twice != f.text(s) {
			t.Fatalf("%q is folded to %q, and that to %q", s, f.text(s), twice)
		}
	})
}

// TestBudgets are the extremes: what is found is shown whatever surrounds it.
func TestBudgets(t *testing.T) {
	long := strings.Repeat("<word> ", 3000)
	huge := strings.Repeat(`"name&`, 3000)
	hugeFiles := slices.Repeat([]string{png(huge)}, 8)
	var same, exact, turns, dense []string
	for i := range 9 {
		same = append(same, user(fmt.Sprint("s", i), "t", "needle "[:7*btoi(i == 4)]+long))
		exact = append(exact, user(fmt.Sprint("e", i), "t", "needle "[:7*btoi(i == 4)]+strings.Repeat("x", 1350)))
		dense = append(dense, user(fmt.Sprint("d", i), "t", "needle "[:7*btoi(i == 4)]+"<short>", hugeFiles...))
	}
	for i := range 25 {
		turns = append(turns, user(fmt.Sprint("t", i), fmt.Sprint("t", i), "needle "+long, hugeFiles...))
	}
	for _, c := range []struct {
		name     string
		events   []string
		passages int
		more     bool
	}{
		{"long neighbours", same, 1, true},
		{"as much as fits, to the byte", exact, 1, false},
		{"neighbours with huge names", dense, 1, true},
		{"25 passages with huge names", turns, 25, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, _ := setup(t, history{{"s-shot", c.events}}, &fakeOffers{})
			answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s-shot"}, Request{Terms: []string{"needle"}, Limit: 25})
			if err != nil {
				t.Fatal(err)
			}
			if len(answer.Passages) != c.passages || size(answer) > maxAnswerBytes {
				t.Fatalf("%d passages, %d bytes", len(answer.Passages), size(answer))
			}
			for _, p := range answer.Passages {
				m, err := shownMessage(&Answer{Passages: []Passage{p}}, p.AnchorID)
				if err != nil || !strings.HasPrefix(m.Text, "needle") || p.HasMoreBefore != c.more || p.HasMoreAfter != c.more || size(p) > maxPassageBytes {
					t.Errorf("%v; %d bytes, %v, %v, %.40q", err, size(p), p.HasMoreBefore, p.HasMoreAfter, m.Text)
				}
				if c.name == "long neighbours" && size(p) < maxPassageBytes-leastTextBytes-256 {
					t.Errorf("%d bytes of a passage are used, and there is more", size(p))
				}
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestResultCut: what stands behind 10 KiB of a result is neither found nor shown, and a credential on the border does not show.
func TestResultCut(t *testing.T) {
	fill := strings.Repeat("word ", 2047) // 10,235 bytes
	result := func(s string) string {
		return fmt.Sprintf(`{"type":"tool_result","id":"r","turn":"t","result":%s}`, quote(s))
	}
	for name, c := range map[string]struct {
		text, term string
		found      bool
	}{
		"before": {fill + "needl behind", "needl", true},
		"across": {fill + "needle behind", "needle", false},
		"behind": {fill + "xxxxx needle", "needle", false},
		"border": {fill + credential, "ghp_0", false},
	} {
		r, _ := setup(t, history{{"s", []string{result(c.text)}}}, &fakeOffers{})
		answer, err := r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s"}, words(c.term))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(answer.Passages) == 1; got != c.found {
			t.Errorf("%s: found %v", name, got)
		}
	}
}

// FuzzRequest: no request does anything but answer or say what is wrong with it.
func FuzzRequest(f *testing.F) {
	for _, in := range []string{`{"terms":["alpha"]}`, `{"terms":["上下文","<"],"limit":25,"since":1,"until":"2027-01-01T00:00:00Z","question":"q"}`,
		`{"expand":{"anchor_id":"u1","before":1}}`, `null`, `{"terms":["token=1"]}`, `{"expand":{"session_id":"s-shot","anchor_id":"r1"}}`} {
		f.Add([]byte(in))
	}
	r, _ := setup(f, history{{"s-shot", []string{user("u1", "t", "alpha <上下文>", png("a.png")), assistant("a1", "t", "beta "+credential),
		`{"type":"tool_result","id":"r1","turn":"t","result":["alpha",{"token":"beta"}]}`}}}, &fakeOffers{})
	f.Fuzz(func(t *testing.T, in []byte) {
		req, err := ParseRequest(in)
		if err == nil {
			var answer *Answer
			answer, err = r.Recall(t.Context(), readapi.Scope{Principal: "local", Session: "s-shot"}, req)
			if err == nil {
				b, jerr := json.Marshal(answer)
				if jerr != nil || len(b) > maxAnswerBytes || strings.Contains(string(b), credential) || strings.Contains(strings.Replace(string(b), `"oldest":null`, "", 1), "null") && !strings.Contains(string(in), "null") {
					t.Fatalf("%s: %s, %v", in, b, jerr)
				}
			}
		}
		if code := readapi.CodeOf(err); code != "" && code != readapi.CodeInvalidRequest && code != readapi.CodeNotFound {
			t.Fatalf("%s: %v", in, err)
		}
	})
}

func BenchmarkRecall(b *testing.B) {
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		b.Fatal(err)
	}
	l := ledger.New(index)
	bytes := 0
	for s := range 100 {
		for m := range 100 {
			text := fmt.Sprintf("message %d of session %d. %s 上下文", m, s, strings.Repeat("Some words that were said here. ", 15))
			bytes += len(text)
			e := ledger.Event{ID: fmt.Sprint(m), Type: ledger.User, Turn: fmt.Sprint(m / 4), Text: text, Time: noon.Add(time.Duration(s*100+m) * time.Second)}
			if _, err := l.Append(b.Context(), readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s-", s))}, store.Batch{}, e); err != nil {
				b.Fatal(err)
			}
		}
	}
	r := New(l, &fakeOffers{})
	for name, term := range map[string]string{"rare": "message 77 of session 7.", "everywhere": "words", "nowhere": "zzz"} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Recall(b.Context(), readapi.Scope{Principal: "local", Session: "s-0"}, words(term)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
