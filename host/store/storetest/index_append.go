package storetest

import (
	"errors"
	"fmt"
	"slices"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func indexNumbers(t T, h IndexHarness) {
	d := h.New(t)
	equal(t, "numbers", add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("z", 5), event("y", 4)), []int64{0, 1})
	equal(t, "numbers", add(t, d, mine, []store.Artifact{artifact(mine, "c"), artifact(mine, "b")}, event("x", 3)), []int64{2})
	equal(t, "numbers of another session", add(t, d, otherSession, nil, event("x", 3)), []int64{0})
	equal(t, "events", ids(events(t, d, mine), func(e store.Event) string { return fmt.Sprint(e.ID, e.Seq) }), []string{"z0", "y1", "x2"})
	equal(t, "artifacts", ids(listed(t, d, mine), func(a store.Artifact) string { return fmt.Sprint(a.ID, a.Seq) }), []string{"a0", "c1", "b2"})
}

// An append that fails leaves nothing: neither rows before the failing one, nor after, nor a session.
func indexAllOrNothing(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "taken")}, event("e", 1))
	before, _, err := d.Session(t.Context(), mine)
	must(t, err)
	list := []store.Artifact{artifact(mine, "new"), artifact(mine, "taken"), artifact(mine, "newer")}
	if _, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: list, Events: []store.Event{event("f", 2)}})); err == nil {
		t.Fatalf("an id that is taken is no error")
	}
	equal(t, "artifacts", ids(listed(t, d, mine), artifactID), []string{"taken"})
	equal(t, "events", ids(events(t, d, mine), eventID), []string{"e"})
	after, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "the session", after, before)

	fresh := readapi.Scope{Principal: "p3", Session: "s3"}
	twice := []store.Artifact{artifact(fresh, "a"), artifact(fresh, "b"), artifact(fresh, "a")}
	_, _ = d.Append(t.Context(), fresh, Leased(t, d, store.Batch{Artifacts: twice, Events: []store.Event{event("e", 1), {ID: "e", Type: "user", Payload: []byte("1"), Time: at(1)}}}))
	if _, ok, err := d.Session(t.Context(), fresh); ok || err != nil {
		t.Errorf("a first append that failed has made a session: %v", err)
	}
	equal(t, "numbers", add(t, d, mine, list[:1], event("f", 2)), add(t, d, mine, nil, event("f", 2)))
}

func isConflict(t T, what string, err error) {
	t.Helper()
	if !errors.Is(err, readapi.CodeConflict) {
		t.Errorf("%s: %v, want conflict", what, err)
	}
}

func indexArtifactConflict(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")})
	_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a")}}))
	isConflict(t, "an id that is taken", err)
	_, err = d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "b"), artifact(mine, "b")}}))
	isConflict(t, "an id that comes twice", err)
	_, _, err = d.DeleteArtifact(t.Context(), mine, "a", at(5))
	must(t, err)
	_, err = d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a")}}))
	isConflict(t, "the id of a deleted one", err)
}

func indexEventConflict(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, nil, event("e", 1))
	other := event("e", 1)
	other.Payload = []byte(`{"id":"e" }`)
	_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a")}, Events: []store.Event{event("f", 2), other}}))
	isConflict(t, "an event with another payload", err)
	equal(t, "artifacts", len(listed(t, d, mine)), 0)
	equal(t, "events", ids(events(t, d, mine), eventID), []string{"e"})
	one, two := event("g", 1), event("g", 1)
	two.Payload = other.Payload
	_, err = d.Append(t.Context(), mine, store.Batch{Events: []store.Event{one, two}})
	isConflict(t, "two events of one id", err)
}

func indexIdempotent(t T, h IndexHarness) {
	d := h.New(t)
	first := add(t, d, mine, nil, event("e", 1), event("f", 2))
	again := add(t, d, mine, nil, event("f", 2), event("g", 3), event("e", 1), event("g", 3))
	equal(t, "numbers", []int64{again[0], again[2]}, []int64{first[1], first[0]})
	equal(t, "numbers of one that comes twice", again[1], again[3])
	equal(t, "events", ids(events(t, d, mine), eventID), []string{"e", "f", "g"})
	s, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "messages", s.Messages, int64(3))
	equal(t, "numbers when all is known", add(t, d, mine, nil, event("e", 1)), first[:1])
}

