package sandbox

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// TestModuleRefused checks what Compile and Instance refuse, whatever vouches for a module.
func TestModuleRefused(t *testing.T) {
	rt := newRuntime(t, Options{})
	good := newGuest(i32(0)).module(t)
	otherDigest := good
	otherDigest.Digest = strings.Repeat("0", 64)
	upper := good
	upper.Digest = strings.ToUpper(good.Digest)
	with := func(old, new string) Module {
		if bytes.Count(good.Wasm, []byte(old)) == 0 || len(old) != len(new) {
			t.Fatalf("%q is not in the module", old)
		}
		return module("bad", bytes.ReplaceAll(bytes.Clone(good.Wasm), []byte(old), []byte(new)))
	}
	for name, m := range map[string]Module{
		"digest":            otherDigest,
		"digest upper case": upper,
		"nothing":           module("bad", nil),
		"not wasm":          module("bad", []byte("%PDF-1.4")),
		"not rewritten":     module("bad", newGuest(i32(0)).wasm()),
		"no decode":         with("glovebox_decode", "glovebox_decodE"),
		"no memory":         with("\x06memory", "\x06memorY"),
		"unknown import":    with("request_len", "request_leN"),
		"unknown module":    with("\x08glovebox\x0brequest_len", "\x08gloveboX\x0brequest_len"),
		"does not compile":  module("bad", good.Wasm[:len(good.Wasm)-1]),
	} {
		if p, err := rt.Compile(t.Context(), m); readapi.CodeOf(err) != readapi.CodeModuleRefused {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	// The fuel global under another name: State names what is not there.
	m := with("\x0dglovebox:fuel\x03", "\x0dglovebox:fueL\x03")
	if p, err := rt.Compile(t.Context(), m); err == nil {
		if _, err = p.Instance(t.Context()); readapi.CodeOf(err) != readapi.CodeModuleRefused {
			t.Errorf("no fuel global: %v", err)
		}
	}
}

// TestWrongTypes checks imports and exports of the right name and another type. The rewriter refuses such modules too, so they are made
// by changing a type of a rewritten one.
func TestWrongTypes(t *testing.T) {
	rt := newRuntime(t, Options{})
	g := newGuest(i32(0))
	g.fn("iii", "I", nil, i64(0)) // a type that differs from emit's in one byte
	w := g.module(t).Wasm
	emitType, other := []byte{0x60, 3, tI32, tI32, tI32, 1, tI32}, []byte{0x60, 3, tI32, tI32, tI32, 1, tI64}
	if bytes.Count(w, emitType) != 1 || bytes.Count(w, other) != 1 {
		t.Fatal("the types are not where the test thinks")
	}
	w = bytes.Replace(bytes.Replace(bytes.Replace(w, other, []byte("_mark__"), 1), emitType, other, 1), []byte("_mark__"), emitType, 1)
	if _, err := rt.Compile(t.Context(), module("bad", w)); readapi.CodeOf(err) != readapi.CodeModuleRefused {
		t.Error(err)
	}
}

// TestOtherVersion checks that a guest of another ABI version is refused before anything is asked of it.
func TestOtherVersion(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		g := newGuest(i32(0))
		g.funcs[0].body = i32(abi.Version + 1)
		p := program(t, e, g)
		_, err := p.Instance(t.Context())
		wantCode(t, err, readapi.CodeModuleRefused)
		wantCode(t, p.Snapshot(t.Context(), nil), readapi.CodeModuleRefused)
	})
}

