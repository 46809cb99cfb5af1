package binary_test

import (
	"context"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// engines are the two that must agree.
var engines = []string{"compiler", "interpreter"}

// compiled keeps what one test compiles several times.
var compiled = map[string]wazero.CompilationCache{"compiler": wazero.NewCompilationCache(), "interpreter": wazero.NewCompilationCache()}

// newRuntime starts an engine with the features of WebAssembly 2.0.
func newRuntime(t testing.TB, engine string) wazero.Runtime {
	t.Helper()
	cfg := wazero.NewRuntimeConfigCompiler()
	if engine == "interpreter" {
		cfg = wazero.NewRuntimeConfigInterpreter()
	}
	rt := wazero.NewRuntimeWithConfig(t.Context(), cfg.WithCoreFeatures(api.CoreFeaturesV2).WithCompilationCache(compiled[engine]))
	t.Cleanup(func() { rt.Close(context.Background()) })
	return rt
}

// instance is a running module, original or rewritten.
type instance struct {
	t     testing.TB
	mod   api.Module
	state *binary.State
	fuel  api.MutableGlobal
	slice int64 // what refuel gives
	given int64 // since start
	looks int   // calls of refuel

	onRefuel func()
	onImport func(name string)
}

// link offers what the tests' modules import: glovebox.log and glovebox.emit as counters, the wall's refuel.
func (in *instance) link(rt wazero.Runtime) {
	t := in.t
	hb := rt.NewHostModuleBuilder("glovebox")
	i32 := api.ValueTypeI32
	note := func(name string, result bool) api.GoModuleFunc {
		return func(_ context.Context, _ api.Module, st []uint64) {
			if in.onImport != nil {
				in.onImport(name)
			}
			if result {
				st[0] = uint64(uint32(st[0]*3 + 1))
			}
		}
	}
	hb.NewFunctionBuilder().WithGoModuleFunction(note("log", false), []api.ValueType{i32, i32, i32}, nil).Export("log")
	hb.NewFunctionBuilder().WithGoModuleFunction(note("emit", true), []api.ValueType{i32, i32, i32}, []api.ValueType{i32}).Export("emit")
	if _, err := hb.Instantiate(t.Context()); err != nil {
		t.Fatal(err)
	}
	wb := rt.NewHostModuleBuilder(binary.WallModule)
	wb.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		in.looks++
		if in.onRefuel != nil {
			in.onRefuel()
		}
		left := int64(in.fuel.Get())
		in.given += in.slice - left
		in.fuel.Set(uint64(in.slice))
	}), nil, nil).Export(binary.WallRefuel)
	if _, err := wb.Instantiate(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// start instantiates a module. A rewritten one gets its data and its start function from the State, as a host does it.
func start(t testing.TB, engine string, wasm []byte, rewritten bool, slice int64) (*instance, error) {
	t.Helper()
	return startWith(t, engine, wasm, rewritten, slice, nil)
}

// startWith does the same with more host modules.
func startWith(t testing.TB, engine string, wasm []byte, rewritten bool, slice int64, link func(*instance, wazero.Runtime)) (*instance, error) {
	t.Helper()
	in := &instance{t: t, slice: slice}
	rt := newRuntime(t, engine)
	in.link(rt)
	if link != nil {
		link(in, rt)
	}
	cm, err := rt.CompileModule(t.Context(), wasm)
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	in.mod, err = rt.InstantiateModule(t.Context(), cm, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	if !rewritten {
		return in, nil
	}
	if in.state, err = binary.ReadState(wasm); err != nil {
		return nil, err
	}
	in.fuel = in.mod.ExportedGlobal(in.state.Fuel).(api.MutableGlobal)
	in.fuel.Set(uint64(in.slice))
	in.given = in.slice
	for _, d := range in.state.Data {
		if !in.mod.Memory().Write(d.Offset, d.Bytes) {
			t.Fatalf("segment at %d does not fit", d.Offset)
		}
	}
	if in.state.Start != "" {
		if _, err := in.mod.ExportedFunction(in.state.Start).Call(t.Context()); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// used is the fuel charged since start.
func (in *instance) used() int64 { return in.given - int64(in.fuel.Get()) }

// call gives the results, or the first line of the trap.
func (in *instance) call(name string, args ...uint64) (results []uint64, trap string) {
	in.t.Helper()
	f := in.mod.ExportedFunction(name)
	if f == nil {
		in.t.Fatalf("no export %q", name)
	}
	results, err := f.Call(in.t.Context(), args...)
	if err != nil {
		trap, _, _ = strings.Cut(err.Error(), "\n")
	}
	return results, trap
}

// global is an exported global's value.
func (in *instance) global(name string) uint64 { return in.mod.ExportedGlobal(name).Get() }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// observe is all that can be seen of an instance from outside: memory, and the globals of the original.
func (in *instance) observe(m *binary.Module) string {
	var sb strings.Builder
	if mem := in.mod.Memory(); mem != nil {
		b, _ := mem.Read(0, mem.Size())
		fmt.Fprintf(&sb, "memory %d %x\n", mem.Size(), crc32.Checksum(b, castagnoli))
	}
	for _, e := range m.Exports {
		if e.Kind == binary.ExportGlobal && m.Globals[e.Index].Type.Numeric() {
			fmt.Fprintf(&sb, "%s %#x\n", e.Name, in.global(e.Name))
		}
	}
	return sb.String()
}

// pattern makes every word of the memory another, so that it can be seen what a copy moved.
func (in *instance) pattern() {
	mem := in.mod.Memory()
	b, _ := mem.Read(0, mem.Size())
	for i := 0; i < len(b); i += 4 {
		v := uint32(i) * 2654435761
		b[i], b[i+1], b[i+2], b[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}

// invocation is a call of an export.
type invocation struct {
	name string
	args []uint64
}

func inv(name string, args ...uint64) invocation { return invocation{name, args} }

// outcome runs invocations and records everything that can be seen after each. A trap ends the run.
func outcome(t testing.TB, in *instance, m *binary.Module, calls []invocation) string {
	t.Helper()
	var sb strings.Builder
	for _, c := range calls {
		if c.name == "" { // not a call: a pattern over the whole memory
			in.pattern()
			continue
		}
		r, trap := in.call(c.name, c.args...)
		fmt.Fprintf(&sb, "%s%x = %x %s\n%s", c.name, c.args, r, trap, in.observe(m))
		if trap != "" {
			break
		}
	}
	return sb.String()
}

// differential compares the original and the rewritten module on both engines: results, traps, memory, globals. The fuel must
// be the same on both engines, whatever the slice, and no less than the exact count of what was executed. It gives the fuel.
func differential(t testing.TB, wasm []byte, opts *binary.RewriteOptions, calls []invocation) int64 {
	t.Helper()
	m, err := binary.Admit(wasm, nil)
	if err != nil {
		t.Fatalf("not admitted: %v", err)
	}
	rewritten, err := binary.Rewrite(wasm, opts)
	if err != nil {
		t.Fatalf("not rewritten: %v", err)
	}
	var want string
	fuels := map[string]int64{}
	for _, engine := range engines {
		in, err := start(t, engine, wasm, false, 0)
		if err != nil {
			t.Fatalf("original on %s: %v", engine, err)
		}
		got := outcome(t, in, m, calls)
		if want == "" {
			want = got
		} else if got != want {
			t.Fatalf("the engines disagree on the original:\n%s\n%s", want, got)
		}
		for _, slice := range []int64{1 << 40, 1000, 1} {
			in, err := start(t, engine, rewritten, true, slice)
			if err != nil {
				t.Fatalf("rewritten on %s: %v", engine, err)
			}
			if got := outcome(t, in, m, calls); got != want {
				t.Fatalf("rewritten on %s with slices of %d:\n%s\noriginal:\n%s", engine, slice, got, want)
			}
			fuels[fmt.Sprintf("%s %d", engine, slice)] = in.used()
			if strings.Contains(want, "wasm error") {
				continue // the depth is not given back by a trap
			}
			if d := in.global(in.state.Depth); d != 0 {
				t.Fatalf("the depth is %d after all calls came back", int32(d))
			}
		}
	}
	fuel := fuels["compiler 1000"]
	for _, k := range slices.Sorted(maps.Keys(fuels)) {
		if fuels[k] != fuel {
			t.Fatalf("fuel differs: %v", fuels)
		}
	}
	if exact := exactCount(t, wasm, calls); fuel*binary.WeightsPerUnit < exact {
		t.Fatalf("charged %d units, executed %d/%d", fuel, exact, binary.WeightsPerUnit)
	}
	return fuel
}

// exactCount is the weight of what the original executes, start function included.
func exactCount(t testing.TB, wasm []byte, calls []invocation) int64 {
	t.Helper()
	counted, err := binary.CountExact(wasm)
	if err != nil {
		t.Fatal(err)
	}
	in, err := start(t, "compiler", counted, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range calls {
		if c.name == "" {
			in.pattern()
			continue
		}
		if _, trap := in.call(c.name, c.args...); trap != "" {
			break
		}
	}
	return int64(in.global("count"))
}
