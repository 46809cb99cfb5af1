package retain_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file shows that each part of the order in which bytes are removed is needed: with it nothing is lost, and without it the same steps
// lose bytes that a row names.

// lost reports whether a row names bytes that are not there.
func (p *place) lost() bool {
	p.t.Helper()
	r, err := p.keeper(nil).Fsck(p.t.Context(), retain.FsckOptions{ReadData: true})
	must(p.t, err)
	return r.Found[retain.BlobMissing] > 0
}

func (p *place) gc(o retain.GCOptions) *retain.GCReport {
	p.t.Helper()
	r, err := p.keeper(nil).GC(p.t.Context(), o)
	must(p.t, err)
	return r
}

// load puts a row there without asking for a lease.
func (p *place) load(s readapi.Scope, blob store.Blob) {
	p.t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	must(p.t, p.index.Load(p.t.Context(), store.Session{Principal: s.Principal, ID: s.Session, Created: now, Updated: now}, []store.Artifact{{
		ID: "loaded", Blob: blob.SHA256, Bytes: blob.Size, Name: "a.txt", Kind: readapi.KindDoc, Source: store.SourceUserUpload, MediaType: "text/plain",
		Created: now, Version: 1, Status: readapi.StatusLive,
	}}, nil, nil))
}

// A writer has stored its bytes, a collection comes in between, and then the row is written.
func TestLossWithoutLease(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		blob := p.put("bytes")
		must(t, p.index.LeaseBlobs(t.Context(), "writer", []string{blob.SHA256}, time.Minute))
		if r := p.gc(retain.GCOptions{Grace: nothing}); r.Candidates[0].Reason != retain.ReasonLease {
			t.Fatalf("%+v", r.Candidates)
		}
		_, err := p.row(t.Context(), scope("s"), blob, "writer")
		must(t, err)
		if p.lost() {
			t.Fatal("leased bytes are lost")
		}

		blob = p.put("other bytes")
		p.gc(retain.GCOptions{Grace: nothing})
		p.load(scope("other"), blob)
		if !p.lost() {
			t.Fatal("without a lease nothing is lost: this test finds nothing")
		}
	})
}

// A lease that was over when the bytes were removed gives no row.
func TestLeaseOver(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		blob := p.put("bytes")
		must(t, p.index.LeaseBlobs(t.Context(), "writer", []string{blob.SHA256}, time.Millisecond))
		time.Sleep(10 * time.Millisecond)
		if r := p.gc(retain.GCOptions{Grace: nothing}); r.Orphans.Files != 1 {
			t.Fatalf("%+v", r)
		}
		if _, err := p.row(t.Context(), scope("s"), blob, "writer"); !errors.Is(err, readapi.CodeBusy) {
			t.Fatalf("a row of bytes that are gone: %v", err)
		}
	})
}

// The bytes were old when they were listed, and somebody stores them once more just before they are claimed, for a row that comes without a
// lease, as when a store is restored.
func TestLossWithoutRecheck(t *testing.T) {
	for _, recheck := range []bool{true, false} {
		onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
			old := func(i store.BlobInfo) store.BlobInfo { i.Committed = i.Committed.Add(-2 * time.Hour); return i }
			hb := &hookedBlobs{BlobDriver: b, list: old}
			if !recheck {
				hb.stat = old
			}
			hx := &hookedIndex{IndexDriver: x}
			q := newPlace(t, hb, hx, dir)
			blob := q.put("bytes")
			hx.beforeClaim = func(string) { q.put("bytes") }
			r, err := q.keeper(nil).GC(t.Context(), retain.GCOptions{})
			must(t, err)
			if recheck != (r.Candidates[0].Reason == retain.ReasonYoung) {
				t.Fatalf("re-check %v: %+v", recheck, r.Candidates)
			}
			q.load(scope("s"), blob)
			hb.stat = nil
			if q.lost() == recheck {
				t.Fatalf("re-check %v, lost %v", recheck, q.lost())
			}
		})
	}
}

