package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// scanCases are about walking over all rows, and putting them back.
func scanCases() []testCase[IndexHarness] {
	return []testCase[IndexHarness]{
		{"ScanArtifacts", scanArtifacts},
		{"ScanPages", scanPages},
		{"ScanFilters", scanFilters},
		{"ScanSessions", scanSessions},
		{"Load", load},
		{"LoadAgain", loadAgain},
		{"LoadNumbers", loadNumbers},
		{"LoadSession", loadSession},
		{"LoadIntoDeleted", loadIntoDeleted},
		{"LoadConflict", loadConflict},
		{"LoadUsage", loadUsage},
	}
}

// scanned are scopes in the order of a scan: by bytes, the principal first.
var scanned = []readapi.Scope{
	{Principal: "P", Session: "z"}, {Principal: "p", Session: "A"}, {Principal: "p", Session: "a"}, {Principal: "p", Session: "b"},
	{Principal: "p-", Session: "a"}, {Principal: "p1", Session: "_"},
}

func place(a store.Artifact) string {
	return fmt.Sprint(a.Scope.Principal, "/", a.Scope.Session, "/", a.ID)
}

// someScanned adds artifacts of every kind, and returns their places in order.
func someScanned(t T, d store.IndexDriver) (want []string) {
	t.Helper()
	for i, s := range scanned {
		add(t, d, s, []store.Artifact{artifact(s, "b"), artifact(s, "B"), artifact(s, "a")}, event("e", 1))
		for _, id := range []string{"B", "a", "b"} {
			want = append(want, fmt.Sprint(s.Principal, "/", s.Session, "/", id))
		}
		_, _, err := d.DeleteArtifact(t.Context(), s, "b", at(int64(i)))
		must(t, err)
	}
	purge(t, d, scanned[0], "a")
	mark(t, d, scanned[1], store.ArchiveSession, 1)
	mark(t, d, scanned[2], store.DeleteSession, 1)
	mark(t, d, scanned[3], store.PurgeSession, 1)
	return want
}

func scan(t T, d store.IndexDriver, q store.ArtifactScan) []store.Artifact {
	t.Helper()
	list, err := d.ScanArtifacts(t.Context(), q)
	must(t, err)
	return list
}

// Every artifact comes, of whatever session and status, as it is.
func scanArtifacts(t T, h IndexHarness) {
	d := h.New(t)
	want := someScanned(t, d)
	list := scan(t, d, store.ArtifactScan{Limit: 100})
	equal(t, "artifacts", ids(list, place), want)
	for _, a := range list {
		row, _ := get(t, d, a.Scope, string(a.ID))
		equal(t, "an artifact", a, row)
	}
	add(t, d, mine, []store.Artifact{fullArtifact()})
	full := fullArtifact()
	full.Version = 1
	equal(t, "an artifact with all that it can have", scan(t, d, store.ArtifactScan{After: &list[len(list)-1], Limit: 100}), []store.Artifact{full})
}

func scanPages(t T, h IndexHarness) {
	d := h.New(t)
	want := someScanned(t, d)
	for limit := 1; limit <= len(want); limit++ {
		var got []string
		q := store.ArtifactScan{Limit: limit}
		for len(got) <= len(want) {
			list := scan(t, d, q)
			if len(list) == 0 || len(list) > limit {
				equal(t, "artifacts on a page", len(list), 0)
				break
			}
			got = append(got, ids(list, place)...)
			q.After = &list[len(list)-1]
		}
		equal(t, "artifacts", got, want)
	}
	absent := store.Artifact{Scope: scanned[2], ID: "aa"}
	equal(t, "behind one that is not there", ids(scan(t, d, store.ArtifactScan{After: &absent, Limit: 2}), place), want[8:10])
}

