package sandbox

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

func endless() *guest { return newGuest(loop(br(0)), i32(0)) }

// tree is recursion without a loop: 2^40 calls, never deep.
func tree() *guest {
	const self = abiImports + 3
	g := newGuest(i32(40), call_(self), i32(0))
	g.fn("i", "", nil, get(0), if_(get(0), i32(1), i32Sub, call_(self), get(0), i32(1), i32Sub, call_(self)))
	return g
}

// fills is work in bulk operations only.
func fills() *guest {
	body := cat(grow(i32(255)), drop)
	for range 2000 {
		body = cat(body, i32(0), i32(1), i32(256<<16), memFill())
	}
	return newGuest(body, i32(0))
}

// emits sends n frames of size bytes.
func emits(n, size int32) *guest {
	return newGuest(i32(n), set(0), loop(emitRange(3, i32(0), i32(size)), drop, get(0), i32(1), i32Sub, byte(0x22), 0, brIf(0)), i32(0))
}

// repeats does body n times.
func repeats(n int32, body ...any) *guest {
	return newGuest(i32(n), set(7), loop(cat(body...), get(7), i32(1), i32Sub, byte(0x22), 7, brIf(0)), i32(0))
}

func TestLimits(t *testing.T) {
	small := Limits{Fuel: 3e8, Timeout: time.Minute, MaxMemoryBytes: 4 << 20, MaxOutputBytes: 1000, MaxFrames: 10, MaxHostCalls: 50}
	for _, tc := range []struct {
		name  string
		guest *guest
		code  readapi.Code
		limit string
		value int64
	}{
		{"fuel: loop", endless(), readapi.CodeLimitFuel, "fuel", 3e8},
		{"fuel: recursion", tree(), readapi.CodeLimitFuel, "fuel", 3e8},
		{"memory", newGuest(grow(i32(64)), i32(1), i32Add, if_(i32(0), set(0)), unreachable), readapi.CodeLimitMemory, "max_memory_bytes", 4 << 20},
		{"memory of a host call", newGuest(i64(0), i32(65535), i32(2), call_(fnInputRead)), readapi.CodeBadOutput, "", 0},
		{"output", emits(2, 501), readapi.CodeLimitOutput, "max_output_bytes", 1000},
		{"frames", emits(11, 0), readapi.CodeLimitOutput, "max_output_frames", 10},
		{"host calls", repeats(51, call_(fnInputLen), drop), readapi.CodeLimitFuel, "max_host_calls", 50},
		{"depth", recursive(), readapi.CodeLimitDepth, "max_depth", 1500},
	} {
		t.Run(tc.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				p := program(t, e, tc.guest)
				limits := small
				if e == Interpreter {
					limits.Fuel /= 10
				}
				_, u, err := decode(t, p, &Call{Limits: limits, Input: input("text")})
				got := wantCode(t, err, tc.code)
				if tc.limit == "" {
					return
				}
				want := tc.value
				if tc.limit == "fuel" {
					want = limits.Fuel
				}
				if got.Limit == nil || got.Limit.Name != tc.limit || got.Limit.Value != want || got.Limit.Actual <= want {
					t.Errorf("limit %+v, want %s %d", got.Limit, tc.limit, want)
				}
				if tc.limit == "fuel" && (u.Fuel <= want || u.Fuel > want+wasmbinary.SliceFuel) {
					t.Errorf("used %d of %d", u.Fuel, want)
				}
			})
		})
	}
}

// TestExactLimits checks that what reaches a limit exactly is within it.
func TestExactLimits(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, tc := range []struct {
			name   string
			guest  *guest
			limits Limits
		}{
			{"output", emits(2, 500), Limits{MaxOutputBytes: 1000}},
			{"frames", emits(10, 0), Limits{MaxFrames: 10}},
			{"host calls", repeats(50, call_(fnInputLen), drop), Limits{MaxHostCalls: 50}},
			{"memory", newGuest(grow(i32(63)), i32(1), i32Sub), Limits{MaxMemoryBytes: 4 << 20}},
		} {
			if _, _, err := decode(t, program(t, e, tc.guest), &Call{Limits: tc.limits}); err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
		}
		p := program(t, e, echo())
		_, u, err := decode(t, p, &Call{Input: input("text")})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err = decode(t, p, &Call{Input: input("text"), Limits: Limits{Fuel: u.Fuel}}); err != nil {
			t.Errorf("with exactly the fuel that it needs: %v", err)
		}
		_, _, err = decode(t, p, &Call{Input: input("text"), Limits: Limits{Fuel: u.Fuel - 1}})
		wantCode(t, err, readapi.CodeLimitFuel)
	})
}

