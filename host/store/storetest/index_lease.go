package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// leaseCases are about who keeps bytes from being removed, and who removes them.
func leaseCases() []testCase[IndexHarness] {
	return []testCase[IndexHarness]{
		{"LeaseNeeded", leaseNeeded},
		{"LeaseOfAnother", leaseOfAnother},
		{"LeaseEndsWithAppend", leaseEndsWithAppend},
		{"LeaseStaysOnFailure", leaseStaysOnFailure},
		{"LeaseEnded", leaseEnded},
		{"LeaseOver", leaseOver},
		{"LeaseAllOrNone", leaseAllOrNone},
		{"LeaseRenewed", leaseRenewed},
		{"ClaimRows", claimRows},
		{"ClaimLease", claimLease},
		{"ClaimTwice", claimTwice},
		{"ClaimBusy", claimBusy},
		{"ClaimEndsLease", claimEndsLease},
		{"ClaimOver", claimOver},
		{"ClaimRace", claimRace},
		{"BlobUses", blobUses},
	}
}

const (
	long  = time.Minute      // what a case never sees the end of
	brief = time.Millisecond // what a case waits for the end of
)

// eventually waits until f is so. Drivers have clocks of their own, that of a database too, so that a case cannot set the time.
func eventually(t T, what string, f func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !f(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s: it does not come", what)
		}
	}
}

func lease(t T, d store.IndexDriver, holder string, ttl time.Duration, digests ...string) {
	t.Helper()
	if err := d.LeaseBlobs(t.Context(), holder, digests, ttl); err != nil {
		t.Fatalf("a lease of %s: %v", holder, err)
	}
}

func claim(t T, d store.IndexDriver, sha256 string, ttl time.Duration) bool {
	t.Helper()
	ok, err := d.ClaimBlob(t.Context(), sha256, ttl)
	must(t, err)
	return ok
}

// removed claims a blob, as who removes it, and ends the claim.
func removed(t T, d store.IndexDriver, sha256 string) bool {
	t.Helper()
	ok := claim(t, d, sha256, long)
	if ok {
		must(t, d.EndClaim(t.Context(), sha256))
	}
	return ok
}

// appendAs appends an artifact on the blob in the name of a holder.
func appendAs(t T, d store.IndexDriver, holder, id, sha256 string) error {
	t.Helper()
	a := artifact(mine, id)
	a.Blob = sha256
	_, err := d.Append(t.Context(), mine, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{event(id, 1)}, Holder: holder})
	return err
}

func hasCode(t T, what string, err error, want readapi.Code) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %s", what, err, want)
	}
}

func leaseNeeded(t T, h IndexHarness) {
	d := h.New(t)
	hasCode(t, "nobody's lease", appendAs(t, d, "", "a", blobName(1)), readapi.CodeBusy)
	hasCode(t, "no lease", appendAs(t, d, "x", "a", blobName(1)), readapi.CodeBusy)
	lease(t, d, "x", long, blobName(2))
	hasCode(t, "a lease on something else", appendAs(t, d, "x", "a", blobName(1)), readapi.CodeBusy)
	lease(t, d, "x", long, blobName(1))
	two := []store.Artifact{artifact(mine, "a"), artifact(mine, "b")}
	two[1].Blob = blobName(3)
	_, err := d.Append(t.Context(), mine, store.Batch{Artifacts: two, Events: []store.Event{event("e", 1)}, Holder: "x"})
	hasCode(t, "a lease on one of two", err, readapi.CodeBusy)
	if _, ok, err := d.Session(t.Context(), mine); ok || err != nil {
		t.Fatalf("an append without a lease has made a session: %v", err)
	}
	equal(t, "artifacts", len(listed(t, d, mine)), 0)
	must(t, appendAs(t, d, "x", "a", blobName(1)))
	uri := artifact(mine, "uri")
	uri.Source, uri.Blob, uri.Bytes = store.SourceMemoryAddURI, "", 0
	_, err = d.Append(t.Context(), mine, store.Batch{Artifacts: []store.Artifact{uri}})
	must(t, err) // it has no bytes
}

