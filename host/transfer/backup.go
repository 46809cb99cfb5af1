package transfer

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// BackupOptions of Backup.
type BackupOptions struct {
	Progress func(Counts) // called now and then, from several goroutines
	Verify   bool         // files that an earlier backup has left in the place are read and compared with their digest; a damaged one is copied again
	Jobs     int          // sessions, and groups of files, that are copied at a time; default 4

	step func(name string) error // a test fails it
	ttl  time.Duration           // of the lease; a test has less patience
}

// RestoreOptions of Restore.
type RestoreOptions struct {
	Progress func(Counts) // called now and then, from several goroutines
	Resume   bool         // the target may have a part of the backup already, from a run that was interrupted
	Jobs     int          // sessions, and groups of files, that are copied at a time; default 4
}

// Backup makes dir a data directory that has what the store has, while hosts write to it: each session as of one moment of the run. Every
// row of the backup has its bytes, compared with their digest as they were copied.
//
// A new backup is made beside dir, as dir.partial, and gets its name when it is whole and on the disk. Into a backup that is there only
// the files are copied that are new, then its rows are replaced, in one step, and then the files go that no row names any more: at each
// moment it is the old backup or the new one. A run that was interrupted is begun again and copies no file twice.
//
// Errors: conflict where dir holds something else than a backup, or the backup was used as a data directory since; corrupt where bytes of
// the source are damaged: those files are left out and named, and the rest is backed up; busy while another backup of this store runs;
// quota_exceeded on a full disk; capability_unavailable; those of the source.
func Backup(ctx context.Context, src Store, dir string, o BackupOptions) (*Report, error) {
	const op = "transfer.Backup"
	if err := checkStores(o.Jobs, src); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if dir == "" {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "there is no place for the backup"}
	}
	c := &copier{from: src, prune: true, verify: o.Verify, jobs: jobs(o.Jobs), out: &reporter{progress: o.Progress}}
	return c.out.result(op, c.backup(ctx, filepath.Clean(dir), o))
}

// backupTTL is of the lease on making a backup of a store: for so long a run that died keeps others waiting.
const backupTTL = 30 * time.Second

func (c *copier) backup(ctx context.Context, dir string, o BackupOptions) error {
	ctx, stop, err := c.from.Index.Lead(ctx, "backup", cmp.Or(o.ttl, backupTTL))
	if err != nil {
		return err
	}
	defer stop()
	p, err := openPlace(dir, o.step)
	if err == nil {
		err = c.backupTo(ctx, p)
	}
	if err == nil {
		err = c.tidy(ctx, p)
	}
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return cause
	}
	return err
}

// backupTo writes rows and files, and gives them their names.
func (c *copier) backupTo(ctx context.Context, p *place) (err error) {
	if err := p.clean(); err != nil {
		return err
	}
	close, err := c.open(ctx, filepath.Join(p.work, newRows), filepath.Join(p.work, filesDir))
	if err != nil {
		return err
	}
	err = c.fill(ctx)
	if cerr := close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return p.finish(c.out.counts())
}

// open opens the backup's rows and files as the target.
func (c *copier) open(ctx context.Context, rows, files string) (close func() error, err error) {
	index, err := sqliteindex.Open(ctx, rows, nil)
	if err != nil {
		return nil, err
	}
	blobs, err := fileblob.Open(files, nil)
	if err != nil {
		return nil, errors.Join(err, index.Close())
	}
	c.to.Index, _ = store.NewIndex(index)
	c.to.Blobs, _ = store.NewBlobs(blobs, nil) // neither fails with a driver
	return func() error { return errors.Join(c.to.Index.Close(), c.to.Blobs.Close()) }, nil
}

func (c *copier) fill(ctx context.Context) error {
	if err := c.sessions(ctx); err != nil {
		return err
	}
	if err := c.decoders(ctx); err != nil {
		return err
	}
	return c.backed(ctx)
}

