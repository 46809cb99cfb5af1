package pgindex

import (
	"cmp"
	"context"
	"encoding/hex"
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	makeSession = `INSERT INTO glovebox.sessions (messages, events, artifacts, files, bytes, created, updated, principal, session)
		VALUES (0, 0, 0, 0, 0, 0, 0, $1, $2) ON CONFLICT DO NOTHING`

	// Appends to one session take turns by this lock.
	lockSession = `SELECT messages, events, artifacts, created, updated, files, bytes, deleted IS NOT NULL FROM glovebox.sessions
		WHERE principal = $1 AND session = $2 FOR UPDATE`

	// An advisory lock is taken when its row is read, so in the order of the array.
	lockBlobs = `SELECT pg_advisory_xact_lock_shared($1, n) FROM unnest($2::int[]) AS n`

	lockAlone = `SELECT pg_advisory_xact_lock($1, $2)`

	knownArtifacts = `SELECT a.id, a.blob, a.name, a.purging FROM unnest($3::text[]) AS u (id) CROSS JOIN LATERAL
		(SELECT * FROM glovebox.artifacts WHERE principal = $1 AND session = $2 AND id = u.id OFFSET 0) AS a`

	// Found by the hash: written as they are, the principal and the session would let the server walk the session instead.
	knownEvents = `SELECT e.seq, e.id, e.payload FROM unnest($3::text[]) AS u (id) JOIN glovebox.events AS e ON
		hashtextextended(e.principal || '/' || e.session || '/' || e.id, 0) = hashtextextended($1 || '/' || $2 || '/' || u.id, 0)
		AND e.principal || '' = $1 AND e.session || '' = $2 AND e.id = u.id`

	lastVersions = `SELECT u.name, a.version FROM unnest($3::text[]) AS u (name) CROSS JOIN LATERAL (SELECT version FROM glovebox.artifacts
		WHERE hashtextextended(principal || '/' || session || '/' || name, 0) = hashtextextended($1 || '/' || $2 || '/' || u.name, 0)
			AND principal || '' = $1 AND session || '' = $2 AND name = u.name
		ORDER BY hashtextextended(principal || '/' || session || '/' || name, 0), version DESC LIMIT 1) AS a`

	// A lease counts until somebody who wants to remove the bytes ends it, not until its time is over.
	coveredBlobs = `SELECT l.sha256 FROM glovebox.leases AS l WHERE l.sha256 = ANY($1::bytea[]) AND l.holder = $2
		AND NOT EXISTS (SELECT FROM glovebox.claims AS c WHERE c.sha256 = l.sha256)`

	selectUsage = `SELECT coalesce(sum(files), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM glovebox.usage WHERE principal = $1`

	selectTotal = `SELECT coalesce(sum(files), 0)::bigint, coalesce(sum(bytes), 0)::bigint FROM glovebox.usage`

	updateSession = `UPDATE glovebox.sessions SET messages = $3, events = $4, artifacts = $5, created = $6, updated = $7, files = $8, bytes = $9
		WHERE principal = $1 AND session = $2`

	addUsage = `INSERT INTO glovebox.usage AS u (principal, part, files, bytes) VALUES ($1, $2, $3, $4)
		ON CONFLICT (principal, part) DO UPDATE SET files = u.files + excluded.files, bytes = u.bytes + excluded.bytes`

	endLeases = `DELETE FROM glovebox.leases WHERE holder = $1`
)

// counts is a session's row.
type counts struct {
	messages, events, artifacts int64
	created, updated            int64
	files, bytes                int64
	deleted                     bool
}

// known is what the database has of what a batch is about, as of when the session was locked.
type known struct {
	counts
	found     bool
	made      int64 // 1 when this transaction makes the session
	artifacts map[readapi.ArtifactID]store.Artifact
	events    map[string]store.Event
	uploads   map[string]store.Upload
	versions  map[string]int64
	covered   map[string]bool
	own       store.Usage
	total     store.Usage
}

// Append implements store.IndexDriver.
func (d *Driver) Append(ctx context.Context, scope readapi.Scope, b store.Batch) (seqs []int64, err error) {
	kind := once
	if b.Again || len(b.Artifacts) == 0 {
		kind = again // what is there already is not added twice
	}
	err = d.write(ctx, kind, func(t *tx) error {
		seqs, err = t.append(ctx, scope, b)
		return err
	})
	if err != nil {
		return nil, err
	}
	return seqs, nil
}

