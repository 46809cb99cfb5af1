package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var indexScope = readapi.Scope{Principal: "p", Session: "s"}

func newIndex(t *testing.T, d store.IndexDriver) *store.Index {
	t.Helper()
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func goodArtifact() store.Artifact {
	return store.Artifact{ID: "a", Blob: strings.Repeat("ab", 32), Bytes: 1, Name: "a", Source: store.SourceUserUpload, Created: time.Now()}
}

func goodEvent() store.Event {
	return store.Event{ID: "e", Type: "user", Time: time.Now(), Payload: []byte(`{}`)}
}

// What an index cannot keep is refused before a driver sees it, and nothing of the append is kept.
func TestAppendRefuses(t *testing.T) {
	for name, change := range map[string]func(a *store.Artifact, e *store.Event){
		"id":                     func(a *store.Artifact, _ *store.Event) { a.ID = "a b" },
		"no id":                  func(a *store.Artifact, _ *store.Event) { a.ID = "" },
		"another session's":      func(a *store.Artifact, _ *store.Event) { a.Scope = readapi.Scope{Principal: "p", Session: "other"} },
		"no source":              func(a *store.Artifact, _ *store.Event) { a.Source = "" },
		"no such source":         func(a *store.Artifact, _ *store.Event) { a.Source = "elsewhere" },
		"no blob":                func(a *store.Artifact, _ *store.Event) { a.Blob = "" },
		"no digest":              func(a *store.Artifact, _ *store.Event) { a.Blob = "../../etc/passwd" },
		"a digest in upper case": func(a *store.Artifact, _ *store.Event) { a.Blob = strings.ToUpper(a.Blob) },
		"a foreign URI's blob":   func(a *store.Artifact, _ *store.Event) { a.Source = store.SourceMemoryAddURI },
		"negative size":          func(a *store.Artifact, _ *store.Event) { a.Bytes = -1 },
		"deleted":                func(a *store.Artifact, _ *store.Event) { a.Status = readapi.StatusDeleted },
		"time of deletion":       func(a *store.Artifact, _ *store.Event) { a.Deleted = time.Now() },
		"no time":                func(a *store.Artifact, _ *store.Event) { a.Created = time.Time{} },
		"year 10000":             func(a *store.Artifact, _ *store.Event) { a.Created = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) },
		"NUL in a name":          func(a *store.Artifact, _ *store.Event) { a.Name = "a\x00b" },
		"no UTF-8 in a name":     func(a *store.Artifact, _ *store.Event) { a.Name = "a\xff" },
		"no UTF-8 in a type":     func(a *store.Artifact, _ *store.Event) { a.Candidates = []readapi.MediaType{"\xff"} },
		"no event id":            func(_ *store.Artifact, e *store.Event) { e.ID = "" },
		"no event type":          func(_ *store.Artifact, e *store.Event) { e.Type = "" },
		"NUL in an event id":     func(_ *store.Artifact, e *store.Event) { e.ID = "\x00" },
		"no UTF-8 in a turn":     func(_ *store.Artifact, e *store.Event) { e.Turn = "\xc3" },
		"no UTF-8 in a payload":  func(_ *store.Artifact, e *store.Event) { e.Payload = []byte("\"\xc3\"") },
		"no JSON":                func(_ *store.Artifact, e *store.Event) { e.Payload = []byte("{") },
		"no payload":             func(_ *store.Artifact, e *store.Event) { e.Payload = nil },
		"no event time":          func(_ *store.Artifact, e *store.Event) { e.Time = time.Time{} },
	} {
		x := newIndex(t, memindex.New())
		a, e := goodArtifact(), goodEvent()
		change(&a, &e)
		_, err := x.Append(t.Context(), indexScope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}}))
		if got, ok := errors.AsType[*readapi.Error](err); !ok || got.Code != readapi.CodeInvalidRequest || got.Op == "" || got.Detail == "" {
			t.Errorf("%s: %v, want invalid_request", name, err)
		}
		if _, ok, err := x.Session(t.Context(), indexScope); ok || err != nil {
			t.Errorf("%s: a session was made: %v", name, err)
		}
	}
	good := newIndex(t, memindex.New())
	if _, err := good.Append(t.Context(), indexScope, storetest.Leased(t, good, store.Batch{Artifacts: []store.Artifact{goodArtifact()}, Events: []store.Event{goodEvent()}})); err != nil {
		t.Errorf("nothing wrong: %v", err)
	}
}

