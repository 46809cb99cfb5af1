package sqliteindex_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// scale is an index with as many artifacts as a large installation has.
type scale struct {
	x        *store.Index
	path     string
	sessions int // each with perSession artifacts
	bars     bool
}

const perSession = 100

func (s *scale) scope(i int) readapi.Scope {
	return readapi.Scope{Principal: readapi.PrincipalID(fmt.Sprint("principal-", i%10)), Session: readapi.SessionID(fmt.Sprintf("session-%06d", i))}
}

// artifact is the k-th of session i; its id is as random as a real one.
func (s *scale) artifact(i, k int) store.Artifact {
	sum := sha256.Sum256(fmt.Append(nil, i, "/", k))
	a := artifact(0)
	a.ID, a.Blob = readapi.ArtifactID(hex.EncodeToString(sum[:16])), hex.EncodeToString(sum[:])
	a.Name, a.Bytes, a.Created = fmt.Sprintf("report-%d.pdf", k%90), int64(1000+k), time.UnixMilli(1_700_000_000_000+int64(i))
	return a
}

func (s *scale) batch(i, from, to int) (b store.Batch) {
	for k := from; k < to; k++ {
		b.Artifacts = append(b.Artifacts, s.artifact(i, k))
	}
	return b
}

// bar logs a figure, and fails where it misses its bar and the bars are asked for: on a machine that does other work it says nothing.
func (s *scale) bar(b *testing.B, what string, ok bool, format string, args ...any) {
	b.Logf("%s: %s", what, fmt.Sprintf(format, args...))
	if !ok && s.bars {
		b.Errorf("%s: it misses its bar", what)
	}
}

// timed calls f n times and returns the durations, sorted.
func timed(n int, f func(i int)) []time.Duration {
	list := make([]time.Duration, n)
	for i := range list {
		start := time.Now()
		f(i)
		list[i] = time.Since(start)
	}
	slices.Sort(list)
	return list
}

func p(list []time.Duration, percent int) time.Duration { return list[(len(list)-1)*percent/100] }

// BenchmarkScale measures an index of 100,000 artifacts; with GLOVEBOX_BARS=1 it has a million, and each figure must reach its bar:
//
//	GLOVEBOX_BARS=1 go test -run '^$' -bench Scale -benchtime 1x -timeout 20m ./host/store/sqliteindex
func BenchmarkScale(b *testing.B) {
	s := &scale{path: filepath.Join(b.TempDir(), "index.db"), sessions: 1000, bars: os.Getenv("GLOVEBOX_BARS") != ""}
	if s.bars {
		s.sessions = 10_000
	}
	s.x = newIndex(b, s.path)
	b.Run("Fill", s.fill)
	b.Run("Lookup", s.lookup)
	b.Run("Append", s.append)
	b.Run("Walk", s.walk)
	b.Run("Remove", s.remove)
	b.Run("Size", s.size)
}

