package difftest

import (
	"context"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	"github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
)

// Call is a call of an export. One without a name is no call: it writes a pattern over the whole memory.
type Call = binarytest.Invocation

// Instance is a running module, original or rewritten. It is for one goroutine.
type Instance struct {
	Mod   api.Module
	State *binary.State // nil for an original
	Looks int           // calls of refuel

	OnRefuel func()            // called at each, if set
	OnImport func(name string) // called when the guest calls glovebox.log or glovebox.emit, if set

	t     testing.TB
	ctx   context.Context
	in    Input
	fuel  api.MutableGlobal
	slice int64 // what refuel gives
	given int64 // since start
	out   uint32
	calls int
}

// Input is what glovebox.request_read and glovebox.input_read give.
type Input struct {
	Request, Input []byte
}

type instanceKey struct{}

func instanceOf(ctx context.Context) *Instance { return ctx.Value(instanceKey{}).(*Instance) }

// refuel is the wall's.
func refuel(ctx context.Context, _ api.Module, _ []uint64) {
	in := instanceOf(ctx)
	in.Looks++
	if in.OnRefuel != nil {
		in.OnRefuel()
	}
	left := int64(in.fuel.Get())
	in.given += in.slice - left
	in.fuel.Set(uint64(in.slice))
}

// run prepares an instance: a rewritten one gets its data and its start function from the State, as a host does it.
func (in *Instance) run(wasm []byte, rewritten bool) error {
	if !rewritten {
		return nil
	}
	if err := in.Adopt(wasm, in.slice); err != nil {
		return err
	}
	if in.State.Start != "" {
		_, err := in.Mod.ExportedFunction(in.State.Start).Call(in.ctx)
		return err
	}
	return nil
}

// Adopt makes an instance that was started as an original one of the rewritten module that it is, all but its start function.
// Refuel gives slice units at a time.
func (in *Instance) Adopt(wasm []byte, slice int64) (err error) {
	if in.State, err = binary.ReadState(wasm); err != nil {
		return err
	}
	in.fuel = in.Mod.ExportedGlobal(in.State.Fuel).(api.MutableGlobal)
	in.fuel.Set(uint64(slice))
	in.slice, in.given = slice, slice
	for _, d := range in.State.Data {
		if !in.Mod.Memory().Write(d.Offset, d.Bytes) {
			return fmt.Errorf("the segment at %d does not fit", d.Offset)
		}
	}
	return nil
}

// Used is the fuel charged since the start, in units.
func (in *Instance) Used() int64 { return in.given - int64(in.fuel.Get()) }

// Call gives the results, or the first line of the trap.
func (in *Instance) Call(name string, args ...uint64) (results []uint64, trap string) {
	in.t.Helper()
	f := in.Mod.ExportedFunction(name)
	if f == nil {
		in.t.Fatalf("no export %q", name)
	}
	results, err := f.Call(in.ctx, args...)
	if err != nil {
		trap, _, _ = strings.Cut(err.Error(), "\n")
	}
	for i, t := range f.Definition().ResultTypes() {
		if i < len(results) && (t == api.ValueTypeI32 || t == api.ValueTypeF32) {
			results[i] = low(results[i])
		}
	}
	return results, trap
}

// low is a value of 32 bits: what an engine leaves above them means nothing.
func low(v uint64) uint64 { return uint64(uint32(v)) }

// Global is an exported global's value.
func (in *Instance) Global(name string) uint64 { return in.Mod.ExportedGlobal(name).Get() }

// Observe is all that can be seen of an instance from outside: memory, the globals of the original, what was emitted.
func (in *Instance) Observe(m *binary.Module) string {
	var sb strings.Builder
	table := crc32.MakeTable(crc32.Castagnoli)
	if mem := in.Mod.Memory(); mem != nil {
		b, _ := mem.Read(0, mem.Size())
		fmt.Fprintf(&sb, "memory %d %x\n", mem.Size(), crc32.Checksum(b, table))
	}
	for _, e := range m.Exports {
		if e.Kind == binary.ExportGlobal && m.Globals[e.Index].Type.Numeric() {
			fmt.Fprintf(&sb, "%s %#x\n", e.Name, in.Global(e.Name))
		}
	}
	if in.calls > 0 {
		fmt.Fprintf(&sb, "%d calls of the host, %x\n", in.calls, in.out)
	}
	return sb.String()
}

