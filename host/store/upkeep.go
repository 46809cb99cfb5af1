package store

import (
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file has what a driver may be able to do for who keeps a store in order, beside what every driver does.

// Sweeper is a driver that can have things left behind by hosts that are gone: what was being written, leases and claims that are over.
type Sweeper interface {
	// Sweep removes what was left behind before a time and returns how many things that were. Nothing that is in use is touched.
	Sweep(ctx context.Context, before time.Time) (removed int, err error)
}

// Inspector is a driver that can look at its own place.
type Inspector interface {
	// Inspect yields what is not as the driver makes it. With mend it puts right what it can without removing anything.
	Inspect(ctx context.Context, mend bool) iter.Seq2[Oddity, error]
}

// Oddity is something about a driver's place that is not as the driver makes it.
type Oddity struct {
	Code   OddityCode
	SHA256 string // of the blob, where it is one
	Detail string // one sentence, without a path
	Mended bool
}

// OddityCode says what an Oddity is.
type OddityCode string

// The oddities.
const (
	OddMode       OddityCode = "mode"        // others than the owner may use a file or a folder, or the owner may not
	OddNotRegular OddityCode = "not_regular" // in the place of a blob is a link, or something else that is no file of its own
	OddForeign    OddityCode = "foreign"     // a file that the driver has not made
	OddDamaged    OddityCode = "damaged"     // the place itself is damaged
)

// Recounter is an index driver that keeps counters beside its rows.
type Recounter interface {
	// Recount makes the counters of a session, and those of its principal and of all together, what the rows say.
	Recount(ctx context.Context, scope readapi.Scope) error
}

// Sweep removes what was last written to before a time and never committed, where the driver can, and returns how many things that were.
func (b *Blobs) Sweep(ctx context.Context, before time.Time) (int, error) {
	return sweep(ctx, "store.Blobs.Sweep", b.driver, before)
}

// Sweep ends the leases, of blobs and of names, and the claims that were over before a time, where the driver can, and returns how many.
func (x *Index) Sweep(ctx context.Context, before time.Time) (int, error) {
	return sweep(ctx, "store.Index.Sweep", x.driver, before)
}

func sweep(ctx context.Context, op string, driver any, before time.Time) (int, error) {
	s, ok := driver.(Sweeper)
	if !ok {
		return 0, nil
	}
	if err := ctx.Err(); err != nil {
		return 0, readapi.AsError(op, err)
	}
	n, err := s.Sweep(ctx, before)
	return n, writeError(op, err)
}

// Inspect yields what is not as the driver makes it; nothing where the driver cannot look. Errors: as of List.
func (b *Blobs) Inspect(ctx context.Context, mend bool) iter.Seq2[Oddity, error] {
	return inspect(ctx, "store.Blobs.Inspect", b.driver, mend)
}

// Inspect is that of Blobs, for the place of the rows.
func (x *Index) Inspect(ctx context.Context, mend bool) iter.Seq2[Oddity, error] {
	return inspect(ctx, "store.Index.Inspect", x.driver, mend)
}

func inspect(ctx context.Context, op string, driver any, mend bool) iter.Seq2[Oddity, error] {
	return func(yield func(Oddity, error) bool) {
		i, ok := driver.(Inspector)
		if !ok {
			return
		}
		for o, err := range i.Inspect(ctx, mend) {
			if !yield(o, readError(op, err)) {
				return
			}
		}
	}
}

// Recount makes the counters of a session and those above it what the rows say; ok is false where the driver cannot.
func (x *Index) Recount(ctx context.Context, scope readapi.Scope) (ok bool, err error) {
	const op = "store.Index.Recount"
	if err := checkScope(ctx, scope); err != nil {
		return false, readapi.AsError(op, err)
	}
	r, ok := x.driver.(Recounter)
	if !ok {
		return false, nil
	}
	return true, writeError(op, r.Recount(ctx, scope))
}
