package store_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var digest = strings.Repeat("ab", 32)

// Each call refuses what cannot be, before a driver sees it, and says under its own name what it was.
func TestKeepRefuses(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bad := readapi.Scope{Principal: "p", Session: "s s"}
	now, none := time.Now(), time.Time{}
	many := make([]string, store.MaxPage+1)
	for i := range many {
		many[i] = fmt.Sprintf("%064x", i)
	}
	type calls map[string]func(ctx context.Context, x *store.Index) error
	for op, c := range map[string]calls{
		"PurgeArtifact": {
			"": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.PurgeArtifact(ctx, indexScope, "a", now)
				return err
			},
			"scope": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.PurgeArtifact(ctx, bad, "a", now)
				return err
			},
			"id": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.PurgeArtifact(ctx, indexScope, "../a", now)
				return err
			},
			"time": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.PurgeArtifact(ctx, indexScope, "a", none)
				return err
			},
		},
		"DropArtifact": {
			"":      func(ctx context.Context, x *store.Index) error { return x.DropArtifact(ctx, indexScope, "a") },
			"scope": func(ctx context.Context, x *store.Index) error { return x.DropArtifact(ctx, bad, "a") },
			"id":    func(ctx context.Context, x *store.Index) error { return x.DropArtifact(ctx, indexScope, "") },
		},
		"Upload": {
			"": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.Upload(ctx, indexScope, "no such form")
				return err
			},
			"scope": func(ctx context.Context, x *store.Index) error { _, _, err := x.Upload(ctx, bad, "u"); return err },
		},
		"MarkSession": {
			"": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.MarkSession(ctx, indexScope, store.PurgeSession, now)
				return err
			},
			"scope": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.MarkSession(ctx, bad, store.PurgeSession, now)
				return err
			},
			"change": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.MarkSession(ctx, indexScope, "undelete", now)
				return err
			},
			"time": func(ctx context.Context, x *store.Index) error {
				_, _, err := x.MarkSession(ctx, indexScope, store.DeleteSession, none)
				return err
			},
		},
		"DropSession": {
			"":      func(ctx context.Context, x *store.Index) error { return x.DropSession(ctx, indexScope) },
			"scope": func(ctx context.Context, x *store.Index) error { return x.DropSession(ctx, bad) },
		},
		"Usage": {
			"":          func(ctx context.Context, x *store.Index) error { _, _, err := x.Usage(ctx, "p"); return err },
			"principal": func(ctx context.Context, x *store.Index) error { _, _, err := x.Usage(ctx, ""); return err },
		},
		"PutHost": {
			"": func(ctx context.Context, x *store.Index) error {
				_, err := x.PutHost(ctx, store.HostEntry{ID: "h"}, time.Minute)
				return err
			},
			"id": func(ctx context.Context, x *store.Index) error {
				_, err := x.PutHost(ctx, store.HostEntry{}, time.Minute)
				return err
			},
			"time": func(ctx context.Context, x *store.Index) error {
				_, err := x.PutHost(ctx, store.HostEntry{ID: "h"}, 0)
				return err
			},
			"name": func(ctx context.Context, x *store.Index) error {
				_, err := x.PutHost(ctx, store.HostEntry{ID: "h", Decoders: []store.DecoderEntry{{}}}, time.Minute)
				return err
			},
		},
		"DropHost": {
			"":   func(ctx context.Context, x *store.Index) error { return x.DropHost(ctx, "h") },
			"id": func(ctx context.Context, x *store.Index) error { return x.DropHost(ctx, "h h") },
		},
		"LeaseBlobs": {
			"":       func(ctx context.Context, x *store.Index) error { return x.LeaseBlobs(ctx, "h", many[1:], time.Minute) },
			"holder": func(ctx context.Context, x *store.Index) error { return x.LeaseBlobs(ctx, "", many[:1], time.Minute) },
			"digest": func(ctx context.Context, x *store.Index) error {
				return x.LeaseBlobs(ctx, "h", []string{"../x"}, time.Minute)
			},
			"many": func(ctx context.Context, x *store.Index) error { return x.LeaseBlobs(ctx, "h", many, time.Minute) },
			"time": func(ctx context.Context, x *store.Index) error {
				return x.LeaseBlobs(ctx, "h", many[:1], time.Microsecond)
			},
		},
		"EndLeases": {
			"":       func(ctx context.Context, x *store.Index) error { return x.EndLeases(ctx, "h") },
			"holder": func(ctx context.Context, x *store.Index) error { return x.EndLeases(ctx, "") },
		},
		"ClaimBlob": {
			"": func(ctx context.Context, x *store.Index) error {
				_, err := x.ClaimBlob(ctx, digest, time.Minute)
				return err
			},
			"digest": func(ctx context.Context, x *store.Index) error {
				_, err := x.ClaimBlob(ctx, "", time.Minute)
				return err
			},
			"time": func(ctx context.Context, x *store.Index) error {
				_, err := x.ClaimBlob(ctx, digest, -time.Minute)
				return err
			},
		},
		"EndClaim": {
			"":       func(ctx context.Context, x *store.Index) error { return x.EndClaim(ctx, digest) },
			"digest": func(ctx context.Context, x *store.Index) error { return x.EndClaim(ctx, strings.ToUpper(digest)) },
		},
		"BlobUses": {
			"": func(ctx context.Context, x *store.Index) error { _, err := x.BlobUses(ctx, nil); return err },
			"digest": func(ctx context.Context, x *store.Index) error {
				_, err := x.BlobUses(ctx, []string{digest, "x"})
				return err
			},
		},
		"Acquire": {
			"": func(ctx context.Context, x *store.Index) error {
				_, err := x.Acquire(ctx, "gc", "h", time.Minute)
				return err
			},
			"name": func(ctx context.Context, x *store.Index) error {
				_, err := x.Acquire(ctx, "g c", "h", time.Minute)
				return err
			},
			"holder": func(ctx context.Context, x *store.Index) error {
				_, err := x.Acquire(ctx, "gc", "", time.Minute)
				return err
			},
			"time": func(ctx context.Context, x *store.Index) error { _, err := x.Acquire(ctx, "gc", "h", 0); return err },
		},
		"Resign": {
			"":       func(ctx context.Context, x *store.Index) error { return x.Resign(ctx, "gc", "h") },
			"name":   func(ctx context.Context, x *store.Index) error { return x.Resign(ctx, "", "h") },
			"holder": func(ctx context.Context, x *store.Index) error { return x.Resign(ctx, "gc", "\xff") },
		},
	} {
		for what, call := range c {
			x := newIndex(t, memindex.New())
			want := readapi.CodeInvalidRequest
			if what == "" {
				want = ""
				refused(t, op+", a context that has ended", op, call(ended, x), readapi.CodeCanceled)
			}
			refused(t, op+", "+what, op, call(t.Context(), x), want)
		}
	}
}

