package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestBadHelpers checks that whatever a helper does, the module is refused, or the helper is: no crash, no hang, nothing in the cache, nothing raw in the log.
func TestBadHelpers(t *testing.T) {
	limits := map[string]string{"deaf": "compile_timeout_ms", "slow": "compile_timeout_ms", "hog": "compile_memory"}
	for name := range badHelpers {
		t.Run(name, func(t *testing.T) {
			if name == "hog" && runtime.GOOS != "linux" {
				limits[name] = "compile_timeout_ms" // it does not watch itself, and only Linux tells
			}
			var log bytes.Buffer
			timeout := time.Minute // longer than any of them needs
			if limits[name] == "compile_timeout_ms" {
				timeout = 100 * time.Millisecond
			}
			dir := t.TempDir()
			rt := newRuntime(t, Options{
				CacheDir: dir, Helper: self(t, "bad", name), Log: slog.New(slog.NewTextHandler(&log, nil)),
				CompileLimits: CompileLimits{Timeout: timeout, MaxMemoryBytes: 64 << 20, MaxCodeBytes: 1 << 20},
			})
			_, err := rt.Compile(t.Context(), ticket(t, 5))
			if name == "another version" || name == "another build" {
				uselessWith(t, err)
			} else {
				refusedWith(t, err, limits[name])
			}
			for _, left := range names(t, dir) {
				if !strings.HasPrefix(left, "tmp-moved") && !strings.HasPrefix(left, "tmp-link") { // by the helper, which nothing confines here
					t.Errorf("left in the cache: %s", left)
				}
			}
			if strings.ContainsAny(log.String(), "\x1b\a") || strings.Contains(log.String(), `\x1b`) || log.Len() > 8*helperLogBytes {
				t.Errorf("%d bytes of log: %.200q", log.Len(), log.String())
			}
		})
	}
}

// TestGoodHelperIsAccepted is the ablation of TestBadHelpers: the same entry, unchanged.
func TestGoodHelperIsAccepted(t *testing.T) {
	rt := newRuntime(t, Options{CacheDir: t.TempDir(), Helper: self(t, "helper"), CompileLimits: CompileLimits{MaxMemoryBytes: 64 << 20, MaxCodeBytes: 1 << 20}})
	compile(t, rt, ticket(t, 5))
}

func TestHelperIsMissing(t *testing.T) {
	for _, helper := range [][]string{{filepath.Join(t.TempDir(), "none")}, {t.TempDir()}, {""}} {
		_, err := newRuntime(t, Options{Helper: helper}).Compile(t.Context(), ticket(t, 6))
		uselessWith(t, err)
	}
}

// TestCloseEndsHelpers checks that a runtime that closes does not wait for a helper, and that a caller that leaves does not either.
func TestCloseEndsHelpers(t *testing.T) {
	rt, err := New(&Options{Helper: self(t, "bad", "slow")})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancelled := make(chan error)
	go func() {
		_, err := rt.Compile(ctx, ticket(t, 8))
		cancelled <- err
	}()
	other := make(chan error)
	go func() {
		_, err := rt.Compile(t.Context(), ticket(t, 9))
		other <- err
	}()
	cancel()
	if err := <-cancelled; readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("the one who left: %v", err)
	}
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-other; readapi.CodeOf(err) != readapi.CodeCanceled {
		t.Errorf("the one who stayed: %v", err)
	}
}

// TestManyProcesses lets four processes of eight goroutines need the same module at once: one helper is started.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	file, count := filepath.Join(dir, "wasm"), filepath.Join(dir, "starts")
	g := newGuest(i32(0))
	branchTargets(g, 100, 1000) // long enough for all to come while one compiles
	if err := os.WriteFile(file, g.module(t).Wasm, 0o600); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(dir, "cache")
	var start []io.Closer
	var all []*exec.Cmd
	for range 4 {
		cmd := exec.CommandContext(t.Context(), self(t)[0], "many", cache, count, file)
		cmd.Stderr = os.Stderr
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		start, all = append(start, in), append(all, cmd)
	}
	for _, in := range start {
		_ = in.Close()
	}
	for _, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	b, err := os.ReadFile(count)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" { // no lock between processes
		if len(b) == 0 {
			t.Error("no helper was started")
		}
	} else if len(b) != 1 {
		t.Errorf("%d helpers", len(b))
	}
	if left := names(t, cache); len(left) != 1 {
		t.Errorf("left in the cache: %v", left)
	}
}

func names(t testing.TB, dir string) (out []string) {
	t.Helper()
	all, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		out = append(out, e.Name())
	}
	return out
}
