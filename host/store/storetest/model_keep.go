package storetest

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// This file has the steps of a model that remove, lease and load, and what it looks at over all sessions.

func (m *model) wait() {
	m.now = m.now.Add(time.Duration(rapid.SampledFrom([]int{-20, -1, 1, 1, 5, 20, 100}).Draw(m.t, "wait")) * time.Millisecond)
	if m.tick != nil {
		m.tick(m.now)
	}
}

func (m *model) ttl() time.Duration {
	return time.Duration(rapid.IntRange(1, 10).Draw(m.t, "ttl")) * time.Millisecond
}

func (m *model) purge() {
	s, id, at := m.scope(), readapi.ArtifactID(m.id("id")), m.time()
	x, xok, xerr := m.x.PurgeArtifact(m.t.Context(), s, id, at)
	y, yok, yerr := m.y.PurgeArtifact(m.t.Context(), s, id, at)
	m.same("purge", x, y, xerr, yerr)
	m.same("purged", xok, yok, nil, nil)
}

func (m *model) drop() {
	s, id := m.scope(), readapi.ArtifactID(m.id("id"))
	m.same("drop", 0, 0, m.x.DropArtifact(m.t.Context(), s, id), m.y.DropArtifact(m.t.Context(), s, id))
}

func (m *model) mark() {
	s, at := m.scope(), m.time()
	change := rapid.SampledFrom([]store.SessionChange{store.ArchiveSession, store.UnarchiveSession, store.DeleteSession, store.PurgeSession}).Draw(m.t, "change")
	x, xok, xerr := m.x.MarkSession(m.t.Context(), s, change, at)
	y, yok, yerr := m.y.MarkSession(m.t.Context(), s, change, at)
	m.same("mark", x, y, xerr, yerr)
	m.same("marked", xok, yok, nil, nil)
}

func (m *model) dropSession() {
	s := m.scope()
	m.same("drop of a session", 0, 0, m.x.DropSession(m.t.Context(), s), m.y.DropSession(m.t.Context(), s))
}

func (m *model) lease(holder string, digests []string) {
	ttl := m.ttl()
	m.same("lease", 0, 0, m.x.LeaseBlobs(m.t.Context(), holder, digests, ttl), m.y.LeaseBlobs(m.t.Context(), holder, digests, ttl))
}

func (m *model) leaseOne() { m.lease(m.holder(), []string{m.blob(), m.blob()}) }

func (m *model) endLeases() {
	holder := m.holder()
	m.same("end of leases", 0, 0, m.x.EndLeases(m.t.Context(), holder), m.y.EndLeases(m.t.Context(), holder))
}

func (m *model) claim() {
	blob, ttl := m.blob(), m.ttl()
	x, xerr := m.x.ClaimBlob(m.t.Context(), blob, ttl)
	y, yerr := m.y.ClaimBlob(m.t.Context(), blob, ttl)
	m.same("claim", x, y, xerr, yerr)
}

func (m *model) endClaim() {
	blob := m.blob()
	m.same("end of a claim", 0, 0, m.x.EndClaim(m.t.Context(), blob), m.y.EndClaim(m.t.Context(), blob))
}

func (m *model) decoders() []store.DecoderEntry {
	return rapid.SampledFrom([][]store.DecoderEntry{nil, {{Name: "a", Digest: "1"}}, {{Name: "a", Digest: "2"}, {Name: "b", Enabled: true}}}).Draw(m.t, "decoders")
}

func (m *model) putHost() {
	h, ttl := store.HostEntry{ID: m.holder(), Decoders: m.decoders()}, m.ttl()
	x, xerr := m.x.PutHost(m.t.Context(), h, ttl)
	y, yerr := m.y.PutHost(m.t.Context(), h, ttl)
	m.same("host", x, y, xerr, yerr)
}

func (m *model) dropHost() {
	id := m.holder()
	m.same("drop of a host", 0, 0, m.x.DropHost(m.t.Context(), id), m.y.DropHost(m.t.Context(), id))
}

func (m *model) setDecoders() {
	was, list := rapid.Int64Range(0, 5).Draw(m.t, "generation"), m.decoders()
	x, xerr := m.x.SetDecoders(m.t.Context(), was, list)
	y, yerr := m.y.SetDecoders(m.t.Context(), was, list)
	m.same("set", x, y, xerr, yerr)
}

func (m *model) acquire() {
	name, holder, ttl := m.id("name"), m.holder(), m.ttl()
	x, xerr := m.x.Acquire(m.t.Context(), name, holder, ttl)
	y, yerr := m.y.Acquire(m.t.Context(), name, holder, ttl)
	m.same("acquire", x, y, xerr, yerr)
}