func leaseOfAnother(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", long, blobName(1))
	hasCode(t, "another's lease", appendAs(t, d, "y", "a", blobName(1)), readapi.CodeBusy)
	hasCode(t, "another's lease", appendAs(t, d, "X", "a", blobName(1)), readapi.CodeBusy)
	lease(t, d, "y", long, blobName(1))
	must(t, appendAs(t, d, "y", "a", blobName(1)))
	must(t, appendAs(t, d, "x", "b", blobName(1)))
}

// All leases of who appends end, not only those on what is appended.
func leaseEndsWithAppend(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", long, blobName(1), blobName(2))
	lease(t, d, "y", long, blobName(3))
	must(t, appendAs(t, d, "x", "a", blobName(1)))
	hasCode(t, "a lease that was used", appendAs(t, d, "x", "b", blobName(1)), readapi.CodeBusy)
	equal(t, "another blob of the holder is free", removed(t, d, blobName(2)), true)
	equal(t, "a blob of another is free", removed(t, d, blobName(3)), false)
	_, err := d.Append(t.Context(), mine, store.Batch{Events: []store.Event{event("e", 2)}, Holder: "y"})
	must(t, err)
	equal(t, "what the holder of a batch of events had is free", removed(t, d, blobName(3)), true)
}

func leaseStaysOnFailure(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "taken")})
	lease(t, d, "x", long, blobName(2))
	isConflict(t, "an id that is taken", appendAs(t, d, "x", "taken", blobName(2)))
	must(t, appendAs(t, d, "x", "a", blobName(2)))
}

func leaseEnded(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", long, blobName(1))
	lease(t, d, "x", long, blobName(2))
	lease(t, d, "y", long, blobName(2))
	must(t, d.EndLeases(t.Context(), "x"))
	must(t, d.EndLeases(t.Context(), "nobody"))
	equal(t, "what one had is free", removed(t, d, blobName(1)), true)
	equal(t, "what another has is free", removed(t, d, blobName(2)), false)
	hasCode(t, "a lease that was ended", appendAs(t, d, "x", "a", blobName(2)), readapi.CodeBusy)
	must(t, appendAs(t, d, "y", "a", blobName(2)))
}

// A lease whose time is over still covers an append, as long as nobody has claimed the bytes: a clock that goes wrong loses nothing.
func leaseOver(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", brief, blobName(1))
	lease(t, d, "y", brief, blobName(2))
	eventually(t, "the end of a lease", func() bool { return removed(t, d, blobName(2)) }) // that of y, which is the younger
	must(t, appendAs(t, d, "x", "a", blobName(1)))
}

func leaseAllOrNone(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "a free blob is claimed", claim(t, d, blobName(2), long), true)
	err := d.LeaseBlobs(t.Context(), "x", []string{blobName(1), blobName(2), blobName(3)}, long)
	hasCode(t, "a lease on three, one of which is claimed", err, readapi.CodeBusy)
	if e, ok := errors.AsType[*readapi.Error](err); ok && e.RetryAfter <= 0 {
		t.Errorf("busy says not when to try again")
	}
	for _, i := range []int{1, 3} {
		equal(t, "the others are free", removed(t, d, blobName(i)), true)
	}
	lease(t, d, "x", long) // on nothing
}

func leaseRenewed(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", brief, blobName(1))
	lease(t, d, "x", long, blobName(1), blobName(1))
	lease(t, d, "y", brief, blobName(2))
	eventually(t, "the end of a lease", func() bool { return removed(t, d, blobName(2)) })
	equal(t, "what was leased again is free", removed(t, d, blobName(1)), false)
	lease(t, d, "x", brief, blobName(1)) // for as long as that, and it has more
	lease(t, d, "y", brief, blobName(2))
	eventually(t, "the end of a lease", func() bool { return removed(t, d, blobName(2)) })
	equal(t, "what was leased for longer before is free", removed(t, d, blobName(1)), false)
}

