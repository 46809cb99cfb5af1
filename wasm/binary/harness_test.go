package binary_test

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// engines are the two that must agree.
var engines = difftest.Engines()

type (
	instance   = difftest.Instance
	invocation = difftest.Call
)

func inv(name string, args ...uint64) invocation { return invocation{Name: name, Args: args} }

// start instantiates a module on engines of its own.
func start(t testing.TB, engine string, wasm []byte, rewritten bool, slice int64) (*instance, error) {
	t.Helper()
	return difftest.NewLab(t).Start(engine, wasm, rewritten, slice, difftest.Input{})
}

// differential compares the original and the rewritten module on both engines, and what was charged with what was executed. It
// gives the fuel.
func differential(t testing.TB, wasm []byte, opts *binary.RewriteOptions, calls []invocation) int64 {
	t.Helper()
	return difftest.Differential(t, wasm, &difftest.Options{Rewrite: opts, Exact: binary.CountExact}, calls).Fuel
}
