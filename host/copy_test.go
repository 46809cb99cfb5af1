package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// eventsOf are all events of a session.
func eventsOf(t testing.TB, h *host.Host, sc readapi.Scope) (out []ledger.Event) {
	t.Helper()
	for e, err := range h.Ledger().Events(t.Context(), sc, -1) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func filesOf(t testing.TB, s *host.Session) (out []readapi.Attachment) {
	t.Helper()
	for cursor := ""; ; {
		page, next, err := s.Attachments(t.Context(), cursor, 0)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, page...)
		if cursor = next; cursor == "" {
			return out
		}
	}
}

// content is the bytes of a file, or the code of why they cannot be had.
func contentOf(t testing.TB, s *host.Session, id readapi.ArtifactID) (string, readapi.Code) {
	t.Helper()
	b, err := s.OpenBytes(t.Context(), uri(id))
	if err != nil {
		return "", readapi.CodeOf(err)
	}
	defer b.Close()
	out := make([]byte, b.Attachment.Bytes)
	if _, err := b.ReadAt(out, 0); err != nil && len(out) > 0 && readapi.CodeOf(err) != readapi.CodeInternal { // io.EOF
		t.Fatal(err)
	}
	return string(out), ""
}

// randomSession fills a session with messages, files, deleted files, uploads without a message, and refs of all sorts.
func randomSession(t testing.TB, r *rand.Rand, h *host.Host, s *host.Session, other readapi.Attachment) {
	t.Helper()
	ctx := t.Context()
	var mine []readapi.Attachment
	for i := range 5 + r.IntN(150) {
		switch r.IntN(6) {
		case 0:
			a := attach(t, s, pick(r, []string{"a.txt", "b.md", "c.png"}), pick(r, []string{"one", "two", "", "\x89PNG\r\n\x1a\n0000"}))
			mine = append(mine, a)
		case 1:
			mine = append(mine, uploaded(t, s, fmt.Sprint("up", i), "u.txt", fmt.Sprint("upload ", r.IntN(3))))
		case 2:
			if len(mine) > 0 {
				if err := s.Delete(ctx, uri(pick(r, mine).ID)); err != nil {
					t.Fatal(err)
				}
			}
		case 3:
			_, err := s.Append(ctx, ledger.Event{Type: ledger.Assistant, Text: fmt.Sprint("said ", i), Extra: map[string]json.RawMessage{"x": json.RawMessage(`{"y":[1]}`)}})
			if err != nil {
				t.Fatal(err)
			}
		case 4:
			e := ledger.Event{Type: ledger.User, Text: "see", Attachments: []json.RawMessage{[]byte("null"), []byte(`{"kind":"other"}`)}}
			refs := []readapi.AttachmentRef{other.Ref("other"), other.Ref("other")}
			refs[1].Ref = readapi.StorageRef{Kind: readapi.RefWorkspaceFile, RelativePath: "x/y.txt"}
			if len(mine) > 0 {
				refs = append(refs, pick(r, mine).Ref(s.Scope().Session))
			}
			for _, ref := range refs {
				b, err := json.Marshal(ref)
				if err != nil {
					t.Fatal(err)
				}
				e.Attachments = append(e.Attachments, b)
			}
			if _, err := s.Append(ctx, e); err != nil {
				t.Fatal(err)
			}
		case 5:
			if live := slices.DeleteFunc(filesOf(t, s), func(a readapi.Attachment) bool { return a.Status != readapi.StatusLive }); len(live) > 0 {
				if _, err := s.Attach(ctx, host.Message{Attached: []readapi.ArtifactID{pick(r, live).ID}}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// sameButRefs checks that the events of a copy are those of its source, and returns the copies by their sources as the refs tell.
func sameButRefs(t testing.TB, from, to []ledger.Event, src, dst readapi.SessionID) map[readapi.ArtifactID]readapi.ArtifactID {
	t.Helper()
	if len(from) != len(to) {
		t.Fatalf("%d events, %d in the copy", len(from), len(to))
	}
	copies := map[readapi.ArtifactID]readapi.ArtifactID{}
	for i, e := range from {
		was, is := e.Refs(), to[i].Refs()
		for k := range was {
			session, id, ok := was[k].Address()
			if !ok || session != src {
				if is[k] != was[k] {
					t.Errorf("a ref that is none of the source became %+v", is[k])
				}
				continue
			}
			to, of, _ := is[k].Address()
			if to != dst || copies[id] != "" && copies[id] != of {
				t.Errorf("%+v became %+v", was[k], is[k])
			}
			copies[id] = of
			is[k].Ref = was[k].Ref
			if is[k] != was[k] {
				t.Errorf("%+v became %+v", was[k], is[k])
			}
		}
		a, b := e, to[i]
		a.Attachments, b.Attachments = nil, nil
		if d := cmp.Diff(a, b); d != "" || len(e.Attachments) != len(to[i].Attachments) {
			t.Errorf("event %d: %s", i, d)
		}
	}
	return copies
}

// Random histories: a copy has the same events and files in the same order, what was deleted stays deleted, and when the source is purged
// every address that the copy offers still opens, with the same bytes.
func TestCopyThenPurge(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Log("seed", seed)
			r := rand.New(rand.NewPCG(seed, seed))
			p := open(t)
			h := p.open(t, newQuick(), nil)
			other := attach(t, h.Session(scope("other")), "o.txt", "one")
			for round := range 10 {
				src, dst := readapi.SessionID(fmt.Sprint("src", round)), readapi.SessionID(fmt.Sprint("dst", round))
				s, d := h.Session(scope(string(src))), h.Session(scope(string(dst)))
				randomSession(t, r, h, s, other)
				from, files := eventsOf(t, h, s.Scope()), filesOf(t, s)
				if len(from)+len(files) == 0 {
					continue
				}
				done, err := s.CopyTo(t.Context(), dst)
				if err != nil || done.Events != int64(len(from)) || done.Files != int64(len(files)) || done.Session != dst {
					t.Fatalf("%+v, %v, want %d and %d", done, err, len(from), len(files))
				}
				again, err := s.CopyTo(t.Context(), dst)
				if err != nil || again.Events != 0 || again.Files != 0 {
					t.Fatalf("copied again: %+v, %v", again, err)
				}
				copies := sameButRefs(t, from, eventsOf(t, h, d.Scope()), src, dst)
				copied := filesOf(t, d)
				contents := make([]string, len(files))
				for i, a := range files {
					contents[i], _ = contentOf(t, s, a.ID)
					b := copied[i]
					if to, ok := copies[a.ID]; ok && to != b.ID || len(b.ID) != len("copy_")+32 || b.Resource != "" && b.Resource != uri(b.ID) {
						t.Errorf("%+v became %+v", a, b)
					}
					b.ID, b.Created = a.ID, a.Created
					if b.Resource != "" {
						b.Resource = a.Resource
					}
					if b != a {
						t.Errorf("%+v became %+v", a, b)
					}
				}
				if err := s.PurgeSession(t.Context()); err != nil {
					t.Fatal(err)
				}
				for i, b := range copied {
					got, code := contentOf(t, d, b.ID)
					if b.Status == readapi.StatusLive && (got != contents[i] || code != "") || b.Status == readapi.StatusDeleted && code != readapi.CodeGone {
						t.Errorf("%+v: %q, %q, want %q", b, got, code, contents[i])
					}
					if b.Resource != "" {
						read(t, d, b.Resource, readapi.Selection{})
					}
				}
				_, err = s.CopyTo(t.Context(), dst)
				wantCode(t, "copy what was purged", err, readapi.CodeNotFound)
			}
		})
	}
}

func TestCopyRefused(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), &host.Options{Quota: store.Quota{SessionFiles: 3}})
	s, ctx := h.Session(scope("s")), t.Context()
	a := attach(t, s, "a.txt", "hello")
	fails := func(what string, dst readapi.SessionID, want readapi.Code) {
		t.Helper()
		before := len(eventsOf(t, h, scope(string(dst)))) + len(filesOf(t, h.Session(scope(string(dst)))))
		_, err := s.CopyTo(ctx, dst)
		wantCode(t, what, err, want)
		if dst.Valid() {
			if after := len(eventsOf(t, h, scope(string(dst)))) + len(filesOf(t, h.Session(scope(string(dst))))); after != before {
				t.Errorf("%s: %d became %d", what, before, after)
			}
		}
	}
	_, err := s.CopyTo(ctx, "a b")
	wantCode(t, "no id", err, readapi.CodeInvalidRequest)
	fails("itself", "s", readapi.CodeInvalidRequest)
	_, err = h.Session(scope("none")).CopyTo(ctx, "t")
	wantCode(t, "no source", err, readapi.CodeNotFound)
	_, err = h.Session(readapi.Scope{Principal: "other", Session: "s"}).CopyTo(ctx, "t")
	wantCode(t, "a source of another principal", err, readapi.CodeNotFound)

	attach(t, h.Session(scope("taken")), "a.txt", "hello")
	fails("other events", "taken", readapi.CodeConflict)
	uploaded(t, h.Session(scope("filed")), "up", "a.txt", "hello")
	fails("another file", "filed", readapi.CodeConflict)
	attach(t, h.Session(scope("deleted")), "a.txt", "hello")
	if err := h.Session(scope("deleted")).DeleteSession(ctx); err != nil {
		t.Fatal(err)
	}
	fails("onto a deleted one", "deleted", readapi.CodeGone)

	done, err := s.CopyTo(ctx, "good")
	if err != nil || done.Files != 1 {
		t.Fatal(done, err)
	}
	good := h.Session(scope("good"))
	if _, err := good.Append(ctx, ledger.Event{Type: ledger.Assistant, Text: "on"}); err != nil {
		t.Fatal(err)
	}
	if done, err := s.CopyTo(ctx, "good"); err != nil || *done != (host.Copied{Session: "good"}) {
		t.Errorf("a copy that went on: %+v, %v", done, err)
	}
	b := attach(t, s, "b.txt", "more")
	fails("a copy and its source went on", "good", readapi.CodeConflict)

	if err := s.Purge(ctx, a.Resource); err != nil {
		t.Fatal(err)
	}
	_, err = s.CopyTo(ctx, "t")
	e, ok := err.(*readapi.Error)
	if !ok || e.Code != readapi.CodeNotFound || e.Ref != string(a.ID) || b.ID == a.ID {
		t.Errorf("a file of a message is missing: %v", err)
	}
	fails("a file is missing", "t", readapi.CodeNotFound)

	const many = 501 // one more than are copied at once
	for i := range many {
		p.put(t, scope("full"), "x", store.Artifact{ID: readapi.ArtifactID(fmt.Sprint("f", i)), Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther, Source: store.SourceUserUpload})
	}
	small := newPlaceOf(p).open(t, newQuick(), &host.Options{Quota: store.Quota{SessionFiles: many - 1}})
	_, err = small.Session(scope("full")).CopyTo(ctx, "t")
	wantCode(t, "more than the quota", err, readapi.CodeQuotaExceeded)
	if _, ok, err := p.driver.Session(ctx, scope("t")); ok || err != nil {
		t.Error("a refused copy has made a session:", err)
	}
}