// Ids are a session's own: the same ones elsewhere are other rows.
func indexSameIDs(t T, h IndexHarness) {
	d := h.New(t)
	scopes := []readapi.Scope{mine, otherSession, otherPrincipal}
	for i, s := range scopes {
		a, e := artifact(s, "a"), event("e", 1)
		a.Name, e.Payload = fmt.Sprint(i), fmt.Append(nil, i)
		if _, err := d.Append(t.Context(), s, Leased(t, d, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}})); err != nil {
			t.Fatalf("ids that another session has: %v", err)
		}
	}
	_, ok, err := d.DeleteArtifact(t.Context(), otherSession, "a", at(1))
	equal(t, "deleted", fmt.Sprint(ok, err), "true <nil>")
	for i, s := range scopes {
		a, _ := get(t, d, s, "a")
		e, _, err := d.Event(t.Context(), s, "e")
		must(t, err)
		equal(t, "rows", []string{a.Name, string(e.Payload)}, []string{fmt.Sprint(i), fmt.Sprint(i)})
		equal(t, "live", a.Status == readapi.StatusLive, s != otherSession)
	}
}

func indexFind(t T, h IndexHarness) {
	d := h.New(t)
	for _, s := range []readapi.Scope{mine, otherSession, otherPrincipal} {
		add(t, d, s, []store.Artifact{artifact(s, "a"), artifact(s, "b")})
	}
	rows, err := d.FindArtifacts(t.Context(), "a")
	must(t, err)
	got := ids(rows, func(a store.Artifact) string { return fmt.Sprint(a.Scope.Principal, a.Scope.Session, a.ID) })
	slices.Sort(got)
	equal(t, "rows", got, []string{"p1s1a", "p1s2a", "p2s1a"})
	rows, err = d.FindArtifacts(t.Context(), "absent")
	must(t, err)
	equal(t, "rows of no artifact", len(rows), 0)
}

func indexCaseMatters(t T, h IndexHarness) {
	d := h.New(t)
	upper := readapi.Scope{Principal: "P1", Session: "S1"}
	for _, s := range []readapi.Scope{mine, upper} {
		if _, err := d.Append(t.Context(), s, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(s, "Ab"), artifact(s, "aB")}, Events: []store.Event{event("Ab", 1), event("aB", 1)}})); err != nil {
			t.Fatalf("ids that differ in case: %v", err)
		}
	}
	if _, ok := get(t, d, mine, "ab"); ok {
		t.Errorf("an id is found by another case")
	}
	if _, ok, err := d.Event(t.Context(), mine, "AB"); ok || err != nil {
		t.Errorf("an event is found by another case: %v", err)
	}
	list, err := d.Sessions(t.Context(), "P1", store.SessionQuery{Limit: 10})
	must(t, err)
	equal(t, "sessions", ids(list, sessionID), []string{"S1"})
}

// Many append to one session at once: every append is in one piece, nothing is lost, and who reads beside sees a beginning of the whole.
func indexConcurrentAppend(t T, h IndexHarness) { concurrentAppend(t, mine, h.New(t), nil) }

