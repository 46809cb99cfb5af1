package sandbox

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// Instance is a program with a memory of its own. It is for one goroutine at a time; Close may come from another and waits for the call
// that runs.
type Instance struct {
	prog   *Program
	mod    api.Module
	mem    api.Memory
	linear *linearMemory

	describe, decode api.Function
	fuelGlobal       api.MutableGlobal
	depthGlobal      api.MutableGlobal
	taintGlobal      api.MutableGlobal
	globals          []api.MutableGlobal // in the order of State.Globals

	clock uint64    // the virtual clock, monotonic nanoseconds
	snap  *snapshot // what Reset goes back to; nil: it cannot

	mu     sync.Mutex // held by every method while it runs
	dead   bool       // something went wrong: only Close is left
	closed bool
}

// newInstance instantiates the module; nothing of the guest runs. With a snapshot it takes the memory that the snapshot needs.
func (p *Program) newInstance(ctx context.Context, snap *snapshot) (*Instance, error) {
	minBytes := int64(p.state.MemoryMinPages) * pageBytes
	take := minBytes
	if snap != nil {
		take = snap.memory.size
	}
	if !p.rt.budget.acquire(ctx, time.Time{}, take) {
		if err := ctx.Err(); err != nil {
			return nil, contextError(err)
		}
		return nil, busy(p.rt.budget)
	}
	linear, err := newLinearMemory(p.rt.budget, take, int64(p.state.MemoryMaxPages)*pageBytes)
	if err == nil {
		err = linear.region.commit(take)
	}
	if err == nil && !linear.touch(take, func() bool { return ctx.Err() == nil }) {
		linear.Free()
		return nil, contextError(ctx.Err())
	}
	if err != nil {
		p.rt.budget.release(take)
		return nil, &readapi.Error{Code: readapi.CodeBusy, Detail: "the system has no memory", Err: err, RetryAfter: p.rt.budget.wait}
	}
	i := &Instance{prog: p, linear: linear, clock: clockStart}
	p.life.RLock()
	defer p.life.RUnlock()
	err = errClosed()
	if !p.closed {
		err = i.instantiate(ctx)
	}
	if err != nil {
		linear.Free()
		return nil, err
	}
	p.mu.Lock()
	p.instances[i] = struct{}{}
	p.mu.Unlock()
	return i, nil
}

func (i *Instance) instantiate(ctx context.Context) (err error) {
	p := i.prog
	ctx = experimental.WithMemoryAllocator(&callContext{Context: ctx}, i.linear)
	i.mod, err = p.wz.InstantiateModule(ctx, p.code, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "it cannot be instantiated", Err: err}
	}
	i.mem = i.mod.ExportedMemory(abi.ExportMemory)
	i.describe, i.decode = i.mod.ExportedFunction(abi.ExportDescribe), i.mod.ExportedFunction(abi.ExportDecode)
	for _, g := range p.state.Globals {
		global, ok := i.mod.ExportedGlobal(g.Export).(api.MutableGlobal)
		if !ok || global.Type() != api.ValueType(g.Type) {
			_ = i.mod.Close(ctx)
			return refused("its globals are not what its state says")
		}
		i.globals = append(i.globals, global)
		switch g.Export {
		case p.state.Fuel:
			i.fuelGlobal = global
		case p.state.Depth:
			i.depthGlobal = global
		case p.state.Taint:
			i.taintGlobal = global
		}
	}
	if i.fuelGlobal == nil || i.depthGlobal == nil || i.taintGlobal == nil {
		_ = i.mod.Close(ctx)
		return refused("the wall's globals are missing")
	}
	return nil
}

func (i *Instance) fuel() int64     { return int64(i.fuelGlobal.Get()) }
func (i *Instance) setFuel(n int64) { i.fuelGlobal.Set(uint64(n)) }
func (i *Instance) depth() int32    { return api.DecodeI32(i.depthGlobal.Get()) }
func (i *Instance) tainted() bool   { return i.taintGlobal.Get() != 0 }

// initialize brings a new instance to life: data, start function, _initialize, and the ABI's version.
func (i *Instance) initialize(ctx context.Context) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.usable(); err != nil {
		return err
	}
	for _, d := range i.prog.state.Data {
		if !i.mem.Write(d.Offset, d.Bytes) {
			return refused("its data does not fit its memory")
		}
	}
	c, err := i.newCall(ctx, &Call{Limits: i.prog.rt.opts.InitLimits})
	if err != nil {
		return err
	}
	for _, name := range []string{i.prog.state.Start, abi.ExportInitialize} {
		if fn := i.mod.ExportedFunction(name); name != "" && fn != nil {
			if _, err := c.run(fn); err != nil {
				return err
			}
		}
	}
	version, err := c.run(i.mod.ExportedFunction(abi.ExportABI))
	if err == nil && version != abi.Version {
		err = refused("it speaks another version of the ABI")
	}
	return err
}

// Describe lets the guest describe itself: emit gets its one frame. Options.InitLimits hold.
func (i *Instance) Describe(ctx context.Context, emit func(kind abi.Kind, payload []byte) (stop bool)) error {
	if _, err := i.call(ctx, i.describe, &Call{Emit: emit, Limits: i.prog.rt.opts.InitLimits}); err != nil {
		return edge("sandbox.Describe", i.prog.name, err)
	}
	return nil
}