// What the store gives need not be set, and times are cut to what is kept.
func TestAppendFills(t *testing.T) {
	x := newIndex(t, memindex.New())
	a, e := goodArtifact(), goodEvent()
	zone := time.FixedZone("", 3600)
	a.Created, e.Time = time.Date(2026, 1, 2, 3, 4, 5, 6_789_000, zone), time.Date(1960, 1, 2, 3, 4, 5, 6_789_000, zone)
	a.Seq, e.Seq = 77, 78
	if seqs, err := x.Append(t.Context(), indexScope, store.Batch{}); err != nil || len(seqs) != 0 {
		t.Errorf("nothing to append: %v, %v", seqs, err)
	}
	if _, ok, _ := x.Session(t.Context(), indexScope); ok {
		t.Error("appending nothing made a session")
	}
	if _, err := x.Append(t.Context(), indexScope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}})); err != nil {
		t.Fatal(err)
	}
	rows, _, err := x.Artifacts(t.Context(), indexScope, []readapi.ArtifactID{"a", "a"})
	if err != nil {
		t.Fatal(err)
	}
	want := time.Date(2026, 1, 2, 2, 4, 5, 6_000_000, time.UTC)
	if got := rows["a"]; got.Scope != indexScope || got.Status != readapi.StatusLive || got.Seq != 0 || got.Created != want {
		t.Errorf("%+v", got)
	}
	last, _, err := x.LastEvent(t.Context(), indexScope)
	if err != nil || last.Seq != 0 || last.Time != time.Date(1960, 1, 2, 2, 4, 5, 6_000_000, time.UTC) {
		t.Errorf("%+v, %v", last, err)
	}
}

// limits records what page size a driver is asked for.
type limits struct {
	store.IndexDriver
	got int
}

func (l *limits) Events(_ context.Context, _ readapi.Scope, _ int64, limit int) ([]store.Event, error) {
	l.got = limit
	return nil, nil
}

func (l *limits) ListArtifacts(_ context.Context, _ readapi.Scope, _ int64, limit int) ([]store.Artifact, int64, error) {
	l.got = limit
	return nil, 0, nil
}

func (l *limits) Sessions(_ context.Context, _ readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	l.got = q.Limit
	return nil, nil
}

func (l *limits) BlobNames(_ context.Context, _ string, limit int) ([]string, error) {
	l.got = limit
	return nil, nil
}

func (l *limits) Purges(_ context.Context, limit int) ([]store.Purge, error) {
	l.got = limit
	return nil, nil
}

func (l *limits) ScanArtifacts(_ context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	l.got = q.Limit
	return nil, nil
}

func (l *limits) ScanSessions(_ context.Context, _ readapi.Scope, limit int) ([]store.Session, error) {
	l.got = limit
	return nil, nil
}

func (l *limits) ScanUploads(_ context.Context, _ readapi.Scope, _ string, limit int) ([]store.Upload, error) {
	l.got = limit
	return nil, nil
}

