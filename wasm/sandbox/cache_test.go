package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// cached compiles m with a cache in dir, decodes once, and returns what was logged.
func cached(t *testing.T, dir string, m Module) (log string) {
	t.Helper()
	var out bytes.Buffer
	rt := newRuntime(t, Options{CacheDir: dir, Log: slog.New(slog.NewTextHandler(&out, nil))})
	if _, _, err := decode(t, compile(t, rt, m), &Call{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func entryOf(t *testing.T, dir string, m Module) (folder, code string) {
	t.Helper()
	folder = newCompileCache(dir, slog.New(slog.DiscardHandler)).folder(m.Digest)
	var got manifest
	b, err := os.ReadFile(filepath.Join(folder, manifestName))
	if err == nil {
		err = json.Unmarshal(b, &got)
	}
	if err != nil || len(got.Files) != 1 {
		t.Fatalf("manifest %s: %v", b, err)
	}
	return folder, filepath.Join(folder, filepath.FromSlash(got.Files[0].Path))
}

func TestCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	m := newGuest(i32(0)).module(t)
	rt := newRuntime(t, Options{CacheDir: dir})
	if rt.Cached(m) {
		t.Error("cached before it was compiled")
	}
	if log := cached(t, dir, m); log != "" {
		t.Errorf("log: %s", log)
	}
	if !rt.Cached(m) {
		t.Error("not cached after it was compiled")
	}
	folder, code := entryOf(t, dir, m)
	before, err := os.Stat(code)
	if err != nil {
		t.Fatal(err)
	}
	if log := cached(t, dir, m); log != "" {
		t.Errorf("log: %s", log)
	}
	after, err := os.Stat(code)
	if err != nil || !os.SameFile(before, after) {
		t.Error("the entry was made again")
	}
	if runtime.GOOS != "windows" {
		for _, path := range []string{dir, folder} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o700 {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left in the cache: %v, %v", names, err)
	}
	if rt.Cached(Module{Digest: "../" + m.Digest[3:]}) {
		t.Error("a digest that is a path is cached")
	}
}

// TestCacheHeals damages an entry in each way; the next runtime must notice, make it again, and the one after must be content.
func TestCacheHeals(t *testing.T) {
	rewrite := func(change func(b []byte) []byte) func(t *testing.T, folder, code string) {
		return func(t *testing.T, _, code string) {
			b, err := os.ReadFile(code)
			if err == nil {
				err = os.WriteFile(code, change(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, damage := range map[string]func(t *testing.T, folder, code string){
		"empty":          rewrite(func([]byte) []byte { return nil }),
		"truncated":      rewrite(func(b []byte) []byte { return b[:len(b)/2] }),
		"longer":         rewrite(func(b []byte) []byte { return append(b, 0) }),
		"flipped header": rewrite(func(b []byte) []byte { b[7] ^= 1; return b }),
		"flipped offset": rewrite(func(b []byte) []byte { b[6+1+int(b[6])+4+8] ^= 1; return b }), // of the second function
		"flipped code":   rewrite(func(b []byte) []byte { b[len(b)-30] ^= 1; return b }),
		"missing":        func(t *testing.T, _, code string) { must(t, os.Remove(code)) },
		"foreign file": func(t *testing.T, folder, _ string) {
			must(t, os.WriteFile(filepath.Join(folder, "foreign"), nil, 0o600))
		},
		"no manifest":    func(t *testing.T, folder, _ string) { must(t, os.Remove(filepath.Join(folder, manifestName))) },
		"empty manifest": func(t *testing.T, folder, _ string) { must(t, os.Truncate(filepath.Join(folder, manifestName), 0)) },
		"manifest of another": func(t *testing.T, folder, _ string) {
			must(t, os.WriteFile(filepath.Join(folder, manifestName), []byte(`{"version":1,"module":"x","files":[]}`), 0o600))
		},
		"manifest of the future": func(t *testing.T, folder, _ string) {
			must(t, os.WriteFile(filepath.Join(folder, manifestName), []byte(`{"version":2}`), 0o600))
		},
		"symlink": func(t *testing.T, _, code string) {
			moved := filepath.Join(t.TempDir(), "code")
			must(t, os.Rename(code, moved))
			must(t, os.Symlink(moved, code))
		},
		"folder is a symlink": func(t *testing.T, folder, _ string) {
			moved := filepath.Join(t.TempDir(), "folder")
			must(t, os.Rename(folder, moved))
			must(t, os.Symlink(moved, folder))
		},
		"folder is a file": func(t *testing.T, folder, _ string) {
			must(t, os.RemoveAll(folder))
			must(t, os.WriteFile(folder, nil, 0o600))
		},
		"open to others": func(t *testing.T, folder, _ string) {
			if runtime.GOOS == "windows" {
				must(t, os.Remove(filepath.Join(folder, manifestName)))
				return
			}
			must(t, os.Chmod(folder, 0o755))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := newGuest(i32(0)).module(t)
			cached(t, dir, m)
			folder, code := entryOf(t, dir, m)
			damage(t, folder, code)
			if log := cached(t, dir, m); !strings.Contains(log, "damaged") {
				t.Errorf("nothing was noticed: %q", log)
			}
			if err := verifyFolder(folder, m.Digest); err != nil {
				t.Errorf("not healed: %v", err)
			}
			if log := cached(t, dir, m); log != "" {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// TestCacheCannotBeUsed checks that a program comes to be without a cache.
func TestCacheCannotBeUsed(t *testing.T) {
	m := newGuest(i32(0)).module(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file": file, "below a file": filepath.Join(file, "x")} {
		if log := cached(t, dir, m); !strings.Contains(log, "cannot be used") {
			t.Errorf("%s: log %q", name, log)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	if log := cached(t, open, m); !strings.Contains(log, "others may write") {
		t.Errorf("a folder that others may write to: log %q", log)
	}
	if os.Getuid() == 0 {
		return // nothing is unwritable
	}
	closed := t.TempDir()
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	if log := cached(t, closed, m); !strings.Contains(log, "cannot be used") {
		t.Errorf("an unwritable folder: log %q", log)
	}
}

// TestCacheAtOnce compiles the same module from many goroutines over two runtimes that share a folder, as two processes would.
func TestCacheAtOnce(t *testing.T) {
	dir := t.TempDir()
	m := newGuest(i32(0)).module(t)
	a, b := newRuntime(t, Options{CacheDir: dir}), newRuntime(t, Options{CacheDir: dir})
	var wg sync.WaitGroup
	for n := range 16 {
		rt := []*Runtime{a, b}[n%2]
		wg.Go(func() {
			p, err := rt.Compile(context.WithoutCancel(t.Context()), m)
			if err != nil {
				t.Error(err)
				return
			}
			if i, err := p.Instance(t.Context()); err != nil {
				t.Error(err)
			} else if _, err := i.Decode(t.Context(), &Call{}); err != nil {
				t.Error(err)
			}
			if err := p.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	folder, _ := entryOf(t, dir, m)
	if err := verifyFolder(folder, m.Digest); err != nil {
		t.Error(err)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 1 {
		t.Errorf("left in the cache: %v, %v", names, err)
	}
}

// TestCacheSweeps checks that what a dead process left goes, and what a live one may be filling stays.
func TestCacheSweeps(t *testing.T) {
	dir := t.TempDir()
	old, young := filepath.Join(dir, "tmp-1"), filepath.Join(dir, "tmp-2")
	for _, d := range []string{old, young} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-2 * tempLifetime)
	if err := os.Chtimes(old, past, past); err != nil {
		t.Fatal(err)
	}
	cached(t, dir, newGuest(i32(0)).module(t))
	if _, err := os.Lstat(old); err == nil {
		t.Error("the old one is still there")
	}
	if _, err := os.Lstat(young); err != nil {
		t.Error("the young one is gone")
	}
}
