package plugins

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// TestIdle: what a burst of reads needed is given back, but for one instance; what is used stays.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fakeEngine{run: func(_ context.Context, c *sandbox.Call, _ int) error {
			time.Sleep(time.Second)
			return ending(c, 1)
		}}
		r, _ := faked(t, e, Options{IdleTimeout: 10 * time.Second, MaxTotalMemoryBytes: 2 << 30})
		burst := func(n int) {
			var wg sync.WaitGroup
			for k := range n {
				wg.Go(func() {
					if err := readOf(t.Context(), r, numbered(k), numbered(k)); err != nil {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			synctest.Wait()
		}
		after := func(d time.Duration, want int64) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			if n := e.live.Load(); n != want {
				t.Errorf("%d instances, want %d", n, want)
			}
		}
		burst(4)
		after(9500*time.Millisecond, 4)
		burst(2) // two of them are at work when the time of the others is over; one of those stays, as nobody else is idle then
		after(5*time.Second, 3)
		after(time.Minute, 1)
		burst(1)
		after(time.Hour, 1)
		if err := r.Close(t.Context()); err != nil {
			t.Error(err)
		}
		after(0, 0)
	})
}
