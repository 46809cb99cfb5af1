package recall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fakeOffers offers what a host with these decoders would, of a store that has every file.
type fakeOffers struct {
	decoders []string // image, pdf, text; nil: all
	calls    int
	asked    int
	err      error
}

func (f *fakeOffers) Offer(_ context.Context, scope readapi.Scope, refs []readapi.AttachmentRef) ([]readapi.Offer, error) {
	f.calls++
	f.asked = len(refs)
	if f.err != nil {
		return nil, f.err
	}
	out := make([]readapi.Offer, len(refs))
	for i, ref := range refs {
		decoder, _, _ := strings.Cut(ref.MimeType, "/")
		if decoder == "application" {
			decoder = "pdf"
		}
		session, id, ok := ref.Address()
		switch {
		case !ok || session != scope.Session:
			out[i].Unavailable = readapi.CodeNotFound
		case strings.HasPrefix(string(id), "deleted"):
			out[i].Unavailable = readapi.CodeGone
		case f.decoders != nil && !slices.Contains(f.decoders, decoder):
			out[i].Unavailable = readapi.CodeUnsupportedKind
		default:
			out[i].URI = id.URI()
		}
	}
	return out, nil
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// history is sessions with their events, as JSON; sessions are appended in their order, one minute between events.
type history []struct {
	session string
	events  []string
}

func quote(s string) string {
	b, _ := json.Marshal(s) // a string cannot fail
	return string(b)
}

func file(session, name, kind, mime string) string {
	return fmt.Sprintf(`{"name":%s,"kind":%q,"mimeType":%q,"bytes":2048,"ref":{"kind":"session_file","sessionId":%q,"relativePath":"art_01HQ8Z3K4M5N6P7Q8R9S0T1V2W"}}`,
		quote(name), kind, mime, session)
}

func png(name string) string { return file("s-shot", name, "image", "image/png") }

func user(id, turn, text string, files ...string) string {
	return fmt.Sprintf(`{"type":"user","id":%q,"turn":%q,"text":%s,"attachments":[%s]}`, id, turn, quote(text), strings.Join(files, ","))
}

func assistant(id, turn, text string) string {
	return fmt.Sprintf(`{"type":"assistant","id":%q,"turn":%q,"text":%s}`, id, turn, quote(text))
}

// setup returns a recall over h, and the index under it.
func setup(tb testing.TB, h history, offers Offers) (*Recall, *store.Index) {
	tb.Helper()
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { index.Close() })
	l := ledger.New(index)
	now := noon
	for _, s := range h {
		for _, in := range s.events {
			var e ledger.Event
			if err := json.Unmarshal([]byte(in), &e); err != nil {
				tb.Fatalf("%s: %v", in, err)
			}
			if e.Time.IsZero() {
				e.Time = now
			}
			now = now.Add(time.Minute)
			if _, err := l.Append(tb.Context(), readapi.Scope{Principal: "local", Session: readapi.SessionID(s.session)}, store.Batch{}, e); err != nil {
				tb.Fatalf("%s: %v", in, err)
			}
		}
	}
	return New(l, offers), index
}

// recallCase is a request and what must be true of its answer.
type recallCase struct {
	name     string
	history  history
	active   string // "": s-asking; a session that has no events here gets one that nothing finds
	decoders []string
	req      Request
	ablation func(*ablation) // the one that must make this case fail
	check    func(*Answer) error
}

func (c recallCase) run(tb testing.TB, off ablation) error {
	active := c.active
	if active == "" {
		active = "s-asking"
	}
	h := c.history
	if !slices.ContainsFunc(h, func(s struct {
		session string
		events  []string
	}) bool {
		return s.session == active
	}) {
		h = append(slices.Clone(h), begun(active)...)
	}
	r, _ := setup(tb, h, &fakeOffers{decoders: c.decoders})
	r.off = off
	answer, err := r.Recall(tb.Context(), readapi.Scope{Principal: "local", Session: readapi.SessionID(active)}, c.req)
	if err != nil {
		return err
	}
	return c.check(answer)
}

// begun is a session in which nothing has been said that a term could find.
func begun(session string) history {
	return history{{session, []string{`{"type":"tool_call","id":"begun","tool":"x","timestamp":1}`}}}
}

func words(s ...string) Request { return Request{Terms: s} }

