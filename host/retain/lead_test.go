package retain_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// leadIndex answers Acquire as a test says, and counts it.
type leadIndex struct {
	store.IndexDriver
	asked   atomic.Int64
	acquire func(n int64) (ok bool, err error) // n is from 1
}

func (d *leadIndex) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	if ok, err := d.acquire(d.asked.Add(1)); err != nil || !ok {
		return ok, err
	}
	return d.IndexDriver.Acquire(ctx, name, holder, ttl)
}

// A collection that takes long renews its lease, outlives an index that does not answer for a moment, and ends when it has lost the lease:
// before it removes anything more.
func TestLeadIsKept(t *testing.T) {
	lost := errors.New("the index does not answer")
	for name, c := range map[string]struct {
		acquire func(n int64) (bool, error)
		took    time.Duration
		want    error
	}{
		"kept": {func(int64) (bool, error) { return true, nil }, time.Hour, nil},
		"an index that does not answer for a moment": {func(n int64) (bool, error) {
			if n == 3 {
				return false, lost
			}
			return true, nil
		}, time.Hour, nil},
		"taken over": {func(n int64) (bool, error) { return n == 1, nil }, time.Hour, readapi.CodeBusy},
		"an index that does not answer any more": {func(n int64) (bool, error) {
			if n > 1 {
				return false, lost
			}
			return true, nil
		}, time.Hour, readapi.CodeBusy},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := &leadIndex{IndexDriver: memindex.New(), acquire: c.acquire}
				p := newPlace(t, memblob.New(), x, "")
				blob := p.put("orphan")
				time.Sleep(time.Second)
				slow := func(ctx context.Context, _ []string) (map[string]string, error) {
					select {
					case <-time.After(c.took):
						return nil, nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}
				k := p.keeper(&retain.Options{Holders: []retain.Holder{slow}, ClaimTTL: 5 * time.Hour})
				begun := time.Now()
				_, err := k.GC(t.Context(), retain.GCOptions{Grace: nothing})
				if c.want == nil && err != nil || c.want != nil && !errors.Is(err, c.want) {
					t.Fatalf("%v", err)
				}
				if p.has(blob.SHA256) != (c.want != nil) {
					t.Fatal("the orphan is there:", c.want == nil)
				}
				if took := time.Since(begun); c.want != nil && took > time.Minute {
					t.Fatalf("it went on for %v without the lease", took)
				}
				if n := x.asked.Load(); c.want == nil && n < 300 {
					t.Fatalf("it was renewed %d times in hours", n)
				}
			})
		})
	}
}

// A collection that is canceled says so, and leaves nothing claimed.
func TestCanceled(t *testing.T) {
	onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
		hb := &hookedBlobs{BlobDriver: b}
		p := newPlace(t, hb, x, dir)
		one, two := p.put("one"), p.put("two")
		ctx, cancel := context.WithCancel(t.Context())
		hb.beforeRemove = func(string) { cancel() }
		if _, err := p.keeper(nil).GC(ctx, retain.GCOptions{Grace: nothing}); !errors.Is(err, readapi.CodeCanceled) {
			t.Fatal(err)
		}
		hb.beforeRemove = nil
		must(t, p.index.LeaseBlobs(t.Context(), "w", []string{one.SHA256, two.SHA256}, time.Minute))
		must(t, p.index.EndLeases(t.Context(), "w"))
		if r := p.gc(retain.GCOptions{Grace: nothing}); r.Busy || p.has(one.SHA256) || p.has(two.SHA256) {
			t.Fatalf("%+v", r)
		}
	})
}
