package pgindex

import (
	"context"
	"embed"
	"io/fs"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
)

// schemaVersion is that of the last migration.
const schemaVersion = 1

// Advisory locks of the database are named by two numbers: the first is ours ("glvb"), the second says what is locked.
const (
	lockClass = 0x676c7662

	lockMigration = -1
	lockTotal     = -2
	lockTrim      = -3
	// 0 and above are shares of the blobs: see blobLock.
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the schema up to date. Hosts that do it at once take turns.
func migrate(ctx context.Context, pool *pgxpool.Pool) error {
	if current, err := isCurrent(ctx, pool); current || err != nil {
		return err
	}
	config := pool.Config().ConnConfig
	delete(config.RuntimeParams, "lock_timeout") // whoever waits for another's migration waits until it is done
	delete(config.RuntimeParams, "idle_in_transaction_session_timeout")
	db := stdlib.OpenDB(*config)
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close() // which ends the lock
	if _, err := c.ExecContext(ctx, "SELECT pg_advisory_lock($1, $2)", lockClass, lockMigration); err != nil {
		return err
	}
	if current, err := isCurrent(ctx, pool); current || err != nil {
		return err
	}
	var there, utf8 bool
	row := c.QueryRowContext(ctx, "SELECT to_regnamespace('glovebox') IS NOT NULL, current_setting('server_encoding') = 'UTF8'")
	if err := row.Scan(&there, &utf8); err != nil {
		return err
	}
	if !utf8 {
		return unavailable("the database does not keep UTF-8", "Make it with ENCODING 'UTF8' TEMPLATE template0.", nil)
	}
	if !there { // who has made it for us need not let us make schemas
		if _, err := c.ExecContext(ctx, "CREATE SCHEMA glovebox"); err != nil {
			return err
		}
	}
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(goose.DialectPostgres, db, files, goose.WithDisableGlobalRegistry(true), goose.WithTableName("glovebox.schema_version"))
	if err != nil {
		return err
	}
	_, err = p.Up(ctx)
	return err
}

// isCurrent reports whether the schema is of this version. Errors: capability_unavailable for a newer one.
func isCurrent(ctx context.Context, pool *pgxpool.Pool) (bool, error) {
	var there bool
	if err := pool.QueryRow(ctx, "SELECT to_regclass('glovebox.schema_version') IS NOT NULL").Scan(&there); err != nil || !there {
		return false, err
	}
	var version int64
	if err := pool.QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM glovebox.schema_version WHERE is_applied").Scan(&version); err != nil {
		return false, err
	}
	if version > schemaVersion {
		return false, unavailable("the index was made by a newer version of glovebox", "Use that version of glovebox, or another database.", nil)
	}
	return version == schemaVersion, nil
}