func refused(t *testing.T, what, op string, err error, want readapi.Code) {
	t.Helper()
	e, _ := errors.AsType[*readapi.Error](err)
	if readapi.CodeOf(err) != want || e != nil && (e.Op != "store.Index."+op || want == readapi.CodeInvalidRequest && e.Detail == "") {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
}

// A batch whose uploads or quotas cannot be is refused whole.
func TestAppendRefusesUploads(t *testing.T) {
	for name, change := range map[string]func(b *store.Batch){
		"of no artifact":          func(b *store.Batch) { b.Uploads[0].Artifact = "other" },
		"without an id":           func(b *store.Batch) { b.Uploads[0].ID = "" },
		"with a NUL":              func(b *store.Batch) { b.Uploads[0].Begin = "\x00" },
		"with nothing":            func(b *store.Batch) { b.Artifacts = nil },
		"with a negative quota":   func(b *store.Batch) { b.Quota.TotalBytes = -1 },
		"deleted without a time":  func(b *store.Batch) { b.Artifacts[0].Status = readapi.StatusDeleted },
		"of an unknown status":    func(b *store.Batch) { b.Artifacts[0].Status, b.Artifacts[0].Deleted = "lost", time.Now() },
		"live with a time for it": func(b *store.Batch) { b.Artifacts[0].Deleted = time.Now() },
		"already being removed":   func(b *store.Batch) { b.Artifacts[0].Purging = true },
		"deleted in the year 9999": func(b *store.Batch) {
			b.Artifacts[0].Status, b.Artifacts[0].Deleted = "deleted", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)
		},
	} {
		x := newIndex(t, memindex.New())
		b := store.Batch{Artifacts: []store.Artifact{goodArtifact()}, Uploads: []store.Upload{{ID: "u", Artifact: "a"}}}
		change(&b)
		_, err := x.Append(t.Context(), indexScope, storetest.Leased(t, x, b))
		refused(t, name, "Append", err, readapi.CodeInvalidRequest)
		if _, ok, err := x.Session(t.Context(), indexScope); ok || err != nil {
			t.Errorf("%s: a session was made: %v", name, err)
		}
	}
}

// Who can have no lease is told so, and not that his bytes are gone.
func TestAppendRefusesHolder(t *testing.T) {
	for _, holder := range []string{"h h", "\x00", strings.Repeat("h", 129)} {
		_, err := newIndex(t, memindex.New()).Append(t.Context(), indexScope, store.Batch{Artifacts: []store.Artifact{goodArtifact()}, Holder: holder})
		refused(t, holder, "Append", err, readapi.CodeInvalidRequest)
	}
}

