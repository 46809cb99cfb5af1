package sqliteindex

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// One statement, so that the set and its hosts are of one moment.
	selectDecoders = `SELECT g.generation, g.decoders, h.id, h.decoders, h.until FROM decoder_set AS g LEFT JOIN hosts AS h ORDER BY h.id`

	updateDecoders = `UPDATE decoder_set SET generation = ?1 + 1, decoders = ?2 WHERE generation = ?1`

	selectHost = `SELECT decoders FROM hosts WHERE id = ?1`

	upsertHost = `INSERT INTO hosts (id, decoders, until) VALUES (?1, ?2, ?3)
		ON CONFLICT (id) DO UPDATE SET decoders = excluded.decoders, until = excluded.until`

	dropHosts = `DELETE FROM hosts WHERE until <= ?1 AND id <> ?2`

	dropHost = `DELETE FROM hosts WHERE id = ?1`

	nextGeneration = `UPDATE decoder_set SET generation = generation + 1`

	selectGeneration = `SELECT generation FROM decoder_set`

	acquireName = `INSERT INTO names (name, holder, until) VALUES (?1, ?2, ?3)
		ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE names.holder = excluded.holder OR names.until <= ?4`

	resignName = `DELETE FROM names WHERE name = ?1 AND holder = ?2`
)

// Decoders implements store.IndexDriver.
func (d *Driver) Decoders(ctx context.Context) (set store.DecoderSet, err error) {
	err = d.rows(ctx, selectDecoders, func(rows *sql.Rows) error {
		var list, loaded []byte
		var id sql.NullString
		var until sql.NullInt64
		if err := rows.Scan(&set.Generation, &list, &id, &loaded, &until); err != nil {
			return err
		}
		set.Decoders = nil
		if err := json.Unmarshal(list, &set.Decoders); err != nil {
			return damaged(err)
		}
		if !id.Valid {
			return nil
		}
		h := store.HostEntry{ID: id.String, Until: fromMillis(until.Int64)}
		if err := json.Unmarshal(loaded, &h.Decoders); err != nil {
			return damaged(err)
		}
		set.Hosts = append(set.Hosts, h)
		return nil
	})
	return set, err
}

// SetDecoders implements store.IndexDriver.
func (d *Driver) SetDecoders(ctx context.Context, was int64, decoders []store.DecoderEntry) (store.DecoderSet, error) {
	list, err := toJSON(decoders)
	if err != nil {
		return store.DecoderSet{}, err
	}
	err = d.write(ctx, []string{updateDecoders}, func(t tx) error {
		n, err := t.exec(ctx, updateDecoders, was, list)
		if err == nil && n == 0 {
			err = &readapi.Error{Code: readapi.CodeConflict, Detail: "the decoder set was changed meanwhile"}
		}
		return err
	})
	if err != nil {
		return store.DecoderSet{}, err
	}
	now, err := d.Decoders(ctx)
	if err != nil || now.Generation != was+1 { // what was set is set; somebody may have set another one behind it
		return store.DecoderSet{Generation: was + 1, Decoders: slices.Clone(decoders)}, nil
	}
	return now, nil
}

// PutHost implements store.IndexDriver. It may be lost with the power: the hosts are gone then, too.
func (d *Driver) PutHost(ctx context.Context, host store.HostEntry, ttl time.Duration) (generation int64, err error) {
	list, err := toJSON(host.Decoders)
	if err != nil {
		return 0, err
	}
	now := d.opts.Now()
	err = d.writeBy(ctx, d.loose, []string{selectHost, upsertHost, dropHosts, nextGeneration, selectGeneration}, func(t tx) error {
		was := ""
		if err := t.rows(ctx, selectHost, func(rows *sql.Rows) error { return rows.Scan(&was) }, host.ID); err != nil {
			return err
		}
		dropped, err := t.exec(ctx, dropHosts, now.UnixMilli(), host.ID)
		if err != nil {
			return err
		}
		if _, err := t.exec(ctx, upsertHost, host.ID, list, now.Add(ttl).UnixMilli()); err != nil {
			return err
		}
		if was != list || dropped > 0 {
			if _, err := t.exec(ctx, nextGeneration); err != nil {
				return err
			}
		}
		return t.rows(ctx, selectGeneration, func(rows *sql.Rows) error { return rows.Scan(&generation) })
	})
	return generation, err
}

// DropHost implements store.IndexDriver.
func (d *Driver) DropHost(ctx context.Context, id string) error {
	return d.writeBy(ctx, d.loose, []string{dropHost, nextGeneration}, func(t tx) error {
		n, err := t.exec(ctx, dropHost, id)
		if err == nil && n > 0 {
			_, err = t.exec(ctx, nextGeneration)
		}
		return err
	})
}

// Acquire implements store.IndexDriver.
func (d *Driver) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (ok bool, err error) {
	now := d.opts.Now()
	err = d.writeBy(ctx, d.loose, []string{acquireName}, func(t tx) error {
		n, err := t.exec(ctx, acquireName, name, holder, now.Add(ttl).UnixMilli(), now.UnixMilli())
		ok = n > 0
		return err
	})
	return ok && err == nil, err
}

// Resign implements store.IndexDriver.
func (d *Driver) Resign(ctx context.Context, name, holder string) error {
	return d.writeBy(ctx, d.loose, []string{resignName}, func(t tx) error {
		_, err := t.exec(ctx, resignName, name, holder)
		return err
	})
}
