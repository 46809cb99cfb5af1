// Package storefault makes drivers of a store fail, or their process end, at a call that a test chooses.
//
//	plan := &storefault.Plan{}
//	index, err := store.NewIndex(storefault.Index(driver, plan))
//	plan.Arm(storefault.Fault{At: 7, Err: syscall.ENOSPC})
//
// A plan counts the calls of all the drivers that it was given to, so that a test runs the same work once for every call that it makes,
// until a run makes fewer.
package storefault

import (
	"context"
	"iter"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Fault is what goes wrong.
type Fault struct {
	At     int    // the number of the call, from 1; 0: none
	Err    error  // that the call fails with; nil: it passes, and only Hook is called
	Behind bool   // it fails behind its work: what it did stays done, and its answer is lost
	Short  bool   // a write takes half of its bytes, and says so without an error
	Hook   func() // is called on the side of the work that Behind says: it may end the process, or do what happens just then
}

// Plan says which call fails. The zero Plan counts nothing until it is armed. It is safe for concurrent use.
type Plan struct {
	mu    sync.Mutex
	armed bool
	fault Fault
	names []string
}

// Arm begins to count anew, and sets the fault.
func (p *Plan) Arm(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed, p.fault, p.names = true, f, nil
}

// Disarm lets everything pass, uncounted, and returns the calls that were made since Arm.
func (p *Plan) Disarm() (calls []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = false
	return p.names
}

// Failed names the call that failed; "" while none has.
func (p *Plan) Failed() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fault.At < 1 || len(p.names) < p.fault.At {
		return ""
	}
	return p.names[p.fault.At-1]
}

// turn counts a call; fails says that it is the one.
func (p *Plan) turn(name string) (f Fault, fails bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.armed {
		return Fault{}, false
	}
	p.names = append(p.names, name)
	return p.fault, len(p.names) == p.fault.At
}

// step makes a call, or lets it fail.
func (p *Plan) step(name string, call func() error) error {
	f, fails := p.turn(name)
	if !fails {
		return call()
	}
	if f.Behind {
		if err := call(); err != nil {
			return err
		}
	}
	if f.Hook != nil {
		f.Hook()
	}
	if f.Err == nil && !f.Behind {
		return call()
	}
	return f.Err
}

func sweep(ctx context.Context, p *Plan, name string, driver any, before time.Time) (n int, err error) {
	err = p.step(name, func() (err error) {
		if s, ok := driver.(store.Sweeper); ok {
			n, err = s.Sweep(ctx, before)
		}
		return err
	})
	return n, err
}

// inspect has one call for the whole walk.
func inspect(ctx context.Context, p *Plan, name string, driver any, mend bool) iter.Seq2[store.Oddity, error] {
	return func(yield func(store.Oddity, error) bool) {
		i, ok := driver.(store.Inspector)
		if !ok {
			return
		}
		if err := p.step(name, func() error { return nil }); err != nil {
			yield(store.Oddity{}, err)
			return
		}
		i.Inspect(ctx, mend)(yield)
	}
}
