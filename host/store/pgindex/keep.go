package pgindex

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// The row, its upload, and what it counts for, in one statement.
	dropArtifact = `WITH gone AS (DELETE FROM glovebox.artifacts WHERE principal = $1 AND session = $2 AND id = $3 AND purging RETURNING bytes, blob),
		less AS (SELECT count(*) AS n, coalesce(sum(bytes), 0)::bigint AS b FROM gone WHERE blob IS NOT NULL),
		u AS (DELETE FROM glovebox.uploads WHERE hashtextextended(principal || '/' || session || '/' || artifact, 0) =
			hashtextextended($1 || '/' || $2 || '/' || $3, 0) AND principal || '' = $1 AND session || '' = $2 AND artifact = $3 AND EXISTS (SELECT FROM gone)),
		g AS (UPDATE glovebox.usage AS g SET files = files - n, bytes = bytes - b FROM less WHERE n > 0 AND principal = $1 AND part = $4)
		UPDATE glovebox.sessions SET files = files - n, bytes = bytes - b FROM less WHERE n > 0 AND principal = $1 AND session = $2`

	addUploads = `INSERT INTO glovebox.uploads (principal, session, id, begun, artifact)
		SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::text[]) ON CONFLICT DO NOTHING`

	knownUploads = `SELECT k.id, k.begun, k.artifact FROM unnest($3::text[]) AS u (id) CROSS JOIN LATERAL
		(SELECT * FROM glovebox.uploads WHERE principal = $1 AND session = $2 AND id = u.id OFFSET 0) AS k`

	selectUpload = `SELECT id, begun, artifact FROM glovebox.uploads WHERE principal = $1 AND session = $2 AND id = $3`

	scanUploads = `SELECT id, begun, artifact FROM glovebox.uploads WHERE principal = $1 AND session = $2 AND id > $3 ORDER BY id LIMIT $4`

	archiveSession = `UPDATE glovebox.sessions SET archived = $3 WHERE principal = $1 AND session = $2 AND deleted IS NULL`

	deleteSession = `UPDATE glovebox.sessions SET deleted = coalesce(deleted, $3), purging = purging OR $4 WHERE principal = $1 AND session = $2`

	deleteArtifacts = `UPDATE glovebox.artifacts SET status = 'deleted', deleted = coalesce(deleted, $3), purging = purging OR $4
		WHERE principal = $1 AND session = $2 AND (status = 'live' OR $4 AND NOT purging)`

	subtractSession = `UPDATE glovebox.usage AS u SET files = u.files - s.files, bytes = u.bytes - s.bytes FROM glovebox.sessions AS s
		WHERE s.principal = $1 AND s.session = $2 AND s.purging AND u.principal = $1 AND u.part = $3`

	ofPurged = ` WHERE principal = $1 AND session = $2
		AND EXISTS (SELECT FROM glovebox.sessions AS s WHERE s.principal = $1 AND s.session = $2 AND s.purging)`

	dropUploads   = `DELETE FROM glovebox.uploads` + ofPurged
	dropEvents    = `DELETE FROM glovebox.events` + ofPurged
	dropArtifacts = `DELETE FROM glovebox.artifacts` + ofPurged
	dropSession   = `DELETE FROM glovebox.sessions` + ofPurged

	listPurges = `SELECT principal, session, id FROM (
			SELECT 1 AS kind, principal, session, '' COLLATE "C" AS id FROM glovebox.sessions WHERE purging
			UNION ALL SELECT 2, principal, session, id FROM glovebox.artifacts AS a WHERE purging AND NOT EXISTS
				(SELECT FROM glovebox.sessions AS s WHERE s.principal = a.principal AND s.session = a.session AND s.purging)) AS p
		ORDER BY kind, principal, session, id LIMIT $1`

	selectUsages = `SELECT coalesce(sum(files) FILTER (WHERE principal = $1), 0)::bigint, coalesce(sum(bytes) FILTER (WHERE principal = $1), 0)::bigint,
		coalesce(sum(files), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM glovebox.usage`

	scanArtifacts = `SELECT 0::bigint, ` + artifactColumns + ` FROM glovebox.artifacts AS a WHERE (principal, session, id) > ($1, $2, $3)
		AND ($4 = '' OR source = $4) AND created < $5 AND ($6::bigint IS NULL OR deleted < $6) ORDER BY principal, session, id LIMIT $7`

	loadSession = `INSERT INTO glovebox.sessions AS s (principal, session, messages, events, artifacts, files, bytes, created, updated, archived, deleted, purging)
		VALUES ($1, $2, $3, 0, 0, 0, 0, $4, $5, $6, $7, $8) ON CONFLICT (principal, session) DO UPDATE SET messages = excluded.messages,
			created = excluded.created, updated = excluded.updated, archived = excluded.archived,
			deleted = coalesce(excluded.deleted, s.deleted), purging = s.purging OR excluded.purging RETURNING deleted, purging`

	loadArtifacts = addArtifacts + ` ON CONFLICT (principal, session, id) DO NOTHING RETURNING seq, bytes, blob IS NOT NULL`

	loadEvents = addEvents + ` WHERE NOT EXISTS (SELECT FROM glovebox.events AS e WHERE e.principal || '' = $1 AND e.session || '' = $2
		AND hashtextextended(e.principal || '/' || e.session || '/' || e.id, 0) = hashtextextended($1 || '/' || $2 || '/' || u.id, 0) AND e.id = u.id)
		RETURNING seq`

	countLoaded = `UPDATE glovebox.sessions SET events = greatest(events, $3), artifacts = greatest(artifacts, $4), files = files + $5, bytes = bytes + $6
		WHERE principal = $1 AND session = $2`
)