func all(checks ...func(*Answer) error) func(*Answer) error {
	return func(a *Answer) error {
		for _, c := range checks {
			if err := c(a); err != nil {
				b, _ := json.Marshal(a)
				return fmt.Errorf("%w; the answer is %s", err, b)
			}
		}
		return nil
	}
}

func anchors(want ...string) func(*Answer) error {
	return func(a *Answer) error {
		var got []string
		for _, p := range a.Passages {
			got = append(got, p.AnchorID)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("anchors %q, want %q", got, want)
		}
		return nil
	}
}

func anchorText(want string) func(*Answer) error {
	return func(a *Answer) error {
		m, err := shownMessage(a, a.Passages[0].AnchorID)
		if err == nil && m.Text != want {
			err = fmt.Errorf("text %q, want %q", m.Text, want)
		}
		return err
	}
}

func shownMessage(a *Answer, id string) (Message, error) {
	for _, p := range a.Passages {
		for _, m := range p.Messages {
			if m.MessageID == id {
				return m, nil
			}
		}
	}
	return Message{}, fmt.Errorf("message %s is not shown", id)
}

// materials compares the files of a message: "name" has neither key, "name +" an address, "name gone" a reason.
func materials(id string, want ...string) func(*Answer) error {
	return func(a *Answer) error {
		m, err := shownMessage(a, id)
		if err != nil {
			return err
		}
		var got []string
		for _, f := range m.Materials {
			s := f.Name
			if f.Unavailable != "" {
				s += " " + string(f.Unavailable)
			}
			if f.Resource != "" {
				s += " +"
			}
			got = append(got, s)
		}
		if !slices.Equal(got, want) {
			return fmt.Errorf("materials of %s are %q, want %q", id, got, want)
		}
		return nil
	}
}

func unmatched(want ...string) func(*Answer) error {
	return func(a *Answer) error {
		if !slices.Equal(a.UnmatchedTerms, want) {
			return fmt.Errorf("unmatched %q, want %q", a.UnmatchedTerms, want)
		}
		return nil
	}
}

func without(s string) func(*Answer) error {
	return func(a *Answer) error {
		if b, err := json.Marshal(a); err != nil || strings.Contains(string(b), s) {
			return fmt.Errorf("%q stands in the answer (%v)", s, err)
		}
		return nil
	}
}

const credential = "ghp_0123456789abcdefghij"

