package retain

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// orphans removes bytes that nothing names.
func (c *collection) orphans(ctx context.Context) error {
	var first error
	var done int64
	page := make([]store.BlobInfo, 0, store.MaxPage)
	flush := func() {
		if err := c.orphansOf(ctx, page); err != nil && first == nil {
			first = err
		}
		done += int64(len(page))
		page = page[:0]
		c.progress("blobs", done, "blobs looked at")
	}
	for info, err := range c.keeper.blobs.List(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if page = append(page, info); len(page) == cap(page) {
			flush()
		}
	}
	if len(page) > 0 {
		flush()
	}
	return first
}

// orphansOf looks at a page of blobs.
func (c *collection) orphansOf(ctx context.Context, page []store.BlobInfo) error {
	by, err := c.keeper.keptOf(ctx, digestsOf(page))
	if err != nil {
		return err
	}
	for _, info := range page {
		if err := ctx.Err(); err != nil {
			return err
		}
		why := by[info.SHA256]
		if why.why == "" {
			why = c.keeper.young(info, c.opts.Grace)
		}
		switch why.why {
		case ReasonRow:
		case "":
			c.orphan(ctx, info)
		default:
			c.tellOrphan(info, ActionKeep, why)
		}
	}
	return nil
}

// young says whether the grace time keeps a blob.
func (k *Keeper) young(info store.BlobInfo, grace time.Duration) kept {
	switch age := k.now().Sub(info.Committed); {
	case age < 0:
		return kept{ReasonFuture, "it was stored at a time that has not come yet"}
	case age < grace:
		return kept{ReasonYoung, "nothing names it yet, and its grace time is not over"}
	}
	return kept{}
}

// removeOrphan removes a blob that nothing named when it was looked at.
func (k *Keeper) removeOrphan(ctx context.Context, digest string, grace time.Duration) (kept, error) {
	return k.remove(ctx, digest, 0, func(ctx context.Context) (kept, error) {
		now, err := k.blobs.Stat(ctx, digest)
		switch {
		case err == nil:
			return k.young(now, grace), nil // somebody may have stored it once more
		case readapi.CodeOf(err) == readapi.CodeNotFound:
			return kept{}, nil
		}
		return kept{}, err
	})
}

// orphan removes a blob that nothing named when it was looked at.
func (c *collection) orphan(ctx context.Context, info store.BlobInfo) {
	gone := kept{ReasonOrphan, "nothing names it"}
	if c.opts.DryRun {
		c.tellOrphan(info, ActionRemove, gone)
		return
	}
	why, err := c.keeper.removeOrphan(ctx, info.SHA256, c.opts.Grace)
	switch {
	case err != nil && ctx.Err() != nil:
	case err != nil:
		c.tellDone(orphanCandidate(info, c.keeper.now(), ActionRemove, gone), err)
	case why.why != "":
		c.tellOrphan(info, ActionKeep, why)
	default:
		c.tellOrphan(info, ActionRemove, gone)
	}
}

func (c *collection) tellOrphan(info store.BlobInfo, action Action, why kept) {
	c.tell(orphanCandidate(info, c.keeper.now(), action, why))
}

func orphanCandidate(info store.BlobInfo, now time.Time, action Action, why kept) Candidate {
	return Candidate{SHA256: info.SHA256, Bytes: info.Size, Age: now.Sub(info.Committed), Action: action, Reason: why.why, Text: why.text}
}
