package retain

import (
	"context"
	"errors"
	"maps"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// kept says why bytes were not removed; "" where they were.
type kept struct {
	why  Reason
	text string
}

// errClaimed is the cause of busy where somebody else has claimed the bytes.
var errClaimed = errors.New("retain: claimed")

// remove removes the bytes of a digest, unless something keeps them: it is the only place of this package that does. again, if it is
// given, is asked behind the claim, when nothing can begin to use the bytes any more.
//
// Errors: corrupt for what is no regular file, busy when somebody else's claim did not end within wait; those of the places.
func (k *Keeper) remove(ctx context.Context, digest string, wait time.Duration, again func(context.Context) (kept, error)) (kept, error) {
	if why, err := k.held(ctx, digest); err != nil || why.why != "" {
		return why, err
	}
	begun := time.Now()
	for tries, pause := 0, 5*time.Millisecond; ; tries, pause = tries+1, min(2*pause, time.Second) {
		claimed := time.Now()
		ok, err := k.index.ClaimBlob(ctx, digest, k.opts.ClaimTTL)
		if err != nil {
			return kept{}, err
		}
		if ok {
			return k.removeClaimed(ctx, digest, claimed, again)
		}
		why, err := k.used(ctx, digest)
		if err != nil || why.why == ReasonRow || why.why == ReasonLease {
			return why, err
		}
		if time.Since(begun) >= wait && (why.why != "" || tries > 2) { // where nothing keeps it any more, the next try gets it
			return kept{}, &readapi.Error{Code: readapi.CodeBusy, Detail: "somebody else is removing the same bytes", RetryAfter: k.opts.ClaimTTL,
				Hint: "Try again; what a process that died has claimed is free after a minute.", Err: errClaimed}
		}
		select {
		case <-ctx.Done():
			return kept{}, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// removeClaimed removes bytes that were claimed, and ends the claim.
func (k *Keeper) removeClaimed(ctx context.Context, digest string, claimed time.Time, again func(context.Context) (kept, error)) (why kept, err error) {
	// Half of the claim's time is for the removal: behind all of it a writer may have put the same bytes there again.
	in, cancel := context.WithTimeout(ctx, k.opts.ClaimTTL/2)
	defer cancel()
	why, err = k.held(in, digest)
	if err == nil && why.why == "" && again != nil {
		why, err = again(in)
	}
	if err == nil && why.why == "" {
		if !store.Within(claimed, k.opts.ClaimTTL/2) {
			err = &readapi.Error{Code: readapi.CodeBusy, Detail: "the removal took longer than its claim", RetryAfter: k.opts.ClaimTTL}
		} else {
			err = k.blobs.Remove(in, digest)
		}
	}
	// A claim that is over may be another's by now. One that cannot be ended ends by itself.
	if store.Within(claimed, k.opts.ClaimTTL) {
		out, cancel := context.WithTimeout(context.WithoutCancel(ctx), k.opts.ClaimTTL/2)
		defer cancel()
		if eerr := k.index.EndClaim(out, digest); err == nil {
			err = eerr
		}
	}
	return why, err
}

// used says what in the index keeps a blob just now.
func (k *Keeper) used(ctx context.Context, digest string) (kept, error) {
	uses, err := k.index.BlobUses(ctx, []string{digest})
	if err != nil {
		return kept{}, err
	}
	return k.useOf(uses[digest]), nil
}

func (k *Keeper) useOf(u store.BlobUse) kept {
	switch now := k.now(); {
	case u.Rows > 0:
		return kept{ReasonRow, "an artifact names it"}
	case u.Lease.After(now):
		return kept{ReasonLease, "somebody is storing the same bytes just now"}
	case u.Claim.After(now):
		return kept{ReasonClaim, "somebody else is removing it just now"}
	}
	return kept{}
}

// keptOf says what keeps blobs just now, in the index or by a holder; those that nothing keeps are not in it.
func (k *Keeper) keptOf(ctx context.Context, digests []string) (map[string]kept, error) {
	if len(digests) == 0 {
		return nil, nil
	}
	uses, err := k.index.BlobUses(ctx, digests)
	if err != nil {
		return nil, err
	}
	out := map[string]kept{}
	var free []string
	for _, digest := range digests {
		if why := k.useOf(uses[digest]); why.why != "" {
			out[digest] = why
		} else {
			free = append(free, digest)
		}
	}
	if len(free) == 0 {
		return out, nil
	}
	held, err := k.heldOf(ctx, free)
	maps.Copy(out, held)
	return out, err
}

func digestsOf(page []store.BlobInfo) []string {
	digests := make([]string, len(page))
	for i, info := range page {
		digests[i] = info.SHA256
	}
	return digests
}

// held asks the holders about one blob.
func (k *Keeper) held(ctx context.Context, digest string) (kept, error) {
	by, err := k.heldOf(ctx, []string{digest})
	return by[digest], err
}

// heldOf asks the holders about blobs.
func (k *Keeper) heldOf(ctx context.Context, digests []string) (map[string]kept, error) {
	var out map[string]kept
	for _, h := range k.opts.Holders {
		by, err := h(ctx, digests)
		if err != nil {
			return nil, err
		}
		for digest, why := range by {
			if out == nil {
				out = map[string]kept{}
			}
			out[digest] = kept{ReasonHeld, why}
		}
	}
	return out, nil
}