func TestPageSizes(t *testing.T) {
	l := &limits{IndexDriver: memindex.New()}
	x := newIndex(t, l)
	for name, call := range map[string]func(limit int) error{
		"events":    func(n int) error { _, err := x.Events(t.Context(), indexScope, -1, n); return err },
		"artifacts": func(n int) error { _, _, err := x.ListArtifacts(t.Context(), indexScope, -1, n); return err },
		"sessions":  func(n int) error { _, err := x.Sessions(t.Context(), "p", store.SessionQuery{Limit: n}); return err },
		"blobs":     func(n int) error { _, err := x.BlobNames(t.Context(), "", n); return err },
		"purges":    func(n int) error { _, err := x.Purges(t.Context(), n); return err },
		"a scan":    func(n int) error { _, err := x.ScanArtifacts(t.Context(), store.ArtifactScan{Limit: n}); return err },
		"all":       func(n int) error { _, err := x.ScanSessions(t.Context(), readapi.Scope{}, n); return err },
		"uploads":   func(n int) error { _, err := x.ScanUploads(t.Context(), indexScope, "", n); return err },
	} {
		for limit, want := range map[int]int{0: store.MaxPage, 1: 1, store.MaxPage: store.MaxPage, store.MaxPage + 1: store.MaxPage} {
			if err := call(limit); err != nil || l.got != want {
				t.Errorf("%s, %d: the driver is asked for %d, %v", name, limit, l.got, err)
			}
		}
		if err := call(-1); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%s: a negative limit: %v", name, err)
		}
	}
}

// Ids that cannot be, a context that has ended, and errors of a driver: each call gives each its code, once, under its own name.
func TestIndexErrors(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bad := readapi.Scope{Principal: "p", Session: "s s"}
	type call func(ctx context.Context, x *store.Index, s readapi.Scope, id readapi.ArtifactID) error
	for op, c := range map[string]call{
		"Append": func(ctx context.Context, x *store.Index, s readapi.Scope, id readapi.ArtifactID) error {
			a := goodArtifact()
			a.ID = id
			_, err := x.Append(ctx, s, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}}))
			return err
		},
		"Artifacts": func(ctx context.Context, x *store.Index, s readapi.Scope, id readapi.ArtifactID) error {
			_, _, err := x.Artifacts(ctx, s, []readapi.ArtifactID{id})
			return err
		},
		"DeleteArtifact": func(ctx context.Context, x *store.Index, s readapi.Scope, id readapi.ArtifactID) error {
			_, _, err := x.DeleteArtifact(ctx, s, id, time.Now())
			return err
		},
	} {
		x := newIndex(t, memindex.New())
		for name, got := range map[string]struct {
			err  error
			want readapi.Code
		}{
			"good":    {c(t.Context(), x, indexScope, "x"), ""},
			"scope":   {c(t.Context(), x, bad, "x"), readapi.CodeInvalidRequest},
			"id":      {c(t.Context(), x, indexScope, "../x"), readapi.CodeInvalidRequest},
			"context": {c(ended, x, indexScope, "y"), readapi.CodeCanceled},
		} {
			e, _ := errors.AsType[*readapi.Error](got.err)
			if readapi.CodeOf(got.err) != got.want || e != nil && e.Op != "store.Index."+op {
				t.Errorf("%s, %s: %v, want %q", op, name, got.err, got.want)
			}
		}
	}
	x := newIndex(t, memindex.New())
	many := make([]readapi.ArtifactID, store.MaxPage+1)
	for i := range many {
		many[i] = readapi.ArtifactID(fmt.Sprint(i))
	}
	if _, _, err := x.Artifacts(t.Context(), indexScope, many); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("too many ids: %v", err)
	}
	if _, _, err := x.Artifacts(t.Context(), indexScope, many[1:]); err != nil {
		t.Errorf("as many ids as there may be: %v", err)
	}
	for _, list := range [][]store.DecoderEntry{{{Name: ""}}, {{Name: "a"}, {Name: "a"}}, {{Name: "a\xff"}}} {
		if _, err := x.SetDecoders(t.Context(), 0, list); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%v: %v", list, err)
		}
	}
	if _, err := store.NewIndex(nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("no driver: %v", err)
	}
}
