package storetest

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// brokenKeep are the hooks of a brokenIndex that stand for a method, or change what it returns.
type brokenKeep struct {
	lease       func(ctx context.Context, holder string, digests []string, ttl time.Duration) error
	endLeases   func(ctx context.Context, holder string) error
	claim       func(ctx context.Context, sha256 string, ttl time.Duration) (bool, error)
	endClaim    func(ctx context.Context, sha256 string) error
	uses        func([]store.BlobUse) []store.BlobUse
	upload      func(id string, u store.Upload, ok bool) (store.Upload, bool)
	uploadAfter func(string) string
	purge       func(a store.Artifact, ok bool, err error) (store.Artifact, bool, error)
	drop        func(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error
	mark        func(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (store.Session, bool, error)
	dropSession func(ctx context.Context, s readapi.Scope) error
	purges      func(limit int, list []store.Purge) []store.Purge
	usage       func(own, total store.Usage) (store.Usage, store.Usage)
	putHost     func(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error)
	dropHost    func(ctx context.Context, id string) error
	acquire     func(ctx context.Context, name, holder string, ttl time.Duration) (bool, error)
	resign      func(ctx context.Context, name, holder string) error
	scan        func(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error)
	scanned     func([]store.Session) []store.Session
	load        func(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error
}

func (d *brokenIndex) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	if d.lease != nil {
		return d.lease(ctx, holder, digests, ttl)
	}
	return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
}

func (d *brokenIndex) EndLeases(ctx context.Context, holder string) error {
	if d.endLeases != nil {
		return d.endLeases(ctx, holder)
	}
	return d.IndexDriver.EndLeases(ctx, holder)
}

func (d *brokenIndex) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (bool, error) {
	if d.claim != nil {
		return d.claim(ctx, sha256, ttl)
	}
	return d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
}

func (d *brokenIndex) EndClaim(ctx context.Context, sha256 string) error {
	if d.endClaim != nil {
		return d.endClaim(ctx, sha256)
	}
	return d.IndexDriver.EndClaim(ctx, sha256)
}

func (d *brokenIndex) BlobUses(ctx context.Context, digests []string) ([]store.BlobUse, error) {
	list, err := d.IndexDriver.BlobUses(ctx, digests)
	if d.uses != nil {
		list = d.uses(list)
	}
	return list, err
}

func (d *brokenIndex) Upload(ctx context.Context, s readapi.Scope, id string) (store.Upload, bool, error) {
	u, ok, err := d.IndexDriver.Upload(ctx, s, id)
	if s, again := d.scope("Upload", s, !ok); again {
		u, ok, err = d.IndexDriver.Upload(ctx, s, id)
	}
	if d.upload != nil {
		u, ok = d.upload(id, u, ok)
	}
	return u, ok, err
}

func (d *brokenIndex) ScanUploads(ctx context.Context, s readapi.Scope, after string, limit int) ([]store.Upload, error) {
	if d.uploadAfter != nil {
		after = d.uploadAfter(after)
	}
	list, err := d.IndexDriver.ScanUploads(ctx, s, after, limit)
	if s, again := d.scope("ScanUploads", s, len(list) == 0); again {
		list, err = d.IndexDriver.ScanUploads(ctx, s, after, limit)
	}
	return list, err
}

func (d *brokenIndex) PurgeArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID, at time.Time) (store.Artifact, bool, error) {
	a, ok, err := d.IndexDriver.PurgeArtifact(ctx, s, id, at)
	if s, again := d.scope("PurgeArtifact", s, !ok); again {
		a, ok, err = d.IndexDriver.PurgeArtifact(ctx, s, id, at)
	}
	if d.purge != nil {
		return d.purge(a, ok, err)
	}
	return a, ok, err
}

func (d *brokenIndex) DropArtifact(ctx context.Context, s readapi.Scope, id readapi.ArtifactID) error {
	if s, too := d.scope("DropArtifact", s, true); too {
		_ = d.IndexDriver.DropArtifact(ctx, s, id)
	}
	if d.drop != nil {
		return d.drop(ctx, s, id)
	}
	return d.IndexDriver.DropArtifact(ctx, s, id)
}

func (d *brokenIndex) MarkSession(ctx context.Context, s readapi.Scope, c store.SessionChange, at time.Time) (store.Session, bool, error) {
	if d.mark != nil {
		return d.mark(ctx, s, c, at)
	}
	v, ok, err := d.IndexDriver.MarkSession(ctx, s, c, at)
	if s, again := d.scope("MarkSession", s, !ok); again {
		v, ok, err = d.IndexDriver.MarkSession(ctx, s, c, at)
	}
	return v, ok, err
}

func (d *brokenIndex) DropSession(ctx context.Context, s readapi.Scope) error {
	if s, too := d.scope("DropSession", s, true); too {
		_ = d.IndexDriver.DropSession(ctx, s)
	}
	if d.dropSession != nil {
		return d.dropSession(ctx, s)
	}
	return d.IndexDriver.DropSession(ctx, s)
}

func (d *brokenIndex) Purges(ctx context.Context, limit int) ([]store.Purge, error) {
	list, err := d.IndexDriver.Purges(ctx, limit)
	if d.purges != nil {
		list = d.purges(limit, list)
	}
	return list, err
}

func (d *brokenIndex) Usage(ctx context.Context, p readapi.PrincipalID) (own, total store.Usage, err error) {
	own, total, err = d.IndexDriver.Usage(ctx, p)
	if d.usage != nil {
		own, total = d.usage(own, total)
	}
	return own, total, err
}

func (d *brokenIndex) PutHost(ctx context.Context, h store.HostEntry, ttl time.Duration) (int64, error) {
	if d.putHost != nil {
		return d.putHost(ctx, h, ttl)
	}
	return d.IndexDriver.PutHost(ctx, h, ttl)
}

func (d *brokenIndex) DropHost(ctx context.Context, id string) error {
	if d.dropHost != nil {
		return d.dropHost(ctx, id)
	}
	return d.IndexDriver.DropHost(ctx, id)
}

func (d *brokenIndex) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (bool, error) {
	if d.acquire != nil {
		return d.acquire(ctx, name, holder, ttl)
	}
	return d.IndexDriver.Acquire(ctx, name, holder, ttl)
}

func (d *brokenIndex) Resign(ctx context.Context, name, holder string) error {
	if d.resign != nil {
		return d.resign(ctx, name, holder)
	}
	return d.IndexDriver.Resign(ctx, name, holder)
}

func (d *brokenIndex) ScanArtifacts(ctx context.Context, q store.ArtifactScan) ([]store.Artifact, error) {
	if d.scan != nil {
		return d.scan(ctx, q)
	}
	return d.IndexDriver.ScanArtifacts(ctx, q)
}

func (d *brokenIndex) ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]store.Session, error) {
	list, err := d.IndexDriver.ScanSessions(ctx, after, limit)
	if d.scanned != nil {
		list = d.scanned(list)
	}
	return list, err
}

func (d *brokenIndex) Load(ctx context.Context, s store.Session, a []store.Artifact, e []store.Event, u []store.Upload) error {
	if d.load != nil {
		return d.load(ctx, s, a, e, u)
	}
	return d.IndexDriver.Load(ctx, s, a, e, u)
}
