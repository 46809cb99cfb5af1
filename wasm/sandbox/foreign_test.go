package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// self is the command line of this binary as another program; see TestMain.
func self(t testing.TB, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe}, args...)
}

// counted is a helper that counts its starts, and how many there were.
func counted(t testing.TB) (helper []string, starts func() int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "starts")
	return self(t, "counted", file), func() int {
		b, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		return len(b)
	}
}

// Count adds one to the starts in file.
func Count(file string) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write([]byte{1})
	}
	if err != nil {
		panic(err)
	}
	f.Close()
}

func foreign(m Module) Module {
	m.Foreign = true
	return m
}

// ticket is a guest like no other: its machine code is nowhere yet.
func ticket(t testing.TB, n int32) Module { return foreign(newGuest(i32(n), drop, i32(0)).module(t)) }

func refusedWith(t testing.TB, err error, limit string) {
	t.Helper()
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeModuleRefused {
		t.Fatalf("%v, want module_refused", err)
	}
	got := ""
	if e.Limit != nil {
		got = e.Limit.Name
	}
	if got != limit {
		t.Errorf("limit %q, want %q: %v", got, limit, err)
	}
	if limit == "" && e.Detail == "" {
		t.Errorf("%v says nothing", err)
	}
}

// uselessWith wants an error that is about the helper, and says nothing against the module.
func uselessWith(t testing.TB, err error) {
	t.Helper()
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeCapabilityUnavailable || e.Detail == "" || e.Hint == "" {
		t.Fatalf("%v, want capability_unavailable with words and a hint", err)
	}
}

func TestForeign(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, withCache := range []bool{true, false} {
			helper, starts := counted(t)
			opts := Options{Engine: e, Helper: helper}
			if withCache {
				opts.CacheDir = t.TempDir()
			}
			for n := range 2 {
				rt := newRuntime(t, opts)
				if _, _, err := decode(t, compile(t, rt, ticket(t, 1)), &Call{}); err != nil {
					t.Fatal(err)
				}
				want := 1
				if !withCache {
					want += n
				}
				if got := starts(); got != want {
					t.Errorf("cache %v: %d helpers after %d runtimes, want %d", withCache, got, n+1, want)
				}
			}
			if !withCache {
				continue
			}
			if _, err := newRuntime(t, Options{Engine: e, CacheDir: opts.CacheDir}).Compile(t.Context(), ticket(t, 1)); err != nil {
				t.Errorf("cached, without a helper: %v", err)
			}
		}
	})
}

// TestForeignWithoutHelper checks that a foreign module is refused where it would have to be compiled here.
func TestForeignWithoutHelper(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, dir := range []string{"", t.TempDir()} {
			_, err := newRuntime(t, Options{Engine: e, CacheDir: dir}).Compile(t.Context(), ticket(t, 1))
			refusedWith(t, err, "")
			if e, _ := errors.AsType[*readapi.Error](err); e.Hint == "" {
				t.Error("no hint")
			}
			m := ticket(t, 1)
			m.Foreign = false
			if _, err := newRuntime(t, Options{Engine: e, CacheDir: dir}).Compile(t.Context(), m); err != nil {
				t.Errorf("the same module, not foreign: %v", err)
			}
		}
	})
}

