package retain_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func (p *place) markPurge(a store.Artifact) store.Purge {
	p.t.Helper()
	_, ok, err := p.index.PurgeArtifact(p.t.Context(), a.Scope, a.ID, time.Now())
	must(p.t, err)
	if !ok {
		p.t.Fatal("there is no such artifact")
	}
	return store.Purge{Scope: a.Scope, Artifact: a.ID}
}

func TestPurgeArtifact(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		k := p.keeper(nil)
		one, two := p.attach(scope("s"), "shared"), p.attach(scope("other"), "shared")
		if err := k.Purge(t.Context(), store.Purge{Scope: one.Scope, Artifact: one.ID}); !errors.Is(err, readapi.CodeConflict) {
			t.Fatalf("what nobody has begun to purge: %v", err)
		}
		must(t, k.Purge(t.Context(), p.markPurge(one)))
		if _, ok := p.find(one); ok || !p.has(two.Blob) {
			t.Fatal("the row is there, or the bytes that another artifact names are not")
		}
		mark := p.markPurge(two)
		must(t, k.Purge(t.Context(), mark))
		must(t, k.Purge(t.Context(), mark))
		if _, ok := p.find(two); ok || p.has(two.Blob) {
			t.Fatal("the row or the bytes are still there")
		}
		p.clean(retain.FsckOptions{})
	})
}

func TestPurgeSession(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		k := p.keeper(nil)
		own, shared := p.attach(scope("s"), "own"), p.attach(scope("s"), "shared")
		p.attach(scope("s"), "own")
		p.attach(scope("other"), "shared")
		mark := store.Purge{Scope: scope("s")}
		if err := k.Purge(t.Context(), mark); !errors.Is(err, readapi.CodeConflict) {
			t.Fatalf("a session that nobody purges: %v", err)
		}
		_, _, err := p.index.MarkSession(t.Context(), mark.Scope, store.PurgeSession, time.Now())
		must(t, err)
		n, err := k.Recover(t.Context())
		must(t, err)
		if n != 1 || p.has(own.Blob) || !p.has(shared.Blob) {
			t.Fatalf("%d purges ended; own bytes %v, shared bytes %v", n, p.has(own.Blob), p.has(shared.Blob))
		}
		if _, ok, _ := p.index.Session(t.Context(), mark.Scope); ok {
			t.Fatal("the session is still there")
		}
		must(t, k.Purge(t.Context(), mark))
		p.clean(retain.FsckOptions{})
	})
}

// A lease that a writer has on the bytes keeps them beyond the purge; the writer's row is then whole.
func TestPurgeBesideWriter(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		a := p.attach(scope("s"), "bytes")
		must(t, p.index.LeaseBlobs(t.Context(), "writer", []string{a.Blob}, time.Minute))
		must(t, p.keeper(nil).Purge(t.Context(), p.markPurge(a)))
		if !p.has(a.Blob) {
			t.Fatal("leased bytes were removed")
		}
		_, err := p.row(t.Context(), scope("s"), store.Blob{SHA256: a.Blob, Size: a.Bytes}, "writer")
		must(t, err)
		p.clean(retain.FsckOptions{ReadData: true})
	})
}

// Somebody else who removes the same bytes and died keeps the purge until the claim is over: only then are the bytes gone for certain.
func TestPurgeBesideClaim(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		a := p.attach(scope("s"), "bytes")
		mark := p.markPurge(a)
		k := p.keeper(&retain.Options{Wait: 20 * time.Millisecond})
		if ok, err := p.index.ClaimBlob(t.Context(), a.Blob, 400*time.Millisecond); err != nil || !ok {
			t.Fatal(ok, err)
		}
		if err := k.Purge(t.Context(), mark); !errors.Is(err, readapi.CodeBusy) {
			t.Fatalf("a claim of another: %v", err)
		}
		if _, ok := p.find(a); !ok {
			t.Fatal("the record is gone before the bytes are")
		}
		must(t, p.keeper(nil).Purge(t.Context(), mark)) // waits
		if p.has(a.Blob) {
			t.Fatal("the bytes are still there")
		}
	})
}

// A link in the place of a blob is not ours: the purge stops, what it leads to is untouched, and the record stays.
func TestPurgeLink(t *testing.T) {
	b, x, dir := engines["files"](t)
	p := newPlace(t, b, x, dir)
	a, other := p.attach(scope("s"), "bytes"), p.attach(scope("s"), "other bytes")
	outside := filepath.Join(t.TempDir(), "outside")
	must(t, os.WriteFile(outside, []byte("bytes"), 0o600))
	name := filepath.Join(dir, "files", "blobs", a.Blob[:2], a.Blob)
	must(t, os.Remove(name))
	must(t, os.Symlink(outside, name))
	k := p.keeper(nil)
	p.markPurge(a)
	p.markPurge(other)
	n, err := k.Recover(t.Context())
	if n != 1 || !errors.Is(err, readapi.CodeCorrupt) {
		t.Fatalf("%d purges ended, %v", n, err)
	}
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Ref != string(a.ID) {
		t.Fatalf("the error names not the artifact: %#v", err)
	}
	row, ok := p.find(a)
	if !ok || !row.Purging {
		t.Fatal("the record is gone")
	}
	if _, ok := p.find(other); ok {
		t.Fatal("what could not be removed has stopped another purge")
	}
	if got, err := os.ReadFile(outside); err != nil || string(got) != "bytes" {
		t.Fatal("what is outside was touched", err)
	}
	r, err := k.Fsck(t.Context(), retain.FsckOptions{Repair: true})
	must(t, err)
	if r.Clean || r.Found[retain.PurgeBegun] != 1 || r.Found[retain.BlobNotRegular] != 1 {
		t.Fatalf("%+v", r.Findings)
	}
	must(t, os.Remove(name))
	must(t, k.Purge(t.Context(), store.Purge{Scope: a.Scope, Artifact: a.ID}))
	p.clean(retain.FsckOptions{})
}
