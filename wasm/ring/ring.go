package ring

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Options of a Ring. Zero in a field means its default; a negative number is an error.
type Options struct {
	Helper   []string // command line of a program that runs helper.Main; it must not be empty
	Engine   sandbox.Engine
	CacheDir string       // compiled modules; see sandbox.Options
	Log      *slog.Logger // nil: nowhere

	CompileLimits sandbox.CompileLimits // of the helper that compiles; see sandbox.Options
	InitLimits    sandbox.Limits        // of what runs before the first read; see sandbox.Options
}

// ErrDied says that a helper's process ended by itself. It is in the chain of the decoder_trap, limit_memory or busy that Decode, Snapshot or
// Instance return then: what the module or the file did was too much for the process, not only for the guest.
var ErrDied = errors.New("ring: the helper's process ended")

// Ring starts helper processes and talks with them. It is safe for concurrent use.
type Ring struct {
	opts Options
	box  *sandbox.Runtime // for its compile cache; no guest is in it
	now  func() time.Time

	starts  chan startup  // to the thread that starts processes
	closing chan struct{} // closed when Close begins

	mu       sync.Mutex
	programs map[*Program]struct{}
	closed   bool
}

// New returns a Ring. The caller closes it. Errors: invalid_request, and capability_unavailable where the compiler does not run.
func New(opts *Options) (*Ring, error) {
	const op = "ring.New"
	if opts == nil || len(opts.Helper) == 0 {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "no helper program is named", Hint: "Name one, or run decoders in process."}
	}
	o := *opts
	o.Helper = slices.Clone(opts.Helper)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	var err error
	if o.InitLimits, err = o.InitLimits.WithInitDefaults(o.Engine); err != nil {
		return nil, readapi.AsError(op, err)
	}
	box, err := sandbox.New(&sandbox.Options{Engine: o.Engine, CacheDir: o.CacheDir, Helper: o.Helper, CompileLimits: o.CompileLimits, InitLimits: o.InitLimits, Log: o.Log})
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	r := &Ring{
		opts: o, box: box, now: time.Now,
		starts: make(chan startup), closing: make(chan struct{}), programs: map[*Program]struct{}{},
	}
	go startProcesses(r.starts)
	return r, nil
}

// Cached is sandbox.Runtime.Cached.
func (r *Ring) Cached(m sandbox.Module) bool { return r.box.Cached(m) }

// Pressed is sandbox.Runtime.Pressed: helpers share no memory that one could wait for.
func (r *Ring) Pressed() bool { return false }

// Compile makes sure that a helper has compiled m, whoever vouches for it, and returns a program that helpers can load. This process neither
// compiles nor loads it. The caller closes the program.
//
// Errors: those of sandbox.Runtime.Compile for a foreign module.
func (r *Ring) Compile(ctx context.Context, m sandbox.Module) (*Program, error) {
	const op = "ring.Compile"
	prepared, err := r.box.Prepare(ctx, m)
	if err != nil {
		return nil, outer(op, m.Name, err)
	}
	p := &Program{
		ring: r, module: m, prepared: prepared, log: r.opts.Log.With(slog.String("module", m.Name)),
		closing: make(chan struct{}), instances: map[*Instance]struct{}{},
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, outer(op, m.Name, errClosed())
	}
	r.programs[p] = struct{}{}
	return p, nil
}

// Close ends all helpers. It is idempotent.
func (r *Ring) Close(ctx context.Context) error {
	r.mu.Lock()
	was := r.closed
	r.closed = true
	open := slices.Collect(maps.Keys(r.programs))
	r.mu.Unlock()
	for _, p := range open {
		_ = p.Close(ctx)
	}
	if was {
		return nil
	}
	close(r.closing)
	close(r.starts) // every program is closed: nobody starts any more
	return outer("ring.Close", "", r.box.Close(ctx))
}

func (r *Ring) forget(p *Program) {
	r.mu.Lock()
	delete(r.programs, p)
	r.mu.Unlock()
}

func errClosed() *readapi.Error {
	return &readapi.Error{Code: readapi.CodeCanceled, Detail: "the decoder is being closed"}
}

// outer makes an error ready to leave the package.
func outer(op, ref string, err error) error {
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok {
		e = &readapi.Error{Code: readapi.CodeOf(err), Err: err}
	}
	c := *e
	c.Op, c.Ref = op, ref
	return &c
}

// contextError is what sandbox makes of a context that ended.
func contextError(err error) *readapi.Error {
	if errors.Is(err, context.DeadlineExceeded) {
		return &readapi.Error{Code: readapi.CodeLimitTime, Detail: "the caller's deadline passed", Err: err}
	}
	return &readapi.Error{Code: readapi.CodeCanceled, Err: err}
}
