package sandbox

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// nested calls itself n times, without a loop.
func nested(n int32) *guest {
	const self = abiImports + 3
	g := newGuest(i32(n), call_(self), i32(0))
	g.fn("i", "", nil, get(0), if_(get(0), i32(1), i32Sub, call_(self)))
	return g
}

// tables grows its table by n entries and dies when it gets none.
func tables(n int32) *guest {
	g := newGuest(refNull(), i32(n), code{0xfc, 15, 0}, i32(-1), i32Eq, if_(unreachable), i32(0))
	g.table = 1
	return g
}

// logs writes n lines of 1000 bytes.
func logs(n int32) *guest { return repeats(n, i32(1), i32(0), i32(1000), call_(fnLog)) }

// TestAblation runs each attack within its limit and with the limit raised. Within, it is stopped by that limit, and what it did is no more
// than the limit; raised, the same attack does its harm, which is bounded here and would not be elsewhere. So it is the limit that stops it.
func TestAblation(t *testing.T) {
	most := func(o *wasmbinary.RewriteOptions) { o.MaxDepth, o.MaxTableElems = 10_000, 4<<20 }
	for _, tc := range []struct {
		name         string
		guest        *guest
		tight, loose Limits
		module       func(*wasmbinary.RewriteOptions) // where the module is what is limited: as it must be for the attack to pass
		code         readapi.Code
		limit        string
		value        int64
		harm         func(u Usage) int64
	}{
		{"fuel: loop", newGuest(spin(100_000), i32(0)), Limits{Fuel: 100_000}, Limits{Fuel: 1e8}, nil, readapi.CodeLimitFuel, "fuel", 100_000, func(u Usage) int64 { return u.Fuel - wasmbinary.SliceFuel }},
		{"fuel: bulk", repeats(20, i32(0), i32(1), i32(1<<16), memFill()), Limits{Fuel: 200_000}, Limits{Fuel: 1e8}, nil, readapi.CodeLimitFuel, "fuel", 200_000, func(u Usage) int64 { return u.Fuel - wasmbinary.SliceFuel }},
		{"memory", grower(100), Limits{MaxMemoryBytes: 4 << 20}, Limits{MaxMemoryBytes: 16 << 20}, nil, readapi.CodeLimitMemory, "max_memory_bytes", 4 << 20, func(u Usage) int64 { return u.MemoryBytes }},
		{"output", emits(20, 1000), Limits{MaxOutputBytes: 10_000}, Limits{}, nil, readapi.CodeLimitOutput, "max_output_bytes", 10_000, func(u Usage) int64 { return u.OutputBytes - 1000 }},
		{"frames", emits(200, 0), Limits{MaxFrames: 100}, Limits{}, nil, readapi.CodeLimitOutput, "max_output_frames", 100, func(u Usage) int64 { return u.Frames - 1 }},
		{"host calls", repeats(200, call_(fnInputLen), drop), Limits{MaxHostCalls: 100}, Limits{}, nil, readapi.CodeLimitFuel, "max_host_calls", 100, func(u Usage) int64 { return u.HostCalls - 1 }},
		{"log", logs(20), Limits{MaxLogBytes: 5000}, Limits{}, nil, "", "", 5000, func(u Usage) int64 { return u.LogBytes }},
		{"depth", nested(1800), Limits{}, Limits{}, most, readapi.CodeLimitDepth, "max_depth", 1500, nil},
		{"table", tables(2 << 20), Limits{}, Limits{}, most, readapi.CodeTrap, "", 0, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				rt := newRuntime(t, Options{Engine: e})
				_, u, err := decode(t, compile(t, rt, tc.guest.module(t)), &Call{Limits: tc.tight})
				if readapi.CodeOf(err) != tc.code {
					t.Fatalf("%v, want %q", err, tc.code)
				}
				if tc.limit != "" {
					if got := wantCode(t, err, tc.code); got.Limit == nil || got.Limit.Name != tc.limit || got.Limit.Value != tc.value {
						t.Errorf("limit %+v, want %s %d", got.Limit, tc.limit, tc.value)
					}
				}
				if tc.harm != nil && tc.harm(u) > tc.value {
					t.Errorf("within its limit of %d it did %d", tc.value, tc.harm(u))
				}
				tune := func(*wasmbinary.RewriteOptions) {}
				if tc.module != nil {
					tune = tc.module
				}
				_, u, err = decode(t, compile(t, rt, tc.guest.module(t, tune)), &Call{Limits: tc.loose})
				if err != nil {
					t.Fatalf("with the limit raised: %v", err)
				}
				if tc.harm != nil && tc.harm(u) <= tc.value {
					t.Errorf("with the limit raised it did %d, no more than %d", tc.harm(u), tc.value)
				}
			})
		})
	}
}

