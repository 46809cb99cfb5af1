// Package plugintest runs the decoder suite on a wasm module: on ours, and on anyone's.
//
//	func TestConformance(t *testing.T) {
//		wasm, err := os.ReadFile("vcard.wasm")
//		…
//		plugintest.Run(t, wasm, "vcard", plugintest.Options{})
//	}
//
// The module goes through the same admission, rewriting and sandbox as in a host, and the suite through the same frames. Only tests
// import this package.
package plugintest

import (
	"context"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Options of a run; the zero value is the compiler without a cache.
type Options struct {
	Engine   sandbox.Engine
	CacheDir string // compiled modules; "": compiled anew
}

// Run runs every vector of kind on the module, and the suite's invariants on each vector's input. wasm is the module as a toolchain built
// it. It fails when there are no vectors of kind.
func Run(t *testing.T, wasm []byte, kind string, opts Options) {
	t.Helper()
	d, err := plugins.FromModule(t.Context(), "", wasm)
	if err != nil {
		t.Fatal(err)
	}
	decodertest.Run(t, kind, Decode(t, d, opts))
}

// Decode returns a decode that runs d in a sandbox of its own, which lasts as long as the test.
func Decode(t testing.TB, d plugins.Decoder, opts Options) decodertest.Decode {
	t.Helper()
	reg, err := plugins.New(&plugins.Options{Engine: opts.Engine, CacheDir: opts.CacheDir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := reg.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := reg.Add(d); err != nil {
		t.Fatal(err)
	}
	info := readapi.DecoderInfo{Name: d.Name, Version: d.Version, Digest: d.Digest}
	return func(in readapi.Input, req readapi.Request) (readapi.Result, error) {
		return reg.Decode(context.WithoutCancel(t.Context()), info, in, req, readapi.DefaultLimits())
	}
}
