package storetest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// model is two indexes that get the same calls, and must give the same answers.
type model struct {
	t    *rapid.T
	x, y *store.Index
	now  time.Time // the clock of both, which goes forwards and backwards
	tick func(now time.Time)
}

// ModelHarness makes the drivers that RunModel compares with package memindex.
type ModelHarness struct {
	// New makes a driver in an empty place whose clock is now. What it makes it closes itself, by t.Cleanup.
	New func(t *rapid.T, now func() time.Time) store.IndexDriver

	// Tick sets the clock of the newest driver; nil where the driver asks now.
	Tick func(now time.Time)
}

func (m *model) scope() readapi.Scope {
	return readapi.Scope{
		Principal: readapi.PrincipalID(rapid.SampledFrom([]string{"p", "P"}).Draw(m.t, "principal")),
		Session:   readapi.SessionID(rapid.SampledFrom([]string{"a", "a", "B"}).Draw(m.t, "session")),
	}
}

func (m *model) id(name string) string {
	return rapid.SampledFrom([]string{"a", "A", "b", "c", "-", "_"}).Draw(m.t, name)
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
		m.t.Fatalf("%s (-driver +memory):\n%s", what, diff)
	}
}

// blob is one of a few digests.
func (m *model) blob() string {
	return strings.Repeat(rapid.SampledFrom([]string{"0", "1", "2"}).Draw(m.t, "blob"), 64)
}

func (m *model) holder() string {
	return rapid.SampledFrom([]string{"x", "X", "y"}).Draw(m.t, "holder")
}

func (m *model) artifacts() (list []store.Artifact) {
	for range rapid.IntRange(0, 2).Draw(m.t, "artifacts") {
		a := artifact(readapi.Scope{}, "")
		a.ID, a.Created, a.Blob, a.Bytes = readapi.ArtifactID(m.id("id")), m.time(), m.blob(), rapid.Int64Range(0, 4).Draw(m.t, "bytes")
		a.Name = rapid.OneOf(rapid.StringMatching(`[^\x00]{0,8}`), rapid.SampledFrom([]string{"a", "A", "b"})).Draw(m.t, "name")
		if a.Source = rapid.SampledFrom([]store.Source{store.SourceUserUpload, store.SourceGenerated, store.SourceMemoryAddURI}).Draw(m.t, "source"); !a.Source.Readable() {
			a.Blob = ""
		}
		list = append(list, a)
	}
	return list
}

func (m *model) events() (list []store.Event) {
	for range rapid.IntRange(0, 3).Draw(m.t, "events") {
		payload := rapid.SampledFrom([]string{"1", "1", "1", "2"}).Draw(m.t, "payload")
		list = append(list, store.Event{ID: m.id("event"), Type: "user", Time: m.time(), Message: rapid.Bool().Draw(m.t, "message"), Payload: []byte(payload)})
	}
	return list
}

func (m *model) uploads(artifacts []store.Artifact) (list []store.Upload) {
	for _, a := range artifacts {
		if rapid.IntRange(0, 3).Draw(m.t, "upload") == 0 {
			list = append(list, store.Upload{ID: m.id("upload"), Begin: rapid.SampledFrom([]string{"1", "2"}).Draw(m.t, "begin"), Artifact: a.ID})
		}
	}
	return list
}

// quota is mostly none.
func (m *model) quota() (q store.Quota) {
	for _, n := range []*int64{&q.SessionFiles, &q.SessionBytes, &q.PrincipalFiles, &q.PrincipalBytes, &q.TotalBytes} {
		*n = max(0, rapid.Int64Range(-30, 10).Draw(m.t, "quota"))
	}
	return q
}

func (m *model) append() {
	s := m.scope()
	b := store.Batch{Artifacts: m.artifacts(), Events: m.events(), Quota: m.quota(), Again: rapid.Bool().Draw(m.t, "again"), Holder: m.holder()}
	b.Uploads = m.uploads(b.Artifacts)
	if rapid.IntRange(0, 4).Draw(m.t, "with a lease") > 0 {
		var digests []string
		for _, a := range b.Artifacts {
			if a.Blob != "" {
				digests = append(digests, a.Blob)
			}
		}
		m.lease(b.Holder, digests)
	}
	x, xerr := m.x.Append(m.t.Context(), s, b)
	y, yerr := m.y.Append(m.t.Context(), s, b)
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
	q := store.SessionQuery{Limit: limit, Archived: rapid.Bool().Draw(m.t, "archived"), Deleted: rapid.Bool().Draw(m.t, "deleted")}
	if rapid.Bool().Draw(m.t, "behind one") {
		q.After = &store.Session{ID: s.Session, Updated: m.time()}
	}
	x7, xerr := m.x.Sessions(ctx, s.Principal, q)
	y7, yerr := m.y.Sessions(ctx, s.Principal, q)
	m.same("sessions", x7, y7, xerr, yerr)
	x8, xerr := m.x.FindArtifacts(ctx, readapi.ArtifactID(id))
	y8, yerr := m.y.FindArtifacts(ctx, readapi.ArtifactID(id))
	m.same("found", inOrder(x8), inOrder(y8), xerr, yerr)
	blob := rapid.SampledFrom([]string{"", m.blob()}).Draw(m.t, "behind a blob")
	x9, xerr := m.x.BlobNames(ctx, blob, 3)
	y9, yerr := m.y.BlobNames(ctx, blob, 3)
	m.same("blobs", x9, y9, xerr, yerr)
}

func inOrder(rows []store.Artifact) []store.Artifact {
	slices.SortFunc(rows, func(a, b store.Artifact) int {
		return strings.Compare(string(a.Scope.Principal+"/")+string(a.Scope.Session), string(b.Scope.Principal+"/")+string(b.Scope.Session))
	})
	return rows
}

// RunModel does whatever there is to do, in whatever order and whatever the clock does: a driver and plain maps give the same answers.
func RunModel(t *testing.T, h ModelHarness) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		m := &model{t: t, now: time.UnixMilli(1_700_000_000_000), tick: h.Tick}
		clock := func() time.Time { return m.now }
		var err error
		if m.x, err = store.NewIndex(h.New(t, clock)); err == nil {
			m.y, err = store.NewIndex(memindex.NewAt(clock))
		}
		if err != nil {
			t.Fatal(err)
		}
		if m.tick != nil {
			m.tick(m.now)
		}
		steps := []func(){m.append, m.append, m.append, m.delete, m.purge, m.purge, m.drop, m.drop, m.mark, m.mark, m.dropSession, m.leaseOne, m.endLeases,
			m.claim, m.claim, m.endClaim, m.putHost, m.dropHost, m.setDecoders, m.acquire, m.resign, m.load, m.wait, m.wait}
		for range rapid.IntRange(1, 20).Draw(t, "steps") { // rapid's own Repeat takes more, and every one waits for the disk
			rapid.SampledFrom(steps).Draw(t, "step")()
			m.look()
			m.lookAtAll()
		}
	})
}