// recallCases are what recall must do. Those with an ablation are the only ones that fail when it is switched on.
func recallCases() []recallCase {
	shot := history{{"s-shot", []string{user("u1", "ts", "你看看", png("pipeline-failure.png")), assistant("a1", "ts", "这是 CI 挂了")}}}
	contract := file("s-shot", "contract.pdf", "pdf", "application/pdf")
	var many, manyNames []string
	for i := range 12 {
		many = append(many, png(fmt.Sprintf("shot-%d.png", i)))
		if i < 8 {
			manyNames = append(manyNames, fmt.Sprintf("shot-%d.png +", i))
		}
	}
	external := `{"name":"notes.md","kind":"doc","mimeType":"text/markdown","bytes":2048,"ref":{"kind":"external_file","absolutePath":"/srv/files/notes.md"}}`
	one := func(session string, events ...string) history { return history{{session, events}} }
	return []recallCase{
		{name: "found by the name of its file", history: shot, active: "s-shot", decoders: []string{"image"}, req: words("pipeline-failure"),
			ablation: func(o *ablation) { o.names = true },
			check: all(anchors("u1"), anchorText("你看看"), materials("u1", "pipeline-failure.png +"), func(a *Answer) error {
				want := Material{Name: "pipeline-failure.png", Kind: "image", MimeType: "image/png", Bytes: 2048, Resource: "maka://runtime/attachments/art_01HQ8Z3K4M5N6P7Q8R9S0T1V2W"}
				if got := a.Passages[0].Messages[0].Materials[0]; got != want {
					return fmt.Errorf("material %+v, want %+v", got, want)
				}
				return nil
			})},
		{name: "a foreign file has no address", history: shot, active: "s-other", decoders: []string{"image"}, req: words("你看看"),
			ablation: func(o *ablation) { o.withhold = true },
			check:    all(anchors("u1"), materials("u1", "pipeline-failure.png"), without("resource"), without("unavailable"))},
		{name: "a message without text is shown", history: one("s-shot", user("u1", "ts", "", png("bundle-size.png")), assistant("a1", "ts", "包体积涨了")),
			active: "s-shot", req: words("涨了"), ablation: func(o *ablation) { o.textless = true },
			check: all(anchors("a1"), materials("u1", "bundle-size.png +"))},
		{name: "only what a decoder reads has an address", history: one("s-shot", user("u1", "ts", "看这份", contract, png("diagram.png"))), active: "s-shot",
			decoders: []string{"image"}, req: words("看这份"), check: all(materials("u1", "contract.pdf unsupported_kind", "diagram.png +"))},
		{name: "and with the decoder it has one", history: one("s-shot", user("u1", "ts", "看这份", contract)), active: "s-shot",
			decoders: []string{"image", "pdf"}, req: words("看这份"), check: all(materials("u1", "contract.pdf +"))},
		{name: "a deleted file", history: one("s-shot", user("u1", "ts", "x", strings.Replace(png("a.png"), "art_", "deleted_", 1))), active: "s-shot",
			req: words("x"), check: materials("u1", "a.png gone")},
		{name: "a path that is no address", history: one("s-shot", user("u1", "ts", "x", strings.Replace(png("a.png"), "art_", "dir/art_", 1))), active: "s-shot",
			req: words("x"), check: materials("u1", "a.png not_found")},
		{name: "neighbours have their files", history: one("s-shot", user("u1", "ts", "你看看", png("ci-failure.png")), assistant("a1", "ts", "流水线在打包那一步挂了")),
			active: "s-shot", req: words("流水线"), check: all(anchors("a1"), materials("u1", "ci-failure.png +"), materials("a1"))},
		{name: "eight files of a message", history: one("s-shot", user("u1", "ts", "一堆图", many...)), active: "s-shot", req: words("一堆图"),
			check: materials("u1", manyNames...)},
		{name: "a malformed file is left out", history: one("s-shot", user("u1", "ts", "看这个", `{"kind":"image"}`, "null", png("real.png"))), active: "s-shot",
			req: words("看这个"), ablation: func(o *ablation) { o.malformed = true }, check: materials("u1", "real.png +")},
		{name: "a path of the host is not shown", history: one("s-shot", user("u1", "ts", "本地文件", external)), active: "s-shot", req: words("本地"),
			check: all(anchors("u1"), materials("u1", "notes.md"), without("/srv/files"))},
		{name: "terms that nothing has", history: one("s-a", assistant("f1", "t", "the Context Window budget")), req: words("context", " zzz ", "ZZZ"),
			check: all(anchors("f1"), unmatched("zzz"))},
		{name: "one passage of a turn", history: one("s-a", user("b1", "tz", "上下文 问题"), assistant("b2", "tz", "上下文 回答"), assistant("b3", "tz", "上下文 补充")),
			req: Request{Terms: []string{"上下文"}, Limit: 5}, check: all(anchors("b3"), func(a *Answer) error { return wantCount(len(a.Passages[0].Messages), 3) })},
		{name: "a session fills what others leave", history: one("s-only", user("a1", "ta", "上下文 一"), assistant("a2", "tb", "上下文 二"), assistant("a3", "tc", "上下文 三"),
			assistant("a4", "td", "上下文 四")), req: Request{Terms: []string{"上下文"}, Limit: 4}, check: all(anchors("a4", "a3", "a2", "a1"))},
		{name: "turns in flight", history: one("s-live", user("e1", "live-turn", "上下文 刚说的"), assistant("e2", "earlier", "上下文 之前说的")), active: "s-live",
			req: Request{Terms: []string{"上下文"}, ExcludeTurns: []string{"live-turn"}}, check: all(anchors("e2"))},
		{name: "turns in flight are those of the asking session", history: one("s-live", user("e1", "live-turn", "上下文 刚说的")),
			req: Request{Terms: []string{"上下文"}, ExcludeTurns: []string{"live-turn"}}, check: all(anchors("e1"))},
		{name: "a credential is not found", history: one("s-secret", assistant("c1", "ts", "set the token to "+credential+" and rerun")), req: words("0123456789abcdefghij"),
			check: all(anchors(), unmatched("0123456789abcdefghij"))},
		{name: "nor its mark", history: one("s-secret", assistant("c1", "ts", "set the token to "+credential+" and rerun")), req: words("redacted", "to [red"), check: all(anchors())},
		{name: "nor shown", history: one("s-secret", assistant("c1", "ts", "set the token to "+credential+" and rerun")), req: words("rerun"),
			check: all(anchors("c1"), anchorText("set the token to [redacted] and rerun"))},
		{name: "a name is redacted", history: one("s-shot", user("u1", "ts", "the key", png("key "+credential+".png"))), active: "s-shot", req: words("the key"),
			ablation: func(o *ablation) { o.redact = true }, check: all(materials("u1", "key [redacted].png +"), without("0123456789"))},
		{name: "text and names are redacted apart", history: one("s-shot", user("u1", "ts", `{"token":12345}`, png("a.png"))), active: "s-shot", req: words("12345"), check: all(anchors())},
		{name: "no term across the join", history: one("s-shot", user("u1", "ts", "ab", png("cd"))), active: "s-shot", req: words("ab\ncd", "abcd"), check: all(anchors())},
		{name: "what JSON escapes is found", history: one("s-a", assistant("q1", "t1", `he says "hello" \ <b> & more`), assistant("q2", "t2", "first\nsecond\u2028third")),
			req: words(`says "hello" \ <b> &`, "first\nsecond\u2028third"), check: all(anchors("q2", "q1"), unmatched())},
		{name: "case folds in full", history: one("s-a", assistant("q1", "t1", "ΟΔΟΣΑ"), assistant("q2", "t2", "Straße"), assistant("q3", "t3", "cafe\u0301")),
			req: Request{Terms: []string{"οδος", "STRASSE", "CAFÉ"}}, check: all(unmatched())},
		{name: "what a user saw", history: one("s-a", `{"type":"user","id":"u1","text":"wrapped prompt","display_text":"typed"}`), req: words("prompt", "typed"),
			check: all(anchors("u1"), anchorText("typed"), unmatched("prompt"))},
		{name: "a call by its intent", history: one("s-a", `{"type":"tool_call","id":"c1","tool":"grep","intent":"look for it","arguments":{"q":"needle"}}`), req: words("look", "needle", "grep"),
			check: all(anchors("c1"), anchorText("look for it"), unmatched("needle", "grep"))},
		{name: "a result by its strings", history: one("s-a", `{"type":"tool_result","id":"r1","result":{"kind":"top","a":["one",{"kind":"two"}],"n":7,"token":"sesame","z":"three"}}`),
			req: words("one\ntwo", "top", "sesame", "three"), check: all(anchors("r1"), anchorText("one\ntwo\n[redacted]\nthree"), unmatched("top", "sesame"))},
		{name: "a result by its keys", history: one("s-a", `{"type":"tool_result","id":"r1","result":{"credentials":{"user":["open"]},"json":"{\"secret\":[\"sesame\"]}","z":"three"}}`),
			req: words("open", "sesame", "three"), check: all(anchors("r1"), anchorText("[redacted]\n{\"secret\":\"[redacted]\"}\nthree"), unmatched("open", "sesame"))},
		{name: "a result that is a string", history: one("s-a", `{"type":"tool_result","id":"r1","result":"plain words"}`), req: words("plain"), check: all(anchors("r1"), anchorText("plain words"))},
		{name: "a result is no neighbour", history: one("s-a", user("u1", "t", "ask"), `{"type":"tool_result","id":"r1","turn":"t","result":"came back"}`, assistant("a1", "t", "done")),
			req: words("done"), check: func(a *Answer) error {
				if _, err := shownMessage(a, "r1"); err == nil {
					return errors.New("the result is shown")
				}
				return wantCount(len(a.Passages[0].Messages), 2)
			}},
		{name: "the question is not looked for", history: one("s-a", assistant("q1", "t1", "alpha"), assistant("q2", "t2", "beta")),
			req: Request{Terms: []string{"alpha"}, Question: "beta"}, check: all(anchors("q1"))},
		{name: "hidden characters are shown", history: one("s-shot", user("u1", "ts", "a\u202eb\U000e0041", png("c\u202ed\ne.png"))), active: "s-shot", req: words("a"),
			check: all(anchorText(`a\u{202E}b\u{E0041}`), materials("u1", `c\u{202E}d\u{A}e.png +`))},
	}
}

