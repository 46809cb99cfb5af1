package transfer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var errDied = errors.New("the process died here")

// dying fails every call from the k-th on, as if the process were gone. What it holds ends by itself then, so it may be given back.
func dying(k int) (t tap, calls *int) {
	n := 0
	var mu sync.Mutex
	return func(call string) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n >= k && call != "Resign" && call != "EndLeases" {
			return errDied
		}
		return nil
	}, &n
}

// opens fails unless every row has its bytes. A run that was interrupted may have more of the counters' truth to come.
func opens(t *testing.T, what string, s Store) {
	t.Helper()
	check(t, eachSession(t.Context(), s.Index, "", func(scope readapi.Scope) error {
		return eachArtifacts(t.Context(), s.Index, scope, func(rows []store.Artifact) error {
			for _, a := range rows {
				if a.Blob == "" {
					continue
				}
				if err := read(t.Context(), s.Blobs, store.Blob{SHA256: a.Blob, Size: a.Bytes}); err != nil {
					t.Fatalf("%s: %s: %v", what, a.ID, err)
				}
			}
			return nil
		})
	}))
}

// A migration that ends at whichever call leaves no row without its bytes, and the next run completes it.
func TestMigrateDiesAnywhere(t *testing.T) {
	t.Parallel()
	fromIndex, fromBlobs := memindex.New(), memblob.New()
	src := over(t, fromBlobs, fromIndex)
	fill(t, src, 3, 25)
	for k := 1; ; k++ {
		toIndex, toBlobs := memindex.New(), memblob.New()
		die, calls := dying(k)
		from, to := over(t, tappedBlobs{fromBlobs, die}, tappedIndex{fromIndex, die}), over(t, tappedBlobs{toBlobs, die}, tappedIndex{toIndex, die})
		_, err := Migrate(t.Context(), from, to, MigrateOptions{Jobs: 1})
		if err == nil {
			if k < 100 {
				t.Fatalf("a whole run makes %d calls: this test tests nothing", *calls)
			}
			t.Logf("%d calls, each of them the last one once", *calls)
			return
		}
		dst := over(t, toBlobs, toIndex)
		opens(t, fmt.Sprint("died at call ", k), dst)
		if r, err := Migrate(t.Context(), src, dst, MigrateOptions{}); err != nil || !r.Complete {
			t.Fatalf("died at call %d, then %v: %+v", k, err, r)
		}
		same(t, fmt.Sprint("died at call ", k), dst, src)
		whole(t, dst)
	}
}

// One call fails, whichever, and the run goes on as it may: it ends with an error, or everything is there.
func TestMigrateCallFails(t *testing.T) {
	fromIndex, fromBlobs := memindex.New(), memblob.New()
	src := over(t, fromBlobs, fromIndex)
	fill(t, src, 3, 12)
	for k, done := 1, false; !done; k++ {
		toIndex, toBlobs := memindex.New(), memblob.New()
		n, failed := 0, ""
		once := func(call string) error {
			if n++; n == k {
				failed = call
				return fs.ErrPermission
			}
			return nil
		}
		from, to := over(t, tappedBlobs{fromBlobs, once}, tappedIndex{fromIndex, once}), over(t, tappedBlobs{toBlobs, once}, tappedIndex{toIndex, once})
		_, err := Migrate(t.Context(), from, to, MigrateOptions{Jobs: 1})
		dst := over(t, toBlobs, toIndex)
		if err == nil {
			same(t, fmt.Sprint("failed ", failed, " at call ", k), dst, src)
		}
		opens(t, fmt.Sprint("failed at call ", k), dst)
		done = failed == ""
	}
}

// A backup that ends at whichever call or step leaves nothing that looks whole and is not; the next run completes it.
func TestBackupDiesAnywhere(t *testing.T) {
	t.Parallel()
	fromIndex, fromBlobs := memindex.New(), memblob.New()
	src := over(t, fromBlobs, fromIndex)
	fill(t, src, 3, 6)
	for _, again := range []bool{false, true} {
		old := inMemory(t)
		steps := []string{"mark", "sync", "rows", "folder", "marked", "clean", "name", "tidy"}
		for k, done := 1, false; !done; k += 7 { // a run of it costs what opening three databases costs
			dir := filepath.Join(t.TempDir(), "b")
			if again { // into a backup of another state
				if k == 1 {
					fill(t, old, 4, 6)
				}
				_, err := Backup(t.Context(), old, dir, BackupOptions{})
				check(t, err)
			}
			die, _ := dying(k)
			o := BackupOptions{Jobs: 1}
			if len(steps) > 0 && k > 60 {
				o.step = stopAt(steps[0])
				steps, die = steps[1:], func(string) error { return nil }
			}
			_, err := Backup(t.Context(), over(t, tappedBlobs{fromBlobs, die}, tappedIndex{fromIndex, die}), dir, o)
			done = err == nil
			if !done {
				looksWhole(t, fmt.Sprint("died at ", k, steps), dir, old, src, again)
			}
			r, err := Backup(t.Context(), src, dir, BackupOptions{})
			if err != nil || !r.Complete {
				t.Fatalf("died at %d %v, then %v: %+v", k, steps, err, r)
			}
			b := onDisk(t, dir)
			same(t, fmt.Sprint("died at ", k, steps), b, src)
			whole(t, b)
			onlyNamed(t, b)
		}
		if len(steps) > 0 {
			t.Fatalf("the run never ended at %v", steps)
		}
	}
}

