package retain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const day = 24 * time.Hour

// aged gives an artifact another time of creation.
func aged(age time.Duration, source store.Source) func(*store.Artifact) {
	return func(a *store.Artifact) { a.Created, a.Source = time.Now().Add(-age), source }
}

func (p *place) status(a store.Artifact) string {
	row, ok := p.find(a)
	if !ok {
		return "gone"
	}
	return string(row.Status)
}

func (p *place) delete(a store.Artifact, ago time.Duration) {
	p.t.Helper()
	_, _, err := p.index.DeleteArtifact(p.t.Context(), a.Scope, a.ID, time.Now().Add(-ago))
	must(p.t, err)
}

func TestOrphans(t *testing.T) {
	onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
		ages := map[string]time.Duration{}
		hb := &hookedBlobs{BlobDriver: b}
		hb.list = func(i store.BlobInfo) store.BlobInfo { i.Committed = i.Committed.Add(-ages[i.SHA256]); return i }
		hb.stat = hb.list
		p := newPlace(t, hb, x, dir)
		named := p.attach(scope("s"), "named")
		want := map[string]retain.Reason{}
		for name, age := range map[string]time.Duration{"orphan": 2 * time.Hour, "young": 0, "future": -time.Hour, "lease": 2 * time.Hour, "claim": 2 * time.Hour} {
			blob := p.put(name)
			ages[blob.SHA256], want[blob.SHA256] = age, retain.Reason(name)
		}
		ages[named.Blob] = 2 * time.Hour
		must(t, p.index.LeaseBlobs(t.Context(), "w", []string{digest([]byte("lease"))}, time.Minute))
		_, err := p.index.ClaimBlob(t.Context(), digest([]byte("claim")), time.Minute)
		must(t, err)
		for _, dry := range []bool{true, false} {
			r := p.gc(retain.GCOptions{DryRun: dry})
			got := map[string]retain.Reason{}
			for _, c := range r.Candidates {
				got[c.SHA256] = c.Reason
				if (c.Action == retain.ActionRemove) != (c.Reason == retain.ReasonOrphan) || c.Text == "" {
					t.Errorf("%+v", c)
				}
			}
			if fmt.Sprint(got) != fmt.Sprint(want) || r.Orphans.Files != 1 || r.Orphans.Bytes != 6 || r.Kept != 4 {
				t.Fatalf("dry %v: %+v\nwant %v", dry, r, want)
			}
			if p.has(digest([]byte("orphan"))) != dry {
				t.Fatalf("dry %v: the orphan is there: %v", dry, !dry)
			}
		}
		for _, name := range []string{"named", "young", "future", "lease", "claim"} {
			if !p.has(digest([]byte(name))) {
				t.Errorf("%s was removed", name)
			}
		}
	})
}

func TestRetention(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		upload, generated := store.SourceUserUpload, store.SourceGenerated
		s, keep := scope("s"), scope("keep")
		oldUpload, newUpload := p.attach(s, "1", aged(9*day, upload)), p.attach(s, "2", aged(day, upload))
		oldGen, newGen := p.attach(s, "3", aged(3*day, generated)), p.attach(s, "4", aged(time.Hour, generated))
		kept := p.attach(keep, "5", aged(99*day, generated))
		future := p.attach(s, "6", aged(-9*day, upload))
		tomb, freshTomb, keptTomb := p.attach(s, "7"), p.attach(s, "8"), p.attach(keep, "9")
		p.delete(tomb, 3*day)
		p.delete(freshTomb, day)
		p.delete(keptTomb, 99*day)
		policy := []retain.Rule{
			{Session: "keep", Keep: true}, {Source: generated, TTL: 2 * day}, {TTL: 7 * day, AfterDelete: 2 * day},
		}
		r := p.gc(retain.GCOptions{Policy: policy})
		for a, want := range map[*store.Artifact]string{
			&oldUpload: "deleted", &newUpload: "live", &oldGen: "deleted", &newGen: "live", &kept: "live", &future: "live", &tomb: "gone",
			&freshTomb: "deleted", &keptTomb: "deleted",
		} {
			if got := p.status(*a); got != want {
				t.Errorf("%s is %s, want %s", a.Blob, got, want)
			}
		}
		if r.Deleted.Files != 2 || r.Purged.Files != 1 || p.has(tomb.Blob) || r.Kept != 1 || r.Candidates[0].Rule == 0 {
			t.Errorf("%+v", r)
		}
		p.clean(retain.FsckOptions{})
	})
}

