package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Runtime holds what programs share: the memory budget, the compile cache, the log. It is safe for concurrent use.
type Runtime struct {
	opts   Options
	budget *budget
	cache  *compileCache // nil: none
	ended  chan struct{} // closed when Close begins: helpers are stopped

	helpers chan struct{} // tokens of helpers that compile

	beforeLoad     func(file string) // a test's hooks: before wazero reads a foreign module's machine code, and after
	afterLoad      func()
	loadMayCompile bool // a test's ablation; see loadOnly

	mu         sync.Mutex
	closed     bool
	private    *compileCache // for foreign modules where there is no cache; nil: not made yet
	programs   map[*Program]struct{}
	compiling  map[string]*turn // by digest
	background sync.WaitGroup   // compilations: those in this process cannot be interrupted
}

// turn is a place to wait in for those who compile the same module.
type turn struct {
	token chan struct{} // the one who compiles holds it
	users int
}

// New returns a Runtime. The caller closes it. Errors: invalid_request, and capability_unavailable where the compiler does not run (see
// CompilerSupported).
func New(opts *Options) (*Runtime, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	r := &Runtime{
		opts: o, budget: newBudget(o.MaxTotalMemoryBytes, o.MemoryWait),
		ended: make(chan struct{}), helpers: make(chan struct{}, maxHelpers), beforeLoad: func(string) {}, afterLoad: func() {},
		programs: map[*Program]struct{}{}, compiling: map[string]*turn{},
	}
	r.budget.reclaim = r.reclaim
	if o.CacheDir != "" {
		r.cache = newCompileCache(o.CacheDir, o.Log)
	}
	return r, nil
}

// Module is a rewritten WebAssembly module. Its bytes must not change while a program of it is open.
type Module struct {
	Name   string // for errors and the log
	Wasm   []byte // what binary.Rewrite made
	Digest string // sha256 of Wasm, lower-case hex: that is what vouches for the rewriting

	// Foreign says that nobody vouches for what the module was rewritten from: it is never compiled in this process. Its machine code comes
	// from a helper, or from a cache entry that was made so, or Compile fails.
	Foreign bool
}

// Cached reports whether m's machine code seems to be in the compile cache, so that Compile will be quick. It is a hint for progress
// displays: the entry is not verified. The interpreter has no machine code to cache.
func (r *Runtime) Cached(m Module) bool {
	return r.cache != nil && r.opts.Engine == Compiler && r.cache.has(m.Digest)
}

// Compile makes a program of m, from the cache where it can. The same module is compiled once at a time; others wait for the one and then
// take its entry from the cache. The caller closes the program.
//
// A foreign module is compiled by a helper, within CompileLimits; what it made is verified, kept in the cache, and loaded from there. This
// process never compiles it.
//
// Errors: module_refused (the digest is another, the module was not rewritten, imports or exports do not fit; a foreign one that has no helper,
// or whose helper hit a limit or died), corrupt (machine code that changes while it is loaded), canceled and limit_time when ctx ends; the
// compilation itself goes on then and fills the cache, until Close.
func (r *Runtime) Compile(ctx context.Context, m Module) (*Program, error) {
	p, err := r.compile(ctx, m)
	if err != nil {
		return nil, edge("sandbox.Compile", m.Name, err)
	}
	return p, nil
}

func (r *Runtime) compile(ctx context.Context, m Module) (*Program, error) {
	if sum := sha256.Sum256(m.Wasm); hex.EncodeToString(sum[:]) != m.Digest {
		return nil, refused("its digest is not the one that it should have")
	}
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	t, err := r.begin(ctx, m.Digest)
	if err != nil {
		return nil, err
	}
	type result struct {
		p   *Program
		err error
	}
	done := make(chan result)
	go func() {
		defer r.end(m.Digest)
		work, cancel := r.untilClosed(ctx)
		defer cancel()
		p, err := newProgramGuarded(work, r, m)
		<-t.token
		select {
		case done <- result{p, err}:
		case <-ctx.Done():
			if p != nil {
				_ = p.Close(context.WithoutCancel(ctx))
			}
		}
	}()
	select {
	case res := <-done:
		return res.p, res.err
	case <-ctx.Done():
		return nil, contextError(ctx.Err())
	}
}

