package memindex

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// DeleteArtifact implements store.IndexDriver.
func (d *Driver) DeleteArtifact(_ context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	return d.mark(scope, id, func(a *store.Artifact) { deleteRow(a, at) })
}

// PurgeArtifact implements store.IndexDriver.
func (d *Driver) PurgeArtifact(_ context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	return d.mark(scope, id, func(a *store.Artifact) {
		deleteRow(a, at)
		a.Purging = true
	})
}

func deleteRow(a *store.Artifact, at time.Time) {
	if a.Status == readapi.StatusLive {
		a.Status, a.Deleted = readapi.StatusDeleted, at
	}
}

func (d *Driver) mark(scope readapi.Scope, id readapi.ArtifactID, change func(*store.Artifact)) (row store.Artifact, ok bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		return store.Artifact{}, false, nil
	}
	i := s.find(id)
	if i < 0 {
		return store.Artifact{}, false, nil
	}
	change(&s.artifacts[i])
	return copyArtifact(s.artifacts[i]), true, nil
}

// DropArtifact implements store.IndexDriver.
func (d *Driver) DropArtifact(_ context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		return nil
	}
	i := s.find(id)
	if i < 0 || !s.artifacts[i].Purging {
		return nil
	}
	if a := s.artifacts[i]; a.Blob != "" {
		s.info.Files--
		s.info.Bytes -= a.Bytes
	}
	s.artifacts = slices.Delete(s.artifacts, i, i+1)
	maps.DeleteFunc(s.uploads, func(_ string, u store.Upload) bool { return u.Artifact == id })
	return nil
}

// Upload implements store.IndexDriver.
func (d *Driver) Upload(_ context.Context, scope readapi.Scope, id string) (u store.Upload, ok bool, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	if s := d.sessions[scope]; s != nil {
		u, ok = s.uploads[id]
	}
	return u, ok, nil
}

// MarkSession implements store.IndexDriver.
func (d *Driver) MarkSession(_ context.Context, scope readapi.Scope, change store.SessionChange, at time.Time) (store.Session, bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[scope]
	if s == nil {
		return store.Session{}, false, nil
	}
	deleted := !s.info.Deleted.IsZero()
	switch change {
	case store.ArchiveSession, store.UnarchiveSession:
		if !deleted {
			s.info.Archived = change == store.ArchiveSession
		}
	case store.DeleteSession, store.PurgeSession:
		if !deleted {
			s.info.Deleted = at
		}
		for i := range s.artifacts {
			deleteRow(&s.artifacts[i], at)
			s.artifacts[i].Purging = s.artifacts[i].Purging || change == store.PurgeSession
		}
		s.info.Purging = s.info.Purging || change == store.PurgeSession
	}
	return s.info, true, nil
}

// DropSession implements store.IndexDriver.
func (d *Driver) DropSession(_ context.Context, scope readapi.Scope) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[scope]; s != nil && s.info.Purging {
		delete(d.sessions, scope)
	}
	return nil
}

// Purges implements store.IndexDriver.
func (d *Driver) Purges(_ context.Context, limit int) (list []store.Purge, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for scope, s := range d.sessions {
		if s.info.Purging {
			list = append(list, store.Purge{Scope: scope})
			continue
		}
		for _, a := range s.artifacts {
			if a.Purging {
				list = append(list, store.Purge{Scope: scope, Artifact: a.ID})
			}
		}
	}
	slices.SortFunc(list, func(a, b store.Purge) int {
		return cmp.Or(cmp.Compare(min(1, len(a.Artifact)), min(1, len(b.Artifact))), compareScope(a.Scope, b.Scope), cmp.Compare(a.Artifact, b.Artifact))
	})
	return list[:min(len(list), limit)], nil
}

func compareScope(a, b readapi.Scope) int {
	return cmp.Or(cmp.Compare(a.Principal, b.Principal), cmp.Compare(a.Session, b.Session))
}

// Usage implements store.IndexDriver.
func (d *Driver) Usage(_ context.Context, principal readapi.PrincipalID) (own, total store.Usage, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	own, total = d.usage(principal)
	return own, total, nil
}

func (d *Driver) usage(principal readapi.PrincipalID) (own, total store.Usage) {
	for scope, s := range d.sessions {
		total.Files, total.Bytes = total.Files+s.info.Files, total.Bytes+s.info.Bytes
		if scope.Principal == principal {
			own.Files, own.Bytes = own.Files+s.info.Files, own.Bytes+s.info.Bytes
		}
	}
	return own, total
}

// LeaseBlobs implements store.IndexDriver.
func (d *Driver) LeaseBlobs(_ context.Context, holder string, digests []string, ttl time.Duration) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	for _, digest := range digests {
		if d.claims[digest].After(now) {
			return &readapi.Error{Code: readapi.CodeBusy, Detail: "the same bytes are being removed just now", RetryAfter: time.Second}
		}
	}
	for _, digest := range digests {
		delete(d.claims, digest)
		if was := d.leases[lease{holder, digest}]; was.Before(now.Add(ttl)) {
			d.leases[lease{holder, digest}] = now.Add(ttl)
		}
	}
	return nil
}

// EndLeases implements store.IndexDriver.
func (d *Driver) EndLeases(_ context.Context, holder string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endLeases(holder)
	return nil
}

func (d *Driver) endLeases(holder string) {
	maps.DeleteFunc(d.leases, func(l lease, _ time.Time) bool { return l.holder == holder })
}

// covered checks that the bytes of artifacts are still there.
func (d *Driver) covered(holder string, artifacts []store.Artifact) error {
	for _, a := range artifacts {
		_, leased := d.leases[lease{holder, a.Blob}]
		_, claimed := d.claims[a.Blob]
		if a.Blob != "" && (!leased || claimed) {
			return store.LeaseLost()
		}
	}
	return nil
}

