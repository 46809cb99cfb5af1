package retain

import (
	"context"
	"errors"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// GCOptions say what GC does. The zero value ends what was begun and removes bytes that nothing names.
type GCOptions struct {
	DryRun    bool   // change nothing, and explain what would be done
	Automatic bool   // while another host collects, do nothing without an error
	Careful   bool   // change nothing where most bytes are named by nothing; see ErrMostUnnamed
	Policy    []Rule // what is kept for how long; none: everything

	MaxBytes   int64         // live bytes that the store may hold, by artifact: the oldest are deleted until it holds; 0: any
	Grace      time.Duration // bytes that nothing names are kept for so long after they were stored; default 1 h
	CacheBytes int64         // what the cache may hold; default 256 MiB

	MaxCandidates int                                        // in the report; default 1000
	Each          func(Candidate)                            // is called with every candidate, also those that the report has no room for
	Progress      func(step string, done int64, text string) // is called now and then: how many rows or blobs of a step were looked at
}

func (o GCOptions) withDefaults() (GCOptions, error) {
	if o.MaxBytes < 0 || o.Grace < 0 || o.CacheBytes < 0 || o.MaxCandidates < 0 {
		return o, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "an option of the collection is negative"}
	}
	if o.Grace == 0 {
		o.Grace = time.Hour
	}
	if o.CacheBytes == 0 {
		o.CacheBytes = 256 << 20
	}
	if o.MaxCandidates == 0 {
		o.MaxCandidates = 1000
	}
	return o, policy(o.Policy).check()
}

const (
	gcName  = "gc"        // the lease of who collects, among the hosts of a store
	gcLease = time.Minute // a host that dies while it collects keeps the others from it for so long

	staleAfter = time.Hour      // what was staged and not written to for so long belongs to nobody
	overAfter  = 24 * time.Hour // leases and claims that have been over for so long are swept
)

// GC collects: it ends purges that were begun, deletes and purges what the policy no longer keeps, removes bytes that nothing names, and
// trims the cache. One host collects at a time. A collection that dies at any point loses nothing, and the next goes on. What has a time in
// the future is kept. What cannot be removed does not stop the rest: it is counted, and the first such error is returned beside the report,
// which is never nil.
//
// Errors: busy while another host collects (see Automatic); invalid_request for options that cannot be; capability_unavailable with
// ErrMostUnnamed where it is Careful, in a dry run beside the whole report; those of the places, canceled.
func (k *Keeper) GC(ctx context.Context, o GCOptions) (*GCReport, error) {
	const op = "retain.GC"
	begun := time.Now()
	report := &GCReport{DryRun: o.DryRun, Candidates: []Candidate{}}
	o, err := o.withDefaults()
	if err = errors.Join(k.wrong, err); err != nil {
		return report, readapi.AsError(op, err)
	}
	c := &collection{keeper: k, opts: o, rules: o.Policy, report: report, now: k.now().UTC()}
	if !o.DryRun {
		lead, stop, err := k.index.Lead(ctx, gcName, gcLease)
		if err != nil {
			if o.Automatic && readapi.CodeOf(err) == readapi.CodeBusy {
				report.Busy, err = true, nil
			}
			return report, readapi.AsError(op, err)
		}
		defer stop()
		ctx = lead
	}
	err = c.run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	report.Took = time.Since(begun)
	return report, readapi.AsError(op, err)
}

// collection is one run of GC.
type collection struct {
	keeper *Keeper
	opts   GCOptions
	rules  policy
	report *GCReport
	now    time.Time
	first  error // of what could not be removed

	// In a dry run: what would be deleted by now, so that it is not named for a second reason. Beyond maxDoomed it may be.
	doomed map[readapi.Scope]map[readapi.ArtifactID]bool
	dooms  int
}

const maxDoomed = 1 << 16

