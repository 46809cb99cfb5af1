package storetest

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func breaksOfKeeping() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"Versions": func(d *brokenIndex) { // names are told apart without their case
			d.list = rows(func(a *store.Artifact) {
				if a.Name == "A" {
					a.Version = 3
				}
			})
		},
		"Again": func(d *brokenIndex) { // what is there needs a lease, too
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				if b.Again && b.Holder == "" {
					return nil, readapi.CodeBusy
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"AgainOther": func(d *brokenIndex) { // the bytes alone decide
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				b.Artifacts = slices.Clone(b.Artifacts)
				for i, a := range b.Artifacts {
					was, _, _ := d.IndexDriver.Artifacts(ctx, s, []readapi.ArtifactID{a.ID})
					if b.Again && len(was) == 1 {
						b.Artifacts[i].Name = was[0].Name
					}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"Upload": func(d *brokenIndex) {
			d.upload = func(_ string, u store.Upload, ok bool) (store.Upload, bool) {
				u.Begin = strings.TrimSuffix(u.Begin, " 1")
				return u, ok
			}
		},
		"UploadConflict": func(d *brokenIndex) { // the first beginning wins
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				b.Uploads = slices.Clone(b.Uploads)
				for i, u := range b.Uploads {
					if was, ok, _ := d.IndexDriver.Upload(ctx, s, u.ID); ok {
						b.Uploads[i].Begin = was.Begin
					}
				}
				return d.IndexDriver.Append(ctx, s, b)
			}
		},
		"UploadGoes": func(d *brokenIndex) { // the second of an artifact stays
			d.upload = func(id string, u store.Upload, ok bool) (store.Upload, bool) { return u, ok || id == "u3" }
		},
		"UploadPages": func(d *brokenIndex) {
			d.uploadAfter = func(after string) string { return strings.TrimSuffix(after, "9") }
		},
		"Purge": func(d *brokenIndex) { // the row as it was before
			d.purge = func(a store.Artifact, ok bool, err error) (store.Artifact, bool, error) {
				a.Purging = false
				return a, ok, err
			}
		},
		"PurgeAbsent": func(d *brokenIndex) {
			d.purge = func(a store.Artifact, ok bool, err error) (store.Artifact, bool, error) {
				if !ok && err == nil {
					err = readapi.CodeNotFound
				}
				return a, ok, err
			}
		},
		"Drop": func(d *brokenIndex) { // it is still found by its id
			var dropped []store.Artifact
			d.drop = func(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
				dropped, _, _ = d.IndexDriver.Artifacts(ctx, s, []readapi.ArtifactID{id})
				err := d.IndexDriver.DropArtifact(ctx, s, id)
				dropped = append(dropped, store.Artifact{ID: id})
				return err
			}
			d.find = func(rows []store.Artifact) []store.Artifact { return append(rows, dropped...) }
		},
		"DropOther": func(d *brokenIndex) { // what is deleted is dropped
			d.drop = func(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
				if list, _, _ := d.IndexDriver.Artifacts(ctx, s, []readapi.ArtifactID{id}); len(list) > 0 && list[0].Status == readapi.StatusDeleted {
					_, _, _ = d.IndexDriver.PurgeArtifact(ctx, s, id, at(9))
				}
				return d.IndexDriver.DropArtifact(ctx, s, id)
			}
		},
		"DropNumbers": func(d *brokenIndex) { // the numbers close up
			dropped := false
			d.drop = func(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
				dropped = true
				return d.IndexDriver.DropArtifact(ctx, s, id)
			}
			d.list = func(_ readapi.Scope, list []store.Artifact, g int64) ([]store.Artifact, int64) {
				for i := range list {
					if dropped {
						list[i].Seq = int64(i)
					}
				}
				return list, g
			}
		},
		"Purges": func(d *brokenIndex) { // the sessions come last
			d.purges = func(limit int, list []store.Purge) []store.Purge {
				if limit == 10 {
					slices.SortStableFunc(list, func(a, b store.Purge) int { return min(1, len(b.Artifact)) - min(1, len(a.Artifact)) })
				}
				return list
			}
		},
		"PurgesLimit": func(d *brokenIndex) { // one more than were asked for
			d.purges = func(limit int, list []store.Purge) []store.Purge {
				if limit == len(list) {
					list = append(list, store.Purge{})
				}
				return list
			}
		},
	}
}

func breaksOfSessions() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"SessionArchive": func(d *brokenIndex) { // once archived, always archived
			d.mark = func(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (store.Session, bool, error) {
				if c == store.UnarchiveSession {
					return d.IndexDriver.Session(ctx, s)
				}
				return d.IndexDriver.MarkSession(ctx, s, c, at)
			}
		},
		"SessionDelete": func(d *brokenIndex) { // the artifacts get the session's time, those too that were deleted before
			d.list = func(s readapi.Scope, list []store.Artifact, g int64) ([]store.Artifact, int64) {
				if now, _, _ := d.IndexDriver.Session(context.Background(), s); now.Deleted.Equal(at(5)) && !now.Purging {
					list = each(func(a *store.Artifact) { a.Deleted = now.Deleted })(list)
				}
				return list, g
			}
		},
		"SessionDeleteStays": func(d *brokenIndex) { // what is deleted is not archived any more
			d.sessions = func(q store.SessionQuery, list []store.Session) []store.Session {
				all, _ := d.IndexDriver.Sessions(context.Background(), "p1", store.SessionQuery{Archived: true, Deleted: true, Limit: 10})
				for _, s := range all {
					if s.Archived && !s.Deleted.IsZero() && q.Deleted && !q.Archived {
						list = append(list, s)
					}
				}
				return list
			}
		},
		"SessionGone": func(d *brokenIndex) { // what is known may come again
			d.appendRows = func(ctx context.Context, s readapi.Scope, b store.Batch) ([]int64, error) {
				seqs, err := d.IndexDriver.Append(ctx, s, b)
				if readapi.CodeOf(err) == readapi.CodeGone && b.Again {
					err = nil
				}
				return seqs, err
			}
		},
		"SessionPurge": func(d *brokenIndex) { // it is listed among the deleted
			d.sessions = func(q store.SessionQuery, list []store.Session) []store.Session {
				all, _ := d.IndexDriver.ScanSessions(context.Background(), readapi.Scope{}, 10)
				for _, s := range all {
					if s.Purging && q.Deleted {
						list = append(list, s)
					}
				}
				return list
			}
		},
		"SessionAbsent": func(d *brokenIndex) {
			d.mark = func(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (store.Session, bool, error) {
				v, ok, err := d.IndexDriver.MarkSession(ctx, s, c, at)
				if !ok && err == nil {
					err = readapi.CodeNotFound
				}
				return v, ok, err
			}
		},
		"SessionDrop": func(d *brokenIndex) { // its uploads stay
			kept := map[string]store.Upload{}
			d.upload = func(id string, u store.Upload, ok bool) (store.Upload, bool) {
				was, dropped := kept[id]
				if !ok && dropped {
					return was, true
				}
				return u, ok
			}
			d.dropSession = func(ctx context.Context, s readapi.Scope) error {
				list, _ := d.IndexDriver.ScanUploads(ctx, s, "", 10)
				for _, u := range list {
					kept[u.ID] = u
				}
				return d.IndexDriver.DropSession(ctx, s)
			}
		},
		"SessionDropOther": func(d *brokenIndex) { // what is deleted is dropped
			d.dropSession = func(ctx context.Context, s readapi.Scope) error {
				if now, _, _ := d.IndexDriver.Session(ctx, s); !now.Deleted.IsZero() {
					_, _, _ = d.IndexDriver.MarkSession(ctx, s, store.PurgeSession, at(9))
				}
				return d.IndexDriver.DropSession(ctx, s)
			}
		},
	}
}

func breaksOfHosts() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"Hosts": func(d *brokenIndex) { // every host has what the set says
			d.decoders = func(s store.DecoderSet) store.DecoderSet {
				for i := range s.Hosts {
					s.Hosts[i].Decoders = s.Decoders
				}
				return s
			}
		},
		"HostHeartbeat": func(d *brokenIndex) { // every heartbeat counts
			d.putHost = func(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
				if ttl > brief {
					_ = d.IndexDriver.DropHost(ctx, h.ID)
				}
				return d.IndexDriver.PutHost(ctx, h, ttl)
			}
		},
		"HostOver": func(d *brokenIndex) { // the time alone decides
			d.decoders = func(s store.DecoderSet) store.DecoderSet {
				s.Hosts = slices.DeleteFunc(s.Hosts, func(h store.HostEntry) bool { return over(h.Until) })
				return s
			}
		},
		"HostReturns": func(d *brokenIndex) { // one that is late comes anew
			until := map[string]time.Time{}
			d.putHost = func(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
				if over(until[h.ID]) {
					_ = d.IndexDriver.DropHost(ctx, h.ID)
				}
				until[h.ID] = time.Now().Add(ttl)
				return d.IndexDriver.PutHost(ctx, h, ttl)
			}
		},
		"HostDropped": func(d *brokenIndex) { // one that is not there, too
			d.dropHost = func(ctx context.Context, id string) error {
				_, _ = d.IndexDriver.PutHost(ctx, store.HostEntry{ID: id}, long)
				return d.IndexDriver.DropHost(ctx, id)
			}
		},
		"Acquire": func(d *brokenIndex) { // names are told apart without their case
			d.acquire = func(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
				return d.IndexDriver.Acquire(ctx, strings.ToLower(name), holder, ttl)
			}
		},
		"AcquireOver": func(d *brokenIndex) { // who had it first has it always
			var first string
			d.acquire = func(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.Acquire(ctx, name, holder, ttl)
				if ttl == brief {
					first = holder
				}
				return ok || holder == first, err
			}
		},
		"AcquireRace": func(d *brokenIndex) {
			var c crowd
			d.acquire = func(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
				ok, err := d.IndexDriver.Acquire(ctx, name, holder, ttl)
				return ok || !c.enter(), err
			}
		},
		"Resign": func(d *brokenIndex) { // whoever resigns
			d.resign = func(ctx context.Context, name, _ string) error { return d.IndexDriver.Resign(ctx, name, "x") }
		},
	}
}

