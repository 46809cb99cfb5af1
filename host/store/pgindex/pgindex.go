// Package pgindex keeps the rows of a store in PostgreSQL, for many hosts. It is a driver of store.Index.
//
//	driver, err := pgindex.Open(ctx, "postgres://glovebox@db.example/glovebox", nil)
//	index, err := store.NewIndex(driver)
//
// The tables are in a schema of their own, glovebox. What is committed is on the server's disk; what is said of time is said by the
// server's clock, so that hosts need not agree on theirs. It needs PostgreSQL 13 or newer, and connections that are its own while a
// transaction lasts.
package pgindex

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Options of a Driver; nil means all defaults.
type Options struct {
	BusyTimeout time.Duration // how long a call waits for a connection, or for others' locks, before it is busy; default 5 s
	Connections int           // at a time; default 8
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.BusyTimeout < 0 || out.Connections < 0 || out.Connections > 1<<16 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option of the index is negative or too large"}
	}
	if out.BusyTimeout == 0 {
		out.BusyTimeout = 5 * time.Second
	}
	if out.Connections == 0 {
		out.Connections = 8
	}
	return out, nil
}

// Driver is a store.IndexDriver.
type Driver struct {
	opts   Options
	pool   *pgxpool.Pool
	closed atomic.Bool
}

// Open connects to the database at url and brings its schema up to date. The url is as PostgreSQL's own programs take it; what it does not
// say is taken from the environment as they do (PGPASSWORD, PGSSLROOTCERT, …). No error names the password.
//
// Errors: invalid_request for what is no such url, or an option that is out of range; capability_unavailable where the server cannot be
// reached or does not let us in, or the schema was made by a newer version; busy where it has no room for a connection; quota_exceeded on
// a full disk; canceled, limit_time.
func Open(ctx context.Context, url string, opts *Options) (*Driver, error) {
	const op = "pgindex.Open"
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	d, err := open(ctx, url, o)
	if err != nil {
		return nil, readapi.AsError(op, driverError(ctx, err))
	}
	return d, nil
}

// idle is how long a host that went silent within a transaction keeps its locks.
const idle = 15 * time.Second

