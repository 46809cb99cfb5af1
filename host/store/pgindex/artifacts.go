package pgindex

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// artifactColumns are in the order in which artifactRow scans them.
const artifactColumns = `a.principal, a.session, a.id, a.seq, a.blob, a.bytes, a.name, a.kind, a.source, a.status, a.media_type,
		a.candidates, a.declared, a.mismatch, a.created, a.deleted, a.version, a.purging`

const (
	// No row of another session is met on the way, so an absent id and a foreign one cost the same. OFFSET 0 keeps the server from looking
	// for them all at once, which it would do by walking the session. The generation is read in the same statement, so it is of the same moment.
	selectArtifacts = `SELECT g.generation, ` + artifactColumns + ` FROM glovebox.decoder_set AS g LEFT JOIN (unnest($3::text[]) AS u (id)
		CROSS JOIN LATERAL (SELECT * FROM glovebox.artifacts WHERE principal = $1 AND session = $2 AND id = u.id OFFSET 0) AS a) ON true`

	listArtifacts = `SELECT g.generation, ` + artifactColumns + ` FROM glovebox.decoder_set AS g LEFT JOIN
		(SELECT * FROM glovebox.artifacts WHERE principal || '/' || session = $1 || '/' || $2 AND seq > $3 ORDER BY seq LIMIT $4) AS a
		ON true ORDER BY a.seq`

	findArtifacts = `SELECT 0::bigint, ` + artifactColumns + ` FROM glovebox.artifacts AS a
		WHERE hashtextextended(a.id, 0) = hashtextextended($1 COLLATE "C", 0) AND a.id = $1`

	deleteArtifact = `UPDATE glovebox.artifacts SET status = 'deleted', deleted = $4
		WHERE principal = $1 AND session = $2 AND id = $3 AND status = 'live'`

	purgeArtifact = `UPDATE glovebox.artifacts SET purging = true WHERE principal = $1 AND session = $2 AND id = $3 AND NOT purging`

	selectArtifact = `SELECT 0::bigint, ` + artifactColumns + ` FROM glovebox.artifacts AS a WHERE a.principal = $1 AND a.session = $2 AND a.id = $3`

	// As arrays, so that any number of them is one statement, which is prepared once.
	addArtifacts = `INSERT INTO glovebox.artifacts (principal, session, id, seq, blob, bytes, name, kind, source, status, media_type, candidates,
		declared, mismatch, created, deleted, version, purging) SELECT $1, $2, * FROM unnest($3::text[], $4::bigint[], $5::bytea[], $6::bigint[],
		$7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::boolean[], $15::bigint[], $16::bigint[],
		$17::bigint[], $18::boolean[])`

	blobNames = `SELECT DISTINCT blob FROM glovebox.artifacts WHERE blob > $1 ORDER BY blob LIMIT $2`
)

// answer is artifacts and the generation.
type answer struct {
	list       []store.Artifact
	generation int64
}

func (r *answer) scan(rows pgx.Rows) error {
	var principal, session, id, name, kind, source, status, mediaType, candidates, declared *string
	var blob []byte
	var seq, size, created, deleted, version *int64
	var mismatch, purging *bool
	err := rows.Scan(&r.generation, &principal, &session, &id, &seq, &blob, &size, &name, &kind, &source, &status, &mediaType, &candidates,
		&declared, &mismatch, &created, &deleted, &version, &purging)
	if err != nil || id == nil { // without an id it is a row for the generation alone
		return err
	}
	a := store.Artifact{
		Scope: readapi.Scope{Principal: readapi.PrincipalID(*principal), Session: readapi.SessionID(*session)},
		ID:    readapi.ArtifactID(*id), Seq: *seq, Blob: hex.EncodeToString(blob), Bytes: *size, Name: *name, Kind: readapi.Kind(*kind),
		Source: store.Source(*source), Status: readapi.Status(*status), MediaType: readapi.MediaType(*mediaType),
		Declared: readapi.MediaType(*declared), Mismatch: *mismatch, Version: *version, Created: fromMillis(*created), Deleted: fromMaybe(deleted),
		Purging: *purging,
	}
	if *candidates != "[]" {
		if err := json.Unmarshal([]byte(*candidates), &a.Candidates); err != nil {
			return damaged(err)
		}
	}
	r.list = append(r.list, a)
	return nil
}

func (d *Driver) artifacts(ctx context.Context, query string, args ...any) (answer, error) {
	var r answer
	err := d.rows(ctx, func() { r = answer{} }, r.scan, query, args...)
	if err != nil {
		return answer{}, err
	}
	return r, nil
}

// artifactArgs are those of addArtifacts.
func artifactArgs(scope readapi.Scope, artifacts []store.Artifact) ([]any, error) {
	n := len(artifacts)
	ids, names, kinds, sources, states := make([]string, n), make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	mediaTypes, candidates, declared := make([]string, n), make([]string, n), make([]string, n)
	seqs, sizes, created, versions, deleted := make([]int64, n), make([]int64, n), make([]int64, n), make([]int64, n), make([]*int64, n)
	mismatch, purging, blobs := make([]bool, n), make([]bool, n), make([][]byte, n)
	for i, a := range artifacts {
		ids[i], names[i], kinds[i], sources[i], states[i] = string(a.ID), a.Name, string(a.Kind), string(a.Source), string(a.Status)
		mediaTypes[i], declared[i], mismatch[i], purging[i] = string(a.MediaType), string(a.Declared), a.Mismatch, a.Purging
		seqs[i], sizes[i], created[i], versions[i], deleted[i] = a.Seq, a.Bytes, a.Created.UnixMilli(), a.Version, toMaybe(a.Deleted)
		if a.Blob != "" {
			blobs[i] = fromHex([]string{a.Blob})[0]
		}
		var err error
		if candidates[i], err = toJSON(a.Candidates); err != nil {
			return nil, err
		}
	}
	return []any{string(scope.Principal), string(scope.Session), ids, seqs, blobs, sizes, names, kinds, sources, states, mediaTypes, candidates,
		declared, mismatch, created, deleted, versions, purging}, nil
}

// Artifacts implements store.IndexDriver.
func (d *Driver) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	wanted := make([]string, len(ids))
	for i, id := range ids {
		wanted[i] = string(id)
	}
	r, err := d.artifacts(ctx, selectArtifacts, string(scope.Principal), string(scope.Session), unique(wanted))
	return r.list, r.generation, err
}

// ListArtifacts implements store.IndexDriver.
func (d *Driver) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]store.Artifact, int64, error) {
	r, err := d.artifacts(ctx, listArtifacts, string(scope.Principal), string(scope.Session), after, limit)
	return r.list, r.generation, err
}

// FindArtifacts implements store.IndexDriver.
func (d *Driver) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]store.Artifact, error) {
	r, err := d.artifacts(ctx, findArtifacts, string(id))
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
	var r answer
	err := d.do(ctx, again, func(s *steps) {
		r = answer{}
		key := []any{string(scope.Principal), string(scope.Session), string(id)}
		s.exec(deleteArtifact, append(key[:3:3], at.UnixMilli())...)
		if purge {
			s.exec(purgeArtifact, key...)
		}
		s.rows(r.scan, selectArtifact, key...)
	})
	return first(r.list, err)
}

// BlobNames implements store.IndexDriver.
func (d *Driver) BlobNames(ctx context.Context, after string, limit int) ([]string, error) {
	return list(ctx, d, func(rows pgx.Rows) (string, error) {
		var name []byte
		err := rows.Scan(&name)
		return hex.EncodeToString(name), err
	}, blobNames, fromHex([]string{after})[0], limit)
}
