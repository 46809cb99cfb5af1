package sqliteindex

import (
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

	insertUpload = `INSERT INTO uploads (principal, session, id, begun, artifact) VALUES (?, ?, ?, ?, ?)`

	selectKnown = `SELECT a.id, a.blob, a.name, a.purging FROM json_each(?3) AS j CROSS JOIN artifacts AS a NOT INDEXED
		WHERE a.principal = ?1 AND a.session = ?2 AND a.id = j.value`

	// A lease counts until somebody who wants to remove the bytes ends it, not until its time is over.
	selectBare = `SELECT j.value FROM json_each(?1) AS j WHERE NOT EXISTS (SELECT 1 FROM leases WHERE sha256 = j.value AND holder = ?2)
		OR EXISTS (SELECT 1 FROM claims WHERE sha256 = j.value) LIMIT 1`

	endLeases = `DELETE FROM leases WHERE holder = ?1`

	selectPayload = `SELECT seq, payload FROM events WHERE principal = ?1 AND session = ?2 AND id = ?3`

	insertEvent = `INSERT INTO events (principal, session, seq, id, type, turn, time, message, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

var appendQueries = []string{
	selectCounts, upsertSession, addUsage, selectUsage, selectUpload, insertUpload, selectKnown, selectBare, endLeases, selectPayload, insertEvent,
	insertArtifact, lastVersions,
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
		return nil, store.SessionGone()
	}
	had, err := t.known(ctx, scope, b.Artifacts)
	if err != nil {
		return nil, err
	}
	artifacts, err := b.FreshArtifacts(had)
	if err != nil {
		return nil, err
	}
	seqs, events, err := b.FreshEvents(c.events, t.event(ctx, scope))
	if err != nil {
		return nil, err
	}
	uploads, err := b.FreshUploads(t.upload(ctx, scope))
	if err != nil {
		return nil, err
	}
	if err := t.covered(ctx, b.Holder, artifacts); err != nil {
		return nil, err
	}
	if err := t.within(ctx, principal, c, store.UsageOf(artifacts), b.Quota); err != nil {
		return nil, err
	}
	next := c.artifacts
	more := c.add(artifacts, events)
	_, err = t.exec(ctx, upsertSession, principal, session, c.messages, c.events, c.artifacts, c.created, c.updated, c.files, c.bytes)
	if err == nil && more.Files > 0 {
		_, err = t.exec(ctx, addUsage, principal, "", more.Files, more.Bytes)
	}
	if err == nil {
		err = t.insertArtifacts(ctx, scope, artifacts, next)
	}
	if err == nil {
		err = t.insertEvents(ctx, scope, events)
	}
	for _, u := range uploads {
		if err == nil {
			_, err = t.exec(ctx, insertUpload, principal, session, u.ID, u.Begin, string(u.Artifact))
		}
	}
	if err == nil && b.Holder != "" {
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

// known returns the session's artifacts that have the id of one of list: what decides whether they are the same.
func (t tx) known(ctx context.Context, scope readapi.Scope, list []store.Artifact) (map[readapi.ArtifactID]store.Artifact, error) {
	if len(list) == 0 {
		return nil, nil
	}
	ids := make([]readapi.ArtifactID, len(list))
	for i, a := range list {
		ids[i] = a.ID
	}
	asked, err := toJSON(ids)
	if err != nil {
		return nil, err
	}
	known := map[readapi.ArtifactID]store.Artifact{}
	err = t.rows(ctx, selectKnown, func(rows *sql.Rows) error {
		var a store.Artifact
		var blob sql.NullString
		err := rows.Scan((*string)(&a.ID), &blob, &a.Name, &a.Purging)
		a.Blob = blob.String
		known[a.ID] = a
		return err
	}, string(scope.Principal), string(scope.Session), asked)
	return known, err
}

// event finds an event of the session: its number and what it says.
func (t tx) event(ctx context.Context, scope readapi.Scope) func(id string) (store.Event, bool, error) {
	return func(id string) (e store.Event, ok bool, err error) {
		err = t.rows(ctx, selectPayload, func(rows *sql.Rows) error {
			ok = true
			return rows.Scan(&e.Seq, (*[]byte)(&e.Payload))
		}, string(scope.Principal), string(scope.Session), id)
		return e, ok, err
	}
}

// upload finds an upload of the session.
func (t tx) upload(ctx context.Context, scope readapi.Scope) func(id string) (store.Upload, bool, error) {
	return func(id string) (store.Upload, bool, error) {
		var list []store.Upload
		err := t.rows(ctx, selectUpload, scanUpload(&list), string(scope.Principal), string(scope.Session), id)
		return first(list, err)
	}
}

// covered checks that holder has leases on the bytes of artifacts, and that nobody has claimed them.
func (t tx) covered(ctx context.Context, holder string, artifacts []store.Artifact) error {
	var digests []string
	for _, a := range artifacts {
		if a.Blob != "" {
			digests = append(digests, a.Blob)
		}
	}
	if len(digests) == 0 {
		return nil
	}
	wanted, err := toJSON(digests)
	if err != nil {
		return err
	}
	return t.rows(ctx, selectBare, func(*sql.Rows) error { return store.LeaseLost() }, wanted, holder)
}

// within checks the quota for more.
func (t tx) within(ctx context.Context, principal string, c counts, more store.Usage, q store.Quota) error {
	if more.Files == 0 || q == (store.Quota{}) {
		return nil
	}
	own, total, err := usage(principal, func(scan func(*sql.Rows) error) error { return t.rows(ctx, selectUsage, scan, principal) })
	if err != nil {
		return err
	}
	return q.Allows(more, store.Usage{Files: c.files, Bytes: c.bytes}, own, total)
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
	more = store.UsageOf(artifacts)
	c.events += int64(len(fresh))
	c.artifacts += int64(len(artifacts))
	c.files, c.bytes = c.files+more.Files, c.bytes+more.Bytes
	return more
}

// insertArtifacts inserts artifacts that the session has not, the first with the number next, and gives them their versions.
func (t tx) insertArtifacts(ctx context.Context, scope readapi.Scope, artifacts []store.Artifact, next int64) error {
	if len(artifacts) == 0 {
		return nil
	}
	names := make([]string, len(artifacts))
	for i, a := range artifacts {
		names[i] = a.Name
	}
	asked, err := toJSON(names)
	if err != nil {
		return err
	}
	last := map[string]int64{}
	err = t.rows(ctx, lastVersions, func(rows *sql.Rows) error {
		var name string
		var version sql.NullInt64
		err := rows.Scan(&name, &version)
		last[name] = version.Int64
		return err
	}, string(scope.Principal), string(scope.Session), asked)
	if err != nil {
		return err
	}
	for i, a := range artifacts {
		last[a.Name]++
		a.Seq, a.Version = next+int64(i), last[a.Name]
		if _, err := t.insertArtifact(ctx, scope, a); err != nil {
			return err
		}
	}
	return nil
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
