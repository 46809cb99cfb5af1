package difftest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// weightsPerUnit is how Options.Exact counts.
const weightsPerUnit = 16

// Engines names the two that must agree.
func Engines() []string { return []string{"compiler", "interpreter"} }

// Lab holds both engines with the features of WebAssembly 2.0, and what it compiled last. It is for one test.
type Lab struct {
	t        testing.TB
	runtimes map[string]wazero.Runtime
	wasi     map[string]bool
	compiled map[string]map[[32]byte]wazero.CompiledModule
}

// NewLab starts the engines; they end with the test.
func NewLab(t testing.TB) *Lab {
	t.Helper()
	l := &Lab{t: t, runtimes: map[string]wazero.Runtime{}, wasi: map[string]bool{}, compiled: map[string]map[[32]byte]wazero.CompiledModule{}}
	for _, name := range Engines() {
		cfg := wazero.NewRuntimeConfigCompiler()
		if name == "interpreter" {
			cfg = wazero.NewRuntimeConfigInterpreter()
		}
		rt := wazero.NewRuntimeWithConfig(t.Context(), cfg.WithCoreFeatures(api.CoreFeaturesV2))
		ctx := context.WithoutCancel(t.Context())
		t.Cleanup(func() { rt.Close(ctx) })
		if err := linkGlovebox(ctx, rt); err != nil {
			t.Fatal(err)
		}
		wb := rt.NewHostModuleBuilder(binary.WallModule)
		wb.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(refuel), nil, nil).Export(binary.WallRefuel)
		if _, err := wb.Instantiate(ctx); err != nil {
			t.Fatal(err)
		}
		l.runtimes[name], l.compiled[name] = rt, map[[32]byte]wazero.CompiledModule{}
	}
	return l
}

// On gives the same engines to another test, a fuzzer's or a subtest, which ends before the one that started them.
func (l *Lab) On(t testing.TB) *Lab {
	out := *l
	out.t = t
	return &out
}

// Compile validates and compiles a module on one engine; the same bytes are compiled once.
func (l *Lab) Compile(engine string, wasm []byte) (wazero.CompiledModule, error) {
	sum := sha256.Sum256(wasm)
	if cm := l.compiled[engine][sum]; cm != nil {
		return cm, nil
	}
	cm, err := l.runtimes[engine].CompileModule(l.t.Context(), wasm)
	if err == nil {
		l.compiled[engine][sum] = cm
	}
	return cm, err
}

// Forget lets go of everything that was compiled. Instances made of it must not be used after that.
func (l *Lab) Forget() {
	for _, cms := range l.compiled {
		for sum, cm := range cms {
			cm.Close(l.t.Context())
			delete(cms, sum)
		}
	}
}

// Start instantiates a module, whose refuel gives slice units of fuel at a time. Errors are those of the engine.
func (l *Lab) Start(engine string, wasm []byte, rewritten bool, slice int64, input Input) (*Instance, error) {
	cm, err := l.Compile(engine, wasm)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	in := &Instance{t: l.t, slice: slice, in: input}
	in.ctx = context.WithValue(l.t.Context(), instanceKey{}, in)
	rt := l.runtimes[engine]
	for _, f := range cm.ImportedFunctions() {
		// The engine's own WASI, whose clock and randomness are the same each time.
		if module, _, _ := f.Import(); module == binary.ModuleWASI && !l.wasi[engine] {
			l.wasi[engine] = true
			if _, err := wasi_snapshot_preview1.Instantiate(l.t.Context(), rt); err != nil {
				return nil, err
			}
		}
	}
	if in.Mod, err = rt.InstantiateModule(in.ctx, cm, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		return nil, err
	}
	return in, in.run(wasm, rewritten)
}

// Options says how Differential works. nil means all defaults.
type Options struct {
	Rewrite *binary.RewriteOptions
	Input   Input
	Probes  []Call  // made at the end, behind a trap too
	Slices  []int64 // units of fuel between two looks; nil means 2^40, 1,000 and 1

	// Exact gives a module that counts the weight of what it executes, in sixteenths of a unit, in a global named "count"; if it
	// is set, what was charged must be no less.
	Exact func(wasm []byte) ([]byte, error)
}

// Result is what Differential found out besides.
type Result struct {
	Fuel      int64  // units that the calls were charged
	Trap      string // the first line of the trap that ended the calls, or ""
	Rewritten []byte
}

// Differential compares original and rewritten module on both engines: results, traps, memory, globals, what was emitted. The
// fuel must be the same on both engines, whatever the slice. It ends the test where they differ.
func Differential(t testing.TB, wasm []byte, opts *Options, calls []Call) Result {
	t.Helper()
	return NewLab(t).Differential(wasm, opts, calls)
}