// Every artifact keeps its bytes, of whatever session and status, until it is being purged.
func claimRows(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")})
	add(t, d, otherPrincipal, []store.Artifact{artifact(otherPrincipal, "a")})
	free := func(want bool, what string) {
		t.Helper()
		equal(t, what, removed(t, d, blobName(1)), want)
	}
	free(false, "what three name is free")
	_, _, err := d.DeleteArtifact(t.Context(), mine, "a", at(1))
	must(t, err)
	purge(t, d, otherPrincipal, "a")
	free(false, "what a deleted one, a live one and one that is being purged name is free")
	purge(t, d, mine, "b")
	free(false, "what a deleted one names is free")
	purge(t, d, mine, "a")
	free(true, "what only those name that are being purged is free")
}

func claimLease(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", long, blobName(1))
	lease(t, d, "y", brief, blobName(1), blobName(2))
	eventually(t, "the end of a lease", func() bool { return removed(t, d, blobName(2)) })
	equal(t, "what one of two still has is free", removed(t, d, blobName(1)), false)
	must(t, d.EndLeases(t.Context(), "x"))
	eventually(t, "the end of the other lease", func() bool { return removed(t, d, blobName(1)) })
}

func claimTwice(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "claimed", claim(t, d, blobName(1), long), true)
	equal(t, "claimed again", claim(t, d, blobName(1), long), false)
	equal(t, "another one claimed", claim(t, d, blobName(2), brief), true)
	eventually(t, "the end of a claim", func() bool { return claim(t, d, blobName(2), long) })
	equal(t, "the first is still claimed", claim(t, d, blobName(1), long), false)
	must(t, d.EndClaim(t.Context(), blobName(1)))
	must(t, d.EndClaim(t.Context(), blobName(3))) // nobody's
	equal(t, "claimed after its end", claim(t, d, blobName(1), long), true)
	equal(t, "the second is still claimed", claim(t, d, blobName(2), long), false)
}

func claimBusy(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "claimed", claim(t, d, blobName(1), long), true)
	hasCode(t, "a lease on what is being removed", d.LeaseBlobs(t.Context(), "x", []string{blobName(1)}, long), readapi.CodeBusy)
	must(t, d.EndClaim(t.Context(), blobName(1)))
	lease(t, d, "x", long, blobName(1))
	must(t, appendAs(t, d, "x", "a", blobName(1)))
}

// Who had a lease that was over when the bytes were claimed must lease again, even if the claim has ended since: the bytes are gone.
func claimEndsLease(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", brief, blobName(1))
	eventually(t, "the end of a lease", func() bool { return removed(t, d, blobName(1)) })
	hasCode(t, "the lease of before", appendAs(t, d, "x", "a", blobName(1)), readapi.CodeBusy)
	lease(t, d, "x", long, blobName(1))
	must(t, appendAs(t, d, "x", "a", blobName(1)))
}

// A claim that nobody ends, as of a host that died, bars an append and ends with the next lease once its time is over.
func claimOver(t T, h IndexHarness) {
	d := h.New(t)
	lease(t, d, "x", brief, blobName(1))
	eventually(t, "the end of a lease", func() bool { return claim(t, d, blobName(1), brief) })
	time.Sleep(2 * brief)
	hasCode(t, "the lease of before", appendAs(t, d, "x", "a", blobName(1)), readapi.CodeBusy)
	eventually(t, "the end of a claim", func() bool { return d.LeaseBlobs(t.Context(), "x", []string{blobName(1)}, long) == nil })
	uses, err := d.BlobUses(t.Context(), []string{blobName(1)})
	must(t, err)
	equal(t, "the claim has ended", len(uses) == 1 && uses[0].Claim.IsZero(), true)
	must(t, appendAs(t, d, "x", "a", blobName(1)))
}