func open(ctx context.Context, url string, o Options) (*Driver, error) {
	config, err := pgxpool.ParseConfig(url)
	if err != nil { // which holds the whole of url
		return nil, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "this is no address of a PostgreSQL database",
			Hint: "It is written as postgres://USER@HOST:PORT/DATABASE?sslmode=verify-full."}
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = 10 * time.Second
	}
	config.MaxConns = int32(o.Connections) // withDefaults has seen that it fits
	config.MinConns = min(config.MinConns, config.MaxConns)
	for name, value := range map[string]string{
		"application_name": "glovebox", "lock_timeout": millis(o.BusyTimeout), "idle_in_transaction_session_timeout": millis(idle),
	} {
		if config.ConnConfig.RuntimeParams[name] == "" {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if err := migrate(ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return &Driver{opts: o, pool: pool}, nil
}

func millis(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

// Close implements store.IndexDriver. It may be called more than once, and waits for calls that are under way.
func (d *Driver) Close() error {
	d.closed.Store(true)
	d.pool.Close()
	return nil
}

// acquire takes a connection, and waits for one no longer than for a lock.
func (d *Driver) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	wait, cancel := context.WithTimeout(ctx, d.opts.BusyTimeout)
	defer cancel()
	c, err := d.pool.Acquire(wait)
	switch {
	case err == nil:
		return c, nil
	case d.closed.Load():
		return nil, unavailable("the index is closed", "", err)
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case wait.Err() != nil:
		return nil, errBusy("no connection to the database was free in time", err)
	case unreachable(err): // it was there when it was opened
		return nil, errBusy("the database cannot be reached just now", err)
	}
	return nil, err
}

// steps is a run of statements that are sent together and answered together: one round trip.
type steps struct{ pgx.Batch }

// exec queues a statement, and looks at nothing of its answer but whether it failed.
func (s *steps) exec(query string, args ...any) {
	s.Queue(query, args...).Exec(func(pgconn.CommandTag) error { return nil })
}

// count queues a statement and says how many rows it was about.
func (s *steps) count(n *int64, query string, args ...any) {
	s.Queue(query, args...).Exec(func(tag pgconn.CommandTag) error {
		*n = tag.RowsAffected()
		return nil
	})
}

// rows queues a query and scans every row of its answer.
func (s *steps) rows(scan func(pgx.Rows) error, query string, args ...any) {
	s.Queue(query, args...).Query(func(rows pgx.Rows) error { return scanAll(rows, scan) })
}

func scanAll(rows pgx.Rows, scan func(pgx.Rows) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// tx is a transaction. Its first steps begin it and its last ones end it, so that neither costs a round trip.
type tx struct {
	conn       *pgxpool.Conn
	begun      bool
	committing bool // the last steps were sent: whether they are done is the server's to know
	loose      bool // the commit need not be on the disk when it returns
}

const (
	begin = "BEGIN ISOLATION LEVEL READ COMMITTED"
	// What may be lost with the server's power. Commits behind it that wait for the disk take it along.
	looseCommit = "SET LOCAL synchronous_commit = off"
)

// send runs s in the transaction.
func (t *tx) send(ctx context.Context, s *steps) error { return t.run(ctx, s, false) }

// commit runs s in the transaction, and commits it.
func (t *tx) commit(ctx context.Context, s *steps) error { return t.run(ctx, s, true) }

func (t *tx) run(ctx context.Context, s *steps, last bool) error {
	all := &steps{}
	if !t.begun {
		all.exec(begin)
		if t.loose {
			all.exec(looseCommit)
		}
	}
	all.QueuedQueries = append(all.QueuedQueries, s.QueuedQueries...)
	if last {
		all.exec("COMMIT")
	}
	t.begun, t.committing = true, last
	return t.conn.SendBatch(ctx, &all.Batch).Close()
}

// end gives the connection back, without what was not committed.
func (t *tx) end(ctx context.Context) {
	if t.conn.Conn().PgConn().TxStatus() != 'I' && !t.conn.Conn().IsClosed() {
		_, _ = t.conn.Exec(ctx, "ROLLBACK") // where that fails, the pool closes the connection, which does the same
	}
	t.conn.Release()
}

// attempts is how often a step is tried that the server or the network did not do, and that may be done again.
const attempts = 4

// how says what a write may do.
type how int

const (
	once  how = iota // is not done again where it may have been done
	again            // does the same when it is done twice
	loose            // the same, and may be lost with the server's power
)

// write runs f, which ends with a commit, in a transaction: once more, a few times, where it failed for others' sake.
func (d *Driver) write(ctx context.Context, kind how, f func(*tx) error) error {
	for i := 1; ; i++ {
		t := &tx{loose: kind == loose}
		err := d.attempt(ctx, t, f)
		if err == nil || i == attempts || !passing(err, kind != once || !t.committing) || !pause(ctx, i) {
			return driverError(ctx, err)
		}
	}
}

func (d *Driver) attempt(ctx context.Context, t *tx, f func(*tx) error) (err error) {
	if t.conn, err = d.acquire(ctx); err != nil {
		return err
	}
	defer t.end(ctx)
	return f(t)
}

// do runs s in a transaction of its own, in one round trip.
func (d *Driver) do(ctx context.Context, kind how, fill func(*steps)) error {
	return d.write(ctx, kind, func(t *tx) error {
		s := &steps{}
		fill(s)
		return t.commit(ctx, s)
	})
}

// rows runs a query and scans every row. reset forgets what was scanned, before it is asked again.
func (d *Driver) rows(ctx context.Context, reset func(), scan func(pgx.Rows) error, query string, args ...any) error {
	for i := 1; ; i++ {
		reset()
		err := d.query(ctx, scan, query, args)
		if err == nil || i == attempts || !passing(err, true) || !pause(ctx, i) {
			return driverError(ctx, err)
		}
	}
}

func (d *Driver) query(ctx context.Context, scan func(pgx.Rows) error, query string, args []any) error {
	c, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer c.Release()
	rows, err := c.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, scan)
}

// list runs a query and returns its rows.
func list[V any](ctx context.Context, d *Driver, scan func(pgx.Rows) (V, error), query string, args ...any) (all []V, err error) {
	err = d.rows(ctx, func() { all = nil }, func(rows pgx.Rows) error {
		v, err := scan(rows)
		all = append(all, v)
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	return all, nil
}

func first[V any](all []V, err error) (v V, ok bool, _ error) {
	if err != nil || len(all) == 0 {
		return v, false, err
	}
	return all[0], true, nil
}

// pause waits a little longer each time, not as long as others who failed at the same moment.
func pause(ctx context.Context, attempt int) bool {
	wait := time.NewTimer(time.Duration(attempt)*10*time.Millisecond + rand.N(20*time.Millisecond))
	defer wait.Stop()
	select {
	case <-wait.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// toJSON writes a list, [] for none.
func toJSON[V any](list []V) (string, error) {
	if len(list) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// fromMaybe is the zero time for NULL.
func fromMaybe(ms *int64) time.Time {
	if ms == nil {
		return time.Time{}
	}
	return fromMillis(*ms)
}

func toMaybe(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	ms := t.UnixMilli()
	return &ms
}

// damaged is for a row that this package cannot have written.
func damaged(cause error) error {
	return &readapi.Error{Code: readapi.CodeCorrupt, Detail: "the index is damaged", Err: cause}
}
