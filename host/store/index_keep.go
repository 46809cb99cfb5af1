package store

import (
	"context"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file has the methods of an Index that change and remove, and those for who keeps the store in order: operators, garbage collection,
// other hosts.

// PurgeArtifact begins to remove an artifact; ok is false when scope has none.
func (x *Index) PurgeArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error) {
	const op = "store.Index.PurgeArtifact"
	at = milliseconds(at)
	if err := checkRow(ctx, scope, id); err != nil {
		return Artifact{}, false, readapi.AsError(op, err)
	}
	if !validTime(at) {
		return Artifact{}, false, readapi.AsError(op, invalid("the time cannot be stored"))
	}
	row, ok, err = x.driver.PurgeArtifact(ctx, scope, id, at)
	return row, ok, writeError(op, err)
}

// DropArtifact ends the removal of an artifact that PurgeArtifact began.
func (x *Index) DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	const op = "store.Index.DropArtifact"
	if err := checkRow(ctx, scope, id); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.DropArtifact(ctx, scope, id))
}

// Upload returns a finished upload; ok is false when scope has none of this id.
func (x *Index) Upload(ctx context.Context, scope readapi.Scope, id string) (u Upload, ok bool, err error) {
	const op = "store.Index.Upload"
	if err := checkScope(ctx, scope); err != nil {
		return Upload{}, false, readapi.AsError(op, err)
	}
	if !readapi.ArtifactID(id).Valid() {
		return Upload{}, false, nil // no upload can have it
	}
	u, ok, err = x.driver.Upload(ctx, scope, id)
	return u, ok, readError(op, err)
}

// MarkSession changes a session and returns it as it is afterwards; ok is false when there is none.
func (x *Index) MarkSession(ctx context.Context, scope readapi.Scope, change SessionChange, at time.Time) (s Session, ok bool, err error) {
	const op = "store.Index.MarkSession"
	at = milliseconds(at)
	err = checkScope(ctx, scope)
	switch {
	case err != nil:
	case !slices.Contains([]SessionChange{ArchiveSession, UnarchiveSession, DeleteSession, PurgeSession}, change):
		err = invalid("this is no change of a session")
	case !validTime(at):
		err = invalid("the time cannot be stored")
	}
	if err != nil {
		return Session{}, false, readapi.AsError(op, err)
	}
	s, ok, err = x.driver.MarkSession(ctx, scope, change, at)
	return s, ok, writeError(op, err)
}

// DropSession ends the removal of a session that MarkSession began.
func (x *Index) DropSession(ctx context.Context, scope readapi.Scope) error {
	const op = "store.Index.DropSession"
	if err := checkScope(ctx, scope); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.DropSession(ctx, scope))
}

// Purges returns up to limit removals that were begun and have not ended, the sessions first.
func (x *Index) Purges(ctx context.Context, limit int) ([]Purge, error) {
	const op = "store.Index.Purges"
	limit, err := pageSize(limit)
	if err = firstError(ctx.Err(), err); err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.Purges(ctx, limit)
	return list, readError(op, err)
}

// Usage returns how much a principal keeps, and all together.
func (x *Index) Usage(ctx context.Context, principal readapi.PrincipalID) (own, total Usage, err error) {
	const op = "store.Index.Usage"
	if err := ctx.Err(); err != nil {
		return Usage{}, Usage{}, readapi.AsError(op, err)
	}
	if !principal.Valid() {
		return Usage{}, Usage{}, readapi.AsError(op, invalid("the principal's id has not the form of one"))
	}
	own, total, err = x.driver.Usage(ctx, principal)
	return own, total, readError(op, err)
}

// PutHost says that a host is there for as long as ttl, and returns the generation.
func (x *Index) PutHost(ctx context.Context, host HostEntry, ttl time.Duration) (generation int64, err error) {
	const op = "store.Index.PutHost"
	if err := firstError(ctx.Err(), checkLease(host.ID, ttl), checkDecoders(host.Decoders)); err != nil {
		return 0, readapi.AsError(op, err)
	}
	generation, err = x.driver.PutHost(ctx, host, ttl)
	return generation, writeError(op, err)
}

// DropHost forgets a host.
func (x *Index) DropHost(ctx context.Context, id string) error {
	const op = "store.Index.DropHost"
	if err := firstError(ctx.Err(), checkLease(id, time.Second)); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.DropHost(ctx, id))
}

