package host_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storefault"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const year = 365 * 24 * time.Hour

// clock is that of a machine; a test sets how far it is off.
type clock struct{ off atomic.Int64 }

func (c *clock) now() time.Time { return time.Now().Add(time.Duration(c.off.Load())) }

// What a clock may do at a call of a session's life. The collection is the hardest that there is: all that nothing names may go at once.
var clockFaults = map[string]func(c *clock, collect func()){
	"it goes a year ahead":                         func(c *clock, _ func()) { c.off.Add(int64(year)) },
	"it goes a year back":                          func(c *clock, _ func()) { c.off.Add(-int64(year)) },
	"it goes back, and something collects":         func(c *clock, collect func()) { c.off.Add(-int64(year)); collect() },
	"it was a year ahead while something collects": func(c *clock, collect func()) { c.off.Add(int64(year)); collect(); c.off.Add(-int64(year)) },
	"nothing, but something collects":              func(_ *clock, collect func()) { collect() },
}

// Whatever a clock does at whichever call of a session's life, and though the store is collected just then: nothing that was promised is
// lost. Who has lost a lease is told to try again.
func TestClocks(t *testing.T) {
	var jumps atomic.Int64
	for engine, open := range map[string]func(c *clock) *place{
		"memory": func(c *clock) *place { return &place{blobs: memblob.New(), driver: memindex.NewAt(c.now)} },
		"files": func(c *clock) *place {
			dir := t.TempDir()
			blobs, err := fileblob.Open(filepath.Join(dir, "blobs"), nil)
			if err != nil {
				t.Fatal(err)
			}
			driver, err := sqliteindex.Open(t.Context(), filepath.Join(dir, "index.db"), &sqliteindex.Options{Now: c.now})
			if err != nil {
				t.Fatal(err)
			}
			return &place{blobs: blobs, driver: driver, dir: dir}
		},
	} {
		stride := map[string]int{"memory": 3, "files": 83}[engine]
		if bars {
			stride = 1
		}
		for name, jump := range clockFaults {
			t.Run(engine+"/"+name, func(t *testing.T) {
				told, tried := 0, 0
				for k := 1; ; k += stride {
					c := &clock{}
					p := open(c)
					n, calls := jumpAt(t, c, p, k, jump)
					told += n
					p.close(t)
					if t.Failed() {
						t.Fatalf("at call %d of %d", k, len(calls))
					}
					if k > len(calls) {
						t.Logf("%d jumps, %d callers were told to try again", tried, told)
						jumps.Add(int64(tried))
						return
					}
					tried++
				}
			})
		}
	}
	t.Logf("bars: %d jumps of the clock and collections, 0 lost", jumps.Load())
}

// jumpAt is a life in which something happens to the clock at call k.
func jumpAt(t *testing.T, c *clock, p *place, k int, jump func(*clock, func())) (told int, calls []string) {
	t.Helper()
	plan := &storefault.Plan{}
	h := p.under(plan).open(t, newQuick(), &host.Options{Alone: true, CacheBytes: -1, Now: c.now})
	var all []promised
	l := &lived{t: t, h: h, s: h.Session(scope("s")), done: func(l promised) { all = append(all, l) }}
	l.again = func(what string, step func(context.Context) error) {
		for range 4 {
			err := step(t.Context())
			if err == nil {
				return
			}
			l.told++
			if !errors.Is(err, readapi.CodeBusy) && !errors.Is(err, readapi.CodeNotFound) { // an upload whose time is over is not there
				t.Fatalf("%s: call %d (%s): %v", what, k, plan.Failed(), err)
			}
		}
		t.Fatalf("%s does not come to its end: call %d", what, k)
	}
	collect := func() {
		keeper := retain.New(blobsOf(t, p), indexOf(t, p), nil)
		if _, err := keeper.GC(t.Context(), retain.GCOptions{Grace: time.Nanosecond}); err != nil && readapi.CodeOf(err) != readapi.CodeBusy {
			t.Error(err)
		}
	}
	plan.Arm(storefault.Fault{At: k, Hook: func() { jump(c, collect) }})
	l.life()
	calls = plan.Disarm()
	wholeStore(t, p, fmt.Sprintf("the clock jumped at call %d", k), true)
	for _, lost := range notKept(t.Context(), h, all) {
		t.Errorf("the clock jumped at call %d (%s): %s", k, plan.Failed(), lost)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
	return l.told, calls
}