// loadable is a session with one row of each kind.
func loadable() (store.Session, []store.Artifact, []store.Event, []store.Upload) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 6_789_000, time.FixedZone("", 3600))
	a, e := goodArtifact(), goodEvent()
	a.Version, a.Status, a.Created, a.Deleted, e.Time = 1, readapi.StatusDeleted, now, now, now
	return store.Session{Principal: "p", ID: "s", Created: now, Updated: now, Deleted: now}, []store.Artifact{a}, []store.Event{e}, []store.Upload{{ID: "u", Artifact: "a"}}
}

// What an index cannot keep is not loaded, and what it can is cut to what it keeps.
func TestLoadChecks(t *testing.T) {
	for name, change := range map[string]func(s *store.Session, a *store.Artifact, e *store.Event, u *store.Upload){
		"scope":           func(s *store.Session, _ *store.Artifact, _ *store.Event, _ *store.Upload) { s.ID = "" },
		"no time":         func(s *store.Session, _ *store.Artifact, _ *store.Event, _ *store.Upload) { s.Created = time.Time{} },
		"fewer than none": func(s *store.Session, _ *store.Artifact, _ *store.Event, _ *store.Upload) { s.Messages = -1 },
		"purged, not deleted": func(s *store.Session, _ *store.Artifact, _ *store.Event, _ *store.Upload) {
			s.Purging, s.Deleted = true, time.Time{}
		},
		"another session's": func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) {
			a.Scope = readapi.Scope{Principal: "p", Session: "x"}
		},
		"no version":           func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Version = 0 },
		"no number":            func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Seq = -1 },
		"deleted without time": func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Deleted = time.Time{} },
		"live with a time": func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) {
			a.Status = readapi.StatusLive
		},
		"live and purged": func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) {
			a.Status, a.Deleted, a.Purging = readapi.StatusLive, time.Time{}, true
		},
		"unknown status":     func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Status = "lost" },
		"no digest":          func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Blob = "x" },
		"an event's number":  func(_ *store.Session, _ *store.Artifact, e *store.Event, _ *store.Upload) { e.Seq = -1 },
		"an event's payload": func(_ *store.Session, _ *store.Artifact, e *store.Event, _ *store.Upload) { e.Payload = nil },
		"too many messages":  func(s *store.Session, _ *store.Artifact, _ *store.Event, _ *store.Upload) { s.Messages = 1<<53 + 1 },
		"too many bytes":     func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Bytes = 1<<46 + 1 },
		"too high a number":  func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Seq = 1<<53 + 1 },
		"too high a version": func(_ *store.Session, a *store.Artifact, _ *store.Event, _ *store.Upload) { a.Version = 1<<53 + 1 },
		"too late an event":  func(_ *store.Session, _ *store.Artifact, e *store.Event, _ *store.Upload) { e.Seq = 1<<53 + 1 },
		"an upload's id":     func(_ *store.Session, _ *store.Artifact, _ *store.Event, u *store.Upload) { u.ID = "/" },
	} {
		x := newIndex(t, memindex.New())
		s, a, e, u := loadable()
		change(&s, &a[0], &e[0], &u[0])
		refused(t, name, "Load", x.Load(t.Context(), s, a, e, u), readapi.CodeInvalidRequest)
		if list, err := x.ScanSessions(t.Context(), readapi.Scope{}, 1); len(list) > 0 || err != nil {
			t.Errorf("%s: a session was made: %v", name, err)
		}
	}
	x := newIndex(t, memindex.New())
	s, a, e, u := loadable()
	if err := x.Load(t.Context(), s, a, e, u); err != nil {
		t.Fatal(err)
	}
	cut := time.Date(2026, 1, 2, 2, 4, 5, 6_000_000, time.UTC)
	got, _, err := x.Session(t.Context(), indexScope)
	if want := (store.Session{Principal: "p", ID: "s", Files: 1, Bytes: 1, Created: cut, Updated: cut, Deleted: cut}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	rows, _, err := x.Artifacts(t.Context(), indexScope, []readapi.ArtifactID{"a"})
	if err != nil || rows["a"].Created != cut || rows["a"].Deleted != cut || rows["a"].Scope != indexScope {
		t.Errorf("%+v, %v", rows, err)
	}
	if last, _, err := x.LastEvent(t.Context(), indexScope); err != nil || last.Time != cut {
		t.Errorf("%+v, %v", last, err)
	}
}

// silent is a driver that leaves out what nothing keeps.
type silent struct{ store.IndexDriver }

func (silent) BlobUses(context.Context, []string) ([]store.BlobUse, error) {
	return []store.BlobUse{{SHA256: digest, Rows: 2}}, nil
}

// Every digest that is asked for has an answer.
func TestBlobUsesFills(t *testing.T) {
	other := strings.Repeat("cd", 32)
	got, err := newIndex(t, silent{memindex.New()}).BlobUses(t.Context(), []string{other, digest})
	want := map[string]store.BlobUse{other: {SHA256: other}, digest: {SHA256: digest, Rows: 2}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
}