func TestSessionsEnd(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		for _, s := range []string{"old", "new", "live", "mixed"} {
			p.attach(scope(s), s)
		}
		p.attach(scope("mixed"), "generated", aged(0, store.SourceGenerated))
		for s, ago := range map[string]time.Duration{"old": 3 * day, "new": day, "mixed": 3 * day} {
			_, _, err := p.index.MarkSession(t.Context(), scope(s), store.DeleteSession, time.Now().Add(-ago))
			must(t, err)
		}
		policy := []retain.Rule{{Source: store.SourceGenerated, Keep: true}, {AfterDelete: 2 * day}}
		for _, dry := range []bool{true, false} {
			r := p.gc(retain.GCOptions{Policy: policy, DryRun: dry})
			if r.Gone != 1 || r.Purged.Files != 2 || r.Kept != 1 {
				t.Fatalf("dry %v: %+v", dry, r)
			}
		}
		for s, want := range map[string]bool{"old": false, "new": true, "live": true, "mixed": true} {
			if _, ok, _ := p.index.Session(t.Context(), scope(s)); ok != want {
				t.Errorf("session %s is there: %v", s, ok)
			}
		}
		if !p.has(digest([]byte("generated"))) || p.has(digest([]byte("old"))) {
			t.Error("the wrong bytes are there")
		}
		p.clean(retain.FsckOptions{})
	})
}

func TestTotalBytes(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		var rows []store.Artifact
		created := time.Now().Add(-400 * day).Truncate(time.Hour)
		for i, after := range []time.Duration{300 * day, 0, time.Millisecond, time.Millisecond, 20 * day, 20*day + time.Minute} {
			rows = append(rows, p.attach(scope(fmt.Sprint("s", 9-i)), fmt.Sprint("0123456789", i), func(a *store.Artifact) { a.Created = created.Add(after) }))
		}
		kept := p.attach(scope("keep"), "0123456789k", func(a *store.Artifact) { a.Created = created.Add(-day) })
		policy := []retain.Rule{{Session: "keep", Keep: true}}
		for i, want := range []string{"LLLLLL", "LDLLLL", "LDLDLL", "LDDDLL", "LDDDDL", "LDDDDD", "DDDDDD", "DDDDDD"} {
			r := p.gc(retain.GCOptions{MaxBytes: max(1, int64(7-i)*11), Policy: policy})
			got := ""
			for _, a := range rows {
				got += map[string]string{"live": "L", "deleted": "D"}[p.status(a)]
			}
			// Of the two that came in one millisecond, the index's order says which goes first.
			if got != want {
				t.Fatalf("%d: %s, want %s: %+v", i, got, want, r)
			}
		}
		if p.status(kept) != "live" {
			t.Fatal("what a rule keeps was deleted")
		}
	})
}

func TestOneCollects(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		blob := p.put("orphan")
		ok, err := p.index.Acquire(t.Context(), "gc", "another", time.Minute)
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		if _, err := p.keeper(nil).GC(t.Context(), retain.GCOptions{Grace: nothing}); !errors.Is(err, readapi.CodeBusy) {
			t.Fatalf("beside another: %v", err)
		}
		if _, err := p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{Repair: true}); !errors.Is(err, readapi.CodeBusy) {
			t.Fatalf("beside another: %v", err)
		}
		if r := p.gc(retain.GCOptions{Grace: nothing, Automatic: true}); !r.Busy || !p.has(blob.SHA256) {
			t.Fatalf("%+v", r)
		}
		if r := p.gc(retain.GCOptions{Grace: nothing, DryRun: true}); r.Orphans.Files != 1 {
			t.Fatalf("a dry run needs nobody's leave: %+v", r)
		}
		must(t, p.index.Resign(t.Context(), "gc", "another"))
		p.gc(retain.GCOptions{Grace: nothing})
		if ok, err := p.index.Acquire(t.Context(), "gc", "another", time.Minute); err != nil || !ok || p.has(blob.SHA256) {
			t.Fatal("the lease is still held, or the orphan still there", ok, err)
		}
	})
}

