package store

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Index keeps the rows: artifacts, sessions, events and the decoder set. It checks what goes in, and gives every error its code. It is
// safe for concurrent use. What its methods do is said at IndexDriver.
//
// A limit of 0 is MaxPage, and so is a larger one. Any method may return invalid_request, busy, capability_unavailable, corrupt, canceled
// and limit_time. What is returned is the caller's.
type Index struct {
	driver IndexDriver
}

// NewIndex returns the index of a driver, which it closes. Errors: invalid_request without one.
func NewIndex(driver IndexDriver) (*Index, error) {
	if driver == nil {
		return nil, readapi.AsError("store.NewIndex", invalid("there is no driver"))
	}
	return &Index{driver}, nil
}

// Append commits a batch of one session, all or nothing, and returns the numbers of its events. What the store gives need not be set: Seq,
// Version, Scope, Status. The copy of an artifact that was deleted comes as a deleted one. An empty batch does nothing, and makes no session.
//
// Errors: invalid_request for what an index cannot keep (text that is not UTF-8 or holds a NUL, a payload that is no JSON, a time that
// is zero); conflict for an artifact or upload id that the session has, or an event id that it has with another payload; gone for a session that was
// deleted; quota_exceeded for a quota, with its limit, and on a full disk; busy also for bytes whose lease was lost; too_large;
// capability_unavailable, corrupt, canceled.
func (x *Index) Append(ctx context.Context, scope readapi.Scope, b Batch) ([]int64, error) {
	const op = "store.Index.Append"
	if err := checkScope(ctx, scope); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if len(b.Artifacts) == 0 && len(b.Events) == 0 && len(b.Uploads) == 0 {
		return nil, nil
	}
	b, err := checkBatch(scope, b)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	seqs, err := x.driver.Append(ctx, scope, b)
	return seqs, writeError(op, err)
}

// Artifacts returns the rows of scope among ids by id, and the generation of the decoder set, as of one moment. At most MaxPage ids.
func (x *Index) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows map[readapi.ArtifactID]Artifact, generation int64, err error) {
	const op = "store.Index.Artifacts"
	if err := checkScope(ctx, scope); err != nil {
		return nil, 0, readapi.AsError(op, err)
	}
	if len(ids) > MaxPage {
		return nil, 0, readapi.AsError(op, invalid("more ids than one call may name"))
	}
	for _, id := range ids {
		if !id.Valid() {
			return nil, 0, readapi.AsError(op, invalid("an artifact's id has not the form of one"))
		}
	}
	list, generation, err := x.driver.Artifacts(ctx, scope, ids)
	if err != nil {
		return nil, 0, readError(op, err)
	}
	rows = make(map[readapi.ArtifactID]Artifact, len(list))
	for _, a := range list {
		rows[a.ID] = a
	}
	return rows, generation, nil
}

// ListArtifacts returns up to limit rows of scope behind the Seq after (-1: from the start), and the generation.
func (x *Index) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (rows []Artifact, generation int64, err error) {
	const op = "store.Index.ListArtifacts"
	limit, err = checkPage(ctx, scope, limit)
	if err != nil {
		return nil, 0, readapi.AsError(op, err)
	}
	rows, generation, err = x.driver.ListArtifacts(ctx, scope, after, limit)
	return rows, generation, readError(op, err)
}

// FindArtifacts returns the rows with this id in whatever scope: for audit only.
func (x *Index) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]Artifact, error) {
	const op = "store.Index.FindArtifacts"
	if err := ctx.Err(); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if !id.Valid() {
		return nil, readapi.AsError(op, invalid("an artifact's id has not the form of one"))
	}
	rows, err := x.driver.FindArtifacts(ctx, id)
	return rows, readError(op, err)
}

// DeleteArtifact marks an artifact deleted; ok is false when scope has none.
func (x *Index) DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error) {
	const op = "store.Index.DeleteArtifact"
	err = checkScope(ctx, scope)
	at = milliseconds(at)
	switch {
	case err != nil:
	case !id.Valid():
		err = invalid("an artifact's id has not the form of one")
	case !validTime(at):
		err = invalid("the time cannot be stored")
	}
	if err != nil {
		return Artifact{}, false, readapi.AsError(op, err)
	}
	row, ok, err = x.driver.DeleteArtifact(ctx, scope, id, at)
	return row, ok, writeError(op, err)
}