func must(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (s *scale) fill(b *testing.B) {
	start, last := time.Now(), time.Now()
	for i := range s.sessions {
		_, err := s.x.Append(b.Context(), s.scope(i), storetest.Leased(b, s.x, s.batch(i, 0, perSession)))
		must(b, err)
		if i == s.sessions*9/10 {
			last = time.Now()
		}
	}
	rate := func(n int, since time.Time) float64 { return float64(n*perSession) / time.Since(since).Seconds() }
	s.bar(b, "batches of 100 with their leases, artifacts a second", rate(s.sessions, start) >= 5000, "%.0f, the last tenth %.0f (bar 5000)",
		rate(s.sessions, start), rate(s.sessions/10, last))
}

func (s *scale) lookup(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	ask := func(n int, scope func(i int) readapi.Scope, want int) []time.Duration {
		asked := make([][]readapi.ArtifactID, 3000)
		scopes := make([]readapi.Scope, len(asked))
		for j := range asked {
			i := r.IntN(s.sessions)
			scopes[j] = scope(i)
			for k := range n {
				asked[j] = append(asked[j], s.artifact(i, (k+j)%perSession).ID)
			}
		}
		return timed(len(asked), func(j int) {
			rows, _, err := s.x.Artifacts(b.Context(), scopes[j], asked[j])
			if err != nil || len(rows) != want {
				b.Fatal(len(rows), err)
			}
		})
	}
	hundred := ask(100, s.scope, 100)
	s.bar(b, "100 refs of a session", p(hundred, 99) <= 5*time.Millisecond, "median %v, p99 %v (bar 5ms)", p(hundred, 50), p(hundred, 99))
	one := ask(1, s.scope, 1)
	s.bar(b, "one ref", p(one, 99) <= time.Millisecond, "median %v, p99 %v (bar 1ms)", p(one, 50), p(one, 99))
	foreign := ask(1, func(i int) readapi.Scope { return s.scope((i + 1) % s.sessions) }, 0)
	s.bar(b, "one ref of another session", p(foreign, 99) <= time.Millisecond, "median %v, p99 %v (bar 1ms)", p(foreign, 50), p(foreign, 99))
	list := timed(1000, func(int) {
		_, _, err := s.x.ListArtifacts(b.Context(), s.scope(r.IntN(s.sessions)), -1, 100)
		must(b, err)
	})
	b.Logf("a list of 100: median %v, p99 %v", p(list, 50), p(list, 99))
}

// append measures single artifacts against three syncs of a small file, which is what storing its bytes takes.
func (s *scale) append(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "sync"))
	must(b, err)
	defer f.Close()
	kib := make([]byte, 1024)
	sync := timed(300, func(int) {
		_, err := f.Write(kib)
		must(b, err)
		must(b, f.Sync())
	})
	at := perSession
	leased := timed(300, func(j int) {
		_, err := s.x.Append(b.Context(), s.scope(j), storetest.Leased(b, s.x, s.batch(j, at, at+1)))
		must(b, err)
	})
	at++
	batches := make([]store.Batch, 300)
	for j := range batches {
		batches[j] = storetest.Leased(b, s.x, s.batch(j, at, at+1))
	}
	alone := timed(300, func(j int) {
		_, err := s.x.Append(b.Context(), s.scope(j), batches[j])
		must(b, err)
	})
	b.Logf("a sync of 1 KiB: median %v, p99 %v; an append alone: median %v, p99 %v", p(sync, 50), p(sync, 99), p(alone, 50), p(alone, 99))
	ratio := float64(3*p(sync, 50)) / float64(p(leased, 50))
	s.bar(b, "a lease and an append of one, against three syncs", ratio >= 0.5, "median %v, p99 %v, %.2f of their rate (bar for the whole attach 0.25)",
		p(leased, 50), p(leased, 99), ratio)
	at++
	size := min(1000, s.sessions)
	large := timed(5, func(j int) {
		_, err := s.x.Append(b.Context(), s.scope(j), storetest.Leased(b, s.x, s.batch(j, at, at+size)))
		must(b, err)
	})
	rate := float64(size) / p(large, 50).Seconds()
	s.bar(b, "batches of 1000 with their leases, artifacts a second", rate >= 5000, "%.0f (bar 5000)", rate)
}

// walk goes over all rows as retention does: what a page costs must not grow with what lies before it.
func (s *scale) walk(b *testing.B) {
	ctx := b.Context()
	var pages []time.Duration
	rows := 0
	for q := (store.ArtifactScan{}); ; {
		start := time.Now()
		list, err := s.x.ScanArtifacts(ctx, q)
		must(b, err)
		pages = append(pages, time.Since(start))
		if rows += len(list); len(list) == 0 {
			break
		}
		q.After = &list[len(list)-1]
	}
	first, last := slices.Sorted(slices.Values(pages[:len(pages)/4])), slices.Sorted(slices.Values(pages[len(pages)*3/4:len(pages)-1]))
	s.bar(b, "a page of a walk", p(last, 50) < 2*p(first, 50), "median %v in the first quarter, %v in the last; %d rows in %v", p(first, 50), p(last, 50), rows, sum(pages))
	start := time.Now()
	list, err := s.x.ScanArtifacts(ctx, store.ArtifactScan{DeletedBefore: time.Now()})
	must(b, err)
	s.bar(b, "a walk that finds nothing", len(list) == 0 && time.Since(start) < 5*time.Second, "%v", time.Since(start))
	start, rows = time.Now(), 0
	middle := time.UnixMilli(1_700_000_000_000 + int64(s.sessions)/2)
	for q := (store.ArtifactScan{CreatedBefore: middle}); ; q.After = &list[len(list)-1] {
		list, err = s.x.ScanArtifacts(ctx, q)
		must(b, err)
		if rows += len(list); len(list) == 0 {
			break
		}
	}
	b.Logf("a walk that finds every other one: %d in %v", rows, time.Since(start))
	start, rows = time.Now(), 0
	for after := ""; ; {
		names, err := s.x.BlobNames(ctx, after, 0)
		must(b, err)
		if rows += len(names); len(names) == 0 {
			break
		}
		after = names[len(names)-1]
	}
	b.Logf("the names of %d blobs: %v", rows, time.Since(start))
}

