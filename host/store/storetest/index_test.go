package storetest

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// brokenIndex is a sound driver, but for the methods that a hook replaces. Every read goes through one of the map functions.
type brokenIndex struct {
	store.IndexDriver
	appendRows  func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error)
	artifacts   func(s readapi.Scope, rows []store.Artifact, g int64) ([]store.Artifact, int64)
	ask         func(ids []readapi.ArtifactID) []readapi.ArtifactID
	list        func(s readapi.Scope, rows []store.Artifact, g int64) ([]store.Artifact, int64)
	listAfter   func(int64) int64
	find        func([]store.Artifact) []store.Artifact
	deleted     func(at time.Time, a store.Artifact, ok bool, err error) (store.Artifact, bool, error)
	sessions    func(q store.SessionQuery, list []store.Session) []store.Session
	session     func(s store.Session, ok bool) (store.Session, bool)
	events      func([]store.Event) []store.Event
	eventsAfter func(int64) int64
	event       func(e store.Event) store.Event
	last        func(e store.Event, ok bool, err error) (store.Event, bool, error)
	decoders    func(store.DecoderSet) store.DecoderSet
	set         func(ctx context.Context, was int64, list []store.DecoderEntry) (store.DecoderSet, error)
	blobs       func([]string) []string
	brokenKeep

	// What a method looks at instead, when the scope that it is asked for has nothing.
	instead map[string]func(readapi.Scope) readapi.Scope
}

func (d *brokenIndex) scope(method string, s readapi.Scope, empty bool) (readapi.Scope, bool) {
	f := d.instead[method]
	if f == nil || !empty {
		return s, false
	}
	return f(s), true
}

func (d *brokenIndex) Append(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
	if d.appendRows != nil {
		return d.appendRows(ctx, s, b)
	}
	return d.IndexDriver.Append(ctx, s, b)
}

func (d *brokenIndex) Artifacts(ctx context.Context, s readapi.Scope, ids []readapi.ArtifactID) ([]store.Artifact, int64, error) {
	if d.ask != nil {
		ids = d.ask(ids)
	}
	rows, g, err := d.IndexDriver.Artifacts(ctx, s, ids)
	if s, again := d.scope("Artifacts", s, len(rows) == 0); again {
		rows, g, err = d.IndexDriver.Artifacts(ctx, s, ids)
	}
	if d.artifacts != nil {
		rows, g = d.artifacts(s, rows, g)
	}
	return rows, g, err
}

func (d *brokenIndex) ListArtifacts(ctx context.Context, s readapi.Scope, after int64, limit int) ([]store.Artifact, int64, error) {
	if d.listAfter != nil {
		after = d.listAfter(after)
	}
	rows, g, err := d.IndexDriver.ListArtifacts(ctx, s, after, limit)
	if s, again := d.scope("ListArtifacts", s, len(rows) == 0); again {
		rows, g, err = d.IndexDriver.ListArtifacts(ctx, s, after, limit)
	}
	if d.list != nil {
		rows, g = d.list(s, rows, g)
	}
	return rows, g, err
}

func (d *brokenIndex) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]store.Artifact, error) {
	rows, err := d.IndexDriver.FindArtifacts(ctx, id)
	if d.find != nil {
		rows = d.find(rows)
	}
	return rows, err
}

func (d *brokenIndex) DeleteArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (store.Artifact, bool, error) {
	a, ok, err := d.IndexDriver.DeleteArtifact(ctx, s, id, at)
	if s, again := d.scope("DeleteArtifact", s, !ok); again {
		a, ok, err = d.IndexDriver.DeleteArtifact(ctx, s, id, at)
	}
	if d.deleted != nil {
		return d.deleted(at, a, ok, err)
	}
	return a, ok, err
}

func (d *brokenIndex) Sessions(ctx context.Context, p readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	list, err := d.IndexDriver.Sessions(ctx, p, q)
	if s, again := d.scope("Sessions", readapi.Scope{Principal: p}, len(list) == 0); again {
		list, err = d.IndexDriver.Sessions(ctx, s.Principal, q)
	}
	if d.sessions != nil {
		list = d.sessions(q, list)
	}
	return list, err
}

func (d *brokenIndex) Session(ctx context.Context, s readapi.Scope) (store.Session, bool, error) {
	v, ok, err := d.IndexDriver.Session(ctx, s)
	if s, again := d.scope("Session", s, !ok); again {
		v, ok, err = d.IndexDriver.Session(ctx, s)
	}
	if d.session != nil {
		v, ok = d.session(v, ok)
	}
	return v, ok, err
}

