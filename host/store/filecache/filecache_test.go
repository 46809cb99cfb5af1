//go:build unix

package filecache

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func openCache(t storetest.T, dir string) *Cache {
	c, err := Open(dir)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func TestConformance(t *testing.T) {
	storetest.RunCache(t, storetest.CacheHarness{
		New:    func(t storetest.T) store.CacheDriver { return openCache(t, filepath.Join(t.TempDir(), "cache")) },
		Beside: func(t storetest.T, d store.CacheDriver) store.CacheDriver { return openCache(t, d.(*Cache).dir) },
		Age: func(t storetest.T, d store.CacheDriver, key string, by time.Duration) {
			file := filepath.Join(d.(*Cache).dir, name(key))
			info, err := os.Stat(file)
			if err == nil {
				err = os.Chtimes(file, time.Time{}, info.ModTime().Add(-by))
			}
			if err != nil {
				t.Fatalf("%v", err)
			}
		},
	})
}

var testKey = strings.Repeat("0123456789abcdef", 4)

func mustPut(t *testing.T, c *Cache, value string) string {
	t.Helper()
	if err := c.Put(t.Context(), testKey, []byte(value)); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(c.dir, name(testKey))
}

// Whatever becomes of a file, what is got is the value or nothing, and the next Put makes it whole.
func TestDamaged(t *testing.T) {
	c := openCache(t, t.TempDir())
	file := mustPut(t, c, "a value")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var damaged [][]byte
	for i := range whole {
		flipped := bytes.Clone(whole)
		flipped[i] ^= 1
		damaged = append(damaged, flipped, whole[:i])
	}
	damaged = append(damaged, append(bytes.Clone(whole), 0), bytes.Repeat([]byte{0}, len(whole)))
	for i, content := range damaged {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if v, ok, err := c.Get(t.Context(), testKey); ok || err != nil {
			t.Errorf("damage %d: %q, %v", i, v, err)
		}
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("damage %d stays: %v", i, err)
		}
	}
	mustPut(t, c, "another")
	if v, ok, err := c.Get(t.Context(), testKey); !ok || string(v) != "another" || err != nil {
		t.Errorf("afterwards: %q, %v, %v", v, ok, err)
	}
	other := strings.Repeat("f", 64)
	if err := errors.Join(os.Mkdir(filepath.Join(c.dir, "ff"), 0o700), os.Link(file, filepath.Join(c.dir, name(other)))); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := c.Get(t.Context(), other); ok || err != nil {
		t.Errorf("the value of one key under another: %q, %v", v, err)
	}
}

// What is in a value's place and is no file is nothing, is not waited for, and leads nowhere.
func TestStrangeFiles(t *testing.T) {
	c := openCache(t, t.TempDir())
	outside := filepath.Join(t.TempDir(), "outside")
	file := mustPut(t, c, "a value")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(outside, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, plant := range map[string]func() error{
		"a link":   func() error { return os.Symlink(outside, file) },
		"a pipe":   func() error { return syscall.Mkfifo(file, 0o600) },
		"a folder": func() error { return os.Mkdir(file, 0o700) },
	} {
		if err := errors.Join(os.RemoveAll(file), plant()); err != nil {
			t.Fatal(err)
		}
		if v, ok, err := c.Get(t.Context(), testKey); ok || err != nil {
			t.Errorf("%s: %q, %v", what, v, err)
		}
		if _, err := c.Trim(t.Context(), 0); err != nil {
			t.Errorf("%s: trim: %v", what, err)
		}
	}
	if got, err := os.ReadFile(outside); err != nil || !bytes.Equal(got, content) {
		t.Errorf("outside was changed: %v", err)
	}
}

func TestModes(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	c := openCache(t, filepath.Join(t.TempDir(), "new", "cache"))
	mustPut(t, c, "a value")
	files := 0
	err := filepath.WalkDir(c.dir, func(name string, e fs.DirEntry, err error) error {
		info, ierr := e.Info()
		want := fs.FileMode(0o600)
		if e.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if ierr == nil && info.Mode().Perm() != want {
			t.Errorf("%s has mode %v", name, info.Mode().Perm())
		}
		return errors.Join(err, ierr)
	})
	if err != nil || files != 1 {
		t.Errorf("%d files, %v", files, err)
	}
}

// The folder may go away at any time: no call fails for it, and what is put afterwards is there.
func TestFolderRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	c := openCache(t, dir)
	stop := make(chan struct{})
	var wg, remover sync.WaitGroup
	remover.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.RemoveAll(dir)
			}
		}
	})
	for w := range 4 {
		wg.Go(func() {
			for i := range 200 {
				key, value := fmt.Sprintf("%064x", i%8), fmt.Sprint("value ", i%8)
				if err := c.Put(t.Context(), key, []byte(value)); err != nil {
					t.Errorf("put: %v", err)
				}
				if v, ok, err := c.Get(t.Context(), key); err != nil || ok && string(v) != value {
					t.Errorf("get: %q, %v", v, err)
				}
				if w == 0 && i%10 == 0 {
					if _, err := c.Trim(t.Context(), 100); err != nil {
						t.Errorf("trim: %v", err)
					}
				}
			}
		})
	}
	wg.Wait()
	close(stop)
	remover.Wait()
	mustPut(t, c, "a value")
	if v, ok, err := c.Get(t.Context(), testKey); !ok || string(v) != "a value" || err != nil {
		t.Errorf("afterwards: %q, %v, %v", v, ok, err)
	}
}

