//go:build toolchains

package binary_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
)

// toolchainModules are decoders as the compilers of other languages make them, at the levels that make other code of one source.
func toolchainModules(t *testing.T) map[string][]byte {
	t.Helper()
	work, vcard := toolchain.Path(t, "testdata/toolchain/c/work.c"), toolchain.Path(t, "plugins/pdk/examples/vcard/c/vcard.c")
	rust := toolchain.Path(t, "testdata/toolchain/rust/work.rs")
	as := toolchain.Path(t, "testdata/toolchain/as/work.ts")
	return map[string][]byte{
		"c -O0":           toolchain.C(t, work, "-O0"),
		"c -O2":           toolchain.C(t, work, "-O2"),
		"c -Os":           toolchain.C(t, work, "-Os"),
		"c -O3 simd":      toolchain.C(t, work, "-O3", "-msimd128"),
		"c libc":          toolchain.CLibc(t, work, "-O2"),
		"c vcard":         toolchain.C(t, vcard, "-O1"),
		"rust -O":         toolchain.Rust(t, rust, "-O", "-C", "strip=symbols"),
		"rust debug":      toolchain.Rust(t, rust, "-C", "strip=symbols"),
		"assemblyscript":  toolchain.AssemblyScript(t, as, "--use", "abort=abi/stop"),
		"assemblyscript3": toolchain.AssemblyScript(t, as, "-O3", "--enable", "simd", "--use", "abort=abi/stop"),
	}
}

// abiCall is one decode: what goes in.
type abiCall struct{ request, input string }

var abiCalls = []abiCall{
	{`{"v":1,"media_type":"text/plain","form":"auto"}`, ""},
	{`{"v":1,"media_type":"text/plain","form":"auto","max_bytes":100}`, "the quick brown fox jumps over the lazy dog, the fox \xff\xfe and 漢字"},
	{`{"v":1,"media_type":"text/plain","form":"text","units":[{"from":1,"to":1}]}`, strings.Repeat("0123456789abcdef\x00\x01\x80", 40)},
	{`{"v":1,"form":"image"}`, "x"},
	{`{"v":1,"form":"auto","units":[{"from":9,"to":0}],"later":{"a":[1,-2.5e3,"\ud83d\ude00\u00e9\n",null,true]}}`, "BEGIN:VCARD\nFN:A\nEND:VCARD\n"},
	{`{"v":1,"form":"auto","max_tokens":9}`, "BEGIN:VCARD\nFN:Ada Lovelace\nNOTE;QUOTED-PRINTABLE:=C3=A4 and more\nEND:VCARD\n"},
	{`{"v":`, "no request"},
	{`{"v":1,"form":"auto"}`, "panic in a language that has them"},
}

