package sqliteindex_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
)

// faultySQL is the driver of SQLite whose call number at fails, before or behind its work.
type faultySQL struct {
	driver.Driver

	mu     sync.Mutex
	on     bool
	n, at  int
	behind bool
	err    error
	failed string         // the call that did
	made   map[string]int // how often each call was made
	kill   func()         // ends the process, instead of an error
}

var faultyDrivers atomic.Int64

// throughFaulty has the package open its databases through a driver that fails.
func throughFaulty(t *testing.T) *faultySQL {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	f := &faultySQL{Driver: db.Driver()}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprint("faulty-", faultyDrivers.Add(1)) // a name can be registered once
	sql.Register(name, f)
	t.Cleanup(sqliteindex.SetDriver(name))
	return f
}

// arm begins to count; disarm ends it and says how many calls there were.
func (f *faultySQL) arm(at int, behind bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on, f.n, f.at, f.behind, f.err, f.failed, f.made = true, 0, at, behind, err, "", map[string]int{}
}

func (f *faultySQL) disarm() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on = false
	return f.n
}

// sqlCall makes a call, or fails; undo takes back what a call that fails behind its work has given.
func sqlCall[T any](f *faultySQL, name string, call func() (T, error), undo func(T)) (T, error) {
	var none T
	f.mu.Lock()
	fails := false
	if f.on {
		f.n++
		f.made[name]++
		if fails = f.n == f.at; fails {
			f.failed = name
		}
	}
	behind, failure, kill := f.behind, f.err, f.kill
	f.mu.Unlock()
	if fails && !behind {
		if kill != nil {
			kill()
		}
		return none, failure
	}
	v, err := call()
	if fails && kill != nil {
		kill()
	}
	if fails && err == nil {
		undo(v)
		return none, failure
	}
	return v, err
}

func (f *faultySQL) Open(name string) (driver.Conn, error) {
	return sqlCall(f, "open", func() (driver.Conn, error) {
		c, err := f.Driver.Open(name)
		if err != nil {
			return nil, err
		}
		return &faultyConn{c.(sqliteConn), f}, nil
	}, func(c driver.Conn) { _ = c.Close() })
}

// sqliteConn is what a connection of SQLite can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.SessionResetter
	driver.Validator
}

type faultyConn struct {
	sqliteConn
	f *faultySQL
}

func (c *faultyConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return sqlCall(c.f, "begin", func() (driver.Tx, error) {
		t, err := c.sqliteConn.BeginTx(ctx, o)
		return faultyTx{t, c.f}, err
	}, func(t driver.Tx) { _ = t.(faultyTx).Tx.Rollback() })
}

func (c *faultyConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return sqlCall(c.f, "prepare", func() (driver.Stmt, error) {
		s, err := c.sqliteConn.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		return &faultyStmt{s.(sqliteStmt), c.f}, nil
	}, func(s driver.Stmt) { _ = s.Close() })
}

func (c *faultyConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return sqlCall(c.f, "exec", func() (driver.Result, error) { return c.sqliteConn.ExecContext(ctx, query, args) }, func(driver.Result) {})
}

type faultyTx struct {
	driver.Tx
	f *faultySQL
}

// Commit that fails before its work rolls back, as that of SQLite does.
func (t faultyTx) Commit() error {
	done := false
	_, err := sqlCall(t.f, "commit", func() (struct{}, error) { done = true; return struct{}{}, t.Tx.Commit() }, func(struct{}) {})
	if !done {
		_ = t.Tx.Rollback()
	}
	return err
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type faultyStmt struct {
	sqliteStmt
	f *faultySQL
}

func (s *faultyStmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return sqlCall(s.f, "exec", func() (driver.Result, error) { return s.sqliteStmt.ExecContext(ctx, args) }, func(driver.Result) {})
}

func (s *faultyStmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return sqlCall(s.f, "query", func() (driver.Rows, error) {
		r, err := s.sqliteStmt.QueryContext(ctx, args)
		if err != nil {
			return nil, err
		}
		return &faultyRows{r, s.f}, nil
	}, func(r driver.Rows) { _ = r.Close() })
}

type faultyRows struct {
	driver.Rows
	f *faultySQL
}

func (r *faultyRows) Next(dest []driver.Value) error {
	_, err := sqlCall(r.f, "next", func() (struct{}, error) { return struct{}{}, r.Rows.Next(dest) }, func(struct{}) {})
	return err
}
