package retain

import (
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// counters compares what the sessions, the principals and all together are said to keep with the rows. Others may be writing: what
// differs is counted again, and believed when it did not move meanwhile.
func (c *check) counters(ctx context.Context) error {
	next, stop := iter.Pull2(c.keeper.index.AllArtifacts(ctx, store.ArtifactScan{}))
	defer stop()
	a, err, ok := next()
	var own, all store.Usage
	var last store.Session
	flush := func() error {
		if last.Principal == "" {
			return nil
		}
		return c.usage(ctx, last.Scope(), own, false)
	}
	for s, serr := range c.keeper.index.AllSessions(ctx, readapi.Scope{}) {
		if serr != nil {
			return serr
		}
		c.report.Sessions++
		var rows store.Usage
		for ; ok && err == nil && compareScope(a.Scope, s.Scope()) <= 0; a, err, ok = next() {
			if a.Scope == s.Scope() && a.Blob != "" {
				rows.Files, rows.Bytes = rows.Files+1, rows.Bytes+a.Bytes
			}
		}
		if err != nil {
			return err
		}
		if rows != (store.Usage{Files: s.Files, Bytes: s.Bytes}) {
			if err := c.session(ctx, s.Scope()); err != nil {
				return err
			}
		}
		if s.Principal != last.Principal {
			if err := flush(); err != nil {
				return err
			}
			own = store.Usage{}
		}
		last = s
		own.Files, own.Bytes = own.Files+s.Files, own.Bytes+s.Bytes
		all.Files, all.Bytes = all.Files+s.Files, all.Bytes+s.Bytes
	}
	if err := flush(); err != nil || last.Principal == "" {
		return err
	}
	return c.usage(ctx, last.Scope(), all, true)
}

// A difference is believed when it is the same so often, with a pause between; writers beside the check make it another one.
const (
	believed = 3
	measures = 12
	pause    = 5 * time.Millisecond
)

// differs measures what is said against what is there, until it is known whether they differ. said is asked before and behind there: where
// it moved meanwhile, that was no measure.
func (c *check) differs(ctx context.Context, said, there func() (store.Usage, error)) (bool, error) {
	var last store.Usage
	same := 0
	for range measures {
		before, err := said()
		if err != nil {
			return false, err
		}
		sum, err := there()
		if err != nil {
			return false, err
		}
		after, err := said()
		if err != nil || after == before && sum == after {
			return false, err
		}
		if delta := (store.Usage{Files: after.Files - sum.Files, Bytes: after.Bytes - sum.Bytes}); after == before {
			if delta != last {
				same = 0
			}
			last, same = delta, same+1
		}
		if same == believed {
			return true, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(pause):
		}
	}
	return false, nil // too much goes on to tell
}

// session counts the rows of one session again.
func (c *check) session(ctx context.Context, scope readapi.Scope) error {
	differs, err := c.differs(ctx, func() (store.Usage, error) {
		s, _, err := c.keeper.index.Session(ctx, scope)
		return store.Usage{Files: s.Files, Bytes: s.Bytes}, err
	}, func() (store.Usage, error) { return c.countRows(ctx, scope) })
	if err != nil || !differs {
		return err
	}
	mended, err := c.recount(ctx, scope)
	if err != nil {
		return err
	}
	c.tell(Finding{Problem: CountSession, Principal: scope.Principal, Session: scope.Session, Repaired: mended,
		Text: "the session's counters are not what its rows say"})
	return nil
}

func (c *check) countRows(ctx context.Context, scope readapi.Scope) (u store.Usage, err error) {
	for a, err := range c.keeper.index.ArtifactsOf(ctx, scope) {
		if err != nil {
			return u, err
		}
		if a.Blob != "" {
			u.Files, u.Bytes = u.Files+1, u.Bytes+a.Bytes
		}
	}
	return u, nil
}

func (c *check) recount(ctx context.Context, scope readapi.Scope) (bool, error) {
	if !c.opts.Repair {
		return false, nil
	}
	return c.keeper.index.Recount(ctx, scope)
}

// usage compares what a principal keeps, or all together, with the sum of its sessions. scope is of one of them.
func (c *check) usage(ctx context.Context, scope readapi.Scope, sum store.Usage, total bool) error {
	said := func() (store.Usage, error) { return c.said(ctx, scope.Principal, total) }
	if u, err := said(); err != nil || u == sum {
		return err
	}
	differs, err := c.differs(ctx, said, func() (store.Usage, error) { return c.sum(ctx, scope.Principal, total) })
	if err != nil || !differs {
		return err
	}
	mended, err := c.recount(ctx, scope)
	if err != nil {
		return err
	}
	f := Finding{Problem: CountUsage, Principal: scope.Principal, Repaired: mended, Text: "the principal's counters are not the sum of its sessions"}
	if total {
		f.Principal, f.Text = "", "the store's counters are not the sum of its sessions"
	}
	c.tell(f)
	return nil
}

func (c *check) said(ctx context.Context, principal readapi.PrincipalID, total bool) (store.Usage, error) {
	own, all, err := c.keeper.index.Usage(ctx, principal)
	if total {
		return all, err
	}
	return own, err
}

func (c *check) sum(ctx context.Context, principal readapi.PrincipalID, total bool) (u store.Usage, err error) {
	after := readapi.Scope{Principal: principal}
	if total {
		after = readapi.Scope{}
	}
	for s, err := range c.keeper.index.AllSessions(ctx, after) {
		if err != nil || !total && s.Principal != principal {
			return u, err
		}
		u.Files, u.Bytes = u.Files+s.Files, u.Bytes+s.Bytes
	}
	return u, nil
}

// events reads the ledger of every session: every event can be read, and tells of those that name an artifact which is not there.
func (c *check) events(ctx context.Context) error {
	for s, err := range c.keeper.index.AllSessions(ctx, readapi.Scope{}) {
		if err != nil {
			return err
		}
		for after := int64(-1); ; {
			page, err := c.keeper.index.Events(ctx, s.Scope(), after, 0)
			if err != nil {
				return err
			}
			if err := c.eventsOf(ctx, s.Scope(), page); err != nil {
				return err
			}
			if len(page) < store.MaxPage {
				break
			}
			after = page[len(page)-1].Seq
		}
	}
	return nil
}

// eventsOf looks at a page of events of one session.
func (c *check) eventsOf(ctx context.Context, scope readapi.Scope, page []store.Event) error {
	names := map[readapi.ArtifactID]string{} // the event that names it first
	var ids []readapi.ArtifactID
	for _, row := range page {
		c.report.Events++
		var e ledger.Event
		if err := e.UnmarshalJSON(row.Payload); err != nil {
			c.tell(Finding{Problem: EventDamaged, Principal: scope.Principal, Session: scope.Session, Event: row.ID, Text: "an event of the ledger cannot be read"})
			continue
		}
		for _, ref := range e.Refs() {
			session, id, ok := ref.Address()
			if ok && session == scope.Session && names[id] == "" {
				names[id] = row.ID
				ids = append(ids, id)
			}
		}
	}
	c.progress("events", c.report.Events, "events looked at")
	for len(ids) > 0 {
		n := min(len(ids), store.MaxPage)
		rows, _, err := c.keeper.index.Artifacts(ctx, scope, ids[:n])
		if err != nil {
			return err
		}
		for _, id := range ids[:n] {
			if _, ok := rows[id]; !ok {
				c.tell(Finding{Problem: EventDangling, Principal: scope.Principal, Session: scope.Session, Artifact: id, Event: names[id],
					Text: "a message names a file that is not there any more"})
			}
		}
		ids = ids[n:]
	}
	return nil
}