// A clock that was set back, or forward and back, removes nothing.
func TestClockBack(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		a, b := p.attach(scope("s"), "a"), p.attach(scope("s"), "b")
		p.delete(b, 0)
		orphan := p.put("orphan")
		_, _, err := p.index.MarkSession(t.Context(), scope("gone"), store.DeleteSession, time.Now())
		must(t, err)
		k := p.keeper(nil)
		k.SetNow(func() time.Time { return time.Now().Add(-365 * day) })
		r, err := k.GC(t.Context(), retain.GCOptions{Grace: nothing, MaxBytes: 1, Policy: []retain.Rule{{TTL: nothing, AfterDelete: nothing, SessionBytes: 1}}})
		must(t, err)
		if p.status(a) != "live" || p.status(b) != "deleted" || !p.has(orphan.SHA256) {
			t.Fatalf("%+v", r)
		}
		for _, c := range r.Candidates {
			if c.Action != retain.ActionKeep || c.Reason != retain.ReasonFuture {
				t.Errorf("%+v", c)
			}
		}
	})
}

func TestGCRefuses(t *testing.T) {
	p := newPlace(t, first(engines["memory"](t)), second(engines["memory"](t)), "")
	for _, o := range []retain.GCOptions{
		{Grace: -1}, {MaxBytes: -1}, {Policy: []retain.Rule{{TTL: -1}}}, {Policy: []retain.Rule{{Keep: true, TTL: 1}}}, {Policy: []retain.Rule{{Source: "no such"}}},
		{Policy: []retain.Rule{{Session: "a/b"}}},
	} {
		if _, err := p.keeper(nil).GC(t.Context(), o); !errors.Is(err, readapi.CodeInvalidRequest) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := p.keeper(&retain.Options{Wait: -1}).Recover(t.Context()); !errors.Is(err, readapi.CodeInvalidRequest) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.keeper(nil).GC(ctx, retain.GCOptions{}); !errors.Is(err, readapi.CodeCanceled) {
		t.Error(err)
	}
}

func first(b store.BlobDriver, _ store.IndexDriver, _ string) store.BlobDriver   { return b }
func second(_ store.BlobDriver, x store.IndexDriver, _ string) store.IndexDriver { return x }

// What a writer that died has staged goes with the collection; what is being written stays.
func TestSweep(t *testing.T) {
	b, x, dir := engines["files"](t)
	p := newPlace(t, b, x, dir)
	for name, age := range map[string]time.Duration{"dead": 2 * time.Hour, "alive": 0} {
		path := filepath.Join(dir, "files", "tmp", name)
		must(t, os.WriteFile(path, nil, 0o600))
		must(t, os.Chtimes(path, time.Time{}, time.Now().Add(-age)))
	}
	if r := p.gc(retain.GCOptions{Grace: nothing}); r.Swept != 1 {
		t.Fatalf("%+v", r)
	}
	list, err := os.ReadDir(filepath.Join(dir, "files", "tmp"))
	if err != nil || len(list) != 1 || list[0].Name() != "alive" {
		t.Fatal(list, err)
	}
}

// More candidates than a report has room for are counted, and each is told.
func TestManyCandidates(t *testing.T) {
	p := newPlace(t, first(engines["memory"](t)), second(engines["memory"](t)), "")
	for i := range 2100 { // more than two pages
		p.put(fmt.Sprint(i))
	}
	told := 0
	steps := []string{}
	r := p.gc(retain.GCOptions{Grace: nothing, MaxCandidates: 10, Each: func(retain.Candidate) { told++ },
		Progress: func(step string, done int64, _ string) { steps = append(steps, fmt.Sprint(step, done)) }})
	if len(r.Candidates) != 10 || r.Omitted != 2090 || told != 2100 || r.Orphans.Files != 2100 {
		t.Fatalf("%d candidates, %d omitted, %d told", len(r.Candidates), r.Omitted, told)
	}
	if !slices.Equal(steps, []string{"blobs1000", "blobs2000", "blobs2100"}) {
		t.Fatal(steps)
	}
}