func (d *brokenIndex) Events(ctx context.Context, s readapi.Scope, after int64, limit int) ([]store.Event, error) {
	if d.eventsAfter != nil {
		after = d.eventsAfter(after)
	}
	list, err := d.IndexDriver.Events(ctx, s, after, limit)
	if s, again := d.scope("Events", s, len(list) == 0); again {
		list, err = d.IndexDriver.Events(ctx, s, after, limit)
	}
	if d.events != nil {
		list = d.events(list)
	}
	return list, err
}

func (d *brokenIndex) Event(ctx context.Context, s readapi.Scope, id string) (store.Event, bool, error) {
	e, ok, err := d.IndexDriver.Event(ctx, s, id)
	if s, again := d.scope("Event", s, !ok); again {
		e, ok, err = d.IndexDriver.Event(ctx, s, id)
	}
	if d.event != nil && ok {
		e = d.event(e)
	}
	return e, ok, err
}

func (d *brokenIndex) LastEvent(ctx context.Context, s readapi.Scope) (store.Event, bool, error) {
	e, ok, err := d.IndexDriver.LastEvent(ctx, s)
	if s, again := d.scope("LastEvent", s, !ok); again {
		e, ok, err = d.IndexDriver.LastEvent(ctx, s)
	}
	if d.last != nil {
		return d.last(e, ok, err)
	}
	return e, ok, err
}

func (d *brokenIndex) Decoders(ctx context.Context) (store.DecoderSet, error) {
	set, err := d.IndexDriver.Decoders(ctx)
	if d.decoders != nil {
		set = d.decoders(set)
	}
	return set, err
}

func (d *brokenIndex) SetDecoders(ctx context.Context, was int64, list []store.DecoderEntry) (store.DecoderSet, error) {
	if d.set != nil {
		return d.set(ctx, was, list)
	}
	return d.IndexDriver.SetDecoders(ctx, was, list)
}

func (d *brokenIndex) BlobNames(ctx context.Context, after string, limit int) ([]string, error) {
	list, err := d.IndexDriver.BlobNames(ctx, after, limit)
	if d.blobs != nil {
		list = d.blobs(list)
	}
	return list, err
}

// crowd tells whether callers are inside at the same time, and waits a while for another to come.
type crowd struct{ inside, seen atomic.Int64 }

func (c *crowd) enter() (alone bool) {
	n := c.inside.Add(1)
	defer c.inside.Add(-1)
	was := c.seen.Add(1)
	for range 2000 {
		if n > 1 || c.seen.Load() != was {
			return false
		}
		runtime.Gosched()
	}
	return true
}

func each[V any](f func(*V)) func([]V) []V {
	return func(list []V) []V {
		for i := range list {
			f(&list[i])
		}
		return list
	}
}

func rows(f func(*store.Artifact)) func(readapi.Scope, []store.Artifact, int64) ([]store.Artifact, int64) {
	return func(_ readapi.Scope, list []store.Artifact, g int64) ([]store.Artifact, int64) {
		return each(f)(list), g
	}
}

func soundIndex() IndexHarness {
	return IndexHarness{
		New:    func(T) store.IndexDriver { return memindex.New() },
		Reopen: func(_ T, d store.IndexDriver) store.IndexDriver { return d },
		Beside: func(_ T, d store.IndexDriver) store.IndexDriver { return d },
	}
}

func TestIndexMutants(t *testing.T) {
	var mutants []mutant[IndexHarness]
	for of, b := range indexBreaks() {
		h := soundIndex()
		h.New = func(T) store.IndexDriver {
			d := &brokenIndex{IndexDriver: memindex.New()}
			b(d)
			return d
		}
		mutants = append(mutants, mutant[IndexHarness]{of, h})
	}
	forgets, apart := soundIndex(), soundIndex()
	forgets.Reopen = func(T, store.IndexDriver) store.IndexDriver { return memindex.New() }
	apart.Beside = func(T, store.IndexDriver) store.IndexDriver { return memindex.New() }
	mutants = append(mutants, mutant[IndexHarness]{"Reopen", forgets}, mutant[IndexHarness]{"Beside", apart})
	runMutants(t, indexCases(), soundIndex(), mutants)
}

