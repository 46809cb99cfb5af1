package sqliteindex

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	inSession = "(principal=? AND session=?"
	session   = "SEARCH sessions USING PRIMARY KEY " + inSession + ")"
	anArt     = " USING PRIMARY KEY " + inSession + " AND id=?)"
	perID     = "SCAN j VIRTUAL TABLE"
)

// plan is a query and how it must be answered, step by step; a step may go on.
type plan struct {
	query string
	steps []string
}

// plans are those of every query: TestPlans finds one that is not among them.
var plans = map[string]plan{
	"selectArtifacts": {selectArtifacts, []string{"SCAN g", perID, "SEARCH a" + anArt}},
	"selectArtifact":  {selectArtifact, []string{"SEARCH a" + anArt}},
	"selectKnown":     {selectKnown, []string{perID, "SEARCH a" + anArt}},
	"deleteArtifact":  {deleteArtifact, []string{"SEARCH artifacts" + anArt}},
	"purgeArtifact":   {purgeArtifact, []string{"SEARCH artifacts" + anArt}},
	"dropArtifact":    {dropArtifact, []string{"SEARCH artifacts" + anArt}},
	"listArtifacts": {listArtifacts, []string{"MATERIALIZE a", "SEARCH artifacts USING INDEX sqlite_autoindex_artifacts_2 " + inSession + " AND seq>?)", "SCAN g", "SCAN a",
		"USE TEMP B-TREE FOR ORDER BY"}}, // of a page
	"findArtifacts": {findArtifacts, []string{"SEARCH a USING INDEX artifacts_by_id (id=?)"}},
	"lastVersions":  {lastVersions, []string{perID, "CORRELATED", "SEARCH artifacts USING COVERING INDEX artifacts_by_name " + inSession + " AND name=?)"}},

	"listEvents":    {listEvents, []string{"SEARCH events USING INDEX sqlite_autoindex_events_1 " + inSession + " AND seq>?)"}},
	"selectEvent":   {selectEvent, []string{"SEARCH events USING INDEX sqlite_autoindex_events_2 " + inSession + " AND id=?)"}},
	"selectPayload": {selectPayload, []string{"SEARCH events USING INDEX sqlite_autoindex_events_2 " + inSession + " AND id=?)"}},
	"lastEvent":     {lastEvent, []string{"SEARCH events USING INDEX sqlite_autoindex_events_1 " + inSession + ")"}},

	"selectSession":  {selectSession, []string{session}},
	"selectCounts":   {selectCounts, []string{session}},
	"archiveSession": {archiveSession, []string{session}},
	"deleteSession":  {deleteSession, []string{session}},
	"countLoaded":    {countLoaded, []string{session}},
	"isPurging":      {isPurging, []string{"SCAN CONSTANT ROW", "SCALAR", session}},
	"listSessions":   {listSessions, []string{"SEARCH sessions USING INDEX sessions_by_update (principal=? AND updated<?)"}},

	"subtractArtifact": {subtractArtifact, []string{"MATERIALIZE v", "SEARCH artifacts" + anArt, session, "SCAN v"}},
	"subtractUsage":    {subtractUsage, []string{"MATERIALIZE v", "SEARCH artifacts" + anArt, "SEARCH usage USING PRIMARY KEY (principal=?)", "SCAN v"}},
	"subtractSession":  {subtractSession, []string{"SEARCH s USING PRIMARY KEY " + inSession + ")", "SEARCH usage USING PRIMARY KEY (principal=?)"}},
	"selectUsage":      {selectUsage, []string{"SEARCH usage USING PRIMARY KEY (principal=?)"}},
	"addUsage":         {addUsage, []string{"SCAN 2-ROW VALUES CLAUSE"}},

	"selectUpload":  {selectUpload, []string{"SEARCH uploads USING PRIMARY KEY " + inSession + " AND id=?)"}},
	"scanUploads":   {scanUploads, []string{"SEARCH uploads USING PRIMARY KEY " + inSession + " AND id>?)"}},
	"dropUploadsOf": {dropUploadsOf, []string{"SEARCH uploads USING INDEX uploads_by_artifact " + inSession + " AND artifact=?)", "SCALAR", "SEARCH artifacts" + anArt}},

	"deleteArtifacts":      {deleteArtifacts, []string{"SEARCH artifacts USING PRIMARY KEY " + inSession + ")"}},
	"dropSessionArtifacts": {dropSessionArtifacts, []string{"SEARCH artifacts" + anArt, "LIST", "SEARCH artifacts USING COVERING INDEX artifacts_by_name " + inSession + ")"}},
	"dropSessionEvents":    {dropSessionEvents, []string{"SEARCH events USING INTEGER PRIMARY KEY (rowid=?)", "LIST", "SEARCH events USING COVERING INDEX sqlite_autoindex_events_2 " + inSession + ")"}},
	"dropSessionUploads":   {dropSessionUploads, []string{"SEARCH uploads USING PRIMARY KEY " + inSession + ")"}},
	// The other steps look for rows that would be left without their session.
	"dropSession": {dropSession, []string{session, "SEARCH uploads USING PRIMARY KEY " + inSession + ")", "SEARCH events USING COVERING INDEX sqlite_autoindex_events_2 " + inSession + ")",
		"SEARCH artifacts USING PRIMARY KEY " + inSession + ")"}},

	// Of what is being purged, which is little, and a walk over all.
	"listPurges": {listPurges, []string{"COMPOUND", "LEFT-MOST", "SCAN sessions USING COVERING INDEX sessions_purging", "UNION ALL", "SCAN a USING COVERING INDEX artifacts_purging",
		"CORRELATED", "SEARCH s USING PRIMARY KEY " + inSession + ")"}},
	"scanSessions":  {scanSessions, []string{"SEARCH sessions USING PRIMARY KEY ((principal,session)>(?,?))"}},
	"scanArtifacts": {scanArtifacts, []string{"SEARCH a USING PRIMARY KEY ((principal,session,id)>(?,?,?))"}},
	"blobNames":     {blobNames, []string{"SEARCH artifacts USING COVERING INDEX artifacts_by_blob (blob>?)"}},

	"selectBare": {selectBare, []string{perID, "CORRELATED", "SEARCH leases USING PRIMARY KEY (sha256=? AND holder=?)", "CORRELATED", "SEARCH claims USING PRIMARY KEY (sha256=?)"}},
	"endLeases":  {endLeases, []string{"SEARCH leases USING INDEX leases_by_holder (holder=?)"}},
	"dropLeases": {dropLeases, []string{"SEARCH leases USING PRIMARY KEY (sha256=?)"}},
	"liveClaim":  {liveClaim, []string{"SCAN CONSTANT ROW", "SCALAR", "SEARCH claims USING PRIMARY KEY (sha256=?)"}},
	"endClaim":   {endClaim, []string{"SEARCH claims USING PRIMARY KEY (sha256=?)"}},
	"isUsed": {isUsed, []string{"SCAN CONSTANT ROW", "SCALAR", "SEARCH artifacts USING COVERING INDEX artifacts_by_blob (blob=? AND purging=?)",
		"SCALAR", "SEARCH leases USING PRIMARY KEY (sha256=?)", "SCALAR", "SEARCH claims USING PRIMARY KEY (sha256=?)"}},
	"blobUses": {blobUses, []string{perID, "CORRELATED", "SEARCH artifacts USING COVERING INDEX artifacts_by_blob (blob=? AND purging=?)",
		"CORRELATED", "SEARCH leases USING PRIMARY KEY (sha256=?)", "CORRELATED", "SEARCH claims USING PRIMARY KEY (sha256=?)"}},

	// There is one set, and as many hosts as there are machines.
	"selectDecoders":   {selectDecoders, []string{"SCAN g", "SCAN h", "USE TEMP B-TREE FOR ORDER BY"}},
	"updateDecoders":   {updateDecoders, []string{"SCAN decoder_set"}},
	"nextGeneration":   {nextGeneration, []string{"SCAN decoder_set"}},
	"selectGeneration": {selectGeneration, []string{"SCAN decoder_set"}},
	"dropHosts":        {dropHosts, []string{"SCAN hosts"}},
	"selectHost":       {selectHost, []string{"SEARCH hosts USING PRIMARY KEY (id=?)"}},
	"dropHost":         {dropHost, []string{"SEARCH hosts USING PRIMARY KEY (id=?)"}},
	"resignName":       {resignName, []string{"SEARCH names USING PRIMARY KEY (name=?)"}},

	// What is left behind is little; what is counted again is looked through by an operator.
	"sweepLeases":    {sweepLeases, []string{"SCAN leases"}},
	"sweepClaims":    {sweepClaims, []string{"SCAN claims"}},
	"sweepNames":     {sweepNames, []string{"SCAN names"}},
	"recountSession": {recountSession, []string{"MATERIALIZE v", "SEARCH artifacts USING PRIMARY KEY " + inSession + ")", session, "SCAN v"}},
	"recountOwn":     {recountOwn, []string{"SEARCH sessions USING PRIMARY KEY (principal=?)"}},
	"recountAll":     {recountAll, []string{"SCAN sessions"}},
	"quickCheck":     {quickCheck, []string{"SCAN pragma_quick_check"}},

	"selectState":   {selectState, []string{"SEARCH sessions USING PRIMARY KEY (principal=? AND session=?)"}},
	"upsertSession": {upsertSession, nil}, "loadSession": {loadSession, nil}, "insertArtifact": {insertArtifact, nil}, "insertEvent": {insertEvent, nil},
	"loadEvent": {loadEvent, nil}, "insertUpload": {insertUpload, nil}, "loadUpload": {loadUpload, nil}, "upsertLease": {upsertLease, nil}, "upsertClaim": {upsertClaim, nil},
	"upsertHost": {upsertHost, nil}, "acquireName": {acquireName, nil},
}