// Pattern makes every word of the memory another, so that it can be seen what a copy moved.
func (in *Instance) Pattern() {
	mem := in.Mod.Memory()
	b, _ := mem.Read(0, mem.Size())
	for i := 0; i < len(b); i += 4 {
		v := uint32(i) * 2654435761
		b[i], b[i+1], b[i+2], b[i+3] = byte(v), byte(v>>8), byte(v>>16), byte(v>>24)
	}
}

// outcome makes calls and records everything that can be seen after each. A trap ends them.
func (in *Instance) outcome(m *binary.Module, calls []Call) (seen, trapped string) {
	var sb strings.Builder
	for _, c := range calls {
		if c.Name == "" {
			in.Pattern()
			continue
		}
		r, trap := in.Call(c.Name, c.Args...)
		fmt.Fprintf(&sb, "%s%x = %x %s\n%s", c.Name, c.Args, r, trap, in.Observe(m))
		if trap != "" {
			return sb.String(), trap
		}
	}
	return sb.String(), ""
}

// probe makes calls that may trap, each for itself.
func (in *Instance) probe(probes []Call) string {
	var sb strings.Builder
	for _, c := range probes {
		r, trap := in.Call(c.Name, c.Args...)
		fmt.Fprintf(&sb, "%s%x = %x %s\n", c.Name, c.Args, r, trap)
	}
	return sb.String()
}

// note remembers what a guest gave the host.
func (in *Instance) note(name string, b []byte, args []uint64) {
	in.calls++
	if in.OnImport != nil {
		in.OnImport(name)
	}
	h := crc32.MakeTable(crc32.Castagnoli)
	in.out = crc32.Update(in.out, h, fmt.Appendf(nil, "%s %x %x %x ", name, low(args[0]), low(args[1]), low(args[2])))
	in.out = crc32.Update(in.out, h, b)
}

// linkGlovebox offers ABI version 1. Log and emit take any pointer: what lies outside of memory is noted as nothing.
func linkGlovebox(ctx context.Context, rt wazero.Runtime) error {
	hb := rt.NewHostModuleBuilder(binary.ModuleGlovebox)
	out := func(name string) api.GoModuleFunc {
		return func(ctx context.Context, mod api.Module, st []uint64) {
			in := instanceOf(ctx)
			if in.Mod != nil { // an import that is exported again is called without a module around it
				mod = in.Mod
			}
			b, _ := mod.Memory().Read(uint32(st[1]), uint32(st[2]))
			in.note(name, b, st[:3])
			st[0] = 0
		}
	}
	fns := map[string]api.GoModuleFunc{
		"log": out("log"), "emit": out("emit"),
		"request_len": func(ctx context.Context, _ api.Module, st []uint64) { st[0] = uint64(len(instanceOf(ctx).in.Request)) },
		"input_len":   func(ctx context.Context, _ api.Module, st []uint64) { st[0] = uint64(len(instanceOf(ctx).in.Input)) },
		"request_read": func(ctx context.Context, mod api.Module, st []uint64) {
			mod.Memory().Write(uint32(st[0]), instanceOf(ctx).in.Request)
		},
		"input_read": func(ctx context.Context, mod api.Module, st []uint64) {
			b := instanceOf(ctx).in.Input
			off := min(st[0], uint64(len(b)))
			b = b[off:min(uint64(len(b)), off+uint64(uint32(st[2])))]
			mod.Memory().Write(uint32(st[1]), b)
			st[0] = uint64(len(b))
		},
	}
	types := func(ts []binary.ValType) (out []api.ValueType) {
		for _, t := range ts {
			out = append(out, api.ValueType(t))
		}
		return out
	}
	for _, f := range binary.GloveboxFuncs() {
		hb.NewFunctionBuilder().WithGoModuleFunction(fns[f.Name], types(f.Type.Params), types(f.Type.Results)).Export(f.Name)
	}
	_, err := hb.Instantiate(ctx)
	return err
}