// Decode runs one decode. A nil error means that the guest returned in time; whether its frames make an answer is for abi.Collector to
// say. Usage is valid with an error too.
//
// Errors: limit_fuel, limit_time, limit_memory, limit_depth, limit_output, canceled, busy (other guests hold the memory), decoder_trap,
// bad_output, invalid_request (a negative limit), internal, and the code of an error of the input's reader, not_found where that has none.
// After any error the instance is of no use: close it.
func (i *Instance) Decode(ctx context.Context, c *Call) (Usage, error) {
	u, err := i.call(ctx, i.decode, c)
	if err != nil {
		return u, edge("sandbox.Decode", i.prog.name, err)
	}
	return u, nil
}

func (i *Instance) call(ctx context.Context, fn api.Function, in *Call) (Usage, error) {
	if !i.mu.TryLock() {
		return Usage{}, &readapi.Error{Code: readapi.CodeInternal, Detail: "two calls of one instance at once"}
	}
	defer i.mu.Unlock()
	if err := i.usable(); err != nil {
		return Usage{}, err
	}
	c, err := i.newCall(ctx, in)
	if err != nil {
		i.dead = true
		return Usage{}, err
	}
	defer c.input.close()
	result, err := c.run(fn)
	if err == nil && result != 0 {
		err = &readapi.Error{Code: readapi.CodeBadOutput, Detail: "the decoder says that it failed"}
	}
	err = c.blameInput(err)
	i.dead = err != nil
	return c.usage, err
}

// blameInput puts a failure of the input's reader in place of whatever the guest made of it.
func (c *call) blameInput(err error) error {
	switch readapi.CodeOf(err) {
	case "", readapi.CodeBadOutput, readapi.CodeTrap:
	default:
		return err
	}
	switch {
	case c.inputErr == nil:
		return err
	case errors.Is(c.inputErr, io.ErrUnexpectedEOF):
		return &readapi.Error{Code: readapi.CodeMalformed, Detail: "the file became shorter while it was read", Err: c.inputErr}
	}
	code := readapi.CodeOf(c.inputErr)
	if code == readapi.CodeInternal { // an error of the system's: the bytes are not to be had, which is no bug of ours
		code = readapi.CodeNotFound
	}
	return &readapi.Error{Code: code, Detail: "its bytes cannot be read", Err: c.inputErr}
}

func (i *Instance) usable() error {
	switch {
	case i.closed:
		return errClosed()
	case i.dead:
		return &readapi.Error{Code: readapi.CodeInternal, Detail: "the instance is of no use after an error"}
	}
	return nil
}

// newCall prepares a call; nothing of it runs yet.
func (i *Instance) newCall(ctx context.Context, in *Call) (*call, error) {
	limits, err := in.Limits.withDefaults()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	c := &call{
		inst: i, ctx: ctx, deadline: now.Add(limits.Timeout), yield: now.Add(yieldAfter), limits: limits,
		request: in.Request, input: newInputReader(in.Input), emit: in.Emit, log: guestLog{out: i.prog.log},
	}
	if c.emit == nil {
		c.emit = func(abi.Kind, []byte) bool { return false }
	}
	return c, nil
}

// run calls one function of the guest, which has no arguments and at most one result, within the call's budget. It may be called again
// for another function.
func (c *call) run(fn api.Function) (result int32, err error) {
	i := c.inst
	m := i.linear
	m.call, m.softCap, m.refused = c, c.limits.MaxMemoryBytes, refusedNone
	defer func() { m.call, m.softCap = nil, m.hardCap }()
	if m.size > m.softCap {
		return 0, overLimit(readapi.CodeLimitMemory, "max_memory_bytes", m.softCap, m.size)
	}
	i.setFuel(-1 - c.usage.Fuel) // nothing granted yet, and what a former run spent
	c.granted = -1
	i.depthGlobal.Set(0)
	err = c.invoke(fn, &result)
	c.usage.Fuel, c.usage.MemoryBytes = c.used(), m.size
	c.log.finish(c)
	if err != nil {
		i.dead = true
		return 0, err
	}
	return result, nil
}

func (c *call) invoke(fn api.Function, result *int32) error {
	if e := c.over(); e != nil {
		return e
	}
	c.refuel()
	var stack [1]uint64
	if err := fn.CallWithStack(&callContext{Context: c.ctx, call: c}, stack[:]); err != nil {
		e := c.classify(err)
		c.logFailure(e)
		return e
	}
	*result = api.DecodeI32(stack[0])
	if e := c.over(); e != nil { // a result that comes too late is none
		return e
	}
	return nil
}

// Close frees the instance, after the call that runs. It is idempotent.
func (i *Instance) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil
	}
	i.closed, i.dead = true, true
	i.prog.mu.Lock()
	delete(i.prog.instances, i)
	if i.prog.spare == i {
		i.prog.spare = nil
	}
	i.prog.mu.Unlock()
	err := i.mod.Close(context.Background()) // frees the memory; nothing of it can wait, so there is nothing to cancel
	i.linear.Free()
	if err != nil {
		return edge("sandbox.Close", i.prog.name, err)
	}
	return nil
}
