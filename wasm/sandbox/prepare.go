package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// Prepared is what a process that runs a module needs to know of it.
type Prepared struct {
	CacheDir       string // absolute; the compile cache that has the module's machine code; "": the interpreter needs none
	MaxMemoryBytes int64  // what a guest of the module can have
}

// Prepare makes sure that m's machine code is in the compile cache. A helper makes it there if need be, whoever vouches for m; nothing of m is
// compiled, loaded or run in this process. Where there is no cache it is in a folder of the runtime's own, until Close.
//
// Errors: those of Compile for a foreign module.
func (r *Runtime) Prepare(ctx context.Context, m Module) (Prepared, error) {
	p, err := r.prepare(ctx, m)
	if err != nil {
		return p, edge("sandbox.Prepare", m.Name, err)
	}
	return p, nil
}

func (r *Runtime) prepare(ctx context.Context, m Module) (Prepared, error) {
	if sum := sha256.Sum256(m.Wasm); hex.EncodeToString(sum[:]) != m.Digest {
		return Prepared{}, refused("its digest is not the one that it should have")
	}
	state, err := binary.ReadState(m.Wasm)
	if err != nil {
		return Prepared{}, &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "it was not rewritten", Err: err}
	}
	p := Prepared{MaxMemoryBytes: int64(state.MemoryMaxPages) * pageBytes}
	if r.opts.Engine == Interpreter {
		return p, ctx.Err()
	}
	c := r.holding(m)
	if c == nil {
		if c, err = r.fillFor(ctx, m); err != nil {
			return p, err
		}
	}
	if p.CacheDir, err = filepath.Abs(c.dir); err != nil {
		return p, err
	}
	return p, ctx.Err() // whoever loads it verifies it
}

// fillFor makes the entry of m, and says where. When ctx ends before it is there, the helper goes on and fills the cache.
func (r *Runtime) fillFor(ctx context.Context, m Module) (*compileCache, error) {
	t, err := r.begin(ctx, m.Digest)
	if err != nil {
		return nil, err
	}
	type filled struct {
		c   *compileCache
		err error
	}
	done := make(chan filled, 1)
	go func() {
		defer r.end(m.Digest)
		work, cancel := r.untilClosed(ctx)
		defer cancel()
		_, c, err := r.foreign(work, m, true)
		<-t.token
		done <- filled{c, err}
	}()
	select {
	case f := <-done:
		return f.c, f.err
	case <-ctx.Done():
		return nil, contextError(ctx.Err())
	}
}

// WithDefaults fills in what is 0. A negative number is invalid_request.
func (l Limits) WithDefaults() (Limits, error) { return l.withDefaults() }

// WithInitDefaults fills in what is 0 in InitLimits, for guests on engine e. A negative number is invalid_request.
func (l Limits) WithInitDefaults(e Engine) (Limits, error) { return l.withInitDefaults(e) }

// WarmUp returns the limits of a warm-up call that has none of its own, where l are InitLimits.
func (l Limits) WarmUp() Limits { return Limits{}.warm(l) }

// HasSnapshot reports whether instances of the program start from a snapshot, so that Reset can work.
func (p *Program) HasSnapshot() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.snap != nil
}
