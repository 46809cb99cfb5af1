package memindex

import (
	"context"
	"maps"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Sweep implements store.Sweeper: leases, claims and names whose time was over before a time, and is over, are forgotten.
func (d *Driver) Sweep(_ context.Context, before time.Time) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if now := d.now(); now.Before(before) {
		before = now
	}
	was := len(d.leases) + len(d.claims) + len(d.names)
	maps.DeleteFunc(d.leases, func(_ lease, until time.Time) bool { return until.Before(before) })
	maps.DeleteFunc(d.claims, func(_ string, until time.Time) bool { return until.Before(before) })
	maps.DeleteFunc(d.names, func(_ string, n named) bool { return n.until.Before(before) })
	return was - len(d.leases) - len(d.claims) - len(d.names), nil
}

// Recount implements store.Recounter. What a principal keeps is no counter here, but a sum.
func (d *Driver) Recount(_ context.Context, scope readapi.Scope) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		return nil
	}
	u := store.UsageOf(s.artifacts)
	s.info.Files, s.info.Bytes = u.Files, u.Bytes
	return nil
}
