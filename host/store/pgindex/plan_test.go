package pgindex

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// plan is how the server runs a query, whatever its arguments are.
func plan(tb testing.TB, c *pgx.Conn, query, args string) string {
	tb.Helper()
	var out []string
	for _, sql := range []string{"SET plan_cache_mode = force_generic_plan", "PREPARE p AS " + query, "EXPLAIN EXECUTE p(" + args + ")", "DEALLOCATE p"} {
		results, err := c.PgConn().Exec(tb.Context(), sql).ReadAll()
		if err != nil {
			tb.Fatalf("%s: %v", sql, err)
		}
		for _, r := range results {
			for _, row := range r.Rows {
				out = append(out, string(row[0]))
			}
		}
	}
	return strings.Join(out, "\n")
}

// queries are those that must not take longer the more rows there are of others, with arguments, and the indexes that they use.
func queries(principal, session string) []struct{ name, query, args, want string } {
	key := fmt.Sprintf("'%s', '%s'", principal, session)
	digest := `'\x` + strings.Repeat("ab", 32) + `'`
	return []struct{ name, query, args, want string }{
		{"Artifacts", selectArtifacts, key + ", '{a,b}'", "artifacts_pkey"},
		{"ListArtifacts", listArtifacts, key + ", -1, 100", "artifacts_by_seq"},
		{"FindArtifacts", findArtifacts, "'a'", "artifacts_by_id"},
		{"an artifact", selectArtifact, key + ", 'a'", "artifacts_pkey"},
		{"DeleteArtifact", deleteArtifact, key + ", 'a', 0", "artifacts_pkey"},
		{"PurgeArtifact", purgeArtifact, key + ", 'a'", "artifacts_pkey"},
		{"DropArtifact", dropArtifact, key + ", 'a', 1", "artifacts_p uploads_by_artifact sessions_pkey"},
		{"Append: known artifacts", knownArtifacts, key + ", '{a,b}'", "artifacts_pkey"},
		{"Append: known events", knownEvents, key + ", '{a,b}'", "events_by_id"},
		{"Append: versions", lastVersions, key + ", '{a,b}'", "artifacts_by_name"},
		{"Append: leases", coveredBlobs, "'{}', 'x'", "leases_"},
		{"Append: the session", lockSession, key, "sessions_pkey"},
		{"Usage for a quota", selectUsage, "'" + principal + "'", "usage_pkey"},
		{"EndLeases", endLeases, "'x'", "leases_by_holder"},
		{"ClaimBlob", claimBlob, digest + ", 1", "artifacts_by_blob leases_pkey"},
		{"BlobUses", blobUses, "array[" + digest + "::bytea]", "artifacts_by_blob leases_pkey claims_pkey"},
		{"BlobNames", blobNames, digest + ", 1000", "artifacts_by_blob"},
		{"Session", selectSession, key, "sessions_pkey"},
		{"Sessions", listSessions, "'" + principal + "', 9999999999999, '', false, false, 20", "sessions_by_update"},
		{"Events", listEvents, key + ", -1, 100", "events_pkey"},
		{"Event", selectEvent, key + ", 'e'", "events_by_id"},
		{"LastEvent", lastEvent, key, "events_pkey"},
		{"Upload", selectUpload, key + ", 'u'", "uploads_pkey"},
		{"ScanArtifacts", scanArtifacts, key + ", 'a', '', 9999999999999, NULL, 1000", "artifacts_pkey"},
		{"ScanSessions", scanSessions, key + ", 1000", "sessions_pkey"},
		{"ScanUploads", scanUploads, key + ", 'u', 1000", "uploads_pkey"},
		{"Purges", listPurges, "1000", "sessions_purging artifacts_purging"},
		{"DropSession: events", dropEvents, key, "events_"},
		{"DropSession: uploads", dropUploads, key, "uploads_pkey"},
		{"DropSession: usage", subtractSession, key + ", 1", "sessions_p usage_pkey"},
		{"DropSession: artifacts", dropArtifacts, key, "artifacts_"},
		{"MarkSession", deleteArtifacts, key + ", 0, true", "artifacts_"},
		{"MarkSession: the session", deleteSession, key + ", 0, true", "sessions_pkey"},
		{"Append: counts", updateSession, key + ", 0, 0, 0, 0, 0, 0, 0", "sessions_pkey"},
		{"Load: events", loadEvents, key + ", '{1}', '{a}', '{user}', '{t}', '{0}', '{true}', '{1}'", "events_by_id"},
		{"Recount: the session", recountSession, key, "artifacts_ sessions_pkey"},
		{"Recount: usage", recountUsage, "'" + principal + "', 1", "sessions_ usage_pkey"},
	}
}