// Differential is Differential on the engines of l, which forget the module afterwards.
func (l *Lab) Differential(wasm []byte, opts *Options, calls []Call) Result {
	t := l.t
	t.Helper()
	defer l.Forget()
	if opts == nil {
		opts = &Options{}
	}
	rewritten, err := binary.Rewrite(wasm, opts.Rewrite)
	if err != nil {
		t.Fatalf("not rewritten: %v", err)
	}
	return l.compare(wasm, rewritten, opts, calls)
}

func (l *Lab) compare(wasm, rewritten []byte, opts *Options, calls []Call) Result {
	t := l.t
	t.Helper()
	var limits *binary.Limits
	if opts.Rewrite != nil && opts.Rewrite.Admit != nil {
		limits = opts.Rewrite.Admit.Limits
	}
	m, err := binary.Parse(wasm, limits)
	if err != nil {
		t.Fatalf("not parsed: %v", err)
	}
	c := comparison{Lab: l, m: m, opts: opts, calls: calls, fuels: map[string]int64{}}
	for _, engine := range Engines() {
		c.original(engine, wasm)
	}
	slicesOf := opts.Slices
	if slicesOf == nil {
		slicesOf = []int64{1 << 40, 1000, 1}
	}
	for _, engine := range Engines() {
		for _, s := range slicesOf {
			c.rewritten(engine, rewritten, s)
		}
	}
	fuel := c.fuel()
	if opts.Exact != nil {
		c.exact(wasm, fuel)
	}
	return Result{Fuel: fuel, Trap: c.trap, Rewritten: rewritten}
}

// comparison is one Differential.
type comparison struct {
	*Lab
	m          *binary.Module
	opts       *Options
	calls      []Call
	want, trap string
	fuels      map[string]int64
	depth      *int32 // after the calls, of the first rewritten run
}

func (c *comparison) start(engine string, wasm []byte, rewritten bool, slice int64) *Instance {
	c.t.Helper()
	in, err := c.Start(engine, wasm, rewritten, slice, c.opts.Input)
	if err != nil {
		c.t.Fatalf("%s, rewritten %v: %v", engine, rewritten, err)
	}
	return in
}

func (c *comparison) original(engine string, wasm []byte) {
	c.t.Helper()
	in := c.start(engine, wasm, false, 0)
	defer in.Mod.Close(in.ctx)
	got, trap := in.outcome(c.m, c.calls)
	got += in.probe(c.opts.Probes)
	if c.want == "" {
		c.want, c.trap = got, trap
	} else if got != c.want {
		c.t.Fatalf("the engines disagree on the original:\n%s", apart(c.want, got))
	}
}

func (c *comparison) rewritten(engine string, wasm []byte, slice int64) {
	c.t.Helper()
	in := c.start(engine, wasm, true, slice)
	defer in.Mod.Close(in.ctx)
	got, trap := in.outcome(c.m, c.calls)
	d := int32(in.Global(in.State.Depth))
	if trap == "" && d != 0 { // a trap does not give it back
		c.t.Fatalf("the depth is %d after all calls came back", d)
	}
	if c.depth == nil {
		c.depth = &d
	}
	if *c.depth != d {
		c.t.Fatalf("the depth is %d on %s with slices of %d, and %d before", d, engine, slice, *c.depth)
	}
	if got += in.probe(c.opts.Probes); got != c.want {
		c.t.Fatalf("rewritten on %s with slices of %d:\n%s", engine, slice, apart(c.want, got))
	}
	c.fuels[fmt.Sprintf("%s %d", engine, slice)] = in.Used()
}

// apart is where two outcomes differ: the first such line of each, and the line before.
func apart(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(w), len(g)) {
		if w[i] != g[i] {
			return fmt.Sprintf("%s\nwant %s\ngot  %s", w[max(i-1, 0)], w[i], g[i])
		}
	}
	return fmt.Sprintf("want %d lines, got %d", len(w), len(g))
}

func (c *comparison) fuel() int64 {
	c.t.Helper()
	names := slices.Sorted(maps.Keys(c.fuels))
	for _, k := range names {
		if c.fuels[k] != c.fuels[names[0]] {
			c.t.Fatalf("fuel differs: %v", c.fuels)
		}
	}
	return c.fuels[names[0]]
}

// exact holds what was charged against what the original executes, start function included.
func (c *comparison) exact(wasm []byte, fuel int64) {
	c.t.Helper()
	counted, err := c.opts.Exact(wasm)
	if err != nil {
		c.t.Fatal(err)
	}
	in := c.start("compiler", counted, false, 0)
	defer in.Mod.Close(in.ctx)
	in.outcome(c.m, c.calls)
	in.probe(c.opts.Probes)
	if count := int64(in.Global("count")); fuel*weightsPerUnit < count {
		c.t.Fatalf("charged %d units, executed %d/%d", fuel, count, weightsPerUnit)
	}
}
