package plugins

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Options of a Registry; nil means all defaults.
type Options struct {
	Engine              sandbox.Engine // Compiler unless said otherwise
	CacheDir            string         // compiled decoders are kept here; "": nowhere
	MaxTotalMemoryBytes int64          // all guests together; default 2 GiB, or 256 MiB for each processor where that is more
	MaxInstances        int            // of one decoder at once for one party; default: as many as there is memory for. A party with none at work gets one more
	OneShot             bool           // for a process that reads once: no snapshot, no pool
	Isolation           Isolation      // where guests run; default InProcess

	// Helper is the command line of a program that runs helper.Main, as "glovebox helper" does. Foreign decoders need it, and so does Process.
	Helper []string

	CompileLimits sandbox.CompileLimits // of the helper that compiles a foreign decoder
	InitLimits    sandbox.Limits        // of what runs before the first read; see sandbox.Options

	// IdleTimeout is how long an instance that no read uses is kept; of each decoder one is kept for ever. Default 1 minute.
	IdleTimeout time.Duration

	MaxQueue         int // reads that wait for their turn, of all parties; default 256, and then they are busy
	MaxQueuePerParty int // the same of one party; default 64

	RestAfter int // failures of a decoder's own in a row, with different files, after which it rests until a read gets an answer of it; default 5; over 1000: never

	// CrossCheck runs every so manieth read a second time, on the other engine, and compares the answers. A decoder whose answers differ is
	// quarantined: an answer that was given cannot be taken back, so the read waits for the second one, for ten seconds or half of its time
	// at most. What cannot be compared by then is let out. 0: never, which is the default.
	CrossCheck int

	// Report hears of decoders and files that are taken out of service, and come back. It must return soon and not call the registry. nil:
	// nobody is told.
	Report func(Incident)
	Logger *slog.Logger // guests' logs and traps, escaped; nil: nowhere

	// OnCompile is called before a decoder is compiled that the cache does not have, and the function that it returns when that is done.
	// Compiling takes seconds, so a front end shows it. It may be called from several goroutines.
	OnCompile func(decoder string) (done func())
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if min(int64(out.MaxInstances), out.MaxTotalMemoryBytes, int64(out.MaxQueue), int64(out.MaxQueuePerParty), int64(out.RestAfter), int64(out.CrossCheck), int64(out.IdleTimeout)) < 0 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option is negative", Hint: "Leave an option at 0 for its default."}
	}
	each, procs := readapi.DefaultLimits().MaxMemoryBytes, runtime.GOMAXPROCS(0)
	out.MaxTotalMemoryBytes = cmp.Or(out.MaxTotalMemoryBytes, max(2<<30, int64(procs)*each))
	// Many more than there are processors: a guest that takes its thirty seconds must not keep the place of short reads.
	out.MaxInstances = cmp.Or(out.MaxInstances, max(2, procs, int(min(out.MaxTotalMemoryBytes/each, 1024))))
	out.MaxQueue, out.MaxQueuePerParty = cmp.Or(out.MaxQueue, 256), cmp.Or(out.MaxQueuePerParty, 64)
	out.RestAfter, out.IdleTimeout = cmp.Or(out.RestAfter, defaultRestAfter), cmp.Or(out.IdleTimeout, time.Minute)
	if out.Logger == nil {
		out.Logger = slog.New(slog.DiscardHandler)
	}
	return out, nil
}

// Registry maps media types to decoders and runs them. It is safe for concurrent use.
type Registry struct {
	opts   Options
	engine engine
	shared *shared

	mu       sync.RWMutex
	decoders []*entry       // in the order in which they are asked
	pools    map[*pool]bool // that hold something still: those of decoders, and of removed ones until their reads have ended
	other    engine         // for cross-checks: of the other kind; nil: none was needed
	closed   bool
}

type entry struct {
	Decoder
	enabled bool
	pool    *pool
}

// New returns an empty registry. Close it when done.
func New(opts *Options) (*Registry, error) {
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError("plugins.New", err)
	}
	r := &Registry{opts: o, pools: map[*pool]bool{}}
	r.shared = &shared{
		gate: newGate(o.MaxTotalMemoryBytes, o.MaxQueue, o.MaxQueuePerParty), quarantine: newQuarantine(), report: r.report,
		check: checker{every: int64(o.CrossCheck), engine: r.otherEngine},
	}
	r.engine, err = newEngine(o, r.reclaim)
	if err != nil {
		return nil, readapi.AsError("plugins.New", err)
	}
	return r, nil
}

