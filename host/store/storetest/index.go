package storetest

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func indexCases() []testCase[IndexHarness] {
	return slices.Concat([]testCase[IndexHarness]{
		{"Artifact", indexArtifact},
		{"ArtifactList", indexArtifactList},
		{"Event", indexEvent},
		{"Text", indexText},
		{"Times", indexTimes},
		{"Large", indexLarge},
		{"ManyIDs", indexManyIDs},
		{"Ownership", indexOwnership},
		{"Absent", indexAbsent},
		{"Numbers", indexNumbers},
		{"AllOrNothing", indexAllOrNothing},
		{"ArtifactConflict", indexArtifactConflict},
		{"ArrivesDeleted", indexArrivesDeleted},
		{"EventConflict", indexEventConflict},
		{"Idempotent", indexIdempotent},
		{"SameIDs", indexSameIDs},
		{"Find", indexFind},
		{"CaseMatters", indexCaseMatters},
		{"Delete", indexDelete},
		{"DeleteTwice", indexDeleteTwice},
		{"DeleteAbsent", indexDeleteAbsent},
		{"ArtifactPages", indexArtifactPages},
		{"EventPages", indexEventPages},
		{"SessionOrder", indexSessionOrder},
		{"SessionPages", indexSessionPages},
		{"SessionFields", indexSessionFields},
		{"SessionOfArtifacts", indexSessionOfArtifacts},
		{"BlobNames", indexBlobNames},
		{"Generation", indexGeneration},
		{"Decoders", indexDecoders},
		{"DecodersConflict", indexDecodersConflict},
		{"DecodersRace", indexDecodersRace},
		{"ConcurrentAppend", indexConcurrentAppend},
		{"Reopen", indexReopen},
		{"Beside", indexBeside},
	}, leaseCases(), quotaCases(), keepCases(), hostCases(), scanCases(), foreignCases())
}

// mine is the scope that cases use; other scopes differ from it in one of the two ids.
var (
	mine           = readapi.Scope{Principal: "p1", Session: "s1"}
	otherSession   = readapi.Scope{Principal: "p1", Session: "s2"}
	otherPrincipal = readapi.Scope{Principal: "p2", Session: "s1"}
)

// at is a time of whole seconds.
func at(second int64) time.Time { return time.UnixMilli(1_700_000_000_000 + second*1000).UTC() }

func blobName(i int) string { return fmt.Sprintf("%064x", i) }

func artifact(scope readapi.Scope, id string) store.Artifact {
	return store.Artifact{
		Scope: scope, ID: readapi.ArtifactID(id), Blob: blobName(1), Bytes: 3, Name: "a.txt", Kind: "doc", Source: store.SourceUserUpload,
		Status: readapi.StatusLive, MediaType: "text/plain", Created: at(0),
	}
}

func event(id string, second int64) store.Event {
	return store.Event{ID: id, Type: "user", Time: at(second), Message: true, Payload: []byte(`{"id":"` + id + `"}`)}
}

func add(t T, d store.IndexDriver, scope readapi.Scope, artifacts []store.Artifact, events ...store.Event) []int64 {
	t.Helper()
	seqs, err := d.Append(t.Context(), scope, Leased(t, d, store.Batch{Artifacts: artifacts, Events: events}))
	must(t, err)
	equal(t, "numbers returned", len(seqs), len(events))
	return seqs
}

// get returns the one row of an id; ok is false when there is none.
func get(t T, d store.IndexDriver, scope readapi.Scope, id string) (a store.Artifact, ok bool) {
	t.Helper()
	rows, _, err := d.Artifacts(t.Context(), scope, []readapi.ArtifactID{readapi.ArtifactID(id)})
	must(t, err)
	if len(rows) == 0 {
		return a, false
	}
	equal(t, "rows of one id", len(rows), 1)
	return rows[0], true
}

func listed(t T, d store.IndexDriver, scope readapi.Scope) []store.Artifact {
	t.Helper()
	rows, _, err := d.ListArtifacts(t.Context(), scope, -1, store.MaxPage)
	must(t, err)
	return rows
}

func events(t T, d store.IndexDriver, scope readapi.Scope) []store.Event {
	t.Helper()
	list, err := d.Events(t.Context(), scope, -1, store.MaxPage)
	must(t, err)
	return list
}

func ids[V any](list []V, id func(V) string) []string {
	out := make([]string, len(list))
	for i, v := range list {
		out[i] = id(v)
	}
	return out
}

func eventID(e store.Event) string       { return e.ID }
func artifactID(a store.Artifact) string { return string(a.ID) }
func sessionID(s store.Session) string   { return string(s.ID) }