func (m *model) resign() {
	name, holder := m.id("name"), m.holder()
	m.same("resign", 0, 0, m.x.Resign(m.t.Context(), name, holder), m.y.Resign(m.t.Context(), name, holder))
}

// load loads rows with numbers of their own, which may be taken.
func (m *model) load() {
	scope := m.scope()
	s := store.Session{Principal: scope.Principal, ID: scope.Session, Messages: 3, Created: m.time(), Updated: m.time(), Archived: rapid.Bool().Draw(m.t, "archived")}
	if rapid.IntRange(0, 3).Draw(m.t, "deleted") == 0 {
		s.Deleted, s.Purging = m.time(), rapid.Bool().Draw(m.t, "purging")
	}
	artifacts, events := m.artifacts(), m.events()
	for i := range artifacts {
		artifacts[i].Seq, artifacts[i].Version = rapid.Int64Range(0, 9).Draw(m.t, "seq"), rapid.Int64Range(1, 4).Draw(m.t, "version")
		if artifacts[i].Status = readapi.StatusLive; rapid.Bool().Draw(m.t, "a deleted one") {
			artifacts[i].Status, artifacts[i].Deleted, artifacts[i].Purging = readapi.StatusDeleted, m.time(), rapid.Bool().Draw(m.t, "purging")
		}
	}
	for i := range events {
		events[i].Seq = rapid.Int64Range(0, 9).Draw(m.t, "seq")
	}
	uploads := m.uploads(artifacts)
	x, y := m.x.Load(m.t.Context(), s, artifacts, events, uploads), m.y.Load(m.t.Context(), s, artifacts, events, uploads)
	m.same("load", 0, 0, x, y)
}

// lookAtAll compares what is of no session, or of all.
func (m *model) lookAtAll() {
	ctx, s, limit := m.t.Context(), m.scope(), rapid.IntRange(1, 5).Draw(m.t, "limit")
	xo, xt, xerr := m.x.Usage(ctx, s.Principal)
	yo, yt, yerr := m.y.Usage(ctx, s.Principal)
	m.same("usage", []store.Usage{xo, xt}, []store.Usage{yo, yt}, xerr, yerr)
	x1, xerr := m.x.Purges(ctx, limit)
	y1, yerr := m.y.Purges(ctx, limit)
	m.same("purges", x1, y1, xerr, yerr)
	x2, xerr := m.x.Decoders(ctx)
	y2, yerr := m.y.Decoders(ctx)
	m.same("decoders", x2, y2, xerr, yerr)
	digests := []string{m.blob(), m.blob()}
	x3, xerr := m.x.BlobUses(ctx, digests)
	y3, yerr := m.y.BlobUses(ctx, digests)
	m.same("uses of blobs", x3, y3, xerr, yerr)
	q := store.ArtifactScan{Limit: limit, Source: rapid.SampledFrom([]store.Source{"", "", store.SourceGenerated}).Draw(m.t, "source")}
	if rapid.Bool().Draw(m.t, "behind one") {
		q.After = &store.Artifact{Scope: s, ID: readapi.ArtifactID(m.id("behind"))}
	}
	if rapid.IntRange(0, 2).Draw(m.t, "created before") == 0 {
		q.CreatedBefore = m.time()
	}
	if rapid.IntRange(0, 2).Draw(m.t, "deleted before") == 0 {
		q.DeletedBefore = m.time()
	}
	x4, xerr := m.x.ScanArtifacts(ctx, q)
	y4, yerr := m.y.ScanArtifacts(ctx, q)
	m.same(fmt.Sprintf("scan %+v", q), x4, y4, xerr, yerr)
	x5, xerr := m.x.ScanSessions(ctx, s, limit)
	y5, yerr := m.y.ScanSessions(ctx, s, limit)
	m.same("scan of sessions", x5, y5, xerr, yerr)
	id := m.id("upload")
	x6, xerr := m.x.ScanUploads(ctx, s, id, limit)
	y6, yerr := m.y.ScanUploads(ctx, s, id, limit)
	m.same("scan of uploads", x6, y6, xerr, yerr)
	x7, xok, xerr := m.x.Upload(ctx, s, id)
	y7, yok, yerr := m.y.Upload(ctx, s, id)
	m.same("upload", x7, y7, xerr, yerr)
	m.same("an upload is there", xok, yok, nil, nil)
}