func sum(list []time.Duration) (d time.Duration) {
	for _, n := range list {
		d += n
	}
	return d
}

// remove measures the steps of a removal, and what many rows on one blob cost who asks whether it is free.
func (s *scale) remove(b *testing.B) {
	ctx := b.Context()
	var steps [4][]time.Duration
	step := func(i int, f func() error) {
		steps[i] = append(steps[i], timed(1, func(int) { must(b, f()) })...)
	}
	for j := range 200 {
		scope, a := s.scope(j), s.artifact(j, 0)
		step(0, func() error { _, _, err := s.x.PurgeArtifact(ctx, scope, a.ID, time.Now()); return err })
		step(1, func() error { _, err := s.x.ClaimBlob(ctx, a.Blob, time.Minute); return err })
		step(2, func() error { return s.x.EndClaim(ctx, a.Blob) })
		step(3, func() error { return s.x.DropArtifact(ctx, scope, a.ID) })
	}
	for i, what := range []string{"mark", "claim", "end of a claim", "drop"} {
		slices.Sort(steps[i])
		b.Logf("%s: median %v, p99 %v", what, p(steps[i], 50), p(steps[i], 99))
	}
	scope := readapi.Scope{Principal: "shared", Session: "shared"}
	for i := range s.sessions / 100 { // 100,000 rows on one blob
		batch := s.batch(-1, i*1000, i*1000+1000)
		for k := range batch.Artifacts {
			batch.Artifacts[k].Blob = s.artifact(-1, 0).Blob
		}
		_, err := s.x.Append(ctx, scope, storetest.Leased(b, s.x, batch))
		must(b, err)
	}
	whole := timed(1, func(int) { _, _, err := s.x.MarkSession(ctx, scope, store.PurgeSession, time.Now()); must(b, err) })
	claims := timed(50, func(int) {
		ok, err := s.x.ClaimBlob(context.WithoutCancel(ctx), s.artifact(-1, 0).Blob, time.Minute)
		if err != nil || !ok {
			b.Fatal(ok, err)
		}
		must(b, s.x.EndClaim(ctx, s.artifact(-1, 0).Blob))
	})
	s.bar(b, "a claim of what many rows name that are being purged", p(claims, 50) < 20*time.Millisecond, "%d rows: median %v", s.sessions*10, p(claims, 50))
	drop := timed(1, func(int) { must(b, s.x.DropSession(ctx, scope)) })
	b.Logf("a session of %d artifacts: marked in %v, dropped in %v", s.sessions*10, whole[0], drop[0])
}

func (s *scale) size(b *testing.B) {
	info, err := os.Stat(s.path)
	must(b, err)
	b.Logf("the database has %d MiB for %d artifacts", info.Size()>>20, s.sessions*perSession)
	rows, err := raw(b, s.path).QueryContext(b.Context(), "SELECT name, sum(pgsize) FROM dbstat GROUP BY name ORDER BY 2 DESC LIMIT 8")
	must(b, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		var bytes int64
		must(b, rows.Scan(&name, &bytes))
		b.Logf("  %s: %d MiB", name, bytes>>20)
	}
	must(b, rows.Err())
}
