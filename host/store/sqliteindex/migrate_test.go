package sqliteindex_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// versionOne makes a database as version 1 did, with rows of two principals. It is closed again.
func versionOne(t *testing.T, more ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "index.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustExec(t, db, "PRAGMA journal_mode = WAL", "PRAGMA application_id = 0x676c7662")
	first, err := os.ReadFile("migrations/00001_store.sql")
	if err != nil {
		t.Fatal(err)
	}
	p, err := goose.NewProvider(goose.DialectSQLite3, db, fstest.MapFS{"00001_store.sql": {Data: first}}, goose.WithDisableGlobalRegistry(true))
	if err == nil {
		_, err = p.Up(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	// principal, session, messages, the next numbers of events and artifacts, times, archived
	for _, s := range []string{"'p','s1',1,2,7,1000,2000,0", "'p','s2',0,0,2,5,6,1", "'q','s1',0,0,1,7,7,0", "'q','empty',1,1,0,8,8,0"} {
		mustExec(t, db, "INSERT INTO sessions VALUES ("+s+")")
	}
	// principal, session, id, seq, bytes, name, blob, created, deleted; there was one with the number 3
	for i, a := range []string{
		"p s1 f 0 10 a 1 100 -", "p s1 e 1 20 b 2 101 -", "p s1 d 2 30 a 1 102 500", "p s1 c 4 0 a - 103 -", "p s1 b 5 40 A 3 104 -", "p s1 a 6 50 a 1 105 -",
		"p s2 a 0 60 a 1 106 -", "p s2 b 1 0 b - 107 -", "q s1 a 0 70 a 1 108 -",
	} {
		var f [9]string
		if _, err := fmt.Sscan(a, &f[0], &f[1], &f[2], &f[3], &f[4], &f[5], &f[6], &f[7], &f[8]); err != nil {
			t.Fatal(i, err)
		}
		blob, source := "'"+strings.Repeat(f[6], 64)+"'", "user_upload"
		if f[6] == "-" {
			blob, source = "NULL", "memory_add_uri"
		}
		deleted, status := f[8], "deleted"
		if deleted == "-" {
			deleted, status = "NULL", "live"
		}
		mustExec(t, db, fmt.Sprintf(`INSERT INTO artifacts VALUES ('%s','%s','%s',%s,%s,%s,'%s','doc','%s','%s','text/plain','["text/plain"]','image/png',1,%s,%s)`,
			f[0], f[1], f[2], f[3], blob, f[4], f[5], source, status, f[7], deleted))
	}
	mustExec(t, db, `INSERT INTO events VALUES ('p','s1',0,'e0','user','',1000,1,'{"a":1}'),('p','s1',1,'e1','tool_call','t',2000,0,'{}'),('q','empty',0,'e','user','',8,1,'1')`,
		`UPDATE decoder_set SET generation = 4, decoders = '[{"name":"x","digest":"d","enabled":true}]'`)
	mustExec(t, db, more...)
	return path
}

// migrated is what the rows of versionOne are, a line each.
func migrated(t *testing.T, x *store.Index) (lines []string) {
	t.Helper()
	sessions, err := x.ScanSessions(t.Context(), readapi.Scope{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions {
		lines = append(lines, fmt.Sprint(s.Principal, " ", s.ID, ": ", s.Messages, " ", s.Files, " ", s.Bytes, " ", s.Created.UnixMilli(), " ", s.Updated.UnixMilli(), " ",
			s.Archived, s.Deleted.IsZero(), s.Purging))
		list, _, err := x.ListArtifacts(t.Context(), s.Scope(), -1, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range list {
			lines = append(lines, fmt.Sprint("  ", a.ID, " ", a.Seq, " ", a.Name, a.Version, " ", a.Bytes, " ", a.Created.UnixMilli(), " ", a.Status, a.Purging))
		}
	}
	for _, p := range []readapi.PrincipalID{"p", "q", "nobody"} {
		own, total, err := x.Usage(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprint(p, ": ", own, total))
	}
	return lines
}

var wantMigrated = []string{
	"p s1: 1 5 150 1000 2000 false true false",
	"  f 0 a1 10 100 livefalse", "  e 1 b1 20 101 livefalse", "  d 2 a2 30 102 deletedfalse", "  c 4 a3 0 103 livefalse", "  b 5 A1 40 104 livefalse", "  a 6 a4 50 105 livefalse",
	"p s2: 0 1 60 5 6 true true false", "  a 0 a1 60 106 livefalse", "  b 1 b1 0 107 livefalse",
	"q empty: 1 0 0 8 8 false true false",
	"q s1: 0 1 70 7 7 false true false", "  a 0 a1 70 108 livefalse",
	"p: {6 210} {7 280}", "q: {1 70} {7 280}", "nobody: {0 0} {7 280}",
}

// A database of version 1 becomes one of this version: what was there is there, with versions and counts, and it goes on behind it.
func TestMigrate(t *testing.T) {
	path := versionOne(t)
	x := newIndex(t, path)
	if diff := cmp.Diff(wantMigrated, migrated(t, x)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if set, err := x.Decoders(t.Context()); err != nil || set.Generation != 4 || len(set.Decoders) != 1 {
		t.Errorf("%+v, %v", set, err)
	}
	s := readapi.Scope{Principal: "p", Session: "s1"}
	if events, err := x.Events(t.Context(), s, -1, 0); err != nil || len(events) != 2 || events[1].Turn != "t" || string(events[0].Payload) != `{"a":1}` {
		t.Errorf("%+v, %v", events, err)
	}
	a := artifact(1)
	a.ID, a.Name, a.Blob = "new", "a", strings.Repeat("1", 64)
	e := store.Event{ID: "e2", Type: "user", Time: time.Now(), Payload: []byte(`{}`)}
	seqs, err := x.Append(t.Context(), s, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}, Quota: store.Quota{TotalBytes: 283}}))
	if err != nil || len(seqs) != 1 || seqs[0] != 2 {
		t.Errorf("%v, %v", seqs, err)
	}
	rows, _, err := x.Artifacts(t.Context(), s, []readapi.ArtifactID{"new"})
	if err != nil || rows["new"].Seq != 7 || rows["new"].Version != 5 {
		t.Errorf("%+v, %v", rows, err)
	}
	if ok, err := x.ClaimBlob(t.Context(), a.Blob, time.Minute); ok || err != nil {
		t.Errorf("bytes of before are free: %v", err)
	}
	checkSchema(t, path)
	var problems int
	if err := raw(t, path).QueryRowContext(t.Context(), "SELECT count(*) FROM pragma_foreign_key_check").Scan(&problems); err != nil || problems > 0 {
		t.Errorf("%d rows without a session, %v", problems, err)
	}
}

// A step that fails leaves the database at version 1, and the next who opens it makes it.
func TestMigrateFails(t *testing.T) {
	path := versionOne(t, "CREATE TABLE uploads (in_the_way)")
	if _, err := sqliteindex.Open(t.Context(), path, nil); err == nil {
		t.Fatal("it was opened")
	}
	db := raw(t, path)
	var version, columns int
	if err := db.QueryRowContext(t.Context(), "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM pragma_table_info('artifacts'))").Scan(&version, &columns); err != nil {
		t.Fatal(err)
	}
	if version != 1 || columns != 16 {
		t.Errorf("version %d, %d columns", version, columns)
	}
	mustExec(t, db, "DROP TABLE uploads")
	if diff := cmp.Diff(wantMigrated, migrated(t, newIndex(t, path))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

const childPath = "GLOVEBOX_TEST_MIGRATE"

// TestMigrateChild is what TestMigrateTogether runs in other processes.
func TestMigrateChild(t *testing.T) {
	path := os.Getenv(childPath)
	if path == "" {
		return // it is not asked for
	}
	if diff := cmp.Diff(wantMigrated, migrated(t, newIndex(t, path))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Several processes that find version 1 at once migrate it once, and each sees the whole.
func TestMigrateTogether(t *testing.T) {
	path := versionOne(t)
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestMigrateChild$")
			c.Env = append(os.Environ(), childPath+"="+path)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	wg.Wait()
	var steps int
	if err := raw(t, path).QueryRowContext(t.Context(), "SELECT count(*) FROM goose_db_version WHERE version_id = 2").Scan(&steps); err != nil || steps != 1 {
		t.Errorf("the step was made %d times, %v", steps, err)
	}
}

// A counter that is damaged makes an append corrupt, and it leaves nothing.
func TestDamagedCounter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := newIndex(t, path)
	for i := range 2 {
		if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}})); err != nil {
			t.Fatal(err)
		}
	}
	mustExec(t, raw(t, path), "UPDATE sessions SET artifacts = 0")
	_, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(2), artifact(3)}}))
	if readapi.CodeOf(err) != readapi.CodeCorrupt {
		t.Errorf("%v, want corrupt", err)
	}
	rows, _, err := x.ListArtifacts(t.Context(), scope, -1, 0)
	own, _, uerr := x.Usage(t.Context(), scope.Principal)
	if err != nil || uerr != nil || len(rows) != 2 || own.Files != 2 {
		t.Errorf("%d rows, %+v, %v, %v", len(rows), own, err, uerr)
	}
}