// Sessions returns sessions of a principal, newest first.
func (x *Index) Sessions(ctx context.Context, principal readapi.PrincipalID, q SessionQuery) ([]Session, error) {
	const op = "store.Index.Sessions"
	if err := ctx.Err(); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if !principal.Valid() {
		return nil, readapi.AsError(op, invalid("the principal's id has not the form of one"))
	}
	limit, err := pageSize(q.Limit)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	q.Limit = limit
	list, err := x.driver.Sessions(ctx, principal, q)
	return list, readError(op, err)
}

// Session returns one session; ok is false when there is none.
func (x *Index) Session(ctx context.Context, scope readapi.Scope) (s Session, ok bool, err error) {
	const op = "store.Index.Session"
	if err := checkScope(ctx, scope); err != nil {
		return Session{}, false, readapi.AsError(op, err)
	}
	s, ok, err = x.driver.Session(ctx, scope)
	return s, ok, readError(op, err)
}

// Events returns up to limit events of scope behind the Seq after (-1: from the start).
func (x *Index) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]Event, error) {
	const op = "store.Index.Events"
	limit, err := checkPage(ctx, scope, limit)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.Events(ctx, scope, after, limit)
	return list, readError(op, err)
}

// Event returns one event by id; ok is false when scope has none.
func (x *Index) Event(ctx context.Context, scope readapi.Scope, id string) (e Event, ok bool, err error) {
	const op = "store.Index.Event"
	if err := checkScope(ctx, scope); err != nil {
		return Event{}, false, readapi.AsError(op, err)
	}
	if !plain(id) {
		return Event{}, false, nil // no event can have it
	}
	e, ok, err = x.driver.Event(ctx, scope, id)
	return e, ok, readError(op, err)
}

// LastEvent returns the newest event of scope, the one with the highest Seq; ok is false when there is none.
func (x *Index) LastEvent(ctx context.Context, scope readapi.Scope) (e Event, ok bool, err error) {
	const op = "store.Index.LastEvent"
	if err := checkScope(ctx, scope); err != nil {
		return Event{}, false, readapi.AsError(op, err)
	}
	e, ok, err = x.driver.LastEvent(ctx, scope)
	return e, ok, readError(op, err)
}

// Decoders returns the decoder set.
func (x *Index) Decoders(ctx context.Context) (DecoderSet, error) {
	const op = "store.Index.Decoders"
	if err := ctx.Err(); err != nil {
		return DecoderSet{}, readapi.AsError(op, err)
	}
	set, err := x.driver.Decoders(ctx)
	return set, readError(op, err)
}

// SetDecoders replaces the decoder set if its generation still is was, and returns the new one; else it is conflict. Names must differ.
func (x *Index) SetDecoders(ctx context.Context, was int64, decoders []DecoderEntry) (DecoderSet, error) {
	const op = "store.Index.SetDecoders"
	if err := ctx.Err(); err != nil {
		return DecoderSet{}, readapi.AsError(op, err)
	}
	if err := checkDecoders(decoders); err != nil {
		return DecoderSet{}, readapi.AsError(op, err)
	}
	set, err := x.driver.SetDecoders(ctx, was, decoders)
	return set, writeError(op, err)
}

// BlobNames returns digests that rows name, in rising order, behind after ("": from the start).
func (x *Index) BlobNames(ctx context.Context, after string, limit int) ([]string, error) {
	const op = "store.Index.BlobNames"
	if err := ctx.Err(); err != nil {
		return nil, readapi.AsError(op, err)
	}
	if after != "" && !ValidDigest(after) {
		return nil, readapi.AsError(op, invalid("this names no blob"))
	}
	limit, err := pageSize(limit)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.BlobNames(ctx, after, limit)
	return list, readError(op, err)
}

// Close closes the driver.
func (x *Index) Close() error { return readapi.AsError("store.Index.Close", x.driver.Close()) }

func checkScope(ctx context.Context, scope readapi.Scope) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !scope.Valid() {
		return invalid("the session's or principal's id has not the form of one")
	}
	return nil
}

func checkPage(ctx context.Context, scope readapi.Scope, limit int) (int, error) {
	if err := checkScope(ctx, scope); err != nil {
		return 0, err
	}
	return pageSize(limit)
}
