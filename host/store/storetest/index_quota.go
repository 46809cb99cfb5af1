package storetest

import (
	"errors"
	"fmt"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// quotaCases are about how much is kept.
func quotaCases() (cases []testCase[IndexHarness]) {
	// Session s1 of p1 has 2 files of 10 bytes; p1 has 1 more in s2, p2 has 1. A file of 10 is to come.
	for _, c := range []struct {
		name, limit   string
		least, actual int64 // the least quota that it passes, and what there would be; 0 where that tells of others
		quota         func(most int64) store.Quota
	}{
		{"QuotaSessionFiles", "session_files", 3, 3, func(n int64) store.Quota { return store.Quota{SessionFiles: n} }},
		{"QuotaSessionBytes", "session_bytes", 30, 30, func(n int64) store.Quota { return store.Quota{SessionBytes: n} }},
		{"QuotaPrincipalFiles", "principal_files", 4, 4, func(n int64) store.Quota { return store.Quota{PrincipalFiles: n} }},
		{"QuotaPrincipalBytes", "principal_bytes", 40, 40, func(n int64) store.Quota { return store.Quota{PrincipalBytes: n} }},
		{"QuotaTotalBytes", "total_bytes", 50, 0, func(n int64) store.Quota { return store.Quota{TotalBytes: n} }},
	} {
		cases = append(cases, testCase[IndexHarness]{c.name, func(t T, h IndexHarness) {
			d := h.New(t)
			usedBy(t, d)
			b := Leased(t, d, store.Batch{Artifacts: []store.Artifact{tenBytes(mine, "new")}, Events: []store.Event{event("new", 1)}, Quota: c.quota(c.least - 1)})
			_, err := d.Append(t.Context(), mine, b)
			hasCode(t, "one too many", err, readapi.CodeQuotaExceeded)
			if e, ok := errors.AsType[*readapi.Error](err); ok {
				equal(t, "the limit", *e.Limit, readapi.LimitHit{Name: c.limit, Value: c.least - 1, Actual: c.actual})
			}
			equal(t, "artifacts", ids(listed(t, d, mine), artifactID), []string{"a", "b"})
			equal(t, "events", len(events(t, d, mine)), 0)
			equal(t, "what is kept", used(t, d, "p1"), "3 30 of 4 40")
			b.Quota = c.quota(c.least)
			_, err = d.Append(t.Context(), mine, b) // with the lease of before
			if err != nil {
				t.Fatalf("as many as there may be: %v", err)
			}
		}})
	}
	return append(cases, []testCase[IndexHarness]{
		{"QuotaRoom", quotaRoom},
		{"QuotaOver", quotaOver},
		{"QuotaNewSession", quotaNewSession},
		{"Usage", indexUsage},
	}...)
}

func tenBytes(scope readapi.Scope, id string) store.Artifact {
	a := artifact(scope, id)
	a.Bytes = 10
	return a
}

func usedBy(t T, d store.IndexDriver) {
	t.Helper()
	add(t, d, mine, []store.Artifact{tenBytes(mine, "a"), tenBytes(mine, "b")})
	add(t, d, otherSession, []store.Artifact{tenBytes(otherSession, "a")})
	add(t, d, otherPrincipal, []store.Artifact{tenBytes(otherPrincipal, "a")})
}

func used(t T, d store.IndexDriver, principal readapi.PrincipalID) string {
	t.Helper()
	own, total, err := d.Usage(t.Context(), principal)
	must(t, err)
	return fmt.Sprintf("%d %d of %d %d", own.Files, own.Bytes, total.Files, total.Bytes)
}

// What is deleted is still there; what is purged and dropped is not.
func quotaRoom(t T, h IndexHarness) {
	d := h.New(t)
	add(t, d, mine, []store.Artifact{tenBytes(mine, "a"), tenBytes(mine, "b")})
	again := func() error {
		_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{tenBytes(mine, "c")},
			Quota: store.Quota{SessionFiles: 2, SessionBytes: 20, PrincipalFiles: 2, PrincipalBytes: 20, TotalBytes: 20}}))
		return err
	}
	_, _, err := d.DeleteArtifact(t.Context(), mine, "a", at(1))
	must(t, err)
	hasCode(t, "beside a deleted one", again(), readapi.CodeQuotaExceeded)
	purge(t, d, mine, "a")
	hasCode(t, "beside one that is being purged", again(), readapi.CodeQuotaExceeded)
	must(t, d.DropArtifact(t.Context(), mine, "a"))
	must(t, again())
}

