package sqliteindex

import (
	"context"
	"database/sql"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	sweepLeases = `DELETE FROM leases WHERE until < ?1`
	sweepClaims = `DELETE FROM claims WHERE until < ?1 AND NOT (` + isLive + `)`
	sweepNames  = `DELETE FROM names WHERE until < ?1`

	recountSession = `UPDATE sessions SET files = v.n, bytes = v.b FROM (SELECT count(*) AS n, coalesce(sum(bytes), 0) AS b FROM artifacts
		WHERE principal = ?1 AND session = ?2 AND blob IS NOT NULL) AS v WHERE principal = ?1 AND session = ?2`

	recountOwn = `INSERT INTO usage SELECT ?1, coalesce(sum(files), 0), coalesce(sum(bytes), 0) FROM sessions WHERE principal = ?1
		ON CONFLICT (principal) DO UPDATE SET files = excluded.files, bytes = excluded.bytes`

	recountAll = `INSERT INTO usage SELECT '', coalesce(sum(files), 0), coalesce(sum(bytes), 0) FROM sessions WHERE true
		ON CONFLICT (principal) DO UPDATE SET files = excluded.files, bytes = excluded.bytes`

	quickCheck = `SELECT quick_check FROM pragma_quick_check`
)

// Sweep implements store.Sweeper: leases, claims and names whose time was over before a time, and is over, are forgotten.
func (d *Driver) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	steps := []string{sweepLeases, sweepClaims, sweepNames}
	now := d.opts.Now().UnixMilli()
	boot, steady := d.opts.steady()
	over := min(before.UnixMilli(), now)
	args := [][]any{{over}, {over, now, boot, steady}, {over}}
	err = d.writeBy(ctx, d.loose, steps, func(t tx) error {
		for i, query := range steps {
			n, err := t.exec(ctx, query, args[i]...)
			if err != nil {
				return err
			}
			removed += int(n)
		}
		return nil
	})
	return removed, err
}

// Recount implements store.Recounter.
func (d *Driver) Recount(ctx context.Context, scope readapi.Scope) error {
	return d.write(ctx, []string{recountSession, recountOwn, recountAll}, func(t tx) error {
		if _, err := t.exec(ctx, recountSession, string(scope.Principal), string(scope.Session)); err != nil {
			return err
		}
		if _, err := t.exec(ctx, recountOwn, string(scope.Principal)); err != nil {
			return err
		}
		_, err := t.exec(ctx, recountAll)
		return err
	})
}

// Inspect implements store.Inspector: the database's files have mode 0600, and SQLite finds nothing wrong with it.
func (d *Driver) Inspect(ctx context.Context, mend bool) iter.Seq2[store.Oddity, error] {
	return func(yield func(store.Oddity, error) bool) {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if o, ok := oddMode(d.path+suffix, mend); ok && !yield(o, nil) {
				return
			}
		}
		var wrong []string
		err := d.rows(ctx, quickCheck, func(rows *sql.Rows) error {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			if line != "ok" {
				wrong = append(wrong, line)
			}
			return nil
		})
		if err == nil && len(wrong) == 0 {
			return
		}
		if err != nil && readapi.CodeOf(err) != readapi.CodeCorrupt {
			yield(store.Oddity{}, err)
			return
		}
		yield(store.Oddity{Code: store.OddDamaged, Detail: "the database is damaged"}, nil)
	}
}

// oddMode looks at the mode of a file of the database. Windows knows no such modes.
func oddMode(path string, mend bool) (o store.Oddity, odd bool) {
	info, err := os.Lstat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm() == 0o600 || info.Mode()&fs.ModeSymlink != 0 {
		return o, false
	}
	o = store.Oddity{Code: store.OddMode, Detail: "a file of the database has another mode than it was made with"}
	if mend {
		o.Mended = os.Chmod(path, 0o600) == nil
	}
	return o, true
}
