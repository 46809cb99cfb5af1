package memindex

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Decoders implements store.IndexDriver.
func (d *Driver) Decoders(context.Context) (store.DecoderSet, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	set := store.DecoderSet{Generation: d.decoders.Generation, Decoders: slices.Clone(d.decoders.Decoders)}
	for _, id := range slices.Sorted(maps.Keys(d.hosts)) {
		h := d.hosts[id]
		h.Decoders = slices.Clone(h.Decoders)
		set.Hosts = append(set.Hosts, h)
	}
	return set, nil
}

// SetDecoders implements store.IndexDriver.
func (d *Driver) SetDecoders(ctx context.Context, was int64, decoders []store.DecoderEntry) (store.DecoderSet, error) {
	d.mu.Lock()
	if d.decoders.Generation != was {
		d.mu.Unlock()
		return store.DecoderSet{}, &readapi.Error{Code: readapi.CodeConflict, Detail: "the decoder set was changed meanwhile"}
	}
	d.decoders = store.DecoderSet{Generation: was + 1, Decoders: slices.Clone(decoders)}
	d.mu.Unlock()
	return d.Decoders(ctx)
}

// PutHost implements store.IndexDriver.
func (d *Driver) PutHost(_ context.Context, host store.HostEntry, ttl time.Duration) (int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	was, known := d.hosts[host.ID]
	changed := !known || !slices.Equal(was.Decoders, host.Decoders)
	for id, h := range d.hosts {
		if id != host.ID && !h.Until.After(now) {
			delete(d.hosts, id)
			changed = true
		}
	}
	host.Decoders, host.Until = slices.Clone(host.Decoders), now.Add(ttl).UTC()
	d.hosts[host.ID] = host
	if changed {
		d.decoders.Generation++
	}
	return d.decoders.Generation, nil
}

// DropHost implements store.IndexDriver.
func (d *Driver) DropHost(_ context.Context, id string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, ok := d.hosts[id]; ok {
		delete(d.hosts, id)
		d.decoders.Generation++
	}
	return nil
}

// Acquire implements store.IndexDriver.
func (d *Driver) Acquire(_ context.Context, name, holder string, ttl time.Duration) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	if n, ok := d.names[name]; ok && n.holder != holder && n.until.After(now) {
		return false, nil
	}
	d.names[name] = named{holder, now.Add(ttl)}
	return true, nil
}

// Resign implements store.IndexDriver.
func (d *Driver) Resign(_ context.Context, name, holder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.names[name].holder == holder {
		delete(d.names, name)
	}
	return nil
}
