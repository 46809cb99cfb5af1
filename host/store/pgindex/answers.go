package pgindex

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
)

const (
	selectAnswer = `SELECT value, used < glovebox.now_ms() - 60000 FROM glovebox.answers WHERE key = $1`

	useAnswer = `UPDATE glovebox.answers SET used = glovebox.now_ms() WHERE key = $1`

	putAnswer = `INSERT INTO glovebox.answers (key, value, used) VALUES ($1, $2, glovebox.now_ms())
		ON CONFLICT (key) DO UPDATE SET value = excluded.value, used = excluded.used`

	trimAnswers = `WITH sums AS (SELECT key, sum(octet_length(value)) OVER (ORDER BY used DESC, key) AS upto FROM glovebox.answers)
		DELETE FROM glovebox.answers AS a USING sums AS s WHERE a.key = s.key AND s.upto > $1`

	countAnswers = `SELECT count(*), coalesce(sum(octet_length(value)), 0)::bigint FROM glovebox.answers`
)

// Answers returns a cache that all hosts of the database share. It is not logged by the server: a crash of it empties the cache. Closing it
// leaves the driver open.
func (d *Driver) Answers() store.CacheDriver { return answers{d} }

type answers struct{ driver *Driver }

// Get implements store.CacheDriver. That a value was used is noted once a minute: a write for every read would cost more than it is worth.
func (a answers) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	name, stale := fromHex([]string{key})[0], false
	err = a.driver.rows(ctx, func() { value, ok = nil, false }, func(rows pgx.Rows) error {
		ok = true
		return rows.Scan(&value, &stale)
	}, selectAnswer, name)
	if err == nil && stale {
		err = a.driver.do(ctx, loose, func(s *steps) { s.exec(useAnswer, name) })
	}
	if err != nil {
		return nil, false, err
	}
	return value, ok, nil
}

// Put implements store.CacheDriver.
func (a answers) Put(ctx context.Context, key string, value []byte) error {
	if value == nil {
		value = []byte{} // nil is NULL
	}
	return a.driver.do(ctx, loose, func(s *steps) { s.exec(putAnswer, fromHex([]string{key})[0], value) })
}

// Trim implements store.CacheDriver. Hosts that trim at once take turns.
func (a answers) Trim(ctx context.Context, most int64) (left store.Usage, err error) {
	err = a.driver.do(ctx, loose, func(s *steps) {
		s.exec(lockAlone, lockClass, lockTrim)
		s.exec(trimAnswers, most)
		s.rows(func(rows pgx.Rows) error { return rows.Scan(&left.Files, &left.Bytes) }, countAnswers)
	})
	return left, err
}

// Close implements store.CacheDriver.
func (answers) Close() error { return nil }
