package ring

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Instance is a helper process with one instance of a program. It is for one goroutine at a time; Close may come from another and waits for the
// call that runs.
type Instance struct {
	prog *Program

	mu     sync.Mutex // held by every method while it runs
	proc   *process
	used   bool // a call ran since the last reset
	dead   bool // something went wrong: only Close is left
	closed bool
}

const resetTimeout = 10 * time.Second

// Decode is sandbox.Instance.Decode. After any error the helper is ended, and a cancelled call's at the latest 100 ms after it was told to stop.
// A process that ends by itself is decoder_trap with ErrDied, or limit_memory where it said so.
func (i *Instance) Decode(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error) {
	u, err := i.decode(ctx, c)
	return u, outer("ring.Decode", i.prog.module.Name, err)
}

func (i *Instance) decode(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error) {
	if !i.mu.TryLock() {
		return sandbox.Usage{}, &readapi.Error{Code: readapi.CodeInternal, Detail: "two calls of one instance at once"}
	}
	defer i.mu.Unlock()
	if err := i.usable(); err != nil {
		return sandbox.Usage{}, err
	}
	u, err := i.exchange(ctx, c)
	if err != nil {
		i.dead = true
		i.proc.kill()
		i.prog.lastWords(i.proc)
		return u, err
	}
	i.used = true
	return u, nil
}

func (i *Instance) exchange(ctx context.Context, c *sandbox.Call) (sandbox.Usage, error) {
	limits, err := c.Limits.WithDefaults()
	if err != nil {
		return sandbox.Usage{}, err
	}
	if err := i.revive(ctx); err != nil {
		return sandbox.Usage{}, err
	}
	ctx, cancel := i.prog.within(ctx)
	defer cancel()
	x := newExchange(i.prog, i.proc, c, limits)
	return x.run(ctx)
}

// revive replaces a process that ended while nobody used it: that is not the next file's doing. One that was used and not put back is not
// replaced, as its state is lost.
func (i *Instance) revive(ctx context.Context) error {
	if !i.proc.gone() && i.proc.conn.Quiet() || i.used {
		return nil
	}
	i.proc.kill()
	i.prog.lastWords(i.proc)
	proc, err := i.prog.process(ctx)
	if err != nil {
		return err
	}
	i.proc = proc
	return nil
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

var errReset = errors.New("ring: the instance cannot be put back")

// Reset is sandbox.Instance.Reset, in the helper.
func (i *Instance) Reset() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	err := i.usable()
	if err == nil {
		err = i.reset()
	}
	if err != nil {
		i.dead = true
		i.proc.kill()
		return outer("ring.Reset", i.prog.module.Name, err)
	}
	i.used = false
	return nil
}

func (i *Instance) reset() error {
	proc := i.proc
	proc.expire(time.Now().Add(resetTimeout))
	defer proc.expire(time.Time{})
	if err := proc.conn.Send(wire.Reset); err != nil {
		return err
	}
	k, n, err := proc.conn.Next()
	if err != nil || k != wire.IsReset || n != 1 {
		return errors.Join(errReset, err)
	}
	worked, err := proc.conn.ReadBytes(n, 1)
	if err != nil || worked[0] != 1 {
		return errors.Join(errReset, err)
	}
	return nil
}

// Close ends the helper, after the call that runs. It is idempotent.
func (i *Instance) Close() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return nil
	}
	i.closed, i.dead = true, true
	i.proc.kill()
	i.prog.mu.Lock()
	delete(i.prog.instances, i)
	i.prog.mu.Unlock()
	return nil
}