// TestInitialization checks the order: data, the start function, _initialize; each once.
func TestInitialization(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		g := newGuest(emitRange(3, i32(100), i32(4)), drop, i32(0))
		g.data[100] = "dddd"
		step := func(at int32) code { // moves on what is at 101 and marks its own place
			return cat(i32(at), i32(101), load8(0), store8(0), i32(101), i32(101), load8(0), i32(1), i32Add, store8(0))
		}
		g.start = g.fn("", "", nil, step(102))
		g.export(abi.ExportInitialize, g.fn("", "", nil, step(103)))
		p := program(t, e, g)
		for range 2 {
			f, _, err := decode(t, p, &Call{})
			if err != nil || f.text() != "dfde" {
				t.Errorf("%q, %v", f.text(), err)
			}
			if err := p.Snapshot(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestInitializationTraps checks that a guest that dies outside a decode leaves nothing behind.
func TestInitializationTraps(t *testing.T) {
	g := newGuest(i32(0))
	g.export(abi.ExportInitialize, g.fn("", "", nil, unreachable))
	p := program(t, Compiler, g)
	_, err := p.Instance(t.Context())
	wantCode(t, err, readapi.CodeTrap)
	if n := p.rt.MemoryInUse(); n != 0 {
		t.Errorf("%d bytes are left", n)
	}
}

// TestCloseWhileRunning closes a program, or its runtime, under guests that run.
func TestCloseWhileRunning(t *testing.T) {
	for name, closeIt := range map[string]func(p *Program) error{
		"program": func(p *Program) error { return p.Close(context.Background()) },
		"runtime": func(p *Program) error { return p.rt.Close(context.Background()) },
	} {
		t.Run(name, func(t *testing.T) {
			g := endless()
			g.funcs[2].body = cat(emitRange(3, i32(0), i32(0)), drop, g.funcs[2].body)
			p := program(t, Compiler, g)
			var running, ended sync.WaitGroup
			for range 3 {
				i := instance(t, p)
				running.Add(1)
				ended.Go(func() {
					_, err := i.Decode(t.Context(), &Call{
						Emit:   func(abi.Kind, []byte) bool { running.Done(); return false },
						Limits: Limits{Fuel: 1 << 60, Timeout: time.Hour},
					})
					if readapi.CodeOf(err) != readapi.CodeCanceled {
						t.Errorf("a guest of a closed program: %v", err)
					}
					if err := i.Close(); err != nil {
						t.Error(err)
					}
				})
			}
			running.Wait()
			if err := closeIt(p); err != nil {
				t.Error(err)
			}
			ended.Wait()
			if n := p.rt.MemoryInUse(); n != 0 {
				t.Errorf("%d bytes are left", n)
			}
			if _, err := p.Instance(t.Context()); readapi.CodeOf(err) != readapi.CodeCanceled {
				t.Errorf("an instance of a closed program: %v", err)
			}
			if err := closeIt(p); err != nil {
				t.Errorf("closed twice: %v", err)
			}
		})
	}
}

// TestHammer makes, uses, puts back and closes instances from several goroutines while the program is closed under them.
func TestHammer(t *testing.T) {
	for range 5 {
		p := program(t, Compiler, memo())
		if err := p.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		ready := make(chan struct{}, 4)
		for range 4 {
			wg.Go(func() {
				for n := 0; ; n++ {
					i, err := p.Instance(t.Context())
					if err != nil {
						if readapi.CodeOf(err) != readapi.CodeCanceled {
							t.Error(err)
						}
						return
					}
					for range 3 {
						if _, err := i.Decode(t.Context(), &Call{Input: input("text")}); err != nil {
							break
						}
						if i.Reset() != nil {
							break
						}
					}
					_ = i.Close()
					if n == 2 {
						ready <- struct{}{}
					}
				}
			})
		}
		<-ready
		if err := p.Close(t.Context()); err != nil {
			t.Error(err)
		}
		wg.Wait()
	}
}

// TestOneCallAtATime checks that a second call of an instance is refused and does the first no harm.
func TestOneCallAtATime(t *testing.T) {
	i := instance(t, program(t, Compiler, emits(1, 1)))
	defer i.Close()
	_, err := i.Decode(t.Context(), &Call{Emit: func(abi.Kind, []byte) bool {
		_, err := i.Decode(t.Context(), &Call{})
		wantCode(t, err, readapi.CodeInternal)
		return false
	}})
	if err != nil {
		t.Error(err)
	}
	if _, err := i.Decode(t.Context(), &Call{}); err != nil {
		t.Error(err)
	}
}

// TestCompileCanceled checks that a caller who went away is told so, and that closing waits for the compilation.
func TestCompileCanceled(t *testing.T) {
	rt := newRuntime(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := rt.Compile(ctx, newGuest(i32(0)).module(t))
	wantCode(t, err, readapi.CodeCanceled)
	if err := rt.Close(t.Context()); err != nil {
		t.Error(err)
	}
	_, err = rt.Compile(t.Context(), newGuest(i32(0)).module(t))
	wantCode(t, err, readapi.CodeCanceled)
}

// TestForeignContext checks that what lies in a caller's context does not reach the engine, where keys of wazero's would act.
func TestForeignContext(t *testing.T) {
	type key struct{}
	c := &callContext{Context: context.WithValue(t.Context(), key{}, "caller's")}
	if c.Value(key{}) != nil {
		t.Error("a caller's value shows through")
	}
}

// TestResidentMemory reads 2,000 times and makes 200 instances; the host's heap must not grow with them.
func TestResidentMemory(t *testing.T) {
	p := program(t, Compiler, memo())
	if err := p.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	round := func() {
		for range 100 {
			i := instance(t, p)
			for range 10 {
				if _, err := i.Decode(t.Context(), &Call{Input: input("text")}); err != nil {
					t.Fatal(err)
				}
				if err := i.Reset(); err != nil {
					t.Fatal(err)
				}
			}
			i.Close()
		}
	}
	round()
	before := heap()
	round()
	if after := heap(); after > before+1<<20 {
		t.Errorf("the heap went from %d to %d bytes", before, after)
	}
}
