package sqliteindex

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// What an artifact that is being purged takes off, before it is dropped.
	subtractArtifact = `UPDATE sessions SET files = files - v.n, bytes = bytes - v.b FROM (SELECT count(*) AS n, coalesce(sum(bytes), 0) AS b FROM artifacts
		NOT INDEXED WHERE principal = ?1 AND session = ?2 AND id = ?3 AND purging = 1 AND blob IS NOT NULL) AS v WHERE principal = ?1 AND session = ?2`

	subtractUsage = `UPDATE usage SET files = files - v.n, bytes = usage.bytes - v.b FROM (SELECT count(*) AS n, coalesce(sum(bytes), 0) AS b FROM artifacts
		NOT INDEXED WHERE principal = ?1 AND session = ?2 AND id = ?3 AND purging = 1 AND blob IS NOT NULL) AS v WHERE usage.principal IN (?1, '')`

	dropUploadsOf = `DELETE FROM uploads INDEXED BY uploads_by_artifact WHERE principal = ?1 AND session = ?2 AND artifact = ?3
		AND EXISTS (SELECT 1 FROM artifacts NOT INDEXED WHERE principal = ?1 AND session = ?2 AND id = ?3 AND purging = 1)`

	dropArtifact = `DELETE FROM artifacts NOT INDEXED WHERE principal = ?1 AND session = ?2 AND id = ?3 AND purging = 1`

	selectUpload = `SELECT id, begun, artifact FROM uploads WHERE principal = ?1 AND session = ?2 AND id = ?3`

	scanUploads = `SELECT id, begun, artifact FROM uploads WHERE principal = ?1 AND session = ?2 AND id > ?3 ORDER BY id LIMIT ?4`

	archiveSession = `UPDATE sessions SET archived = ?3 WHERE principal = ?1 AND session = ?2 AND deleted IS NULL`

	deleteSession = `UPDATE sessions SET deleted = coalesce(deleted, ?3), purging = max(purging, ?4) WHERE principal = ?1 AND session = ?2`

	deleteArtifacts = `UPDATE artifacts SET status = 'deleted', deleted = coalesce(deleted, ?3), purging = max(purging, ?4)
		WHERE principal = ?1 AND session = ?2 AND (status = 'live' OR purging < ?4)`

	subtractSession = `UPDATE usage SET files = usage.files - s.files, bytes = usage.bytes - s.bytes FROM sessions AS s
		WHERE s.principal = ?1 AND s.session = ?2 AND s.purging = 1 AND usage.principal IN (?1, '')`

	isPurging = `SELECT EXISTS (SELECT 1 FROM sessions WHERE principal = ?1 AND session = ?2 AND purging = 1)`

	dropSessionUploads   = `DELETE FROM uploads WHERE principal = ?1 AND session = ?2`
	dropSessionEvents    = `DELETE FROM events WHERE rowid IN (SELECT rowid FROM events WHERE principal = ?1 AND session = ?2 LIMIT ?3)`
	dropSessionArtifacts = `DELETE FROM artifacts NOT INDEXED WHERE principal = ?1 AND session = ?2
		AND id IN (SELECT id FROM artifacts NOT INDEXED WHERE principal = ?1 AND session = ?2 LIMIT ?3)`
	dropSession = `DELETE FROM sessions WHERE principal = ?1 AND session = ?2`

	listPurges = `SELECT * FROM (SELECT principal, session, '' FROM sessions INDEXED BY sessions_purging WHERE purging = 1 ORDER BY principal, session) UNION ALL
		SELECT * FROM (SELECT principal, session, id FROM artifacts AS a INDEXED BY artifacts_purging WHERE purging = 1 AND NOT EXISTS
			(SELECT 1 FROM sessions AS s WHERE s.principal = a.principal AND s.session = a.session AND s.purging = 1) ORDER BY principal, session, id)
		LIMIT ?1`

	scanSessions = `SELECT ` + sessionColumns + ` FROM sessions WHERE (principal, session) > (?1, ?2) ORDER BY principal, session LIMIT ?3`

	scanArtifacts = `SELECT 0, ` + artifactColumns + ` FROM artifacts AS a NOT INDEXED WHERE (principal, session, id) > (?1, ?2, ?3)
		AND (?4 = '' OR source = ?4) AND created < ?5 AND (?6 IS NULL OR deleted < ?6) ORDER BY principal, session, id LIMIT ?7`

	loadSession = `INSERT INTO sessions (principal, session, messages, events, artifacts, created, updated, archived, deleted, purging)
		VALUES (?, ?, ?, 0, 0, ?, ?, ?, ?, ?) ON CONFLICT (principal, session) DO UPDATE SET messages = excluded.messages,
			created = excluded.created, updated = excluded.updated, archived = excluded.archived, deleted = coalesce(excluded.deleted, deleted),
			purging = max(purging, excluded.purging)`

	// Not RETURNING: with it the rows of the session are searched for those that refer to it, at each load.
	selectState = `SELECT deleted, purging FROM sessions WHERE principal = ?1 AND session = ?2`

	loadEvent = insertEvent + ` ON CONFLICT (principal, session, id) DO NOTHING`

	loadUpload = insertUpload + ` ON CONFLICT DO NOTHING`

	countLoaded = `UPDATE sessions SET events = max(events, ?3), artifacts = max(artifacts, ?4), files = files + ?5, bytes = bytes + ?6
		WHERE principal = ?1 AND session = ?2`
)

