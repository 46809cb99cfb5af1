// Package memindex keeps the rows of a store in memory, for tests and for hosts that need not remember. It is a driver of store.Index.
//
//	index, err := store.NewIndex(memindex.New())
package memindex

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Driver is a store.IndexDriver.
type Driver struct {
	now      func() time.Time
	mu       sync.RWMutex
	sessions map[readapi.Scope]*session
	decoders store.DecoderSet
	hosts    map[string]store.HostEntry
	leases   map[lease]time.Time // until when
	claims   map[string]time.Time
	names    map[string]named
}

// lease is that of a holder on a blob.
type lease struct{ holder, sha256 string }

// named is a lease on a name.
type named struct {
	holder string
	until  time.Time
}

type session struct {
	info      store.Session
	artifacts []store.Artifact // by Seq
	nextSeq   int64            // of the next artifact
	events    []store.Event    // by Seq
	eventByID map[string]int   // places in events
	uploads   map[string]store.Upload
}

// New returns an empty driver.
func New() *Driver { return NewAt(time.Now) }

// NewAt returns an empty driver whose clock is now, for tests.
func NewAt(now func() time.Time) *Driver {
	return &Driver{
		now: now, sessions: map[readapi.Scope]*session{}, hosts: map[string]store.HostEntry{}, leases: map[lease]time.Time{}, claims: map[string]time.Time{},
		names: map[string]named{},
	}
}

func newSession(scope readapi.Scope) *session {
	return &session{info: store.Session{Principal: scope.Principal, ID: scope.Session}, eventByID: map[string]int{}, uploads: map[string]store.Upload{}}
}

// find is the place of an artifact; -1 when there is none.
func (s *session) find(id readapi.ArtifactID) int {
	return slices.IndexFunc(s.artifacts, func(a store.Artifact) bool { return a.ID == id })
}

// Append implements store.IndexDriver.
func (d *Driver) Append(_ context.Context, scope readapi.Scope, b store.Batch) ([]int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		s = newSession(scope)
	}
	if !s.info.Deleted.IsZero() {
		return nil, store.SessionGone()
	}
	artifacts, err := b.FreshArtifacts(s.byID(b.Artifacts))
	if err != nil {
		return nil, err
	}
	seqs, events, err := b.FreshEvents(s.nextEvent(), s.event)
	if err != nil {
		return nil, err
	}
	if _, err := b.FreshUploads(s.upload); err != nil {
		return nil, err
	}
	if err := d.covered(b.Holder, artifacts); err != nil {
		return nil, err
	}
	own, total := d.usage(scope.Principal)
	if err := b.Quota.Allows(store.UsageOf(artifacts), store.Usage{Files: s.info.Files, Bytes: s.info.Bytes}, own, total); err != nil {
		return nil, err
	}
	s.touch(artifacts, events)
	versions := s.versions()
	for _, a := range artifacts {
		versions[a.Name]++
		a.Seq, a.Version = s.nextSeq, versions[a.Name]
		s.keep(a)
	}
	for _, e := range events {
		s.eventByID[e.ID] = len(s.events)
		s.events = append(s.events, copyEvent(e))
	}
	for _, u := range b.Uploads {
		s.uploads[u.ID] = u
	}
	d.endLeases(b.Holder)
	d.sessions[scope] = s
	return seqs, nil
}

// keep adds an artifact as it is.
func (s *session) keep(a store.Artifact) {
	s.artifacts = append(s.artifacts, copyArtifact(a))
	s.nextSeq = max(s.nextSeq, a.Seq+1)
	if a.Blob != "" {
		s.info.Files++
		s.info.Bytes += a.Bytes
	}
}

// versions are those of the last artifact of each name.
func (s *session) versions() map[string]int64 {
	last := map[string]int64{}
	for _, a := range s.artifacts {
		last[a.Name] = max(last[a.Name], a.Version)
	}
	return last
}

// byID returns the session's artifacts that have the id of one of list.
func (s *session) byID(list []store.Artifact) map[readapi.ArtifactID]store.Artifact {
	wanted := map[readapi.ArtifactID]bool{}
	for _, a := range list {
		wanted[a.ID] = true
	}
	found := map[readapi.ArtifactID]store.Artifact{}
	for _, a := range s.artifacts {
		if wanted[a.ID] {
			found[a.ID] = a
		}
	}
	return found
}

func (s *session) nextEvent() int64 {
	if n := len(s.events); n > 0 {
		return s.events[n-1].Seq + 1
	}
	return 0
}

