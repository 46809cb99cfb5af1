package sqliteindex_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// model is two indexes that get the same calls, and must give the same answers.
type model struct {
	t    *rapid.T
	run  int
	x, y *store.Index
}

func (m *model) scope() readapi.Scope {
	return readapi.Scope{
		Principal: readapi.PrincipalID(fmt.Sprintf("run%dp%d", m.run, rapid.IntRange(0, 1).Draw(m.t, "principal"))),
		Session:   readapi.SessionID(rapid.SampledFrom([]string{"a", "b", "B"}).Draw(m.t, "session")),
	}
}

func (m *model) id(name string) string {
	return rapid.SampledFrom([]string{"a", "A", "b", "c", "d", "e", "-", "_"}).Draw(m.t, name)
}

func (m *model) time() time.Time {
	return time.UnixMilli(rapid.Int64Range(-3, 3).Draw(m.t, "ms")).UTC()
}

// same compares what two calls returned; of an error only the code counts.
func (m *model) same(what string, x, y any, xerr, yerr error) {
	m.t.Helper()
	if a, b := readapi.CodeOf(xerr), readapi.CodeOf(yerr); a != b || a == readapi.CodeInternal {
		m.t.Fatalf("%s: %v, but %v", what, xerr, yerr)
	}
	if diff := cmp.Diff(x, y, cmpopts.EquateEmpty()); diff != "" {
		m.t.Fatalf("%s (-sqlite +memory):\n%s", what, diff)
	}
}

func (m *model) append() {
	s := m.scope()
	var artifacts []store.Artifact
	for range rapid.IntRange(0, 2).Draw(m.t, "artifacts") {
		a := artifact(1)
		a.ID, a.Name, a.Created = readapi.ArtifactID(m.id("id")), rapid.StringMatching(`[^\x00]{0,8}`).Draw(m.t, "name"), m.time()
		// A run has its own blobs: their names are not of a scope.
		a.Blob = fmt.Sprintf("%063x%s", m.run, rapid.StringMatching(`[0-3]`).Draw(m.t, "blob"))
		artifacts = append(artifacts, a)
	}
	var events []store.Event
	for range rapid.IntRange(0, 3).Draw(m.t, "events") {
		payload := rapid.SampledFrom([]string{"1", "2"}).Draw(m.t, "payload")
		events = append(events, store.Event{ID: m.id("event"), Type: "user", Time: m.time(), Message: rapid.Bool().Draw(m.t, "message"), Payload: []byte(payload)})
	}
	x, xerr := m.x.Append(m.t.Context(), s, storetest.Leased(m.t, m.x, store.Batch{Artifacts: artifacts, Events: events}))
	y, yerr := m.y.Append(m.t.Context(), s, storetest.Leased(m.t, m.y, store.Batch{Artifacts: artifacts, Events: events}))
	m.same("append", x, y, xerr, yerr)
}

func (m *model) delete() {
	s, id, at := m.scope(), readapi.ArtifactID(m.id("id")), m.time()
	x, xok, xerr := m.x.DeleteArtifact(m.t.Context(), s, id, at)
	y, yok, yerr := m.y.DeleteArtifact(m.t.Context(), s, id, at)
	m.same("delete", x, y, xerr, yerr)
	m.same("deleted", xok, yok, nil, nil)
}

func (m *model) look() {
	ctx, s, after, limit := m.t.Context(), m.scope(), rapid.Int64Range(-1, 5).Draw(m.t, "after"), rapid.IntRange(0, 4).Draw(m.t, "limit")
	ids := make([]readapi.ArtifactID, rapid.IntRange(0, 5).Draw(m.t, "ids"))
	for i := range ids {
		ids[i] = readapi.ArtifactID(m.id("id"))
	}
	x1, _, xerr := m.x.Artifacts(ctx, s, ids)
	y1, _, yerr := m.y.Artifacts(ctx, s, ids)
	m.same("artifacts", x1, y1, xerr, yerr)
	x2, _, xerr := m.x.ListArtifacts(ctx, s, after, limit)
	y2, _, yerr := m.y.ListArtifacts(ctx, s, after, limit)
	m.same("list of artifacts", x2, y2, xerr, yerr)
	x3, xerr := m.x.Events(ctx, s, after, limit)
	y3, yerr := m.y.Events(ctx, s, after, limit)
	m.same("events", x3, y3, xerr, yerr)
	x4, _, xerr := m.x.Session(ctx, s)
	y4, _, yerr := m.y.Session(ctx, s)
	m.same("session", x4, y4, xerr, yerr)
	id := m.id("event")
	x5, _, xerr := m.x.Event(ctx, s, id)
	y5, _, yerr := m.y.Event(ctx, s, id)
	m.same("event", x5, y5, xerr, yerr)
	x6, _, xerr := m.x.LastEvent(ctx, s)
	y6, _, yerr := m.y.LastEvent(ctx, s)
	m.same("last event", x6, y6, xerr, yerr)
	q := store.SessionQuery{Limit: limit}
	if rapid.Bool().Draw(m.t, "behind one") {
		q.After = &store.Session{ID: s.Session, Updated: m.time()}
	}
	x7, xerr := m.x.Sessions(ctx, s.Principal, q)
	y7, yerr := m.y.Sessions(ctx, s.Principal, q)
	m.same("sessions", x7, y7, xerr, yerr)
	x8, xerr := m.x.FindArtifacts(ctx, readapi.ArtifactID(id))
	y8, yerr := m.y.FindArtifacts(ctx, readapi.ArtifactID(id))
	m.same("found", m.ofRun(x8), m.ofRun(y8), xerr, yerr)
	blob := fmt.Sprintf("%063x%d", m.run, rapid.IntRange(0, 3).Draw(m.t, "blob"))
	x9, xerr := m.x.BlobNames(ctx, blob, 3)
	y9, yerr := m.y.BlobNames(ctx, blob, 3)
	other := func(name string) bool { return !strings.HasPrefix(name, blob[:63]) }
	m.same("blobs", slices.DeleteFunc(x9, other), slices.DeleteFunc(y9, other), xerr, yerr)
}

// ofRun leaves out what other runs have left in the database, and sorts.
func (m *model) ofRun(rows []store.Artifact) []store.Artifact {
	rows = slices.DeleteFunc(rows, func(a store.Artifact) bool {
		return !strings.HasPrefix(string(a.Scope.Principal), fmt.Sprintf("run%dp", m.run))
	})
	slices.SortFunc(rows, func(a, b store.Artifact) int {
		return strings.Compare(string(a.Scope.Principal+"/")+string(a.Scope.Session), string(b.Scope.Principal+"/")+string(b.Scope.Session))
	})
	return rows
}

// Whatever is done, in whatever order: SQLite and plain maps give the same answers.
func TestSameAsMemory(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "index.db"))
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		y, err := store.NewIndex(memindex.New())
		if err != nil {
			t.Fatal(err)
		}
		m := &model{t: t, run: run, x: x, y: y}
		for range rapid.IntRange(1, 12).Draw(t, "steps") { // rapid's own Repeat takes more, and every one waits for the disk
			rapid.SampledFrom([]func(){m.append, m.append, m.delete}).Draw(t, "step")()
			m.look()
		}
	})
}
