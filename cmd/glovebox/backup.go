package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/transfer"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func (a *app) backupCommand() *cobra.Command {
	var o transfer.BackupOptions
	c := &cobra.Command{
		Use:   "backup DIR",
		Short: "Make DIR a copy of the store, while it is used",
		Long: `Make DIR a copy of the store, of all principals: a data directory that --data can use and
"glovebox restore" puts back. Nobody has to stop for it. Each file is compared with its
digest while it is copied, and each row of the copy has its file.

Into a backup that is there only what is new is copied. What is interrupted leaves the old
backup as it was, and goes on where it was the next time. A damaged file is named, left
out, and makes the command fail when all others are copied.`,
		Example: `  glovebox backup /backups/glovebox
  glovebox backup --index postgres://… --blobs s3://… /backups/glovebox`,
		Args:              exactly(1, "the directory of the backup"),
		ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			if err := a.checkBackup(args[0]); err != nil {
				return err
			}
			return a.maintain(c.Context(), func(s *openedStore) error {
				return a.transferring("backing up", "backed up", func(progress func(transfer.Counts)) (*transfer.Report, error) {
					o.Progress = progress
					return transfer.Backup(c.Context(), s.Store, args[0], o)
				})
			})
		},
	}
	c.Flags().BoolVar(&o.Verify, "verify", false, "read the files of an earlier backup too, and copy damaged ones again")
	return c
}

// checkBackup is the failure of a place where no backup can be, or none that is of use.
func (a *app) checkBackup(dir string) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return failed(dir, readapi.CodeInvalidRequest, "this is not a folder", nil)
	}
	at := a.store()
	if at.remote() {
		return nil
	}
	data, err := filepath.Abs(at.data)
	if err != nil {
		return nil // it cannot be compared, and package transfer refuses the place itself
	}
	if to, err := filepath.Abs(dir); err == nil {
		if rel, err := filepath.Rel(data, to); err == nil && filepath.IsLocal(rel) {
			f := usage("the backup would be inside the data directory, and lost with it", "Name a place elsewhere, on another disk at best.")
			f.subject = dir
			return f
		}
	}
	return nil
}

