package plugins

import (
	"context"
	"math"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Options may be as large as numbers are: whoever wants no breaker says so.
func TestHugeOptions(t *testing.T) {
	fail := true
	e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, _ int) error {
		if fail {
			return &readapi.Error{Code: readapi.CodeTrap}
		}
		return ending(c, 1)
	}}
	for name, o := range map[string]Options{
		"RestAfter": {RestAfter: math.MaxInt}, "MaxInstances": {MaxInstances: math.MaxInt}, "MaxQueue": {MaxQueue: math.MaxInt, MaxQueuePerParty: math.MaxInt},
		"MaxTotalMemoryBytes": {MaxTotalMemoryBytes: math.MaxInt64}, "IdleTimeout": {IdleTimeout: math.MaxInt64}, "CrossCheck": {CrossCheck: math.MaxInt},
		"all are 1": {MaxQueue: 1, MaxQueuePerParty: 1, MaxInstances: 1, MaxTotalMemoryBytes: 1, IdleTimeout: 1, RestAfter: 1000},
	} {
		r, _ := faked(t, e, o)
		fail = true
		for k := range 50 {
			if err := readOf(t.Context(), r, "p", numbered(k)); readapi.CodeOf(err) != readapi.CodeTrap {
				t.Errorf("%s: read %d: %v", name, k, err)
			}
			if name != "RestAfter" && k == 3 {
				break
			}
		}
		fail = false
		huge := readapi.Limits{MaxMemoryBytes: math.MaxInt64, Fuel: math.MaxInt64, Timeout: math.MaxInt64, MaxOutputBytes: math.MaxInt64}
		if _, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Request: readapi.Request{Form: readapi.FormAuto}, Limits: huge}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A limit that is zero is the default of a read, for what its frames take too.
func TestZeroLimits(t *testing.T) {
	var got []sandbox.Limits
	e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, _ int) error {
		got = append(got, c.Limits)
		return ending(c, 1)
	}}
	r, _ := faked(t, e, Options{})
	for _, l := range []readapi.Limits{{}, readapi.DefaultLimits()} {
		if _, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Request: readapi.Request{Form: readapi.FormAuto}, Limits: l}); err != nil {
			t.Fatal(err)
		}
	}
	if got[0] != got[1] {
		t.Errorf("%+v, and the defaults are %+v", got[0], got[1])
	}
	_, err := r.Decode(t.Context(), r.Accepts("text/plain")[0], readapi.Decoding{Request: readapi.Request{Form: readapi.FormAuto}, Limits: readapi.Limits{Fuel: -1}})
	if readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative limit: %v", err)
	}
}

// A read that panics in a function of the embedder's leaves no instance behind, which may be a process.
func TestInstanceOfPanic(t *testing.T) {
	e := &fakeEngine{run: func(context.Context, *sandbox.Call, int) error { panic("on purpose") }}
	r, _ := faked(t, e, Options{})
	panicked := false
	func() {
		defer func() { panicked = recover() != nil }()
		_ = readOf(t.Context(), r, "p", "f")
	}()
	if n := e.live.Load(); !panicked || n != 0 {
		t.Errorf("panicked %v, %d instances", panicked, n)
	}
}
