package transfer

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func scopeOf(session string) readapi.Scope {
	return readapi.Scope{Principal: "local", Session: readapi.SessionID(session)}
}

// changed makes a store of some sessions, copies it, and changes it in every way that needs no removal.
func changed(t *testing.T) (src, dst Store) {
	src, dst = inMemory(t), onDisk(t, t.TempDir())
	for _, s := range []string{"appended", "archived", "deleted", "part", "purged", "anew", "less"} {
		attach(t, src, scopeOf(s), s, []byte("one "+s), []byte("two"))
	}
	_, err := Migrate(t.Context(), src, dst, MigrateOptions{})
	check(t, err)
	same(t, "the first run", dst, src)
	attach(t, src, scopeOf("appended"), "more", []byte("three"))
	attach(t, src, scopeOf("new"), "new", []byte("four"))
	for s, change := range map[string]store.SessionChange{"archived": store.ArchiveSession, "deleted": store.DeleteSession} {
		_, _, err := src.Index.MarkSession(t.Context(), scopeOf(s), change, at(5))
		check(t, err)
	}
	_, _, err = src.Index.DeleteArtifact(t.Context(), scopeOf("part"), "part-0", at(6))
	check(t, err)
	_, err = src.Index.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "x"}})
	check(t, err)
	return src, dst
}

// A second run brings what came in since, and nothing twice.
func TestMigrateAgain(t *testing.T) {
	src, dst := changed(t)
	r, err := Migrate(t.Context(), src, dst, MigrateOptions{})
	if err != nil || !r.Complete || r.Artifacts != 2 || r.Events != 2 || r.Blobs != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	same(t, "the second run", dst, src)
	whole(t, dst)
	r, err = Migrate(t.Context(), src, dst, MigrateOptions{})
	if err != nil || !r.Complete || r.Artifacts+r.Events+r.Uploads+r.Blobs+r.Present > 0 || r.Sessions != 8 {
		t.Fatalf("the third run did something: %v, %+v", err, r)
	}
}

// What was purged at the source between two runs goes at the target with Prune only.
func TestMigratePrunes(t *testing.T) {
	src, dst := changed(t)
	ctx := t.Context()
	check(t, purgeArtifact(ctx, src, scopeOf("less"), "less-0"))
	check(t, purgeSession(ctx, src, scopeOf("anew")))
	attach(t, src, scopeOf("anew"), "other", []byte("five"))
	before := dumpOf(t, dst.Index)
	r, err := Migrate(ctx, src, dst, MigrateOptions{})
	wantCode(t, err, readapi.CodeConflict)
	if r.Failed < 2 || r.Complete {
		t.Errorf("%+v; want problems with less and anew", r)
	}
	check(t, purgeSession(ctx, src, scopeOf("purged")))
	r, err = Migrate(ctx, src, dst, MigrateOptions{})
	wantCode(t, err, readapi.CodeConflict)
	if now := dumpOf(t, dst.Index); len(now.Sessions) < len(before.Sessions) || r.Sessions > 0 {
		t.Errorf("a session that the source has not is found before anything is written: %+v", r)
	}
	r, err = Migrate(ctx, src, dst, MigrateOptions{Prune: true})
	if err != nil || !r.Complete || r.Removed != 3 {
		t.Fatalf("%v, %+v", err, r)
	}
	same(t, "pruned", dst, src)
}

// A store that has other things is no target.
func TestMigrateIntoAnother(t *testing.T) {
	for name, fillIt := range map[string]func(Store){
		"another session":          func(s Store) { attach(t, s, scopeOf("theirs"), "theirs", []byte("x")) },
		"another of the same name": func(s Store) { attach(t, s, scopeOf("s"), "theirs", []byte("x")) },
		"another file": func(s Store) {
			attach(t, s, scopeOf("s"), "mine", []byte("one"), []byte("another"))
		},
		"a session that is further on": func(s Store) {
			attach(t, s, scopeOf("s"), "mine", []byte("one"), []byte("two"))
			attach(t, s, scopeOf("s"), "theirs", []byte("x"))
		},
		"a session that was deleted": func(s Store) {
			attach(t, s, scopeOf("s"), "mine", []byte("one"), []byte("two"))
			_, _, err := s.Index.MarkSession(t.Context(), scopeOf("s"), store.DeleteSession, at(1))
			check(t, err)
		},
		"a file that was deleted": func(s Store) {
			attach(t, s, scopeOf("s"), "mine", []byte("one"), []byte("two"))
			_, _, err := s.Index.DeleteArtifact(t.Context(), scopeOf("s"), "mine-0", at(1))
			check(t, err)
		},
	} {
		src, dst := inMemory(t), inMemory(t)
		attach(t, src, scopeOf("s"), "mine", []byte("one"), []byte("two"))
		fillIt(dst)
		before := inMemory(t)
		before.Blobs = dst.Blobs
		_, err := Migrate(t.Context(), dst, before, MigrateOptions{})
		check(t, err)
		_, err = Migrate(t.Context(), src, dst, MigrateOptions{})
		if readapi.CodeOf(err) != readapi.CodeConflict {
			t.Errorf("%s: %v", name, err)
		}
		same(t, name+" stays as it is", dst, before)
	}
}