// TestEntryName pins where wazero puts an entry, and its format, which loadOnly depends on.
func TestEntryName(t *testing.T) {
	m := ticket(t, 2)
	dir := t.TempDir()
	if err := Produce(t.Context(), m, Compiler, dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	entry, err := produced(dir, m, 1<<20)
	if err != nil {
		t.Fatalf("wazero's entry is elsewhere, or has another format: %v", err)
	}
	for name, change := range map[string]func(b []byte) []byte{
		"magic":           func(b []byte) []byte { b[0]++; return b },
		"version":         func(b []byte) []byte { b[8]++; return b },
		"version length":  func(b []byte) []byte { b[6]++; return b },
		"more functions":  func(b []byte) []byte { b[7+b[6]+3] = 0x7f; return b },
		"offset":          func(b []byte) []byte { b[7+b[6]+4+8] ^= 1; return b },
		"offset outside":  func(b []byte) []byte { b[7+b[6]+4+8+6] = 1; return b },
		"code":            func(b []byte) []byte { b[len(b)-30] ^= 1; return b },
		"cut":             func(b []byte) []byte { return b[:len(b)-4] }, // wazero takes that for an old entry, and compiles
		"source map":      func(b []byte) []byte { b[len(b)-5] = 1; return b },
		"catch clauses":   func(b []byte) []byte { b[len(b)-1] = 1; return b },
		"longer":          func(b []byte) []byte { return append(b, 0) },
		"empty":           func(b []byte) []byte { return nil },
		"of another":      func(b []byte) []byte { return entryOfOther(t) },
		"length of code":  func(b []byte) []byte { b[7+int(b[6])+4+8*locals(t, m)]++; return b },
		"huge code":       func(b []byte) []byte { b[7+int(b[6])+4+8*locals(t, m)+7] = 0xff; return b },
		"only the header": func(b []byte) []byte { return b[:7+b[6]+4] },
	} {
		if err := checkEntry(change(bytes.Clone(entry)), m.Wasm); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func locals(t testing.TB, m Module) int {
	n, err := countFuncs(m.Wasm)
	if err != nil || n == 0 {
		t.Fatal(n, err)
	}
	return int(n)
}

func entryOfOther(t testing.TB) []byte {
	t.Helper()
	g := newGuest(i32(0))
	g.fn("", "", nil)
	other := g.module(t)
	dir := t.TempDir()
	if err := Produce(t.Context(), other, Compiler, dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	b, err := produced(dir, other, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestNothingIsCompiledWithoutTime pins what loadOnly rests on: a context that is over makes wazero compile nothing, and does not keep it from
// loading.
func TestNothingIsCompiledWithoutTime(t *testing.T) {
	m, dir := ticket(t, 3), t.TempDir()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Produce(over, m, Compiler, dir, 1<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
	if _, err := produced(dir, m, 1<<20); err == nil {
		t.Error("it was compiled")
	}
	if err := Produce(t.Context(), m, Compiler, dir, 1<<20); err != nil {
		t.Fatal(err)
	}
	if err := Produce(over, m, Compiler, dir, 1<<20); err != nil {
		t.Errorf("it is there, and was not loaded: %v", err)
	}
}

// TestNothingIsCompiledHere changes what was verified before wazero reads it. Loading must fail, and no file may come to be: wazero writes one
// when it compiles. The ablation gives the compiler time, and shows that each of these does make it compile, or take what was not verified.
func TestNothingIsCompiledHere(t *testing.T) {
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	rewrite := func(change func(b []byte) []byte) func(t *testing.T, file string) {
		return func(t *testing.T, file string) {
			b, err := os.ReadFile(file)
			must(t, err)
			must(t, os.WriteFile(file, change(b), 0o600))
		}
	}
	for name, c := range map[string]struct {
		change   func(t *testing.T, file string)
		compiles bool // in the ablation
	}{
		"vanished":        {func(t *testing.T, file string) { must(t, os.Remove(file)) }, true},
		"another version": {rewrite(func(b []byte) []byte { b[8]++; return b }), true},
		"cut at the end":  {rewrite(func(b []byte) []byte { return b[:len(b)-4] }), true},
		"folder vanished": {func(t *testing.T, file string) { must(t, os.RemoveAll(filepath.Dir(file))) }, false}, // nowhere to write
		"truncated":       {rewrite(func(b []byte) []byte { return b[:len(b)/2] }), false},
		"flipped code":    {rewrite(func(b []byte) []byte { b[len(b)-30] ^= 1; return b }), false},
		"flipped offset":  {rewrite(func(b []byte) []byte { b[7+b[6]+4+8] ^= 16; return b }), false},
		"of another":      {func(t *testing.T, file string) { must(t, os.WriteFile(file, entryOfOther(t), 0o600)) }, false},
	} {
		for _, ablation := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", name, ablation), func(t *testing.T) {
				rt := newRuntime(t, Options{CacheDir: t.TempDir(), Helper: self(t, "helper")})
				m := ticket(t, 4)
				compile(t, rt, m) // it is in the cache, and sound
				var file string
				var before, after []byte // nil: no file
				rt.loadMayCompile = ablation
				rt.beforeLoad = func(f string) {
					file = f
					c.change(t, f)
					before, _ = os.ReadFile(f)
				}
				rt.afterLoad = func() { after, _ = os.ReadFile(file) }
				_, err := rt.Compile(t.Context(), m)
				if readapi.CodeOf(err) != readapi.CodeCorrupt && !ablation {
					t.Errorf("%v, want corrupt", err)
				}
				compiled := after != nil && !bytes.Equal(before, after)
				if want := ablation && c.compiles; compiled != want {
					t.Errorf("compiled here: %v, want %v (%v)", compiled, want, err)
				}
			})
		}
	}
}
