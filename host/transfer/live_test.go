package transfer

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// removeBytes removes bytes by the rules: claimed, and only if nothing keeps them.
func removeBytes(ctx context.Context, s Store, digests []string) error {
	for _, d := range digests {
		ok, err := s.Index.ClaimBlob(ctx, d, time.Minute)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if err := errors.Join(s.Blobs.Remove(ctx, d), s.Index.EndClaim(ctx, d)); err != nil {
			return err
		}
	}
	return nil
}

func purgeArtifact(ctx context.Context, s Store, scope readapi.Scope, id readapi.ArtifactID) error {
	a, ok, err := s.Index.PurgeArtifact(ctx, scope, id, at(1))
	if err != nil || !ok {
		return err
	}
	return errors.Join(removeBytes(ctx, s, digestsOf([]store.Artifact{a})), s.Index.DropArtifact(ctx, scope, id))
}

func purgeSession(ctx context.Context, s Store, scope readapi.Scope) error {
	if _, ok, err := s.Index.MarkSession(ctx, scope, store.PurgeSession, at(1)); err != nil || !ok {
		return err
	}
	rows, _, err := s.Index.ListArtifacts(ctx, scope, -1, store.MaxPage)
	if err != nil {
		return err
	}
	return errors.Join(removeBytes(ctx, s, digestsOf(rows)), s.Index.DropSession(ctx, scope))
}

// Whatever happens to a session at whichever moment of its copy: what is copied is whole, and none of it is of two sessions.
func TestCopyWhileItChanges(t *testing.T) {
	scope, other := readapi.Scope{Principal: "local", Session: "s"}, readapi.Scope{Principal: "local", Session: "t"}
	for _, change := range []struct {
		name string
		do   func(ctx context.Context, s Store) error
	}{
		{"append", func(ctx context.Context, s Store) error {
			return tryAttach(ctx, s, scope, "late", new([]readapi.ArtifactID), []byte("late"))
		}},
		{"delete a file", func(ctx context.Context, s Store) error {
			_, _, err := s.Index.DeleteArtifact(ctx, scope, "first-0", at(7))
			return err
		}},
		{"delete", func(ctx context.Context, s Store) error {
			_, _, err := s.Index.MarkSession(ctx, scope, store.DeleteSession, at(7))
			return err
		}},
		{"purge", func(ctx context.Context, s Store) error { return purgeSession(ctx, s, scope) }},
		{"mark only", func(ctx context.Context, s Store) error {
			_, _, err := s.Index.MarkSession(ctx, scope, store.PurgeSession, at(7))
			return err
		}},
		{"purge and begin anew", func(ctx context.Context, s Store) error {
			var ids []readapi.ArtifactID
			return errors.Join(purgeSession(ctx, s, scope), tryAttach(ctx, s, scope, "anew", &ids, []byte("other bytes"), []byte("one")),
				tryAttach(ctx, s, scope, "anew2", &ids, []byte("two")), tryAttach(ctx, s, scope, "anew3", &ids, []byte("three")))
		}},
		{"purge the other", func(ctx context.Context, s Store) error { return purgeSession(ctx, s, other) }},
	} {
		t.Run(change.name, func(t *testing.T) { changeAnywhere(t, scope, other, change.do) })
	}
}

func changeAnywhere(t *testing.T, scope, other readapi.Scope, do func(context.Context, Store) error) {
	for k := 1; ; k++ {
		index, blobs := memindex.New(), memblob.New()
		plain := over(t, blobs, index)
		attach(t, plain, scope, "first", []byte("one"), []byte("two"))
		attach(t, plain, scope, "second", []byte("shared"))
		attach(t, plain, other, "third", []byte("shared"), []byte("three"))
		n, done := 0, false
		between := func(string) error {
			if n++; n == k {
				done = true
				return do(t.Context(), plain)
			}
			return nil
		}
		from := over(t, tappedBlobs{blobs, between}, tappedIndex{index, between})
		c := &copier{from: from, to: inMemory(t), prune: true, jobs: 1, out: &reporter{}}
		err := c.sessions(t.Context())
		if r, _ := c.out.result("", nil); err != nil || r.Failed > 0 {
			t.Fatalf("changed at call %d: %v, %+v", k, err, r)
		}
		for _, p := range problemsOf(t, c.to) {
			t.Errorf("changed at call %d: %s", k, p)
		}
		if t.Failed() {
			return
		}
		if !done {
			if k < 20 {
				t.Fatalf("a run makes %d calls: this test tests nothing", k)
			}
			return
		}
	}
}