// TestToolchainDifferential runs what other compilers make as they made it and rewritten, on both engines: the same frames, results and
// memory, and the same fuel on both engines, whatever the slice.
func TestToolchainDifferential(t *testing.T) {
	for name, wasm := range toolchainModules(t) {
		t.Run(name, func(t *testing.T) {
			rewritten, err := binary.Rewrite(wasm, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := binary.Admit(wasm, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, _ := abiOutcome(t, "compiler", wasm, m, false, 0)
			if n := strings.Count(want, "frame 3 "); n < 1 {
				t.Fatalf("the module did its work %d times:\n%.2000s", n, want)
			}
			var fuel int64
			for _, run := range []struct {
				engine    string
				rewritten bool
				slice     int64
			}{{"interpreter", false, 0}, {"compiler", true, 1 << 40}, {"compiler", true, 1000}, {"interpreter", true, 1 << 40}, {"interpreter", true, 1000}} {
				code := wasm
				if run.rewritten {
					code = rewritten
				}
				got, used := abiOutcome(t, run.engine, code, m, run.rewritten, run.slice)
				if got != want {
					t.Fatalf("%+v:\n%.3000s\noriginal on the compiler:\n%.3000s", run, got, want)
				}
				if run.rewritten && fuel == 0 {
					fuel = used
				}
				if run.rewritten && (used != fuel || used < 1000) {
					t.Errorf("%+v takes %d fuel, others %d", run, used, fuel)
				}
			}
			t.Logf("%d bytes, %d fuel, frames of %d bytes", len(wasm), fuel, len(want))
		})
	}
}

// abiOutcome runs the describe and every decode, each decode on an instance of its own, and records all that can be seen.
func abiOutcome(t *testing.T, engine string, wasm []byte, m *binary.Module, rewritten bool, slice int64) (seen string, fuel int64) {
	t.Helper()
	var sb strings.Builder
	for i, c := range abiCalls {
		g := &abiGuest{abiCall: c, out: &sb}
		in := g.start(t, engine, wasm, rewritten, slice)
		calls := []string{"glovebox_decode"}
		if i == 0 {
			calls = []string{"glovebox_abi", "glovebox_describe", "glovebox_decode"}
		}
		if in.mod.ExportedFunction("_initialize") != nil {
			calls = append([]string{"_initialize"}, calls...)
		}
		for _, name := range calls {
			r, trap := in.call(name)
			for i := range r {
				r[i] = uint64(uint32(r[i]))
			}
			fmt.Fprintf(&sb, "%s = %v %s\n%s", name, r, trap, in.observe(m))
		}
		if rewritten {
			fuel += in.used()
		}
	}
	return sb.String(), fuel
}

// abiGuest gives a guest what the ABI promises and records what it emits.
type abiGuest struct {
	abiCall
	out *strings.Builder
}

func (g *abiGuest) start(t *testing.T, engine string, wasm []byte, rewritten bool, slice int64) *instance {
	t.Helper()
	in := &instance{t: t, slice: slice}
	rt := newRuntime(t, engine)
	t.Cleanup(func() { rt.Close(context.Background()) })
	wasi_snapshot_preview1.MustInstantiate(t.Context(), rt)
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	hb := rt.NewHostModuleBuilder("glovebox")
	add := func(name string, params, results []api.ValueType, fn func(mem api.Memory, st []uint64)) {
		hb.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(_ context.Context, m api.Module, st []uint64) { fn(m.Memory(), st) }), params, results).Export(name)
	}
	add("request_len", nil, []api.ValueType{i32}, func(_ api.Memory, st []uint64) { st[0] = uint64(len(g.request)) })
	add("request_read", []api.ValueType{i32}, nil, func(mem api.Memory, st []uint64) { mem.WriteString(uint32(st[0]), g.request) })
	add("input_len", nil, []api.ValueType{i64}, func(_ api.Memory, st []uint64) { st[0] = uint64(len(g.input)) })
	add("input_read", []api.ValueType{i64, i32, i32}, []api.ValueType{i32}, func(mem api.Memory, st []uint64) {
		off := min(st[0], uint64(len(g.input)))
		n := min(uint64(uint32(st[2])), uint64(len(g.input))-off)
		mem.WriteString(uint32(st[1]), g.input[off:off+n])
		st[0] = n
	})
	add("emit", []api.ValueType{i32, i32, i32}, []api.ValueType{i32}, func(mem api.Memory, st []uint64) {
		b, ok := mem.Read(uint32(st[1]), uint32(st[2]))
		fmt.Fprintf(g.out, "frame %d %v %q\n", uint32(st[0]), ok, bytes.Clone(b))
		st[0] = 0
	})
	add("log", []api.ValueType{i32, i32, i32}, nil, func(api.Memory, []uint64) {})
	wall := rt.NewHostModuleBuilder(binary.WallModule)
	wall.NewFunctionBuilder().WithGoModuleFunction(api.GoModuleFunc(func(context.Context, api.Module, []uint64) {
		left := int64(in.fuel.Get())
		in.given += in.slice - left
		in.fuel.Set(uint64(in.slice))
	}), nil, nil).Export(binary.WallRefuel)
	for _, b := range []wazero.HostModuleBuilder{hb, wall} {
		if _, err := b.Instantiate(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	in.begin(rt, wasm, rewritten)
	return in
}

// begin instantiates a module; a rewritten one gets its data and start function from its State.
func (in *instance) begin(rt wazero.Runtime, wasm []byte, rewritten bool) {
	t := in.t
	cm, err := rt.CompileModule(t.Context(), wasm)
	if err != nil {
		t.Fatal(err)
	}
	if in.mod, err = rt.InstantiateModule(t.Context(), cm, wazero.NewModuleConfig().WithName("").WithStartFunctions()); err != nil {
		t.Fatal(err)
	}
	if !rewritten {
		return
	}
	if in.state, err = binary.ReadState(wasm); err != nil {
		t.Fatal(err)
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
		if _, trap := in.call(in.state.Start); trap != "" {
			t.Fatal(trap)
		}
	}
}
