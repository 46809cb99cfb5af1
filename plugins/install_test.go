package plugins_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// readOnce reads a script with the one decoder of a new registry.
func readOnce(t *testing.T, d plugins.Decoder, opts plugins.Options) error {
	t.Helper()
	r, err := plugins.New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close(context.WithoutCancel(t.Context()))
	if err := r.Add(d); err != nil {
		t.Fatal(err)
	}
	in := hostiletest.NewScript().Frame(abi.KindText, abi.Part{At: 1}, "read").End()
	res, err := r.Decode(t.Context(), d.Info(), readapi.Decoding{
		Request: readapi.Request{Version: abi.Version, MediaType: d.MediaTypes[0], Form: readapi.FormAuto}, Input: bytes.NewReader(in),
	})
	if err == nil && (len(res.Parts) != 1 || res.Parts[0].Text != "read") {
		t.Errorf("%+v", res)
	}
	return errors.Join(err, r.Remove(t.Context(), d.Name))
}

// TestInstall follows a module that nobody vouches for: a helper compiles it once, at install, and reads take what that made.
func TestInstall(t *testing.T) {
	helper, starts := helperCommand(t)
	dir := t.TempDir()
	wasm := hostiletest.Puppet()
	d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Helper: helper, CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if !d.Foreign || starts() != 1 {
		t.Errorf("foreign %v, %d helpers", d.Foreign, starts())
	}
	if err := readOnce(t, d, plugins.Options{CacheDir: dir}); err != nil {
		t.Errorf("from the cache, without a helper: %v", err)
	}
	if err := readOnce(t, d, plugins.Options{Helper: helper}); err != nil || starts() != 2 {
		t.Errorf("without the cache: %v, %d helpers", err, starts())
	}
	if err := readOnce(t, d, plugins.Options{}); readapi.CodeOf(err) != readapi.CodeModuleRefused {
		t.Errorf("without either: %v", err)
	}
	if err := readOnce(t, d, plugins.Options{Helper: helper, CacheDir: dir, Engine: sandbox.Interpreter}); err != nil || starts() != 3 {
		t.Errorf("on the interpreter: %v, %d helpers", err, starts())
	}
}

func TestInstallRefuses(t *testing.T) {
	helper, _ := helperCommand(t)
	for name, c := range map[string]struct {
		opts  *plugins.ModuleOptions
		limit string
	}{
		"no options": {nil, ""},
		"no helper":  {&plugins.ModuleOptions{CacheDir: t.TempDir()}, ""},
		"time":       {&plugins.ModuleOptions{Helper: helper, CompileLimits: sandbox.CompileLimits{Timeout: time.Microsecond}}, "compile_timeout_ms"},
		"code":       {&plugins.ModuleOptions{Helper: helper, CompileLimits: sandbox.CompileLimits{MaxCodeBytes: 1}}, "compile_code_bytes"},
	} {
		_, err := plugins.FromModule(t.Context(), hostiletest.Puppet(), c.opts)
		e, ok := errors.AsType[*readapi.Error](err)
		if !ok || e.Code != readapi.CodeModuleRefused || (e.Limit == nil) != (c.limit == "") || e.Limit != nil && e.Limit.Name != c.limit {
			t.Errorf("%s: %v", name, err)
		} else if c.limit == "" && e.Hint == "" {
			t.Errorf("%s: no hint", name)
		}
	}
	none := &plugins.ModuleOptions{Helper: []string{t.TempDir() + "/none"}}
	_, err := plugins.FromModule(t.Context(), hostiletest.Puppet(), none)
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeCapabilityUnavailable || e.Hint == "" {
		t.Errorf("a helper that is not there: %v", err) // which says nothing against the module
	}
	if _, err := plugins.FromModule(t.Context(), hostiletest.Puppet(), &plugins.ModuleOptions{CompileLimits: sandbox.CompileLimits{Timeout: -1}, Helper: helper}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative limit: %v", err)
	}
}

// TestInstallsLeaveNothing installs fifty modules, reads once with each, and removes it: with the cache there is an entry of each, and else
// nothing is left: no folder, descriptor, goroutine or memory.
func TestInstallsLeaveNothing(t *testing.T) {
	const rounds = 50
	helper, starts := helperCommand(t)
	temp, cache := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	one := func(n int) {
		wasm := hostiletest.PuppetNamed(fmt.Sprint("puppet-", n))
		for _, dir := range []string{cache, ""} {
			d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Helper: helper, CacheDir: dir})
			if err != nil {
				t.Fatal(err)
			}
			if err := readOnce(t, d, plugins.Options{Helper: helper, CacheDir: dir}); err != nil {
				t.Fatal(err)
			}
		}
	}
	one(0)
	fds, goroutines, heap := usage(t)
	for n := range rounds {
		one(n + 1)
	}
	if want := 3 * (rounds + 1); starts() != want { // once with the cache, twice without
		t.Errorf("%d helpers, want %d", starts(), want)
	}
	moreFDs, moreGoroutines, moreHeap := usage(t)
	if moreFDs > fds || moreGoroutines > goroutines || moreHeap > heap+2<<20 {
		t.Errorf("from %d descriptors, %d goroutines, %d bytes to %d, %d, %d", fds, goroutines, heap, moreFDs, moreGoroutines, moreHeap)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
	if left, err := os.ReadDir(cache); err != nil || len(left) != rounds+1 {
		t.Errorf("%d in the cache, want %d: %v", len(left), rounds+1, err)
	}
}

// usage is how many descriptors (0 where nobody tells), goroutines and live bytes this process has.
func usage(t *testing.T) (fds, goroutines int, heap uint64) {
	t.Helper()
	for range 3 { // finalizers free machine code, and what they held goes in the next round
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil && runtime.GOOS == "linux" {
		t.Fatal(err)
	}
	return len(all), runtime.NumGoroutine(), m.HeapAlloc
}