// ClaimBlob implements store.IndexDriver.
func (d *Driver) ClaimBlob(_ context.Context, sha256 string, ttl time.Duration) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.now()
	u := d.use(sha256)
	if u.Rows > 0 || u.Lease.After(now) || u.Claim.After(now) {
		return false, nil
	}
	maps.DeleteFunc(d.leases, func(l lease, _ time.Time) bool { return l.sha256 == sha256 })
	d.claims[sha256] = now.Add(ttl)
	return true, nil
}

// EndClaim implements store.IndexDriver.
func (d *Driver) EndClaim(_ context.Context, sha256 string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.claims, sha256)
	return nil
}

// BlobUses implements store.IndexDriver.
func (d *Driver) BlobUses(_ context.Context, digests []string) (list []store.BlobUse, err error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	for _, digest := range digests {
		list = append(list, d.use(digest))
	}
	return list, nil
}

func (d *Driver) use(sha256 string) store.BlobUse {
	u := store.BlobUse{SHA256: sha256, Claim: d.claims[sha256].UTC()}
	for _, s := range d.sessions {
		for _, a := range s.artifacts {
			if a.Blob == sha256 && !a.Purging {
				u.Rows++
			}
		}
	}
	for l, until := range d.leases {
		if l.sha256 == sha256 && until.After(u.Lease) {
			u.Lease = until.UTC()
		}
	}
	return u
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

// ScanArtifacts implements store.IndexDriver.
func (d *Driver) ScanArtifacts(_ context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []store.Artifact
	for _, s := range d.sessions {
		for _, a := range s.artifacts {
			if (q.After == nil || compareRow(a, *q.After) > 0) && (q.Source == "" || a.Source == q.Source) &&
				(q.CreatedBefore.IsZero() || a.Created.Before(q.CreatedBefore)) &&
				(q.DeletedBefore.IsZero() || !a.Deleted.IsZero() && a.Deleted.Before(q.DeletedBefore)) {
				list = append(list, copyArtifact(a))
			}
		}
	}
	slices.SortFunc(list, compareRow)
	return list[:min(len(list), q.Limit)], nil
}

func compareRow(a, b store.Artifact) int {
	return cmp.Or(compareScope(a.Scope, b.Scope), cmp.Compare(a.ID, b.ID))
}

// ScanSessions implements store.IndexDriver.
func (d *Driver) ScanSessions(_ context.Context, after readapi.Scope, limit int) ([]store.Session, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []store.Session
	for scope, s := range d.sessions {
		if compareScope(scope, after) > 0 {
			list = append(list, s.info)
		}
	}
	slices.SortFunc(list, func(a, b store.Session) int { return compareScope(a.Scope(), b.Scope()) })
	return list[:min(len(list), limit)], nil
}

// ScanUploads implements store.IndexDriver.
func (d *Driver) ScanUploads(_ context.Context, scope readapi.Scope, after string, limit int) ([]store.Upload, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	var list []store.Upload
	if s := d.sessions[scope]; s != nil {
		for id, u := range s.uploads {
			if id > after {
				list = append(list, u)
			}
		}
	}
	slices.SortFunc(list, func(a, b store.Upload) int { return strings.Compare(a.ID, b.ID) })
	return list[:min(len(list), limit)], nil
}

// Load implements store.IndexDriver.
func (d *Driver) Load(_ context.Context, info store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.sessions[info.Scope()]
	if s == nil {
		s = newSession(info.Scope())
	}
	artifacts, events, ok := s.missing(artifacts, events)
	if !ok {
		return &readapi.Error{Code: readapi.CodeConflict, Detail: "the session has another row with the number of one that is loaded", Final: true}
	}
	d.sessions[info.Scope()] = s
	info.Files, info.Bytes = s.info.Files, s.info.Bytes
	info.Purging = info.Purging || s.info.Purging
	if info.Deleted.IsZero() {
		info.Deleted = s.info.Deleted
	}
	s.info = info
	for _, a := range info.Loaded(artifacts) {
		a.Scope = info.Scope()
		s.keep(a)
	}
	slices.SortFunc(s.artifacts, func(a, b store.Artifact) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range events {
		s.events = append(s.events, copyEvent(e))
	}
	slices.SortFunc(s.events, func(a, b store.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	for i, e := range s.events {
		s.eventByID[e.ID] = i
	}
	for _, u := range uploads {
		if _, ok := s.uploads[u.ID]; !ok {
			s.uploads[u.ID] = u
		}
	}
	return nil
}

// missing returns the rows that the session has not; ok is false when two have one number.
func (s *session) missing(artifacts []store.Artifact, events []store.Event) (as []store.Artifact, es []store.Event, ok bool) {
	places := map[int64]bool{}
	known := map[readapi.ArtifactID]bool{}
	for _, a := range s.artifacts {
		places[a.Seq], known[a.ID] = true, true
	}
	for _, a := range artifacts {
		if known[a.ID] {
			continue
		}
		if places[a.Seq] {
			return nil, nil, false
		}
		places[a.Seq], known[a.ID] = true, true
		as = append(as, a)
	}
	clear(places)
	had := map[string]bool{}
	for _, e := range s.events {
		places[e.Seq], had[e.ID] = true, true
	}
	for _, e := range events {
		if had[e.ID] {
			continue
		}
		if places[e.Seq] {
			return nil, nil, false
		}
		places[e.Seq], had[e.ID] = true, true
		es = append(es, e)
	}
	return as, es, true
}