// DropArtifact implements store.IndexDriver.
func (d *Driver) DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	principal, session := string(scope.Principal), string(scope.Session)
	return d.do(ctx, again, func(s *steps) {
		s.exec(lockSession, principal, session)
		s.exec(dropArtifact, principal, session, string(id), part(scope.Session))
	})
}

func scanUpload(rows pgx.Rows) (u store.Upload, err error) {
	err = rows.Scan(&u.ID, &u.Begin, (*string)(&u.Artifact))
	return u, err
}

// Upload implements store.IndexDriver.
func (d *Driver) Upload(ctx context.Context, scope readapi.Scope, id string) (store.Upload, bool, error) {
	return first(list(ctx, d, scanUpload, selectUpload, string(scope.Principal), string(scope.Session), id))
}

// ScanUploads implements store.IndexDriver.
func (d *Driver) ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) ([]store.Upload, error) {
	return list(ctx, d, scanUpload, scanUploads, string(scope.Principal), string(scope.Session), after, limit)
}

// uploadArgs are those of addUploads.
func uploadArgs(scope readapi.Scope, uploads []store.Upload) []any {
	var ids, begun, artifacts []string
	for _, u := range uploads {
		ids, begun, artifacts = append(ids, u.ID), append(begun, u.Begin), append(artifacts, string(u.Artifact))
	}
	return []any{string(scope.Principal), string(scope.Session), ids, begun, artifacts}
}

// MarkSession implements store.IndexDriver.
func (d *Driver) MarkSession(ctx context.Context, scope readapi.Scope, change store.SessionChange, at time.Time) (store.Session, bool, error) {
	principal, session := string(scope.Principal), string(scope.Session)
	var all []store.Session
	err := d.do(ctx, again, func(s *steps) {
		all = nil
		switch change {
		case store.ArchiveSession, store.UnarchiveSession:
			s.exec(archiveSession, principal, session, change == store.ArchiveSession)
		case store.DeleteSession, store.PurgeSession: // the session first: its row is the lock of its artifacts
			s.exec(deleteSession, principal, session, at.UnixMilli(), change == store.PurgeSession)
			s.exec(deleteArtifacts, principal, session, at.UnixMilli(), change == store.PurgeSession)
		}
		s.rows(func(rows pgx.Rows) error {
			v, err := scanSession(rows)
			all = append(all, v)
			return err
		}, selectSession, principal, session)
	})
	return first(all, err)
}

