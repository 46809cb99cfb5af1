package ring

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
	"github.com/glovebox-wasm/glovebox/wasm/internal/wire"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// Program is a module that helper processes can run. It is safe for concurrent use.
type Program struct {
	ring     *Ring
	module   sandbox.Module
	prepared sandbox.Prepared
	log      *slog.Logger

	closing chan struct{} // closed when Close begins: guests that run are stopped

	life     sync.RWMutex   // held for reading while a start begins, for writing to set closed
	starting sync.WaitGroup // starts that are under way
	closed   bool

	mu        sync.Mutex
	warm      [][]byte // messages that a new helper gets before Begin
	instances map[*Instance]struct{}
	spare     *process // at the snapshot, which was taken there first
	fails     int      // starts in a row whose process died
	until     time.Time
}

const (
	startTimeout = time.Minute // for a helper to load a module and warm up; in process nothing bounds that but the caller
	backoffFirst = 50 * time.Millisecond
	backoffMost  = 5 * time.Second

	// baseMemory and perModuleByte are what a helper needs besides the guest's memory: the Go runtime, the module and its machine code while
	// they are loaded, the snapshot, a call's frames and pieces of input. The interpreter's form of a module is larger than any machine code.
	baseMemory      = 384 << 20
	perModuleByte   = 16
	perLoweredByte  = 160
	maxWarmUp       = 64 << 20
	snapshotsCopies = 2 // the guest's memory and its image
)

// Snapshot is sandbox.Program.Snapshot: every helper of the program takes it when it starts. The frames of the calls go nowhere.
func (p *Program) Snapshot(ctx context.Context, calls []sandbox.Call) error {
	return outer("ring.Snapshot", p.module.Name, p.snapshot(ctx, calls))
}

func (p *Program) snapshot(ctx context.Context, calls []sandbox.Call) error {
	warm := [][]byte{nil} // the first one is empty
	for i := range calls {
		b, err := warmMessage(&calls[i])
		if err != nil {
			return err
		}
		warm = append(warm, b)
	}
	proc, taken, err := p.start(ctx, warm)
	if err != nil {
		return err
	}
	if !taken { // the guest changes what cannot be put back: new helpers need no warming up
		warm = nil
	}
	p.mu.Lock()
	p.warm, p.spare, proc = warm, proc, p.spare
	p.mu.Unlock()
	if proc != nil {
		proc.kill()
	}
	return nil
}

func warmMessage(c *sandbox.Call) ([]byte, error) {
	if _, err := c.Limits.WithDefaults(); err != nil { // zero stays zero, for what is warmed up with has limits of its own
		return nil, err
	}
	var input []byte
	if c.Input != nil {
		if c.Input.Size() > maxWarmUp {
			return nil, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "a sample is too large to warm up with"}
		}
		input = make([]byte, c.Input.Size())
		if n, err := c.Input.ReadAt(input, 0); n < len(input) {
			return nil, &readapi.Error{Code: readapi.CodeNotFound, Detail: "its bytes cannot be read", Err: err}
		}
	}
	call := wire.Call{RequestBytes: int64(len(c.Request)), Size: int64(len(input)), Inline: true, Limits: c.Limits}
	b, err := wire.AppendCall(nil, &call)
	return append(append(b, c.Request...), input...), err
}

// Instance starts a helper, unless there is one that nobody uses yet. The caller closes the instance.
//
// Errors: capability_unavailable (no helper can be started), busy with RetryAfter (helpers die as they start; the next is tried after 50 ms, and
// twice as long each time up to 5 s), module_refused, what a guest can do wrong while it warms up, and the codes of a ctx that ends.
func (p *Program) Instance(ctx context.Context) (*Instance, error) {
	i, err := p.instance(ctx)
	if err != nil {
		return nil, outer("ring.Instance", p.module.Name, err)
	}
	return i, nil
}

func (p *Program) instance(ctx context.Context) (*Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	proc, err := p.process(ctx)
	if err != nil {
		return nil, err
	}
	i := &Instance{prog: p, proc: proc}
	p.life.RLock()
	defer p.life.RUnlock()
	if p.closed {
		proc.kill()
		return nil, errClosed()
	}
	p.mu.Lock()
	p.instances[i] = struct{}{}
	p.mu.Unlock()
	return i, nil
}

