package sandbox

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// memo is a hostile guest: it keeps what it reads, in memory, in memory that it grows into, in a global and on the clock, and emits
// whatever it finds there from before, beside the new.
func memo() *guest {
	g := newGuest()
	kept := g.global(0)
	g.mem[0] = 2
	g.funcs[2].body = cat(
		// What was left in the first page, the second, and a page beyond the end.
		emitRange(3, i32(1024), i32(16)), drop,
		emitRange(3, i32(65536+100), i32(16)), drop,
		i32(0), gget(kept), store32(512), emitRange(3, i32(512), i32(4)), drop,
		grow(i32(200)), drop, // more than is kept: it goes back to the system
		emitRange(3, i32(3<<16), i32(64)), drop,
		// Keep the new one everywhere.
		i64(0), i32(1024), i32(16), call_(fnInputRead), drop,
		i64(0), i32(65536+100), i32(16), call_(fnInputRead), drop,
		i64(0), i32(3<<16), i32(64), call_(fnInputRead), drop,
		i64(0), i32(199<<16), i32(64), call_(fnInputRead), drop,
		i32(1024), load32(0), gset(kept),
		i32(0),
	)
	return g
}

func TestNothingIsLeft(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		p := program(t, e, memo())
		if err := p.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		i := instance(t, p)
		defer i.Close()
		var first string
		for round := range 50 {
			f := &frames{}
			secret := fmt.Sprintf("secret %d ", round)
			if _, err := i.Decode(t.Context(), &Call{Emit: f.emit, Input: input(strings.Repeat(secret, 8))}); err != nil {
				t.Fatal(err)
			}
			if round == 0 {
				first = f.text()
			}
			if f.text() != first || strings.Contains(f.text(), "secret") {
				t.Fatalf("round %d: %q is left", round, f.text())
			}
			if err := i.Reset(); err != nil {
				t.Fatal(err)
			}
		}
		// The test must be able to fail: without putting back, it is all there.
		f := &frames{}
		for range 2 {
			f = &frames{}
			if _, err := i.Decode(t.Context(), &Call{Emit: f.emit, Input: input(strings.Repeat("secret ", 10))}); err != nil {
				t.Fatal(err)
			}
		}
		if strings.Count(f.text(), "secret") < 4 {
			t.Errorf("the guest does not remember: %q", f.text())
		}
	})
}

// TestDeterminism reads the same 100 times on put-back and on new instances: same output, same fuel.
func TestDeterminism(t *testing.T) {
	var all []string
	engines(t, func(t *testing.T, e Engine) {
		p := program(t, e, memo())
		if err := p.Snapshot(t.Context(), []Call{{Input: input("warming up with something else")}}); err != nil {
			t.Fatal(err)
		}
		reused := instance(t, p)
		defer reused.Close()
		read := func(i *Instance) {
			f := &frames{}
			u, err := i.Decode(t.Context(), &Call{Emit: f.emit, Input: input("the same for each")})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%+v %q", u, f.text()))
		}
		for range 50 {
			read(reused)
			if err := reused.Reset(); err != nil {
				t.Fatal(err)
			}
			i := instance(t, p)
			read(i)
			if err := i.Close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	for n, got := range all {
		if got != all[0] {
			t.Fatalf("read %d of %d: %s, but the first: %s", n, len(all), got, all[0])
		}
	}
	if len(all) != 200 {
		t.Fatalf("%d reads", len(all))
	}
}

// TestTaint checks that an instance whose table changed after the snapshot is dropped, and that one whose table changed before has none.
func TestTaint(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		// It changes the table when there is an input.
		g := newGuest(call_(fnInputLen), i32WrapI64, if_(i32(0), refNull(), tableSet()), i32(0))
		g.table = 2
		p := program(t, e, g)
		if err := p.Snapshot(t.Context(), []Call{{}}); err != nil {
			t.Fatal(err)
		}
		i := instance(t, p)
		defer i.Close()
		if _, err := i.Decode(t.Context(), &Call{}); err != nil {
			t.Fatal(err)
		}
		if err := i.Reset(); err != nil {
			t.Errorf("nothing changed: %v", err)
		}
		if _, err := i.Decode(t.Context(), &Call{Input: input("x")}); err != nil {
			t.Fatal(err)
		}
		wantCode(t, i.Reset(), readapi.CodeInternal)
		if _, err := i.Decode(t.Context(), &Call{}); err == nil {
			t.Error("an instance that could not be put back decodes")
		}

		q := program(t, e, g)
		if err := q.Snapshot(t.Context(), []Call{{Input: input("x")}}); err != nil {
			t.Fatal(err)
		}
		if q.snap != nil {
			t.Fatal("a snapshot of what cannot be restored")
		}
		for range 2 {
			i := instance(t, q)
			if _, err := i.Decode(t.Context(), &Call{}); err != nil {
				t.Error(err)
			}
			wantCode(t, i.Reset(), readapi.CodeInternal)
			i.Close()
		}
	})
}

// TestFirstInstance checks that what the snapshot was taken from serves as the first instance, once.
func TestFirstInstance(t *testing.T) {
	p := program(t, Compiler, newGuest(i32(0)))
	if err := p.Snapshot(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := p.rt.MemoryInUse(); n != pageBytes {
		t.Errorf("%d bytes in use", n)
	}
	if err := p.Snapshot(t.Context(), []Call{{}}); err != nil { // a second one replaces the first and what was kept with it
		t.Fatal(err)
	}
	if n := p.rt.MemoryInUse(); n != pageBytes {
		t.Errorf("%d bytes in use", n)
	}
	a, b := instance(t, p), instance(t, p)
	if a.snap != p.snap || b.snap != p.snap {
		t.Error("an instance of a former snapshot")
	}
	if a == b {
		t.Error("one instance, given out twice")
	}
	a.Close()
	b.Close()
}

// TestWarmUpFails checks that a failing warm-up is told and leaves a program that works.
func TestWarmUpFails(t *testing.T) {
	p := program(t, Compiler, newGuest(call_(fnInputLen), i32WrapI64, if_(unreachable), i32(0)))
	wantCode(t, p.Snapshot(t.Context(), []Call{{Input: input("x")}}), readapi.CodeTrap)
	if _, _, err := decode(t, p, &Call{}); err != nil {
		t.Error(err)
	}
}

// TestImage changes a memory at random places, blocks that are zero and borders among them, and puts it back.
func TestImage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, pages := range []int{0, 1, 2, 7} {
		mem := make([]byte, pages*pageBytes)
		for i := 0; i < len(mem); i += 3 * blockBytes { // every third block is not zero
			for k := range blockBytes {
				mem[i+k] = byte(r.Uint32())
			}
		}
		want := bytes.Clone(mem)
		m := newImage(mem)
		fresh := make([]byte, len(mem))
		if m.copyTo(fresh); !bytes.Equal(fresh, want) {
			t.Errorf("%d pages: a fresh memory differs", pages)
		}
		for round := range 20 {
			for range len(mem) / 5000 * round {
				mem[r.IntN(len(mem))]++
			}
			for at := 0; at < len(mem); at += blockBytes * (round + 1) {
				mem[at]++
				mem[at+blockBytes-1]++
			}
			if m.putBack(mem); !bytes.Equal(mem, want) {
				t.Fatalf("%d pages, round %d: the memory differs", pages, round)
			}
		}
		if want := len(mem) / 3; pages > 0 && len(m.data) > want+2*blockBytes {
			t.Errorf("%d pages take %d bytes", pages, len(m.data))
		}
	}
}
