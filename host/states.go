package host

import (
	"context"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file holds what becomes of a session and of its files: archived, deleted, purged. Deleting keeps the bytes and leaves a tombstone,
// which is gone to its owner; purging removes bytes and rows, and what was purged is as if it had never been there.

// SetArchived archives the session, or takes it back from there. An archived session is left out of lists that do not ask for it; all else
// stays as it is. Errors: not_found for a session that is not there, gone for a deleted one, and those of the store.
func (s *Session) SetArchived(ctx context.Context, archived bool) error {
	op, change := "archive", store.ArchiveSession
	if !archived {
		op, change = "unarchive", store.UnarchiveSession
	}
	c, err := s.begin(op, "SetArchived")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.setArchived(ctx, change))
}

func (c *call) setArchived(ctx context.Context, change store.SessionChange) error {
	was, ok, err := c.host.index.MarkSession(ctx, c.scope, change, c.host.now())
	switch {
	case err != nil:
		return err
	case !ok:
		return noSession()
	case !was.Deleted.IsZero():
		c.cause = CauseDeleted
		return store.SessionGone()
	}
	return nil
}

// DeleteSession marks the session and its files deleted: nothing of it can be read, found or added to any more. Deleting it again does
// nothing. Errors: not_found for a session that is not there, and those of the store.
func (s *Session) DeleteSession(ctx context.Context) error {
	c, err := s.begin("delete_session", "DeleteSession")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.deleteSession(ctx))
}

func (c *call) deleteSession(ctx context.Context) error {
	_, ok, err := c.host.index.MarkSession(ctx, c.scope, store.DeleteSession, c.host.now())
	if err != nil {
		return err
	}
	c.host.uploads.forget(c.scope)
	if !ok {
		return noSession()
	}
	return nil
}

// PurgeSession removes the session for good: its files, with the bytes that nothing else names, and its ledger. What is not there is no
// error. A purge that fails on its way is ended by the next one, or when a host recovers. Errors: corrupt where something else stands in the
// place of its bytes, which stays, and those of the store.
func (s *Session) PurgeSession(ctx context.Context) error {
	c, err := s.begin("purge_session", "PurgeSession")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.purgeSession(ctx))
}

func (c *call) purgeSession(ctx context.Context) error {
	_, ok, err := c.host.index.MarkSession(ctx, c.scope, store.PurgeSession, c.host.now())
	if err != nil {
		return err
	}
	c.host.uploads.forget(c.scope)
	if !ok {
		c.cause = CauseAbsent
		return nil
	}
	return c.host.keeper.Purge(ctx, store.Purge{Scope: c.scope})
}

// Purge removes the attachment at uri for good: its row, and its bytes if nothing else names them. What is not there, or not the session's,
// is no error and stays as it is. Errors: invalid_uri; corrupt where something else stands in the place of its bytes, which stays, as does
// the row; and those of the store.
func (s *Session) Purge(ctx context.Context, uri string) error {
	c, err := s.begin("purge", "Purge")
	if err != nil {
		return err
	}
	defer c.leave()
	return c.end(ctx, c.purge(ctx, uri))
}

func (c *call) purge(ctx context.Context, uri string) error {
	id, err := c.locate(uri)
	if err != nil {
		return err
	}
	_, ok, err := c.host.index.PurgeArtifact(ctx, c.scope, id, c.host.now())
	if err != nil {
		return err
	}
	if !ok {
		c.find, c.cause = true, CauseAbsent
		return nil
	}
	return c.host.keeper.Purge(ctx, store.Purge{Scope: c.scope, Artifact: id})
}

// present returns the session as it is in the store; not_found when it is not there, gone when it was deleted.
func (c *call) present(ctx context.Context) (store.Session, error) {
	s, ok, err := c.host.index.Session(ctx, c.scope)
	switch {
	case err != nil:
		return s, err
	case !ok:
		return s, noSession()
	case !s.Deleted.IsZero():
		c.cause = CauseDeleted
		return s, store.SessionGone()
	}
	return s, nil
}

func noSession() error {
	return &readapi.Error{Code: readapi.CodeNotFound, Detail: "there is no session of this id"}
}
