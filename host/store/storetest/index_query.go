package storetest

import (
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// foreignCases ask for rows of another session, and of the same session id of another principal, by every method.
func foreignCases() (cases []testCase[IndexHarness]) {
	methods := map[string]func(t T, d store.IndexDriver, s readapi.Scope) (seen bool){
		"Artifacts": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			rows, _, _ := d.Artifacts(t.Context(), s, []readapi.ArtifactID{"a", "b"})
			return len(rows) > 0
		},
		"ListArtifacts": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			rows, _, _ := d.ListArtifacts(t.Context(), s, -1, 10)
			return len(rows) > 0
		},
		"DeleteArtifact": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			_, ok, _ := d.DeleteArtifact(t.Context(), s, "a", at(9))
			a, _ := get(t, d, mine, "a")
			return ok || a.Status != readapi.StatusLive
		},
		"Session": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			_, ok, _ := d.Session(t.Context(), s)
			return ok
		},
		"Events": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			list, _ := d.Events(t.Context(), s, -1, 10)
			return len(list) > 0
		},
		"Event": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			_, ok, _ := d.Event(t.Context(), s, "e")
			return ok
		},
		"LastEvent": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			_, ok, _ := d.LastEvent(t.Context(), s)
			return ok
		},
		"Sessions": func(t T, d store.IndexDriver, s readapi.Scope) bool {
			list, _ := d.Sessions(t.Context(), s.Principal, store.SessionQuery{Limit: 10, Archived: true})
			return len(list) > 0
		},
	}
	maps.Copy(methods, moreForeign)
	for _, name := range slices.Sorted(maps.Keys(methods)) {
		for _, s := range []readapi.Scope{otherSession, otherPrincipal} {
			what := "Session"
			if s == otherPrincipal {
				what = "Principal"
			}
			if name == "Sessions" && s == otherSession {
				continue // it is asked by principal
			}
			cases = append(cases, testCase[IndexHarness]{"Foreign" + what + name, func(t T, h IndexHarness) {
				d := h.New(t)
				_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{artifact(mine, "a"), artifact(mine, "b")},
					Events: []store.Event{event("e", 1)}, Uploads: []store.Upload{uploaded("u", "", "a")}}))
				must(t, err)
				if methods[name](t, d, s) {
					t.Errorf("%s shows or changes what belongs to another", name)
				}
			}})
		}
	}
	return cases
}

func indexDelete(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a"), artifact(mine, "b")})
	want, _ := get(t, d, mine, "a")
	want.Status, want.Deleted = readapi.StatusDeleted, at(5)
	row, ok, err := d.DeleteArtifact(t.Context(), mine, "a", at(5))
	must(t, err)
	equal(t, "found", ok, true)
	equal(t, "the row returned", row, want)
	row, _ = get(t, d, mine, "a")
	equal(t, "the row afterwards", row, want)
	equal(t, "artifacts", len(listed(t, d, mine)), 2)
	row, _ = get(t, d, mine, "b")
	equal(t, "the other's status", row.Status, readapi.StatusLive)
}

func indexDeleteTwice(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")})
	first, _, err := d.DeleteArtifact(t.Context(), mine, "a", at(5))
	must(t, err)
	again, ok, err := d.DeleteArtifact(t.Context(), mine, "a", at(6))
	must(t, err)
	equal(t, "found", ok, true)
	equal(t, "the row", again, first)
}

func indexDeleteAbsent(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")})
	_, ok, err := d.DeleteArtifact(t.Context(), mine, "absent", at(5))
	equal(t, "an absent artifact", fmt.Sprint(ok, err), "false <nil>")
}

func indexArtifactPages(t T, h IndexHarness) {
	d := h.New(t)
	for i := range 7 {
		add(t, d, mine, []store.Artifact{artifact(mine, fmt.Sprint(9-i))})
	}
	var got []string
	for after := int64(-1); ; {
		rows, _, err := d.ListArtifacts(t.Context(), mine, after, 3)
		must(t, err)
		if len(rows) > 3 || len(got) > 7 {
			t.Fatalf("a page of %d rows behind %d", len(rows), after)
		}
		if len(rows) == 0 {
			break
		}
		got, after = append(got, ids(rows, artifactID)...), rows[len(rows)-1].Seq
	}
	equal(t, "artifacts", got, []string{"9", "8", "7", "6", "5", "4", "3"})
}

func indexEventPages(t T, h IndexHarness) {
	d := h.New(t)
	for i := range 7 {
		add(t, d, mine, nil, event(fmt.Sprint(9-i), int64(9-i)))
	}
	var got []string
	for after := int64(-1); ; {
		list, err := d.Events(t.Context(), mine, after, 3)
		must(t, err)
		if len(list) > 3 || len(got) > 7 {
			t.Fatalf("a page of %d events behind %d", len(list), after)
		}
		if len(list) == 0 {
			break
		}
		got, after = append(got, ids(list, eventID)...), list[len(list)-1].Seq
	}
	equal(t, "events", got, []string{"9", "8", "7", "6", "5", "4", "3"})
}

// someSessions are of p1, with ties in their times; the order is the one of store.SessionQuery.
func someSessions(t T, d store.IndexDriver) (order []string) {
	for id, second := range map[string]int64{"b": 5, "a": 5, "c": 5, "old": 1, "new": 9, "d": 5} {
		add(t, d, readapi.Scope{Principal: "p1", Session: readapi.SessionID(id)}, nil, event("e", second))
	}
	return []string{"new", "a", "b", "c", "d", "old"}
}

