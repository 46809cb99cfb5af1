package sqliteindex

import (
	"context"
	"database/sql"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// A claim of this boot ends by the clock that nobody sets: were it over early because somebody has set the other one, bytes would be
	// removed that are there for an artifact again. One of another boot ends by its date.
	isLive = `CASE WHEN boot = ?3 AND boot <> '' THEN steady > ?4 ELSE until > ?2 END`

	liveClaim = `SELECT EXISTS (SELECT 1 FROM claims WHERE sha256 = ?1 AND ` + isLive + `)`

	endClaim = `DELETE FROM claims WHERE sha256 = ?1`

	upsertLease = `INSERT INTO leases (sha256, holder, until) VALUES (?1, ?2, ?3) ON CONFLICT (sha256, holder) DO UPDATE SET until = max(until, excluded.until)`

	isUsed = `SELECT EXISTS (SELECT 1 FROM artifacts INDEXED BY artifacts_by_blob WHERE blob = ?1 AND purging = 0)
		OR EXISTS (SELECT 1 FROM leases WHERE sha256 = ?1 AND until > ?2) OR EXISTS (SELECT 1 FROM claims WHERE sha256 = ?1 AND ` + isLive + `)`

	dropLeases = `DELETE FROM leases WHERE sha256 = ?1`

	upsertClaim = `INSERT INTO claims (sha256, until, boot, steady) VALUES (?1, ?2, ?3, ?4)
		ON CONFLICT (sha256) DO UPDATE SET until = excluded.until, boot = excluded.boot, steady = excluded.steady`

	blobUses = `SELECT j.value, (SELECT count(*) FROM artifacts INDEXED BY artifacts_by_blob WHERE blob = j.value AND purging = 0),
		(SELECT max(until) FROM leases WHERE sha256 = j.value), (SELECT until FROM claims WHERE sha256 = j.value) FROM json_each(?1) AS j`
)

// LeaseBlobs implements store.IndexDriver. A lease may be lost with the power: who had it is gone then, too.
func (d *Driver) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	now := d.opts.Now()
	boot, steady := d.opts.steady()
	return d.writeBy(ctx, d.loose, []string{liveClaim, endClaim, upsertLease}, func(t tx) error {
		for _, digest := range digests {
			claimed := false
			if err := t.rows(ctx, liveClaim, func(rows *sql.Rows) error { return rows.Scan(&claimed) }, digest, now.UnixMilli(), boot, steady); err != nil {
				return err
			}
			if claimed {
				return &readapi.Error{Code: readapi.CodeBusy, Detail: "the same bytes are being removed just now", RetryAfter: time.Second}
			}
			if _, err := t.exec(ctx, endClaim, digest); err != nil {
				return err
			}
			if _, err := t.exec(ctx, upsertLease, digest, holder, now.Add(ttl).UnixMilli()); err != nil {
				return err
			}
		}
		return nil
	})
}

// EndLeases implements store.IndexDriver.
func (d *Driver) EndLeases(ctx context.Context, holder string) error {
	return d.writeBy(ctx, d.loose, []string{endLeases}, func(t tx) error {
		_, err := t.exec(ctx, endLeases, holder)
		return err
	})
}

// ClaimBlob implements store.IndexDriver. It is durable, so that behind a loss of power no row can be there whose bytes were removed.
func (d *Driver) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error) {
	now := d.opts.Now()
	boot, steady := d.opts.steady()
	err = d.write(ctx, []string{isUsed, dropLeases, upsertClaim}, func(t tx) error {
		used := false
		if err := t.rows(ctx, isUsed, func(rows *sql.Rows) error { return rows.Scan(&used) }, sha256, now.UnixMilli(), boot, steady); err != nil || used {
			return err
		}
		if _, err := t.exec(ctx, dropLeases, sha256); err != nil {
			return err
		}
		_, err := t.exec(ctx, upsertClaim, sha256, now.Add(ttl).UnixMilli(), boot, steady+ttl.Milliseconds())
		ok = err == nil
		return err
	})
	return ok && err == nil, err
}

// EndClaim implements store.IndexDriver.
func (d *Driver) EndClaim(ctx context.Context, sha256 string) error {
	return d.writeBy(ctx, d.loose, []string{endClaim}, func(t tx) error {
		_, err := t.exec(ctx, endClaim, sha256)
		return err
	})
}

// BlobUses implements store.IndexDriver.
func (d *Driver) BlobUses(ctx context.Context, digests []string) (list []store.BlobUse, err error) {
	wanted, err := toJSON(digests)
	if err != nil {
		return nil, err
	}
	err = d.rows(ctx, blobUses, func(rows *sql.Rows) error {
		var u store.BlobUse
		var lease, claim sql.NullInt64
		if err := rows.Scan(&u.SHA256, &u.Rows, &lease, &claim); err != nil {
			return err
		}
		if lease.Valid {
			u.Lease = fromMillis(lease.Int64)
		}
		if claim.Valid {
			u.Claim = fromMillis(claim.Int64)
		}
		list = append(list, u)
		return nil
	}, wanted)
	return list, err
}
