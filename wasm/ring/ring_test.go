package ring

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/helper"
	"github.com/glovebox-wasm/glovebox/wasm/modules"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// TestMain lets this binary be a helper as well, and helpers that do wrong. A helper has no environment, so the arguments tell.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "helper":
			os.Exit(helper.Main(os.Stdin, os.Stdout))
		case "liar":
			os.Exit(liar(os.Args[2]))
		case "spy":
			os.Exit(spying())
		}
	}
	if testCache = os.Getenv("GLOVEBOX_TEST_CACHE"); testCache != "" {
		goleak.VerifyTestMain(m)
	}
	dir, err := os.MkdirTemp("", "glovebox-ring-")
	if err != nil {
		panic(err)
	}
	testCache = dir
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(dir)
		os.Exit(code)
	}))
}

// testCache is the compile cache of all tests.
var testCache string

// self is the command line of this binary as another program.
func self(t testing.TB, args ...string) []string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{exe}, args...)
}

func newRing(t testing.TB, o Options) *Ring {
	t.Helper()
	running := o.Helper
	o.Helper, o.CacheDir = self(t, "helper"), testCache
	r, err := New(&o)
	if err != nil {
		t.Fatal(err)
	}
	if running != nil { // an honest one compiles, whoever runs
		r.opts.Helper = running
	}
	t.Cleanup(func() {
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return r
}

// builtin is one of this project's decoders, with its samples as calls that warm it up.
func builtin(t testing.TB, name string) (sandbox.Module, []sandbox.Call) {
	t.Helper()
	for _, m := range modules.All() {
		if m.Name != name {
			continue
		}
		wasm, err := m.Wasm()
		if err != nil {
			t.Fatal(err)
		}
		var warm []sandbox.Call
		for i, s := range m.Description.Samples {
			warm = append(warm, sandbox.Call{Request: request(t, s.MediaType), Input: bytes.NewReader(m.Samples[i])})
		}
		return sandbox.Module{Name: name, Wasm: wasm, Digest: m.Digest}, warm
	}
	t.Fatalf("there is no decoder %s", name)
	return sandbox.Module{}, nil
}

func request(t testing.TB, m readapi.MediaType) []byte {
	t.Helper()
	lim := readapi.DefaultLimits()
	b, err := json.Marshal(readapi.Request{Version: abi.Version, MediaType: m, Form: readapi.FormAuto, MaxTokens: lim.MaxTokens, MaxBytes: lim.MaxOutputBytes})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// both compiles a module here and for helpers.
func both(t testing.TB, m sandbox.Module, warm []sandbox.Call, o Options) (*sandbox.Program, *Program) {
	t.Helper()
	rt, err := sandbox.New(&sandbox.Options{CacheDir: testCache, Engine: o.Engine})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rt.Close(context.Background()) })
	a, err := rt.Compile(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	b, err := newRing(t, o).Compile(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	if warm != nil {
		if err := a.Snapshot(t.Context(), warm); err != nil {
			t.Fatal(err)
		}
		if err := b.Snapshot(t.Context(), warm); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}
