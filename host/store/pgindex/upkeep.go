package pgindex

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	// The time to sweep before is by the clock of a host, which may be far ahead.
	isOver      = ` WHERE until < least($1, glovebox.now_ms())`
	sweepLeases = `DELETE FROM glovebox.leases` + isOver
	sweepClaims = `DELETE FROM glovebox.claims` + isOver
	sweepNames  = `DELETE FROM glovebox.names` + isOver

	recountSession = `UPDATE glovebox.sessions SET files = v.n, bytes = v.b FROM (SELECT count(*) AS n, coalesce(sum(bytes), 0)::bigint AS b
		FROM glovebox.artifacts WHERE principal = $1 AND session = $2 AND blob IS NOT NULL) AS v WHERE principal = $1 AND session = $2`

	// What is missing goes to one part. Both sums are of one moment, and what others add meanwhile they add to both.
	recountUsage = `INSERT INTO glovebox.usage AS u (principal, part, files, bytes) SELECT $1, $2, s.n - g.n, s.b - g.b FROM
		(SELECT coalesce(sum(files), 0)::bigint AS n, coalesce(sum(bytes), 0)::bigint AS b FROM glovebox.sessions WHERE principal = $1) AS s,
		(SELECT coalesce(sum(files), 0)::bigint AS n, coalesce(sum(bytes), 0)::bigint AS b FROM glovebox.usage WHERE principal = $1) AS g
		ON CONFLICT (principal, part) DO UPDATE SET files = u.files + excluded.files, bytes = u.bytes + excluded.bytes`
)

// Sweep implements store.Sweeper: leases, claims and names whose time was over before a time, and is over, are forgotten.
func (d *Driver) Sweep(ctx context.Context, before time.Time) (removed int, err error) {
	var n [3]int64
	err = d.do(ctx, loose, func(s *steps) {
		for i, query := range []string{sweepLeases, sweepClaims, sweepNames} {
			s.count(&n[i], query, before.UnixMilli())
		}
	})
	return int(n[0] + n[1] + n[2]), err
}

// Recount implements store.Recounter.
func (d *Driver) Recount(ctx context.Context, scope readapi.Scope) error {
	principal, session := string(scope.Principal), string(scope.Session)
	return d.do(ctx, again, func(s *steps) {
		s.exec(lockSession, principal, session)
		s.exec(recountSession, principal, session)
		s.exec(recountUsage, principal, part(scope.Session))
	})
}