// A writer comes between the claim and the removal.
func TestLossWithoutClaim(t *testing.T) {
	for _, claim := range []bool{true, false} {
		onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
			hb, hx := &hookedBlobs{BlobDriver: b}, &hookedIndex{IndexDriver: x, noClaim: !claim}
			q := newPlace(t, hb, hx, dir)
			q.put("bytes")
			var written error
			hb.beforeRemove = func(string) { _, written = q.tryAttach(t.Context(), scope("s"), "bytes") }
			_, err := q.keeper(nil).GC(t.Context(), retain.GCOptions{Grace: nothing})
			must(t, err)
			hb.beforeRemove = nil
			if claim != errors.Is(written, readapi.CodeBusy) {
				t.Fatalf("claim %v: the writer got %v", claim, written)
			}
			if q.lost() == claim {
				t.Fatalf("claim %v, lost %v", claim, q.lost())
			}
			if claim {
				q.attach(scope("s"), "bytes") // it is free again
				q.clean(retain.FsckOptions{ReadData: true})
			}
		})
	}
}

// Who copies a row leases its bytes and looks at the row again: what it read before may have been purged meanwhile.
func TestLossWithoutSecondLook(t *testing.T) {
	for _, look := range []bool{true, false} {
		onEngines(t, func(t *testing.T, p *place) {
			a := p.attach(scope("s"), "bytes")
			source, _ := p.find(a) // the copy has read it
			must(t, p.keeper(nil).Purge(t.Context(), p.markPurge(a)))
			must(t, p.index.LeaseBlobs(t.Context(), "copy", []string{source.Blob}, time.Minute))
			if now, ok := p.find(a); look && (!ok || now.Purging) {
				return // there is nothing to copy, and nothing was
			}
			_, err := p.row(t.Context(), scope("other"), store.Blob{SHA256: source.Blob, Size: source.Bytes}, "copy")
			must(t, err)
			if p.lost() == look {
				t.Fatalf("a second look %v, lost %v", look, !look)
			}
		})
	}
}

// A removal that took longer than its claim must not end the claim that another has by now.
func TestClaimOfAnother(t *testing.T) {
	onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
		hb := &hookedBlobs{BlobDriver: b}
		q := newPlace(t, hb, x, dir)
		blob := q.put("bytes")
		hb.beforeRemove = func(string) {
			for range 100 {
				time.Sleep(10 * time.Millisecond)
				if ok, err := x.ClaimBlob(t.Context(), blob.SHA256, time.Minute); err != nil || ok {
					return
				}
			}
		}
		_, _ = q.keeper(&retain.Options{ClaimTTL: 100 * time.Millisecond}).GC(t.Context(), retain.GCOptions{Grace: nothing})
		uses, err := q.index.BlobUses(t.Context(), []string{blob.SHA256})
		must(t, err)
		if uses[blob.SHA256].Claim.Before(time.Now()) {
			t.Fatal("the claim of another was ended")
		}
	})
}

// Something else than a row holds bytes. It is asked when they are found, and again when they are claimed.
func TestHolders(t *testing.T) {
	onEngines(t, func(t *testing.T, p *place) {
		one, two := p.put("one"), p.put("two")
		asked := 0
		held := map[string]string{one.SHA256: "a gateway's row"}
		k := p.keeper(&retain.Options{Holders: []retain.Holder{func(_ context.Context, digests []string) (map[string]string, error) {
			if asked++; asked == 3 { // at the mark, before the claim of two, and behind it
				return map[string]string{two.SHA256: "a late one"}, nil
			}
			return held, nil
		}}})
		r, err := k.GC(t.Context(), retain.GCOptions{Grace: nothing})
		must(t, err)
		if r.Kept != 2 || r.Orphans.Files != 0 || !p.has(one.SHA256) || !p.has(two.SHA256) || asked != 3 {
			t.Fatalf("asked %d times: %+v", asked, r)
		}
		f, err := k.Fsck(t.Context(), retain.FsckOptions{Grace: nothing, Repair: true})
		must(t, err)
		if f.Found[retain.BlobOrphan] != 1 || !p.has(one.SHA256) || p.has(two.SHA256) {
			t.Fatalf("%+v", f)
		}
		lost := errors.New("the holder does not answer")
		k = p.keeper(&retain.Options{Holders: []retain.Holder{func(context.Context, []string) (map[string]string, error) { return nil, lost }}})
		if _, err := k.GC(t.Context(), retain.GCOptions{Grace: nothing}); !errors.Is(err, lost) || !p.has(one.SHA256) {
			t.Fatalf("a holder that fails: %v", err)
		}
	})
}