// DropArtifact implements store.IndexDriver.
func (d *Driver) DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	steps := []string{subtractArtifact, subtractUsage, dropUploadsOf, dropArtifact}
	return d.write(ctx, steps, func(t tx) error {
		for _, query := range steps {
			if _, err := t.exec(ctx, query, string(scope.Principal), string(scope.Session), string(id)); err != nil {
				return err
			}
		}
		return nil
	})
}

// Upload implements store.IndexDriver.
func (d *Driver) Upload(ctx context.Context, scope readapi.Scope, id string) (store.Upload, bool, error) {
	return first(d.uploads(ctx, selectUpload, string(scope.Principal), string(scope.Session), id))
}

// ScanUploads implements store.IndexDriver.
func (d *Driver) ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) ([]store.Upload, error) {
	return d.uploads(ctx, scanUploads, string(scope.Principal), string(scope.Session), after, limit)
}

func (d *Driver) uploads(ctx context.Context, query string, args ...any) (list []store.Upload, err error) {
	err = d.rows(ctx, query, scanUpload(&list), args...)
	return list, err
}

func scanUpload(list *[]store.Upload) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var u store.Upload
		err := rows.Scan(&u.ID, &u.Begin, (*string)(&u.Artifact))
		*list = append(*list, u)
		return err
	}
}

// MarkSession implements store.IndexDriver.
func (d *Driver) MarkSession(ctx context.Context, scope readapi.Scope, change store.SessionChange, at time.Time) (store.Session, bool, error) {
	principal, session := string(scope.Principal), string(scope.Session)
	var list []store.Session
	err := d.write(ctx, []string{archiveSession, deleteSession, deleteArtifacts, selectSession}, func(t tx) (err error) {
		switch change {
		case store.ArchiveSession, store.UnarchiveSession:
			_, err = t.exec(ctx, archiveSession, principal, session, toInt(change == store.ArchiveSession))
		case store.DeleteSession, store.PurgeSession:
			purge := toInt(change == store.PurgeSession)
			if _, err = t.exec(ctx, deleteSession, principal, session, at.UnixMilli(), purge); err == nil {
				_, err = t.exec(ctx, deleteArtifacts, principal, session, at.UnixMilli(), purge)
			}
		}
		if err != nil {
			return err
		}
		return t.rows(ctx, selectSession, scanSession(&list), principal, session)
	})
	return first(list, err)
}

// dropAtATime is how many rows of a kind one step of DropSession removes, so that other writers need not wait for a large session.
const dropAtATime = 5000

