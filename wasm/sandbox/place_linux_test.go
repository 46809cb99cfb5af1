package sandbox

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestForeignWithoutPlace: a cache that nothing can be written to, as on a full disk, is no fault of the module's. Its machine code lies in a
// folder of the runtime's own, which Close removes. In /proc not even root can make a file.
func TestForeignWithoutPlace(t *testing.T) {
	const full = "/proc"
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	engines(t, func(t *testing.T, e Engine) {
		var log bytes.Buffer
		helper, starts := counted(t)
		opts := Options{Engine: e, CacheDir: full, Helper: helper, Log: slog.New(slog.NewTextHandler(&log, nil))}
		rt := newRuntime(t, opts)
		if _, _, err := decode(t, compile(t, rt, ticket(t, 1)), &Call{}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(log.String(), "cannot be used") {
			t.Errorf("log: %s", log.String())
		}
		before := starts()
		for range 2 { // for a process: the second time it is there
			p, err := rt.Prepare(t.Context(), ticket(t, 2))
			if err != nil {
				t.Fatal(err)
			}
			if e == Compiler && (filepath.Dir(p.CacheDir) != temp || starts() != before+1) {
				t.Errorf("it lies in %s, after %d helpers", p.CacheDir, starts()-before)
			}
		}
		if err := rt.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if left, err := filepath.Glob(filepath.Join(temp, "glovebox-*")); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
	t.Setenv("TMPDIR", full)
	_, err := newRuntime(t, Options{CacheDir: full, Helper: self(t, "helper")}).Compile(t.Context(), ticket(t, 1))
	wantCode(t, err, readapi.CodeCapabilityUnavailable)
}

// TestForeignFromReadOnly: an entry of a cache that may only be read is used. Root may write everywhere, and is asked nothing here.
func TestForeignFromReadOnly(t *testing.T) {
	dir := t.TempDir()
	compile(t, newRuntime(t, Options{CacheDir: dir, Helper: self(t, "helper")}), ticket(t, 3))
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	compile(t, newRuntime(t, Options{CacheDir: dir}), ticket(t, 3)) // without a helper: it is loaded
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}