// That a value was asked for is noted once a minute; what writers that died left goes after an hour.
func TestTimes(t *testing.T) {
	c := openCache(t, t.TempDir())
	file := mustPut(t, c, "a value")
	for _, age := range []time.Duration{50 * time.Second, 70 * time.Second} {
		then := time.Now().Add(-age)
		if err := os.Chtimes(file, then, then); err != nil {
			t.Fatal(err)
		}
		if _, ok, err := c.Get(t.Context(), testKey); !ok || err != nil {
			t.Fatal(ok, err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if noted := time.Since(info.ModTime()) < 10*time.Second; noted != (age > renewAfter) {
			t.Errorf("%v after the last time: noted %v", age, noted)
		}
	}
	for name, age := range map[string]time.Duration{"stale": 61 * time.Minute, "recent": 59 * time.Minute} {
		tmp := filepath.Join(c.dir, tmpDir, name)
		if err := errors.Join(os.WriteFile(tmp, nil, 0o600), os.Chtimes(tmp, time.Now().Add(-age), time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	left, err := c.Trim(t.Context(), 1000)
	if err != nil || left != (store.Usage{Files: 1, Bytes: 7}) {
		t.Errorf("%+v, %v", left, err)
	}
	tmp, err := os.ReadDir(filepath.Join(c.dir, tmpDir))
	if err != nil || len(tmp) != 1 || tmp[0].Name() != "recent" {
		t.Errorf("%v is in tmp: %v", tmp, err)
	}
}

func TestArguments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(file); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("a file for a folder: %v", err)
	}
	c := openCache(t, t.TempDir())
	for _, key := range []string{"", "ab", "../" + testKey[3:], strings.ToUpper(testKey), testKey + "0"} {
		_, _, err := c.Get(t.Context(), key)
		if perr := c.Put(t.Context(), key, nil); readapi.CodeOf(err) != readapi.CodeInvalidRequest || readapi.CodeOf(perr) != readapi.CodeInvalidRequest {
			t.Errorf("the key %q: %v, %v", key, err, perr)
		}
	}
	if err := c.Put(t.Context(), testKey, make([]byte, maxValueBytes+1)); err != nil {
		t.Error(err)
	}
	if _, ok, err := c.Get(t.Context(), testKey); ok || err != nil {
		t.Errorf("a value that is too large is there: %v", err)
	}
	mustPut(t, c, "") // its folder
	large := make([]byte, maxValueBytes+1)
	sum := seal(testKey, large)
	if err := os.WriteFile(filepath.Join(c.dir, name(testKey)), slices.Concat([]byte(magic), sum[:], large), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := c.Get(t.Context(), testKey); ok || err != nil {
		t.Errorf("a file that is too large is read whole: %v", err)
	}
	if err := errors.Join(c.Close(), c.Close()); err != nil {
		t.Error(err)
	}
	_, _, err := c.Get(t.Context(), testKey)
	if perr := c.Put(t.Context(), testKey, nil); readapi.CodeOf(err) != readapi.CodeCanceled || readapi.CodeOf(perr) != readapi.CodeCanceled {
		t.Errorf("closed: %v, %v", err, perr)
	}
}

const processDir = "GLOVEBOX_TEST_CACHE_DIR"

// TestProcesses: several processes put, ask and trim in one folder, and each gets whole values or none.
func TestProcesses(t *testing.T) {
	dir := os.Getenv(processDir)
	if dir != "" {
		useCache(t, dir)
		return
	}
	dir = t.TempDir()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProcesses$")
			cmd.Env = append(os.Environ(), processDir+"="+dir)
			if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "PASS") {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	useCache(t, dir)
	wg.Wait()
}

func useCache(t *testing.T, dir string) {
	c := openCache(t, dir)
	hits := 0
	for i := range 600 {
		key, value := fmt.Sprintf("%064x", i%5), bytes.Repeat([]byte{byte(i % 5)}, 10_000)
		if v, ok, err := c.Get(t.Context(), key); err != nil || ok && !bytes.Equal(v, value) {
			t.Errorf("get: %d bytes, %v", len(v), err)
		} else if ok {
			hits++
		}
		if err := c.Put(t.Context(), key, value); err != nil {
			t.Errorf("put: %v", err)
		}
		if i%50 == 0 {
			if _, err := c.Trim(t.Context(), 30_000); err != nil {
				t.Errorf("trim: %v", err)
			}
		}
	}
	if hits == 0 {
		t.Error("nothing was ever there")
	}
}
