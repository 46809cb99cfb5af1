package pgindex_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// blobs stands for the place where bytes are: digest by digest, whether they are there.
type blobs [3]atomic.Bool

func digest(i int) string { return strings.Repeat(fmt.Sprintf("%02x", i), 32) }

// write does what a writer of a file does, and purges the row again. It reports rows that named bytes which were not there.
func (b *blobs) write(t *testing.T, x *pgindex.Driver, who, round int, ttl time.Duration) (wrote bool) {
	n, holder := rand.IntN(len(b)), fmt.Sprintf("w%dr%d", who, round)
	s := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s", who))}
	err := x.LeaseBlobs(t.Context(), holder, []string{digest(n)}, ttl)
	if err == nil {
		b[n].Store(true)
		a := artifact(round)
		a.Blob, a.Scope, a.Status = digest(n), s, readapi.StatusLive
		_, err = x.Append(t.Context(), s, store.Batch{Artifacts: []store.Artifact{a}, Holder: holder})
		for range 3 {
			if err == nil && !b[n].Load() {
				t.Errorf("a row names bytes that were removed")
				return false
			}
			time.Sleep(100 * time.Microsecond)
		}
		if err == nil {
			if _, _, err := x.PurgeArtifact(t.Context(), s, a.ID, time.Now()); err != nil {
				t.Error(err)
			}
			if err := x.DropArtifact(t.Context(), s, a.ID); err != nil {
				t.Error(err)
			}
			return true
		}
	}
	if readapi.CodeOf(err) != readapi.CodeBusy {
		t.Error(err)
	}
	return false
}

// Two hosts write the same few bytes and remove them again and again: no row ever names bytes that are not there, however short the leases
// are. Without the locks of blobLock this fails within a second.
func TestLeasesAndClaims(t *testing.T) {
	url := pgtest.URL(t)
	hosts := []*pgindex.Driver{newDriver(t, url), newDriver(t, url)}
	var b blobs
	var wrote, removed atomic.Int64
	var group sync.WaitGroup
	end := time.Now().Add(3 * time.Second)
	for who := range 6 {
		x := hosts[who%2]
		if who < 4 {
			group.Go(func() {
				for round := 0; time.Now().Before(end) && !t.Failed(); round++ {
					if b.write(t, x, who, round, time.Duration(1+rand.IntN(4))*time.Millisecond) {
						wrote.Add(1)
					}
				}
			})
			continue
		}
		group.Go(func() {
			for time.Now().Before(end) && !t.Failed() {
				n := rand.IntN(len(b))
				ok, err := x.ClaimBlob(t.Context(), digest(n), time.Minute)
				if err != nil {
					t.Error(err)
				}
				if !ok {
					continue
				}
				b[n].Store(false)
				removed.Add(1)
				if err := x.EndClaim(t.Context(), digest(n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if wrote.Load() < 20 || removed.Load() < 20 {
		t.Errorf("%d written and %d removed: this shows nothing", wrote.Load(), removed.Load())
	}
	t.Logf("%d written, %d removed", wrote.Load(), removed.Load())
}

// Where many add at once, a quota holds exactly: for a principal with many sessions, and for all together.
func TestQuotaRace(t *testing.T) {
	for name, q := range map[string]store.Quota{"principal": {PrincipalFiles: 10}, "bytes": {PrincipalBytes: 30}, "total": {TotalBytes: 30}} {
		t.Run(name, func(t *testing.T) {
			url := pgtest.URL(t)
			hosts := []*pgindex.Driver{newDriver(t, url), newDriver(t, url)}
			var added atomic.Int64
			var group sync.WaitGroup
			for who := range 8 {
				group.Go(func() {
					s := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s", who))}
					if name == "total" {
						s.Principal = readapi.PrincipalID(fmt.Sprint("p", who))
					}
					for i := range 4 {
						b := storetest.Leased(t, hosts[who%2], store.Batch{Artifacts: []store.Artifact{artifact(i)}, Quota: q})
						switch _, err := hosts[who%2].Append(t.Context(), s, b); {
						case err == nil:
							added.Add(1)
						case readapi.CodeOf(err) != readapi.CodeQuotaExceeded:
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			_, total, err := hosts[0].Usage(t.Context(), "local")
			if err != nil || added.Load() != 10 || total != (store.Usage{Files: 10, Bytes: 30}) {
				t.Errorf("%d files added, %+v kept, want 10 with 30 bytes: %v", added.Load(), total, err)
			}
		})
	}
}

// Sessions are made and dropped by several at once: who appends does so to a whole session or is told to try again.
func TestSessionComesAndGoes(t *testing.T) {
	url := pgtest.URL(t)
	hosts := []*pgindex.Driver{newDriver(t, url), newDriver(t, url)}
	var group sync.WaitGroup
	end := time.Now().Add(2 * time.Second)
	for who := range 4 {
		x := hosts[who%2]
		group.Go(func() {
			for i := 0; time.Now().Before(end); i++ {
				if who == 3 {
					if _, _, err := x.MarkSession(t.Context(), scope, store.PurgeSession, time.Now()); err != nil {
						t.Error(err)
					}
					if err := x.DropSession(t.Context(), scope); err != nil {
						t.Error(err)
					}
					continue
				}
				a := artifact(i)
				a.ID = readapi.ArtifactID(fmt.Sprintf("w%di%d", who, i))
				_, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}}))
				if code := readapi.CodeOf(err); err != nil && code != readapi.CodeGone && code != readapi.CodeBusy {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	rows, _, err := hosts[0].ListArtifacts(t.Context(), scope, -1, store.MaxPage)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := hosts[0].Session(t.Context(), scope)
	if err != nil {
		t.Fatal(err)
	}
	_, total, err := hosts[0].Usage(t.Context(), scope.Principal)
	if n := int64(len(rows)); err != nil || s.Files != n || total.Files != n || total.Bytes != 3*n {
		t.Errorf("%d rows, but the session counts %d and all together %+v: %v", n, s.Files, total, err)
	}
}

// Hosts that start at once on an empty database make one schema.
func TestOpenTogether(t *testing.T) {
	url := pgtest.URL(t)
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			d, err := pgindex.Open(t.Context(), url, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer d.Close()
			if _, err := d.Decoders(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}
