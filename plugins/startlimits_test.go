package plugins_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/plugins"
	"github.com/glovebox-wasm/glovebox/plugins/hostiletest"
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// The limits of what comes before the first read are a registry's options wherever its guests run, and so is what an answer says of them.
func TestLimitsOfAStart(t *testing.T) {
	const fuel = 1 << 20
	forever := hostiletest.NewScript().Do(hostiletest.Forever).End()
	for name, tc := range map[string]struct {
		opts    plugins.Options
		samples []plugins.Sample
		code    readapi.Code
		limit   string
		value   int64
	}{
		"init fuel":   {plugins.Options{InitLimits: sandbox.Limits{Fuel: 1}}, nil, readapi.CodeLimitFuel, "fuel", 1},
		"init memory": {plugins.Options{InitLimits: sandbox.Limits{MaxMemoryBytes: 1}}, nil, readapi.CodeLimitMemory, "max_memory_bytes", 1},
		"warm-up": {
			plugins.Options{InitLimits: sandbox.Limits{Fuel: fuel}}, []plugins.Sample{{MediaType: hostiletest.MediaType, Data: forever}},
			readapi.CodeLimitFuel, "fuel", 16 * fuel,
		},
		"compiling": {plugins.Options{CompileLimits: sandbox.CompileLimits{MaxCodeBytes: 1}}, nil, readapi.CodeModuleRefused, "compile_code_bytes", 1},
		"none":      {},
	} {
		t.Run(name, func(t *testing.T) {
			rings(t, func(t *testing.T, where plugins.Isolation) {
				opts := tc.opts
				opts.Isolation, opts.Helper, opts.CacheDir = where, hostiletest.Helper(t), t.TempDir()
				r, err := plugins.New(&opts)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Close(t.Context())
				d := hostiletest.Decoder(t, "", "puppet", hostiletest.Puppet())
				d.Samples = tc.samples
				info := add(t, r, d)
				_, err = r.Decode(t.Context(), info, readapi.Decoding{
					Input:   bytes.NewReader(hostiletest.NewScript().End()),
					Request: readapi.Request{Version: 1, MediaType: hostiletest.MediaType, Form: readapi.FormAuto, MaxTokens: 1000, MaxBytes: 1 << 20},
				})
				if readapi.CodeOf(err) != tc.code {
					t.Fatalf("%v, want %s", err, tc.code)
				}
				var got, want *readapi.LimitHit
				if e, ok := errors.AsType[*readapi.Error](err); ok && e.Limit != nil {
					got = &readapi.LimitHit{Name: e.Limit.Name, Value: e.Limit.Value}
				}
				if tc.limit != "" {
					want = &readapi.LimitHit{Name: tc.limit, Value: tc.value}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the limit (want, got):\n%s", diff)
				}
			})
		})
	}
}