func indexSessionOrder(t T, h IndexHarness) {
	d := h.New(t)
	want := someSessions(t, d)
	list, err := d.Sessions(t.Context(), "p1", store.SessionQuery{Limit: 100})
	must(t, err)
	equal(t, "sessions", ids(list, sessionID), want)
}

// Pages join to the whole, whatever their size, also where a page ends between sessions of one time.
func indexSessionPages(t T, h IndexHarness) {
	d := h.New(t)
	n := len(someSessions(t, d))
	for limit := 1; limit <= n; limit++ {
		seen := map[readapi.SessionID]bool{}
		q := store.SessionQuery{Limit: limit}
		for range n + 1 {
			list, err := d.Sessions(t.Context(), "p1", q)
			must(t, err)
			if len(list) > limit {
				t.Fatalf("%d sessions on a page of %d", len(list), limit)
			}
			for _, s := range list {
				if seen[s.ID] {
					t.Errorf("%s comes twice with pages of %d", s.ID, limit)
				}
				seen[s.ID] = true
				q.After = &s
			}
		}
		equal(t, "sessions", len(seen), n)
	}
}

func indexSessionFields(t T, h IndexHarness) {
	d := h.New(t)
	tool := event("t", 8)
	tool.Message = false
	add(t, d, mine, nil, event("a", 5), tool)
	add(t, d, mine, []store.Artifact{artifact(mine, "x")}, event("b", 2), event("c", 4))
	want := store.Session{Principal: "p1", ID: "s1", Messages: 3, Files: 1, Bytes: 3, Created: at(2), Updated: at(8)}
	s, ok, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "found", ok, true)
	equal(t, "the session", s, want)
	list, err := d.Sessions(t.Context(), "p1", store.SessionQuery{Limit: 10})
	must(t, err)
	equal(t, "sessions", list, []store.Session{want})
}

// A session that has artifacts and no event yet has the times of those; its events decide as soon as there are any.
func indexSessionOfArtifacts(t T, h IndexHarness) {
	d := h.New(t)
	early, late := artifact(mine, "a"), artifact(mine, "b")
	early.Created, late.Created = at(3), at(7)
	add(t, d, mine, []store.Artifact{late})
	add(t, d, mine, []store.Artifact{early})
	session := func() store.Session {
		s, ok, err := d.Session(t.Context(), mine)
		must(t, err)
		equal(t, "found", ok, true)
		return s
	}
	equal(t, "the session", session(), store.Session{Principal: "p1", ID: "s1", Files: 2, Bytes: 6, Created: at(3), Updated: at(7)})
	third := artifact(mine, "c")
	third.Created = at(20)
	add(t, d, mine, []store.Artifact{third}, event("e", 5))
	equal(t, "the session", session(), store.Session{Principal: "p1", ID: "s1", Messages: 1, Files: 3, Bytes: 9, Created: at(5), Updated: at(5)})
}

func indexGeneration(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{artifact(mine, "a")})
	for was := range int64(3) {
		set, err := d.SetDecoders(t.Context(), was, nil)
		must(t, err)
		for _, id := range []readapi.ArtifactID{"a", "absent"} {
			_, g, err := d.Artifacts(t.Context(), mine, []readapi.ArtifactID{id})
			must(t, err)
			equal(t, "the generation beside "+string(id), g, set.Generation)
		}
		_, g, err := d.Artifacts(t.Context(), mine, nil)
		must(t, err)
		equal(t, "the generation beside nothing", g, set.Generation)
		for _, s := range []readapi.Scope{mine, otherSession} {
			_, g, err = d.ListArtifacts(t.Context(), s, -1, 10)
			must(t, err)
			equal(t, "the generation beside a list", g, set.Generation)
		}
	}
}

func indexDecoders(t T, h IndexHarness) {
	d := h.New(t)
	set, err := d.Decoders(t.Context())
	must(t, err)
	equal(t, "a set before any", fmt.Sprint(set.Generation, len(set.Decoders)), "0 0")
	for i, list := range [][]store.DecoderEntry{{
		{Name: "text", Digest: "d1", Enabled: true}, {Name: "pdf", Digest: "d2"}, {Name: "an image", Enabled: true},
	}, {{Name: "pdf", Digest: "d3", Enabled: true}}, {}} {
		set, err := d.SetDecoders(t.Context(), int64(i), list)
		must(t, err)
		again, err := d.Decoders(t.Context())
		must(t, err)
		for _, s := range []store.DecoderSet{set, again} {
			equal(t, "a set", fmt.Sprint(s.Generation, s.Decoders), fmt.Sprint(i+1, list))
		}
	}
}

func indexDecodersConflict(t T, h IndexHarness) {
	d := h.New(t)
	_, err := d.SetDecoders(t.Context(), 5, nil)
	isConflict(t, "a generation that is not there yet", err)
	_, err = d.SetDecoders(t.Context(), 0, []store.DecoderEntry{{Name: "kept"}})
	must(t, err)
	for _, was := range []int64{0, 2, -1} {
		_, err = d.SetDecoders(t.Context(), was, []store.DecoderEntry{{Name: "lost"}})
		isConflict(t, fmt.Sprint("generation ", was), err)
	}
	set, err := d.Decoders(t.Context())
	must(t, err)
	equal(t, "the set", fmt.Sprint(set.Generation, set.Decoders), fmt.Sprint(1, []store.DecoderEntry{{Name: "kept"}}))
}

// Of many who change the same generation, one does.
func indexDecodersRace(t T, h IndexHarness) {
	d := h.New(t)
	for was := range int64(3) {
		var won atomic.Int64
		together(6, func(int) {
			if _, err := d.SetDecoders(t.Context(), was, nil); err == nil {
				won.Add(1)
			}
		})
		equal(t, "how many changed it", won.Load(), 1)
	}
}