// reclaim closes the idle instances of all decoders, for a guest that needs their memory.
func (r *Registry) reclaim() {
	r.mu.RLock()
	all := slices.Collect(maps.Keys(r.pools))
	r.mu.RUnlock()
	for _, p := range all {
		p.trim()
	}
}

// Add puts d behind the decoders that are there, enabled. A second decoder of the same name is a conflict; a closed registry is canceled.
func (r *Registry) Add(d Decoder) error {
	if err := d.check(); err != nil {
		return readapi.AsError("plugins.Add", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return errClosed("plugins.Add")
	}
	if r.find(d.Name) != nil {
		return &readapi.Error{Op: "plugins.Add", Code: readapi.CodeConflict, Ref: d.Name, Detail: "there is a decoder of this name", Hint: "Remove it first."}
	}
	p := newPool(r.engine, d, r.opts, r.shared)
	r.decoders = append(r.decoders, &entry{Decoder: d, enabled: true, pool: p})
	r.pools[p] = true
	return nil
}

// Remove takes a decoder out and waits for the reads of it that run. When ctx ends before they do, the decoder is out all the same, and
// Close frees what it holds.
func (r *Registry) Remove(ctx context.Context, name string) error {
	r.mu.Lock()
	e := r.find(name)
	if e != nil {
		r.decoders = slices.DeleteFunc(r.decoders, func(x *entry) bool { return x == e })
	}
	r.mu.Unlock()
	if e == nil {
		return notFound("plugins.Remove", name)
	}
	return readapi.AsError("plugins.Remove", r.closePool(ctx, e.pool))
}

// closePool closes p and forgets it once it holds nothing.
func (r *Registry) closePool(ctx context.Context, p *pool) error {
	if err := p.close(ctx); err != nil {
		return err
	}
	r.mu.Lock()
	delete(r.pools, p)
	r.mu.Unlock()
	return nil
}

// Enable turns a decoder on or off. A decoder that is off accepts nothing. Turning it on also ends its quarantine, and that of files with it.
func (r *Registry) Enable(name string, on bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.find(name)
	if e == nil {
		return notFound("plugins.Enable", name)
	}
	e.enabled = on
	if on {
		e.pool.trust()
	}
	return nil
}

// Order moves the named decoders to the front, in this order; the others keep theirs behind them.
func (r *Registry) Order(names ...string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	var front []*entry
	for _, n := range names {
		e := r.find(n)
		if e == nil {
			return notFound("plugins.Order", n)
		}
		if slices.Contains(front, e) {
			return &readapi.Error{Op: "plugins.Order", Code: readapi.CodeInvalidRequest, Ref: n, Detail: "a decoder is named twice"}
		}
		front = append(front, e)
	}
	for _, e := range r.decoders {
		if !slices.Contains(front, e) {
			front = append(front, e)
		}
	}
	r.decoders = front
	return nil
}

// find needs the lock.
func (r *Registry) find(name string) *entry {
	for _, e := range r.decoders {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// Status is what List says of a decoder.
type Status struct {
	Decoder
	Enabled bool
	Cached  bool // compiled and in the cache: its first read starts at once
	State   State
}

// List returns the decoders in the order in which they are asked.
func (r *Registry) List() []Status {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]Status, 0, len(r.decoders))
	for _, e := range r.decoders {
		out = append(out, Status{Decoder: e.Decoder, Enabled: e.enabled, State: e.pool.state(), Cached: r.engine.Cached(sandbox.Module{Name: e.Name, Digest: e.Digest})})
	}
	return out
}

// All returns every decoder, enabled or not, in the order in which they are asked.
func (r *Registry) All() []readapi.DecoderInfo {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make([]readapi.DecoderInfo, 0, len(r.decoders))
	for _, e := range r.decoders {
		out = append(out, e.Info())
	}
	return out
}

// Accepts returns the enabled decoders that accept m, in order.
func (r *Registry) Accepts(m readapi.MediaType) []readapi.DecoderInfo {
	return r.enabled(func(d *Decoder) bool { return slices.Contains(d.MediaTypes, m) })
}

// enabled returns the enabled decoders that are wanted, in order.
func (r *Registry) enabled(wanted func(d *Decoder) bool) (out []readapi.DecoderInfo) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, e := range r.decoders {
		if e.enabled && wanted(&e.Decoder) {
			out = append(out, e.Info())
		}
	}
	return out
}

