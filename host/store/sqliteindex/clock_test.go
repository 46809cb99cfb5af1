package sqliteindex_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// clocked is an index, of either driver, whose clock a test sets.
type clocked struct {
	t    *testing.T
	x    *store.Index
	now  time.Time
	blob string
}

func (c *clocked) lease(holder string, want readapi.Code) {
	c.t.Helper()
	if err := c.x.LeaseBlobs(c.t.Context(), holder, []string{c.blob}, time.Minute); readapi.CodeOf(err) != want {
		c.t.Errorf("a lease: %v, want %q", err, want)
	}
}

func (c *clocked) claim(want bool) {
	c.t.Helper()
	if ok, err := c.x.ClaimBlob(c.t.Context(), c.blob, time.Minute); ok != want || err != nil {
		c.t.Errorf("a claim: %v, %v, want %v", ok, err, want)
	}
}

func (c *clocked) endClaim() {
	c.t.Helper()
	if err := c.x.EndClaim(c.t.Context(), c.blob); err != nil {
		c.t.Error(err)
	}
}

func (c *clocked) append(holder string, want readapi.Code) {
	c.t.Helper()
	a := artifact(1)
	a.Blob = c.blob
	if _, err := c.x.Append(c.t.Context(), scope, store.Batch{Artifacts: []store.Artifact{a}, Holder: holder}); readapi.CodeOf(err) != want {
		c.t.Errorf("an append: %v, want %q", err, want)
	}
}

// Whatever a clock does, an append never succeeds once somebody was let to remove the bytes, and nobody is let to remove what was appended.
func TestClock(t *testing.T) {
	const hour = time.Hour
	for name, f := range map[string]func(c *clocked){
		"a lease is over early, and the bytes are removed": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(hour)
			c.claim(true)
			c.append("x", readapi.CodeBusy)
			c.now = c.now.Add(-hour) // the lease would be live
			c.append("x", readapi.CodeBusy)
			c.endClaim()
			c.append("x", readapi.CodeBusy)
			c.lease("x", "")
			c.append("x", "")
			c.claim(false)
		},
		"a lease is over early, and nobody removes": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(hour)
			c.append("x", "")
			c.claim(false)
		},
		"a lease is over late": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(-hour)
			c.claim(false)
			c.now = c.now.Add(hour / 2)
			c.claim(false)
			c.append("x", "")
			c.now = c.now.Add(2 * hour)
			c.claim(false)
		},
		"a lease is renewed by a clock that went back": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(-hour)
			c.lease("x", "")
			c.now = c.now.Add(hour)
			c.claim(false) // it has what it was promised first
			c.append("x", "")
		},
		"a claim is over late": func(c *clocked) {
			c.claim(true)
			c.now = c.now.Add(-hour)
			c.lease("x", readapi.CodeBusy)
			c.claim(false)
			c.endClaim()
			c.lease("x", "")
			c.append("x", "")
		},
		"a claim is over early, and nobody leases": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(hour)
			c.claim(true)
			c.now = c.now.Add(hour)
			c.append("x", readapi.CodeBusy)
			c.now = c.now.Add(-2 * hour)
			c.append("x", readapi.CodeBusy)
			c.lease("x", readapi.CodeBusy)
		},
		"what is over is swept, by a clock that went far": func(c *clocked) {
			c.lease("x", "")
			c.now = c.now.Add(48 * hour)
			if _, err := c.x.Sweep(c.t.Context(), c.now.Add(-24*hour)); err != nil {
				c.t.Error(err)
			}
			c.append("x", readapi.CodeBusy)
			c.claim(true)
			c.endClaim()
			c.lease("x", "")
			c.append("x", "")
		},
		"a host is late by a clock that went forwards": func(c *clocked) {
			put := func(id string) int64 {
				g, err := c.x.PutHost(c.t.Context(), store.HostEntry{ID: id}, time.Minute)
				if err != nil {
					c.t.Error(err)
				}
				return g
			}
			put("a")
			was := put("b")
			c.now = c.now.Add(hour)
			if g := put("a"); g <= was {
				c.t.Errorf("a host was forgotten, and the generation is still %d", g)
			}
			c.now = c.now.Add(-2 * hour)
			was = put("b")
			put("a")
			if set, err := c.x.Decoders(c.t.Context()); err != nil || len(set.Hosts) != 2 || set.Generation != was {
				c.t.Errorf("%+v, %v", set, err)
			}
		},
	} {
		clock := func(c *clocked) func() time.Time { return func() time.Time { return c.now } }
		for engine, open := range map[string]func(c *clocked) (store.IndexDriver, error){
			"sqlite": func(c *clocked) (store.IndexDriver, error) {
				return sqliteindex.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), &sqliteindex.Options{Now: clock(c)})
			},
			"memory": func(c *clocked) (store.IndexDriver, error) { return memindex.NewAt(clock(c)), nil },
		} {
			t.Run(name+"/"+engine, func(t *testing.T) {
				c := &clocked{t: t, now: time.Now(), blob: artifact(1).Blob}
				d, err := open(c)
				if err == nil {
					c.x, err = store.NewIndex(d)
				}
				if err != nil {
					t.Fatal(err)
				}
				defer c.x.Close()
				f(c)
			})
		}
	}
}