func scanFilters(t T, h IndexHarness) {
	d := h.New(t)
	for i, s := range []readapi.Scope{mine, otherSession, otherPrincipal} {
		for k, source := range []store.Source{store.SourceUserUpload, store.SourceGenerated, store.SourceMemoryAddURI} {
			a := artifact(s, fmt.Sprint(k))
			a.Source, a.Created = source, at(int64(10*i))
			if !source.Readable() {
				a.Blob, a.Bytes = "", 0
			}
			add(t, d, s, []store.Artifact{a})
		}
		_, _, err := d.DeleteArtifact(t.Context(), s, "0", at(int64(100+i)))
		must(t, err)
	}
	purge(t, d, otherSession, "1")
	for _, c := range []struct {
		q    store.ArtifactScan
		want []string
	}{
		{store.ArtifactScan{Source: store.SourceGenerated}, []string{"p1/s1/1", "p1/s2/1", "p2/s1/1"}},
		{store.ArtifactScan{Source: store.SourceCopy}, []string{}},
		{store.ArtifactScan{CreatedBefore: at(10)}, []string{"p1/s1/0", "p1/s1/1", "p1/s1/2"}},
		{store.ArtifactScan{CreatedBefore: at(10).Add(time.Millisecond), Source: store.SourceUserUpload}, []string{"p1/s1/0", "p1/s2/0"}},
		{store.ArtifactScan{DeletedBefore: at(101)}, []string{"p1/s1/0", "p1/s2/1"}}, // the one was purged at 7
		{store.ArtifactScan{DeletedBefore: at(200)}, []string{"p1/s1/0", "p1/s2/0", "p1/s2/1", "p2/s1/0"}},
		{store.ArtifactScan{DeletedBefore: at(200), CreatedBefore: at(20), Source: store.SourceUserUpload}, []string{"p1/s1/0", "p1/s2/0"}},
		{store.ArtifactScan{DeletedBefore: at(200), After: &store.Artifact{Scope: mine, ID: "0"}, Limit: 2}, []string{"p1/s2/0", "p1/s2/1"}},
	} {
		if c.q.Limit == 0 {
			c.q.Limit = 100
		}
		equal(t, fmt.Sprintf("artifacts of %+v", c.q), ids(scan(t, d, c.q), place), c.want)
	}
}

func scanSessions(t T, h IndexHarness) {
	d := h.New(t)
	someScanned(t, d)
	for limit := 1; limit <= len(scanned); limit++ {
		var got []readapi.Scope
		after := readapi.Scope{}
		for len(got) <= len(scanned) {
			list, err := d.ScanSessions(t.Context(), after, limit)
			must(t, err)
			if len(list) == 0 || len(list) > limit {
				equal(t, "sessions on a page", len(list), 0)
				break
			}
			for _, s := range list {
				one, _, err := d.Session(t.Context(), s.Scope())
				must(t, err)
				equal(t, "a session", s, one)
				got = append(got, s.Scope())
			}
			after = got[len(got)-1]
		}
		equal(t, "sessions", got, scanned)
	}
}

// saved is all that is known of a session.
type saved struct {
	session   store.Session
	artifacts []store.Artifact
	events    []store.Event
	uploads   []store.Upload
}

func save(t T, d store.IndexDriver, scope readapi.Scope) (s saved) {
	t.Helper()
	var err error
	s.session, _, err = d.Session(t.Context(), scope)
	must(t, err)
	s.artifacts, s.events = listed(t, d, scope), events(t, d, scope)
	s.uploads, err = d.ScanUploads(t.Context(), scope, "", store.MaxPage)
	must(t, err)
	return s
}

func (s saved) load(t T, d store.IndexDriver) error {
	return d.Load(t.Context(), s.session, s.artifacts, s.events, s.uploads)
}

// someSaved has rows of every status, and gaps in the numbers.
func someSaved() saved {
	full, deleted, purging := fullArtifact(), artifact(mine, "d"), artifact(mine, "p")
	full.Seq, full.Version = 2, 4
	deleted.Seq, deleted.Version, deleted.Status, deleted.Deleted = 5, 1, readapi.StatusDeleted, at(60)
	purging.Seq, purging.Version, purging.Status, purging.Deleted, purging.Purging = 9, 2, readapi.StatusDeleted, at(61), true
	first, second := event("e1", 3), event("e2", 1)
	first.Seq, first.Turn, second.Seq, second.Message, second.Type = 1, "turn", 4, false, "tool_call"
	return saved{
		store.Session{Principal: "p1", ID: "s1", Messages: 9, Files: 3, Bytes: 1<<52 + 6, Created: at(-5), Updated: at(70), Archived: true},
		[]store.Artifact{full, deleted, purging}, []store.Event{first, second},
		[]store.Upload{uploaded("u1", "begun", "full"), uploaded("u2", "", "gone")},
	}
}