// newPlaceOf is the same place, for a host with other options.
func newPlaceOf(p *place) *place { return &place{blobs: p.blobs, driver: p.driver} }

// stopping is an index that fails from some append on.
type stopping struct {
	store.IndexDriver
	left int
}

func (d *stopping) Append(ctx context.Context, sc readapi.Scope, b store.Batch) ([]int64, error) {
	if d.left--; d.left < 0 {
		return nil, &readapi.Error{Code: readapi.CodeBusy, Detail: "stopped"}
	}
	return d.IndexDriver.Append(ctx, sc, b)
}

// A copy that is broken off goes on when it is made again, wherever it broke off.
func TestCopyResumed(t *testing.T) {
	for k := range 5 {
		p := newPlace()
		h := p.open(t, newQuick(), nil)
		s := h.Session(scope("s"))
		for i := range 1200 { // three appends of events
			if i%80 == 0 {
				attach(t, s, "a.txt", fmt.Sprint(i))
			} else if _, err := s.Append(t.Context(), ledger.Event{Type: ledger.Assistant, Text: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		broken := (&place{blobs: p.blobs, driver: &stopping{p.driver, k}}).open(t, newQuick(), nil)
		_, err := broken.Session(scope("s")).CopyTo(t.Context(), "t")
		if want := readapi.CodeBusy; k < 4 {
			wantCode(t, fmt.Sprint("broken off at ", k), err, want)
		}
		if _, err := s.CopyTo(t.Context(), "t"); err != nil {
			t.Fatal(k, err)
		}
		sameButRefs(t, eventsOf(t, h, scope("s")), eventsOf(t, h, scope("t")), "s", "t")
		if n := len(filesOf(t, h.Session(scope("t")))); n != 15 {
			t.Errorf("%d: %d files", k, n)
		}
	}
}

// Many who copy at once make one copy.
func TestCopyRace(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	for range 100 {
		attach(t, s, "a.txt", "hello")
	}
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := s.CopyTo(t.Context(), "t"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	sameButRefs(t, eventsOf(t, h, scope("s")), eventsOf(t, h, scope("t")), "s", "t")
	if n := len(filesOf(t, h.Session(scope("t")))); n != 100 {
		t.Errorf("%d files", n)
	}
}

// The id of a copy is found by recall: redaction does not take it for a secret, and a copy's files are named as ever.
func TestCopyIsFound(t *testing.T) {
	p := newPlace()
	h := p.open(t, newQuick(), nil)
	s := h.Session(scope("s"))
	attach(t, s, "needle.txt", "hello")
	if _, err := s.CopyTo(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	if err := s.PurgeSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := h.Session(scope("t"))
	answer, err := d.Recall(t.Context(), recall.Request{Terms: []string{"needle"}})
	if err != nil || len(answer.Passages) != 1 || len(answer.Passages[0].Messages[0].Materials) != 1 {
		t.Fatalf("%+v, %v", answer, err)
	}
	m := answer.Passages[0].Messages[0].Materials[0]
	if m.Resource == "" || strings.Contains(m.Resource, "redacted") {
		t.Fatalf("%+v", m)
	}
	read(t, d, m.Resource, readapi.Selection{})
}

// A file of another session of the principal opens as a copy, the same one each time, which outlives its source. What cannot be had looks
// the same, whatever the reason; the operator is told which.
func TestOpenFrom(t *testing.T) {
	for name, open := range places() {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			audit := &log{}
			h := p.open(t, newQuick(), &host.Options{Audit: audit.tell})
			s, d, ctx := h.Session(scope("s")), h.Session(scope("t")), t.Context()
			a := attach(t, s, "a.txt", "hello")
			first, err := d.OpenFrom(ctx, "s", a.ID)
			if err != nil || first.ID == a.ID || first.Name != "a.txt" || first.Resource != uri(first.ID) || first.Version != 1 {
				t.Fatalf("%+v, %v", first, err)
			}
			for range 2 {
				if again, err := d.OpenFrom(ctx, "s", a.ID); err != nil || again != first {
					t.Errorf("%+v, %v", again, err)
				}
				if err := s.PurgeSession(ctx); err != nil {
					t.Fatal(err)
				}
			}
			read(t, d, first.Resource, readapi.Selection{})
			if own, err := d.OpenFrom(ctx, "t", first.ID); err != nil || own != first {
				t.Errorf("a file of its own: %+v, %v", own, err)
			}
			if err := d.Delete(ctx, first.Resource); err != nil {
				t.Fatal(err)
			}
			_, err = d.OpenFrom(ctx, "s", a.ID)
			wantCode(t, "a copy that was deleted", err, readapi.CodeGone)

			u := h.Session(scope("u"))
			deleted, live := attach(t, u, "a.txt", "x"), attach(t, u, "b.txt", "y")
			if err := u.Delete(ctx, deleted.Resource); err != nil {
				t.Fatal(err)
			}
			p.put(t, scope("u"), "", store.Artifact{ID: "recorded", Name: "a.txt", MediaType: "text/plain", Kind: readapi.KindOther, Source: store.SourceMemoryAddURI})
			theirs := attach(t, h.Session(readapi.Scope{Principal: "other", Session: "s"}), "a.txt", "z")
			shapes := map[string]bool{}
			for _, c := range []struct {
				source readapi.SessionID
				id     readapi.ArtifactID
			}{{"u", "missing"}, {"none", live.ID}, {"s", theirs.ID}, {"u", deleted.ID}, {"u", "recorded"}} {
				_, err := d.OpenFrom(ctx, c.source, c.id)
				e, ok := err.(*readapi.Error)
				if !ok || e.Ref != string(c.id) {
					t.Fatal(err)
				}
				b, err := json.Marshal(e)
				if err != nil {
					t.Fatal(err)
				}
				shapes[strings.ReplaceAll(string(b), e.Ref, "")] = true
			}
			if len(shapes) != 1 {
				t.Errorf("what cannot be had differs: %v", shapes)
			}
			if n := len(filesOf(t, d)); n != 1 {
				t.Errorf("%d files", n)
			}
			_, err = d.OpenFrom(ctx, "a b", live.ID)
			wantCode(t, "no session id", err, readapi.CodeInvalidRequest)
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			want := []string{"", "", "", "", host.CauseDeleted, host.CauseAbsent, host.CauseForeign, host.CauseForeign, host.CauseDeleted, host.CauseSource, "invalid_request"}
			if got := audit.causes("open_from"); !slices.Equal(got, want) {
				t.Errorf("causes %q, want %q", got, want)
			}
		})
	}
}
