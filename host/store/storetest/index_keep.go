package storetest

import (
	"fmt"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// keepCases are about versions, uploads and removal in steps.
func keepCases() []testCase[IndexHarness] {
	return []testCase[IndexHarness]{
		{"Versions", versions},
		{"Again", again},
		{"AgainOther", againOther},
		{"Upload", upload},
		{"UploadConflict", uploadConflict},
		{"UploadGoes", uploadGoes},
		{"UploadPages", uploadPages},
		{"Purge", purgeArtifact},
		{"PurgeAbsent", purgeAbsent},
		{"Drop", dropArtifact},
		{"DropOther", dropOther},
		{"DropNumbers", dropNumbers},
		{"SessionArchive", sessionArchive},
		{"SessionDelete", sessionDelete},
		{"SessionDeleteStays", sessionDeleteStays},
		{"SessionGone", sessionGone},
		{"SessionPurge", sessionPurge},
		{"SessionAbsent", sessionAbsent},
		{"SessionDrop", sessionDrop},
		{"SessionDropOther", sessionDropOther},
		{"Purges", purges},
		{"PurgesLimit", purgesLimit},
	}
}

func purge(t T, d store.IndexDriver, scope readapi.Scope, id readapi.ArtifactID) store.Artifact {
	t.Helper()
	row, ok, err := d.PurgeArtifact(t.Context(), scope, id, at(7))
	must(t, err)
	equal(t, "what is to be purged is found", ok, true)
	return row
}

func named(scope readapi.Scope, id, name string) store.Artifact {
	a := artifact(scope, id)
	a.Name = name
	return a
}

func versionOf(a store.Artifact) string { return fmt.Sprint(a.ID, " ", a.Name, a.Version) }

// Every name counts its artifacts in its session, and what is deleted or dropped gives its number to no other.
func versions(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{named(mine, "1", "a"), named(mine, "2", "b"), named(mine, "3", "a")})
	add(t, d, mine, []store.Artifact{named(mine, "4", "A"), named(mine, "5", "a"), named(mine, "6", "a ")})
	add(t, d, otherSession, []store.Artifact{named(otherSession, "1", "a")})
	add(t, d, otherPrincipal, []store.Artifact{named(otherPrincipal, "1", "a")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "5", at(1))
	must(t, err)
	purge(t, d, mine, "1")
	must(t, d.DropArtifact(t.Context(), mine, "1"))
	add(t, d, mine, []store.Artifact{named(mine, "0", "a")})
	equal(t, "versions", ids(listed(t, d, mine), versionOf), []string{"2 b1", "3 a2", "4 A1", "5 a3", "6 a 1", "0 a4"})
	equal(t, "versions of another session", ids(listed(t, d, otherSession), versionOf), []string{"1 a1"})
	row, _ := get(t, d, mine, "0")
	equal(t, "a row of its own", versionOf(row), "0 a4")
}

// What the session has already is not added again, needs no lease and counts nothing, whatever its status.
func again(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "b", at(1))
	must(t, err)
	before := listed(t, d, mine)
	later := artifact(mine, "a")
	later.Created, later.Source = at(50), store.SourceGenerated
	for range 2 {
		_, err = d.Append(t.Context(), mine, store.Batch{Artifacts: []store.Artifact{later, artifact(mine, "b")}, Again: true})
		must(t, err)
		equal(t, "artifacts", listed(t, d, mine), before)
	}
	b := Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a"), artifact(mine, "c")}, Events: []store.Event{event("e", 1)}, Again: true})
	_, err = d.Append(t.Context(), mine, b)
	must(t, err)
	equal(t, "versions", ids(listed(t, d, mine), versionOf), []string{"a a.txt1", "b a.txt2", "c a.txt3"})
	equal(t, "events", len(events(t, d, mine)), 1)
	equal(t, "what is kept", used(t, d, "p1"), "3 9 of 3 9")
}

// Another file under the same id is a conflict, and so is the same one twice, or one that is being purged.
func againOther(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "purged")})
	purge(t, d, mine, "purged")
	bytes, name := artifact(mine, "a"), named(mine, "a", "b.txt")
	bytes.Blob = blobName(2)
	for what, list := range map[string][]store.Artifact{
		"other bytes": {bytes}, "another name": {name}, "one that is being purged": {artifact(mine, "purged")},
		"one that comes twice": {artifact(mine, "b"), artifact(mine, "b")}, "beside a new one": {artifact(mine, "b"), bytes},
	} {
		_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: list, Again: true}))
		isConflict(t, what, err)
	}
	equal(t, "artifacts", len(listed(t, d, mine)), 2)
}

