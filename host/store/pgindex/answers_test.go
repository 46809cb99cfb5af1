package pgindex_test

import (
	"bytes"
	"encoding/hex"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

// cache is that of a driver which the test has opened.
type cache struct {
	store.CacheDriver
	driver *pgindex.Driver
	url    string
}

func TestCacheConformance(t *testing.T) {
	p := &places{t: t}
	open := func(t storetest.T, url string) store.CacheDriver {
		d := newDriver(t, url)
		return cache{d.Answers(), d, url}
	}
	storetest.RunCache(t, storetest.CacheHarness{
		New:    func(t storetest.T) store.CacheDriver { return open(t, p.url(t)) },
		Beside: func(t storetest.T, d store.CacheDriver) store.CacheDriver { return open(t, d.(cache).url) },
		Age: func(t storetest.T, d store.CacheDriver, key string, by time.Duration) {
			c, err := pgx.Connect(t.Context(), d.(cache).url)
			if err != nil {
				t.Fatalf("%v", err)
			}
			name, _ := hex.DecodeString(key)
			if _, err := c.Exec(t.Context(), "UPDATE glovebox.answers SET used = used - $1 WHERE key = $2", by.Milliseconds(), name); err != nil {
				t.Fatalf("%v", err)
			}
			_ = c.Close(t.Context())
		},
	})
}

// Hosts share answers; what was asked for last stays longest, also when only one of them has asked.
func TestAnswers(t *testing.T) {
	url := pgtest.URL(t)
	x, y := newDriver(t, url).Answers(), newDriver(t, url).Answers()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	later := func() { // three minutes
		if _, err := c.Exec(t.Context(), "UPDATE glovebox.answers SET used = used - 180000"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 4 {
		if err := x.Put(t.Context(), digest(i), bytes.Repeat([]byte{byte(i), 0}, 50)); err != nil {
			t.Fatal(err)
		}
		later()
	}
	get := func(i int) bool {
		v, ok, err := y.Get(t.Context(), digest(i))
		if err != nil || ok && !bytes.Equal(v, bytes.Repeat([]byte{byte(i), 0}, 50)) {
			t.Errorf("answer %d is %q: %v", i, v, err)
		}
		return ok
	}
	if !get(0) || get(9) {
		t.Error("an answer is not there, or one is that nobody gave")
	}
	if left, err := x.Trim(t.Context(), 250); err != nil || left != (store.Usage{Files: 2, Bytes: 200}) {
		t.Errorf("%+v are left, want 2 with 200 bytes: %v", left, err)
	}
	if !get(0) || get(1) || get(2) || !get(3) {
		t.Error("others are left than those that were used last")
	}
	if err := x.Put(t.Context(), digest(7), nil); err != nil {
		t.Fatal(err)
	}
	if v, ok, err := y.Get(t.Context(), digest(7)); !ok || len(v) != 0 || err != nil {
		t.Errorf("an empty answer: %v %v %v", v, ok, err)
	}
	if left, err := y.Trim(t.Context(), 0); err != nil || left.Bytes != 0 {
		t.Errorf("%+v are left of nothing: %v", left, err)
	}
}
