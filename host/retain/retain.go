package retain

import (
	"context"
	"errors"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Holder says which of these blobs something outside the index holds, and why: the reason by digest. It is asked when a blob is found to be
// without a row, and again when nobody can lease it any more. Who begins to hold a blob must lease it before (store.Index.LeaseBlobs). An
// error keeps all of them.
type Holder func(ctx context.Context, digests []string) (map[string]string, error)

// Options of a Keeper; nil means all defaults.
type Options struct {
	Holders []Holder
	Cache   store.CacheDriver // that GC trims; nil: none

	ClaimTTL time.Duration // how long a removal may take before others may go on with the same bytes; default 1 min
	Wait     time.Duration // how long Purge waits for somebody who removes the same bytes; default 5 s
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.ClaimTTL < 0 || out.Wait < 0 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option of the keeper is negative"}
	}
	if out.ClaimTTL == 0 {
		out.ClaimTTL = time.Minute
	}
	if out.Wait == 0 {
		out.Wait = 5 * time.Second
	}
	return out, nil
}

// Keeper keeps a store in order. It is safe for concurrent use, in this process and beside others on the same store. It owns neither the
// blobs nor the index nor the cache.
type Keeper struct {
	blobs *store.Blobs
	index *store.Index
	opts  Options
	wrong error            // of the options; every method returns it
	now   func() time.Time // of the machine; a test may give another
}

// New returns a keeper. A negative option makes every method fail with invalid_request.
func New(blobs *store.Blobs, index *store.Index, opts *Options) *Keeper {
	o, err := opts.withDefaults()
	return &Keeper{blobs: blobs, index: index, opts: o, wrong: err, now: time.Now}
}

// Purge ends a removal that store.Index.PurgeArtifact or MarkSession has begun: the bytes that nothing else names, then the rows. When it
// returns nil, the rows are gone, and so are the bytes, unless another artifact, a writer's lease or a Holder keeps them. It may be called
// again at any time; a removal that has ended is no error.
//
// Errors: conflict for what was not marked; corrupt where in the place of a blob is no regular file: that stays, and so does the record;
// busy when somebody else has been removing the same bytes for longer than Options.Wait; those of the places, canceled.
func (k *Keeper) Purge(ctx context.Context, p store.Purge) error {
	return readapi.AsError("retain.Purge", k.purge(ctx, p, k.opts.Wait))
}

func (k *Keeper) purge(ctx context.Context, p store.Purge, wait time.Duration) error {
	if k.wrong != nil {
		return k.wrong
	}
	if p.Artifact == "" {
		return k.purgeSession(ctx, p.Scope, wait)
	}
	rows, _, err := k.index.Artifacts(ctx, p.Scope, []readapi.ArtifactID{p.Artifact})
	if err != nil {
		return err
	}
	row, ok := rows[p.Artifact]
	switch {
	case !ok:
		return nil
	case !row.Purging:
		return notMarked()
	case row.Blob != "":
		if err := k.purgeBytes(ctx, row, wait); err != nil {
			return err
		}
	}
	return k.index.DropArtifact(ctx, p.Scope, p.Artifact)
}

func (k *Keeper) purgeSession(ctx context.Context, scope readapi.Scope, wait time.Duration) error {
	s, ok, err := k.index.Session(ctx, scope)
	switch {
	case err != nil:
		return err
	case !ok:
		return nil
	case !s.Purging:
		return notMarked()
	}
	// Nothing comes into a session that is being purged, so one walk meets all.
	for after := int64(-1); ; {
		page, _, err := k.index.ListArtifacts(ctx, scope, after, 0)
		if err != nil {
			return err
		}
		done := map[string]bool{}
		for _, row := range page {
			after = row.Seq
			if row.Blob == "" || done[row.Blob] {
				continue
			}
			if err := k.purgeBytes(ctx, row, wait); err != nil {
				return err
			}
			done[row.Blob] = true
		}
		if len(page) < store.MaxPage {
			return k.index.DropSession(ctx, scope)
		}
	}
}

// purgeBytes removes the bytes of a row that is being purged.
func (k *Keeper) purgeBytes(ctx context.Context, row store.Artifact, wait time.Duration) error {
	_, err := k.remove(ctx, row.Blob, wait, nil)
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*readapi.Error](readapi.AsError("", err))
	if !ok {
		return err
	}
	c := *e
	c.Ref = string(row.ID)
	return &c
}

// errNotMarked is the cause of conflict where nobody has begun the purge.
var errNotMarked = errors.New("retain: not marked")

func notMarked() error {
	return &readapi.Error{Code: readapi.CodeConflict, Detail: "nobody has begun to purge it", Hint: "Purge it through its session.", Final: true,
		Err: errNotMarked}
}

// end is purge for what was found to be marked, and does not wait. What is not marked any more was ended by another, and its id is used anew.
func (k *Keeper) end(ctx context.Context, p store.Purge) error {
	err := k.purge(ctx, p, 0)
	if errors.Is(err, errNotMarked) {
		return nil
	}
	return err
}

// Recover ends every purge that was begun, as after a crash, and returns how many it ended. One that cannot be ended does not stop the
// others and stays begun; the first such error is returned. It does not wait for others who remove the same bytes: that is busy.
func (k *Keeper) Recover(ctx context.Context) (int, error) {
	var first error
	n, err := k.recover(ctx, func(_ store.Purge, err error) {
		if first == nil {
			first = err
		}
	})
	if err == nil {
		err = first
	}
	return n, readapi.AsError("retain.Recover", err)
}

// recover calls told with every purge and how it ended. Its error is of the list of them.
func (k *Keeper) recover(ctx context.Context, told func(store.Purge, error)) (ended int, err error) {
	if k.wrong != nil {
		return 0, k.wrong
	}
	tried := map[store.Purge]bool{}
	for {
		// Those that cannot be ended come again: the page is made longer by them.
		list, err := k.index.Purges(ctx, min(recoverPage+len(tried), store.MaxPage))
		if err != nil {
			return ended, err
		}
		fresh := 0
		for _, p := range list {
			if tried[p] {
				continue
			}
			fresh++
			err := k.end(ctx, p)
			if ctx.Err() != nil {
				return ended, ctx.Err()
			}
			if told(p, err); err == nil {
				ended++
			} else {
				tried[p] = true
			}
		}
		if fresh == 0 {
			return ended, nil
		}
	}
}

// recoverPage is how many purges are ended between two looks at what is left.
const recoverPage = 100