// DropSession implements store.IndexDriver. A large session goes in steps, and its own row in the last: until then it is being purged.
func (d *Driver) DropSession(ctx context.Context, scope readapi.Scope) error {
	key := []any{string(scope.Principal), string(scope.Session)}
	rows, rest := []string{dropSessionArtifacts, dropSessionEvents}, []string{subtractSession, dropSessionUploads, dropSession}
	for more := true; more; {
		err := d.write(ctx, append(append(rest, rows...), isPurging), func(t tx) error {
			more = false
			purging := false
			if err := t.rows(ctx, isPurging, func(rows *sql.Rows) error { return rows.Scan(&purging) }, key...); err != nil || !purging {
				return err
			}
			for _, query := range rows {
				n, err := t.exec(ctx, query, append(key[:2:2], dropAtATime)...)
				if err != nil {
					return err
				}
				more = more || n == dropAtATime
			}
			if more {
				return nil
			}
			for _, query := range rest {
				if _, err := t.exec(ctx, query, key...); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Purges implements store.IndexDriver.
func (d *Driver) Purges(ctx context.Context, limit int) (list []store.Purge, err error) {
	err = d.rows(ctx, listPurges, func(rows *sql.Rows) error {
		var p store.Purge
		err := rows.Scan((*string)(&p.Scope.Principal), (*string)(&p.Scope.Session), (*string)(&p.Artifact))
		list = append(list, p)
		return err
	}, limit)
	return list, err
}

// Usage implements store.IndexDriver.
func (d *Driver) Usage(ctx context.Context, principal readapi.PrincipalID) (own, total store.Usage, err error) {
	return usage(string(principal), func(scan func(*sql.Rows) error) error { return d.rows(ctx, selectUsage, scan, string(principal)) })
}

// ScanArtifacts implements store.IndexDriver.
func (d *Driver) ScanArtifacts(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	var after store.Artifact
	if q.After != nil {
		after = *q.After
	}
	created, deleted := int64(math.MaxInt64), sql.NullInt64{Int64: q.DeletedBefore.UnixMilli(), Valid: !q.DeletedBefore.IsZero()}
	if !q.CreatedBefore.IsZero() {
		created = q.CreatedBefore.UnixMilli()
	}
	var r artifactRows
	err := d.rows(ctx, scanArtifacts, r.scan, string(after.Scope.Principal), string(after.Scope.Session), string(after.ID), string(q.Source), created, deleted,
		q.Limit)
	return r.list, err
}

// ScanSessions implements store.IndexDriver.
func (d *Driver) ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]store.Session, error) {
	return d.sessions(ctx, scanSessions, string(after.Principal), string(after.Session), limit)
}

// Load implements store.IndexDriver.
func (d *Driver) Load(ctx context.Context, s store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) error {
	principal, session := string(s.Principal), string(s.ID)
	queries := []string{loadSession, selectState, loadEvent, countLoaded, insertArtifact, loadUpload, addUsage}
	return d.write(ctx, queries, func(t tx) error {
		deleted := sql.NullInt64{Int64: s.Deleted.UnixMilli(), Valid: !s.Deleted.IsZero()}
		_, err := t.exec(ctx, loadSession, principal, session, s.Messages, s.Created.UnixMilli(), s.Updated.UnixMilli(), toInt(s.Archived), deleted, toInt(s.Purging))
		if err != nil {
			return err
		}
		now := s // as it is with what was there
		err = t.rows(ctx, selectState, func(rows *sql.Rows) error {
			if err := rows.Scan(&deleted, &now.Purging); err != nil || !deleted.Valid {
				return err
			}
			now.Deleted = fromMillis(deleted.Int64)
			return nil
		}, principal, session)
		if err != nil {
			return err
		}
		var nextEvent, nextArtifact int64
		var more store.Usage
		for _, a := range now.Loaded(artifacts) {
			n, err := t.insertArtifact(ctx, s.Scope(), a)
			if err != nil {
				return loadError(err)
			}
			if n == 0 {
				continue
			}
			if nextArtifact = max(nextArtifact, a.Seq+1); a.Blob != "" {
				more.Files, more.Bytes = more.Files+1, more.Bytes+a.Bytes
			}
		}
		for _, e := range events {
			n, err := t.exec(ctx, loadEvent, principal, session, e.Seq, e.ID, e.Type, e.Turn, e.Time.UnixMilli(), toInt(e.Message), string(e.Payload))
			if err != nil {
				return loadError(err)
			}
			if n > 0 {
				nextEvent = max(nextEvent, e.Seq+1)
			}
		}
		for _, u := range uploads {
			if _, err := t.exec(ctx, loadUpload, principal, session, u.ID, u.Begin, string(u.Artifact)); err != nil {
				return err
			}
		}
		if _, err := t.exec(ctx, countLoaded, principal, session, nextEvent, nextArtifact, more.Files, more.Bytes); err != nil {
			return err
		}
		_, err = t.exec(ctx, addUsage, principal, "", more.Files, more.Bytes)
		return err
	})
}

// loadError is for a row that cannot be where it was: its id is free, so that another one has its number.
func loadError(err error) error {
	if e, ok := errors.AsType[*sqlite.Error](err); ok && e.Code()&0xff == sqlite3.SQLITE_CONSTRAINT {
		return &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another row with the number of one that is loaded", Final: true, Err: err}
	}
	return err
}