// Bytes that are being copied cannot be claimed, so nobody removes them.
func TestCopiedBytesStay(t *testing.T) {
	index, blobs := memindex.New(), memblob.New()
	plain := over(t, blobs, index)
	scope := readapi.Scope{Principal: "local", Session: "s"}
	ids := attach(t, plain, scope, "a", []byte("one"))
	tried := false
	from := over(t, tappedBlobs{blobs, func(call string) error {
		if call != "Open" {
			return nil
		}
		tried = true
		_, _, err := index.PurgeArtifact(t.Context(), scope, ids[0], at(1))
		check(t, err)
		ok, err := index.ClaimBlob(t.Context(), digest([]byte("one")), time.Minute)
		check(t, err)
		if ok {
			t.Error("bytes were claimed while they were copied")
		}
		return nil
	}}, index)
	_, err := Backup(t.Context(), from, filepath.Join(t.TempDir(), "b"), BackupOptions{Jobs: 1})
	check(t, err)
	if !tried {
		t.Error("nothing was copied")
	}
	ok, err := index.ClaimBlob(t.Context(), digest([]byte("one")), time.Minute)
	if check(t, err); !ok {
		t.Error("the bytes are kept behind the end of the run")
	}
}

// TestBackupBesideWriters: backups are made while four goroutines attach, delete, purge and begin anew; every row of each backup opens.
func TestBackupBesideWriters(t *testing.T) {
	t.Parallel()
	for name, src := range map[string]Store{"memory": inMemory(t), "disk": onDisk(t, t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			var writers sync.WaitGroup
			var writes [4]int
			for i := range writes {
				writers.Go(func() { writes[i] = scribble(ctx, t, src, i) })
			}
			time.Sleep(50 * time.Millisecond) // something to back up
			dir := filepath.Join(t.TempDir(), "b")
			var copied, present int64
			for range 6 {
				r, err := Backup(t.Context(), src, dir, BackupOptions{})
				if err != nil || !r.Complete {
					t.Errorf("%v, %+v", err, r)
				}
				got := inMemory(t)
				if _, err := Restore(t.Context(), dir, got, RestoreOptions{}); err != nil {
					t.Errorf("restore: %v", err)
				}
				whole(t, got)
				copied, present = copied+r.Blobs, present+r.Present
				if t.Failed() {
					break
				}
			}
			stop()
			writers.Wait()
			t.Logf("%d writes beside 6 backups; %d files were copied, %d were there", writes[0]+writes[1]+writes[2]+writes[3], copied, present)
			if copied == 0 || present == 0 || writes[0] == 0 {
				t.Error("there was nothing to see")
			}
			if r, err := Backup(t.Context(), src, dir, BackupOptions{}); err != nil || !r.Complete {
				t.Fatalf("the last one: %v, %+v", err, r)
			}
			b := onDisk(t, dir)
			same(t, "the last backup", b, src)
			whole(t, b)
			onlyNamed(t, b)
		})
	}
}

// scribble writes until ctx ends, and returns how often.
func scribble(ctx context.Context, t *testing.T, s Store, i int) (writes int) {
	r := rand.New(rand.NewPCG(uint64(i), 5))
	for ; ctx.Err() == nil; writes++ {
		scope := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s", r.IntN(4)))} // shared by all
		name := fmt.Sprintf("w%d-%d", i, writes)
		var err error
		switch r.IntN(10) {
		default:
			err = tryAttach(ctx, s, scope, name, new([]readapi.ArtifactID), content(r.IntN(30)), content(r.IntN(30)))
		case 0, 1:
			var rows []store.Artifact
			if rows, _, err = s.Index.ListArtifacts(ctx, scope, -1, 50); err == nil && len(rows) > 0 {
				_, _, err = s.Index.DeleteArtifact(ctx, scope, rows[r.IntN(len(rows))].ID, at(1))
			}
		case 2:
			scope.Session += "-unnamed" // a session whose events name nothing: its files may go
			var ids []readapi.ArtifactID
			if err = tryAttach(ctx, s, scope, name, &ids, content(r.IntN(30))); err == nil {
				err = purgeArtifact(ctx, s, readapi.Scope{Principal: "local", Session: scope.Session}, ids[0])
			}
			if err == nil && r.IntN(2) == 0 {
				err = purgeSession(ctx, s, scope)
			}
		case 3:
			err = purgeSession(ctx, s, scope)
		}
		switch readapi.CodeOf(err) {
		case "", readapi.CodeBusy, readapi.CodeGone, readapi.CodeCanceled: // as hosts get them
		default:
			t.Errorf("a writer: %v", err)
			return writes
		}
	}
	return writes
}
