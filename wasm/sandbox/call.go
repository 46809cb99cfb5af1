package sandbox

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// call is the state of one call into a guest: everything that the host functions need, and nothing that outlives the call.
type call struct {
	inst     *Instance
	ctx      context.Context
	deadline time.Time
	limits   Limits

	request []byte
	input   *inputReader
	emit    func(abi.Kind, []byte) bool
	log     guestLog
	random  random

	granted  int64     // fuel handed out
	yield    time.Time // when others are let run next
	stopped  bool      // emit has said so
	usage    Usage
	inputErr error // the first thing that went wrong with reading the input
}

// stop is what unwinds a guest: a host function panics with it, wazero recovers it and returns it wrapped.
type stop struct{ err *readapi.Error }

func (s *stop) Error() string { return s.err.Error() }

// exit is the stop of a guest that ended itself.
type exit struct{ code uint32 }

func (e *exit) Error() string {
	return "the guest exited with status " + strconv.FormatUint(uint64(e.code), 10)
}

func abort(code readapi.Code, detail string) {
	panic(&stop{&readapi.Error{Code: code, Detail: detail}})
}

func abortLimit(code readapi.Code, name string, value, actual int64) {
	panic(&stop{overLimit(code, name, value, actual)})
}

func overLimit(code readapi.Code, name string, value, actual int64) *readapi.Error {
	return &readapi.Error{Code: code, Limit: &readapi.LimitHit{Name: name, Value: value, Actual: actual}}
}

// hostCallFuel is the least that a call from the guest to the host costs, and perKiB what the host's work costs by length, in units of a
// tenth of a nanosecond.
const (
	hostCallFuel = 1000
	copyPerKiB   = 1 << 10  // one copy
	emitPerKiB   = 16 << 10 // copied, parsed and checked on the way out
	randomPerKiB = 8 << 10
	logPerKiB    = 64 << 10 // escaped, rune by rune
)

// hostPiece is how much a host function does between two looks at the deadline.
const hostPiece = 1 << 20

// enter counts and charges one call from the guest.
func (c *call) enter() {
	c.usage.HostCalls++
	if c.usage.HostCalls > c.limits.MaxHostCalls {
		abortLimit(readapi.CodeLimitFuel, "max_host_calls", c.limits.MaxHostCalls, c.usage.HostCalls)
	}
	c.charge(hostCallFuel)
}

// chargeBytes charges work on n bytes.
func (c *call) chargeBytes(n, perKiB int64) { c.charge(n * perKiB >> 10) }

func (c *call) charge(units int64) {
	left := c.inst.fuel() - units
	c.inst.setFuel(left)
	if left < 0 {
		c.refuel()
	}
}

// used is the fuel spent so far.
func (c *call) used() int64 { return c.granted - c.inst.fuel() }

// refuel hands out the next slice, or ends the guest. The last slice is exactly what is left of the budget, so that a budget ends at the
// same instruction on every machine.
func (c *call) refuel() {
	if err := c.over(); err != nil {
		panic(&stop{err})
	}
	if now := time.Now(); now.After(c.yield) {
		runtime.Gosched()
		c.yield = now.Add(yieldEvery)
	}
	used := c.used()
	slice := min(binary.SliceFuel, c.limits.Fuel-used)
	c.granted = used + slice
	c.inst.setFuel(slice)
}

// A guest that runs for more than yieldAfter lets others run every yieldEvery. Go's own scheduler takes a processor away after ten
// milliseconds, which is ten times as long as a small read takes: a few guests that compute would make all the others wait for that.
const (
	yieldAfter = 3 * time.Millisecond
	yieldEvery = time.Millisecond
)

// over says why the call must end now, nil if it may go on.
func (c *call) over() *readapi.Error {
	if err := c.ctx.Err(); err != nil {
		return contextError(err)
	}
	if c.inst.prog.isClosing() {
		return &readapi.Error{Code: readapi.CodeCanceled, Detail: "the decoder is being closed"}
	}
	if time.Now().After(c.deadline) {
		return c.timeout()
	}
	if used := c.used(); used > c.limits.Fuel {
		return overLimit(readapi.CodeLimitFuel, "fuel", c.limits.Fuel, used)
	}
	return nil
}

func (c *call) timeout() *readapi.Error {
	return overLimit(readapi.CodeLimitTime, "timeout_ms", max(1, c.limits.Timeout.Milliseconds()), 0)
}

func contextError(err error) *readapi.Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &readapi.Error{Code: readapi.CodeLimitTime, Detail: "the caller's deadline passed", Err: err}
	}
	return &readapi.Error{Code: readapi.CodeCanceled, Err: err}
}

// memory returns n bytes of the guest's memory at ptr. They are valid until the guest runs again.
func (c *call) memory(ptr, n uint32) ([]byte, bool) {
	return c.inst.mem.Read(ptr, n)
}

// callContext carries a call to the host functions. It deliberately answers for no other key: what lies in a caller's context must not
// switch anything on in wazero.
type callContext struct {
	context.Context
	call *call
}

type callKey struct{}

func (c *callContext) Value(key any) any {
	if key == (callKey{}) {
		return c.call
	}
	return nil
}

// callOf returns the call that a host function runs in.
func callOf(ctx context.Context) *call {
	if c, ok := ctx.(*callContext); ok {
		return c.call
	}
	c, ok := ctx.Value(callKey{}).(*call)
	if !ok {
		abort(readapi.CodeInternal, "a host function outside a call")
	}
	return c
}
