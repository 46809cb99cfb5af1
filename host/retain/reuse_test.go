package retain_test

import (
	"context"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/retain"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// latePages is an index whose first page of a scan is old when it is looked at: something else has happened since.
type latePages struct {
	store.IndexDriver
	sessions, artifacts func()
}

func (d *latePages) ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]store.Session, error) {
	list, err := d.IndexDriver.ScanSessions(ctx, after, limit)
	once(&d.sessions)
	return list, err
}

func (d *latePages) ScanArtifacts(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	list, err := d.IndexDriver.ScanArtifacts(ctx, q)
	once(&d.artifacts)
	return list, err
}

func once(f *func()) {
	if do := *f; do != nil {
		*f = nil
		do()
	}
}

// A session that was purged and begun again under its id, since a collection has read of its deletion, is another one: it stays.
func TestCollectReusedSession(t *testing.T) {
	onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
		late := &latePages{IndexDriver: x}
		p := newPlace(t, b, late, dir)
		s := scope("s")
		p.attach(s, "old")
		_, _, err := p.index.MarkSession(t.Context(), s, store.DeleteSession, time.Now().Add(-3*day))
		must(t, err)
		var fresh store.Artifact
		late.sessions = func() {
			_, _, err := x.MarkSession(t.Context(), s, store.PurgeSession, time.Now().UTC().Truncate(time.Millisecond))
			must(t, err)
			must(t, p.keeper(nil).Purge(t.Context(), store.Purge{Scope: s}))
			fresh = p.attach(s, "new")
		}
		p.gc(retain.GCOptions{Policy: []retain.Rule{{AfterDelete: day}}})
		if fresh.ID == "" || p.status(fresh) != "live" || !p.has(fresh.Blob) {
			t.Errorf("the file of the new session is %s", p.status(fresh))
		}
		if now, ok, err := p.index.Session(t.Context(), s); err != nil || !ok || !now.Deleted.IsZero() {
			t.Errorf("the new session: %+v, %v, %v", now, ok, err)
		}
	})
}

// The same of a file: that of a copy which was purged and made again has the same id.
func TestCollectReusedArtifact(t *testing.T) {
	named := func(a *store.Artifact) { a.ID = "copy_1" }
	for what, c := range map[string]struct {
		rule  retain.Rule
		setup func(p *place, a store.Artifact)
		age   time.Duration
	}{
		"deleted": {retain.Rule{AfterDelete: day}, func(p *place, a store.Artifact) { p.delete(a, 3*day) }, 0},
		"old":     {retain.Rule{TTL: day}, func(*place, store.Artifact) {}, 9 * day},
	} {
		t.Run(what, func(t *testing.T) {
			onDrivers(t, func(t *testing.T, b store.BlobDriver, x store.IndexDriver, dir string) {
				late := &latePages{IndexDriver: x}
				p := newPlace(t, b, late, dir)
				a := p.attach(scope("s"), "old", aged(c.age, store.SourceCopy), named)
				c.setup(p, a)
				late.artifacts = func() {
					_, _, err := x.PurgeArtifact(t.Context(), a.Scope, a.ID, time.Now().UTC().Truncate(time.Millisecond))
					must(t, err)
					must(t, p.keeper(nil).Purge(t.Context(), store.Purge{Scope: a.Scope, Artifact: a.ID}))
					a = p.attach(scope("s"), "new", named)
				}
				p.gc(retain.GCOptions{Policy: []retain.Rule{c.rule}})
				if p.status(a) != "live" || !p.has(a.Blob) {
					t.Errorf("the new file is %s", p.status(a))
				}
			})
		})
	}
}