// Many write the same few bytes and many remove them, each by the rules: no artifact is ever without its bytes.
func claimRace(t T, h IndexHarness) { race(t, h.New(t), nil, 0) }

// race is claimRace of two who have one place open, on blobs from the first on; beside is nil where there is one.
func race(t T, d, beside store.IndexDriver, first int) {
	t.Helper()
	const workers, rounds, blobs = 6, 30, 2
	var there [blobs]atomic.Bool
	live := func(d store.IndexDriver, i int) bool {
		uses, err := d.BlobUses(t.Context(), []string{blobName(first + i)})
		return err != nil || len(uses) > 0 && uses[0].Rows > 0
	}
	write := func(d store.IndexDriver, i int, id string) {
		if d.LeaseBlobs(t.Context(), id, []string{blobName(first + i)}, long) != nil {
			return // it is being removed
		}
		there[i].Store(true)
		a := artifact(otherSession, id)
		a.Blob = blobName(first + i)
		if _, err := d.Append(t.Context(), otherSession, store.Batch{Artifacts: []store.Artifact{a}, Holder: id}); err != nil {
			t.Errorf("an append with a lease: %v", err)
		}
		if !there[i].Load() {
			t.Errorf("an artifact is without its bytes")
		}
	}
	remove := func(d store.IndexDriver, i int) {
		if ok, err := d.ClaimBlob(t.Context(), blobName(first+i), long); err != nil || !ok {
			return
		}
		if live(d, i) {
			t.Errorf("bytes are removed that an artifact names")
		}
		there[i].Store(false)
		runtime.Gosched()
		if live(d, i) {
			t.Errorf("an artifact came while its bytes were removed")
		}
		if err := d.EndClaim(t.Context(), blobName(first+i)); err != nil {
			t.Errorf("the end of a claim: %v", err)
		}
	}
	together(workers, func(w int) {
		d := d
		if beside != nil && w >= workers/2 {
			d = beside
		}
		for k := range rounds {
			i := (w/2 + k) % blobs
			if w%2 == 1 {
				remove(d, i)
				continue
			}
			write(d, i, fmt.Sprintf("w%dk%d", w, k))
			for j := max(0, k-3); j <= k && k%4 == 3; j++ { // now and then nothing is left; it may be that it did not come
				_, _, _ = d.PurgeArtifact(t.Context(), otherSession, readapi.ArtifactID(fmt.Sprintf("w%dk%d", w, j)), at(1))
			}
		}
	})
}

func blobUses(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b"), artifact(mine, "c")})
	add(t, d, otherPrincipal, []store.Artifact{artifact(otherPrincipal, "a")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "a", at(1))
	must(t, err)
	purge(t, d, mine, "b")
	lease(t, d, "x", time.Hour, blobName(1), blobName(2))
	lease(t, d, "y", time.Minute, blobName(1))
	equal(t, "claimed", claim(t, d, blobName(3), time.Hour), true)
	list, err := d.BlobUses(t.Context(), []string{blobName(1), blobName(2), blobName(3), blobName(4), blobName(1)})
	must(t, err)
	got := map[string]string{}
	for _, u := range list {
		if u.Rows > 0 || !u.Lease.IsZero() || !u.Claim.IsZero() {
			got[u.SHA256] = fmt.Sprint(u.Rows, inAnHour(u.Lease), inAnHour(u.Claim))
		}
	}
	equal(t, "uses", got, map[string]string{blobName(1): "3 true false", blobName(2): "0 true false", blobName(3): "0 false true"})
	list, err = d.BlobUses(t.Context(), nil)
	must(t, err)
	equal(t, "uses of nothing", len(list), 0)
}

// inAnHour reports whether it is about an hour until then.
func inAnHour(then time.Time) bool {
	return then.Location() == time.UTC && (time.Until(then)-time.Hour).Abs() < time.Minute/2
}