func breaksOfScans() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"ScanArtifacts": func(d *brokenIndex) {
			d.scan = func(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
				list, err := d.IndexDriver.ScanArtifacts(ctx, q)
				return each(func(a *store.Artifact) { a.Mismatch = false })(list), err
			}
		},
		"ScanPages": func(d *brokenIndex) { // skips the rest of a session
			d.scan = func(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
				list, err := d.IndexDriver.ScanArtifacts(ctx, q)
				return slices.DeleteFunc(list, func(a store.Artifact) bool { return q.After != nil && a.Scope == q.After.Scope }), err
			}
		},
		"ScanFilters": func(d *brokenIndex) { // up to the time, not before it
			d.scan = func(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
				if !q.CreatedBefore.IsZero() {
					q.CreatedBefore = q.CreatedBefore.Add(time.Millisecond)
				}
				return d.IndexDriver.ScanArtifacts(ctx, q)
			}
		},
		"ScanSessions": func(d *brokenIndex) {
			d.scanned = func(list []store.Session) []store.Session {
				return slices.DeleteFunc(list, func(s store.Session) bool { return s.Purging })
			}
		},
	}
}

func breaksOfLoads() map[string]func(d *brokenIndex) {
	return map[string]func(d *brokenIndex){
		"Load": func(d *brokenIndex) { // what is loaded is of one session
			d.load = func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
				s.Archived = s.Archived && s.ID == mine.Session
				return d.IndexDriver.Load(ctx, s, a, e, u)
			}
		},
		"LoadAgain": func(d *brokenIndex) { // the last row counts
			d.load = func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
				for _, n := range a {
					was, _, _ := d.IndexDriver.Artifacts(ctx, s.Scope(), []readapi.ArtifactID{n.ID})
					if len(was) == 1 && was[0].Name != n.Name {
						_, _, _ = d.IndexDriver.PurgeArtifact(ctx, s.Scope(), n.ID, at(1))
						_ = d.IndexDriver.DropArtifact(ctx, s.Scope(), n.ID)
					}
				}
				return d.IndexDriver.Load(ctx, s, a, e, u)
			}
		},
		"LoadNumbers": func(d *brokenIndex) { // versions begin anew
			d.list = rows(func(a *store.Artifact) {
				if a.ID == "new2" {
					a.Version = 1
				}
			})
		},
		"LoadSession": func(d *brokenIndex) { // the first counts
			d.load = func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
				if was, ok, _ := d.IndexDriver.Session(ctx, s.Scope()); ok && !s.Deleted.IsZero() {
					s = was
				}
				return d.IndexDriver.Load(ctx, s, a, e, u)
			}
		},
		"LoadIntoDeleted": func(d *brokenIndex) { // what is loaded is not of the session's state
			d.artifacts = rows(func(a *store.Artifact) {
				if a.ID == "late0" || a.ID == "late1" {
					a.Status, a.Deleted, a.Purging = readapi.StatusLive, time.Time{}, false
				}
			})
		},
		"LoadConflict": func(d *brokenIndex) { // what has no place is left out
			d.load = func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
				_ = d.IndexDriver.Load(ctx, s, a, e, u)
				return nil
			}
		},
		"LoadUsage": func(d *brokenIndex) { // every load counts
			loads := int64(0)
			d.load = func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
				err := d.IndexDriver.Load(ctx, s, a, e, u)
				if err == nil {
					loads++
				}
				return err
			}
			d.usage = func(own, total store.Usage) (store.Usage, store.Usage) {
				if loads > 1 && own.Files > 0 {
					own.Files *= loads
				}
				return own, total
			}
		},
	}
}
