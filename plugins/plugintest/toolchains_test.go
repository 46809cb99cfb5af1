//go:build toolchains

package plugintest_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

func hostileAS(t *testing.T, flags ...string) []byte {
	t.Helper()
	return toolchain.AssemblyScript(t, toolchain.Path(t, "testdata/toolchain/as/hostile.ts"), flags...)
}

// AssemblyScript imports env.abort of its own accord, and a decoder that imports what is not the ABI is refused.
func TestToolchainAbortImport(t *testing.T) {
	_, err := plugins.FromModule(t.Context(), hostileAS(t), &plugins.ModuleOptions{Trusted: true})
	rule, ok := errors.AsType[*binary.RuleError](err)
	if readapi.CodeOf(err) != readapi.CodeModuleRefused || !ok || !strings.Contains(rule.Rule, "import") {
		t.Errorf("with env.abort: %v, want module_refused by a rule on imports", err)
	}
}

// TestToolchainHostile runs the harm that an AssemblyScript decoder can do, on both engines; each kind has its code and its limit.
func TestToolchainHostile(t *testing.T) {
	d, err := plugins.FromModule(t.Context(), hostileAS(t, "--use", "abort=abi/stop"), &plugins.ModuleOptions{Trusted: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, engine := range []sandbox.Engine{sandbox.Compiler, sandbox.Interpreter} {
		reg, err := plugins.New(&plugins.Options{Engine: engine})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := reg.Close(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		if err := reg.Add(d); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name, input string
			code        readapi.Code
			limit       string
			fuel        int64
		}{
			{"harmless", "h", "", "", 20e6}, // the ablation: the same module, without the harm
			{"loop", "l", readapi.CodeLimitFuel, "fuel", 20e6},
			{"recursion", "d", readapi.CodeLimitDepth, "max_depth", 20e6},
			{"tree", "t", readapi.CodeLimitFuel, "fuel", 20e6},
			{"grow", "g", readapi.CodeLimitMemory, "max_memory_bytes", 20e6},
			{"allocate", "a", readapi.CodeLimitMemory, "max_memory_bytes", 400e6},
			{"outside", "o", readapi.CodeTrap, "", 20e6},
			{"index", "i", readapi.CodeTrap, "", 20e6},
			{"throw", "x", readapi.CodeTrap, "", 20e6},
			{"flood", "f", readapi.CodeLimitOutput, "max_output_bytes", 400e6},
			{"silent", "s", readapi.CodeBadOutput, "", 20e6},
			{"not zero", "z", readapi.CodeBadOutput, "", 20e6},
		} {
			t.Run(engine.String()+"/"+c.name, func(t *testing.T) {
				limits := readapi.Limits{Fuel: c.fuel, Timeout: time.Minute, MaxMemoryBytes: 8 << 20, MaxOutputBytes: 64 << 10}
				req := readapi.Request{Version: 1, MediaType: "text/plain", Form: readapi.FormAuto}
				_, err := reg.Decode(t.Context(), d.Info(), readapi.Decoding{Input: bytes.NewReader([]byte(c.input)), Request: req, Limits: limits})
				e, _ := errors.AsType[*readapi.Error](err)
				limit := ""
				if e != nil && e.Limit != nil {
					limit = e.Limit.Name
				}
				if readapi.CodeOf(err) != c.code || limit != c.limit {
					t.Errorf("%v, limit %q; want %q, limit %q", err, limit, c.code, c.limit)
				}
			})
		}
	}
}
