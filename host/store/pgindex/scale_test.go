package pgindex

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// BenchmarkScale prints what docs/scale.md says: sizes, plans and times of an index of -rows artifacts, on a server whose commits wait for
// the disk.
func BenchmarkScale(b *testing.B) {
	server := pgtest.Start(b, &pgtest.Options{Durable: true, Settings: []string{"shared_buffers=1GB", "max_wal_size=8GB"}})
	url := server.URL(b)
	d, err := Open(b.Context(), url, &Options{Connections: 16})
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	c := fillTo(b, url, *rows)
	var version string
	if err := c.QueryRow(b.Context(), "SELECT current_setting('server_version')").Scan(&version); err != nil {
		b.Fatal(err)
	}
	fmt.Printf("PostgreSQL %s, %d artifacts in %d sessions\n\n", version, *rows, *rows/filesOfSession)
	sizes(b, c)
	scope, _ := someRefs(b, c, 7)
	for _, q := range queries(string(scope.Principal), string(scope.Session)) {
		if slices.Contains([]string{"Artifacts", "ListArtifacts", "Append: versions", "ClaimBlob", "BlobNames", "Sessions", "Event"}, q.name) {
			fmt.Printf("%s\n%s\n\n", q.name, plan(b, c, q.query, q.args))
		}
	}
	lookups(b, c, d)
	for range b.N {
		b.Run("Append1", func(b *testing.B) { appends(b, d, 1) })
		b.Run("Append8", func(b *testing.B) { appends(b, d, 8) })
		b.Run("AppendBatches", func(b *testing.B) { batches(b, d) })
	}
}

// sizes prints how many bytes a row takes in each table and index, and what that is at 10 million artifacts: rows and entries do not
// depend on how many there are, but for the upper levels of the trees, which are less than a hundredth.
func sizes(b *testing.B, c *pgx.Conn) {
	b.Helper()
	found, err := c.Query(b.Context(), `SELECT n, pg_table_size(oid), 0 FROM (SELECT 0, c.relname AS n, c.oid FROM pg_class AS c
			WHERE c.relnamespace = 'glovebox'::regnamespace AND c.relkind = 'r' AND c.relname IN ('artifacts', 'events', 'sessions')) AS t
		UNION ALL SELECT '  ' || i.relname, pg_relation_size(i.oid), 1 FROM pg_index AS x JOIN pg_class AS i ON i.oid = x.indexrelid
			JOIN pg_class AS t ON t.oid = x.indrelid WHERE t.relnamespace = 'glovebox'::regnamespace AND t.relname IN ('artifacts', 'events', 'sessions')
		ORDER BY 3, 1`)
	if err != nil {
		b.Fatal(err)
	}
	var all float64
	fmt.Printf("%-22s %12s %22s %12s\n", "", "bytes", "bytes an artifact", "at 10 M, GB")
	for found.Next() {
		var name string
		var size, index int64
		if err := found.Scan(&name, &size, &index); err != nil {
			b.Fatal(err)
		}
		each := float64(size) / float64(*rows)
		all += each
		fmt.Printf("%-22s %12d %22.1f %12.2f\n", name, size, each, each*1e7/1e9)
	}
	if err := found.Err(); err != nil {
		b.Fatal(err)
	}
	fmt.Printf("%-22s %12s %22.1f %12.2f\n\n", "together", "", all, all*1e7/1e9)
}

// lookups prints how long lookups take, in sessions all over the index.
func lookups(b *testing.B, c *pgx.Conn, d *Driver) {
	b.Helper()
	scopes, refs := make([]readapi.Scope, 200), make([][]readapi.ArtifactID, 200)
	for i := range scopes {
		scopes[i], refs[i] = someRefs(b, c, rand.IntN(*rows/filesOfSession))
	}
	for _, n := range []int{1, 100} {
		for _, what := range []string{"own", "foreign", "absent"} {
			var took []time.Duration
			for i := range 2000 {
				k := i % len(scopes)
				ids := refs[k][:n]
				switch what {
				case "foreign":
					ids = refs[(k+1)%len(scopes)][:n]
				case "absent":
					ids = slices.Clone(ids)
					for j := range ids {
						ids[j] = ids[j][1:] + "g"
					}
				}
				start := time.Now()
				if _, _, err := d.Artifacts(b.Context(), scopes[k], ids); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			took = took[500:]
			slices.Sort(took)
			fmt.Printf("Artifacts of %3d %-8s p50 %v, p99 %v\n", n, what, took[len(took)/2], took[len(took)*99/100])
		}
	}
}

var appended atomic.Int64

// appends measures what a message with a file costs: a lease, and an append of an artifact and an event, each in a session of its own.
func appends(b *testing.B, d *Driver, parallel int) {
	var group sync.WaitGroup
	var done atomic.Int64
	start, end := time.Now(), time.Now().Add(4*time.Second)
	for who := range parallel {
		group.Go(func() {
			s := readapi.Scope{Principal: "bench", Session: readapi.SessionID(fmt.Sprint("s", who, "-", appended.Load()))}
			for i := 0; time.Now().Before(end); i++ {
				n := appended.Add(1)
				a := newArtifact(n)
				e := store.Event{ID: string(a.ID), Type: "user", Time: time.UnixMilli(n), Message: true, Payload: []byte(`{"text":"` + strings.Repeat("words ", 40) + `"}`)}
				if err := d.LeaseBlobs(b.Context(), string(a.ID), []string{a.Blob}, time.Minute); err != nil {
					b.Error(err)
					return
				}
				if _, err := d.Append(b.Context(), s, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}, Holder: string(a.ID)}); err != nil {
					b.Error(err)
					return
				}
				done.Add(1)
			}
		})
	}
	group.Wait()
	b.ReportMetric(float64(done.Load())/time.Since(start).Seconds(), "appends/s")
}

// batches measures artifacts that come by the hundred.
func batches(b *testing.B, d *Driver) {
	start, done := time.Now(), 0
	for time.Since(start) < 3*time.Second {
		batch := store.Batch{Holder: fmt.Sprint("h", appended.Add(1))}
		var digests []string
		for range 100 {
			a := newArtifact(appended.Add(1))
			batch.Artifacts, digests = append(batch.Artifacts, a), append(digests, a.Blob)
		}
		if err := d.LeaseBlobs(b.Context(), batch.Holder, digests, time.Minute); err != nil {
			b.Fatal(err)
		}
		if _, err := d.Append(b.Context(), readapi.Scope{Principal: "bench", Session: "batches"}, batch); err != nil {
			b.Fatal(err)
		}
		done += 100
	}
	b.ReportMetric(float64(done)/time.Since(start).Seconds(), "artifacts/s")
}

func newArtifact(n int64) store.Artifact {
	return store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", n)), Blob: fmt.Sprintf("%016x%048x", uint64(n)*0x9e3779b97f4a7c15, n), Bytes: 3000,
		Name: fmt.Sprint("report ", n, ".pdf"), Kind: "pdf", Source: store.SourceUserUpload, Status: readapi.StatusLive, MediaType: "application/pdf",
		Candidates: []readapi.MediaType{"application/pdf"}, Created: time.UnixMilli(n)}
}