func stopAt(step string) func(string) error {
	return func(name string) error {
		if name == step {
			return errDied
		}
		return nil
	}
}

// looksWhole: what is in the place of the backup is the old one or the new one, or nothing.
func looksWhole(t *testing.T, what, dir string, old, src Store, again bool) {
	t.Helper()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && !again {
		return
	}
	got := inMemory(t)
	if _, err := Restore(t.Context(), dir, got, RestoreOptions{}); err != nil {
		t.Fatalf("%s: what was left: %v", what, err)
	}
	whole(t, got)
	now := fmt.Sprint(dumpOf(t, got.Index))
	if now != fmt.Sprint(dumpOf(t, src.Index)) && (!again || now != fmt.Sprint(dumpOf(t, old.Index))) {
		t.Fatalf("%s: what was left is neither the old backup nor the new one", what)
	}
}

// onlyNamed fails where there are bytes that no row names.
func onlyNamed(t *testing.T, s Store) {
	t.Helper()
	for info, err := range s.Blobs.List(t.Context()) {
		check(t, err)
		uses, err := s.Index.BlobUses(t.Context(), []string{info.SHA256})
		check(t, err)
		if uses[info.SHA256].Rows == 0 {
			t.Errorf("the backup keeps %s, which no row names", info.SHA256)
		}
	}
}

// rotting changes a byte of some blobs.
type rotting struct {
	store.BlobDriver
	bad map[string]bool
}

func (d rotting) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	r, err := d.BlobDriver.Open(ctx, sha256)
	if err == nil && d.bad[sha256] {
		return rotten{r}, nil
	}
	return r, err
}

type rotten struct{ store.BlobReader }

func (r rotten) ReadAt(p []byte, off int64) (int, error) {
	n, err := r.BlobReader.ReadAt(p, off)
	if n > 0 && off == 0 {
		p[0] ^= 1
	}
	return n, err
}

// big is longer than what is verified in memory.
var big = bytes.Repeat([]byte("0123456789abcdef"), 1<<17)

// Damaged and missing bytes are named by the file, not copied, and all the rest is.
func TestBitRot(t *testing.T) {
	t.Parallel()
	bad := map[string]bool{}
	index, blobs := memindex.New(), memblob.New()
	src := over(t, rotting{blobs, bad}, index)
	fill(t, src, 7, 40)
	ids := attach(t, src, readapi.Scope{Principal: "local", Session: "s"}, "big", big, []byte("small"), []byte("missing"), []byte("good"))
	bad[digest(big)], bad[digest([]byte("small"))] = true, true
	check(t, blobs.Remove(t.Context(), digest([]byte("missing"))))

	dir, dst := filepath.Join(t.TempDir(), "b"), onDisk(t, t.TempDir())
	backup, err := Backup(t.Context(), src, dir, BackupOptions{})
	wantCode(t, err, readapi.CodeCorrupt)
	migrated, err := Migrate(t.Context(), src, dst, MigrateOptions{})
	wantCode(t, err, readapi.CodeCorrupt)
	restored := onDisk(t, dir)
	for what, r := range map[string]*Report{"backup": backup, "migration": migrated} {
		var named []string
		for _, p := range r.Problems {
			if p.Code == readapi.CodeCorrupt && p.Session == "s" && p.Principal == "local" {
				named = append(named, string(p.Artifact))
			}
		}
		slices.Sort(named)
		want := []string{string(ids[0]), string(ids[1]), string(ids[2])}
		if slices.Sort(want); r.Complete || r.Failed != 3 || !slices.Equal(named, want) {
			t.Errorf("%s: %+v; want problems with %v", what, r, want)
		}
	}
	for _, s := range []Store{restored, dst} {
		opens(t, "what was copied", s)
		want := dumpOf(t, src.Index)
		scope := readapi.Scope{Principal: "local", Session: "s"}
		want.Artifacts = slices.DeleteFunc(want.Artifacts, func(a store.Artifact) bool { return a.Scope == scope && slices.Contains(ids[:3], a.ID) })
		want.Uploads[scope] = slices.DeleteFunc(want.Uploads[scope], func(u store.Upload) bool { return slices.Contains(ids[:3], u.Artifact) })
		if diff := cmp.Diff(want, dumpOf(t, s.Index), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("what was copied is not all the rest (-want +got):\n%s", diff)
		}
	}

	// Mended at the source, the next run brings what was left out.
	clear(bad)
	check(t, put(t.Context(), src.Blobs, store.Blob{SHA256: digest([]byte("missing")), Size: 7}, strings.NewReader("missing")))
	if r, err := Migrate(t.Context(), src, dst, MigrateOptions{}); err != nil || r.Artifacts != 3 {
		t.Fatalf("after mending: %v, %+v", err, r)
	}
	same(t, "after mending", dst, src)
}