// indexBreaks breaks a driver in one way each, by the case that must catch it.
func indexBreaks() map[string]func(d *brokenIndex) {
	breaks := map[string]func(d *brokenIndex){
		"Artifact": func(d *brokenIndex) { d.artifacts = rows(func(a *store.Artifact) { a.Mismatch = false }) },
		"ArtifactList": func(d *brokenIndex) {
			d.list = rows(func(a *store.Artifact) {
				if a.Version == 1 {
					a.Declared = ""
				}
			})
		},
		"Event": func(d *brokenIndex) {
			d.events = each(func(e *store.Event) { e.Turn = strings.TrimSuffix(e.Turn, " 1") })
		},
		"Text": func(d *brokenIndex) {
			d.artifacts = rows(func(a *store.Artifact) { a.Name = strings.TrimSpace(a.Name) })
		},
		"Times": func(d *brokenIndex) {
			d.event = func(e store.Event) store.Event { e.Time = e.Time.Truncate(time.Second); return e }
		},
		"Large": func(d *brokenIndex) {
			d.event = func(e store.Event) store.Event { e.Payload = e.Payload[:min(len(e.Payload), 64<<10)]; return e }
		},
		"ManyIDs": func(d *brokenIndex) {
			d.ask = func(ids []readapi.ArtifactID) []readapi.ArtifactID { return ids[:min(len(ids), 500)] }
		},
		"Ownership": func(d *brokenIndex) {
			var kept *store.DecoderSet
			d.decoders = func(s store.DecoderSet) store.DecoderSet {
				if len(s.Hosts) > 0 {
					return s
				}
				if kept == nil || kept.Generation != s.Generation {
					kept = &s
				}
				return *kept
			}
		},
		"Absent": func(d *brokenIndex) {
			d.last = func(e store.Event, ok bool, err error) (store.Event, bool, error) {
				if !ok && err == nil {
					err = readapi.CodeNotFound
				}
				return e, ok, err
			}
		},
		"Find": func(d *brokenIndex) {
			d.find = func(rows []store.Artifact) []store.Artifact { return rows[:min(1, len(rows))] }
		},
		"ArtifactPages": func(d *brokenIndex) { d.listAfter = func(n int64) int64 { return max(n-1, -1) } },
		"EventPages":    func(d *brokenIndex) { d.eventsAfter = func(n int64) int64 { return max(n-1, -1) } },
		"SessionOrder": func(d *brokenIndex) {
			d.sessions = func(q store.SessionQuery, list []store.Session) []store.Session {
				if q.Limit == 100 { // a page is in order, but for the ties
					slices.SortFunc(list, func(a, b store.Session) int {
						if c := b.Updated.Compare(a.Updated); c != 0 {
							return c
						}
						return strings.Compare(string(b.ID), string(a.ID))
					})
				}
				return list
			}
		},
		"SessionPages": func(d *brokenIndex) { // skips the rest of a tie
			d.sessions = func(q store.SessionQuery, list []store.Session) []store.Session {
				return slices.DeleteFunc(list, func(s store.Session) bool { return q.After != nil && s.Updated.Equal(q.After.Updated) })
			}
		},
		"BlobNames": func(d *brokenIndex) {
			d.blobs = func(l []string) []string { return append(l, l[max(0, len(l)-1):]...) }
		},
		"Generation": func(d *brokenIndex) {
			d.artifacts = func(_ readapi.Scope, rows []store.Artifact, g int64) ([]store.Artifact, int64) {
				return rows, g * int64(min(1, len(rows)))
			}
		},
		"Decoders": func(d *brokenIndex) {
			d.decoders = func(s store.DecoderSet) store.DecoderSet {
				slices.SortFunc(s.Decoders, func(a, b store.DecoderEntry) int { return strings.Compare(a.Name, b.Name) })
				return s
			}
		},
	}
	for _, more := range []map[string]func(d *brokenIndex){breaksOfChanges(), breaksOfLeases(), breaksOfClaims(), breaksOfQuotas(), breaksOfKeeping(), breaksOfSessions(),
		breaksOfHosts(), breaksOfScans(), breaksOfLoads()} {
		maps.Copy(breaks, more)
	}
	for _, name := range []string{"Artifacts", "ListArtifacts", "DeleteArtifact", "Session", "Events", "Event", "LastEvent", "Sessions",
		"PurgeArtifact", "DropArtifact", "Upload", "ScanUploads", "MarkSession", "DropSession"} {
		breaks["ForeignPrincipal"+name] = func(d *brokenIndex) {
			d.instead = map[string]func(readapi.Scope) readapi.Scope{name: func(s readapi.Scope) readapi.Scope { s.Principal = mine.Principal; return s }}
		}
		if name != "Sessions" {
			breaks["ForeignSession"+name] = func(d *brokenIndex) {
				d.instead = map[string]func(readapi.Scope) readapi.Scope{name: func(s readapi.Scope) readapi.Scope { s.Session = mine.Session; return s }}
			}
		}
	}
	return breaks
}

