package transfer

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob"
	"github.com/glovebox-wasm/glovebox/host/store/s3blob/s3test"
)

// manyHosts is a store in PostgreSQL and a bucket.
func manyHosts(t testing.TB) (store.BlobDriver, store.IndexDriver) {
	t.Helper()
	blobs, err := s3blob.Open(t.Context(), s3test.URL(t), &s3blob.Options{AccessKey: s3test.AccessKey, SecretKey: s3test.SecretKey, SpoolDir: t.TempDir()})
	check(t, err)
	t.Cleanup(func() { _ = blobs.Close() })
	index, err := pgindex.Open(t.Context(), pgtest.URL(t), nil)
	check(t, err)
	t.Cleanup(func() { _ = index.Close() })
	return blobs, index
}

// fsck fails unless package retain finds a store in order, every byte of it, besides the payloads of fill, which are no events of a ledger.
func fsck(t *testing.T, what string, s Store) {
	t.Helper()
	r, err := retain.New(s.Blobs, s.Index, nil).Fsck(t.Context(), retain.FsckOptions{ReadData: true})
	check(t, err)
	if delete(r.Found, retain.EventDamaged); len(r.Found) > 0 {
		t.Fatalf("%s: %v", what, r.Found)
	}
}

// From SQLite and files to PostgreSQL and a bucket and back, then backed up, exported and imported there: nothing changes on the way.
func TestEngines(t *testing.T) {
	t.Parallel()
	blobs, index := manyHosts(t)
	one, many, back, restored := onDisk(t, t.TempDir()), over(t, blobs, index), onDisk(t, t.TempDir()), inMemory(t)
	fill(t, one, 11, 60)
	attach(t, one, scopeOf("big"), "big", big)
	for _, way := range []struct {
		name     string
		from, to Store
	}{{"there", one, many}, {"there again", one, many}, {"back", many, back}} {
		r, err := Migrate(t.Context(), way.from, way.to, MigrateOptions{})
		if err != nil || !r.Complete {
			t.Fatalf("%s: %v, %+v", way.name, err, r)
		}
		same(t, way.name, way.to, one)
		whole(t, way.to)
		fsck(t, way.name, way.to)
	}
	dir := filepath.Join(t.TempDir(), "b")
	for range 2 {
		if r, err := Backup(t.Context(), many, dir, BackupOptions{}); err != nil || !r.Complete {
			t.Fatalf("backup: %v, %+v", err, r)
		}
	}
	_, err := Restore(t.Context(), dir, restored, RestoreOptions{})
	check(t, err)
	same(t, "restored", restored, one)

	_, empty := manyHosts(t)
	rebuilt := over(t, blobs, empty)
	r, err := importInto(t, rebuilt, exported(t, many, ExportOptions{}))
	if err != nil || !r.Complete {
		t.Fatalf("import: %v, %+v", err, r)
	}
	same(t, "rebuilt", rebuilt, one)
	fsck(t, "rebuilt", rebuilt)
}

// A migration between the engines that ends at one call in seven, and the run behind it.
func TestEnginesDieAnywhere(t *testing.T) {
	t.Parallel()
	src := onDisk(t, t.TempDir())
	fill(t, src, 5, 8)
	blobs, index := manyHosts(t)
	began := time.Now()
	for k, done := 1, false; !done; k += 7 {
		die, _ := dying(k)
		to := over(t, tappedBlobs{blobs, die}, tappedIndex{index, die})
		_, err := Migrate(t.Context(), src, to, MigrateOptions{Jobs: 1})
		done = err == nil
		opens(t, fmt.Sprint("died at call ", k), over(t, blobs, index))
	}
	same(t, "at last", over(t, blobs, index), src)
	t.Log(time.Since(began))
}
