package sandbox

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	wasmbinary "github.com/glovebox-wasm/glovebox/wasm/binary"
)

// TestShrink pins what putting back rests on and wazero does not document: the slice that Reallocate returns during Grow(1) is the
// memory's new extent, for host and guest, also when it is shorter; and the guest can grow again from there.
func TestShrink(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		// The guest grows to the most that it can have, writes to the last byte, and reports memory.size through a frame's length.
		p := compile(t, newRuntime(t, Options{Engine: e}), newGuest(
			emitRange(2, i32(0), cat(memorySize, 0)), drop,
			grow(i32(63)), drop,
			i32(64<<16-1), load8(0), i32(64<<16-1), i32(7), store8(0), // what was there, for the end
			emitRange(2, i32(0), cat(memorySize, 0)), drop,
		).module(t, func(o *wasmbinary.RewriteOptions) { o.MaxMemoryPages = 64 }))
		if err := p.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		i := instance(t, p)
		defer i.Close()
		for round := range 3 {
			f := &frames{}
			if _, err := i.Decode(t.Context(), &Call{Emit: f.emit}); err != nil {
				t.Fatalf("round %d: %v (a page that was grown into was not zero?)", round, err)
			}
			if a, b := len(f.payloads[0]), len(f.payloads[1]); a != 1 || b != 64 {
				t.Errorf("round %d: the guest had %d pages, then %d", round, a, b)
			}
			if err := i.Reset(); err != nil {
				t.Fatal(err)
			}
			if n := i.mem.Size(); n != pageBytes {
				t.Errorf("round %d: %d bytes after putting back", round, n)
			}
			if _, ok := i.mem.Read(pageBytes, 1); ok {
				t.Errorf("round %d: the host reads beyond the end", round)
			}
			if n := p.rt.MemoryInUse(); n != pageBytes {
				t.Errorf("round %d: %d bytes charged", round, n)
			}
		}
	})
}

// TestBeyondShrunk checks that a guest cannot touch what was taken from it.
func TestBeyondShrunk(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		// With an input it grows to two pages; without, it reads at the start of the second.
		p := program(t, e, newGuest(
			call_(fnInputLen), i32WrapI64,
			if_(grow(i32(1)), drop, i32(65536), i32(7), store8(0), i32(0), ret),
			i32(65536), load8(0)))
		if err := p.Snapshot(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		i := instance(t, p)
		defer i.Close()
		if _, err := i.Decode(t.Context(), &Call{Input: input("x")}); err != nil {
			t.Fatal(err)
		}
		if err := i.Reset(); err != nil {
			t.Fatal(err)
		}
		_, err := i.Decode(t.Context(), &Call{})
		if got := wantCode(t, err, readapi.CodeTrap); trapOf(errors.Unwrap(got.Err)) != trapMemoryBounds {
			t.Errorf("it ended by %v", got.Err)
		}
	})
}

// grower grows by n pages; it dies when it cannot, and else emits a frame.
func grower(n int32) *guest {
	return newGuest(grow(i32(n)), i32(-1), i32Eq, if_(unreachable), emitRange(3, i32(0), i32(1)), drop, i32(0))
}

func TestMemoryBudget(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		rt := newRuntime(t, Options{Engine: e, MaxTotalMemoryBytes: 40 * pageBytes, MemoryWait: 1})
		p := compile(t, rt, grower(30).module(t))
		a, b := instance(t, p), instance(t, p)
		defer a.Close()
		defer b.Close()
		if _, err := a.Decode(t.Context(), &Call{}); err != nil {
			t.Fatal(err)
		}
		if n := rt.MemoryInUse(); n != 32*pageBytes {
			t.Errorf("%d bytes in use", n)
		}
		_, err := b.Decode(t.Context(), &Call{})
		got := wantCode(t, err, readapi.CodeBusy)
		if got.RetryAfter == 0 || got.Limit == nil || got.Limit.Name != "max_total_memory_bytes" {
			t.Errorf("%+v", got)
		}
		if err := a.Close(); err != nil {
			t.Fatal(err)
		}
		if _, _, err := decode(t, p, &Call{}); err != nil {
			t.Errorf("after the first was closed: %v", err)
		}
	})
}

// TestMemoryBudgetWaits checks that a guest gets memory that another gives back while it waits, and that a cancelled one stops waiting.
func TestMemoryBudgetWaits(t *testing.T) {
	rt := newRuntime(t, Options{MaxTotalMemoryBytes: 40 * pageBytes, MemoryWait: time.Hour})
	p := compile(t, rt, grower(30).module(t))
	a, b, c := instance(t, p), instance(t, p), instance(t, p)
	defer b.Close()
	defer c.Close()
	if _, err := a.Decode(t.Context(), &Call{}); err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	lost := make(chan error)
	go func() {
		_, err := c.Decode(canceled, &Call{Limits: Limits{Timeout: time.Hour}})
		lost <- err
	}()
	cancel()
	wantCode(t, <-lost, readapi.CodeCanceled)
	won := make(chan error)
	go func() {
		_, err := b.Decode(t.Context(), &Call{Limits: Limits{Timeout: time.Hour}})
		won <- err
	}()
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-won; err != nil {
		t.Error(err)
	}
}

// TestInstanceBudget checks that making an instance is refused too.
func TestInstanceBudget(t *testing.T) {
	rt := newRuntime(t, Options{MaxTotalMemoryBytes: pageBytes, MemoryWait: 1})
	p := compile(t, rt, newGuest(i32(0)).module(t))
	a := instance(t, p)
	_, err := p.Instance(t.Context())
	wantCode(t, err, readapi.CodeBusy)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	instance(t, p).Close()
}

// TestHandledRefusal checks that a guest that copes with a refused growth is not blamed for it.
func TestHandledRefusal(t *testing.T) {
	p := program(t, Compiler, newGuest(grow(i32(1000)), i32(1), i32Add)) // -1 is expected
	if _, _, err := decode(t, p, &Call{Limits: Limits{MaxMemoryBytes: 1 << 20}}); err != nil {
		t.Error(err)
	}
	_, _, err := decode(t, p, &Call{Limits: Limits{MaxMemoryBytes: 1}})
	wantCode(t, err, readapi.CodeLimitMemory)
}

// TestZero checks both ways of clearing: what was dropped and what was cleared read as zero.
func TestZero(t *testing.T) {
	for _, size := range []int64{pageBytes, 64 * pageBytes, 600 * pageBytes} {
		r, err := newRegion(size)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.commit(size); err != nil {
			t.Fatal(err)
		}
		b := r.bytes(size)
		copy(b, bytes.Repeat([]byte{7}, len(b)))
		r.zero(pageBytes, size)
		if bytes.Count(b, []byte{7}) != pageBytes || bytes.Count(b, []byte{0}) != len(b)-pageBytes {
			t.Errorf("%d bytes: not clean above the first page", size)
		}
		r.free()
	}
}