// A dry run says what the run would do, and does nothing.
func TestDryRun(t *testing.T) {
	src, dst := changed(t)
	before := inMemory(t)
	before.Blobs = dst.Blobs
	_, err := Migrate(t.Context(), dst, before, MigrateOptions{})
	check(t, err)
	refuse := over(t, memblob.New(), tappedIndex{memindex.New(), func(call string) error {
		if slices.Contains([]string{"Load", "LeaseBlobs", "SetDecoders", "MarkSession", "DropSession"}, call) {
			t.Errorf("a dry run calls %s", call)
		}
		return nil
	}})
	r, err := Migrate(t.Context(), src, refuse, MigrateOptions{DryRun: true, Prune: true})
	if err != nil || r.Sessions != 8 || r.Artifacts != 16 || r.Blobs != 16 {
		t.Fatalf("%v, %+v", err, r)
	}
	r, err = Migrate(t.Context(), src, dst, MigrateOptions{DryRun: true, Prune: true})
	if err != nil || r.Artifacts != 2 || r.Blobs != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	same(t, "after a dry run", dst, before)
}

// What is no backup of ours is not touched.
func TestBackupPlaces(t *testing.T) {
	ctx, src, old := t.Context(), inMemory(t), inMemory(t)
	attach(t, src, scopeOf("s"), "a", []byte("one"))
	attach(t, old, scopeOf("s"), "old", []byte("old"))
	base := t.TempDir()

	other := filepath.Join(base, "other")
	check(t, os.Mkdir(other, 0o700))
	check(t, os.WriteFile(filepath.Join(other, "letter.txt"), []byte("dear"), 0o600))
	partial := filepath.Join(base, "x.partial")
	check(t, os.Mkdir(partial, 0o700))
	check(t, os.WriteFile(filepath.Join(partial, "letter.txt"), []byte("dear"), 0o600))
	data := filepath.Join(base, "data")
	live := onDisk(t, data)
	attach(t, live, scopeOf("s"), "live", []byte("live"))
	file := filepath.Join(base, "file")
	check(t, os.WriteFile(file, nil, 0o600))
	for _, dir := range []string{other, filepath.Join(base, "x"), data} {
		_, err := Backup(ctx, src, dir, BackupOptions{})
		wantCode(t, err, readapi.CodeConflict)
	}
	_, err := Backup(ctx, src, file, BackupOptions{})
	wantCode(t, err, readapi.CodeCapabilityUnavailable)
	_, err = Backup(ctx, src, "", BackupOptions{})
	wantCode(t, err, readapi.CodeInvalidRequest)
	whole(t, live)

	// An empty folder is taken, and the backup of before is replaced.
	dir := filepath.Join(base, "b")
	check(t, os.Mkdir(dir, 0o700))
	for _, s := range []Store{old, src} {
		r, err := Backup(ctx, s, dir, BackupOptions{})
		if err != nil || r.Blobs != 1 {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	got := inMemory(t)
	_, err = Restore(ctx, dir, got, RestoreOptions{})
	check(t, err)
	same(t, "replaced", got, src)

	// One that is used as a data directory is a backup no more: its rows would be lost.
	used := onDisk(t, dir)
	attach(t, used, scopeOf("t"), "used", []byte("used"))
	_, err = Backup(ctx, src, dir, BackupOptions{})
	wantCode(t, err, readapi.CodeConflict)
	check(t, used.Index.Close())
	_, err = Backup(ctx, src, dir, BackupOptions{})
	wantCode(t, err, readapi.CodeConflict)
	whole(t, onDisk(t, dir))
}

// Rows that somebody else has open are not whole: a part of them is in their log.
func TestBackupWatched(t *testing.T) {
	src, dir := inMemory(t), filepath.Join(t.TempDir(), "b")
	attach(t, src, scopeOf("s"), "a", []byte("one"))
	blobs, index := memblob.New(), memindex.New()
	var watch store.IndexDriver
	from := over(t, blobs, tappedIndex{index, func(call string) error {
		if watch == nil && call == "ScanSessions" {
			d, err := sqliteindex.Open(t.Context(), filepath.Join(dir+".partial", newRows), nil)
			check(t, err)
			_, err = d.Decoders(t.Context())
			check(t, err)
			watch = d
		}
		return nil
	}})
	_, err := Migrate(t.Context(), src, over(t, blobs, index), MigrateOptions{})
	check(t, err)
	_, err = Backup(t.Context(), from, dir, BackupOptions{})
	wantCode(t, err, readapi.CodeBusy)
	check(t, watch.Close())
	r, err := Backup(t.Context(), from, dir, BackupOptions{})
	if err != nil || !r.Complete {
		t.Fatalf("%v, %+v", err, r)
	}
	b := onDisk(t, dir)
	same(t, "the backup", b, src)
	whole(t, b)
}

// losing is an index whose lease on a name goes to another holder at the first renewal.
type losing struct {
	store.IndexDriver
	asked atomic.Int64
}

func (d *losing) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	if d.asked.Add(1) > 1 {
		return false, nil
	}
	return d.IndexDriver.Acquire(ctx, name, holder, ttl)
}

// A backup that has lost its lease ends, and what it made gets no name: another one may be making it by now.
func TestBackupLosesItsLease(t *testing.T) {
	index, blobs := memindex.New(), memblob.New()
	attach(t, over(t, blobs, index), scopeOf("s"), "a", []byte("one"))
	from := over(t, blobs, &losing{IndexDriver: tappedIndex{index, func(call string) error {
		if call == "Decoders" { // behind all files
			time.Sleep(300 * time.Millisecond)
		}
		return nil
	}}})
	dir := filepath.Join(t.TempDir(), "b")
	_, err := Backup(t.Context(), from, dir, BackupOptions{ttl: 60 * time.Millisecond})
	wantCode(t, err, readapi.CodeBusy)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("there is a backup:", err)
	}
}

