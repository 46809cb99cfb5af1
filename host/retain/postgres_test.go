package retain_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
)

// The counters of PostgreSQL are mended as those of SQLite are, and what is over is swept.
func TestPostgresUpkeep(t *testing.T) {
	url := pgtest.URL(t)
	b, x := openPostgres(t, url, t.TempDir())
	p := newPlace(t, b, x, "")
	p.attach(scope("s"), "one")
	p.attach(scope("other"), "two")
	c, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer c.Close(t.Context())
	for query, want := range map[string]retain.Problem{
		`UPDATE glovebox.sessions SET files = files + 1 WHERE session = 's'`: retain.CountSession,
		`UPDATE glovebox.sessions SET bytes = bytes - 1`:                     retain.CountSession,
		`UPDATE glovebox.usage SET bytes = bytes + 7`:                        retain.CountUsage,
		`DELETE FROM glovebox.usage`:                                         retain.CountUsage,
	} {
		_, err := c.Exec(t.Context(), query)
		must(t, err)
		for _, repair := range []bool{false, true} {
			r, err := p.keeper(nil).Fsck(t.Context(), retain.FsckOptions{Repair: repair})
			must(t, err)
			if r.Clean != repair || r.Found[want] == 0 {
				t.Fatalf("%s, repair %v: %+v", query, repair, r)
			}
		}
		if r := p.clean(retain.FsckOptions{}); len(r.Findings) > 0 {
			t.Fatalf("%s: %+v", query, r)
		}
	}
	if own, all, err := p.index.Usage(t.Context(), "local"); err != nil || own != all || own.Files != 2 || own.Bytes != 6 {
		t.Fatal(own, all, err)
	}
	testIndexSweep(t, p)
}

func TestIndexSweep(t *testing.T) {
	onEngines(t, testIndexSweep)
}

// What holders that are gone left in the index is forgotten; what is not over, and what was over a moment ago, stays.
func testIndexSweep(t *testing.T, p *place) {
	one, two, three := digest([]byte("1")), digest([]byte("2")), digest([]byte("3"))
	must(t, p.index.LeaseBlobs(t.Context(), "dead", []string{one}, time.Millisecond))
	must(t, p.index.LeaseBlobs(t.Context(), "alive", []string{two}, time.Hour))
	for digest, ttl := range map[string]time.Duration{three: time.Millisecond, digest([]byte("4")): time.Hour} {
		_, err := p.index.ClaimBlob(t.Context(), digest, ttl)
		must(t, err)
	}
	_, err := p.index.Acquire(t.Context(), "name", "dead", time.Millisecond)
	must(t, err)
	time.Sleep(10 * time.Millisecond)
	if n, err := p.index.Sweep(t.Context(), time.Now().Add(-time.Hour)); err != nil || n != 0 {
		t.Fatal(n, err)
	}
	n, err := p.index.Sweep(t.Context(), time.Now().Add(100*time.Hour)) // of a host whose clock is far ahead
	if err != nil || n != 3 {
		t.Fatal(n, err)
	}
	uses, err := p.index.BlobUses(t.Context(), []string{two, digest([]byte("4"))})
	if err != nil || uses[two].Lease.IsZero() || uses[digest([]byte("4"))].Claim.IsZero() {
		t.Fatal(uses, err)
	}
}
