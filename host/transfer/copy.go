package transfer

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// copier makes the sessions of one store those of another.
type copier struct {
	from, to Store
	frozen   bool // nobody else uses from: nothing is leased there
	prune    bool // what to has and from has not is removed from to
	dry      bool // nothing is written
	verify   bool // bytes that are at the target are read before they are taken for those
	jobs     int
	out      *reporter

	source, target *leases       // of a worker; nil where nothing is leased
	room           chan struct{} // a token for each group of files that may be copied just now
}

// sessions copies every session, several at a time.
func (c *copier) sessions(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.room = make(chan struct{}, c.jobs)
	scopes := make(chan readapi.Scope)
	var workers sync.WaitGroup
	for range c.jobs {
		workers.Go(func() {
			if err := c.work(ctx, scopes); err != nil {
				cancel(err)
			}
		})
	}
	err := eachSession(ctx, c.from.Index, "", func(scope readapi.Scope) error {
		select {
		case scopes <- scope:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	close(scopes)
	workers.Wait()
	return cmp.Or(context.Cause(ctx), err)
}

// work copies sessions until there are no more, under leases of its own.
func (c *copier) work(ctx context.Context, scopes <-chan readapi.Scope) error {
	w := *c
	if !c.dry && !c.frozen {
		w.source = hold(ctx, c.from.Index)
		defer w.source.end(ctx)
	}
	if !c.dry {
		w.target = hold(ctx, c.to.Index)
		defer w.target.end(ctx)
	}
	for scope := range scopes {
		if err := w.session(ctx, scope); err != nil {
			return err
		}
	}
	return nil
}

// session makes a session of the target what it is at the source. A session that was purged while it was copied is begun again, because
// another one may have its id now.
func (c *copier) session(ctx context.Context, scope readapi.Scope) error {
	for range tries {
		h, ok, err := readHeader(ctx, c.from.Index, scope)
		if err != nil || !ok {
			return err
		}
		was, ok, err := c.known(ctx, h)
		if err != nil || !ok {
			return err
		}
		if err := c.rows(ctx, h, was); err != nil {
			if errors.Is(err, errLeft) {
				return nil
			}
			return err
		}
		now, ok, err := readHeader(ctx, c.from.Index, scope)
		if err != nil {
			return err
		}
		if ok && (h.First == "" || now.First == h.First) {
			c.out.count(func(n *Counts) { n.Sessions++ })
			return nil
		}
		if ok, err := c.surplus(ctx, scope, "it was purged at the source while it was copied"); err != nil || !ok {
			return err
		}
	}
	return &readapi.Error{Code: readapi.CodeBusy, Detail: "a session is purged and begun again all the time"}
}

// known says up to which event the target has a session, -1: none. ok is false where what it has under the id is another session.
func (c *copier) known(ctx context.Context, h header) (t header, ok bool, err error) {
	scope := h.Scope()
	t, ok, err = readHeader(ctx, c.to.Index, scope)
	if err != nil {
		return header{}, false, err
	}
	if !ok {
		s, there, err := c.to.Index.Session(ctx, scope)
		if there && s.Purging {
			c.out.problem(ofSession(scope, store.Artifact{}, readapi.CodeConflict, "the target is purging a session of this id"))
			return header{}, false, nil
		}
		return header{Last: -1}, err == nil, err
	}
	same := t.Deleted.IsZero() || !h.Deleted.IsZero()
	if same && t.First != "" {
		same, err = c.prefix(ctx, h, t)
		if err != nil {
			return header{}, false, err
		}
	}
	if same {
		return t, true, nil
	}
	ok, err = c.surplus(ctx, scope, "the target has another session of this id")
	return header{Last: -1}, ok, err
}

// prefix reports whether the events that the target has are the first ones of the source.
func (c *copier) prefix(ctx context.Context, h, t header) (bool, error) {
	if t.First != h.First {
		return false, nil
	}
	mine, ok, err := c.to.Index.LastEvent(ctx, h.Scope())
	if err != nil || !ok {
		return false, err
	}
	theirs, ok, err := c.from.Index.Event(ctx, h.Scope(), mine.ID)
	return ok && theirs.Seq == mine.Seq && bytes.Equal(theirs.Payload, mine.Payload), err
}

// surplus removes a session from the target, where that is wanted; else it is a problem, and ok is false.
func (c *copier) surplus(ctx context.Context, scope readapi.Scope, why string) (ok bool, err error) {
	if !c.prune {
		c.out.problem(ofSession(scope, store.Artifact{}, readapi.CodeConflict, why))
		return false, nil
	}
	if c.dry {
		return false, nil
	}
	if _, ok, err := c.to.Index.MarkSession(ctx, scope, store.PurgeSession, removedAt); err != nil || !ok {
		return err == nil, err
	}
	if err := c.to.Index.DropSession(ctx, scope); err != nil {
		return false, err
	}
	c.out.count(func(n *Counts) { n.Removed++ })
	return true, nil
}

// pending are rows whose bytes are at the target, and that are not.
type pending struct {
	artifacts []store.Artifact
	uploads   []store.Upload
	events    []store.Event
	bytes     int // of the events; of an import's lines
}

const (
	pendingRows  = 1000
	pendingBytes = 8 << 20
)

// add adds events.
func (p *pending) add(events []store.Event) {
	p.events = append(p.events, events...)
	for _, e := range events {
		p.bytes += len(e.Payload)
	}
}

func (p *pending) full() bool {
	return len(p.artifacts)+len(p.uploads)+len(p.events) >= pendingRows || p.bytes >= pendingBytes
}

// rows copies what h has and the target has not, where it has the session as t.
func (c *copier) rows(ctx context.Context, h, t header) error {
	scope := h.Scope()
	var p pending
	flush := func() error {
		if err := c.load(ctx, h, &p); err != nil {
			return err
		}
		p = pending{}
		return nil
	}
	if err := c.leftOver(ctx, scope, t); err != nil {
		return err
	}
	err := eachArtifacts(ctx, c.from.Index, scope, func(rows []store.Artifact) error {
		rows, err := c.artifacts(ctx, h, rows)
		if err != nil {
			return err
		}
		p.artifacts = append(p.artifacts, rows...)
		if p.full() {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = eachUploads(ctx, c.from.Index, scope, func(list []store.Upload) error {
		list, err := c.uploads(ctx, scope, list, p.artifacts)
		if err != nil {
			return err
		}
		p.uploads = append(p.uploads, list...)
		if p.full() {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = eachEvents(ctx, c.from.Index, scope, t.Last, h.Last, func(list []store.Event) error {
		if p.add(list); p.full() {
			return flush()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := flush(); err != nil || t.ID == "" || c.dry {
		return err
	}
	return deleteRest(ctx, c.to.Index, h.Session)
}

// deleteRest deletes what else is in a session that was deleted: where it was there before, it may have files that were not loaded.
func deleteRest(ctx context.Context, x *store.Index, s store.Session) error {
	if s.Deleted.IsZero() {
		return nil
	}
	_, _, err := x.MarkSession(ctx, s.Scope(), store.DeleteSession, s.Deleted)
	return err
}

// errLeft ends a session that is left as it is, which has been told.
var errLeft = errors.New("transfer: the session is left as it is")

// load puts rows into the target, and makes the session what h says. The bytes need no lease any more then.
func (c *copier) load(ctx context.Context, h header, p *pending) error {
	if !c.dry {
		err := c.to.Index.Load(ctx, h.Session, p.artifacts, p.events, p.uploads)
		if readapi.CodeOf(err) == readapi.CodeConflict {
			c.out.problem(ofSession(h.Scope(), store.Artifact{}, readapi.CodeConflict, "the target has other rows in the place of some of this session"))
			return errLeft
		}
		if err != nil {
			return err
		}
		if err := c.target.clear(ctx); err != nil {
			return err
		}
	}
	c.out.count(func(n *Counts) {
		n.Artifacts += int64(len(p.artifacts))
		n.Uploads += int64(len(p.uploads))
		n.Events += int64(len(p.events))
	})
	return nil
}

// artifacts returns those of a page that the target has not, once their bytes are there.
func (c *copier) artifacts(ctx context.Context, h header, rows []store.Artifact) ([]store.Artifact, error) {
	scope := h.Scope()
	have, err := rowsOf(ctx, c.to.Index, scope, idsOf(rows))
	if err != nil {
		return nil, err
	}
	var fresh []store.Artifact
	for _, a := range rows {
		b, ok := have[a.ID]
		if !ok {
			fresh = append(fresh, a)
			continue
		}
		if err := c.update(ctx, a, b); err != nil {
			return nil, err
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	if c.source != nil {
		if fresh, err = keep(ctx, c.source, scope, fresh); err != nil {
			return nil, err
		}
	}
	if fresh, err = c.blobs(ctx, fresh); err != nil {
		return nil, err
	}
	return fresh, c.source.clear(ctx)
}

// update makes a row that the target has what it is at the source: only its deletion can have come.
func (c *copier) update(ctx context.Context, a, b store.Artifact) error {
	if !sameRow(a, b) {
		c.out.problem(ofSession(a.Scope, a, readapi.CodeConflict, "the target has another file of this id"))
		return nil
	}
	switch {
	case a.Deleted.Equal(b.Deleted) || c.dry:
	case b.Deleted.IsZero():
		_, _, err := c.to.Index.DeleteArtifact(ctx, a.Scope, a.ID, a.Deleted)
		return err
	default:
		c.out.problem(ofSession(a.Scope, a, readapi.CodeConflict, "the file was deleted at the target"))
	}
	return nil
}

// sameRow compares two rows of an artifact, besides whether it is deleted.
func sameRow(a, b store.Artifact) bool {
	return a.ID == b.ID && a.Seq == b.Seq && a.Blob == b.Blob && a.Bytes == b.Bytes && a.Name == b.Name && a.Kind == b.Kind && a.Source == b.Source &&
		a.MediaType == b.MediaType && slices.Equal(a.Candidates, b.Candidates) && a.Declared == b.Declared && a.Mismatch == b.Mismatch &&
		a.Version == b.Version && a.Created.Equal(b.Created)
}

// leftOver removes the artifacts of a session that the source has not any more, or tells of them.
func (c *copier) leftOver(ctx context.Context, scope readapi.Scope, t header) error {
	if t.ID == "" {
		return nil // the target has not had the session
	}
	return eachArtifacts(ctx, c.to.Index, scope, func(rows []store.Artifact) error {
		have, err := rowsOf(ctx, c.from.Index, scope, idsOf(rows))
		if err != nil {
			return err
		}
		for _, a := range rows {
			if _, ok := have[a.ID]; ok {
				continue
			}
			if !c.prune {
				c.out.problem(ofSession(scope, a, readapi.CodeConflict, "the source has not this file any more"))
				continue
			}
			if c.dry {
				continue
			}
			if _, _, err := c.to.Index.PurgeArtifact(ctx, scope, a.ID, removedAt); err != nil {
				return err
			}
			if err := c.to.Index.DropArtifact(ctx, scope, a.ID); err != nil {
				return err
			}
			c.out.count(func(n *Counts) { n.Removed++ })
		}
		return nil
	})
}

// uploads returns those whose artifact is at the target, or is coming, and that are not there themselves.
func (c *copier) uploads(ctx context.Context, scope readapi.Scope, list []store.Upload, coming []store.Artifact) (out []store.Upload, err error) {
	ids := make([]readapi.ArtifactID, len(list))
	for i, u := range list {
		ids[i] = u.Artifact
	}
	have, err := rowsOf(ctx, c.to.Index, scope, ids)
	if err != nil {
		return nil, err
	}
	for _, a := range coming {
		have[a.ID] = a
	}
	for _, u := range list {
		if _, ok := have[u.Artifact]; !ok {
			continue
		}
		if _, ok, err := c.to.Index.Upload(ctx, scope, u.ID); err != nil || ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		out = append(out, u)
	}
	return out, nil
}