// process returns a helper that is ready.
func (p *Program) process(ctx context.Context) (*process, error) {
	p.mu.Lock()
	spare, warm := p.spare, p.warm
	p.spare = nil
	p.mu.Unlock()
	if spare != nil {
		if !spare.gone() {
			return spare, nil
		}
		spare.kill()
	}
	proc, _, err := p.start(ctx, warm)
	return proc, err
}

// start starts a helper and gets it ready. taken says that it has a snapshot.
func (p *Program) start(ctx context.Context, warm [][]byte) (proc *process, taken bool, err error) {
	p.life.RLock()
	if p.closed {
		p.life.RUnlock()
		return nil, false, errClosed()
	}
	p.starting.Add(1)
	p.life.RUnlock()
	defer p.starting.Done()
	if err := p.rested(); err != nil {
		return nil, false, err
	}
	ctx, cancel := p.within(ctx)
	defer cancel()
	if p.prepared.CacheDir != "" && !p.ring.box.Cached(p.module) { // somebody emptied the cache meanwhile
		if _, err := p.ring.box.Prepare(ctx, p.module); err != nil {
			return nil, false, err
		}
	}
	proc, err = p.ring.launch()
	if err != nil {
		return nil, false, err
	}
	started, err := p.introduce(ctx, proc, warm)
	if err == nil {
		err = p.refusal(started.Failure)
	}
	p.count(err)
	if err != nil {
		proc.kill()
		p.lastWords(proc)
		return nil, false, err
	}
	p.log.LogAttrs(ctx, slog.LevelDebug, "a helper is ready", slog.Int("pid", proc.cmd.Process.Pid), slog.Any("confined", started.Active))
	return proc, started.Snapshot, nil
}

// within is ctx, which also ends when the program is closed.
func (p *Program) within(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-p.closing:
			cancel(errClosed())
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// ended is the error for a ctx of within that is over, nil if it is not.
func ended(ctx context.Context) *readapi.Error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*readapi.Error](context.Cause(ctx)); ok {
		return e
	}
	return contextError(err)
}

// rested says that no helper is started yet, because the last ones died.
func (p *Program) rested() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if wait := p.until.Sub(p.ring.now()); p.fails > 0 && wait > 0 {
		return busyStart(wait, nil)
	}
	return nil
}

// count keeps the score of starts whose process died.
func (p *Program) count(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.fails = 0
	case errors.Is(err, ErrDied):
		p.until = p.ring.now().Add(backoff(p.fails))
		p.fails++
	}
}

// backoff is how long nothing is started after so many failures before this one.
func backoff(fails int) time.Duration {
	return min(backoffMost, backoffFirst<<min(fails, 16))
}

func busyStart(wait time.Duration, cause error) error {
	return &readapi.Error{
		Code: readapi.CodeBusy, Detail: "its helper process does not start", RetryAfter: wait, Err: cause,
		Hint: "It is tried again by itself. The host's log says what the process printed.",
	}
}

// introduce tells a new helper what to run, and waits until it is ready.
func (p *Program) introduce(ctx context.Context, proc *process, warm [][]byte) (started wire.Started, err error) {
	proc.expire(time.Now().Add(startTimeout))
	stop := context.AfterFunc(ctx, func() { proc.expire(time.Now()) })
	told := make(chan error, 1)
	go func() { told <- p.tell(proc, warm) }()
	err = p.hear(ctx, proc, &started)
	if err != nil || started.Failure != nil {
		proc.expire(time.Now()) // whoever tells ends too
	}
	if e := <-told; err == nil && started.Failure == nil { // one that is ready and does not listen is no helper
		err = e
	}
	if !stop() && err == nil { // ctx ended, and its word may come when the pipes are in use again
		err = ctx.Err()
	}
	switch e := ended(ctx); {
	case e != nil:
		return started, e
	case err == nil:
		proc.expire(time.Time{})
		return started, nil
	case errors.Is(err, errVersion):
		return started, otherVersion()
	}
	p.mu.Lock()
	wait := backoff(p.fails)
	p.mu.Unlock()
	died := proc.death(err)
	if died.Code == readapi.CodeLimitMemory {
		died.Limit = &readapi.LimitHit{Name: memoryLimit, Value: p.prepared.MaxMemoryBytes}
		return started, died
	}
	return started, busyStart(wait, died)
}

const memoryLimit = "max_memory_bytes"