// attach stores files in a session, with a message that names them, unless the session's own name ends in -unnamed.
func attach(t testing.TB, s Store, scope readapi.Scope, name string, files ...[]byte) (ids []readapi.ArtifactID) {
	t.Helper()
	if err := tryAttach(t.Context(), s, scope, name, &ids, files...); err != nil {
		t.Fatal(err)
	}
	return ids
}

func tryAttach(ctx context.Context, s Store, scope readapi.Scope, name string, ids *[]readapi.ArtifactID, files ...[]byte) error {
	b := store.Batch{Holder: fmt.Sprintf("h-%s-%x", name, rand.Uint64())}
	list := ""
	for i, f := range files {
		lease := func(ctx context.Context, blob store.Blob) error {
			return s.Index.LeaseBlobs(ctx, b.Holder, []string{blob.SHA256}, leaseTTL)
		}
		blob, _, err := s.Blobs.Put(ctx, bytes.NewReader(f), store.PutOptions{Max: 1 << 30, Named: lease})
		if err != nil {
			return err
		}
		id := readapi.ArtifactID(fmt.Sprintf("%s-%d", name, i))
		*ids = append(*ids, id)
		list += fmt.Sprintf(",%q", id)
		b.Artifacts = append(b.Artifacts, store.Artifact{ID: id, Blob: blob.SHA256, Bytes: blob.Size, Name: "f", Kind: "text", Source: store.SourceUserUpload,
			MediaType: "text/plain", Created: at(1)})
		b.Uploads = append(b.Uploads, store.Upload{ID: "u-" + string(id), Begin: "b", Artifact: id})
	}
	if strings.HasSuffix(string(scope.Session), "-unnamed") {
		list = ""
	}
	payload := fmt.Sprintf(`{"files":[%s]}`, strings.TrimPrefix(list, ","))
	b.Events = []store.Event{{ID: "e-" + name, Type: "user", Time: at(int64(len(name))), Message: true, Payload: []byte(payload)}}
	_, err := s.Index.Append(ctx, scope, b)
	return err
}

// An earlier backup keeps what has been damaged at the source since.
func TestBackupKeepsGoodBytes(t *testing.T) {
	bad := map[string]bool{}
	src := over(t, rotting{memblob.New(), bad}, memindex.New())
	attach(t, src, readapi.Scope{Principal: "local", Session: "s"}, "a", []byte("one"), []byte("two"))
	dir := filepath.Join(t.TempDir(), "b")
	for range 2 {
		if r, err := Backup(t.Context(), src, dir, BackupOptions{Verify: true}); err != nil || !r.Complete {
			t.Fatalf("%v, %+v", err, r)
		}
		bad[digest([]byte("one"))] = true
	}
	b := onDisk(t, dir)
	same(t, "the backup", b, src)
	whole(t, b)
}

// Damage of the backup itself is found with Verify, and mended.
func TestBackupVerifies(t *testing.T) {
	src := inMemory(t)
	attach(t, src, readapi.Scope{Principal: "local", Session: "s"}, "a", []byte("one"), []byte("two"))
	dir := filepath.Join(t.TempDir(), "b")
	_, err := Backup(t.Context(), src, dir, BackupOptions{})
	check(t, err)
	d := digest([]byte("one"))
	check(t, os.WriteFile(filepath.Join(dir, filesDir, "blobs", d[:2], d), []byte("eno"), 0o600))
	_, err = Restore(t.Context(), dir, inMemory(t), RestoreOptions{})
	wantCode(t, err, readapi.CodeCorrupt)
	r, err := Backup(t.Context(), src, dir, BackupOptions{Verify: true})
	if err != nil || r.Blobs != 1 || r.Verified != 1 {
		t.Fatalf("%v, %+v", err, r)
	}
	whole(t, onDisk(t, dir))
}