// untilClosed is ctx with another end: that of the runtime.
func (r *Runtime) untilClosed(ctx context.Context) (context.Context, context.CancelFunc) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-r.ended:
			cancel()
		case <-work.Done():
		}
	}()
	return work, func() {
		cancel()
		<-done
	}
}

// newProgramGuarded keeps a bug of the compiler's from ending the process, which a panic in this goroutine would.
func newProgramGuarded(ctx context.Context, r *Runtime, m Module) (p *Program, err error) {
	defer func() {
		if v := recover(); v != nil {
			r.opts.Log.Error("compiling panicked", "module", m.Name, "panic", v, "stack", string(debug.Stack()))
			p, err = nil, &readapi.Error{Code: readapi.CodeInternal, Detail: "compiling the module failed", Err: fmt.Errorf("panic: %v", v)}
		}
	}()
	return newProgram(ctx, r, m)
}

// begin waits for the turn of a digest and takes it, with the runtime held open for the caller until end; the token is given back before.
func (r *Runtime) begin(ctx context.Context, digest string) (*turn, error) {
	t, err := r.enlist(digest)
	if err != nil {
		return nil, err
	}
	select {
	case t.token <- struct{}{}:
		return t, nil
	case <-ctx.Done():
		r.end(digest)
		return nil, contextError(ctx.Err())
	}
}

// enlist is begin before it waits.
func (r *Runtime) enlist(digest string) (*turn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, errClosed()
	}
	r.background.Add(1)
	t := r.compiling[digest]
	if t == nil {
		t = &turn{token: make(chan struct{}, 1)}
		r.compiling[digest] = t
	}
	t.users++
	return t, nil
}

func (r *Runtime) end(digest string) {
	r.mu.Lock()
	if t := r.compiling[digest]; t.users == 1 {
		delete(r.compiling, digest)
	} else {
		t.users--
	}
	r.mu.Unlock()
	r.background.Done()
}

// reclaim closes the instances that programs hold ready, and lets the embedder close its own.
func (r *Runtime) reclaim() {
	r.mu.Lock()
	open := slices.Collect(maps.Keys(r.programs))
	r.mu.Unlock()
	for _, p := range open {
		p.mu.Lock()
		spare := p.spare
		p.spare = nil
		p.mu.Unlock()
		if spare != nil {
			_ = spare.Close()
		}
	}
	r.opts.Reclaim()
}

// MemoryInUse returns how many bytes all guests of the runtime hold together.
func (r *Runtime) MemoryInUse() int64 { return r.budget.used.Load() }

// Pressed reports whether a guest waits for memory: better close an instance then than keep it.
func (r *Runtime) Pressed() bool { return r.budget.waiting.Load() > 0 }

// Close stops and closes all programs of the runtime. It waits for compilations that are under way in this process, and ends those in helpers.
// It is idempotent.
func (r *Runtime) Close(ctx context.Context) error {
	r.mu.Lock()
	if !r.closed {
		close(r.ended)
	}
	r.closed = true
	r.mu.Unlock()
	r.background.Wait()
	r.mu.Lock()
	open := r.programs
	r.programs = map[*Program]struct{}{}
	private := r.private
	r.mu.Unlock()
	var first error
	for p := range open {
		if err := p.Close(ctx); err != nil && first == nil {
			first = err
		}
	}
	if private != nil {
		_ = os.RemoveAll(private.dir)
	}
	return first
}

func (r *Runtime) add(p *Program) {
	r.mu.Lock()
	r.programs[p] = struct{}{}
	r.mu.Unlock()
}

func (r *Runtime) remove(p *Program) {
	r.mu.Lock()
	delete(r.programs, p)
	r.mu.Unlock()
}

func errClosed() *readapi.Error {
	return &readapi.Error{Code: readapi.CodeCanceled, Detail: "the sandbox is closed"}
}

// edge makes an error ready to leave the package.
func edge(op, ref string, err error) error {
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		e = &readapi.Error{Code: readapi.CodeOf(err), Err: err}
	}
	c := *e
	c.Op, c.Ref = op, ref
	return &c
}

func logger(o Options, name string) *slog.Logger { return o.Log.With(slog.String("module", name)) }