// namedCases look for names where recallCases look for words, so that more than one ablation makes them fail.
func namedCases() []recallCase {
	shot := history{{"s-shot", []string{user("u1", "ts", "你看看", png("pipeline-failure.png")), assistant("a1", "ts", "这是 CI 挂了")}}}
	contract := file("s-shot", "contract.pdf", "pdf", "application/pdf")
	external := `{"name":"notes.md","kind":"doc","mimeType":"text/markdown","bytes":2048,"ref":{"kind":"external_file","absolutePath":"/srv/files/notes.md"}}`
	malformed := strings.Split(strings.Repeat(`{"kind":"image"} `, 8), " ")[:8]
	one := func(events ...string) history { return history{{"s-shot", events}} }
	return []recallCase{
		{name: "name of a foreign file", history: shot, active: "s-other", decoders: []string{"image"}, req: words("pipeline-failure"),
			check: all(anchors("u1"), materials("u1", "pipeline-failure.png"), without("resource"))},
		{name: "name in a message without text", history: one(user("u1", "ts", "", png("bundle-size.png")), assistant("a1", "ts", "包体积涨了")), active: "s-shot",
			req: words("bundle-size"), check: all(anchors("u1"), anchorText(""))},
		{name: "name without a decoder", history: one(user("u1", "ts", "看这份", contract, png("diagram.png"))), active: "s-shot", decoders: []string{"image"}, req: words("contract"),
			check: all(materials("u1", "contract.pdf unsupported_kind", "diagram.png +"))},
		{name: "name of a file of the host", history: one(user("u1", "ts", "本地文件", external)), active: "s-shot", req: words("notes.md"),
			check: all(anchors("u1"), materials("u1", "notes.md"), without("/srv/files"))},
		{name: "eight malformed ones before it", history: one(user("u1", "ts", "", append(malformed, png("real.png"))...)), active: "s-shot", req: words("real"),
			check: all(anchors("u1"), materials("u1", "real.png +"))},
		{name: "name with a credential", history: one(user("u1", "ts", "x", png("k-"+credential+".png"))), active: "s-shot", req: words("0123456789abcdefghij", "redacted"), check: all(anchors())},
		{name: "name of a digest", history: one(user("u1", "ts", "x", png("0123456789abcdef0123456789abcdef01234567.png"))), active: "s-shot", req: words("abcdef01234567"), check: all(anchors())},
		{name: "name of words behind sk-", history: one(user("u1", "ts", "x", png("sk-learn-notes.pdf"))), active: "s-shot", req: words("sk-learn-notes"),
			check: all(anchors("u1"), materials("u1", "sk-learn-notes.pdf +"))},
		{name: "own file in a message of another session", history: history{{"s-else", []string{user("u1", "ts", "x", png("a.png"))}}}, active: "s-shot", req: words("a.png"),
			check: all(anchors("u1"), materials("u1", "a.png +"))},
		{name: "foreign file in an own message", history: one(user("u1", "ts", "x", file("s-else", "a.png", "image", "image/png"))), active: "s-shot", req: words("a.png"),
			check: all(anchors("u1"), materials("u1", "a.png"))},
		{name: "media type with a credential", history: one(user("u1", "ts", "x", file("s-shot", "a.png", "image", "image/"+credential))), active: "s-shot", req: words("a.png"),
			check: all(anchors("u1"), without("0123456789"))},
	}
}

func wantCount(got, want int) error {
	if got != want {
		return fmt.Errorf("%d, want %d", got, want)
	}
	return nil
}

func TestCases(t *testing.T) {
	for _, c := range append(recallCases(), namedCases()...) {
		t.Run(c.name, func(t *testing.T) {
			if err := c.run(t, ablation{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAblations switches each rule off and wants exactly the case of that rule to fail.
func TestAblations(t *testing.T) {
	list := recallCases()
	tried := 0
	for _, c := range list {
		if c.ablation == nil {
			continue
		}
		tried++
		t.Run(c.name, func(t *testing.T) {
			var off ablation
			c.ablation(&off)
			for _, other := range list {
				if err := other.run(t, off); (err != nil) != (other.name == c.name) {
					t.Errorf("%s: %v", other.name, err)
				}
			}
		})
	}
	if tried != 5 {
		t.Errorf("%d ablations, want 5", tried)
	}
}