// Where more is there than may be, what adds no files passes.
func quotaOver(t T, h IndexHarness) {
	d := h.New(t)
	usedBy(t, d)
	uri := artifact(mine, "uri")
	uri.Source, uri.Blob, uri.Bytes = store.SourceMemoryAddURI, "", 0
	over := store.Quota{SessionFiles: 1, SessionBytes: 1, PrincipalFiles: 1, PrincipalBytes: 1, TotalBytes: 1}
	for _, b := range []store.Batch{{Events: []store.Event{event("e", 1)}}, {Artifacts: []store.Artifact{uri}}, {Artifacts: []store.Artifact{tenBytes(mine, "a")}, Again: true}} {
		b.Quota = over
		if _, err := d.Append(t.Context(), mine, Leased(t, d, b)); err != nil {
			t.Errorf("no new file: %v", err)
		}
	}
	equal(t, "what is kept", used(t, d, "p1"), "3 30 of 4 40")
	_, err := d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{tenBytes(mine, "c")}}))
	must(t, err) // without a quota
	empty := tenBytes(mine, "empty")
	empty.Bytes = 0
	_, err = d.Append(t.Context(), mine, Leased(t, d, store.Batch{Artifacts: []store.Artifact{empty}, Quota: store.Quota{SessionFiles: 4}}))
	must(t, err)
	equal(t, "what is kept", used(t, d, "p1"), "5 40 of 6 50")
}

func quotaNewSession(t T, h IndexHarness) {
	d := h.New(t)
	b := Leased(t, d, store.Batch{Artifacts: []store.Artifact{tenBytes(mine, "a"), tenBytes(mine, "b")},
		Quota: store.Quota{SessionFiles: 1, SessionBytes: 10, PrincipalFiles: 1, PrincipalBytes: 10, TotalBytes: 10}})
	_, err := d.Append(t.Context(), mine, b)
	hasCode(t, "two where one may be", err, readapi.CodeQuotaExceeded)
	if _, ok, err := d.Session(t.Context(), mine); ok || err != nil {
		t.Fatalf("an append over the quota has made a session: %v", err)
	}
	equal(t, "what is kept", used(t, d, "p1"), "0 0 of 0 0")
}

func indexUsage(t T, h IndexHarness) {
	d := h.New(t)
	usedBy(t, d)
	equal(t, "of one", used(t, d, "p1"), "3 30 of 4 40")
	equal(t, "of another", used(t, d, "p2"), "1 10 of 4 40")
	equal(t, "of one who has nothing", used(t, d, "p3"), "0 0 of 4 40")
	_, _, err := d.DeleteArtifact(t.Context(), mine, "a", at(1))
	must(t, err)
	equal(t, "with a deleted one", used(t, d, "p1"), "3 30 of 4 40")
	purge(t, d, mine, "a")
	for range 2 {
		must(t, d.DropArtifact(t.Context(), mine, "a"))
		equal(t, "without the dropped one", used(t, d, "p1"), "2 20 of 3 30")
	}
	uri := artifact(mine, "uri")
	uri.Source, uri.Blob, uri.Bytes = store.SourceMemoryAddURI, "", 7
	add(t, d, mine, []store.Artifact{uri}, event("e", 1))
	purge(t, d, mine, "uri")
	must(t, d.DropArtifact(t.Context(), mine, "uri"))
	equal(t, "a foreign URI is no file", used(t, d, "p1"), "2 20 of 3 30")
	s, _, err := d.Session(t.Context(), mine)
	must(t, err)
	equal(t, "of the session", store.Usage{Files: s.Files, Bytes: s.Bytes}, store.Usage{Files: 1, Bytes: 10})
	mark(t, d, mine, store.PurgeSession, 2)
	equal(t, "with a session that is being purged", used(t, d, "p1"), "2 20 of 3 30")
	for range 2 {
		must(t, d.DropSession(t.Context(), mine))
		equal(t, "without the dropped session", used(t, d, "p1"), "1 10 of 2 20")
	}
	equal(t, "of another", used(t, d, "p2"), "1 10 of 2 20")
}
