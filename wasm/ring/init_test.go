package ring

import (
	"errors"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// TestInitLimits: what runs before the first read has the limits that the ring was given, in the helper too. Go's own initialization takes some
// millions of units.
func TestInitLimits(t *testing.T) {
	for name, c := range map[string]struct {
		limits sandbox.Limits
		want   readapi.Code
	}{
		"too little": {sandbox.Limits{Fuel: 100_000}, readapi.CodeLimitFuel},
		"default":    {sandbox.Limits{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := newRing(t, Options{InitLimits: c.limits}).Compile(t.Context(), guest(t))
			if err != nil {
				t.Fatal(err)
			}
			i, err := p.Instance(t.Context())
			if i != nil {
				defer i.Close()
			}
			if readapi.CodeOf(err) != c.want {
				t.Fatalf("%v, want %s", err, c.want)
			}
			if e, ok := errors.AsType[*readapi.Error](err); ok && (e.Limit == nil || e.Limit.Name != "fuel" || e.Limit.Value != c.limits.Fuel) {
				t.Errorf("the limit is %v", e.Limit)
			}
		})
	}
}