// LeaseBlobs keeps blobs from being removed for as long as ttl. Errors: busy while one of them is being removed; those of a write.
func (x *Index) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	const op = "store.Index.LeaseBlobs"
	if err := firstError(ctx.Err(), checkLease(holder, ttl), checkDigests(digests)); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.LeaseBlobs(ctx, holder, digests, ttl))
}

// EndLeases ends all leases of holder.
func (x *Index) EndLeases(ctx context.Context, holder string) error {
	const op = "store.Index.EndLeases"
	if err := firstError(ctx.Err(), checkLease(holder, time.Second)); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.EndLeases(ctx, holder))
}

// ClaimBlob lets the caller remove a blob until ttl is over; ok is false when something keeps it.
func (x *Index) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error) {
	const op = "store.Index.ClaimBlob"
	if err := firstError(ctx.Err(), checkLease("x", ttl), checkDigests([]string{sha256})); err != nil {
		return false, readapi.AsError(op, err)
	}
	ok, err = x.driver.ClaimBlob(ctx, sha256, ttl)
	return ok, writeError(op, err)
}

// EndClaim ends a claim.
func (x *Index) EndClaim(ctx context.Context, sha256 string) error {
	const op = "store.Index.EndClaim"
	if err := firstError(ctx.Err(), checkDigests([]string{sha256})); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.EndClaim(ctx, sha256))
}

// BlobUses says for each of the digests why it is kept; one that nothing keeps has an empty BlobUse.
func (x *Index) BlobUses(ctx context.Context, digests []string) (map[string]BlobUse, error) {
	const op = "store.Index.BlobUses"
	if err := firstError(ctx.Err(), checkDigests(digests)); err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.BlobUses(ctx, digests)
	if err != nil {
		return nil, readError(op, err)
	}
	uses := make(map[string]BlobUse, len(digests))
	for _, d := range digests {
		uses[d] = BlobUse{SHA256: d}
	}
	for _, u := range list {
		uses[u.SHA256] = u
	}
	return uses, nil
}

// ScanArtifacts returns artifacts of all sessions.
func (x *Index) ScanArtifacts(ctx context.Context, q ArtifactScan) ([]Artifact, error) {
	const op = "store.Index.ScanArtifacts"
	limit, err := pageSize(q.Limit)
	if err = firstError(ctx.Err(), err); err != nil {
		return nil, readapi.AsError(op, err)
	}
	q.Limit = limit
	list, err := x.driver.ScanArtifacts(ctx, q)
	return list, readError(op, err)
}

// ScanSessions returns sessions of all principals behind after; the zero Scope is the start.
func (x *Index) ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]Session, error) {
	const op = "store.Index.ScanSessions"
	limit, err := pageSize(limit)
	if err = firstError(ctx.Err(), err); err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.ScanSessions(ctx, after, limit)
	return list, readError(op, err)
}

// ScanUploads returns uploads of scope behind after ("": from the start).
func (x *Index) ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) ([]Upload, error) {
	const op = "store.Index.ScanUploads"
	limit, err := checkPage(ctx, scope, limit)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	list, err := x.driver.ScanUploads(ctx, scope, after, limit)
	return list, readError(op, err)
}

// Load puts rows of one session where they are not yet, exactly as they are. Errors: invalid_request for what an index cannot keep.
func (x *Index) Load(ctx context.Context, s Session, artifacts []Artifact, events []Event, uploads []Upload) error {
	const op = "store.Index.Load"
	if err := checkScope(ctx, s.Scope()); err != nil {
		return readapi.AsError(op, err)
	}
	s, artifacts, events, err := checkLoad(s, artifacts, events, uploads)
	if err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.Load(ctx, s, artifacts, events, uploads))
}

// Acquire takes or renews a lease on a name; ok is false while another holder has it.
func (x *Index) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (ok bool, err error) {
	const op = "store.Index.Acquire"
	if err := firstError(ctx.Err(), checkLease(name, ttl), checkLease(holder, ttl)); err != nil {
		return false, readapi.AsError(op, err)
	}
	ok, err = x.driver.Acquire(ctx, name, holder, ttl)
	return ok, writeError(op, err)
}

// Resign ends a holder's lease on a name.
func (x *Index) Resign(ctx context.Context, name, holder string) error {
	const op = "store.Index.Resign"
	if err := firstError(ctx.Err(), checkLease(name, time.Second), checkLease(holder, time.Second)); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, x.driver.Resign(ctx, name, holder))
}

func checkRow(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	if err := checkScope(ctx, scope); err != nil {
		return err
	}
	if !id.Valid() {
		return invalid("an artifact's id has not the form of one")
	}
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
