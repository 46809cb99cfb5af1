package retain_test

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// steps counts what a keeper asks of its drivers, and fails some of it.
type steps struct {
	mu     sync.Mutex
	n      int
	names  []string
	at     int  // the step that fails, from 1; 0: none
	dead   bool // and every one behind it, as when the process died
	before bool // the step fails before it does anything; else it is done and its answer is lost
	lease  time.Duration
	kill   func() // ends the process at the step, instead of an error
}

var errStep = errors.New("this step failed")

// step does f unless it is to fail.
func (s *steps) step(name string, f func() error) error {
	s.mu.Lock()
	s.n++
	s.names = append(s.names, name)
	fails := s.n == s.at || s.dead && s.at > 0 && s.n > s.at
	done := s.n == s.at && !s.before
	s.mu.Unlock()
	if !fails {
		return f()
	}
	if done {
		_ = f()
	}
	if s.kill != nil {
		s.kill()
	}
	return errStep
}

// faultyIndex is an index driver whose writes and reads go through steps.
type faultyIndex struct {
	store.IndexDriver
	*steps
}

func (d faultyIndex) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error) {
	if d.lease > 0 {
		ttl = d.lease
	}
	err = d.step("ClaimBlob", func() (err error) { ok, err = d.IndexDriver.ClaimBlob(ctx, sha256, ttl); return err })
	return ok && err == nil, err
}

func (d faultyIndex) EndClaim(ctx context.Context, sha256 string) error {
	return d.step("EndClaim", func() error { return d.IndexDriver.EndClaim(ctx, sha256) })
}

func (d faultyIndex) DropArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
	return d.step("DropArtifact", func() error { return d.IndexDriver.DropArtifact(ctx, s, id) })
}

func (d faultyIndex) DropSession(ctx context.Context, s readapi.Scope) error {
	return d.step("DropSession", func() error { return d.IndexDriver.DropSession(ctx, s) })
}

func (d faultyIndex) DeleteArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = d.step("DeleteArtifact", func() (err error) { row, ok, err = d.IndexDriver.DeleteArtifact(ctx, s, id, at); return err })
	return row, ok, err
}

func (d faultyIndex) PurgeArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = d.step("PurgeArtifact", func() (err error) { row, ok, err = d.IndexDriver.PurgeArtifact(ctx, s, id, at); return err })
	return row, ok, err
}

func (d faultyIndex) MarkSession(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (row store.Session, ok bool, err error) {
	err = d.step("MarkSession", func() (err error) { row, ok, err = d.IndexDriver.MarkSession(ctx, s, c, at); return err })
	return row, ok, err
}

func (d faultyIndex) Artifacts(ctx context.Context, s readapi.Scope, ids []readapi.ArtifactID) (rows []store.Artifact, g int64, err error) {
	err = d.step("Artifacts", func() (err error) { rows, g, err = d.IndexDriver.Artifacts(ctx, s, ids); return err })
	return rows, g, err
}

func (d faultyIndex) ListArtifacts(ctx context.Context, s readapi.Scope, after int64, limit int) (rows []store.Artifact, g int64, err error) {
	err = d.step("ListArtifacts", func() (err error) { rows, g, err = d.IndexDriver.ListArtifacts(ctx, s, after, limit); return err })
	return rows, g, err
}

func (d faultyIndex) Session(ctx context.Context, s readapi.Scope) (row store.Session, ok bool, err error) {
	err = d.step("Session", func() (err error) { row, ok, err = d.IndexDriver.Session(ctx, s); return err })
	return row, ok, err
}

func (d faultyIndex) Purges(ctx context.Context, limit int) (list []store.Purge, err error) {
	err = d.step("Purges", func() (err error) { list, err = d.IndexDriver.Purges(ctx, limit); return err })
	return list, err
}

func (d faultyIndex) BlobUses(ctx context.Context, digests []string) (list []store.BlobUse, err error) {
	err = d.step("BlobUses", func() (err error) { list, err = d.IndexDriver.BlobUses(ctx, digests); return err })
	return list, err
}

func (d faultyIndex) ScanArtifacts(ctx context.Context, q store.ArtifactScan) (list []store.Artifact, err error) {
	err = d.step("ScanArtifacts", func() (err error) { list, err = d.IndexDriver.ScanArtifacts(ctx, q); return err })
	return list, err
}

func (d faultyIndex) ScanSessions(ctx context.Context, after readapi.Scope, limit int) (list []store.Session, err error) {
	err = d.step("ScanSessions", func() (err error) { list, err = d.IndexDriver.ScanSessions(ctx, after, limit); return err })
	return list, err
}

func (d faultyIndex) Usage(ctx context.Context, p readapi.PrincipalID) (own, all store.Usage, err error) {
	err = d.step("Usage", func() (err error) { own, all, err = d.IndexDriver.Usage(ctx, p); return err })
	return own, all, err
}

func (d faultyIndex) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (ok bool, err error) {
	if d.lease > 0 {
		ttl = d.lease
	}
	err = d.step("Acquire", func() (err error) { ok, err = d.IndexDriver.Acquire(ctx, name, holder, ttl); return err })
	return ok, err
}

func (d faultyIndex) Resign(ctx context.Context, name, holder string) error {
	return d.step("Resign", func() error { return d.IndexDriver.Resign(ctx, name, holder) })
}

// faultyBlobs is a blob driver whose calls go through steps.
type faultyBlobs struct {
	store.BlobDriver
	*steps
}

func (d faultyBlobs) Remove(ctx context.Context, sha256 string) error {
	return d.step("Remove", func() error { return d.BlobDriver.Remove(ctx, sha256) })
}

func (d faultyBlobs) Stat(ctx context.Context, sha256 string) (info store.BlobInfo, err error) {
	err = d.step("Stat", func() (err error) { info, err = d.BlobDriver.Stat(ctx, sha256); return err })
	return info, err
}

func (d faultyBlobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		for info, err := range d.BlobDriver.List(ctx) {
			if err == nil {
				err = d.step("List", func() error { return nil })
			}
			if !yield(info, err) {
				return
			}
		}
	}
}

// hooked calls back around steps of the removal, and may leave one out.
type hookedIndex struct {
	store.IndexDriver
	beforeClaim func(sha256 string)
	noClaim     bool // says that it has claimed, and has not
}

func (d *hookedIndex) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
	if d.beforeClaim != nil {
		d.beforeClaim(sha256)
	}
	if d.noClaim {
		return true, nil
	}
	return d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
}

type hookedBlobs struct {
	store.BlobDriver
	beforeRemove func(sha256 string)
	stat         func(store.BlobInfo) store.BlobInfo // what Stat says
	list         func(store.BlobInfo) store.BlobInfo // what List says
}

func (d *hookedBlobs) Remove(ctx context.Context, sha256 string) error {
	if d.beforeRemove != nil {
		d.beforeRemove(sha256)
	}
	return d.BlobDriver.Remove(ctx, sha256)
}

func (d *hookedBlobs) Stat(ctx context.Context, sha256 string) (store.BlobInfo, error) {
	info, err := d.BlobDriver.Stat(ctx, sha256)
	if err == nil && d.stat != nil {
		info = d.stat(info)
	}
	return info, err
}

func (d *hookedBlobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		for info, err := range d.BlobDriver.List(ctx) {
			if err == nil && d.list != nil {
				info = d.list(info)
			}
			if !yield(info, err) {
				return
			}
		}
	}
}
