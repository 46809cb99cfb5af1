// Package sqliteindex keeps the rows of a store in a SQLite database. It is a driver of store.Index.
//
//	driver, err := sqliteindex.Open(ctx, filepath.Join(dir, "index.db"), nil)
//	index, err := store.NewIndex(driver)
//
// One connection writes and several read, in WAL mode; several processes may have one database open. A commit is on the disk when it
// returns: it survives the loss of power.
package sqliteindex

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Options of a Driver; nil means all defaults.
type Options struct {
	BusyTimeout time.Duration // how long a call waits for other writers before it is busy; default 5 s
	Readers     int           // connections that read at a time; default the number of CPUs, at least 4

	Now func() time.Time // the clock by which leases and hosts end, and where this is set also claims; default time.Now

	steady func() (boot string, ms int64) // the clock by which claims end
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.BusyTimeout < 0 || out.Readers < 0 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option of the index is negative"}
	}
	if out.BusyTimeout == 0 {
		out.BusyTimeout = 5 * time.Second
	}
	if out.Readers == 0 {
		out.Readers = max(4, runtime.GOMAXPROCS(0))
	}
	switch {
	case out.steady != nil:
	case out.Now != nil:
		out.steady = func() (string, int64) { return "", 0 }
	default:
		out.steady = steady
	}
	if out.Now == nil {
		out.Now = time.Now
	}
	return out, nil
}

// Driver is a store.IndexDriver.
type Driver struct {
	opts    Options
	path    string
	place   os.FileInfo // of the database, as it was opened
	readers *sql.DB
	writer  *writer
	loose   *writer       // for what may be lost with the power: who holds what for a while
	writing chan struct{} // holds one token: whose turn it is to write, in this process

	mu    sync.Mutex
	reads map[string]*sql.Stmt
}

// writer is a connection that writes, and its statements; they belong to who has the turn.
type writer struct {
	db    *sql.DB
	stmts map[string]*sql.Stmt
}

// Open opens the database at path and brings its schema up to date; it is made if it is not there, with mode 0600, in a folder that
// must be there.
//
// Errors: capability_unavailable where the place cannot be used, or the database was made by a newer version or by another program;
// corrupt where it is damaged or no database; busy where another process holds it; quota_exceeded on a full disk; invalid_request for a
// negative option; canceled, limit_time.
func Open(ctx context.Context, path string, opts *Options) (*Driver, error) {
	const op = "sqliteindex.Open"
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	d, err := open(ctx, path, o)
	if err != nil {
		return nil, readapi.AsError(op, driverError(ctx, err))
	}
	return d, nil
}

func open(ctx context.Context, path string, o Options) (*Driver, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	d := &Driver{opts: o, path: path, writing: make(chan struct{}, 1), reads: map[string]*sql.Stmt{}, writer: &writer{}, loose: &writer{}}
	for _, c := range []struct {
		db   **sql.DB
		size int
		kind connection
	}{{&d.writer.db, 1, durable}, {&d.loose.db, 1, lossy}, {&d.readers, o.Readers, reading}} {
		if *c.db, err = connect(path, o, c.size, c.kind); err != nil {
			return nil, errors.Join(err, d.Close())
		}
	}
	if err := migrate(ctx, d.writer.db, path, o); err != nil {
		_ = d.Close()
		return nil, err
	}
	if d.place, err = os.Stat(path); err != nil {
		_ = d.Close()
		return nil, err
	}
	return d, nil
}

// inPlace fails when the database is not any more where it was opened: a commit would go to a file without a name, and be lost with the
// last who has it open.
func (d *Driver) inPlace() error {
	now, err := os.Stat(d.path)
	if err == nil && os.SameFile(d.place, now) {
		return nil
	}
	return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory was moved or replaced while it was open",
		Hint: "Open the data directory again.", Err: err}
}

// connection is what a connection is for.
type connection int

const (
	durable connection = iota // writes what is on the disk when it is committed
	lossy                     // writes what may be lost with the power, and waits for no disk
	reading
)

// driverName is the driver of database/sql; a test sets another, whose calls fail.
var driverName = "sqlite"

