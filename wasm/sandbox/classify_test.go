package sandbox

import (
	"errors"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

func deep(o *wasmbinary.RewriteOptions) { o.MaxDepth = 1 << 30 }

// recursive calls itself for ever.
func recursive() *guest {
	g := newGuest(call_(abiImports+3), i32(0))
	g.fn("", "", nil, call_(abiImports+3))
	return g
}

// TestTraps pins the text of every trap: if wazero words one differently, this is where it shows.
func TestTraps(t *testing.T) {
	const nan, huge = 0x7ff8 << 48, 0x7fe << 52
	withTable := func(g *guest) *guest {
		g.table, g.elems = 4, []int{abiImports} // glovebox_abi
		return g
	}
	for _, tc := range []struct {
		name  string
		guest *guest
		tune  func(*wasmbinary.RewriteOptions)
		trap  trap
		code  readapi.Code
	}{
		{"unreachable", newGuest(unreachable), nil, trapUnreachable, readapi.CodeTrap},
		{"load out of bounds", newGuest(i32(-8), load32(0)), nil, trapMemoryBounds, readapi.CodeTrap},
		{"fill out of bounds", newGuest(i32(65530), i32(0), i32(7), memFill(), i32(0)), nil, trapMemoryBounds, readapi.CodeTrap},
		{"divide by zero", newGuest(i32(1), i32(0), i32DivS), nil, trapDivideByZero, readapi.CodeTrap},
		{"divide overflow", newGuest(i32(-1<<31), i32(-1), i32DivS), nil, trapOverflow, readapi.CodeTrap},
		{"convert overflow", newGuest(f64(huge), i32TruncF64), nil, trapOverflow, readapi.CodeTrap},
		{"convert NaN", newGuest(f64(nan), i32TruncF64), nil, trapConversion, readapi.CodeTrap},
		{"call of null", withTable(newGuest(i32(2), callIndirect(typeToI32))), nil, trapTable, readapi.CodeTrap},
		{"call out of table", withTable(newGuest(i32(9), callIndirect(typeToI32))), nil, trapTable, readapi.CodeTrap},
		{"table.set out of table", withTable(newGuest(i32(9), refNull(), tableSet(), i32(0))), nil, trapTable, readapi.CodeTrap},
		{"call of another type", withTable(newGuest(i32(0), i32(0), callIndirect(typeI32To), i32(0))), nil, trapSignature, readapi.CodeTrap},
		{"depth", recursive(), nil, trapUnreachable, readapi.CodeLimitDepth},
		{"engine's own stack", recursive(), deep, trapStack, readapi.CodeLimitDepth},
	} {
		t.Run(tc.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				tune := tc.tune
				if tune == nil {
					tune = func(*wasmbinary.RewriteOptions) {}
				}
				p := compile(t, newRuntime(t, Options{Engine: e}), tc.guest.module(t, tune))
				i := instance(t, p)
				defer i.Close()
				_, err := i.Decode(t.Context(), &Call{})
				got := wantCode(t, err, tc.code)
				if strings.ContainsAny(err.Error(), "\n\t\x1b") { // the stack has a line for each function, by the name that the module gives it
					t.Errorf("the text is not on one line: %q", err)
				}
				if trapOf(errors.Unwrap(got.Err)) != tc.trap {
					t.Errorf("trap %q of %q, want %q", trapOf(got.Err), got.Err, tc.trap)
				}
				if strings.Contains(got.Message(), "wasm") || strings.Contains(got.Message(), string(tc.trap)) {
					t.Errorf("the message holds trap text: %q", got.Message())
				}
				if err := i.Reset(); err == nil {
					t.Error("an instance was put back after a trap")
				}
				if _, err := i.Decode(t.Context(), &Call{}); err == nil {
					t.Error("an instance decoded after a trap")
				}
			})
		})
	}
}

// TestNoTrap checks that an error that only looks like a trap is none.
func TestNoTrap(t *testing.T) {
	for _, text := range []string{
		"unreachable (recovered by wazero)\nwasm stack trace:\n\tx", "wasm error: something new\nwasm stack trace:", "", "wasm error: ",
		"x\nwasm error: unreachable",
	} {
		if got := trapOf(errors.New(text)); got != trapNone {
			t.Errorf("%q is taken for %q", text, got)
		}
	}
}
