package retain

import (
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// retention walks all sessions and their artifacts once, in one order, a page of each at a time.
func (c *collection) retention(ctx context.Context) error {
	if !c.rules.removes() {
		return nil
	}
	next, stop := iter.Pull2(c.keeper.index.AllArtifacts(ctx, store.ArtifactScan{}))
	defer stop()
	a, err, ok := next()
	var done int64
	for s, serr := range c.keeper.index.AllSessions(ctx, readapi.Scope{}) {
		if serr != nil {
			return serr
		}
		v := visited{session: s, over: map[int]int64{}}
		for ; ok && err == nil && compareScope(a.Scope, s.Scope()) <= 0; a, err, ok = next() {
			if a.Scope == s.Scope() { // else its session came behind our page of sessions: the next run meets it
				c.artifact(ctx, a, &v)
			}
			if done++; done%store.MaxPage == 0 {
				c.progress("artifacts", done, "artifacts looked at")
			}
		}
		if err != nil {
			return err
		}
		if err := c.sessionBytes(ctx, &v); err != nil {
			return err
		}
		c.session(ctx, v)
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// visited is what was seen of a session.
type visited struct {
	session store.Session
	over    map[int]int64 // live bytes by rule, of the rules that allow only so many
	left    int           // artifacts that are not being purged
}

// artifact does with an artifact what its rule says of its age.
func (c *collection) artifact(ctx context.Context, a store.Artifact, v *visited) {
	if a.Purging {
		return
	}
	rule, n := c.rules.artifact(a)
	x, due := c.due(a, rule, n)
	switch {
	case due && x.Action == ActionDelete:
		c.delete(ctx, a, x)
		v.left++
	case due:
		c.purge(ctx, a, x)
	default:
		v.left++
		if x.Reason == ReasonFuture {
			c.tell(x)
		}
		if a.Status == readapi.StatusLive && a.Blob != "" && rule.SessionBytes > 0 {
			v.over[n] += a.Bytes
		}
	}
}

// due says what the rule of an artifact says of its age.
func (c *collection) due(a store.Artifact, rule *Rule, n int) (x Candidate, due bool) {
	since, most := a.Created, rule.TTL
	x = candidate(a, n, ActionDelete, ReasonTTL, "it is older than its rule allows")
	if a.Status != readapi.StatusLive {
		since, most = a.Deleted, rule.AfterDelete
		x = candidate(a, n, ActionPurge, ReasonAfterDelete, "it was deleted longer ago than its rule keeps it")
	}
	x.Age = c.now.Sub(since)
	if most > 0 && since.After(c.keeper.now()) {
		x.Action, x.Reason, x.Text = ActionKeep, ReasonFuture, "its time has not come yet"
	}
	return x, most > 0 && x.Age > most
}

// delete marks an artifact deleted.
func (c *collection) delete(ctx context.Context, a store.Artifact, x Candidate) {
	if c.opts.DryRun {
		c.doom(a)
		c.tell(x)
		return
	}
	same, err := c.same(ctx, a)
	if same {
		_, _, err = c.keeper.index.DeleteArtifact(ctx, a.Scope, a.ID, c.now)
	}
	if ctx.Err() == nil && (same || err != nil) {
		c.tellDone(x, err)
	}
}

// same reports whether an artifact is still what it was when its page was read. It may have been purged since, and another one have its id,
// as a copy has that is made again.
func (c *collection) same(ctx context.Context, a store.Artifact) (bool, error) {
	rows, _, err := c.keeper.index.Artifacts(ctx, a.Scope, []readapi.ArtifactID{a.ID})
	now, ok := rows[a.ID]
	return ok && now.Seq == a.Seq && now.Blob == a.Blob && now.Created.Equal(a.Created) && now.Deleted.Equal(a.Deleted), err
}

// purge removes an artifact with its row.
func (c *collection) purge(ctx context.Context, a store.Artifact, x Candidate) {
	same, err := true, error(nil)
	if !c.opts.DryRun {
		same, err = c.same(ctx, a)
	}
	if same && !c.opts.DryRun {
		if _, _, err = c.keeper.index.PurgeArtifact(ctx, a.Scope, a.ID, c.now); err == nil {
			err = c.keeper.end(ctx, store.Purge{Scope: a.Scope, Artifact: a.ID})
		}
	}
	if ctx.Err() == nil && (same || err != nil) {
		c.tellDone(x, err)
	}
}

// sessionBytes deletes what came first in a session until its rules hold.
func (c *collection) sessionBytes(ctx context.Context, v *visited) error {
	for n, live := range v.over {
		if v.over[n] = live - c.rules[n-1].SessionBytes; v.over[n] <= 0 {
			delete(v.over, n)
		}
	}
	if len(v.over) == 0 {
		return nil
	}
	for a, err := range c.keeper.index.ArtifactsOf(ctx, v.session.Scope()) {
		if err != nil {
			return err
		}
		rule, n := c.rules.artifact(a)
		if v.over[n] <= 0 || !c.evictable(a) {
			continue
		}
		if _, due := c.due(a, rule, n); due {
			continue // a dry run has named it
		}
		x := candidate(a, n, ActionDelete, ReasonSessionBytes, "its session has more bytes than its rule allows, and it came first")
		x.Age = c.now.Sub(a.Created)
		c.delete(ctx, a, x)
		if v.over[n] -= a.Bytes; v.over[n] > 0 {
			continue
		}
		if delete(v.over, n); len(v.over) == 0 {
			return nil
		}
	}
	return nil
}

// evictable reports whether a size may cost an artifact its life.
func (c *collection) evictable(a store.Artifact) bool {
	return a.Status == readapi.StatusLive && !a.Purging && a.Bytes > 0 && a.Blob != "" && !a.Created.After(c.now)
}

// session purges a session that was deleted long ago.
func (c *collection) session(ctx context.Context, v visited) {
	s := v.session
	rule, n := c.rules.session(s.Scope())
	if s.Purging || s.Deleted.IsZero() || rule.AfterDelete == 0 {
		return
	}
	x := Candidate{Principal: s.Principal, Session: s.ID, Bytes: s.Bytes, Rule: n, Age: c.now.Sub(s.Deleted), Action: ActionPurge, Reason: ReasonAfterDelete,
		Text: "the session was deleted longer ago than its rule keeps it"}
	switch {
	case s.Deleted.After(c.keeper.now()):
		x.Action, x.Reason, x.Text = ActionKeep, ReasonFuture, "its time has not come yet"
		c.tell(x)
	case x.Age <= rule.AfterDelete:
	case v.left > 0:
		x.Action, x.Reason, x.Text = ActionKeep, ReasonFiles, "the session has files that other rules keep"
		c.tell(x)
	default:
		same, err := true, error(nil)
		if !c.opts.DryRun {
			same, err = c.purgeSession(ctx, s)
		}
		if ctx.Err() == nil && (same || err != nil) {
			c.tellDone(x, err)
		}
	}
}

// purgeSession purges a session. Its page may be old by now: the session may have been purged since, and have begun again under its id.
func (c *collection) purgeSession(ctx context.Context, s store.Session) (same bool, err error) {
	now, ok, err := c.keeper.index.Session(ctx, s.Scope())
	if err != nil || !ok || !now.Deleted.Equal(s.Deleted) {
		return false, err
	}
	if _, _, err = c.keeper.index.MarkSession(ctx, s.Scope(), store.PurgeSession, c.now); err == nil {
		err = c.keeper.end(ctx, store.Purge{Scope: s.Scope()})
	}
	return true, err
}

// doom remembers what a dry run would have deleted.
func (c *collection) doom(a store.Artifact) {
	if c.dooms >= maxDoomed {
		return
	}
	if c.doomed == nil {
		c.doomed = map[readapi.Scope]map[readapi.ArtifactID]bool{}
	}
	if c.doomed[a.Scope] == nil {
		c.doomed[a.Scope] = map[readapi.ArtifactID]bool{}
	}
	c.doomed[a.Scope][a.ID] = true
	c.dooms++
}

// The cut of MaxBytes is found by counting: how many bytes came in each of so many spans of time, and then within the span that has the cut,
// until a span is a millisecond. So no list of artifacts is ever held.
const (
	spanBits = 16
	topShift = 26 // 2^(16+26) ms are 139 years from 1970
)

// total deletes the oldest artifacts of the store until MaxBytes holds.
func (c *collection) total(ctx context.Context) error {
	if c.opts.MaxBytes == 0 {
		return nil
	}
	if _, all, err := c.keeper.index.Usage(ctx, readapi.LocalPrincipal); err != nil || all.Bytes <= c.opts.MaxBytes {
		return err
	}
	from, need := int64(0), int64(0)
	for shift := topShift; ; shift = max(0, shift-spanBits) {
		until := time.Time{} // of the first count: whenever
		if shift < topShift {
			until = time.UnixMilli(from + 1<<(min(shift+spanBits, topShift))).UTC()
		}
		spans, live, err := c.count(ctx, from, shift, until)
		if err != nil {
			return err
		}
		if shift == topShift {
			need = live - c.opts.MaxBytes
		}
		if need <= 0 {
			return nil
		}
		i := 0
		for ; i < len(spans)-1 && need > spans[i]; i++ {
			need -= spans[i]
		}
		from += int64(i) << shift
		if shift == 0 {
			return c.evict(ctx, from, need)
		}
	}
}

// count sums the bytes of what may be deleted by when it came, in spans of 2^shift ms behind from; live is what all live artifacts have.
func (c *collection) count(ctx context.Context, from int64, shift int, until time.Time) (spans []int64, live int64, err error) {
	spans = make([]int64, 1<<spanBits)
	var done int64
	for a, err := range c.keeper.index.AllArtifacts(ctx, store.ArtifactScan{CreatedBefore: until}) {
		if err != nil {
			return nil, 0, err
		}
		if done++; done%store.MaxPage == 0 {
			c.progress("sizes", done, "artifacts counted")
		}
		if a.Status != readapi.StatusLive || a.Purging || a.Blob == "" || c.doomed[a.Scope][a.ID] {
			continue
		}
		live += a.Bytes
		if rule, _ := c.rules.artifact(a); rule.Keep || !c.evictable(a) {
			continue
		}
		if at := max(0, a.Created.UnixMilli()) - from; at >= 0 {
			spans[min(at>>shift, int64(len(spans)-1))] += a.Bytes
		}
	}
	return spans, live, nil
}

// evict deletes what came before a millisecond, and of that millisecond what has need bytes.
func (c *collection) evict(ctx context.Context, last, need int64) error {
	for a, err := range c.keeper.index.AllArtifacts(ctx, store.ArtifactScan{CreatedBefore: time.UnixMilli(last + 1).UTC()}) {
		if err != nil {
			return err
		}
		rule, n := c.rules.artifact(a)
		if rule.Keep || !c.evictable(a) || c.doomed[a.Scope][a.ID] {
			continue
		}
		if max(0, a.Created.UnixMilli()) == last {
			if need <= 0 {
				continue
			}
			need -= a.Bytes
		}
		x := candidate(a, n, ActionDelete, ReasonTotalBytes, "the store has more bytes than it may, and it is the oldest")
		x.Age = c.now.Sub(a.Created)
		c.delete(ctx, a, x)
	}
	return nil
}

// compareScope is the order in which an index scans.
func compareScope(a, b readapi.Scope) int {
	return cmp.Or(cmp.Compare(a.Principal, b.Principal), cmp.Compare(a.Session, b.Session))
}
