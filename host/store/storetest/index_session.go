package storetest

import (
	"fmt"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file has the keepCases of sessions that are archived, deleted and purged.

func mark(t T, d store.IndexDriver, scope readapi.Scope, change store.SessionChange, second int64) store.Session {
	t.Helper()
	s, ok, err := d.MarkSession(t.Context(), scope, change, at(second))
	must(t, err)
	equal(t, "a session that is to change is found", ok, true)
	now, ok, err := d.Session(t.Context(), scope)
	must(t, err)
	equal(t, "it is still there", ok, true)
	equal(t, "the session returned", s, now)
	return s
}

func sessionsOf(t T, d store.IndexDriver, archived, deleted bool) []string {
	t.Helper()
	list, err := d.Sessions(t.Context(), "p1", store.SessionQuery{Archived: archived, Deleted: deleted, Limit: 10})
	must(t, err)
	out := ids(list, sessionID)
	slices.Sort(out)
	return out
}

func sessionArchive(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("e", 1))
	add(t, d, otherSession, nil, event("e", 1))
	before, _, err := d.Session(t.Context(), mine)
	must(t, err)
	want := before
	want.Archived = true
	for range 2 {
		equal(t, "the archived session", mark(t, d, mine, store.ArchiveSession, 5), want)
	}
	equal(t, "sessions", sessionsOf(t, d, false, true), []string{"s2"})
	equal(t, "sessions with the archived", sessionsOf(t, d, true, false), []string{"s1", "s2"})
	add(t, d, mine, nil, event("f", 2))
	equal(t, "sessions when it goes on", sessionsOf(t, d, false, true), []string{"s2"})
	for range 2 {
		equal(t, "archived", mark(t, d, mine, store.UnarchiveSession, 6).Archived, false)
	}
	equal(t, "sessions", sessionsOf(t, d, false, false), []string{"s1", "s2"})
	row, _ := get(t, d, mine, "a")
	equal(t, "its artifact", row.Status, readapi.StatusLive)
}

// A deleted session is a tombstone: it and its artifacts are marked, once, and stay.
func sessionDelete(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")}, event("e", 1))
	add(t, d, otherSession, []store.Artifact{artifact(otherSession, "a")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "b", at(3))
	must(t, err)
	want, _, err := d.Session(t.Context(), mine)
	must(t, err)
	want.Deleted = at(5)
	equal(t, "the deleted session", mark(t, d, mine, store.DeleteSession, 5), want)
	equal(t, "and once more", mark(t, d, mine, store.DeleteSession, 8), want)
	deleted := func(a store.Artifact) string {
		return fmt.Sprint(a.ID, a.Status, a.Deleted.Unix()-at(0).Unix(), a.Purging)
	}
	equal(t, "artifacts", ids(listed(t, d, mine), deleted), []string{"adeleted5 false", "bdeleted3 false"})
	equal(t, "sessions", sessionsOf(t, d, true, false), []string{"s2"})
	equal(t, "sessions with the deleted", sessionsOf(t, d, false, true), []string{"s1", "s2"})
	equal(t, "events", len(events(t, d, mine)), 1)
	row, _ := get(t, d, otherSession, "a")
	equal(t, "another session's artifact", row.Status, readapi.StatusLive)
}

func sessionDeleteStays(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, nil, event("e", 1))
	mark(t, d, mine, store.ArchiveSession, 2)
	want := mark(t, d, mine, store.DeleteSession, 5)
	for _, c := range []store.SessionChange{store.UnarchiveSession, store.ArchiveSession} {
		equal(t, "a deleted session that is to change", mark(t, d, mine, c, 6), want)
	}
	equal(t, "sessions", sessionsOf(t, d, false, true), []string{})
}

func sessionGone(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("e", 1))
	for _, c := range []store.SessionChange{store.DeleteSession, store.PurgeSession} {
		mark(t, d, mine, c, 5)
		for _, b := range []store.Batch{
			{Events: []store.Event{event("e", 1)}}, {Events: []store.Event{event("f", 1)}}, {Artifacts: []store.Artifact{artifact(mine, "b")}},
			{Artifacts: []store.Artifact{artifact(mine, "a")}, Again: true},
		} {
			_, err := d.Append(t.Context(), mine, Leased(t, d, b))
			hasCode(t, "an append to a session after "+string(c), err, readapi.CodeGone)
		}
		equal(t, "rows", fmt.Sprint(len(listed(t, d, mine)), len(events(t, d, mine))), "1 1")
	}
}