// backed looks whether every row has its bytes. It is what a backup promises, so it is asked and not concluded.
func (c *copier) backed(ctx context.Context) error {
	for a, err := range c.to.Index.AllArtifacts(ctx, store.ArtifactScan{}) {
		if err != nil {
			return err
		}
		missing, err := missingOf(ctx, c.to.Blobs, []store.Artifact{a})
		if err != nil {
			return err
		}
		if len(missing) > 0 {
			return &readapi.Error{Code: readapi.CodeConflict, Ref: string(a.ID), Detail: "the backup was changed while it was made"}
		}
	}
	return nil
}

// tidy removes the files of earlier backups that no row names any more. The backup is whole by now.
func (c *copier) tidy(ctx context.Context, p *place) error {
	if err := p.step("tidy"); err != nil {
		return err
	}
	close, err := c.open(ctx, filepath.Join(p.dir, rowsFile), filepath.Join(p.dir, filesDir))
	if err != nil {
		return err
	}
	err = c.removeOrphans(ctx)
	return errors.Join(err, close())
}

func (c *copier) removeOrphans(ctx context.Context) error {
	var some []string
	remove := func() error {
		uses, err := c.to.Index.BlobUses(ctx, some)
		if err != nil {
			return err
		}
		for _, digest := range some {
			if uses[digest].Rows > 0 {
				continue
			}
			if err := c.to.Blobs.Remove(ctx, digest); err != nil {
				return err
			}
			c.out.count(func(n *Counts) { n.Removed++ })
		}
		some = some[:0]
		return nil
	}
	for info, err := range c.to.Blobs.List(ctx) {
		if err != nil {
			return err
		}
		if some = append(some, info.SHA256); len(some) == store.MaxPage {
			if err := remove(); err != nil {
				return err
			}
		}
	}
	return remove()
}

// Restore copies a backup, or any data directory that nobody uses, into an empty store, and reads back what it has written. The backup
// stays as it is, and may be on a disk that cannot be written.
//
// Errors: not_found where dir holds no backup; conflict where the target is not empty, or with Resume has what the backup has not; corrupt
// where the backup is damaged: what is damaged is left out and named; those of the target.
func Restore(ctx context.Context, dir string, dst Store, o RestoreOptions) (*Report, error) {
	const op = "transfer.Restore"
	if err := checkStores(o.Jobs, dst); err != nil {
		return nil, readapi.AsError(op, err)
	}
	c := &copier{to: dst, frozen: true, jobs: jobs(o.Jobs), out: &reporter{progress: o.Progress}}
	return c.out.result(op, c.restore(ctx, dir, o.Resume))
}

func (c *copier) restore(ctx context.Context, dir string, resume bool) error {
	if list, err := c.to.Index.ScanSessions(ctx, readapi.Scope{}, 1); err != nil || len(list) > 0 && !resume {
		if err == nil {
			err = &readapi.Error{Code: readapi.CodeConflict, Final: true, Detail: "the store is not empty", Hint: "Restore into a new data directory."}
		}
		return err
	}
	// The rows are read from a copy: opening a database writes to it, and an older one is brought up to date.
	temp, err := os.MkdirTemp("", "glovebox-restore-")
	if err != nil {
		return store.PlaceError("", err)
	}
	defer os.RemoveAll(temp)
	if err := copyRows(dir, temp); err != nil {
		return err
	}
	index, err := sqliteindex.Open(ctx, filepath.Join(temp, rowsFile), nil)
	if err != nil {
		return err
	}
	defer index.Close()
	blobs, err := fileblob.Open(filepath.Join(dir, filesDir), nil)
	if err != nil {
		return err
	}
	defer blobs.Close()
	c.from.Index, _ = store.NewIndex(index)
	c.from.Blobs, _ = store.NewBlobs(blobs, nil) // neither fails with a driver
	return c.migrate(ctx)
}