// TestDeadlineWithin lets the deadline pass while the guest is in the midst of something, and counts what it still gets done: less than two
// slices of fuel and one piece of a bulk operation. With no deadline the same guest goes on to the end of its fuel.
func TestDeadlineWithin(t *testing.T) {
	const fuel = 2e7
	for name, attack := range map[string]code{
		"loop":  loop(br(0)),
		"calls": loop(call_(abiImports+3), br(0)),
		"fill":  loop(i32(0), i32(1), i32(4<<20), memFill(), br(0)),
		"copy":  loop(i32(1), i32(0), i32(4<<20-1), memCopy(), br(0)),
		"grow":  loop(grow(i32(1)), drop, br(0)),
		"host":  loop(call_(fnInputLen), drop, br(0)),
		"read":  loop(i64(0), i32(0), i32(4<<20), call_(fnInputRead), drop, br(0)),
		"log":   loop(i32(1), i32(0), i32(1000), call_(fnLog), br(0)),
	} {
		t.Run(name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				g := newGuest(grow(i32(63)), drop, emitRange(3, i32(0), i32(0)), drop, attack, i32(0))
				g.fn("", "", nil)
				p := program(t, e, g)
				run := func(pass bool) (after int64, err error) {
					i := instance(t, p)
					defer i.Close()
					var at int64
					u, err := i.Decode(t.Context(), &Call{
						Input:  input(strings.Repeat("x", 4<<20)),
						Limits: Limits{Fuel: fuel, Timeout: time.Hour, MaxHostCalls: 1 << 40},
						Emit: func(abi.Kind, []byte) bool {
							c := i.linear.call
							at = c.used()
							if pass {
								c.deadline = time.Now().Add(-1)
							}
							return false
						},
					})
					return u.Fuel - at, err
				}
				after, err := run(true)
				wantCode(t, err, readapi.CodeLimitTime)
				if after > 2*wasmbinary.SliceFuel+hostPiece+hostCallFuel+50_000 {
					t.Errorf("%d units after the deadline", after)
				}
				after, err = run(false)
				wantCode(t, err, readapi.CodeLimitFuel)
				if after < fuel/2 {
					t.Errorf("without a deadline it stopped after %d units", after)
				}
			})
		})
	}
}

// TestTouch checks that memory that a guest grows into is made ready in pieces, between which the clock is looked at: its pages would
// otherwise come one by one as it touches them, in the middle of a slice. A call that is over gets none.
func TestTouch(t *testing.T) {
	const pages = 4000
	p := program(t, Compiler, newGuest(emitRange(3, i32(0), i32(0)), drop, grow(i32(pages)), drop, i32(0)))
	for _, late := range []bool{false, true} {
		i := instance(t, p)
		_, err := i.Decode(t.Context(), &Call{Limits: Limits{Timeout: time.Hour}, Emit: func(abi.Kind, []byte) bool {
			if c := i.linear.call; late {
				i.linear.region.present = 64 << 20 // as if a part were there
				c.deadline = time.Now().Add(-1)
				c.setLeft(1 << 40) // so that it does not look at the clock itself before it grows
			}
			return false
		}})
		if late {
			wantCode(t, err, readapi.CodeLimitTime)
			if n := i.linear.size; n != pageBytes {
				t.Errorf("it has %d bytes, though its time was over", n)
			}
		} else if n := i.linear.region.present; err != nil || n != (pages+1)*pageBytes {
			t.Errorf("%d bytes are ready, %v", n, err)
		}
		i.Close()
	}
	// What is small comes as it is touched, which is cheaper where it never is.
	i := instance(t, p)
	defer i.Close()
	if n := i.linear.region.present; n != 0 {
		t.Errorf("%d bytes of a new instance are ready", n)
	}
}

// setLeft gives the guest so much fuel at once.
func (c *call) setLeft(n int64) {
	c.granted += n - c.inst.fuel()
	c.inst.setFuel(n)
}

// TestMemoryIsKept checks that making pages ready changes nothing of what they hold, and that what is handed back is brought in again.
func TestMemoryIsKept(t *testing.T) {
	// It grows by 12 MiB twice, and dies if what it wrote after the first time is gone, or what it gets is not zero.
	p := program(t, Compiler, newGuest(
		grow(i32(192)), drop, i32(8<<20), i32(7), store8(0), i32(12<<20), i32(7), store8(0),
		grow(i32(400)), drop, i32(8<<20), load8(0), i32(12<<20), load8(0), i32Add, i32(14), i32Sub, if_(unreachable),
		i32(36<<20), load8(0), if_(unreachable), i32(36<<20), i32(7), store8(0), i32(0)))
	if err := p.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	i := instance(t, p)
	defer i.Close()
	for round := range 3 {
		if _, err := i.Decode(t.Context(), &Call{}); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		if err := i.Reset(); err != nil {
			t.Fatal(err)
		}
		if n := i.linear.region.present; n > pageBytes+keptForTest {
			t.Errorf("round %d: %d bytes count as ready after they were handed back", round, n)
		}
	}
}

const keptForTest = 38 << 20 // where nothing is handed back, all of it is still there

// TestHangingInput lets an input hang: the deadline ends the read. The same input gets through when it is let go.
func TestHangingInput(t *testing.T) {
	p := program(t, Compiler, echo())
	for _, hang := range []bool{true, false} {
		release := make(chan struct{})
		asked := 0
		in := readerFunc{1000, func(b []byte, _ int64) (int, error) {
			asked++
			<-release
			return len(b), io.EOF
		}}
		if !hang {
			close(release)
		}
		_, _, err := decode(t, p, &Call{Input: in, Limits: Limits{Timeout: 20 * time.Millisecond}})
		if hang {
			wantCode(t, err, readapi.CodeLimitTime)
			close(release)
		} else if err != nil || asked == 0 {
			t.Errorf("asked %d times: %v", asked, err)
		}
	}
}

// TestLateInstance checks that a new instance of a module with a large memory is given up when its caller goes away while the memory is made
// ready.
func TestLateInstance(t *testing.T) {
	g := newGuest(i32(0))
	g.mem[0] = 1000
	p := program(t, Compiler, g)
	ctx := &countdown{Context: t.Context(), left: 5}
	_, err := p.Instance(ctx)
	wantCode(t, err, readapi.CodeCanceled)
	if n := p.rt.MemoryInUse(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
	instance(t, p).Close()
}

// countdown is a context that is canceled after it was asked some times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