// What is asked for a session is found by the session: no plan walks a table, or meets rows of other sessions on its way.
func TestPlans(t *testing.T) {
	url := pgtest.URL(t)
	d, err := Open(t.Context(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	c := fillTo(t, url, *rows)
	scope, _ := someRefs(t, c, 7)
	for _, sql := range []string{
		`INSERT INTO glovebox.leases SELECT 0, sha256(n::text::bytea), 'h' || n % 100 FROM generate_series(1, 5000) AS n`,
		`INSERT INTO glovebox.claims SELECT 0, sha256(n::text::bytea) FROM generate_series(1, 5000) AS n`,
		`INSERT INTO glovebox.uploads SELECT principal, session, id, '', id FROM glovebox.artifacts`,
		`INSERT INTO glovebox.sessions (principal, session, messages, events, artifacts, files, bytes, created, updated)
			SELECT 'p' || n % 50, n::text, 0, 0, 0, 0, 0, n, n FROM generate_series(1, 5000) AS n`,
		`INSERT INTO glovebox.usage (principal, part, files, bytes) SELECT 'u' || n, 0, 0, 0 FROM generate_series(1, 5000) AS n`,
		`VACUUM ANALYZE`,
	} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("sessions of many", func(t *testing.T) { checkPlans(t, c, scope) })
	// The averages of an index say little of one session of it.
	if _, err := c.Exec(t.Context(), `UPDATE glovebox.artifacts SET principal = id, session = id WHERE session <> $1`, scope.Session); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"events", "uploads"} {
		if _, err := c.Exec(t.Context(), `UPDATE glovebox.`+table+` SET principal = id, session = id WHERE session <> $1`, scope.Session); err != nil {
			t.Fatal(err)
		}
	}
	for _, sql := range []string{`UPDATE glovebox.sessions SET principal = session WHERE principal <> 'p0'`, `VACUUM ANALYZE`} {
		if _, err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("sessions of one", func(t *testing.T) { checkPlans(t, c, scope) })
}

func checkPlans(t *testing.T, c *pgx.Conn, scope readapi.Scope) {
	for _, q := range queries(string(scope.Principal), string(scope.Session)) {
		got := plan(t, c, q.query, q.args)
		for _, index := range strings.Fields(q.want) {
			if !strings.Contains(got, " "+index) {
				t.Errorf("%s: it does not use %s:\n%s", q.name, index, got)
			}
		}
		for line := range strings.Lines(got) {
			if strings.Contains(line, "Seq Scan") && !strings.Contains(line, "decoder_set") {
				t.Errorf("%s: it walks a table:\n%s", q.name, got)
			}
		}
	}
	// The ablation: without its index, the lookup is found out.
	if got := plan(t, c, "SELECT * FROM glovebox.artifacts WHERE id = $1", "'a'"); !strings.Contains(got, "Seq Scan") {
		t.Errorf("an id alone leads to a row:\n%s", got)
	}
	for _, query := range []string{selectArtifacts, knownArtifacts, knownUploads, selectArtifact} {
		got := plan(t, c, query, fmt.Sprintf("'%s', '%s', '{a,b}'", scope.Principal, scope.Session))
		if !strings.Contains(got, "_pkey on ") || !strings.Contains(got, "Index Cond: ((principal = $1) AND (session = $2) AND (id = ") {
			t.Errorf("a lookup does not go straight to its rows:\n%s", got)
		}
	}
}
