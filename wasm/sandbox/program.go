package sandbox

import (
	"context"
	"log/slog"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// Program is a compiled module. It is safe for concurrent use; each instance of it is for one goroutine at a time.
type Program struct {
	rt     *Runtime
	name   string
	digest string
	state  *binary.State
	log    *slog.Logger

	wz    wazero.Runtime
	code  wazero.CompiledModule
	cache wazero.CompilationCache // nil: none

	closing chan struct{} // closed when Close begins: guests that run are stopped

	life   sync.RWMutex // held for reading while an instance is made, for writing to set closed
	closed bool

	mu        sync.Mutex
	instances map[*Instance]struct{}
	snap      *snapshot
	spare     *Instance // at the snapshot: what it was taken from
}

// features are those of WebAssembly 2.0, which is what the rewriter knows. Threads, tail calls, exceptions and the like stay off.
const features = api.CoreFeaturesV2

// newProgram compiles m and checks what can be checked without running it. On an error nothing stays open.
func newProgram(ctx context.Context, r *Runtime, m Module) (p *Program, err error) {
	state, err := binary.ReadState(m.Wasm)
	if err != nil {
		return nil, &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "it was not rewritten", Err: err}
	}
	p = &Program{
		rt: r, name: m.Name, digest: m.Digest, state: state, log: logger(r.opts, m.Name),
		closing: make(chan struct{}), instances: map[*Instance]struct{}{},
	}
	if err := p.compile(ctx, m); err != nil {
		return nil, err
	}
	if err := p.admit(ctx); err != nil {
		_ = p.closeEngine(ctx)
		return nil, err
	}
	r.add(p)
	return p, nil
}

// compile fills wz, code and cache: with the compile cache if there is one that works, without it otherwise. A foreign module is not compiled
// here, whatever happens.
func (p *Program) compile(ctx context.Context, m Module) error {
	if m.Foreign {
		return p.compileForeign(ctx, m)
	}
	if c := p.rt.cache; c != nil && p.rt.opts.Engine == Compiler && c.compile(ctx, m, p) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return errClosed()
	}
	return p.compileWith(ctx, ctx, m, nil)
}

// compileWith compiles with a cache of wazero's, which the program owns from then on; nil for none. The compiler works while work is not over.
func (p *Program) compileWith(ctx, work context.Context, m Module, cache wazero.CompilationCache) (err error) {
	p.wz, p.cache = wazero.NewRuntimeWithConfig(ctx, wazeroConfig(p.rt.opts.Engine, p.state, cache)), cache
	if p.code, err = p.wz.CompileModule(withWorkers(work), m.Wasm); err != nil {
		_ = p.closeEngine(ctx)
		return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: "it does not compile", Err: err}
	}
	return nil
}

// wazeroConfig is how every module is compiled, here and in a helper.
func wazeroConfig(engine Engine, state *binary.State, cache wazero.CompilationCache) wazero.RuntimeConfig {
	config := wazero.NewRuntimeConfigInterpreter()
	if engine == Compiler {
		config = wazero.NewRuntimeConfigCompiler()
	}
	config = config.WithCoreFeatures(features).WithDebugInfoEnabled(false).WithMemoryLimitPages(state.MemoryMaxPages + 1)
	if cache != nil {
		config = config.WithCompilationCache(cache)
	}
	return config
}

// withWorkers sets how many goroutines compile. There are always at least two: one alone does not look at its context.
func withWorkers(ctx context.Context) context.Context {
	return experimental.WithCompilationWorkers(ctx, max(2, min(runtime.GOMAXPROCS(0), maxCompileWorkers)))
}

// maxCompileWorkers bounds what compiling one module takes of the machine: beyond four, wazero's workers mostly wait for each other.
const maxCompileWorkers = 4

