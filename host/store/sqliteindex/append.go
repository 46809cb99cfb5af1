package sqliteindex

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	selectCounts = `SELECT messages, events, artifacts, created, updated FROM sessions WHERE principal = ?1 AND session = ?2`

	upsertSession = `INSERT INTO sessions (principal, session, messages, events, artifacts, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (principal, session) DO UPDATE SET messages = excluded.messages, events = excluded.events,
			artifacts = excluded.artifacts, created = excluded.created, updated = excluded.updated`

	selectPayload = `SELECT seq, payload FROM events WHERE principal = ?1 AND session = ?2 AND id = ?3`

	insertEvent = `INSERT INTO events (principal, session, seq, id, type, turn, time, message, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// counts is a session's row.
type counts struct {
	messages, events, artifacts int64
	created, updated            int64
	times                       bool // created and updated mean something
}

func (c *counts) include(ms int64) {
	if !c.times || ms < c.created {
		c.created = ms
	}
	if !c.times || ms > c.updated {
		c.updated = ms
	}
	c.times = true
}

// Append implements store.IndexDriver.
func (d *Driver) Append(ctx context.Context, scope readapi.Scope, artifacts []store.Artifact, events []store.Event) (seqs []int64, err error) {
	err = d.write(ctx, func(t tx) error {
		var c counts
		principal, session := string(scope.Principal), string(scope.Session)
		err := t.rows(ctx, selectCounts, func(rows *sql.Rows) error {
			c.times = true
			return rows.Scan(&c.messages, &c.events, &c.artifacts, &c.created, &c.updated)
		}, principal, session)
		if err != nil {
			return err
		}
		var fresh []store.Event
		if seqs, fresh, err = t.plan(ctx, scope, events, c.events); err != nil {
			return err
		}
		first := c.artifacts
		c.add(artifacts, fresh)
		if _, err := t.exec(ctx, upsertSession, principal, session, c.messages, c.events, c.artifacts, c.created, c.updated); err != nil {
			return err
		}
		for i, a := range artifacts {
			if err := t.insertArtifact(ctx, scope, a, first+int64(i)); err != nil {
				return err
			}
		}
		for _, e := range fresh {
			if _, err := t.exec(ctx, insertEvent, principal, session, e.Seq, e.ID, e.Type, e.Turn, e.Time.UnixMilli(), toInt(e.Message), string(e.Payload)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

// add counts new rows. A session's times are those of its events, and those of its artifacts as long as it has no event.
func (c *counts) add(artifacts []store.Artifact, fresh []store.Event) {
	switch {
	case c.events == 0 && len(fresh) > 0:
		c.times = false
	case c.events == 0:
		for _, a := range artifacts {
			c.include(a.Created.UnixMilli())
		}
	}
	for _, e := range fresh {
		c.include(e.Time.UnixMilli())
		c.messages += toInt(e.Message)
	}
	c.events += int64(len(fresh))
	c.artifacts += int64(len(artifacts))
}

// plan numbers the events from next on, and finds those that the session has not yet.
func (t tx) plan(ctx context.Context, scope readapi.Scope, events []store.Event, next int64) (seqs []int64, fresh []store.Event, err error) {
	known := make(map[string]store.Event, len(events))
	for _, e := range events {
		was, ok := known[e.ID]
		if !ok {
			err := t.rows(ctx, selectPayload, func(rows *sql.Rows) error {
				ok = true
				return rows.Scan(&was.Seq, (*[]byte)(&was.Payload))
			}, string(scope.Principal), string(scope.Session), e.ID)
			if err != nil {
				return nil, nil, err
			}
		}
		switch {
		case !ok:
			e.Seq = next + int64(len(fresh))
			fresh = append(fresh, e)
			was = e
		case !bytes.Equal(was.Payload, e.Payload):
			return nil, nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another event with this id", Hint: "Give the event another id, or none.", Final: true}
		}
		known[e.ID] = was
		seqs = append(seqs, was.Seq)
	}
	return seqs, fresh, nil
}

func (t tx) insertArtifact(ctx context.Context, scope readapi.Scope, a store.Artifact, seq int64) error {
	candidates, err := toJSON(a.Candidates)
	if err != nil {
		return err
	}
	blob := sql.NullString{String: a.Blob, Valid: a.Blob != ""}
	n, err := t.exec(ctx, insertArtifact, string(scope.Principal), string(scope.Session), string(a.ID), seq, blob, a.Bytes, a.Name, string(a.Kind),
		string(a.Source), string(a.Status), string(a.MediaType), candidates, string(a.Declared), toInt(a.Mismatch), a.Created.UnixMilli())
	if err == nil && n == 0 {
		err = &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has an artifact with this id", Final: true, Ref: string(a.ID)}
	}
	return err
}
