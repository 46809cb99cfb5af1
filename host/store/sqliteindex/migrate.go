package sqliteindex

import (
	"context"
	"crypto/rand"
	"database/sql"
	"embed"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// schemaVersion is what the last migration sets PRAGMA user_version to: a number in the database's header that costs one page to read,
// where goose's own table and its provider cost a millisecond of a program that runs for ten.
const schemaVersion = 2

// applicationID marks the database as ours, in its header: "glvb".
const applicationID = 0x676c7662

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. Two processes that do it at once take turns.
func migrate(ctx context.Context, db *sql.DB, path string, o Options) error {
	if current, err := isCurrent(ctx, db); current || err != nil {
		return err
	}
	unlock, err := lock(ctx, path+".lock", o)
	if err != nil {
		return err
	}
	defer unlock()
	if current, err := isCurrent(ctx, db); current || err != nil {
		return err
	}
	// WAL mode is a property of the database: once is enough. Not in a migration, because it cannot be set in a transaction.
	for _, pragma := range []string{"PRAGMA journal_mode = WAL", "PRAGMA application_id = " + decimal(applicationID)} {
		if _, err := db.ExecContext(ctx, pragma); err != nil {
			return err
		}
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, files, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// isCurrent reports whether the schema is of this version. Errors: capability_unavailable for a newer one or another program's database.
func isCurrent(ctx context.Context, db *sql.DB) (bool, error) {
	var version, application int64
	row := db.QueryRowContext(ctx, "SELECT user_version, application_id FROM pragma_user_version, pragma_application_id")
	if err := row.Scan(&version, &application); err != nil {
		return false, err
	}
	switch {
	case application != applicationID && (application != 0 || version != 0):
		return false, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the index was made by another program"}
	case version > schemaVersion:
		return false, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the index was made by a newer version of glovebox",
			Hint: "Use that version of glovebox, or another data directory."}
	}
	return version == schemaVersion, nil
}

// lock waits until no other process migrates. It is the lock of a database of its own, which stays empty: SQLite's locks work wherever
// the index does, and end with the process.
func lock(ctx context.Context, path string, o Options) (unlock func(), err error) {
	if err := createPrivate(path); err != nil {
		return nil, err
	}
	db, err := connect(path, o, 1, durable)
	if err != nil {
		return nil, err
	}
	c, err := db.Conn(ctx)
	if err == nil {
		_, err = c.ExecContext(ctx, "BEGIN EXCLUSIVE")
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return func() {
		_ = c.Close()
		_ = db.Close() // which ends the transaction
	}, nil
}

// createPrivate makes an empty database with mode 0600 if there is none; SQLite gives its log and its shared memory the same mode. The
// file is made under another name and linked: closing a file drops all POSIX locks that the process has on it, and a second connection
// may have one as soon as the name is there.
func createPrivate(path string) error {
	if _, err := os.Lstat(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var b [8]byte
	_, _ = rand.Read(b[:]) // it never fails
	temp := path + "-new-" + hex.EncodeToString(b[:])
	if err := createEmpty(temp); err != nil {
		return err
	}
	err := os.Link(temp, path)
	if rerr := os.Remove(temp); err == nil {
		err = rerr
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = createEmpty(path) // a file system without links
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return store.SyncFolderAt(filepath.Dir(path))
}

func createEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}