func (s *session) event(id string) (store.Event, bool, error) {
	i, ok := s.eventByID[id]
	if !ok {
		return store.Event{}, false, nil
	}
	return s.events[i], true, nil
}

func (s *session) upload(id string) (store.Upload, bool, error) {
	u, ok := s.uploads[id]
	return u, ok, nil
}

// touch counts messages and moves the session's times: by its events; by its artifacts as long as it has none.
func (s *session) touch(artifacts []store.Artifact, events []store.Event) {
	var times []time.Time
	for _, e := range events {
		times = append(times, e.Time)
		if e.Message {
			s.info.Messages++
		}
	}
	switch {
	case len(s.events) > 0:
	case len(events) > 0:
		s.info.Created, s.info.Updated = time.Time{}, time.Time{}
	default:
		for _, a := range artifacts {
			times = append(times, a.Created)
		}
	}
	for _, t := range times {
		if s.info.Created.IsZero() || t.Before(s.info.Created) {
			s.info.Created = t
		}
		if t.After(s.info.Updated) {
			s.info.Updated = t
		}
	}
}

// Artifacts implements store.IndexDriver.
func (d *Driver) Artifacts(_ context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows []store.Artifact, generation int64, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil {
		wanted := map[readapi.ArtifactID]bool{}
		for _, id := range ids {
			wanted[id] = true
		}
		for _, a := range s.artifacts {
			if wanted[a.ID] {
				rows = append(rows, copyArtifact(a))
			}
		}
	}
	return rows, d.decoders.Generation, nil
}

// ListArtifacts implements store.IndexDriver.
func (d *Driver) ListArtifacts(_ context.Context, scope readapi.Scope, after int64, limit int) (rows []store.Artifact, generation int64, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil {
		for _, a := range s.artifacts {
			if a.Seq > after && len(rows) < limit {
				rows = append(rows, copyArtifact(a))
			}
		}
	}
	return rows, d.decoders.Generation, nil
}

// FindArtifacts implements store.IndexDriver.
func (d *Driver) FindArtifacts(_ context.Context, id readapi.ArtifactID) (rows []store.Artifact, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, s := range d.sessions {
		if i := s.find(id); i >= 0 {
			rows = append(rows, copyArtifact(s.artifacts[i]))
		}
	}
	return rows, nil
}

// Sessions implements store.IndexDriver.
func (d *Driver) Sessions(_ context.Context, principal readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []store.Session
	for scope, s := range d.sessions {
		if scope.Principal == principal && !s.info.Purging && (q.Archived || !s.info.Archived) && (q.Deleted || s.info.Deleted.IsZero()) &&
			(q.After == nil || compare(s.info, *q.After) > 0) {
			list = append(list, s.info)
		}
	}
	slices.SortFunc(list, compare)
	return list[:min(len(list), q.Limit)], nil
}

// compare orders sessions as store.SessionQuery says.
func compare(a, b store.Session) int {
	if c := b.Updated.Compare(a.Updated); c != 0 {
		return c
	}
	return strings.Compare(string(a.ID), string(b.ID))
}

// Session implements store.IndexDriver.
func (d *Driver) Session(_ context.Context, scope readapi.Scope) (store.Session, bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	s := d.sessions[scope]
	if s == nil {
		return store.Session{}, false, nil
	}
	return s.info, true, nil
}

// Events implements store.IndexDriver.
func (d *Driver) Events(_ context.Context, scope readapi.Scope, after int64, limit int) (list []store.Event, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil {
		for _, e := range s.events {
			if e.Seq > after && len(list) < limit {
				list = append(list, copyEvent(e))
			}
		}
	}
	return list, nil
}

// Event implements store.IndexDriver.
func (d *Driver) Event(_ context.Context, scope readapi.Scope, id string) (store.Event, bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil {
		if i, ok := s.eventByID[id]; ok {
			return copyEvent(s.events[i]), true, nil
		}
	}
	return store.Event{}, false, nil
}

// LastEvent implements store.IndexDriver.
func (d *Driver) LastEvent(_ context.Context, scope readapi.Scope) (store.Event, bool, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil && len(s.events) > 0 {
		return copyEvent(s.events[len(s.events)-1]), true, nil
	}
	return store.Event{}, false, nil
}

// Close implements store.IndexDriver.
func (d *Driver) Close() error { return nil }

func copyArtifact(a store.Artifact) store.Artifact {
	a.Candidates = slices.Clone(a.Candidates)
	return a
}

func copyEvent(e store.Event) store.Event {
	e.Payload = bytes.Clone(e.Payload)
	return e
}