func concurrentAppend(t T, scope readapi.Scope, d, beside store.IndexDriver) {
	t.Helper()
	const writers, appends = 6, 8
	together(writers+1, func(w int) {
		d := d
		if beside != nil && w%2 == 0 {
			d = beside
		}
		for k := range appends {
			if w == writers {
				list, err := d.Events(t.Context(), scope, -1, store.MaxPage)
				if err != nil || len(list)%2 != 0 || slices.ContainsFunc(list, func(e store.Event) bool { return list[e.Seq].ID != e.ID }) {
					t.Errorf("who reads beside sees %d events: %v", len(list), err)
				}
				continue
			}
			id := fmt.Sprintf("w%dk%d", w, k)
			seqs, err := d.Append(t.Context(), scope, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(scope, id)}, Events: []store.Event{event(id+"a", 1), event(id+"b", 1)}}))
			if err != nil || len(seqs) != 2 || seqs[1] != seqs[0]+1 {
				t.Errorf("an append: %v, %v", seqs, err)
			}
		}
	})
	const n = writers * appends
	all := events(t, d, scope)
	for i, e := range all {
		if e.Seq-all[0].Seq != int64(i) {
			t.Errorf("the event at %d has the number %d", i, e.Seq)
		}
	}
	equal(t, "events", len(all), 2*n)
	equal(t, "artifacts", len(listed(t, d, scope)), n)
	s, _, err := d.Session(t.Context(), scope)
	must(t, err)
	equal(t, "messages", s.Messages, int64(2*n))
}

func indexReopen(t T, h IndexHarness) {
	if h.Reopen == nil {
		return
	}
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")}, event("e", 1))
	set, err := d.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "x", Digest: "d", Enabled: true}})
	must(t, err)
	_, err = d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "b")}, Uploads: []store.Upload{uploaded("u", "x", "b")}}))
	must(t, err)
	purge(t, d, mine, "b")
	row, _ := get(t, d, mine, "a")
	s, _, err := d.Session(t.Context(), mine)
	must(t, err)
	d = h.Reopen(t, d)
	got, ok := findUpload(t, d, mine, "u")
	equal(t, "the upload", fmt.Sprint(got, ok), fmt.Sprint(uploaded("u", "x", "b"), true))
	equal(t, "what is kept", used(t, d, "p1"), "2 6 of 2 6")
	equal(t, "removals", purgesOf(t, d, 10), []string{"p1 s1 b"})
	again, ok := get(t, d, mine, "a")
	equal(t, "found", ok, true)
	equal(t, "the artifact", again, row)
	equal(t, "events", ids(events(t, d, mine), eventID), []string{"e"})
	s2, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "the session", s2, s)
	set2, err := d.Decoders(t.Context())
	must(t, err)
	equal(t, "decoders", set2, set)
}

func indexBeside(t T, h IndexHarness) {
	if h.Beside == nil {
		return
	}
	d := h.New(t)
	other := h.Beside(t, d)
	add(t, d, otherSession, []store.Artifact{artifact(otherSession, "a")}, event("e", 1))
	if _, ok := get(t, other, otherSession, "a"); !ok {
		t.Fatalf("what one has committed the other does not see")
	}
	_, err := d.SetDecoders(t.Context(), 0, nil)
	must(t, err)
	_, err = other.SetDecoders(t.Context(), 0, nil)
	isConflict(t, "a set that the other has changed", err)
	lease(t, d, "x", long, blobName(9))
	equal(t, "what the other has leased is free", removed(t, other, blobName(9)), false)
	equal(t, "claimed", claim(t, other, blobName(8), long), true)
	hasCode(t, "a lease on what the other removes", d.LeaseBlobs(t.Context(), "x", []string{blobName(8)}, long), readapi.CodeBusy)
	putHost(t, other, "h", "1")
	equal(t, "hosts", hostsOf(decoderSet(t, d)), []string{"h"})
	equal(t, "one of two", []bool{has(t, d, "gc", "x"), has(t, other, "gc", "y")}, []bool{true, false})
	concurrentAppend(t, otherPrincipal, d, other)
	race(t, d, other, 10)
}

// The copy of an artifact that was deleted arrives as a deleted one, as of then.
func indexArrivesDeleted(t T, h IndexHarness) {
	d := h.New(t)
	want := artifact(mine, "a")
	want.Status, want.Deleted = readapi.StatusDeleted, at(-5)
	add(t, d, mine, []store.Artifact{want})
	want.Version = 1
	got, ok := get(t, d, mine, "a")
	equal(t, "it is there", ok, true)
	equal(t, "the artifact", got, want)
}