// One that is being purged is listed nowhere; who asks for it sees that it is.
func sessionPurge(t T, h IndexHarness) {
	d := h.New(t)
	for _, s := range []readapi.Scope{mine, otherSession} {
		add(t, d, s, []store.Artifact{artifact(s, "a"), artifact(s, "b")}, event("e", 1))
		purge(t, d, s, "b")
	}
	mark(t, d, otherSession, store.DeleteSession, 3)
	for s, second := range map[readapi.Scope]int64{mine: 5, otherSession: 3} {
		want, _, err := d.Session(t.Context(), s)
		must(t, err)
		want.Deleted, want.Purging = at(second), true
		equal(t, "the session", mark(t, d, s, store.PurgeSession, 5), want)
		equal(t, "after another deletion", mark(t, d, s, store.DeleteSession, 6), want)
		row, _ := get(t, d, s, "a")
		equal(t, "its artifact", fmt.Sprint(row.Purging, row.Deleted.Equal(at(second)), row.Status), "true truedeleted")
	}
	equal(t, "sessions", sessionsOf(t, d, true, true), []string{})
	equal(t, "the bytes are free", removed(t, d, blobName(1)), true)
}

func sessionAbsent(t T, h IndexHarness) {
	d := h.New(t)
	for _, c := range []store.SessionChange{store.ArchiveSession, store.UnarchiveSession, store.DeleteSession, store.PurgeSession} {
		_, ok, err := d.MarkSession(t.Context(), mine, c, at(1))
		equal(t, "a session that is not there", fmt.Sprint(ok, err), "false <nil>")
	}
	must(t, d.DropSession(t.Context(), mine))
	_, ok, err := d.Session(t.Context(), mine)
	equal(t, "it was made", fmt.Sprint(ok, err), "false <nil>")
}

// Nothing of it is left, and its id may be used again.
func sessionDrop(t T, h IndexHarness) {
	d := h.New(t)
	for _, s := range []readapi.Scope{mine, otherSession, otherPrincipal} {
		_, err := d.Append(t.Context(), s, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(s, "a"), artifact(s, "b")},
			Events: []store.Event{event("e", 1), event("f", 1)}, Uploads: []store.Upload{uploaded("u", "", "a")}}))
		must(t, err)
	}
	mark(t, d, mine, store.PurgeSession, 5)
	for range 2 {
		must(t, d.DropSession(t.Context(), mine))
		_, ok, err := d.Session(t.Context(), mine)
		equal(t, "the session", fmt.Sprint(ok, err), "false <nil>")
		equal(t, "rows", fmt.Sprint(len(listed(t, d, mine)), len(events(t, d, mine))), "0 0")
		_, ok = findUpload(t, d, mine, "u")
		equal(t, "its upload", ok, false)
	}
	rows, err := d.FindArtifacts(t.Context(), "a")
	must(t, err)
	equal(t, "rows for audit are among them", slices.ContainsFunc(rows, func(a store.Artifact) bool { return a.Scope == mine }), false)
	for _, s := range []readapi.Scope{otherSession, otherPrincipal} {
		equal(t, "rows of others", fmt.Sprint(len(listed(t, d, s)), len(events(t, d, s))), "2 2")
		_, ok := findUpload(t, d, s, "u")
		equal(t, "the upload of others", ok, true)
	}
	add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("g", 2))
	equal(t, "the number of its event", events(t, d, mine)[0].Seq, 0)
	row, _ := get(t, d, mine, "a")
	equal(t, "number and version", fmt.Sprint(row.Seq, row.Version), "0 1")
}

func sessionDropOther(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("e", 1))
	for range 2 { // live, then deleted
		must(t, d.DropSession(t.Context(), mine))
		_, ok, err := d.Session(t.Context(), mine)
		equal(t, "the session", fmt.Sprint(ok, err), "true <nil>")
		equal(t, "rows", fmt.Sprint(len(listed(t, d, mine)), len(events(t, d, mine))), "1 1")
		mark(t, d, mine, store.DeleteSession, 5)
	}
}
