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
	mu       sync.RWMutex
	sessions map[readapi.Scope]*session
	decoders store.DecoderSet
}

type session struct {
	info      store.Session
	artifacts []store.Artifact // by Seq
	byID      map[readapi.ArtifactID]int
	events    []store.Event // by Seq
	eventByID map[string]int
}

// New returns an empty driver.
func New() *Driver { return &Driver{sessions: map[readapi.Scope]*session{}} }

// Append implements store.IndexDriver.
func (d *Driver) Append(_ context.Context, scope readapi.Scope, artifacts []store.Artifact, events []store.Event) ([]int64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		s = &session{info: store.Session{ID: scope.Session}, byID: map[readapi.ArtifactID]int{}, eventByID: map[string]int{}}
	}
	seqs, fresh, err := s.plan(artifacts, events)
	if err != nil {
		return nil, err
	}
	s.touch(artifacts, fresh)
	for _, a := range artifacts {
		a = copyArtifact(a)
		a.Seq = int64(len(s.artifacts))
		s.byID[a.ID] = len(s.artifacts)
		s.artifacts = append(s.artifacts, a)
	}
	for _, e := range fresh {
		e = copyEvent(e)
		s.eventByID[e.ID] = len(s.events)
		s.events = append(s.events, e)
	}
	d.sessions[scope] = s
	return seqs, nil
}

// plan numbers the events and finds those that are new, and changes nothing.
func (s *session) plan(artifacts []store.Artifact, events []store.Event) (seqs []int64, fresh []store.Event, err error) {
	ids := map[readapi.ArtifactID]bool{}
	for _, a := range artifacts {
		if _, ok := s.byID[a.ID]; ok || ids[a.ID] {
			return nil, nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has an artifact with this id", Final: true, Ref: string(a.ID)}
		}
		ids[a.ID] = true
	}
	next := int64(len(s.events))
	added := map[string]store.Event{}
	for _, e := range events {
		was, ok := added[e.ID]
		if i, old := s.eventByID[e.ID]; old {
			was, ok = s.events[i], true
		}
		switch {
		case !ok:
			e.Seq = next + int64(len(fresh))
			added[e.ID] = e
			fresh = append(fresh, e)
			was = e
		case !bytes.Equal(was.Payload, e.Payload):
			return nil, nil, &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another event with this id", Hint: "Give the event another id, or none.", Final: true}
		}
		seqs = append(seqs, was.Seq)
	}
	return seqs, fresh, nil
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
		seen := map[int]bool{}
		for _, id := range ids {
			if i, ok := s.byID[id]; ok && !seen[i] {
				seen[i] = true
				rows = append(rows, copyArtifact(s.artifacts[i]))
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
		for _, a := range page(s.artifacts, after, limit) {
			rows = append(rows, copyArtifact(a))
		}
	}
	return rows, d.decoders.Generation, nil
}

// page returns the rows behind the one with the number after; a row's number is its place.
func page[T any](rows []T, after int64, limit int) []T {
	from := min(max(after, -1), int64(len(rows))-1) + 1
	return rows[from:min(from+int64(limit), int64(len(rows)))]
}

// FindArtifacts implements store.IndexDriver.
func (d *Driver) FindArtifacts(_ context.Context, id readapi.ArtifactID) (rows []store.Artifact, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, s := range d.sessions {
		if i, ok := s.byID[id]; ok {
			rows = append(rows, copyArtifact(s.artifacts[i]))
		}
	}
	return rows, nil
}

// DeleteArtifact implements store.IndexDriver.
func (d *Driver) DeleteArtifact(_ context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		return store.Artifact{}, false, nil
	}
	i, ok := s.byID[id]
	if !ok {
		return store.Artifact{}, false, nil
	}
	if a := &s.artifacts[i]; a.Status == readapi.StatusLive {
		a.Status, a.Deleted = readapi.StatusDeleted, at
	}
	return copyArtifact(s.artifacts[i]), true, nil
}

// Sessions implements store.IndexDriver.
func (d *Driver) Sessions(_ context.Context, principal readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []store.Session
	for scope, s := range d.sessions {
		if scope.Principal == principal && (q.Archived || !s.info.Archived) && (q.After == nil || compare(s.info, *q.After) > 0) {
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
		for _, e := range page(s.events, after, limit) {
			list = append(list, copyEvent(e))
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

// Decoders implements store.IndexDriver.
func (d *Driver) Decoders(context.Context) (store.DecoderSet, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	return store.DecoderSet{Generation: d.decoders.Generation, Decoders: slices.Clone(d.decoders.Decoders)}, nil
}

// SetDecoders implements store.IndexDriver.
func (d *Driver) SetDecoders(_ context.Context, was int64, decoders []store.DecoderEntry) (store.DecoderSet, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.decoders.Generation != was {
		return store.DecoderSet{}, &readapi.Error{Code: readapi.CodeConflict, Detail: "the decoder set was changed meanwhile"}
	}
	d.decoders = store.DecoderSet{Generation: was + 1, Decoders: slices.Clone(decoders)}
	return store.DecoderSet{Generation: was + 1, Decoders: slices.Clone(decoders)}, nil
}

// BlobNames implements store.IndexDriver.
func (d *Driver) BlobNames(_ context.Context, after string, limit int) ([]string, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var names []string
	for _, s := range d.sessions {
		for _, a := range s.artifacts {
			if a.Blob > after {
				names = append(names, a.Blob)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return names[:min(len(names), limit)], nil
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
