package ring

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"testing"

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
		}
	}
	os.Exit(m.Run())
}

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
	if o.Helper == nil {
		o.Helper = self(t, "helper")
	}
	if o.CacheDir == "" {
		o.CacheDir = os.Getenv("GLOVEBOX_TEST_CACHE")
	}
	r, err := New(&o)
	if err != nil {
		t.Fatal(err)
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
	rt, err := sandbox.New(&sandbox.Options{CacheDir: os.Getenv("GLOVEBOX_TEST_CACHE"), Engine: o.Engine})
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

func TestSmoke(t *testing.T) {
	m, warm := builtin(t, "text")
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	_, p := both(t, m, warm, Options{Log: log})
	i, err := p.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var c abi.Collector
	u, err := i.Decode(t.Context(), &sandbox.Call{Request: request(t, "text/plain"), Input: bytes.NewReader([]byte("hello\nworld\n")), Emit: c.Add})
	t.Log(u, err)
	res, err := c.Result()
	t.Log(res, err)
	if err := i.Reset(); err != nil {
		t.Fatal(err)
	}
}
