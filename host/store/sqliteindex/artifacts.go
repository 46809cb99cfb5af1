package sqliteindex

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// artifactColumns are in the order in which artifactRows scans them.
const artifactColumns = `a.principal, a.session, a.id, a.seq, a.blob, a.bytes, a.name, a.kind, a.source, a.status, a.media_type,
		a.candidates, a.declared, a.mismatch, a.created, a.deleted, a.version, a.purging`

const (
	// One row per id, empty where scope has none: an absent id and a foreign one end the same search of the same tree. The generation is
	// read in the same statement, so it is of the same moment.
	selectArtifacts = `SELECT g.generation, ` + artifactColumns + ` FROM decoder_set AS g LEFT JOIN json_each(?3) AS j
		LEFT JOIN artifacts AS a NOT INDEXED ON a.principal = ?1 AND a.session = ?2 AND a.id = j.value`

	// The page is taken before the join: SQLite would sort all that is behind it otherwise.
	listArtifacts = `SELECT g.generation, ` + artifactColumns + ` FROM decoder_set AS g LEFT JOIN
		(SELECT * FROM artifacts WHERE principal = ?1 AND session = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4) AS a ORDER BY a.seq`

	findArtifacts = `SELECT 0, ` + artifactColumns + ` FROM artifacts AS a WHERE a.id = ?1`

	selectArtifact = `SELECT 0, ` + artifactColumns + ` FROM artifacts AS a NOT INDEXED WHERE a.principal = ?1 AND a.session = ?2 AND a.id = ?3`

	deleteArtifact = `UPDATE artifacts NOT INDEXED SET status = 'deleted', deleted = ?4
		WHERE principal = ?1 AND session = ?2 AND id = ?3 AND status = 'live'`

	purgeArtifact = `UPDATE artifacts NOT INDEXED SET purging = 1 WHERE principal = ?1 AND session = ?2 AND id = ?3`

	insertArtifact = `INSERT INTO artifacts (principal, session, id, seq, blob, bytes, name, kind, source, status, media_type, candidates,
		declared, mismatch, created, deleted, version, purging) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (principal, session, id) DO NOTHING`

	lastVersions = `SELECT j.value, (SELECT max(version) FROM artifacts INDEXED BY artifacts_by_name WHERE principal = ?1 AND session = ?2 AND name = j.value)
		FROM json_each(?3) AS j`

	blobNames = `SELECT DISTINCT blob FROM artifacts WHERE blob > ?1 ORDER BY blob LIMIT ?2`
)

// artifactRows collects artifacts and the generation.
type artifactRows struct {
	list       []store.Artifact
	generation int64
}

func (r *artifactRows) scan(rows *sql.Rows) error {
	var principal, session, id, blob, name, kind, source, status, mediaType, candidates, declared sql.NullString
	var seq, size, mismatch, created, deleted, version, purging sql.NullInt64
	if err := rows.Scan(&r.generation, &principal, &session, &id, &seq, &blob, &size, &name, &kind, &source, &status, &mediaType, &candidates,
		&declared, &mismatch, &created, &deleted, &version, &purging); err != nil {
		return err
	}
	if !id.Valid { // a row for the generation alone
		return nil
	}
	a := store.Artifact{
		Scope: readapi.Scope{Principal: readapi.PrincipalID(principal.String), Session: readapi.SessionID(session.String)},
		ID:    readapi.ArtifactID(id.String), Seq: seq.Int64, Blob: blob.String, Bytes: size.Int64, Name: name.String,
		Kind: readapi.Kind(kind.String), Source: store.Source(source.String), Status: readapi.Status(status.String),
		MediaType: readapi.MediaType(mediaType.String), Declared: readapi.MediaType(declared.String), Mismatch: mismatch.Int64 != 0,
		Version: version.Int64, Created: fromMillis(created.Int64), Purging: purging.Int64 != 0,
	}
	if deleted.Valid {
		a.Deleted = fromMillis(deleted.Int64)
	}
	if candidates.String != "[]" {
		if err := json.Unmarshal([]byte(candidates.String), &a.Candidates); err != nil {
			return damaged(err)
		}
	}
	r.list = append(r.list, a)
	return nil
}

// damaged is for a row that this package cannot have written.
func damaged(cause error) error {
	return &readapi.Error{Code: readapi.CodeCorrupt, Detail: "the index is damaged", Err: cause}
}

func fromMillis(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// toJSON writes a list, [] for none.
func toJSON[T any](list []T) (string, error) {
	if len(list) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}

// Artifacts implements store.IndexDriver.
func (d *Driver) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	if len(ids) > 1 {
		ids = slices.Clone(ids)
		slices.Sort(ids)
		ids = slices.Compact(ids)
	}
	wanted, err := toJSON(ids)
	if err != nil {
		return nil, 0, err
	}
	var r artifactRows
	err = d.rows(ctx, selectArtifacts, r.scan, string(scope.Principal), string(scope.Session), wanted)
	return r.list, r.generation, err
}

// ListArtifacts implements store.IndexDriver.
func (d *Driver) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]store.Artifact, int64, error) {
	var r artifactRows
	err := d.rows(ctx, listArtifacts, r.scan, string(scope.Principal), string(scope.Session), after, limit)
	return r.list, r.generation, err
}

// FindArtifacts implements store.IndexDriver.
func (d *Driver) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]store.Artifact, error) {
	var r artifactRows
	err := d.rows(ctx, findArtifacts, r.scan, string(id))
	return r.list, err
}

// DeleteArtifact implements store.IndexDriver.
func (d *Driver) DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (store.Artifact, bool, error) {
	return d.mark(ctx, scope, id, at, false)
}

// PurgeArtifact implements store.IndexDriver.
func (d *Driver) PurgeArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (store.Artifact, bool, error) {
	return d.mark(ctx, scope, id, at, true)
}

func (d *Driver) mark(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time, purge bool) (store.Artifact, bool, error) {
	var r artifactRows
	key := []any{string(scope.Principal), string(scope.Session), string(id)}
	err := d.write(ctx, []string{deleteArtifact, purgeArtifact, selectArtifact}, func(t tx) error {
		if _, err := t.exec(ctx, deleteArtifact, append(key[:3:3], at.UnixMilli())...); err != nil {
			return err
		}
		if purge {
			if _, err := t.exec(ctx, purgeArtifact, key...); err != nil {
				return err
			}
		}
		return t.rows(ctx, selectArtifact, r.scan, key...)
	})
	if err != nil || len(r.list) == 0 {
		return store.Artifact{}, false, err
	}
	return r.list[0], true, nil
}

// BlobNames implements store.IndexDriver.
func (d *Driver) BlobNames(ctx context.Context, after string, limit int) (names []string, err error) {
	err = d.rows(ctx, blobNames, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		names = append(names, name)
		return err
	}, after, limit)
	return names, err
}
