//go:build unix

package fileblob

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func openDir(t *testing.T, dir string) *Driver {
	t.Helper()
	d, err := Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// Nobody else can look at the files, whatever the umask would allow.
func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "new", "data")
	b := newBlobs(t, openDir(t, dir))
	if _, err := putPayload(t, b); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if err == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v, want %v", name, info.Mode().Perm(), want)
		}
		return err
	})
	if err != nil || files != 1 {
		t.Errorf("%d files, %v", files, err)
	}
}

// What is in a blob's place and is no plain file of ours is refused, without waiting for it, and mended by storing the bytes again.
func TestStrangeFiles(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, make := range map[string]func(dir, path string) error{
		"a link out of the folder": func(_, path string) error { return os.Symlink(outside, path) },
		"a link within the folder": func(dir, path string) error {
			if err := os.WriteFile(filepath.Join(dir, "inside"), payload, 0o600); err != nil {
				return err
			}
			return os.Symlink("../../inside", path)
		},
		"a link to nothing":   func(_, path string) error { return os.Symlink("nothing", path) },
		"a link to itself":    func(_, path string) error { return os.Symlink(filepath.Base(path), path) },
		"a pipe":              func(_, path string) error { return syscall.Mkfifo(path, 0o600) },
		"a second name":       func(_, path string) error { return os.Link(outside, path) },
		"other bytes":         func(_, path string) error { return os.WriteFile(path, bytes.ToUpper(payload), 0o600) },
		"one byte less":       func(_, path string) error { return os.WriteFile(path, payload[1:], 0o600) },
		"nothing in the file": func(_, path string) error { return os.WriteFile(path, nil, 0o600) },
		"nothing":             func(_, _ string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			b := newBlobs(t, openDir(t, dir))
			blob, err := putPayload(t, b)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, filepath.FromSlash(blobPath(blob.SHA256)))
			if err := errors.Join(os.Remove(path), make(dir, path)); err != nil {
				t.Fatal(err)
			}
			if _, err := b.Open(t.Context(), blob); readapi.CodeOf(err) != readapi.CodeCorrupt {
				t.Errorf("%v, want corrupt", err)
			}
			if _, err := putPayload(t, b); err != nil {
				t.Fatalf("storing the bytes again: %v", err)
			}
			if o, err := b.Open(t.Context(), blob); err != nil {
				t.Errorf("afterwards: %v", err)
			} else {
				_ = o.Close()
			}
			if got, err := os.ReadFile(outside); err != nil || !bytes.Equal(got, payload) {
				t.Errorf("the file outside was written to: %v", err)
			}
		})
	}
}

// A folder in the place of a blob is refused, and stays: it is not ours to remove.
func TestFolderInPlace(t *testing.T) {
	for _, inside := range []string{"", "x"} {
		t.Run(inside, func(t *testing.T) { folderInPlace(t, inside) })
	}
}

func folderInPlace(t *testing.T, inside string) {
	dir := t.TempDir()
	b := newBlobs(t, openDir(t, dir))
	blob, err := putPayload(t, b)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(blobPath(blob.SHA256)))
	if err := errors.Join(os.Remove(path), os.MkdirAll(filepath.Join(path, inside), 0o700)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Open(t.Context(), blob); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("%v, want corrupt", err)
	}
	_, err = putPayload(t, b)
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeCapabilityUnavailable || e.Detail != "a folder is in the place of the file's bytes" {
		t.Errorf("%v, want capability_unavailable that says what is in the way", err)
	}
	if left, _ := os.ReadDir(filepath.Join(dir, tmpDir)); len(left) != 0 {
		t.Errorf("%v is left in tmp", left)
	}
}

// Only what has not been written to for an hour is swept: a writer may be slow.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	d := openDir(t, dir)
	w, err := d.Create(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	for name, age := range map[string]time.Duration{"stale": 61 * time.Minute, "recent": 59 * time.Minute, "of the future": -time.Hour} {
		path := filepath.Join(dir, tmpDir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, now.Add(-age), now.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	openDir(t, dir)
	left, err := os.ReadDir(filepath.Join(dir, tmpDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range left {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, ","); len(names) != 3 || strings.Contains(got, "stale") {
		t.Errorf("%s are left", got)
	}
	if _, err := w.Write(payload); err != nil {
		t.Error(err)
	}
	if err := w.Commit(strings.Repeat("0", 64)); err != nil {
		t.Errorf("the running writer: %v", err)
	}
}

// A writer whose file was swept says so, and the next one works.
func TestSwept(t *testing.T) {
	for _, gone := range []string{tmpDir, blobsDir} {
		dir := t.TempDir()
		d := openDir(t, dir)
		b := newBlobs(t, d)
		if _, err := putPayload(t, b); err != nil {
			t.Fatal(err)
		}
		w, err := d.Create(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.RemoveAll(filepath.Join(dir, gone)), os.Mkdir(filepath.Join(dir, gone), 0o700)); err != nil {
			t.Fatal(err)
		}
		blob, _ := putPayload(t, newBlobs(t, openDir(t, t.TempDir())))
		if err := w.Commit(blob.SHA256); readapi.CodeOf(err) != readapi.CodeBusy {
			t.Errorf("%s is gone: %v, want busy", gone, err)
		}
		if _, err := putPayload(t, b); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	}
}

// A place that cannot be a folder of ours.
func TestBadPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	inTheWay := t.TempDir()
	if err := os.WriteFile(filepath.Join(inTheWay, "tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below"), "/proc/nothing/here"} {
		if _, err := Open(dir, nil); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
			t.Errorf("%s: %v, want capability_unavailable", dir, err)
		}
	}
	d, err := Open(inTheWay, nil)
	if err == nil {
		_, err = putPayload(t, newBlobs(t, d))
		_ = d.Close()
	}
	if readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("a file in the way: %v, want capability_unavailable", err)
	}
	if _, err := Open(t.TempDir(), &Options{StaleAfter: -1}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative option: %v", err)
	}
}

// A large blob is open before it is verified; damage is found then, and by readers beside.
func TestLargeDamaged(t *testing.T) {
	dir := t.TempDir()
	b, err := store.NewBlobs(openDir(t, dir), &store.BlobsOptions{MemoryBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	blob, err := putPayload(t, b)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, filepath.FromSlash(blobPath(blob.SHA256)))
	o, err := b.Open(t.Context(), blob)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	damaged := bytes.Clone(payload)
	damaged[len(damaged)-1] ^= 1
	if err := os.WriteFile(path, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := o.Verify(t.Context()); readapi.CodeOf(err) != readapi.CodeCorrupt || o.Verified() {
			t.Errorf("verify: %v, want corrupt", err)
		}
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := o.ReadAt(make([]byte, 200), 0); readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("a read behind the end: %v, want corrupt", err)
	}
}
