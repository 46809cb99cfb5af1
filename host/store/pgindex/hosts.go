package pgindex

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// One statement, so that the set and its hosts are of one moment.
	selectDecoders = `SELECT g.generation, g.decoders, h.id, h.decoders, h.until FROM glovebox.decoder_set AS g
		LEFT JOIN glovebox.hosts AS h ON true ORDER BY h.id`

	updateDecoders = `UPDATE glovebox.decoder_set SET generation = $1::bigint + 1, decoders = $2 WHERE generation = $1::bigint`

	// Hosts come and go one after the other, by this lock.
	lockGeneration = `SELECT generation FROM glovebox.decoder_set FOR UPDATE`

	selectHost = `SELECT decoders FROM glovebox.hosts WHERE id = $1`

	upsertHost = `INSERT INTO glovebox.hosts (id, decoders, until) VALUES ($1, $2, glovebox.now_ms() + $3)
		ON CONFLICT (id) DO UPDATE SET decoders = excluded.decoders, until = excluded.until`

	dropHosts = `DELETE FROM glovebox.hosts WHERE until <= glovebox.now_ms() AND id <> $1`

	dropHost = `DELETE FROM glovebox.hosts WHERE id = $1`

	setGeneration = `UPDATE glovebox.decoder_set SET generation = $1`

	acquireName = `INSERT INTO glovebox.names AS n (name, holder, until) VALUES ($1, $2, glovebox.now_ms() + $3) ON CONFLICT (name)
		DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE n.holder = excluded.holder OR n.until <= glovebox.now_ms()`

	resignName = `DELETE FROM glovebox.names WHERE name = $1 AND holder = $2`
)

// Decoders implements store.IndexDriver.
func (d *Driver) Decoders(ctx context.Context) (set store.DecoderSet, err error) {
	err = d.rows(ctx, func() { set = store.DecoderSet{} }, func(rows pgx.Rows) error {
		var all []byte
		var id, loaded *string
		var until *int64
		if err := rows.Scan(&set.Generation, &all, &id, &loaded, &until); err != nil {
			return err
		}
		set.Decoders = nil
		if err := json.Unmarshal(all, &set.Decoders); err != nil {
			return damaged(err)
		}
		if id == nil {
			return nil
		}
		h := store.HostEntry{ID: *id, Until: fromMillis(*until)}
		if err := json.Unmarshal([]byte(*loaded), &h.Decoders); err != nil {
			return damaged(err)
		}
		set.Hosts = append(set.Hosts, h)
		return nil
	}, selectDecoders)
	return set, err
}

// SetDecoders implements store.IndexDriver.
func (d *Driver) SetDecoders(ctx context.Context, was int64, decoders []store.DecoderEntry) (store.DecoderSet, error) {
	all, err := toJSON(decoders)
	if err != nil {
		return store.DecoderSet{}, err
	}
	var n int64
	if err := d.do(ctx, once, func(s *steps) { s.count(&n, updateDecoders, was, all) }); err != nil {
		return store.DecoderSet{}, err
	}
	if n == 0 {
		return store.DecoderSet{}, &readapi.Error{Code: readapi.CodeConflict, Detail: "the decoder set was changed meanwhile"}
	}
	now, err := d.Decoders(ctx)
	if err != nil || now.Generation != was+1 { // what was set is set; somebody may have set another one behind it
		return store.DecoderSet{Generation: was + 1, Decoders: slices.Clone(decoders)}, nil
	}
	return now, nil
}

// PutHost implements store.IndexDriver. A generation that rises is on the disk when it is returned: hosts outlive the server, and must not
// meet the same number again with another meaning. That a host is still there may be lost with the server's power.
func (d *Driver) PutHost(ctx context.Context, host store.HostEntry, ttl time.Duration) (generation int64, err error) {
	loaded, err := toJSON(host.Decoders)
	if err != nil {
		return 0, err
	}
	err = d.write(ctx, again, func(t *tx) error {
		was, dropped := "", int64(0)
		s := &steps{}
		s.rows(func(rows pgx.Rows) error { return rows.Scan(&generation) }, lockGeneration)
		s.rows(func(rows pgx.Rows) error { return rows.Scan(&was) }, selectHost, host.ID)
		s.count(&dropped, dropHosts, host.ID)
		s.exec(upsertHost, host.ID, loaded, ttl.Milliseconds())
		if err := t.send(ctx, s); err != nil {
			return err
		}
		s = &steps{}
		if was != loaded || dropped > 0 {
			generation++
			s.exec(setGeneration, generation)
		} else {
			s.exec(looseCommit)
		}
		return t.commit(ctx, s)
	})
	if err != nil {
		return 0, err
	}
	return generation, nil
}

// DropHost implements store.IndexDriver.
func (d *Driver) DropHost(ctx context.Context, id string) error {
	return d.write(ctx, again, func(t *tx) error {
		var generation, dropped int64
		s := &steps{}
		s.rows(func(rows pgx.Rows) error { return rows.Scan(&generation) }, lockGeneration)
		s.count(&dropped, dropHost, id)
		if err := t.send(ctx, s); err != nil {
			return err
		}
		s = &steps{}
		if dropped > 0 {
			s.exec(setGeneration, generation+1)
		}
		return t.commit(ctx, s)
	})
}

// Acquire implements store.IndexDriver.
func (d *Driver) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	var n int64
	err := d.do(ctx, again, func(s *steps) { s.count(&n, acquireName, name, holder, ttl.Milliseconds()) })
	return n > 0 && err == nil, err
}

// Resign implements store.IndexDriver.
func (d *Driver) Resign(ctx context.Context, name, holder string) error {
	return d.do(ctx, again, func(s *steps) { s.exec(resignName, name, holder) })
}