func (t *tx) append(ctx context.Context, scope readapi.Scope, b store.Batch) ([]int64, error) {
	k, err := t.look(ctx, scope, b)
	if err != nil {
		return nil, err
	}
	if k.deleted {
		return nil, store.SessionGone()
	}
	artifacts, err := b.FreshArtifacts(k.artifacts)
	if err != nil {
		return nil, err
	}
	seqs, events, err := b.FreshEvents(k.counts.events, in(k.events))
	if err != nil {
		return nil, err
	}
	uploads, err := b.FreshUploads(in(k.uploads))
	if err != nil {
		return nil, err
	}
	for i, a := range artifacts {
		if a.Blob != "" && !k.covered[a.Blob] {
			return nil, store.LeaseLost()
		}
		artifacts[i].Seq = k.counts.artifacts + int64(i)
		k.versions[a.Name]++
		artifacts[i].Version = k.versions[a.Name]
	}
	more := store.UsageOf(artifacts)
	if err := b.Quota.Allows(more, store.Usage{Files: k.files, Bytes: k.bytes}, k.own, k.total); err != nil {
		return nil, err
	}
	k.add(artifacts, events, more)
	s := &steps{}
	principal, session := string(scope.Principal), string(scope.Session)
	s.exec(updateSession, principal, session, k.messages, k.counts.events, k.counts.artifacts, k.created, k.updated, k.files, k.bytes)
	if more.Files > 0 {
		s.exec(addUsage, principal, part(scope.Session), more.Files, more.Bytes)
	}
	if len(artifacts) > 0 {
		args, err := artifactArgs(scope, artifacts)
		if err != nil {
			return nil, err
		}
		s.exec(addArtifacts, args...)
	}
	if len(events) > 0 {
		s.exec(addEvents, eventArgs(scope, events)...)
	}
	if len(uploads) > 0 {
		s.exec(addUploads, uploadArgs(scope, uploads)...)
	}
	if b.Holder != "" {
		s.exec(endLeases, b.Holder)
	}
	return seqs, t.commit(ctx, s)
}

// look locks the session, which it makes if it is new, and asks for all that decides on the batch, in one round trip.
func (t *tx) look(ctx context.Context, scope readapi.Scope, b store.Batch) (*known, error) {
	for range attempts {
		k, err := t.lookOnce(ctx, scope, b)
		if err != nil || k.found {
			return k, err
		}
		// The session was there when it was to be made, and was dropped before it was locked.
	}
	return nil, errBusy("others make and drop the same session", nil)
}

func (t *tx) lookOnce(ctx context.Context, scope readapi.Scope, b store.Batch) (*known, error) {
	k := &known{
		artifacts: map[readapi.ArtifactID]store.Artifact{}, events: map[string]store.Event{}, uploads: map[string]store.Upload{},
		versions: map[string]int64{}, covered: map[string]bool{},
	}
	principal, session := string(scope.Principal), string(scope.Session)
	s := &steps{}
	s.count(&k.made, makeSession, principal, session)
	s.rows(func(rows pgx.Rows) error {
		k.found = true
		return rows.Scan(&k.messages, &k.counts.events, &k.counts.artifacts, &k.created, &k.updated, &k.files, &k.bytes, &k.deleted)
	}, lockSession, principal, session)
	if len(b.Artifacts) > 0 {
		k.askArtifacts(s, scope, b)
	}
	if len(b.Events) > 0 {
		ids := make([]string, len(b.Events))
		for i, e := range b.Events {
			ids[i] = e.ID
		}
		s.rows(func(rows pgx.Rows) error {
			var e store.Event
			err := rows.Scan(&e.Seq, &e.ID, (*[]byte)(&e.Payload))
			k.events[e.ID] = e
			return err
		}, knownEvents, principal, session, unique(ids))
	}
	if len(b.Uploads) > 0 {
		ids := make([]string, len(b.Uploads))
		for i, u := range b.Uploads {
			ids[i] = u.ID
		}
		s.rows(func(rows pgx.Rows) error {
			u, err := scanUpload(rows)
			k.uploads[u.ID] = u
			return err
		}, knownUploads, principal, session, unique(ids))
	}
	k.askUsage(s, principal, b.Quota)
	return k, t.send(ctx, s)
}