func uploaded(id, begin string, a readapi.ArtifactID) store.Upload {
	return store.Upload{ID: id, Begin: begin, Artifact: a}
}

func findUpload(t T, d store.IndexDriver, scope readapi.Scope, id string) (store.Upload, bool) {
	t.Helper()
	u, ok, err := d.Upload(t.Context(), scope, id)
	must(t, err)
	return u, ok
}

func upload(t T, h IndexHarness) {
	d := h.New(t)
	want := []store.Upload{uploaded("u1", "begun 1", "a"), uploaded("U1", "", "b")}
	_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a"), artifact(mine, "b")}, Uploads: want}))
	must(t, err)
	for _, u := range want {
		got, ok := findUpload(t, d, mine, u.ID)
		equal(t, "an upload", fmt.Sprint(got, ok), fmt.Sprint(u, true))
	}
	_, ok := findUpload(t, d, mine, "u2")
	equal(t, "an upload that is not there", ok, false)
	_, err = d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "c"), artifact(mine, "a")}, Uploads: []store.Upload{uploaded("u2", "", "c")}}))
	isConflict(t, "an id that is taken", err)
	_, ok = findUpload(t, d, mine, "u2")
	equal(t, "an upload of an append that failed", ok, false)
	add(t, d, otherSession, []store.Artifact{artifact(otherSession, "a")})
	_, err = d.Append(t.Context(), otherSession, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(otherSession, "a")}, Again: true, Uploads: []store.Upload{uploaded("u1", "other", "a")}}))
	must(t, err) // the id is the session's own
	got, _ := findUpload(t, d, mine, "u1")
	equal(t, "the upload beside another session's", got, want[0])
}

// The same upload once more is no error; another one under its id is.
func uploadConflict(t T, h IndexHarness) {
	d := h.New(t)
	send := func(u store.Upload, id string) error {
		_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, id)}, Again: true, Uploads: []store.Upload{u}}))
		return err
	}
	must(t, send(uploaded("u", "x", "a"), "a"))
	must(t, send(uploaded("u", "x", "a"), "a"))
	isConflict(t, "another beginning", send(uploaded("u", "y", "a"), "a"))
	isConflict(t, "another artifact", send(uploaded("u", "x", "b"), "b"))
	got, ok := findUpload(t, d, mine, "u")
	equal(t, "the upload", fmt.Sprint(got, ok), fmt.Sprint(uploaded("u", "x", "a"), true))
	equal(t, "artifacts", len(listed(t, d, mine)), 1)
}

// An upload goes with its artifact, and no other does.
func uploadGoes(t T, h IndexHarness) {
	d := h.New(t)
	_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a"), artifact(mine, "b")},
		Uploads: []store.Upload{uploaded("u1", "", "a"), uploaded("u2", "", "b"), uploaded("u3", "", "a")}}))
	must(t, err)
	kept := func() (list []string) {
		for _, id := range []string{"u1", "u2", "u3"} {
			if _, ok := findUpload(t, d, mine, id); ok {
				list = append(list, id)
			}
		}
		return list
	}
	must(t, d.DropArtifact(t.Context(), mine, "a"))
	purge(t, d, mine, "a")
	equal(t, "uploads while it is being purged", kept(), []string{"u1", "u2", "u3"})
	must(t, d.DropArtifact(t.Context(), mine, "a"))
	equal(t, "uploads afterwards", kept(), []string{"u2"})
}

func uploadPages(t T, h IndexHarness) {
	d := h.New(t)
	var want []string
	for i := range 7 {
		id := fmt.Sprint("u", 9-i)
		want = append(want, id)
		_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, id)}, Uploads: []store.Upload{uploaded(id, "b"+id, readapi.ArtifactID(id))}}))
		must(t, err)
	}
	slices.Sort(want)
	for limit := 1; limit <= 8; limit++ {
		var got []string
		for after := ""; len(got) <= 7; after = got[len(got)-1] {
			list, err := d.ScanUploads(t.Context(), mine, after, limit)
			must(t, err)
			if len(list) == 0 || len(list) > limit {
				equal(t, "uploads on a page", len(list), 0)
				break
			}
			for _, u := range list {
				equal(t, "an upload", u, uploaded(u.ID, "b"+u.ID, readapi.ArtifactID(u.ID)))
				got = append(got, u.ID)
			}
		}
		equal(t, "uploads", got, want)
	}
}

