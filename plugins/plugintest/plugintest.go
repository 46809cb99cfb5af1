// Package plugintest runs the decoder suite on a wasm module: on ours, and on anyone's.
//
//	func TestConformance(t *testing.T) {
//		wasm, err := os.ReadFile("vcard.wasm")
//		…
//		plugintest.Run(t, wasm, "vcard", plugintest.Options{Vectors: []decodertest.Vector{
//			{Name: "one", MediaType: "text/vcard", Data: one, TextSHA256: decodertest.TextSum("Ada\n")},
//			{Name: "cut", MediaType: "text/vcard", Data: one[:20], Expect: readapi.CodeMalformed},
//		}})
//	}
//
// A decoder of text, pdf or image can do without vectors of its own: those of this project are run then. A Go program reads with the module
// by plugins.FromModule and glovebox.Options.Decoders; the program glovebox reads with the built-in decoders only, so far.
//
// With Options.Isolation the test binary is its own helper, since a helper is of use only to programs with the same versions in them, and Go
// puts no versions into a test binary:
//
//	func TestMain(m *testing.M) {
//		if len(os.Args) == 2 && os.Args[1] == "helper" {
//			os.Exit(helper.Main(os.Stdin, os.Stdout))
//		}
//		os.Exit(m.Run())
//	}
//
//	self, err := os.Executable()
//	plugintest.Run(t, wasm, "vcard", plugintest.Options{Vectors: vectors, Isolation: plugins.Process, Helper: []string{self, "helper"}})
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

	Isolation plugins.Isolation // where the module runs
	Helper    []string          // command line of a program that runs helper.Main, as the package comment shows; plugins.Process needs it

	// Vectors are the cases; none: those of this project, of which there are some for the kinds text, pdf and image.
	Vectors []decodertest.Vector
}

// Run runs every vector on the module, those of opts or else those of kind, and the suite's invariants on each vector's input. wasm is the
// module as a toolchain built it. It fails when there is no vector.
func Run(t *testing.T, wasm []byte, kind string, opts Options) {
	t.Helper()
	d, err := plugins.FromModule(t.Context(), wasm, &plugins.ModuleOptions{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(opts.Vectors) > 0 {
		decodertest.RunVectors(t, opts.Vectors, kind, Decode(t, d, opts))
		return
	}
	decodertest.Run(t, kind, Decode(t, d, opts))
}

// Decode returns a decode that runs d in a sandbox of its own, which lasts as long as the test.
func Decode(t testing.TB, d plugins.Decoder, opts Options) decodertest.Decode {
	t.Helper()
	reg, err := plugins.New(&plugins.Options{Engine: opts.Engine, CacheDir: opts.CacheDir, Isolation: opts.Isolation, Helper: opts.Helper})
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
		return reg.Decode(context.WithoutCancel(t.Context()), info, readapi.Decoding{Input: in, Request: req, Limits: readapi.DefaultLimits()})
	}
}
