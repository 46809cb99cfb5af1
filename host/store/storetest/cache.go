package storetest

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// CacheHarness makes the drivers that RunCache tests. What it makes it closes itself, by T.Cleanup.
type CacheHarness struct {
	New    func(t T) store.CacheDriver                                  // in a new, empty place
	Beside func(t T, d store.CacheDriver) store.CacheDriver             // opens d's place once more, as another process would; nil where that cannot be
	Age    func(t T, d store.CacheDriver, key string, by time.Duration) // makes the last use of a value earlier than it was
}

// RunCache runs every case of a cache driver.
func RunCache(t *testing.T, h CacheHarness) { run(t, h, cacheCases()) }

func cacheCases() []testCase[CacheHarness] {
	return []testCase[CacheHarness]{
		{"RoundTrip", cacheRoundTrip},
		{"Absent", cacheAbsent},
		{"Replace", cacheReplace},
		{"Owned", cacheOwned},
		{"Trim", cacheTrim},
		{"TrimAll", cacheTrimAll},
		{"TrimLeastUsed", cacheTrimLeastUsed},
		{"Beside", cacheBeside},
		{"Concurrent", cacheConcurrent},
	}
}

// cacheKey is a key that differs from the next ones at its end only, or at its start only.
func cacheKey(i int) string {
	if i%2 == 0 {
		return fmt.Sprintf("%064x", i)
	}
	return fmt.Sprintf("%02x%062x", i, 0)
}

func keep(t T, d store.CacheDriver, i int, value []byte) {
	t.Helper()
	must(t, d.Put(t.Context(), cacheKey(i), value))
}

func cached(t T, d store.CacheDriver, i int) ([]byte, bool) {
	t.Helper()
	value, ok, err := d.Get(t.Context(), cacheKey(i))
	must(t, err)
	return value, ok
}

func cacheRoundTrip(t T, h CacheHarness) {
	d := h.New(t)
	sizes := []int{0, 1, 1000, 1 << 20}
	for i, n := range sizes {
		keep(t, d, i, content(byte(i), n))
	}
	for i, n := range sizes {
		if v, ok := cached(t, d, i); !ok || !bytes.Equal(v, content(byte(i), n)) {
			t.Errorf("a value of %d bytes comes back as %d others, %v", n, len(v), ok)
		}
	}
}

func cacheAbsent(t T, h CacheHarness) {
	d := h.New(t)
	keep(t, d, 1, []byte("there"))
	for _, i := range []int{2, 3} {
		if v, ok := cached(t, d, i); ok {
			t.Errorf("a value that was never put is %q", v)
		}
	}
}

func cacheReplace(t T, h CacheHarness) {
	d := h.New(t)
	keep(t, d, 1, []byte("a long value"))
	keep(t, d, 1, []byte("another"))
	v, _ := cached(t, d, 1)
	equal(t, "the value", string(v), "another")
}

// What was put and what was got are the caller's.
func cacheOwned(t T, h CacheHarness) {
	d := h.New(t)
	value := []byte("value")
	keep(t, d, 1, value)
	value[0] = 'V'
	v, _ := cached(t, d, 1)
	equal(t, "after the one that was put was changed", string(v), "value")
	v[0] = 'V'
	v, _ = cached(t, d, 1)
	equal(t, "after the one that was got was changed", string(v), "value")
}

func cacheTrim(t T, h CacheHarness) {
	d := h.New(t)
	for i := range 10 {
		keep(t, d, i, content(byte(i), 1000))
	}
	left, err := d.Trim(t.Context(), 10_000)
	must(t, err)
	equal(t, "all fits", left, store.Usage{Files: 10, Bytes: 10_000})
	left, err = d.Trim(t.Context(), 4500)
	must(t, err)
	equal(t, "what is left", left, store.Usage{Files: 4, Bytes: 4000})
	n := 0
	for i := range 10 {
		if v, ok := cached(t, d, i); ok && bytes.Equal(v, content(byte(i), 1000)) {
			n++
		}
	}
	equal(t, "values that are there", n, 4)
}

func cacheTrimAll(t T, h CacheHarness) {
	d := h.New(t)
	keep(t, d, 1, nil)
	keep(t, d, 2, []byte("value"))
	left, err := d.Trim(t.Context(), 0)
	must(t, err)
	equal(t, "bytes that are left", left.Bytes, int64(0))
	if _, ok := cached(t, d, 2); ok {
		t.Errorf("a value is there after all were removed")
	}
	keep(t, d, 2, []byte("value"))
	if _, ok := cached(t, d, 2); !ok {
		t.Errorf("a value that was put after all were removed is not there")
	}
}

// Those that were not asked for the longest go first; asking for one counts.
func cacheTrimLeastUsed(t T, h CacheHarness) {
	d := h.New(t)
	for i := range 6 {
		keep(t, d, i, content(byte(i), 1000))
		h.Age(t, d, cacheKey(i), time.Duration(10-i)*time.Hour)
	}
	cached(t, d, 0)
	_, err := d.Trim(t.Context(), 3000)
	must(t, err)
	for i, want := range []bool{true, false, false, false, true, true} {
		if _, ok := cached(t, d, i); ok != want {
			t.Errorf("value %d is there: %v", i, ok)
		}
	}
}

func cacheBeside(t T, h CacheHarness) {
	if h.Beside == nil {
		return
	}
	a := h.New(t)
	b := h.Beside(t, a)
	keep(t, a, 1, []byte("of one"))
	keep(t, b, 2, []byte("of the other"))
	v, _ := cached(t, b, 1)
	equal(t, "what the other one has put", string(v), "of one")
	v, _ = cached(t, a, 2)
	equal(t, "what the other one has put", string(v), "of the other")
	_, err := a.Trim(t.Context(), 0)
	must(t, err)
	if _, ok := cached(t, b, 2); ok {
		t.Errorf("a value is there after the other one has removed all")
	}
}

// Many put, ask and trim at once: a value is whole, or not there.
func cacheConcurrent(t T, h CacheHarness) {
	d := h.New(t)
	together(8, func(w int) {
		for k := range 20 {
			i := (w + k) % 4
			if err := d.Put(t.Context(), cacheKey(i), content(byte(i), 1000+i)); err != nil {
				t.Errorf("put: %v", err)
			}
			if v, ok, err := d.Get(t.Context(), cacheKey(i)); err != nil || ok && !bytes.Equal(v, content(byte(i), 1000+i)) {
				t.Errorf("get: other bytes, or %v", err)
			}
			if w == 0 {
				if _, err := d.Trim(t.Context(), 2500); err != nil {
					t.Errorf("trim: %v", err)
				}
			}
		}
	})
}