// TestHostCallsCost checks the least price of a call to the host, and the price by length.
func TestHostCallsCost(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		fuel := func(g *guest) int64 {
			_, u, err := decode(t, program(t, e, g), &Call{Input: input(strings.Repeat("x", 1<<16))})
			if err != nil {
				t.Fatal(err)
			}
			return u.Fuel
		}
		if one, more := fuel(repeats(1, call_(fnInputLen), drop)), fuel(repeats(101, call_(fnInputLen), drop)); more-one < 100*hostCallFuel {
			t.Errorf("100 calls cost %d", more-one)
		}
		read := func(n int32) *guest { return newGuest(i64(0), i32(0), i32(n), call_(fnInputRead), drop, i32(0)) }
		if none, all := fuel(read(0)), fuel(read(1<<16)); all-none != 1<<16 {
			t.Errorf("reading 64 KiB costs %d", all-none)
		}
	})
}

func TestDeadline(t *testing.T) {
	for name, g := range map[string]*guest{"loop": endless(), "recursion": tree(), "bulk": fills()} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				p := program(t, e, g)
				_, _, err := decode(t, p, &Call{Limits: Limits{Fuel: 1 << 60, Timeout: 20 * time.Millisecond}})
				got := wantCode(t, err, readapi.CodeLimitTime)
				if got.Limit == nil || got.Limit.Name != "timeout_ms" || got.Limit.Value != 20 {
					t.Errorf("limit %+v", got.Limit)
				}
			})
		})
	}
}

// TestLateResult checks that an answer that comes after its deadline is none, though the guest never noticed.
func TestLateResult(t *testing.T) {
	p := program(t, Compiler, emits(1, 4))
	for _, tc := range []struct {
		name string
		code readapi.Code
		late func(cancel context.CancelFunc, c *call)
	}{
		{"deadline", readapi.CodeLimitTime, func(_ context.CancelFunc, c *call) { c.deadline = time.Now().Add(-1) }},
		{"canceled", readapi.CodeCanceled, func(cancel context.CancelFunc, _ *call) { cancel() }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			i := instance(t, p)
			defer i.Close()
			_, err := i.Decode(ctx, &Call{Emit: func(abi.Kind, []byte) bool {
				tc.late(cancel, i.linear.call)
				return false
			}})
			wantCode(t, err, tc.code)
		})
	}
}

func TestNegativeLimits(t *testing.T) {
	p := program(t, Compiler, newGuest(i32(0)))
	for _, l := range []Limits{{Fuel: -1}, {Timeout: -1}, {MaxMemoryBytes: -1}, {MaxOutputBytes: -1}, {MaxLogBytes: -1}, {MaxFrames: -1}, {MaxHostCalls: -1}} {
		_, _, err := decode(t, p, &Call{Limits: l})
		wantCode(t, err, readapi.CodeInvalidRequest)
	}
	for _, o := range []Options{{Engine: 7}, {Engine: -1}, {MaxTotalMemoryBytes: -1}, {MemoryWait: -1}} {
		_, err := New(&o)
		wantCode(t, err, readapi.CodeInvalidRequest)
	}
}

// TestEmitAfterStop checks that a guest that was told to stop is ended when it goes on.
func TestEmitAfterStop(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		p := program(t, e, emits(3, 4))
		f := &frames{stopAt: 2}
		_, _, err := decode(t, p, &Call{Emit: f.emit})
		wantCode(t, err, readapi.CodeBadOutput)
		if len(f.kinds) != 2 {
			t.Errorf("%d frames got through", len(f.kinds))
		}
		if _, _, err := decode(t, p, &Call{Emit: (&frames{stopAt: 3}).emit}); err != nil {
			t.Errorf("a guest that stopped: %v", err)
		}
	})
}

func TestFailedDecode(t *testing.T) {
	_, _, err := decode(t, program(t, Compiler, newGuest(i32(1))), &Call{})
	wantCode(t, err, readapi.CodeBadOutput)
}
