package sandbox

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// use compiles m and decodes once, and returns what was logged.
func use(t testing.TB, opts Options, m Module) (log string) {
	t.Helper()
	var out bytes.Buffer
	opts.Log = slog.New(slog.NewTextHandler(&out, nil))
	rt := newRuntime(t, opts)
	p := compile(t, rt, m)
	if _, _, err := decode(t, p, &Call{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// copyTree copies a folder of files.
func copyTree(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		if err == nil {
			return os.Chmod(path, 0o600)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// damage does something random to one file of the folder, or to the folder.
func damage(t *rapid.T, folder string) string {
	var files []string
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, path)
		}
		return nil
	})
	file := rapid.SampledFrom(files).Draw(t, "file")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
	kind := rapid.SampledFrom([]string{"flip", "cut", "grow", "remove", "symlink", "link", "writable", "fifo", "more", "zero"}).Draw(t, "kind")
	if runtime.GOOS == "windows" && (kind == "symlink" || kind == "link" || kind == "writable") {
		kind = "cut"
	}
	outside := folder + "-outside"
	switch kind {
	case "flip":
		b[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		err = os.WriteFile(file, b, 0o600)
	case "cut":
		err = os.Truncate(file, int64(at))
	case "grow":
		err = os.WriteFile(file, append(b, b[at]), 0o600)
	case "zero":
		clear(b[at:])
		err = os.WriteFile(file, append(b, 0), 0o600)
	case "remove":
		err = os.Remove(file)
	case "symlink":
		if err = os.Rename(file, outside); err == nil {
			err = os.Symlink(outside, file)
		}
	case "link":
		err = os.Link(file, outside)
	case "writable":
		err = os.Chmod(file, 0o622)
	case "fifo":
		if err = os.Remove(file); err == nil {
			err = mkfifo(file)
		}
	case "more":
		err = os.WriteFile(filepath.Join(filepath.Dir(file), "more"), b[:at], 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%s of %s", kind, filepath.Base(file))
}

// TestCacheHealsFromAnything damages an entry at random. It is noticed and made again, of a foreign module by a helper, and is sound afterwards.
// Damage to the manifest that leaves its meaning, in its white space say, may go unnoticed: then the entry is what it says.
func TestCacheHealsFromAnything(t *testing.T) {
	helper, starts := counted(t)
	for _, isForeign := range []bool{false, true} {
		t.Run(fmt.Sprintf("foreign %v", isForeign), func(t *testing.T) {
			m := ticket(t, 10)
			m.Foreign = isForeign
			sound := t.TempDir()
			opts := Options{CacheDir: sound, Helper: helper}
			use(t, opts, m)
			folder, _ := entryOf(t, sound, m)
			rapid.Check(t, func(rt *rapid.T) {
				dir, err := os.MkdirTemp(t.TempDir(), "")
				if err != nil {
					rt.Fatal(err)
				}
				defer os.RemoveAll(dir)
				opts.CacheDir = filepath.Join(dir, "cache")
				copyTree(t, sound, opts.CacheDir)
				own := filepath.Join(opts.CacheDir, filepath.Base(folder))
				what, before := damage(rt, own), starts()
				_ = os.Rename(own+"-outside", filepath.Join(dir, "outside"))
				noticed := strings.Contains(use(t, opts, m), "damaged")
				if !noticed && !strings.HasSuffix(what, manifestName) {
					rt.Errorf("%s: not noticed", what)
				}
				want := before
				if noticed && isForeign {
					want++
				}
				if starts() != want {
					rt.Errorf("%s: %d helpers, want %d", what, starts()-before, want-before)
				}
				if log := use(t, opts, m); log != "" {
					rt.Errorf("%s: not healed: %s", what, log)
				}
			})
		})
	}
}

// TestCacheHealsFromCrashes leaves the cache as a process does that dies between any two steps of making an entry, or of removing one.
func TestCacheHealsFromCrashes(t *testing.T) {
	m := ticket(t, 11)
	sound := t.TempDir()
	opts := Options{CacheDir: sound, Helper: self(t, "helper")}
	use(t, opts, m)
	folder, code := entryOf(t, sound, m)
	base, rel := filepath.Base(folder), strings.TrimPrefix(code, folder)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		at   string // the folder's name
		step func(dir string)
	}{
		"folder made":           {"tmp-1", func(dir string) { must(os.RemoveAll(dir)); must(os.Mkdir(dir, 0o700)) }},
		"code half written":     {"tmp-1", func(dir string) { must(os.Remove(filepath.Join(dir, manifestName))); must(os.Truncate(dir+rel, 100)) }},
		"code written":          {"tmp-1", func(dir string) { must(os.Remove(filepath.Join(dir, manifestName))) }},
		"manifest half written": {"tmp-1", func(dir string) { must(os.Truncate(filepath.Join(dir, manifestName), 20)) }},
		"not renamed yet":       {"tmp-1", func(string) {}},
		"renamed, not on disk": {base, func(dir string) {
			must(os.Truncate(dir+rel, 0))
			must(os.Truncate(filepath.Join(dir, manifestName), 0))
		}},
		"code removed":        {base, func(dir string) { must(os.Remove(dir + rel)) }},
		"code folder removed": {base, func(dir string) { must(os.RemoveAll(filepath.Dir(dir + rel))) }},
		"manifest removed":    {base, func(dir string) { must(os.Remove(filepath.Join(dir, manifestName))) }},
		"all but the folder":  {base, func(dir string) { must(os.RemoveAll(dir)); must(os.Mkdir(dir, 0o700)) }},
		"lock left": {base, func(dir string) {
			must(os.RemoveAll(dir))
			must(os.WriteFile(filepath.Join(filepath.Dir(dir), "lock-"+base), nil, 0o600))
		}},
	} {
		for _, isForeign := range []bool{false, true} {
			m.Foreign = isForeign
			opts.CacheDir = t.TempDir()
			copyTree(t, folder, filepath.Join(opts.CacheDir, c.at))
			c.step(filepath.Join(opts.CacheDir, c.at))
			use(t, opts, m)
			if log := use(t, opts, m); log != "" {
				t.Errorf("%s: not healed: %s", name, log)
			}
			if err := verifyFolder(filepath.Join(opts.CacheDir, base), m.Digest); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestForeignProofHeals damages what says that a module can be lowered.
func TestForeignProofHeals(t *testing.T) {
	helper, starts := counted(t)
	m := ticket(t, 12)
	opts := Options{CacheDir: t.TempDir(), Helper: helper, Engine: Interpreter}
	use(t, opts, m)
	file := filepath.Join(newCompileCache(opts.CacheDir, nil).place(Interpreter, m.Digest), manifestName)
	for n, change := range []func() error{
		func() error { return os.Remove(file) },
		func() error { return os.Truncate(file, 10) },
		func() error { return os.WriteFile(file, []byte(`{"version":1,"module":"another"}`), 0o600) },
		func() error { return os.WriteFile(filepath.Join(filepath.Dir(file), "more"), nil, 0o600) },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if log := use(t, opts, m); !strings.Contains(log, "damaged") || starts() != n+2 {
			t.Errorf("%d: %d helpers: %q", n, starts(), log)
		}
		if log := use(t, opts, m); log != "" || starts() != n+2 {
			t.Errorf("%d: not healed, %d helpers: %q", n, starts(), log)
		}
	}
}
