package sqliteindex

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// What is asked for a scope is found by the scope: a search that began with an id or scanned would take longer where another session has
// the id, or with every session that is added.
func TestPlans(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	const key = "(principal=? AND session=?"
	for query, want := range map[string][]string{
		selectArtifacts: {"SCAN g", "SCAN j VIRTUAL TABLE", "SEARCH a USING PRIMARY KEY " + key + " AND id=?)"},
		selectArtifact:  {"SEARCH a USING PRIMARY KEY " + key + " AND id=?)"},
		deleteArtifact:  {"SEARCH artifacts USING PRIMARY KEY " + key + " AND id=?)"},
		listArtifacts: {"MATERIALIZE a", "SEARCH artifacts USING INDEX sqlite_autoindex_artifacts_2 " + key + " AND seq>?)", "SCAN g", "SCAN a",
			"USE TEMP B-TREE FOR ORDER BY"}, // of a page
		listEvents:    {"SEARCH events USING INDEX sqlite_autoindex_events_1 " + key + " AND seq>?)"},
		selectEvent:   {"SEARCH events USING INDEX sqlite_autoindex_events_2 " + key + " AND id=?)"},
		lastEvent:     {"SEARCH events USING INDEX sqlite_autoindex_events_1 " + key + ")"},
		selectSession: {"SEARCH sessions USING PRIMARY KEY " + key + ")"},
		listSessions:  {"SEARCH sessions USING INDEX sessions_by_update (principal=? AND updated<?)"},
		findArtifacts: {"SEARCH a USING INDEX artifacts_by_id (id=?)"},
		blobNames:     {"SEARCH artifacts USING COVERING INDEX artifacts_by_blob (blob>?)"},
	} {
		rows, err := d.readers.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, 1, 2, 3, 4, 5, 6)
		if err != nil {
			t.Fatal(query, err)
		}
		var got []string
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			got = append(got, detail)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		ok := len(got) == len(want)
		for i := range min(len(got), len(want)) {
			ok = ok && strings.HasPrefix(got[i], want[i])
		}
		if !ok {
			t.Errorf("%s\ngot  %q\nwant %q", query, got, want)
		}
	}
}

// A full disk is quota_exceeded, nothing of the append stays, and it works again when there is room.
func TestFull(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	limit := func(pages string) {
		if _, err := d.writer.db.ExecContext(t.Context(), "PRAGMA max_page_count = "+pages); err != nil {
			t.Fatal(err)
		}
	}
	limit("30")
	scope := readapi.Scope{Principal: "local", Session: "s"}
	e := store.Event{ID: "e", Type: "user", Time: time.Now(), Payload: []byte(`"` + strings.Repeat("x", 200_000) + `"`)}
	if _, err := x.Append(t.Context(), scope, store.Batch{Events: []store.Event{e}}); readapi.CodeOf(err) != readapi.CodeQuotaExceeded {
		t.Errorf("%v, want quota_exceeded", err)
	}
	if _, ok, err := x.Session(t.Context(), scope); ok || err != nil {
		t.Errorf("the session was made: %v", err)
	}
	limit("1000000")
	if _, err := x.Append(t.Context(), scope, store.Batch{Events: []store.Event{e}}); err != nil {
		t.Errorf("with room: %v", err)
	}
}