// askArtifacts asks for what decides on the batch's artifacts, their bytes and their names.
func (k *known) askArtifacts(s *steps, scope readapi.Scope, b store.Batch) {
	var ids, names, digests []string
	for _, a := range b.Artifacts {
		ids, names = append(ids, string(a.ID)), append(names, a.Name)
		if a.Blob != "" {
			digests = append(digests, a.Blob)
		}
	}
	principal, session := string(scope.Principal), string(scope.Session)
	s.rows(func(rows pgx.Rows) error {
		var a store.Artifact
		var blob []byte
		err := rows.Scan((*string)(&a.ID), &blob, &a.Name, &a.Purging)
		a.Blob = hex.EncodeToString(blob)
		k.artifacts[a.ID] = a
		return err
	}, knownArtifacts, principal, session, unique(ids))
	s.rows(func(rows pgx.Rows) error {
		var name string
		var version int64
		err := rows.Scan(&name, &version)
		k.versions[name] = version
		return err
	}, lastVersions, principal, session, unique(names))
	if len(digests) == 0 {
		return
	}
	digests = unique(digests)
	s.exec(lockBlobs, lockClass, blobLocks(digests))
	s.rows(func(rows pgx.Rows) error {
		var blob []byte
		err := rows.Scan(&blob)
		k.covered[hex.EncodeToString(blob)] = true
		return err
	}, coveredBlobs, fromHex(digests), b.Holder)
}

// askUsage asks for what quotas are about. Who asks for a principal's, or for the total, keeps others that ask from adding meanwhile.
func (k *known) askUsage(s *steps, principal string, q store.Quota) {
	scan := func(u *store.Usage) func(pgx.Rows) error {
		return func(rows pgx.Rows) error { return rows.Scan(&u.Files, &u.Bytes) }
	}
	if q.TotalBytes > 0 {
		s.exec(lockAlone, lockClass, lockTotal)
		s.rows(scan(&k.total), selectTotal)
	}
	if q.PrincipalFiles > 0 || q.PrincipalBytes > 0 {
		s.exec(lockPrincipal, principal)
		s.rows(scan(&k.own), selectUsage, principal)
	}
}

// lockPrincipal locks by a number of 64 bits, which are others than pairs of numbers are.
const lockPrincipal = `SELECT pg_advisory_xact_lock(hashtextextended('glovebox principal ' || $1, 0))`

// in finds what is in m.
func in[T any](m map[string]T) func(string) (T, bool, error) {
	return func(id string) (T, bool, error) {
		v, ok := m[id]
		return v, ok, nil
	}
}

// add counts new rows, which take more. A session's times are those of its events, and those of its artifacts as long as it
// has no event.
func (k *known) add(artifacts []store.Artifact, fresh []store.Event, more store.Usage) {
	times := k.made == 0
	include := func(ms int64) {
		if !times || ms < k.created {
			k.created = ms
		}
		if !times || ms > k.updated {
			k.updated = ms
		}
		times = true
	}
	switch {
	case k.counts.events == 0 && len(fresh) > 0:
		times = false
	case k.counts.events == 0:
		for _, a := range artifacts {
			include(a.Created.UnixMilli())
		}
	}
	for _, e := range fresh {
		include(e.Time.UnixMilli())
		if e.Message {
			k.messages++
		}
	}
	k.counts.events += int64(len(fresh))
	k.counts.artifacts += int64(len(artifacts))
	k.files, k.bytes = k.files+more.Files, k.bytes+more.Bytes
}

// parts is in how many rows a principal's usage is counted.
const parts = 16

// part is the one in which a session counts. It must not change: what was added there is taken off there.
func part(session readapi.SessionID) int16 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(session)) // it never fails
	return int16(h.Sum32() % parts)
}

// blobShares is in how many shares blobs are locked. A lock for each would fill the server's table of locks: a batch may name a thousand.
const blobShares = 64

// blobLocks are the locks of some blobs, in the order in which everybody takes them.
func blobLocks(digests []string) []int32 {
	var locks []int32
	for _, d := range digests {
		locks = append(locks, blobLock(d))
	}
	return unique(locks)
}

// blobLock is the lock that is shared by who adds to what keeps a blob, and held alone by who finds that nothing keeps it.
func blobLock(digest string) int32 {
	first, _ := hex.DecodeString(digest[:2]) // a digest is hex
	return int32(first[0]) % blobShares
}

// unique returns the values in rising order, each once.
func unique[V cmp.Ordered](list []V) []V {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

func fromHex(digests []string) [][]byte {
	out := make([][]byte, len(digests))
	for i, d := range digests {
		out[i], _ = hex.DecodeString(d) // a digest is hex, which the caller has seen
	}
	return out
}
