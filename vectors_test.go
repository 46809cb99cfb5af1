package glovebox_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/plugintest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// The built-in modules pass the vectors that their native functions pass, and keep the suite's invariants.
func TestVectorsBehindTheWall(t *testing.T) {
	for _, d := range plugins.Builtin() {
		t.Run(d.Name, func(t *testing.T) {
			decodertest.Run(t, d.Name, plugintest.Decode(t, d, plugintest.Options{CacheDir: testCache(t)}))
		})
	}
}

// What passes in this process passes in a helper, and gives the same for the same fuel: the vectors that compare do so with the compiler here.
func TestVectorsInHelpers(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	apart := plugintest.Options{CacheDir: testCache(t), Isolation: plugins.Process, Helper: []string{exe, "helper"}}
	for _, d := range plugins.Builtin() {
		t.Run(d.Name, func(t *testing.T) {
			here := plugintest.Decode(t, d, plugintest.Options{CacheDir: testCache(t)})
			there := plugintest.Decode(t, d, apart)
			vectors, err := decodertest.Vectors(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range vectors {
				compareRuns(t, v, here, there)
			}
			if len(vectors) < 10 {
				t.Errorf("only %d vectors", len(vectors))
			}
		})
	}
}

// The interpreter gives what the compiler gives, for the same fuel. It is a hundred times slower, so it gets the small vectors.
func TestVectorsOnBothEngines(t *testing.T) {
	const small = 2 << 10 // bytes of input
	for _, d := range plugins.Builtin() {
		t.Run(d.Name, func(t *testing.T) {
			t.Parallel()
			compiled := plugintest.Decode(t, d, plugintest.Options{CacheDir: testCache(t)})
			interpreted := plugintest.Decode(t, d, plugintest.Options{Engine: sandbox.Interpreter})
			vectors, err := decodertest.Vectors(d.Name)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, v := range vectors {
				if len(v.Data) > small || n == 20 {
					continue
				}
				n++
				compareRuns(t, v, compiled, interpreted)
			}
			if n < 10 {
				t.Errorf("only %d vectors are small enough", n)
			}
		})
	}
}

// compareRuns wants the same of two ways to run a decoder.
func compareRuns(t *testing.T, v decodertest.Vector, one, other decodertest.Decode) {
	t.Helper()
	kind := strings.SplitN(t.Name(), "/", 2)[1]
	a, aerr := one(bytes.NewReader(v.Data), v.Request(kind))
	b, berr := other(bytes.NewReader(v.Data), v.Request(kind))
	if readapi.CodeOf(aerr) != readapi.CodeOf(berr) {
		t.Errorf("%s: one way %v, the other %v", v.Name, aerr, berr)
		return
	}
	if a.Usage.Fuel != b.Usage.Fuel {
		t.Errorf("%s: fuel %d one way, %d the other", v.Name, a.Usage.Fuel, b.Usage.Fuel)
	}
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("%s: the answers differ:\n%.2000s\n%.2000s", v.Name, x, y)
	}
}
