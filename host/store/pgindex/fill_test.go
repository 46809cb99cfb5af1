package pgindex

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// rows is how large the index is that plans and times are taken of: go test ./host/store/pgindex -run '^$' -bench Scale -benchtime 1x -rows 1000000
var rows = flag.Int("rows", 10_000, "artifacts in the index that plans and times are taken of")

const (
	filesOfSession      = 100 // artifacts of a session
	sessionsOfPrincipal = 500
)

// filled is what an index with many rows has in the place n, from 0. No two places have one id, and one blob in five is in two of them.
const filled = `SELECT n, 'user-' || lpad((n / 50000)::text, 6, '0') AS principal, md5('session ' || n / 100) AS session, md5('artifact ' || n) AS id,
		1700000000000 + n * 1000 AS created FROM generate_series($1::bigint, $2::bigint - 1) AS n`

// fill adds artifacts from place from up to place to, in no order, with two events for each. The columns are as long as they are in earnest.
func fill(tb testing.TB, c *pgx.Conn, from, to int) {
	tb.Helper()
	for _, query := range []string{
		`INSERT INTO glovebox.artifacts (principal, session, id, seq, blob, bytes, name, kind, source, status, media_type, candidates, declared, mismatch,
			created, version, purging) SELECT principal, session, id, n % 100, sha256(('blob ' || CASE WHEN n % 5 = 0 THEN n + 1 ELSE n END)::bytea),
			100000 + n % 1000000, 'quarterly report ' || n % 50 || '.pdf', 'pdf', 'user_upload', 'live', 'application/pdf', '["application/pdf"]',
			'application/pdf', false, created, 1 + n % 100 / 50, false FROM (` + filled + `) AS f ORDER BY md5(id)`,
		`INSERT INTO glovebox.events (principal, session, seq, id, type, turn, time, message, payload) SELECT principal, session, n % 100 * 2 + k,
			substr(id, 1, 30) || k, 'user', '', created, true, '{"role":"user","attachments":["' || id || '"],"text":"' || repeat('some words ', 20) || '"}'
			FROM (` + filled + `) AS f, generate_series(0, 1) AS k ORDER BY md5(id)`,
		`INSERT INTO glovebox.sessions (principal, session, messages, events, artifacts, files, bytes, created, updated) SELECT principal, session, 200, 200,
			100, 100, 60000000, min(created), max(created) FROM (` + filled + `) AS f GROUP BY 1, 2`,
		`INSERT INTO glovebox.usage (principal, part, files, bytes) SELECT DISTINCT principal, 0, 50000, 30000000000 FROM (` + filled + `) AS f
			ON CONFLICT DO NOTHING`,
	} {
		if _, err := c.Exec(tb.Context(), query, from, to); err != nil {
			tb.Fatal(err)
		}
	}
}

// fillTo makes an index of n artifacts and lets the server count what it has.
func fillTo(tb testing.TB, url string, n int) *pgx.Conn {
	tb.Helper()
	c, err := pgx.Connect(tb.Context(), url)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close(context.WithoutCancel(tb.Context())) })
	const page = 100_000
	for from := 0; from < n; from += page {
		fill(tb, c, from, min(n, from+page))
	}
	if _, err := c.Exec(tb.Context(), "VACUUM ANALYZE"); err != nil {
		tb.Fatal(err)
	}
	return c
}

// someRefs are the scope of the session number s of an index, and its artifacts.
func someRefs(tb testing.TB, c *pgx.Conn, s int) (readapi.Scope, []readapi.ArtifactID) {
	tb.Helper()
	rows, err := c.Query(tb.Context(), `SELECT principal, session, id FROM (`+filled+`) AS f`, s*filesOfSession, (s+1)*filesOfSession)
	if err != nil {
		tb.Fatal(err)
	}
	var scope readapi.Scope
	var ids []readapi.ArtifactID
	for rows.Next() {
		var id readapi.ArtifactID
		if err := rows.Scan((*string)(&scope.Principal), (*string)(&scope.Session), (*string)(&id)); err != nil {
			tb.Fatal(err)
		}
		ids = append(ids, id)
	}
	if err := rows.Err(); err != nil || len(ids) != filesOfSession {
		tb.Fatal(fmt.Errorf("%d refs: %w", len(ids), err))
	}
	return scope, ids
}