// breaksOfChanges are those of what a driver changes.
func breaksOfChanges() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"Numbers": func(d *brokenIndex) { // of what is returned
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				return each(func(n *int64) { *n++ })(seqs), err
			}
		},
		"AllOrNothing": func(d *brokenIndex) { // the events stay where an artifact fails
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				if err != nil && len(b.Artifacts) > 2 {
					_, _ = d.IndexDriver.Append(ctx, s, store.Batch{Events: b.Events})
				}
				return seqs, err
			}
		},
		"ArtifactConflict": func(d *brokenIndex) { // an id that comes twice is taken once
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if b.Again {
					return d.IndexDriver.Append(ctx, s, b)
				}
				b.Artifacts = slices.CompactFunc(slices.Clone(b.Artifacts), func(a, b store.Artifact) bool { return a.ID == b.ID })
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"ArrivesDeleted": func(d *brokenIndex) { // a new artifact is live, whatever it says
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				b.Artifacts = slices.Clone(b.Artifacts)
				for i := range b.Artifacts {
					b.Artifacts[i].Status, b.Artifacts[i].Deleted = readapi.StatusLive, time.Time{}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"EventConflict": func(d *brokenIndex) { // the first payload wins
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				b.Events = slices.Clone(b.Events)
				for i, e := range b.Events {
					if was, ok, _ := d.IndexDriver.Event(ctx, s, e.ID); ok {
						b.Events[i].Payload = was.Payload
					}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"Idempotent": func(d *brokenIndex) { // the number of an event that was there is one too high
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				last, ok, _ := d.IndexDriver.LastEvent(ctx, s)
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				return each(func(n *int64) {
					if ok && *n < last.Seq {
						*n++
					}
				})(seqs), err
			}
		},
		"SameIDs": func(d *brokenIndex) { // the id of an event is unique in the principal
			taken := map[string]readapi.Scope{}
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				for _, e := range b.Events {
					if string(e.Payload) == `{"id":"`+e.ID+`"}` {
						continue
					}
					if was, ok := taken[e.ID]; ok && was != s {
						return nil, readapi.CodeConflict
					}
					taken[e.ID] = s
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"CaseMatters": func(d *brokenIndex) {
			d.ask = func(ids []readapi.ArtifactID) []readapi.ArtifactID {
				return each(func(id *readapi.ArtifactID) {
					if *id == "ab" {
						*id = "aB"
					}
				})(slices.Clone(ids))
			}
		},
		"Delete": func(d *brokenIndex) { // the row as it was before
			d.deleted = func(_ time.Time, a store.Artifact, ok bool, err error) (store.Artifact, bool, error) {
				a.Status = readapi.StatusLive
				return a, ok, err
			}
		},
		"DeleteTwice": func(d *brokenIndex) {
			d.deleted = func(at time.Time, a store.Artifact, ok bool, err error) (store.Artifact, bool, error) {
				a.Deleted = at
				return a, ok, err
			}
		},
		"DeleteAbsent": func(d *brokenIndex) {
			d.deleted = func(_ time.Time, a store.Artifact, ok bool, err error) (store.Artifact, bool, error) {
				if !ok && err == nil {
					err = readapi.CodeNotFound
				}
				return a, ok, err
			}
		},
		"SessionFields": func(d *brokenIndex) { // every event counts as a message
			d.session = func(s store.Session, ok bool) (store.Session, bool) {
				if list, _ := d.IndexDriver.Events(context.Background(), mine, -1, 10); ok && s.ID == mine.Session && len(list) == 4 {
					s.Messages = int64(len(list))
				}
				return s, ok
			}
		},
		"SessionOfArtifacts": func(d *brokenIndex) { // a session without an event is none
			d.session = func(s store.Session, ok bool) (store.Session, bool) { return s, ok && s.Messages > 0 }
		},
		"DecodersConflict": func(d *brokenIndex) { // a generation from the future is taken as the current one
			d.set = func(ctx context.Context, was int64, list []store.DecoderEntry) (store.DecoderSet, error) {
				set, _ := d.IndexDriver.Decoders(ctx)
				return d.IndexDriver.SetDecoders(ctx, min(was, set.Generation), list)
			}
		},
		"DecodersRace": func(d *brokenIndex) { // looks first and changes afterwards
			var c crowd
			d.set = func(ctx context.Context, was int64, list []store.DecoderEntry) (store.DecoderSet, error) {
				set, err := d.IndexDriver.SetDecoders(ctx, was, list)
				if err != nil && !c.enter() {
					return set, nil
				}
				return set, err
			}
		},
		"ConcurrentAppend": func(d *brokenIndex) { // fails where another one writes
			var c crowd
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if s == mine && !c.enter() {
					return nil, readapi.CodeBusy
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
	}
}