// admit checks imports and exports, and gives the runtime the host functions.
func (p *Program) admit(ctx context.Context) error {
	i32 := []api.ValueType{api.ValueTypeI32}
	exports := p.code.ExportedFunctions()
	for _, want := range []struct {
		name     string
		results  []api.ValueType
		optional bool
	}{
		{name: abi.ExportABI, results: i32},
		{name: abi.ExportDescribe, results: i32},
		{name: abi.ExportDecode, results: i32},
		{name: abi.ExportInitialize, optional: true},
		{name: p.state.Start, optional: p.state.Start == ""},
	} {
		def, ok := exports[want.name]
		switch {
		case !ok && !want.optional:
			return refused("it does not export " + want.name)
		case ok && (len(def.ParamTypes()) > 0 || string(def.ResultTypes()) != string(want.results)):
			return refused("its export " + want.name + " has another type")
		}
	}
	mem, ok := p.code.ExportedMemories()[abi.ExportMemory]
	if !ok {
		return refused("it does not export its memory")
	}
	if most, _ := mem.Max(); mem.Min() != p.state.MemoryMinPages || most != p.state.MemoryMaxPages+1 {
		return refused("its memory is not what its state says")
	}
	return addHostModules(ctx, p.wz, p.code)
}

func (p *Program) isClosing() bool {
	select {
	case <-p.closing:
		return true
	default:
		return false
	}
}

// Instance returns an instance that is ready to decode: at the snapshot if there is one, else new and initialized. The caller closes it.
//
// Errors: busy (other guests hold the memory), module_refused (the exports do not fit), what a guest can do wrong while it
// initializes, and the codes of a ctx that ends.
func (p *Program) Instance(ctx context.Context) (*Instance, error) {
	i, err := p.instance(ctx)
	if err != nil {
		return nil, edge("sandbox.Instance", p.name, err)
	}
	return i, nil
}

func (p *Program) instance(ctx context.Context) (*Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	p.mu.Lock()
	snap, spare := p.snap, p.spare
	p.spare = nil
	p.mu.Unlock()
	if spare != nil {
		return spare, nil
	}
	i, err := p.newInstance(ctx, snap)
	if err != nil {
		return nil, err
	}
	if snap == nil {
		err = i.initialize(ctx)
	} else {
		err = i.restore(snap)
	}
	if err != nil {
		_ = i.Close()
		return nil, err
	}
	return i, nil
}

// Snapshot makes a new instance, initializes it, lets it describe itself and decode each call of warm, and keeps its state as the one
// that later instances start from. The frames of warm calls go to their Emit.
//
// A program whose guest changes what cannot be restored (a table, a segment) gets no snapshot and no error: its instances are made anew
// each time, and Reset says so. An error of a warm call is returned with its code; there is no snapshot then.
func (p *Program) Snapshot(ctx context.Context, warm []Call) error {
	if err := p.takeSnapshot(ctx, warm); err != nil {
		return edge("sandbox.Snapshot", p.name, err)
	}
	return nil
}

func (p *Program) takeSnapshot(ctx context.Context, warm []Call) error {
	i, err := p.newInstance(ctx, nil)
	if err != nil {
		return err
	}
	unused := i
	defer func() {
		if unused != nil {
			_ = unused.Close()
		}
	}()
	if err := i.warmUp(ctx, warm); err != nil {
		return err
	}
	if i.tainted() {
		return nil
	}
	snap := i.capture()
	i.snap = snap
	p.mu.Lock()
	defer p.mu.Unlock()
	p.snap, p.spare, unused = snap, i, p.spare
	return nil
}

// warmUp brings a new instance to where a snapshot is taken.
func (i *Instance) warmUp(ctx context.Context, calls []Call) error {
	if err := i.initialize(ctx); err != nil {
		return err
	}
	if err := i.Describe(ctx, func(abi.Kind, []byte) bool { return false }); err != nil {
		return err
	}
	for k := range calls {
		c := calls[k]
		c.Limits = c.Limits.warm(i.prog.rt.opts.InitLimits)
		if _, err := i.Decode(ctx, &c); err != nil {
			return err
		}
	}
	return nil
}

// Close stops the guests that run, waits for them and closes all instances. It is idempotent.
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
	p.mu.Lock()
	open := make([]*Instance, 0, len(p.instances))
	for i := range p.instances {
		open = append(open, i)
	}
	p.mu.Unlock()
	for _, i := range open {
		_ = i.Close()
	}
	p.rt.remove(p)
	p.rt.forget(p.digest)
	if err := p.closeEngine(ctx); err != nil {
		return edge("sandbox.Close", p.name, err)
	}
	return nil
}

func (p *Program) closeEngine(ctx context.Context) error {
	err := p.wz.Close(ctx)
	if p.cache != nil {
		if e := p.cache.Close(ctx); err == nil {
			err = e
		}
	}
	return err
}