// fullArtifact has a value in every field that is stored with an artifact.
func fullArtifact() store.Artifact {
	a := artifact(mine, "full")
	a.Blob, a.Bytes, a.Name, a.Kind, a.Source = blobName(7), 1<<52, "q3 report.pdf", "pdf", store.SourceGenerated
	a.MediaType, a.Candidates, a.Declared, a.Mismatch = "application/pdf", []readapi.MediaType{"application/pdf", "text/plain"}, "image/png", true
	return a
}

func indexArtifact(t T, h IndexHarness) {
	d := h.New(t)
	full := fullArtifact()
	uri := artifact(mine, "uri")
	uri.Source, uri.Blob, uri.Bytes, uri.MediaType, uri.Name, uri.Kind = store.SourceMemoryAddURI, "", 0, "", "", ""
	add(t, d, mine, []store.Artifact{full, uri})
	got, _ := get(t, d, mine, "full")
	got.Seq, got.Version = 0, 0
	equal(t, "an artifact", got, full)
	got, _ = get(t, d, mine, "uri")
	got.Seq, got.Version = 0, 0
	equal(t, "a foreign URI", got, uri)
}

func indexArtifactList(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{fullArtifact()})
	want := fullArtifact()
	want.Version = 1
	equal(t, "artifacts", listed(t, d, mine), []store.Artifact{want})
}

func indexEvent(t T, h IndexHarness) {
	d := h.New(t)
	e := event("e1", 1)
	e.Turn, e.Message, e.Type = "turn 1", false, "tool_call"
	add(t, d, mine, nil, e)
	equal(t, "events", events(t, d, mine), []store.Event{e})
	got, ok, err := d.Event(t.Context(), mine, "e1")
	must(t, err)
	equal(t, "found", ok, true)
	equal(t, "the event", got, e)
	got, ok, err = d.LastEvent(t.Context(), mine)
	must(t, err)
	equal(t, "found", ok, true)
	equal(t, "the last event", got, e)
}

// Any UTF-8 without NUL comes back as it was.
func indexText(t T, h IndexHarness) {
	d := h.New(t)
	for i, s := range []string{
		" leading and trailing \t", "a'b\"c`d;--", `back\slash %_*?[x]`, "line\nbreak\r\n", "\x01\x1b[2J\x7f\u0085", "报告流水线.pdf", "e\u0301 é", "\ufeffbom",
		"\ufffd\ufffe\uffff\U0010ffff", "👩‍👩‍👧‍👦", "\u202egnp.exe", "NULL", "0", "1e3", strings.Repeat("長", 5000),
	} {
		a, e := artifact(mine, fmt.Sprint("a", i)), event("id"+s, 1)
		a.Name, a.Declared, a.Candidates = s, readapi.MediaType(s), []readapi.MediaType{readapi.MediaType(s)}
		e.Turn, e.Type, e.Payload = s, s, fmt.Appendf(nil, " {%q : 1}\n", s)
		add(t, d, mine, []store.Artifact{a}, e)
		got, _ := get(t, d, mine, string(a.ID))
		equal(t, "a name", got.Name, s)
		equal(t, "media types", append(got.Candidates, got.Declared), []readapi.MediaType{readapi.MediaType(s), readapi.MediaType(s)})
		ev, ok, err := d.Event(t.Context(), mine, e.ID)
		must(t, err)
		equal(t, "found", ok, true)
		equal(t, "text of an event", []string{ev.ID, ev.Type, ev.Turn, string(ev.Payload)}, []string{e.ID, s, s, string(e.Payload)})
	}
}

// Times are kept to the millisecond, in UTC, from the year 1 to 9999.
func indexTimes(t T, h IndexHarness) {
	d := h.New(t)
	for i, want := range []time.Time{
		time.Date(1, 1, 1, 0, 0, 0, 1e6, time.UTC), time.Date(1969, 12, 31, 23, 59, 59, 999e6, time.UTC), time.UnixMilli(0).UTC(),
		time.Date(2026, 2, 28, 1, 2, 3, 4e6, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC),
	} {
		a, e := artifact(mine, fmt.Sprint("a", i)), event(fmt.Sprint("e", i), 0)
		a.Created, e.Time = want, want
		add(t, d, mine, []store.Artifact{a}, e)
		row, _, err := d.DeleteArtifact(t.Context(), mine, a.ID, want)
		must(t, err)
		ev, _, err := d.Event(t.Context(), mine, e.ID)
		must(t, err)
		for what, got := range map[string]time.Time{"created": row.Created, "deleted": row.Deleted, "time": ev.Time} {
			if !got.Equal(want) || got.Location() != time.UTC {
				t.Errorf("%s: %v, want %v", what, got, want)
			}
		}
	}
}

