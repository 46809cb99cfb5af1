package binary_test

import (
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/binary"
	. "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/binary/difftest"
)

// hostileBudget is what a hostile module may spend in these tests, in units.
const hostileBudget = 8_000_000

// runHostile runs a hostile module as a host does it, up to where it does its deed, and gives the trap that ended it, the fuel and
// the instance.
func runHostile(t *testing.T, lab *difftest.Lab, h *Hostile, rewritten []byte) (trap string, in *instance) {
	t.Helper()
	in, err := lab.Start("compiler", rewritten, false, 0, difftest.Input{}) // not as rewritten: this test is the host
	if err != nil {
		t.Fatal(err)
	}
	if err := in.Adopt(rewritten, binary.SliceFuel); err != nil {
		t.Fatal(err)
	}
	in.OnRefuel = func() {
		if in.Used() > hostileBudget {
			panic("out of fuel")
		}
	}
	for _, place := range Places() {
		export := place
		if place == "start" {
			export = in.State.Start
		}
		if export == "" {
			continue
		}
		if _, trap = in.Call(export); trap != "" {
			if place != h.Where {
				t.Errorf("stopped in %s already: %s", place, trap)
			}
			return trap, in
		}
	}
	return "", in
}

// TestHostileModules: what is hostile only when it runs is admitted, rewritten and valid, and is stopped by what it says.
func TestHostileModules(t *testing.T) {
	engines := difftest.NewLab(t)
	for _, h := range HostileModules() {
		t.Run(h.Name, func(t *testing.T) {
			wasm := h.Wasm()
			opts := &binary.RewriteOptions{Admit: &binary.AdmitOptions{RequireABI: true}}
			if h.Code == readapi.CodeLimitMemory { // a cap that is nearer than the end of the fuel
				opts.MaxMemoryPages = 100
			}
			rewritten, err := binary.Rewrite(wasm, opts)
			if err != nil {
				t.Fatal(err)
			}
			lab := engines.On(t)
			defer lab.Forget()
			if _, err := lab.Compile("interpreter", wasm); err != nil {
				t.Fatalf("not valid: %v", err)
			}
			trap, in := runHostile(t, lab, &h, rewritten)
			depth := int32(in.Global(in.State.Depth))
			got := readapi.Code("")
			switch {
			case strings.Contains(trap, "out of fuel"):
				got = readapi.CodeLimitFuel
			case strings.Contains(trap, "unreachable") && depth > in.State.MaxDepth:
				got = readapi.CodeLimitDepth
			case strings.Contains(trap, "unreachable"):
				got = readapi.CodeLimitMemory
			}
			if got != h.Code {
				t.Errorf("ended with %q after %d units at depth %d, want %s", trap, in.Used(), depth, h.Code)
			}
			// No deed goes far beyond the budget before the host is asked again: a slice, and one piece of a bulk operation.
			if most := int64(hostileBudget + 2*binary.SliceFuel + 4*binary.BulkPiece); in.Used() > most {
				t.Errorf("spent %d, budget %d", in.Used(), hostileBudget)
			}
		})
	}
}

// TestHostileGuestsBehave: without the deed they are proper guests, so it is the deed that is stopped.
func TestHostileGuestsBehave(t *testing.T) {
	all := HostileModules()
	last := all[len(all)-1]
	if last.Where != "glovebox_decode" {
		t.Fatalf("the last one does its deed in %s", last.Where)
	}
	lab := difftest.NewLab(t)
	in, err := lab.Start("interpreter", last.Wasm(), false, 0, difftest.Input{})
	if err != nil {
		t.Fatal(err)
	}
	if r, trap := in.Call("glovebox_abi"); trap != "" || r[0] != abi.Version {
		t.Errorf("abi: %v %s", r, trap)
	}
	for _, place := range []string{"_initialize", "glovebox_describe"} {
		if _, trap := in.Call(place); trap != "" {
			t.Errorf("%s: %s", place, trap)
		}
	}
	b, _ := in.Mod.Memory().Read(1024, 1024)
	n := strings.IndexByte(string(b), '}') + 1
	f, err := abi.ParseFrame(abi.KindDescribe, b[:n])
	if d, ok := f.Value.(*abi.Description); err != nil || !ok || d.Name != "hostile" {
		t.Errorf("describe: %+v, %v", f.Value, err)
	}
	b, _ = in.Mod.Memory().Read(2048, 4+11)
	if f, err = abi.ParseFrame(abi.KindEnd, b); err != nil {
		t.Errorf("end: %+v, %v", f.Value, err)
	}
}
