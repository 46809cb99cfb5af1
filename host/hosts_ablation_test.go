package host_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// changedIndex is an index that says something else.
type changedIndex struct {
	store.IndexDriver
	set        func(store.DecoderSet) store.DecoderSet
	generation func(int64) int64
}

func (c *changedIndex) Decoders(ctx context.Context) (store.DecoderSet, error) {
	set, err := c.IndexDriver.Decoders(ctx)
	if err == nil && c.set != nil {
		set = c.set(set)
	}
	return set, err
}

func (c *changedIndex) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	rows, generation, err := c.IndexDriver.Artifacts(ctx, scope, ids)
	if c.generation != nil {
		generation = c.generation(generation)
	}
	return rows, generation, err
}

// hostAblations are rules left out, each by what an index or a host without it would do.
func hostAblations() map[string]func(r *run) {
	sets := func(change func(*store.HostEntry)) func(r *run) {
		return func(r *run) {
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				return &changedIndex{IndexDriver: d, set: func(s store.DecoderSet) store.DecoderSet {
					for i := range s.Hosts {
						change(&s.Hosts[i])
					}
					return s
				}}
			}
		}
	}
	return map[string]func(r *run){
		"what the others have": func(r *run) {
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				own := &ownEntry{IndexDriver: d}
				return &changedIndex{IndexDriver: own, set: func(s store.DecoderSet) store.DecoderSet {
					s.Hosts = slices.DeleteFunc(s.Hosts, func(h store.HostEntry) bool { return h.ID != own.id })
					return s
				}}
			}
		},
		"a generation that hosts raise": func(r *run) {
			var quiet atomic.Int64 // rises of hosts
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				return &quietHosts{changedIndex{IndexDriver: d, generation: func(g int64) int64 { return g - quiet.Load() }}, &quiet}
			}
		},
		"a fresh view": func(r *run) {
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				var first atomic.Int64
				return &changedIndex{IndexDriver: d, generation: func(g int64) int64 {
					first.CompareAndSwap(0, g)
					return first.Load()
				}}
			}
		},
		"hosts whose time is over": func(r *run) {
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				return &changedIndex{IndexDriver: d, set: func(s store.DecoderSet) store.DecoderSet {
					s.Hosts = slices.DeleteFunc(s.Hosts, func(h store.HostEntry) bool { return h.Until.Before(time.Now()) })
					return s
				}}
			}
		},
		"being on the list": func(r *run) {
			r.mutate = func(d store.IndexDriver) store.IndexDriver {
				own := &ownEntry{IndexDriver: d}
				return &changedIndex{IndexDriver: own, set: func(s store.DecoderSet) store.DecoderSet {
					if !slices.ContainsFunc(s.Hosts, func(h store.HostEntry) bool { return h.ID == own.id }) {
						s.Hosts = append(s.Hosts, store.HostEntry{ID: own.id, Decoders: own.decoders})
					}
					return s
				}}
			}
		},
		"what a version takes": sets(func(h *store.HostEntry) {
			for i := range h.Decoders {
				takes := strings.Fields(h.Decoders[i].Takes)
				h.Decoders[i].Takes, h.Decoders[i].Digest = takes[0]+" "+takes[1], "the same"
			}
		}),
		"the limits of others": sets(func(h *store.HostEntry) {
			for i := range h.Decoders {
				h.Decoders[i].Takes = strings.ReplaceAll(h.Decoders[i].Takes, "40 ", "1000 ")
			}
		}),
	}
}

// ownEntry knows which host it is the index of.
type ownEntry struct {
	store.IndexDriver
	id       string
	decoders []store.DecoderEntry
}

func (o *ownEntry) PutHost(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
	o.id, o.decoders = h.ID, h.Decoders
	return o.IndexDriver.PutHost(ctx, h, ttl)
}

// quietHosts hides that hosts have raised the generation.
type quietHosts struct {
	changedIndex
	quiet *atomic.Int64
}

func (q *quietHosts) quietly(ctx context.Context, call func() error) error {
	before, err := q.IndexDriver.Decoders(ctx)
	if err != nil {
		return err
	}
	if err := call(); err != nil {
		return err
	}
	after, err := q.IndexDriver.Decoders(ctx)
	q.quiet.Add(after.Generation - before.Generation)
	return err
}

func (q *quietHosts) PutHost(ctx context.Context, h store.HostEntry, ttl time.Duration) (generation int64, err error) {
	return 0, q.quietly(ctx, func() error { generation, err = q.IndexDriver.PutHost(ctx, h, ttl); return err })
}

func (q *quietHosts) DropHost(ctx context.Context, id string) error {
	return q.quietly(ctx, func() error { return q.IndexDriver.DropHost(ctx, id) })
}

func (q *quietHosts) Decoders(ctx context.Context) (store.DecoderSet, error) {
	set, err := q.IndexDriver.Decoders(ctx)
	set.Generation -= q.quiet.Load()
	return set, err
}

func (q *quietHosts) SetDecoders(ctx context.Context, was int64, d []store.DecoderEntry) (store.DecoderSet, error) {
	set, err := q.IndexDriver.SetDecoders(ctx, was+q.quiet.Load(), d)
	set.Generation -= q.quiet.Load()
	return set, err
}

// Each rule is needed: without it some history breaks the promise.
func TestHostsAblations(t *testing.T) {
	for name, leaveOut := range hostAblations() {
		found := 0
		for seed := range uint64(300) {
			r := &run{t: t, p: newPlace(), pick: picker(seed), only: true}
			leaveOut(r)
			r.play(40)
			if found = cmp.Or(found, len(r.violations)); found > 0 {
				t.Logf("without %s: seed %d, %s", name, seed, strings.SplitN(r.violations[0], "\n", 2)[0])
				break
			}
		}
		if found == 0 {
			t.Errorf("without %s no history breaks the promise", name)
		}
	}
}
