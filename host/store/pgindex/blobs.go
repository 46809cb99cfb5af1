package pgindex

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// What keeps a blob and who wants to remove it meet in the locks of blobLock: LeaseBlobs and Append share them, ClaimBlob has one alone.
// Each statement sees what was committed before it began, so what ClaimBlob asks behind the lock has whatever others did before.

const (
	endOldClaims = `DELETE FROM glovebox.claims WHERE sha256 = ANY($1::bytea[]) AND until <= glovebox.now_ms()`

	// None at all where one of the blobs is claimed.
	addLeases = `INSERT INTO glovebox.leases AS l (sha256, holder, until) SELECT u, $2, glovebox.now_ms() + $3 FROM unnest($1::bytea[]) AS u
		WHERE NOT EXISTS (SELECT FROM glovebox.claims WHERE sha256 = ANY($1::bytea[]))
		ON CONFLICT (sha256, holder) DO UPDATE SET until = greatest(l.until, excluded.until)`

	claimBlob = `WITH c AS (INSERT INTO glovebox.claims AS was (sha256, until) SELECT $1::bytea, glovebox.now_ms() + $2
			WHERE NOT EXISTS (SELECT FROM glovebox.artifacts WHERE blob = $1 AND NOT purging)
				AND NOT EXISTS (SELECT FROM glovebox.leases WHERE sha256 = $1 AND until > glovebox.now_ms())
			ON CONFLICT (sha256) DO UPDATE SET until = excluded.until WHERE was.until <= glovebox.now_ms() RETURNING sha256),
		l AS (DELETE FROM glovebox.leases WHERE sha256 IN (SELECT sha256 FROM c)) SELECT sha256 FROM c`

	endClaim = `DELETE FROM glovebox.claims WHERE sha256 = $1`

	blobUses = `SELECT u, (SELECT count(*) FROM glovebox.artifacts WHERE blob = u AND NOT purging),
		(SELECT max(until) FROM glovebox.leases WHERE sha256 = u), (SELECT until FROM glovebox.claims WHERE sha256 = u) FROM unnest($1::bytea[]) AS u`
)

// LeaseBlobs implements store.IndexDriver. A lease may be lost with the server's power: then Append says that the bytes may be gone.
func (d *Driver) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	digests = unique(digests)
	if len(digests) == 0 {
		return nil
	}
	var n int64
	err := d.do(ctx, loose, func(s *steps) {
		s.exec(lockBlobs, lockClass, blobLocks(digests))
		s.exec(endOldClaims, fromHex(digests))
		s.count(&n, addLeases, fromHex(digests), holder, ttl.Milliseconds())
	})
	if err == nil && n == 0 {
		err = errBusy("the same bytes are being removed just now", nil)
	}
	return err
}

// EndLeases implements store.IndexDriver.
func (d *Driver) EndLeases(ctx context.Context, holder string) error {
	return d.do(ctx, loose, func(s *steps) { s.exec(endLeases, holder) })
}

// ClaimBlob implements store.IndexDriver. It is durable: behind a loss of power no lease may be there again whose bytes were removed.
func (d *Driver) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error) {
	err = d.do(ctx, once, func(s *steps) {
		ok = false
		s.exec(lockAlone, lockClass, blobLock(sha256))
		s.rows(func(pgx.Rows) error {
			ok = true
			return nil
		}, claimBlob, fromHex([]string{sha256})[0], ttl.Milliseconds())
	})
	return ok && err == nil, err
}

// EndClaim implements store.IndexDriver.
func (d *Driver) EndClaim(ctx context.Context, sha256 string) error {
	return d.do(ctx, loose, func(s *steps) { s.exec(endClaim, fromHex([]string{sha256})[0]) })
}

// BlobUses implements store.IndexDriver.
func (d *Driver) BlobUses(ctx context.Context, digests []string) ([]store.BlobUse, error) {
	return list(ctx, d, func(rows pgx.Rows) (u store.BlobUse, err error) {
		var blob []byte
		var lease, claim *int64
		err = rows.Scan(&blob, &u.Rows, &lease, &claim)
		u.SHA256, u.Lease, u.Claim = hex.EncodeToString(blob), fromMaybe(lease), fromMaybe(claim)
		return u, err
	}, blobUses, fromHex(unique(digests)))
}