// What is asked for a scope is found by the scope: a search that began with an id or scanned would take longer where another session has
// the id, or with every session that is added.
func TestPlans(t *testing.T) {
	d, err := Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for name, p := range plans {
		args := make([]any, 20)
		rows, err := d.writer.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+p.query, args...)
		if err != nil {
			t.Fatal(name, err)
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
		if !slices.EqualFunc(got, p.steps, strings.HasPrefix) {
			t.Errorf("%s: %s\ngot  %q\nwant %q", name, p.query, got, p.steps)
		}
	}
	for _, name := range queryNames(t) {
		if _, ok := plans[name]; !ok {
			t.Errorf("%s has no plan here", name)
		}
	}
}

// queryNames are the constants of this package that are queries.
func queryNames(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	statement := regexp.MustCompile(`^.(SELECT|INSERT|UPDATE|DELETE) `)
	for _, name := range files {
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if ok && len(v.Values) == 1 {
				ast.Inspect(v.Values[0], func(n ast.Node) bool {
					if lit, ok := n.(*ast.BasicLit); ok && statement.MatchString(lit.Value) && !slices.Contains(names, v.Names[0].Name) {
						names = append(names, v.Names[0].Name)
					}
					return true
				})
			}
			return true
		})
	}
	if len(names) < 40 {
		t.Fatalf("only %d queries were found", len(names))
	}
	return names
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
