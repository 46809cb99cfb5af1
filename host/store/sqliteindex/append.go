package sqliteindex

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	selectCounts = `SELECT messages, events, artifacts, created, updated, files, bytes, deleted IS NOT NULL FROM sessions
		WHERE principal = ?1 AND session = ?2`

	upsertSession = `INSERT INTO sessions (principal, session, messages, events, artifacts, created, updated, files, bytes)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (principal, session) DO UPDATE SET messages = excluded.messages, events = excluded.events,
			artifacts = excluded.artifacts, created = excluded.created, updated = excluded.updated, files = excluded.files, bytes = excluded.bytes`

	addUsage = `INSERT INTO usage (principal, files, bytes) VALUES (?1, ?3, ?4), (?2, ?3, ?4)
		ON CONFLICT (principal) DO UPDATE SET files = files + excluded.files, bytes = bytes + excluded.bytes`

	selectUsage = `SELECT principal, files, bytes FROM usage WHERE principal IN (?1, '')`

	insertUpload = `INSERT INTO uploads (principal, session, id, begun, artifact) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

	// A lease counts until somebody who wants to remove the bytes ends it, not until its time is over.
	selectCover = `SELECT EXISTS (SELECT 1 FROM leases WHERE sha256 = ?1 AND holder = ?2) AND NOT EXISTS (SELECT 1 FROM claims WHERE sha256 = ?1)`

	endLeases = `DELETE FROM leases WHERE holder = ?1`

	selectPayload = `SELECT seq, payload FROM events WHERE principal = ?1 AND session = ?2 AND id = ?3`

	insertEvent = `INSERT INTO events (principal, session, seq, id, type, turn, time, message, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

var appendQueries = []string{
	selectCounts, upsertSession, addUsage, selectUsage, insertUpload, selectCover, endLeases, selectPayload, insertEvent, insertArtifact, selectArtifact,
	nextVersion,
}

// counts is a session's row.
type counts struct {
	messages, events, artifacts int64
	created, updated            int64
	files, bytes                int64
	times                       bool // created and updated mean something
	deleted                     bool
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
func (d *Driver) Append(ctx context.Context, scope readapi.Scope, b store.Batch) (seqs []int64, err error) {
	err = d.write(ctx, appendQueries, func(t tx) error {
		seqs, err = t.append(ctx, scope, b)
		return err
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

func (t tx) append(ctx context.Context, scope readapi.Scope, b store.Batch) ([]int64, error) {
	var c counts
	principal, session := string(scope.Principal), string(scope.Session)
	err := t.rows(ctx, selectCounts, func(rows *sql.Rows) error {
		c.times = true
		return rows.Scan(&c.messages, &c.events, &c.artifacts, &c.created, &c.updated, &c.files, &c.bytes, &c.deleted)
	}, principal, session)
	if err != nil {
		return nil, err
	}
	if c.deleted {
		return nil, &readapi.Error{Code: readapi.CodeGone, Detail: "the session was deleted", Hint: "Purge it to use its id again, or use another one."}
	}
	artifacts, err := t.fresh(ctx, scope, b)
	if err != nil {
		return nil, err
	}
	seqs, events, err := t.plan(ctx, scope, b.Events, c.events)
	if err != nil {
		return nil, err
	}
	first := c.artifacts
	more := c.add(artifacts, events)
	if err := t.within(ctx, principal, c, more, b.Quota); err != nil {
		return nil, err
	}
	_, err = t.exec(ctx, upsertSession, principal, session, c.messages, c.events, c.artifacts, c.created, c.updated, c.files, c.bytes)
	if err == nil && more.Files > 0 {
		_, err = t.exec(ctx, addUsage, principal, "", more.Files, more.Bytes)
	}
	if err != nil {
		return nil, err
	}
	for i, a := range artifacts {
		a.Seq = first + int64(i)
		if err := t.newArtifact(ctx, scope, a, b.Holder); err != nil {
			return nil, err
		}
	}
	if err := t.insertEvents(ctx, scope, events); err != nil {
		return nil, err
	}
	for _, u := range b.Uploads {
		if _, err := t.exec(ctx, insertUpload, principal, session, u.ID, u.Begin, string(u.Artifact)); err != nil {
			return nil, err
		}
	}
	if b.Holder != "" {
		_, err = t.exec(ctx, endLeases, b.Holder)
	}
	return seqs, err
}

func (t tx) insertEvents(ctx context.Context, scope readapi.Scope, events []store.Event) error {
	for _, e := range events {
		_, err := t.exec(ctx, insertEvent, string(scope.Principal), string(scope.Session), e.Seq, e.ID, e.Type, e.Turn, e.Time.UnixMilli(), toInt(e.Message),
			string(e.Payload))
		if err != nil {
			return err
		}
	}
	return nil
}

// fresh returns the artifacts of b that the session has not. Those that it may not have are found when they are inserted.
func (t tx) fresh(ctx context.Context, scope readapi.Scope, b store.Batch) ([]store.Artifact, error) {
	if !b.Again {
		return b.Artifacts, nil
	}
	var out []store.Artifact
	for _, a := range b.Artifacts {
		var r artifactRows
		if err := t.rows(ctx, selectArtifact, r.scan, string(scope.Principal), string(scope.Session), string(a.ID)); err != nil {
			return nil, err
		}
		if len(r.list) == 1 && r.list[0].Blob == a.Blob && r.list[0].Name == a.Name && !r.list[0].Purging {
			continue
		}
		out = append(out, a)
	}
	return out, nil
}

// within checks the quota as it is with more.
func (t tx) within(ctx context.Context, principal string, c counts, more store.Usage, q store.Quota) error {
	if more.Files == 0 || q == (store.Quota{}) {
		return nil
	}
	own, total, err := usage(principal, func(scan func(*sql.Rows) error) error { return t.rows(ctx, selectUsage, scan, principal) })
	if err != nil {
		return err
	}
	for _, l := range []struct {
		name       string
		have, most int64
	}{
		{"session_files", c.files, q.SessionFiles}, {"session_bytes", c.bytes, q.SessionBytes},
		{"principal_files", own.Files + more.Files, q.PrincipalFiles}, {"principal_bytes", own.Bytes + more.Bytes, q.PrincipalBytes},
		{"total_bytes", total.Bytes + more.Bytes, q.TotalBytes},
	} {
		if l.most > 0 && l.have > l.most {
			return store.QuotaError(l.name, l.most, l.have)
		}
	}
	return nil
}

// usage reads the rows of selectUsage.
func usage(principal string, query func(scan func(*sql.Rows) error) error) (own, total store.Usage, err error) {
	err = query(func(rows *sql.Rows) error {
		var who string
		var u store.Usage
		if err := rows.Scan(&who, &u.Files, &u.Bytes); err != nil {
			return err
		}
		if who == principal {
			own = u
		} else {
			total = u
		}
		return nil
	})
	return own, total, err
}

// add counts new rows, and returns how much they add. A session's times are those of its events, and those of its artifacts as long as it
// has no event.
func (c *counts) add(artifacts []store.Artifact, fresh []store.Event) (more store.Usage) {
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
	for _, a := range artifacts {
		if a.Blob != "" {
			more.Files, more.Bytes = more.Files+1, more.Bytes+a.Bytes
		}
	}
	c.events += int64(len(fresh))
	c.artifacts += int64(len(artifacts))
	c.files, c.bytes = c.files+more.Files, c.bytes+more.Bytes
	return more
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

// newArtifact inserts an artifact whose bytes are leased by holder.
func (t tx) newArtifact(ctx context.Context, scope readapi.Scope, a store.Artifact, holder string) error {
	if a.Blob != "" {
		covered := false
		err := t.rows(ctx, selectCover, func(rows *sql.Rows) error { return rows.Scan(&covered) }, a.Blob, holder)
		if err != nil {
			return err
		}
		if !covered {
			return store.LeaseLost()
		}
	}
	err := t.rows(ctx, nextVersion, func(rows *sql.Rows) error { return rows.Scan(&a.Version) }, string(scope.Principal), string(scope.Session), a.Name)
	if err != nil {
		return err
	}
	n, err := t.insertArtifact(ctx, scope, a)
	if err == nil && n == 0 {
		err = &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has an artifact with this id", Final: true, Ref: string(a.ID)}
	}
	return err
}

// insertArtifact inserts a as it is, unless the session has it.
func (t tx) insertArtifact(ctx context.Context, scope readapi.Scope, a store.Artifact) (inserted int64, err error) {
	candidates, err := toJSON(a.Candidates)
	if err != nil {
		return 0, err
	}
	blob := sql.NullString{String: a.Blob, Valid: a.Blob != ""}
	deleted := sql.NullInt64{Int64: a.Deleted.UnixMilli(), Valid: !a.Deleted.IsZero()}
	return t.exec(ctx, insertArtifact, string(scope.Principal), string(scope.Session), string(a.ID), a.Seq, blob, a.Bytes, a.Name, string(a.Kind),
		string(a.Source), string(a.Status), string(a.MediaType), candidates, string(a.Declared), toInt(a.Mismatch), a.Created.UnixMilli(), deleted, a.Version,
		toInt(a.Purging))
}