// oneDirectory completes the one argument of a command, a directory.
func oneDirectory(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func (a *app) restoreCommand() *cobra.Command {
	var o transfer.RestoreOptions
	c := &cobra.Command{
		Use:   "restore DIR",
		Short: "Put a backup back into an empty store",
		Long: `Put the backup in DIR back into the store that --data, or --index and --blobs, name. There
must be nothing in it; --resume goes on with a restore that was interrupted. Each file is
compared with its digest. The backup stays as it is.`,
		Example: `  glovebox restore /backups/glovebox
  glovebox restore --data elsewhere /backups/glovebox`,
		Args:              exactly(1, "the directory of the backup"),
		ValidArgsFunction: oneDirectory,
		RunE: func(c *cobra.Command, args []string) error {
			if !(storePlace{data: args[0]}).kept() {
				f := failed(args[0], readapi.CodeNotFound, "there is no backup", nil)
				f.err.Hint = `"glovebox backup DIR" makes one.`
				return f
			}
			return into(c.Context(), a.store(), func(s *openedStore) error {
				return a.transferring("restoring", "restored", func(progress func(transfer.Counts)) (*transfer.Report, error) {
					o.Progress = progress
					return transfer.Restore(c.Context(), args[0], s.Store, o)
				})
			})
		},
	}
	c.Flags().BoolVar(&o.Resume, "resume", false, "go on with a restore that was interrupted")
	return c
}

// migrateFlags say where a store goes.
type migrateFlags struct {
	to, toIndex, toBlobs string
	options              transfer.MigrateOptions
}

// place is where the store goes: --to names all of it where it is a directory, and the rows where it is a database.
func (f *migrateFlags) place() (p storePlace, err error) {
	p = storePlace{index: f.toIndex, blobs: f.toBlobs}
	switch {
	case !isURL(f.to):
		p.data = f.to
	case p.index != "":
		return p, usage("--to and --to-index name two places for the rows", "--to is a directory beside --to-index.")
	default:
		p.index = f.to
	}
	const hint = "--to DIR is a data directory; --to-index postgres://… and --to-blobs s3://… are a database and a bucket."
	switch {
	case p == (storePlace{}):
		return p, usage("migrate needs a place to go to", hint)
	case p.data == "" && p.index == "":
		return p, usage("migrate does not know where the rows go", hint)
	case p.data == "" && p.blobs == "":
		return p, usage("migrate does not know where the files go", hint)
	}
	if err := checkIndexURL(p.index); err != nil {
		return p, err
	}
	return p, checkBlobsURL(p.blobs)
}

func (a *app) migrateCommand() *cobra.Command {
	var flags migrateFlags
	c := &cobra.Command{
		Use:   "migrate {--to DIR | --to-index URL --to-blobs URL}",
		Short: "Copy the whole store to another place, and compare",
		Long: `Copy the whole store, of all principals, to another place or another kind of place: from a
data directory to PostgreSQL and a bucket, or back. Then everything is read there and
compared, by count and by digest. The store stays as it is.

--to DIR is a data directory, which holds what --to-index and --to-blobs do not name;
--to postgres://… is --to-index. What hosts write meanwhile may be missed: let a first run
copy the most, stop who writes, and run it again. It does nothing twice, and goes on where
it was interrupted.`,
		Example: `  glovebox migrate --to-index postgres://glovebox@db/glovebox --to-blobs 's3://files?endpoint=https://s3.example'
  glovebox migrate --to /srv/glovebox
  glovebox migrate --dry-run --to /srv/glovebox`,
		Args: exactly(0, "no argument"),
		RunE: func(c *cobra.Command, _ []string) error { return a.migrate(c.Context(), &flags) },
	}
	f := c.Flags()
	f.SortFlags = false
	f.StringVar(&flags.to, "to", "", "`PLACE` to go to: a data directory, or the URL of a database")
	f.StringVar(&flags.toIndex, "to-index", "", "`URL` of the database for the rows")
	f.StringVar(&flags.toBlobs, "to-blobs", "", "`URL` of the bucket for the files")
	f.BoolVar(&flags.options.DryRun, "dry-run", false, "copy nothing, say what would be copied; a database gets its empty tables all the same")
	f.BoolVar(&flags.options.Prune, "prune", false, "remove there what is not here any more")
	complete(c, "to", directories)
	return c
}

func (a *app) migrate(ctx context.Context, flags *migrateFlags) error {
	to, err := flags.place()
	if err != nil {
		return err
	}
	if from := a.store(); from.same(to) {
		return usage("the store is there already", "Name another place.")
	}
	target := func(f func(*openedStore) error) error { return into(ctx, to, f) }
	if flags.options.DryRun && !to.kept() { // it must not be made
		target = nowhere
	}
	return a.maintain(ctx, func(from *openedStore) error {
		return target(func(s *openedStore) error {
			done := fmt.Sprintf("copied to %s", to)
			if flags.options.DryRun {
				done = "would be copied"
			}
			return a.transferring("copying", done, func(progress func(transfer.Counts)) (*transfer.Report, error) {
				flags.options.Progress = progress
				return transfer.Migrate(ctx, from.Store, s.Store, flags.options)
			})
		})
	})
}

// nowhere gives f an empty store that nothing is left of.
func nowhere(f func(*openedStore) error) error {
	blobs, err := store.NewBlobs(memblob.New(), nil)
	if err != nil {
		return err
	}
	index, err := store.NewIndex(memindex.New())
	if err != nil {
		return err
	}
	return f(&openedStore{Store: transfer.Store{Blobs: blobs, Index: index}})
}