// One backup of a store runs at a time, and the modes keep others out.
func TestBackupAlone(t *testing.T) {
	index, blobs := memindex.New(), memblob.New()
	plain := over(t, blobs, index)
	attach(t, plain, scopeOf("s"), "a", []byte("one"))
	base, tried := t.TempDir(), false
	from := over(t, blobs, tappedIndex{index, func(call string) error {
		if call == "ListArtifacts" && !tried {
			tried = true
			_, err := Backup(t.Context(), plain, filepath.Join(base, "second"), BackupOptions{})
			wantCode(t, err, readapi.CodeBusy)
		}
		return nil
	}})
	dir := filepath.Join(base, "first")
	if _, err := Backup(t.Context(), from, dir, BackupOptions{}); err != nil || !tried {
		t.Fatal(tried, err)
	}
	check(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if want := map[bool]os.FileMode{true: 0o700, false: 0o600}[d.IsDir()]; err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v; want %v", d.Name(), info.Mode().Perm(), want)
		}
		return err
	}))
}

// A restore asks for an empty store, or for one that has a part of the backup; and leaves the backup as it is.
func TestRestore(t *testing.T) {
	ctx, src, dir := t.Context(), inMemory(t), filepath.Join(t.TempDir(), "b")
	_, err := Restore(ctx, dir, inMemory(t), RestoreOptions{})
	wantCode(t, err, readapi.CodeNotFound)
	for _, s := range []string{"r", "s", "t"} {
		attach(t, src, scopeOf(s), s, []byte(s))
	}
	_, err = Backup(ctx, src, dir, BackupOptions{})
	check(t, err)

	dst := inMemory(t)
	attach(t, dst, scopeOf("s"), "s", []byte("s"))
	_, err = Restore(ctx, dir, dst, RestoreOptions{})
	wantCode(t, err, readapi.CodeConflict)
	r, err := Restore(ctx, dir, dst, RestoreOptions{Resume: true})
	if err != nil || !r.Complete || r.Artifacts != 2 {
		t.Fatalf("%v, %+v", err, r)
	}
	same(t, "resumed", dst, src)
	attach(t, dst, scopeOf("u"), "u", []byte("u"))
	_, err = Restore(ctx, dir, dst, RestoreOptions{Resume: true})
	wantCode(t, err, readapi.CodeConflict)

	check(t, filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err == nil && os.Getuid() != 0 {
			err = os.Chmod(name, map[bool]os.FileMode{true: 0o500, false: 0o400}[d.IsDir()])
		}
		return err
	}))
	t.Cleanup(func() {
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error { return os.Chmod(name, 0o700) })
	})
	fresh := inMemory(t)
	_, err = Restore(ctx, dir, fresh, RestoreOptions{})
	check(t, err)
	same(t, "restored", fresh, src)
	names, err := readNames(dir)
	if check(t, err); !slices.Equal(names, []string{markFile, filesDir, rowsFile}) {
		t.Errorf("the backup has %v", names)
	}
}

// A run that is canceled says so, and lets go of what it held.
func TestCanceled(t *testing.T) {
	index, blobs := memindex.New(), memblob.New()
	plain := over(t, blobs, index)
	attach(t, plain, scopeOf("s"), "a", []byte("one"))
	ctx, cancel := context.WithCancel(t.Context())
	from := over(t, tappedBlobs{blobs, func(string) error {
		cancel()
		return nil
	}}, index)
	dir := filepath.Join(t.TempDir(), "b")
	_, err := Backup(ctx, from, dir, BackupOptions{})
	wantCode(t, err, readapi.CodeCanceled)
	_, err = Backup(t.Context(), plain, dir, BackupOptions{})
	check(t, err)
	whole(t, onDisk(t, dir))
}
