package ring

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// exchange is one call of a helper: the request goes, and what comes back is counted, capped and checked, as if the helper were the enemy's.
type exchange struct {
	prog   *Program
	proc   *process
	call   *sandbox.Call
	limits sandbox.Limits
	start  time.Time

	messages int64
	frames   int64
	bytes    int64 // of frames
	stopped  bool  // Emit has said so
	payload  []byte
	log      *logBudget
	feed     *feed
}

const (
	firstPayload = 64 << 10
	keptPayload  = 1 << 20
)

func newExchange(p *Program, proc *process, c *sandbox.Call, l sandbox.Limits) *exchange {
	proc.calls++
	return &exchange{
		prog: p, proc: proc, call: c, limits: l, start: time.Now(), log: newLogBudget(l.MaxLogBytes),
		feed: newFeed(proc.conn, proc.calls, c.Input),
	}
}

// run runs the call. The deadline is the helper's to keep; a helper that does not is given up a little later.
func (x *exchange) run(ctx context.Context) (sandbox.Usage, error) {
	x.proc.expire(x.start.Add(x.limits.Timeout).Add(stopGrace))
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		x.proc.expire(time.Now().Add(stopGrace))
		_ = x.proc.conn.Send(wire.Stop)
	})
	u, err := x.talk(ctx)
	if !stop() {
		<-stopped
	}
	x.feed.close()
	x.log.report(x.prog)
	if e := ended(ctx); e != nil { // a result that comes too late is none
		return u, e
	}
	if err == nil && time.Since(x.start) > x.limits.Timeout {
		err = timeout(x.limits.Timeout)
	}
	if err == nil {
		x.proc.expire(time.Time{})
	}
	return u, err
}

func (x *exchange) talk(ctx context.Context) (sandbox.Usage, error) {
	if err := x.ask(ctx); err != nil {
		return x.usage(), x.lost(ctx, err)
	}
	for {
		k, n, err := x.proc.conn.Next()
		if err == nil && k == wire.Done {
			var out wire.Outcome
			if err = x.proc.conn.ReadJSON(n, &out); err == nil {
				return x.done(out)
			}
		}
		if err == nil {
			err = x.take(ctx, k, n)
		}
		if err != nil {
			return x.usage(), x.lost(ctx, err)
		}
	}
}

// ask sends the call, and the input with it when it is small.
func (x *exchange) ask(ctx context.Context) error {
	request := x.call.Request
	call := wire.Call{RequestBytes: int64(len(request)), Size: x.feed.size, Limits: x.limits}
	var input []byte
	if call.Inline = x.feed.size <= wire.MaxInline; call.Inline {
		var err error
		if input, err = x.feed.all(ctx, x.start.Add(x.limits.Timeout)); err != nil {
			// The guest may never look at what cannot be read: it is told when it asks for it.
			if !errors.Is(err, errInput) {
				return err
			}
			call.Inline, input = false, nil
		}
	}
	head, err := wire.AppendCall(nil, &call)
	if err != nil {
		return err
	}
	return x.proc.conn.Send(wire.Decode, head, request, input)
}

// take takes one message that is not the call's end.
func (x *exchange) take(ctx context.Context, k wire.Kind, n int64) error {
	if x.messages++; x.messages > x.limits.MaxHostCalls+x.limits.MaxFrames+x.limits.MaxLogBytes+1000 {
		return lie("endless messages")
	}
	switch k {
	case wire.Frame:
		return x.frame(n)
	case wire.Read:
		span, err := x.proc.conn.ReadSpan(n, x.feed.size)
		if err != nil {
			return err
		}
		return x.feed.want(span)
	case wire.Log:
		return x.prog.take(ctx, x.proc, n, x.log)
	}
	return wire.ErrProtocol
}

// frame takes one frame. The helper's own sandbox keeps the limits, so a frame that is over one comes from something else.
func (x *exchange) frame(n int64) error {
	n -= wire.KindBytes
	x.frames++
	x.bytes += max(0, n)
	switch {
	case n < 0:
		return wire.ErrProtocol
	case x.bytes > x.limits.MaxOutputBytes || x.frames > x.limits.MaxFrames:
		return lie("frames over the limit")
	case x.stopped:
		return lie("a frame after the host had enough")
	}
	var kind [wire.KindBytes]byte
	if err := x.proc.conn.Read(kind[:]); err != nil {
		return err
	}
	if err := x.read(n); err != nil {
		return err
	}
	if err := x.emit(abi.Kind(binary.LittleEndian.Uint32(kind[:]))); err != nil {
		return err
	}
	ack := []byte{0}
	if x.stopped {
		ack[0] = 1
	}
	return x.proc.conn.Send(wire.Ack, ack)
}

// read reads a frame's payload of n bytes. Room is made as bytes come, not as they are promised.
func (x *exchange) read(n int64) error {
	x.payload = x.payload[:0]
	for step := int64(firstPayload); int64(len(x.payload)) < n; step *= 2 {
		from := int64(len(x.payload))
		to := min(n, from+step)
		if to > int64(cap(x.payload)) {
			grown := make([]byte, from, to)
			copy(grown, x.payload)
			x.payload = grown
		}
		x.payload = x.payload[:to]
		if err := x.proc.conn.Read(x.payload[from:]); err != nil {
			return err
		}
	}
	return nil
}

// emit hands the payload to the caller. A panic of the caller's is no reason to leave a helper behind.
func (x *exchange) emit(kind abi.Kind) (err error) {
	if x.call.Emit == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = &readapi.Error{Code: readapi.CodeInternal, Err: fmt.Errorf("ring: emit panicked: %v", v)}
		}
	}()
	x.stopped = x.call.Emit(kind, x.payload)
	if cap(x.payload) > keptPayload {
		x.payload = nil
	}
	return nil
}

func (x *exchange) usage() sandbox.Usage {
	return sandbox.Usage{Frames: x.frames, OutputBytes: x.bytes}
}

// done is the end of a call that the helper ended.
func (x *exchange) done(out wire.Outcome) (sandbox.Usage, error) {
	u, honest := x.plausible(out.Usage, out.Failure != nil)
	switch {
	case !honest:
		return u, lie("numbers that cannot be")
	case out.Failure == nil:
		return u, nil
	}
	if e := x.feed.blame(out.Failure); e != nil {
		return u, e
	}
	return u, guestFailure(out.Failure, x.limits, x.prog.prepared.MaxMemoryBytes)
}

// lost is the error for a call whose helper did not end it: what we wanted ourselves first, then what the helper did.
func (x *exchange) lost(ctx context.Context, err error) error {
	if e := ended(ctx); e != nil {
		return e
	}
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, wire.ErrProtocol):
		return lie(err.Error())
	case errors.Is(err, os.ErrDeadlineExceeded):
		return timeout(x.limits.Timeout)
	}
	died := x.proc.death(err)
	if died.Code == readapi.CodeLimitMemory {
		died.Limit = &readapi.LimitHit{Name: memoryLimit, Value: min(x.limits.MaxMemoryBytes, x.prog.prepared.MaxMemoryBytes)}
	}
	return died
}