func (p *Program) tell(proc *process, warm [][]byte) error {
	m := p.module
	perByte := int64(perModuleByte)
	if p.ring.opts.Engine == sandbox.Interpreter {
		perByte = perLoweredByte
	}
	args, err := json.Marshal(wire.RunArgs{
		Build: sandbox.Build(), Engine: p.ring.opts.Engine.String(), CacheDir: p.prepared.CacheDir,
		Name: m.Name, Digest: m.Digest, Bytes: int64(len(m.Wasm)),
		MaxMemoryBytes: snapshotsCopies*p.prepared.MaxMemoryBytes + baseMemory + perByte*int64(len(m.Wasm)), Init: p.ring.opts.InitLimits,
	})
	if err != nil {
		return err
	}
	if err := hello.Write(proc.in, hello.Request{Version: hello.Version, Task: hello.Run, Args: args}); err != nil {
		return err
	}
	if _, err := proc.in.Write(m.Wasm); err != nil {
		return err
	}
	for _, b := range warm {
		if err := proc.conn.Send(wire.Warm, b); err != nil {
			return err
		}
	}
	return proc.conn.Send(wire.Begin)
}

// otherBuild is what a helper says that has another compiler in it.
const otherBuild = "the helper is of another build"

const helperHint = "The helper must be of the same version of glovebox and of wazero as this program, such as \"glovebox helper\"."

var errVersion = errors.New("ring: the helper speaks another version")

func otherVersion() error {
	return &readapi.Error{
		Code: readapi.CodeCapabilityUnavailable, Detail: "the helper is of another version", Err: errVersion,
		Hint: helperHint,
	}
}

// hear waits for Ready. What a guest logs while it warms up comes before that.
func (p *Program) hear(ctx context.Context, proc *process, started *wire.Started) error {
	budget := newLogBudget(0)
	for first := true; ; first = false {
		k, n, err := proc.conn.Next()
		switch {
		case first && (errors.Is(err, wire.ErrProtocol) || err == nil && k != wire.Ready && k != wire.Log):
			return errVersion // hello's reply of another version looks like that, and so do programs that are no helpers
		case err != nil:
			return err
		case k == wire.Ready:
			return proc.conn.ReadJSON(n, started)
		case k != wire.Log:
			return wire.ErrProtocol
		}
		if err := p.take(ctx, proc, n, budget); err != nil {
			return err
		}
	}
}

// refusal is what a helper says about its own start, as an error of ours.
func (p *Program) refusal(f *wire.Failure) error {
	if f == nil {
		return nil
	}
	p.log.Warn("a helper could not start", "code", readapi.EscapeLine(string(f.Code)), "detail", readapi.EscapeLine(f.Detail), "cause", readapi.EscapeLine(f.Cause))
	switch f.Code {
	case readapi.CodeModuleRefused:
		return &readapi.Error{Code: f.Code, Detail: known(f.Detail), Err: cause(f)}
	case readapi.CodeCapabilityUnavailable:
		e := &readapi.Error{Code: f.Code, Detail: known(f.Detail), Err: cause(f)}
		if f.Detail == otherBuild {
			e.Hint = helperHint
		}
		return e
	}
	told := p.ring.opts.InitLimits // of what runs first; a warm-up call has others
	if warm := told.WarmUp(); f.Limit != nil && f.Limit.Value == warm.Fuel {
		told = warm
	}
	return guestFailure(f, told, min(told.MaxMemoryBytes, p.prepared.MaxMemoryBytes))
}

// lastWords logs what a process that failed has printed.
func (p *Program) lastWords(proc *process) {
	if said := proc.said.text(); said != "" {
		p.log.Warn("a helper's last words", "stderr", readapi.EscapeLine(said))
	}
}

// Close stops the guests that run, and ends the program's helpers. It is idempotent.
func (p *Program) Close(ctx context.Context) error {
	p.life.Lock()
	was := p.closed
	if p.closed = true; !was {
		close(p.closing)
	}
	p.life.Unlock()
	if was {
		return nil
	}
	p.starting.Wait()
	p.mu.Lock()
	spare := p.spare
	p.spare = nil
	open := make([]*Instance, 0, len(p.instances))
	for i := range p.instances {
		open = append(open, i)
	}
	p.mu.Unlock()
	if spare != nil {
		spare.kill()
	}
	for _, i := range open {
		_ = i.Close()
	}
	p.ring.forget(p)
	return nil
}
