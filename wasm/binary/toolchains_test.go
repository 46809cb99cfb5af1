//go:build toolchains

package binary_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/testdata/toolchain"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
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
// memory, and the same fuel on both engines, whatever the slice. Each decode is on an instance of its own.
func TestToolchainDifferential(t *testing.T) {
	for name, wasm := range toolchainModules(t) {
		t.Run(name, func(t *testing.T) {
			lab := difftest.NewLab(t)
			var fuel int64
			emitted := 0
			for _, c := range abiCalls {
				input := difftest.Input{Request: []byte(c.request), Input: []byte(c.input)}
				calls := []invocation{inv("glovebox_abi"), inv("glovebox_describe"), inv("glovebox_decode")}
				emitted += emits(t, lab, wasm, input, &calls)
				r := lab.Differential(wasm, &difftest.Options{Input: input, Slices: []int64{1 << 40, 1000}}, calls)
				fuel += r.Fuel
			}
			if least := 2 * len(abiCalls); emitted <= least {
				t.Errorf("%d frames, of which %d or more describe the module or end an answer: it did no work", emitted, least)
			}
			if fuel < 1000 {
				t.Errorf("all of it took %d units", fuel)
			}
			t.Logf("%d bytes, %d units, %d frames", len(wasm), fuel, emitted)
		})
	}
}

// emits puts _initialize before the calls where the module has it, and counts the frames that the original sends.
func emits(t *testing.T, lab *difftest.Lab, wasm []byte, input difftest.Input, calls *[]invocation) (n int) {
	t.Helper()
	in, err := lab.Start("compiler", wasm, false, 0, input)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Mod.Close(t.Context())
	in.OnImport = func(name string) {
		if name == "emit" {
			n++
		}
	}
	if in.Mod.ExportedFunction("_initialize") != nil {
		*calls = append([]invocation{inv("_initialize")}, *calls...)
	}
	for _, c := range *calls {
		if _, trap := in.Call(c.Name); trap != "" {
			break // which the differential compares
		}
	}
	return n
}