func purgeArtifact(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b"), artifact(mine, "c")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "b", at(3))
	must(t, err)
	for id, second := range map[string]int64{"a": 7, "b": 3} {
		want, _ := get(t, d, mine, id)
		want.Status, want.Deleted, want.Purging = readapi.StatusDeleted, at(second), true
		for range 2 {
			equal(t, "the row returned", purge(t, d, mine, readapi.ArtifactID(id)), want)
			row, _ := get(t, d, mine, id)
			equal(t, "the row afterwards", row, want)
		}
		_, _, err := d.DeleteArtifact(t.Context(), mine, readapi.ArtifactID(id), at(9))
		must(t, err)
		row, _ := get(t, d, mine, id)
		equal(t, "the row of one that is deleted afterwards", row, want)
	}
	row, _ := get(t, d, mine, "c")
	equal(t, "the other", fmt.Sprint(row.Purging, row.Status), "falselive")
	equal(t, "artifacts", len(listed(t, d, mine)), 3)
}

func purgeAbsent(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")})
	_, ok, err := d.PurgeArtifact(t.Context(), mine, "absent", at(5))
	equal(t, "an absent artifact", fmt.Sprint(ok, err), "false <nil>")
}

func dropArtifact(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")}, event("e", 1))
	purge(t, d, mine, "a")
	for range 2 {
		must(t, d.DropArtifact(t.Context(), mine, "a"))
		equal(t, "artifacts", ids(listed(t, d, mine), artifactID), []string{"b"})
		_, ok := get(t, d, mine, "a")
		equal(t, "the dropped one is there", ok, false)
	}
	rows, err := d.FindArtifacts(t.Context(), "a")
	must(t, err)
	equal(t, "rows for audit", len(rows), 0)
	s, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "files and bytes", fmt.Sprint(s.Files, s.Bytes), "1 3")
	equal(t, "events", len(events(t, d, mine)), 1)
}

func dropOther(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")})
	_, _, err := d.DeleteArtifact(t.Context(), mine, "b", at(3))
	must(t, err)
	for _, id := range []readapi.ArtifactID{"a", "b", "absent"} {
		must(t, d.DropArtifact(t.Context(), mine, id))
	}
	equal(t, "artifacts", ids(listed(t, d, mine), artifactID), []string{"a", "b"})
}

// The number of what was dropped is given to no other, so that who pages goes past nothing new; its id may be used again.
func dropNumbers(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")})
	purge(t, d, mine, "b")
	must(t, d.DropArtifact(t.Context(), mine, "b"))
	add(t, d, mine, []store.Artifact{artifact(mine, "c"), artifact(mine, "b")})
	equal(t, "artifacts", ids(listed(t, d, mine), func(a store.Artifact) string { return fmt.Sprint(a.ID, a.Seq) }), []string{"a0", "c2", "b3"})
}

// somePurges begins removals, and says which, in order.
func somePurges(t T, d store.IndexDriver) []string {
	t.Helper()
	for _, s := range []readapi.Scope{mine, otherSession, otherPrincipal, {Principal: "p0", Session: "s9"}} {
		add(t, d, s, []store.Artifact{artifact(s, "c"), artifact(s, "a"), artifact(s, "b")}, event("e", 1))
	}
	_, _, err := d.DeleteArtifact(t.Context(), mine, "b", at(1))
	must(t, err)
	purge(t, d, mine, "c")
	purge(t, d, mine, "a")
	purge(t, d, otherPrincipal, "b")
	purge(t, d, otherSession, "b") // goes with its session
	mark(t, d, otherSession, store.PurgeSession, 2)
	mark(t, d, readapi.Scope{Principal: "p0", Session: "s9"}, store.PurgeSession, 2)
	return []string{"p0 s9 ", "p1 s2 ", "p1 s1 a", "p1 s1 c", "p2 s1 b"}
}

func purgesOf(t T, d store.IndexDriver, limit int) []string {
	t.Helper()
	list, err := d.Purges(t.Context(), limit)
	must(t, err)
	return ids(list, func(p store.Purge) string {
		return fmt.Sprint(p.Scope.Principal, " ", p.Scope.Session, " ", p.Artifact)
	})
}

func purges(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "removals", purgesOf(t, d, 10), []string{})
	want := somePurges(t, d)
	equal(t, "removals", purgesOf(t, d, 10), want)
	must(t, d.DropSession(t.Context(), otherSession))
	must(t, d.DropArtifact(t.Context(), mine, "a"))
	equal(t, "removals", purgesOf(t, d, 10), []string{want[0], want[3], want[4]})
}

func purgesLimit(t T, h IndexHarness) {
	d := h.New(t)
	want := somePurges(t, d)
	for limit := 1; limit <= len(want); limit++ {
		equal(t, "the first removals", purgesOf(t, d, limit), want[:limit])
	}
}