// connect returns a pool of connections, and makes none yet.
func connect(path string, o Options, size int, kind connection) (*sql.DB, error) {
	q := url.Values{
		"_busy_timeout": {strconv.FormatInt(o.BusyTimeout.Milliseconds(), 10)},
		"_foreign_keys": {"1"},
		// In WAL mode NORMAL would lose the last commits when power fails; FULL syncs the log at each.
		"_synchronous": {"FULL"},
		"_dqs":         {"0"},
		"_defensive":   {"1"},
		"mode":         {"rw"},        // createPrivate has made it; a later connection makes none in the place of one that was removed
		"_txlock":      {"immediate"}, // a transaction that reads first and finds the database changed when it writes would fail
		"_pragma":      {"fullfsync(1)", "trusted_schema(0)"},
	}
	switch kind {
	case reading:
		q.Set("_query_only", "1")
		q.Set("_txlock", "deferred")
	case lossy:
		q.Set("_synchronous", "NORMAL")
	}
	slashes := filepath.ToSlash(path)
	if !strings.HasPrefix(slashes, "/") {
		slashes = "/" + slashes // C:/… on Windows
	}
	db, err := sql.Open(driverName, (&url.URL{Scheme: "file", Path: slashes, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return db, nil
}

// Close implements store.IndexDriver. It may be called more than once.
func (d *Driver) Close() error {
	// The writer last: closing the last connection writes the log back into the database, which a reader may not.
	var errs []error
	for _, db := range []*sql.DB{d.readers, d.loose.db, d.writer.db} {
		if db != nil {
			errs = append(errs, db.Close())
		}
	}
	return errors.Join(errs...)
}

// prepare returns the statement of a query, which is prepared when it is first used, on each connection once.
func (d *Driver) prepare(ctx context.Context, query string) (*sql.Stmt, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if p := d.reads[query]; p != nil {
		return p, nil
	}
	p, err := d.readers.PrepareContext(ctx, query)
	if err == nil {
		d.reads[query] = p
	}
	return p, err
}

// prepare prepares what a transaction may use: within one, its only connection is taken. The caller has the turn to write.
func (w *writer) prepare(ctx context.Context, queries []string) error {
	if w.stmts == nil {
		w.stmts = map[string]*sql.Stmt{}
	}
	for _, query := range queries {
		if w.stmts[query] != nil {
			continue
		}
		p, err := w.db.PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		w.stmts[query] = p
	}
	return nil
}

// rows runs a query on a connection that reads, and scans every row.
func (d *Driver) rows(ctx context.Context, query string, scan func(*sql.Rows) error, args ...any) error {
	p, err := d.prepare(ctx, query)
	if err != nil {
		return d.readError(ctx, err)
	}
	rows, err := p.QueryContext(ctx, args...)
	if err != nil {
		return d.readError(ctx, err)
	}
	defer rows.Close()
	return driverError(ctx, scanAll(rows, scan))
}

// readError is driverError of a query that did not begin: a connection made just now may have met something else in the database's place.
func (d *Driver) readError(ctx context.Context, err error) error {
	out := driverError(ctx, err)
	if moved := d.inPlace(); readapi.CodeOf(out) == readapi.CodeInternal && moved != nil {
		return moved
	}
	return out
}

func scanAll(rows *sql.Rows, scan func(*sql.Rows) error) error {
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return errors.Join(rows.Err(), rows.Close())
}

// tx is a transaction that writes.
type tx struct {
	writer *writer
	tx     *sql.Tx
}

func (t tx) exec(ctx context.Context, query string, args ...any) (changed int64, err error) {
	r, err := t.tx.StmtContext(ctx, t.writer.stmts[query]).ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}

func (t tx) rows(ctx context.Context, query string, scan func(*sql.Rows) error, args ...any) error {
	rows, err := t.tx.StmtContext(ctx, t.writer.stmts[query]).QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	return scanAll(rows, scan)
}

// write runs f, which uses these queries, in a transaction and commits what it did, unless it fails.
func (d *Driver) write(ctx context.Context, queries []string, f func(tx) error) error {
	return d.writeBy(ctx, d.writer, queries, f)
}

func (d *Driver) writeBy(ctx context.Context, w *writer, queries []string, f func(tx) error) error {
	wait := time.NewTimer(d.opts.BusyTimeout)
	defer wait.Stop()
	select {
	case d.writing <- struct{}{}:
		defer func() { <-d.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-wait.C:
		return errBusy(nil)
	}
	if err := w.prepare(ctx, queries); err != nil {
		return driverError(ctx, err)
	}
	t, err := w.db.BeginTx(ctx, nil)
	if err != nil {
		return driverError(ctx, err)
	}
	err = f(tx{w, t})
	if err == nil {
		err = d.inPlace()
	}
	if err != nil {
		_ = t.Rollback() // a transaction that cannot be rolled back is never committed either
		return driverError(ctx, err)
	}
	return driverError(ctx, t.Commit())
}
