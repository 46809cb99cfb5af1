package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// testCache is where tests keep what they compile, so that real guests are compiled once and not at every run.
func testCache(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("GLOVEBOX_TEST_CACHE")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return t.TempDir()
		}
		dir = filepath.Join(base, "glovebox-test")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func moduleOf(t testing.TB, name string, original []byte, tune ...func(*wasmbinary.RewriteOptions)) Module {
	t.Helper()
	opts := &wasmbinary.RewriteOptions{MaxMemoryPages: 4096}
	for _, f := range tune {
		f(opts)
	}
	w, err := wasmbinary.Rewrite(original, opts)
	if err != nil {
		t.Fatalf("rewriting %s: %v", name, err)
	}
	return module(name, w)
}

func module(name string, w []byte) Module {
	sum := sha256.Sum256(w)
	return Module{Name: name, Wasm: w, Digest: hex.EncodeToString(sum[:])}
}

// engines runs f on both engines.
func engines(t *testing.T, f func(t *testing.T, e Engine)) {
	for _, e := range []Engine{Compiler, Interpreter} {
		t.Run(e.String(), func(t *testing.T) { f(t, e) })
	}
}

func newRuntime(t testing.TB, opts Options) *Runtime {
	t.Helper()
	rt, err := New(&opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rt.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
		if n := rt.MemoryInUse(); n != 0 {
			t.Errorf("%d bytes of guest memory are not given back", n)
		}
	})
	return rt
}

func compile(t testing.TB, rt *Runtime, m Module) *Program {
	t.Helper()
	p, err := rt.Compile(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func program(t testing.TB, e Engine, g *guest) *Program {
	t.Helper()
	return compile(t, newRuntime(t, Options{Engine: e}), g.module(t))
}

func instance(t testing.TB, p *Program) *Instance {
	t.Helper()
	i, err := p.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// frames records what a guest emits.
type frames struct {
	kinds    []abi.Kind
	payloads [][]byte
	stopAt   int // say stop with this frame, from 1; 0: never
}

func (f *frames) emit(k abi.Kind, p []byte) bool {
	f.kinds = append(f.kinds, k)
	f.payloads = append(f.payloads, bytes.Clone(p))
	return f.stopAt > 0 && len(f.kinds) >= f.stopAt
}

func (f *frames) text() string { return string(bytes.Join(f.payloads, nil)) }

// decode runs one decode on a new instance and closes it.
func decode(t testing.TB, p *Program, c *Call) (*frames, Usage, error) {
	t.Helper()
	i := instance(t, p)
	defer i.Close()
	f := &frames{}
	if c.Emit == nil {
		c.Emit = f.emit
	}
	u, err := i.Decode(t.Context(), c)
	return f, u, err
}

func wantCode(t testing.TB, err error, code readapi.Code) *readapi.Error {
	t.Helper()
	if readapi.CodeOf(err) != code {
		t.Fatalf("code %q (%v), want %q", readapi.CodeOf(err), err, code)
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		t.Fatalf("%T is not an *Error", err)
	}
	return e
}

func input(s string) readapi.Input { return bytes.NewReader([]byte(s)) }