func (c *collection) run(ctx context.Context) error {
	if c.opts.Careful {
		err := c.keeper.careful(ctx, c.opts)
		if err != nil && !(c.opts.DryRun && errors.Is(err, ErrMostUnnamed)) {
			return err
		}
		c.failed(err)
	}
	for _, step := range []func(context.Context) error{c.recover, c.retention, c.total, c.orphans, c.sweep, c.trim} {
		err := step(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		c.failed(err)
	}
	return c.first
}

// failed keeps the first error.
func (c *collection) failed(err error) {
	if c.first == nil {
		c.first = err
	}
}

// tell reports a candidate, and counts it.
func (c *collection) tell(x Candidate) {
	switch {
	case x.Reason == ReasonFailed:
		c.report.Failed++
	case x.Action == ActionKeep:
		c.report.Kept++
	case x.Reason == ReasonPurge:
		c.report.Ended++
	case x.Action == ActionDelete:
		c.report.Deleted.add(x.Bytes)
	case x.Action == ActionPurge && x.Artifact == "":
		c.report.Gone++
	case x.Action == ActionPurge:
		c.report.Purged.add(x.Bytes)
	case x.Action == ActionRemove:
		c.report.Orphans.add(x.Bytes)
	}
	if c.opts.Each != nil {
		c.opts.Each(x)
	}
	if len(c.report.Candidates) < c.opts.MaxCandidates {
		c.report.Candidates = append(c.report.Candidates, x)
	} else {
		c.report.Omitted++
	}
}

// tellDone reports what became of a candidate.
func (c *collection) tellDone(x Candidate, err error) {
	switch {
	case errors.Is(err, errClaimed):
		x.Action, x.Reason, x.Text = ActionKeep, ReasonClaim, "somebody else is removing it just now"
	case err != nil:
		x.Reason, x.Code = ReasonFailed, readapi.CodeOf(err)
		x.Text = "it could not be removed"
		if e, ok := errors.AsType[*readapi.Error](err); ok {
			x.Text = e.Message()
		}
		c.failed(err)
	}
	c.tell(x)
}

func (c *collection) progress(step string, done int64, text string) {
	if c.opts.Progress != nil {
		c.opts.Progress(step, done, text)
	}
}

func candidate(a store.Artifact, rule int, action Action, reason Reason, text string) Candidate {
	return Candidate{Principal: a.Scope.Principal, Session: a.Scope.Session, Artifact: a.ID, Bytes: a.Bytes, Rule: rule, Action: action, Reason: reason,
		Text: text}
}

// recover ends the purges that were begun.
func (c *collection) recover(ctx context.Context) error {
	told := func(p store.Purge, err error) {
		c.tellDone(Candidate{Principal: p.Scope.Principal, Session: p.Scope.Session, Artifact: p.Artifact, Action: ActionPurge, Reason: ReasonPurge,
			Text: "its purge was begun and had not ended"}, err)
	}
	if !c.opts.DryRun {
		_, err := c.keeper.recover(ctx, told)
		return err
	}
	list, err := c.keeper.index.Purges(ctx, 0)
	for _, p := range list {
		told(p, nil)
	}
	return err
}

// sweep removes what hosts that are gone left behind.
func (c *collection) sweep(ctx context.Context) error {
	if c.opts.DryRun {
		return nil
	}
	staged, err := c.keeper.blobs.Sweep(ctx, c.now.Add(-max(staleAfter, c.opts.Grace)))
	over, err2 := c.keeper.index.Sweep(ctx, c.now.Add(-overAfter))
	c.report.Swept = staged + over
	return errors.Join(err, err2)
}

// trim makes the cache as small as it may be: what is lost there can be made again.
func (c *collection) trim(ctx context.Context) error {
	cache := c.keeper.opts.Cache
	if cache == nil || c.opts.DryRun {
		return nil
	}
	left, err := cache.Trim(ctx, c.opts.CacheBytes)
	c.report.Cache = Amount(left)
	return err
}