func load(t T, h IndexHarness) {
	d := h.New(t)
	want := someSaved()
	must(t, want.load(t, d))
	equal(t, "a session", save(t, d, mine), want)
	e, ok, err := d.Event(t.Context(), mine, "e1")
	must(t, err)
	equal(t, "an event", fmt.Sprint(e, ok), fmt.Sprint(want.events[0], true))
	e, _, err = d.LastEvent(t.Context(), mine)
	must(t, err)
	equal(t, "the last event", e, want.events[1])
	equal(t, "removals", purgesOf(t, d, 10), []string{"p1 s1 p"})
	other := want // another session is loaded beside it
	other.session.ID, other.artifacts = "s2", slices.Clone(want.artifacts)
	for i := range other.artifacts {
		other.artifacts[i].Scope.Session = "s2"
	}
	must(t, other.load(t, d))
	equal(t, "another session", save(t, d, otherSession), other)
	equal(t, "the first session", save(t, d, mine), want)
}

// What is there stays as it is, and what comes in parts, in any order, makes the whole.
func loadAgain(t T, h IndexHarness) {
	d := h.New(t)
	want := someSaved()
	part := want
	part.artifacts, part.events, part.uploads = want.artifacts[1:], want.events[1:], want.uploads[1:]
	must(t, part.load(t, d))
	for range 2 {
		must(t, want.load(t, d))
		equal(t, "a session", save(t, d, mine), want)
	}
	other := someSaved()
	other.artifacts[0].Name, other.events[0].Payload, other.uploads[0].Begin = "changed", []byte(`"changed"`), "changed"
	_ = other.load(t, d)
	equal(t, "rows that were there", save(t, d, mine), want)
	live := someSaved()
	live.artifacts[1].Status, live.artifacts[1].Deleted = readapi.StatusLive, time.Time{}
	_ = live.load(t, d)
	equal(t, "rows that were there", save(t, d, mine), want)
}

// What is appended to a loaded session gets the next numbers and versions.
func loadNumbers(t T, h IndexHarness) {
	d := h.New(t)
	s := someSaved()
	must(t, s.load(t, d))
	s.session.Archived, s.artifacts, s.events, s.uploads = false, nil, nil, nil
	must(t, s.load(t, d)) // nothing more
	moved := someSaved()  // of what is there already, the numbers do not count either
	moved.session, moved.artifacts[0].Seq, moved.events[0].Seq = s.session, 50, 60
	must(t, moved.load(t, d))
	b := Leased(t, d, store.Batch{Artifacts: []store.Artifact{named(mine, "new", "q3 report.pdf"), named(mine, "new2", "a.txt")}, Events: []store.Event{event("e2", 1), event("e3", 90)}})
	b.Events[0].Message, b.Events[0].Type = false, "tool_call"
	_, err := d.Append(t.Context(), mine, b)
	must(t, err)
	equal(t, "numbers of events", ids(events(t, d, mine), func(e store.Event) string { return fmt.Sprint(e.ID, e.Seq) }), []string{"e11", "e24", "e35"})
	rows := listed(t, d, mine)
	equal(t, "numbers of artifacts", ids(rows[len(rows)-2:], func(a store.Artifact) string { return fmt.Sprint(a.ID, " ", a.Seq, a.Version) }), []string{"new 10 5", "new2 11 3"})
	now, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "messages and times", fmt.Sprint(now.Messages, now.Created.Equal(at(-5)), now.Updated.Equal(at(90))), "10 true true")
}