// Names returns the enabled decoders that do not read files of type m but say what they are, in order.
func (r *Registry) Names(m readapi.MediaType) []readapi.DecoderInfo {
	return r.enabled(func(d *Decoder) bool { return slices.Contains(d.Names, m) })
}

// Takes returns the types for which Accepts names a decoder.
func (r *Registry) Takes(info readapi.DecoderInfo) []readapi.MediaType {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e := r.find(info.Name)
	if e == nil || e.Digest != info.Digest || !e.enabled {
		return nil
	}
	return slices.Clone(e.MediaTypes)
}

// Decode runs the decoder that info names. Of a read that fails the result says what it has cost, and no more. Errors: those of the decoder, not_found when it is not there any more, canceled when the
// registry was closed, busy (with how long to wait) when there are too many reads before it, its turn did not come in time or the decoder
// rests, limit_time when the time was over before that, decoder_trap without a run for a file or decoder that is quarantined.
func (r *Registry) Decode(ctx context.Context, info readapi.DecoderInfo, d readapi.Decoding) (readapi.Result, error) {
	e, err := r.named("plugins.Decode", info)
	if err != nil {
		return readapi.Result{}, err
	}
	res, err := e.pool.decode(ctx, d)
	if errors.Is(err, errGone) {
		return readapi.Result{}, r.gone("plugins.Decode", info.Name)
	}
	if err != nil {
		return readapi.Result{Usage: res.Usage}, withRef(readapi.AsError("plugins.Decode", err), e.Name)
	}
	res.Unit, res.Decoder = e.Unit, e.Info()
	return res, nil
}

// named returns the decoder that info names.
func (r *Registry) named(op string, info readapi.DecoderInfo) (*entry, error) {
	r.mu.RLock()
	e := r.find(info.Name)
	r.mu.RUnlock()
	if e == nil || e.Digest != info.Digest {
		return nil, r.gone(op, info.Name)
	}
	return e, nil
}

// Warm compiles every decoder into the cache and, unless the registry is one-shot, takes the snapshots.
func (r *Registry) Warm(ctx context.Context) error {
	r.mu.RLock()
	all := slices.Clone(r.decoders)
	r.mu.RUnlock()
	for _, e := range all {
		if err := e.pool.warm(ctx); errors.Is(err, errGone) {
			continue
		} else if err != nil {
			return withRef(readapi.AsError("plugins.Warm", err), e.Name)
		}
	}
	return nil
}

// Close waits for the reads that run, those of removed decoders too, and frees everything. When ctx ends before they do, they are
// stopped. It is idempotent, and each of several calls at once returns when all is freed.
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	r.decoders, r.closed = nil, true
	all := slices.Collect(maps.Keys(r.pools))
	r.mu.Unlock()
	var first error
	for _, p := range all {
		first = cmp.Or(first, r.closePool(ctx, p))
	}
	first = cmp.Or(first, r.engine.Close(ctx))
	r.mu.Lock()
	other := r.other
	r.mu.Unlock()
	if other != nil {
		first = cmp.Or(first, other.Close(ctx))
	}
	return readapi.AsError("plugins.Close", first)
}

// report tells whoever wants to know what the registry did.
func (r *Registry) report(i Incident) {
	r.opts.Logger.Warn(i.Detail, "incident", string(i.Kind), "decoder", i.Decoder.Name, "digest", i.Decoder.Digest, "file", i.SHA256)
	if r.opts.Report != nil {
		r.opts.Report(i)
	}
}

// gone is the error for a decoder that is not there any more.
func (r *Registry) gone(op, name string) error {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.closed {
		return errClosed(op)
	}
	return notFound(op, name)
}

func errClosed(op string) error {
	return &readapi.Error{Op: op, Code: readapi.CodeCanceled, Detail: "the decoders are closed", Final: true}
}

func notFound(op, name string) error {
	return &readapi.Error{Op: op, Code: readapi.CodeNotFound, Ref: name, Detail: "there is no decoder of this name", Hint: "glovebox plugin list names the decoders."}
}

// withRef names the decoder in an error that does not name anything yet.
func withRef(err error, name string) error {
	e, ok := err.(*readapi.Error)
	if !ok || e.Ref != "" {
		return err
	}
	c := *e
	c.Ref = name
	return &c
}
