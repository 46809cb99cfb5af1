package retain_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"iter"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// listedBlobs has so many blobs of 1 byte, and no bytes.
type listedBlobs int

func blobNumber(i int) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(i)))
	return hex.EncodeToString(sum[:])
}

func (n listedBlobs) List(context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		for i := range int(n) {
			if !yield(store.BlobInfo{Blob: store.Blob{SHA256: blobNumber(i), Size: 1}, Committed: time.Now().Add(-day)}, nil) {
				return
			}
		}
	}
}

func (listedBlobs) Create(context.Context) (store.BlobWriter, error) { return nil, fs.ErrInvalid }
func (listedBlobs) Open(context.Context, string) (store.BlobReader, error) {
	return nil, fs.ErrNotExist
}

func (listedBlobs) Stat(_ context.Context, sha256 string) (store.BlobInfo, error) {
	return store.BlobInfo{Blob: store.Blob{SHA256: sha256, Size: 1}}, nil
}
func (listedBlobs) Remove(context.Context, string) error { return nil }
func (listedBlobs) Close() error                         { return nil }

// BenchmarkScale collects and checks a store of many artifacts in SQLite: how long a row takes, and what is held in memory.
func BenchmarkScale(b *testing.B) {
	const sessions, each = 200, 500
	x, err := sqliteindex.Open(b.Context(), filepath.Join(b.TempDir(), "index.db"), nil)
	must(b, err)
	p := newPlace(b, listedBlobs(sessions*each), x, "")
	now := time.Now().UTC().Truncate(time.Millisecond)
	for s := range sessions {
		var rows []store.Artifact
		for i := range each {
			rows = append(rows, store.Artifact{ID: readapi.ArtifactID(fmt.Sprint("a", i)), Seq: int64(i), Blob: blobNumber(s*each + i), Bytes: 1, Name: "a.txt",
				Kind: readapi.KindDoc, Source: store.SourceUserUpload, MediaType: "text/plain", Created: now.Add(-time.Duration(s*each+i) * time.Minute),
				Version: int64(i + 1), Status: readapi.StatusLive})
		}
		id := readapi.SessionID(fmt.Sprint("s", s))
		must(b, p.index.Load(b.Context(), store.Session{Principal: "p", ID: id, Created: now, Updated: now}, rows, nil, nil))
	}
	policy := []retain.Rule{{Source: store.SourceGenerated, TTL: day}, {TTL: 365 * day, AfterDelete: day, SessionBytes: 1 << 30}}
	for name, run := range map[string]func() error{
		"gc": func() error {
			_, err := p.keeper(nil).GC(b.Context(), retain.GCOptions{Policy: policy, MaxBytes: sessions*each - 1, DryRun: true})
			return err
		},
		"fsck": func() error {
			r, err := p.keeper(nil).Fsck(b.Context(), retain.FsckOptions{})
			if err == nil && !r.Clean {
				b.Fatalf("%+v", r.Findings)
			}
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			var most uint64
			stop, stopped := make(chan struct{}), make(chan struct{})
			go func() {
				defer close(stopped)
				for {
					select {
					case <-stop:
						return
					case <-time.After(20 * time.Millisecond):
						var m runtime.MemStats
						runtime.ReadMemStats(&m)
						most = max(most, m.HeapAlloc)
					}
				}
			}()
			for b.Loop() {
				must(b, run())
			}
			close(stop)
			<-stopped
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(sessions*each), "µs/artifact")
			b.ReportMetric(float64(most)/(1<<20), "MiB-heap")
		})
	}
}
