package retain

import (
	"context"
	"crypto/rand"
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
		lead, stop, err := k.lead(ctx)
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

// lead makes this the one collection of the store, until stop is called; the context ends when it is not that any more.
func (k *Keeper) lead(ctx context.Context) (lead context.Context, stop func(), err error) {
	holder := "gc-" + rand.Text()
	resign := func() {
		out, cancel := context.WithTimeout(context.WithoutCancel(ctx), gcLease/10)
		defer cancel()
		if k.index.Resign(out, gcName, holder) != nil {
			_ = k.index.Resign(out, gcName, holder) // or else it ends by itself, and nobody collects until then
		}
	}
	ok, err := k.index.Acquire(ctx, gcName, holder, gcLease)
	if err != nil {
		resign() // it may have been given, and only the answer was lost
		return nil, nil, err
	}
	if !ok {
		return nil, nil, &readapi.Error{Code: readapi.CodeBusy, Detail: "another host is collecting", RetryAfter: gcLease}
	}
	lead, end := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		k.renew(lead, holder, end)
	}()
	return lead, func() {
		end(nil)
		<-done
		resign()
	}, nil
}

// renew keeps the lease of holder until ctx ends, and ends it when the lease is lost.
func (k *Keeper) renew(ctx context.Context, holder string, end context.CancelCauseFunc) {
	tick := time.NewTicker(gcLease / 6)
	defer tick.Stop()
	last := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		asked := time.Now()
		ok, err := k.index.Acquire(ctx, gcName, holder, gcLease)
		switch {
		case err == nil && ok:
			last = asked
		case err == nil, !within(last, gcLease/2):
			end(&readapi.Error{Code: readapi.CodeBusy, Detail: "another host has taken over the collection", RetryAfter: gcLease, Err: err})
			return
		}
	}
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
