package transfer

import (
	"context"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MigrateOptions of Migrate.
type MigrateOptions struct {
	Progress func(Counts) // called now and then, from several goroutines
	DryRun   bool         // reads everything and writes nothing; the report says what would be done, and counts a file for each session that has it
	Prune    bool         // what the target has and the source has not is removed from the target, as when it was purged between two runs
	Jobs     int          // sessions, and groups of files, that are copied at a time; default 4
}

// Migrate makes a store what another one is: sessions, files, events, finished uploads and the decoder set, exactly as they are. Then it
// reads the target back, and compares rows and digests. The source stays as it is.
//
// It may be run again, after it was interrupted or for what came in meanwhile, and does nothing twice. What hosts write at the source while
// it runs may be missed; so let a first run copy the most, stop who writes, and run it again.
//
// Errors: conflict where the target has what the source has not (see Prune), or the source changed while it was copied: the report names
// each; corrupt where bytes of the source are damaged, which are left out and named; invalid_request; those of the two stores.
func Migrate(ctx context.Context, from, to Store, o MigrateOptions) (*Report, error) {
	const op = "transfer.Migrate"
	if err := checkStores(o.Jobs, from, to); err != nil {
		return nil, readapi.AsError(op, err)
	}
	c := &copier{from: from, to: to, prune: o.Prune, dry: o.DryRun, jobs: jobs(o.Jobs), out: &reporter{progress: o.Progress}}
	return c.out.result(op, c.migrate(ctx))
}

// migrate copies everything and reads it back.
func (c *copier) migrate(ctx context.Context) error {
	if err := c.foreign(ctx); err != nil {
		return err
	}
	if err := c.sessions(ctx); err != nil || c.dry {
		return err
	}
	if err := c.decoders(ctx); err != nil {
		return err
	}
	if err := c.compare(ctx); err != nil {
		return err
	}
	return c.readBack(ctx)
}

// foreign looks for sessions of the target that the source has not, before anything is written.
func (c *copier) foreign(ctx context.Context) error {
	return eachSession(ctx, c.to.Index, "", func(scope readapi.Scope) error {
		s, ok, err := c.from.Index.Session(ctx, scope)
		if err != nil || ok && !s.Purging {
			return err
		}
		if !c.prune {
			return &readapi.Error{Code: readapi.CodeConflict, Final: true, Detail: "the target has sessions that the source has not",
				Hint: "Use an empty target; or, if all that it has came from this source, let what is surplus be pruned."}
		}
		_, err = c.surplus(ctx, scope, "")
		return err
	})
}

// decoders makes the decoder set that of the source.
func (c *copier) decoders(ctx context.Context) error {
	for try := range tries {
		set, err := c.from.Index.Decoders(ctx)
		if err != nil {
			return err
		}
		now, err := c.to.Index.Decoders(ctx)
		if err != nil || len(set.Decoders) == 0 || slices.Equal(set.Decoders, now.Decoders) {
			return err
		}
		_, err = c.to.Index.SetDecoders(ctx, now.Generation, set.Decoders)
		if readapi.CodeOf(err) != readapi.CodeConflict {
			return err
		}
		if err := wait(ctx, try); err != nil {
			return err
		}
	}
	return &readapi.Error{Code: readapi.CodeBusy, Detail: "the decoder set changes all the time"}
}

// compare compares the rows of every session with those of the source.
func (c *copier) compare(ctx context.Context) error {
	return eachSession(ctx, c.from.Index, "", func(scope readapi.Scope) error {
		was, ok, err := readHeader(ctx, c.from.Index, scope)
		if err != nil || !ok {
			return err
		}
		now, there, err := readHeader(ctx, c.to.Index, scope)
		if err != nil {
			return err
		}
		same := there && sameState(was.Session, now.Session) && was.First == now.First && was.Last == now.Last
		if same {
			same, err = c.sameFiles(ctx, scope)
		}
		if err == nil && !same {
			c.out.problem(ofSession(scope, store.Artifact{}, readapi.CodeConflict, "it is not the same at the source and at the target; if it was in use, run this again"))
		}
		return err
	})
}

// sameFiles compares the artifacts of a session: each of the source must be at the target. One that could not be copied has been told of.
func (c *copier) sameFiles(ctx context.Context, scope readapi.Scope) (same bool, err error) {
	same = true
	err = eachArtifacts(ctx, c.from.Index, scope, func(rows []store.Artifact) error {
		have, err := rowsOf(ctx, c.to.Index, scope, idsOf(rows))
		if err != nil {
			return err
		}
		for _, a := range rows {
			b, ok := have[a.ID]
			if !ok && c.out.told(a) {
				continue
			}
			same = same && ok && sameRow(a, b) && a.Deleted.Equal(b.Deleted)
		}
		return nil
	})
	return same, err
}

// readBack reads every blob that the target names and compares it with its digest.
func (c *copier) readBack(ctx context.Context) error {
	for after := ""; ; {
		names, err := c.to.Index.BlobNames(ctx, after, store.MaxPage)
		if err != nil || len(names) == 0 {
			return err
		}
		after = names[len(names)-1]
		err = each(ctx, c.jobs, names, func(ctx context.Context, digest string) error {
			info, err := c.to.Blobs.Stat(ctx, digest)
			if err == nil {
				err = read(ctx, c.to.Blobs, info.Blob)
			}
			switch readapi.CodeOf(err) {
			case "":
				c.out.count(func(n *Counts) { n.Verified++ })
				return nil
			case readapi.CodeCorrupt, readapi.CodeNotFound:
				c.out.problem(Problem{Code: readapi.CodeCorrupt, Detail: "at the target: " + detail(err), Blob: digest})
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
}

// checkStores checks what every function here is given.
func checkStores(jobs int, stores ...Store) error {
	for _, s := range stores {
		if s.Blobs == nil || s.Index == nil {
			return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "a store has no bytes or no rows"}
		}
	}
	if jobs < 0 {
		return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "Jobs is negative"}
	}
	return nil
}

func jobs(n int) int {
	if n == 0 {
		return 4
	}
	return n
}
