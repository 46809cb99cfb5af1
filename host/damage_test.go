package host_test

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Bytes that rot on the disk, one of 64 in a small file and in a large one, are corrupt to who reads them and to a check. No decoder sees
// those of a small file; a large one is compared with its digest while it is decoded, and the answer is dropped.
func TestRotOnDisk(t *testing.T) {
	p := filesIn(t, t.TempDir())
	defer p.close(t)
	q := newQuick()
	h := p.open(t, q, &host.Options{Alone: true, CacheBytes: -1})
	s := h.Session(scope("s"))
	for _, size := range []int{4 << 10, 3 << 20} {
		content := bytes.Repeat([]byte("sixteen bytes.\r\n"), size/16)
		a := attach(t, s, "a.txt", string(content))
		name := filepath.Join(p.dir, "blobs", "blobs", digestOf(string(content))[:2], digestOf(string(content)))
		for i := range 64 {
			rotten := bytes.Clone(content)
			rotten[i*(size-1)/63] ^= 1 << (i % 8)
			if err := os.WriteFile(name, rotten, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil)
			wantCode(t, fmt.Sprintf("reading with byte %d of 64 rotten", i), err, readapi.CodeCorrupt)
			if i%16 == 0 {
				checkRot(t, h, a.ID)
			}
		}
		if n := q.decoded.Load(); n != 0 && size < 1<<20 {
			t.Errorf("a decoder saw rotten bytes %d times", n)
		}
		q.decoded.Store(0)
		attach(t, s, "again.txt", string(content))
		if doc, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil); err != nil || len(doc.Parts) != 1 || q.decoded.Load() != 1 {
			t.Errorf("mended: %+v, %v", doc, err)
		}
		q.decoded.Store(0)
	}
}

func checkRot(t *testing.T, h *host.Host, id readapi.ArtifactID) {
	t.Helper()
	report, err := h.Keeper().Fsck(t.Context(), retain.FsckOptions{ReadData: true, Repair: true})
	if err != nil || report.Clean || report.Found[retain.BlobDamaged] != 1 || report.Findings[0].Artifact != id {
		t.Errorf("fsck of rotten bytes: %+v, %v", report, err)
	}
}

const holdVar = "GLOVEBOX_HOST_HOLD" // in the child: the database that it holds

// TestBusyChild is the child of TestBusy: it holds the database for good.
func TestBusyChild(t *testing.T) {
	path := os.Getenv(holdVar)
	if path == "" {
		return
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA busy_timeout = 5000", "BEGIN IMMEDIATE", "DELETE FROM events", "DELETE FROM artifacts"} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Println("held")
	time.Sleep(time.Minute)
}

// Another process holds the database, and changes it: who writes is told busy in time, who reads goes on, and when that process is killed,
// all is as it was.
func TestBusy(t *testing.T) {
	dir := t.TempDir()
	blobs, err := fileblob.Open(filepath.Join(dir, "blobs"), nil)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "index.db")
	driver, err := sqliteindex.Open(t.Context(), path, &sqliteindex.Options{BusyTimeout: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{blobs: blobs, driver: driver, dir: dir}
	defer p.close(t)
	h := p.open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1})
	s := h.Session(scope("s"))
	a := attach(t, s, "a.txt", "content")
	upload(t, s, "up", "c", "u.txt", "uploaded")
	end := holdDatabase(t, path)

	for what, step := range map[string]func(context.Context) error{
		"attach": func(ctx context.Context) error {
			_, err := s.Attach(ctx, host.Message{ID: "m", Text: "see", Files: []host.NewFile{newFile("b.txt", "other")}})
			return err
		},
		"commit": func(ctx context.Context) error { _, err := s.CommitUpload(ctx, "c", "up"); return err },
		"delete": func(ctx context.Context) error { return s.Delete(ctx, uri(a.ID)) },
		"purge":  func(ctx context.Context) error { return s.Purge(ctx, uri(a.ID)) },
		"copy":   func(ctx context.Context) error { _, err := s.CopyTo(ctx, "t"); return err },
		"gc":     func(ctx context.Context) error { _, err := h.Keeper().GC(ctx, retain.GCOptions{}); return err },
	} {
		begun := time.Now()
		wantCode(t, what+" of a database that is held", step(t.Context()), readapi.CodeBusy)
		if took := time.Since(begun); took > 10*time.Second {
			t.Errorf("%s waited for %v", what, took)
		}
	}
	if doc, err := s.Read(t.Context(), a.Resource, readapi.Selection{}, nil); err != nil || len(doc.Parts) != 1 {
		t.Errorf("reading beside who holds it: %+v, %v", doc, err)
	}
	end()
	if got, err := bytesOf(t.Context(), s, a.ID); err != nil || got != "content" {
		t.Errorf("behind the kill: %q, %v", got, err)
	}
	if u, err := s.CommitUpload(t.Context(), "c", "up"); err != nil || u.Bytes != 8 {
		t.Errorf("the upload: %+v, %v", u, err)
	}
	attach(t, s, "b.txt", "other")
	wholeStore(t, p, "behind the kill", false)
	if rows, err := p.driver.FindArtifacts(t.Context(), a.ID); err != nil || len(rows) != 1 {
		t.Errorf("%v, %v", rows, err)
	}
}

// holdDatabase has another process hold a database until end, which kills it.
func holdDatabase(t *testing.T, path string) (end func()) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestBusyChild$")
	child.Env = append(os.Environ(), holdVar+"="+path)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = child.Process.Kill()
		_ = child.Wait()
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "held" {
		end()
		t.Fatalf("the child does not hold it: %q", lines.Text())
	}
	return end
}