// A session is what it is said to be at last.
func loadSession(t T, h IndexHarness) {
	d := h.New(t)
	s := someSaved()
	must(t, s.load(t, d))
	s.session.Messages, s.session.Created, s.session.Updated, s.session.Archived = 2, at(1), at(2), false
	s.session.Deleted = at(80)
	must(t, s.load(t, d))
	equal(t, "a session", save(t, d, mine), s)
	_, err := d.Append(t.Context(), mine, store.Batch{Events: []store.Event{event("f", 1)}})
	hasCode(t, "an append to a session that was loaded as deleted", err, readapi.CodeGone)
	s.session.Purging = true
	must(t, s.load(t, d))
	equal(t, "removals", purgesOf(t, d, 10), []string{"p1 s1 "})
	live := s // as by who read it before it was deleted
	live.session.Deleted, live.session.Purging = time.Time{}, false
	must(t, live.load(t, d))
	equal(t, "a session that is being purged", save(t, d, mine), s)
	must(t, d.DropSession(t.Context(), mine))
	equal(t, "what is kept", used(t, d, "p1"), "0 0 of 0 0")
	empty := saved{session: s.session}
	empty.session.Files, empty.session.Bytes, empty.session.Purging = 0, 0, false
	must(t, empty.load(t, d)) // one without rows
	now, ok, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "a session without rows", fmt.Sprint(now, ok), fmt.Sprint(empty.session, true))
}

// What comes into a session that was deleted since it was read is deleted with it, and purged with it.
func loadIntoDeleted(t T, h IndexHarness) {
	d := h.New(t)
	s := someSaved()
	must(t, s.load(t, d))
	for i, c := range []struct {
		change store.SessionChange
		want   string
	}{{store.DeleteSession, "deleted 50 false"}, {store.PurgeSession, "deleted 50 true"}} {
		_, _, err := d.MarkSession(t.Context(), mine, c.change, at(50))
		must(t, err)
		late := artifact(mine, fmt.Sprint("late", i))
		late.Seq, late.Version = 40+int64(i), 1
		must(t, d.Load(t.Context(), s.session, []store.Artifact{late}, nil, nil))
		row, ok := get(t, d, mine, string(late.ID))
		equal(t, "what came late", fmt.Sprintln(ok, row.Status, row.Deleted.Sub(at(0)).Seconds(), row.Purging), "true "+c.want+"\n")
	}
}

// A row whose number another row has cannot be put there: nothing is loaded then.
func loadConflict(t T, h IndexHarness) {
	d := h.New(t)
	want := someSaved()
	must(t, want.load(t, d))
	for what, change := range map[string]func(s *saved){
		"the number of another artifact": func(s *saved) { s.artifacts[2].ID = "new" },
		"the number of another event":    func(s *saved) { s.events[1].ID = "new" },
	} {
		s := someSaved()
		more := artifact(mine, "more")
		more.Seq, more.Version = 30, 1
		s.artifacts = append([]store.Artifact{more}, s.artifacts...)
		s.session.Messages++
		change(&saved{s.session, s.artifacts[1:], s.events, s.uploads})
		isConflict(t, what, s.load(t, d))
		equal(t, "a session after "+what, save(t, d, mine), want)
		equal(t, "what is kept", used(t, d, "p1"), fmt.Sprint("3 ", 1<<52+6, " of 3 ", 1<<52+6))
	}
}

// A load asks for no lease and no quota, and is counted once.
func loadUsage(t T, h IndexHarness) {
	d := h.New(t)
	s := someSaved()
	for range 2 {
		must(t, s.load(t, d))
		equal(t, "what is kept", used(t, d, "p1"), fmt.Sprint("3 ", 1<<52+6, " of 3 ", 1<<52+6))
	}
	equal(t, "the bytes of a row are free", removed(t, d, blobName(7)), false)
	must(t, d.DropArtifact(t.Context(), mine, "p"))
	equal(t, "what is kept", used(t, d, "p1"), fmt.Sprint("2 ", 1<<52+3, " of 2 ", 1<<52+3))
	s = someSaved()
	s.artifacts = s.artifacts[2:]
	must(t, s.load(t, d)) // it is there no more, so it comes again
	equal(t, "what is kept", used(t, d, "p1"), fmt.Sprint("3 ", 1<<52+6, " of 3 ", 1<<52+6))
}