func indexLarge(t T, h IndexHarness) {
	d := h.New(t)
	e := event("large", 1)
	e.Payload = []byte(`{"text":"` + strings.Repeat("0123456789abcdef", 1<<16) + `"}`)
	add(t, d, mine, nil, e)
	got, _, err := d.Event(t.Context(), mine, "large")
	must(t, err)
	if string(got.Payload) != string(e.Payload) {
		t.Errorf("a payload of %d bytes comes back with %d", len(e.Payload), len(got.Payload))
	}
}

func indexManyIDs(t T, h IndexHarness) {
	d := h.New(t)
	var list []store.Artifact
	var asked []readapi.ArtifactID
	for i := range store.MaxPage - 2 {
		list = append(list, artifact(mine, fmt.Sprintf("a%04d", i)))
		asked = append(asked, list[i].ID)
	}
	add(t, d, mine, list)
	rows, _, err := d.Artifacts(t.Context(), mine, append(asked, asked[0], "absent"))
	must(t, err)
	got := ids(rows, artifactID)
	slices.Sort(got)
	equal(t, "ids", got, ids(list, artifactID))
}

// What goes in and what comes out belongs to the caller.
func indexOwnership(t T, h IndexHarness) {
	d := h.New(t)
	a, e := artifact(mine, "a"), event("e", 1)
	a.Candidates = []readapi.MediaType{"text/plain"}
	set := []store.DecoderEntry{{Name: "x"}}
	add(t, d, mine, []store.Artifact{a}, e)
	_, err := d.SetDecoders(t.Context(), 0, set)
	must(t, err)
	a.Candidates[0], e.Payload[0], set[0].Name = "changed/too", '!', "changed"
	for range 2 { // the first round changes what it has got
		row, _ := get(t, d, mine, "a")
		ev, _, err := d.Event(t.Context(), mine, "e")
		must(t, err)
		now, err := d.Decoders(t.Context())
		must(t, err)
		equal(t, "candidates", row.Candidates, []readapi.MediaType{"text/plain"})
		equal(t, "payload", string(ev.Payload), `{"id":"e"}`)
		equal(t, "decoders", now.Decoders, []store.DecoderEntry{{Name: "x"}})
		row.Candidates[0], ev.Payload[0], now.Decoders[0].Name = "changed/too", '!', "changed"
	}
}

// What is not there is no error.
func indexAbsent(t T, h IndexHarness) {
	d := h.New(t)
	ctx := t.Context()
	rows, generation, err := d.Artifacts(ctx, mine, []readapi.ArtifactID{"absent"})
	must(t, err)
	equal(t, "rows and generation", fmt.Sprint(len(rows), generation), "0 0")
	rows, _, err = d.Artifacts(ctx, mine, nil)
	must(t, err)
	equal(t, "rows", len(rows), 0)
	equal(t, "artifacts", len(listed(t, d, mine)), 0)
	equal(t, "events", len(events(t, d, mine)), 0)
	_, ok, err := d.Event(ctx, mine, "absent")
	equal(t, "an event", fmt.Sprint(ok, err), "false <nil>")
	_, ok, err = d.LastEvent(ctx, mine)
	equal(t, "the last event", fmt.Sprint(ok, err), "false <nil>")
	_, ok, err = d.Session(ctx, mine)
	equal(t, "the session", fmt.Sprint(ok, err), "false <nil>")
	list, err := d.Sessions(ctx, "p1", store.SessionQuery{Limit: 10})
	equal(t, "sessions", fmt.Sprint(len(list), err), "0 <nil>")
	names, err := d.BlobNames(ctx, "", 10)
	equal(t, "blobs", fmt.Sprint(len(names), err), "0 <nil>")
}

func indexBlobNames(t T, h IndexHarness) {
	d := h.New(t)
	for i, n := range []int{5, 3, 9, 3} {
		a, b := artifact(mine, fmt.Sprint("a", i)), artifact(otherPrincipal, fmt.Sprint("a", i))
		a.Blob, b.Blob = blobName(n), blobName(n+1)
		add(t, d, mine, []store.Artifact{a})
		add(t, d, otherPrincipal, []store.Artifact{b})
	}
	uri := artifact(mine, "uri")
	uri.Source, uri.Blob = store.SourceMemoryAddURI, ""
	add(t, d, mine, []store.Artifact{uri})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "a2", at(9))
	must(t, err)
	names := func(after string, limit int) []string {
		list, err := d.BlobNames(t.Context(), after, limit)
		must(t, err)
		return list
	}
	all := []string{blobName(3), blobName(4), blobName(5), blobName(6), blobName(9), blobName(10)}
	equal(t, "blobs", names("", 100), all)
	equal(t, "the first blobs", names("", 2), all[:2])
	equal(t, "blobs behind one", names(all[1], 3), all[2:5])
	equal(t, "blobs behind one that is not there", names(blobName(7), 3), all[4:])
}