// DropSession implements store.IndexDriver.
func (d *Driver) DropSession(ctx context.Context, scope readapi.Scope) error {
	principal, session := string(scope.Principal), string(scope.Session)
	return d.do(ctx, again, func(s *steps) {
		s.exec(lockSession, principal, session)
		s.exec(subtractSession, principal, session, part(scope.Session))
		for _, query := range []string{dropUploads, dropEvents, dropArtifacts, dropSession} {
			s.exec(query, principal, session)
		}
	})
}

// Purges implements store.IndexDriver.
func (d *Driver) Purges(ctx context.Context, limit int) ([]store.Purge, error) {
	return list(ctx, d, func(rows pgx.Rows) (p store.Purge, err error) {
		err = rows.Scan((*string)(&p.Scope.Principal), (*string)(&p.Scope.Session), (*string)(&p.Artifact))
		return p, err
	}, listPurges, limit)
}

// Usage implements store.IndexDriver.
func (d *Driver) Usage(ctx context.Context, principal readapi.PrincipalID) (own, total store.Usage, err error) {
	err = d.rows(ctx, func() {}, func(rows pgx.Rows) error {
		return rows.Scan(&own.Files, &own.Bytes, &total.Files, &total.Bytes)
	}, selectUsages, string(principal))
	return own, total, err
}

// ScanArtifacts implements store.IndexDriver.
func (d *Driver) ScanArtifacts(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	var after store.Artifact
	if q.After != nil {
		after = *q.After
	}
	created := int64(math.MaxInt64)
	if !q.CreatedBefore.IsZero() {
		created = q.CreatedBefore.UnixMilli()
	}
	r, err := d.artifacts(ctx, scanArtifacts, string(after.Scope.Principal), string(after.Scope.Session), string(after.ID), string(q.Source), created,
		toMaybe(q.DeletedBefore), q.Limit)
	return r.list, err
}

// Load implements store.IndexDriver.
func (d *Driver) Load(ctx context.Context, info store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) error {
	events = eachOnce(events)
	return d.write(ctx, again, func(t *tx) error {
		principal, session := string(info.Principal), string(info.ID)
		var more store.Usage
		now := info // as it is with what was there
		s := &steps{}
		s.rows(func(rows pgx.Rows) error {
			var deleted *int64
			if err := rows.Scan(&deleted, &now.Purging); err != nil || deleted == nil {
				return err
			}
			now.Deleted = fromMillis(*deleted)
			return nil
		}, loadSession, principal, session, info.Messages, info.Created.UnixMilli(), info.Updated.UnixMilli(), info.Archived, toMaybe(info.Deleted), info.Purging)
		if err := t.send(ctx, s); err != nil {
			return err
		}
		s = &steps{}
		args, err := artifactArgs(info.Scope(), now.Loaded(artifacts))
		if err != nil {
			return err
		}
		var nextArtifact, nextEvent int64 // behind what is added, which need not be all
		s.rows(func(rows pgx.Rows) error {
			var seq, size int64
			var stored bool
			err := rows.Scan(&seq, &size, &stored)
			if nextArtifact = max(nextArtifact, seq+1); stored {
				more.Files, more.Bytes = more.Files+1, more.Bytes+size
			}
			return err
		}, loadArtifacts, args...)
		s.rows(func(rows pgx.Rows) error {
			var seq int64
			err := rows.Scan(&seq)
			nextEvent = max(nextEvent, seq+1)
			return err
		}, loadEvents, eventArgs(info.Scope(), events)...)
		s.exec(addUploads, uploadArgs(info.Scope(), uploads)...)
		if err := t.send(ctx, s); err != nil {
			return loadError(err)
		}
		s = &steps{}
		s.exec(countLoaded, principal, session, nextEvent, nextArtifact, more.Files, more.Bytes)
		s.exec(addUsage, principal, part(info.ID), more.Files, more.Bytes)
		return t.commit(ctx, s)
	})
}

// eachOnce leaves out events whose id came before.
func eachOnce(events []store.Event) []store.Event {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(events), func(e store.Event) bool {
		was := seen[e.ID]
		seen[e.ID] = true
		return was
	})
}

// loadError is for a row that cannot be where it was: its id is free, so that another one has its number.
func loadError(err error) error {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && e.Code == "23505" {
		return &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another row with the number of one that is loaded", Final: true, Err: text(err)}
	}
	return err
}
