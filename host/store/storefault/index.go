package storefault

import (
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Index returns d with every call but Close under the plan.
func Index(d store.IndexDriver, p *Plan) store.IndexDriver { return index{d, p} }

type index struct {
	store.IndexDriver
	plan *Plan
}

// Sweep implements store.Sweeper, where the driver does.
func (d index) Sweep(ctx context.Context, before time.Time) (n int, err error) {
	return sweep(ctx, d.plan, "Index.Sweep", d.IndexDriver, before)
}

// Inspect implements store.Inspector, where the driver does.
func (d index) Inspect(ctx context.Context, mend bool) iter.Seq2[store.Oddity, error] {
	return inspect(ctx, d.plan, "Index.Inspect", d.IndexDriver, mend)
}

// Recount implements store.Recounter, where the driver does; every index of ours does.
func (d index) Recount(ctx context.Context, scope readapi.Scope) error {
	return d.plan.step("Recount", func() error {
		if r, ok := d.IndexDriver.(store.Recounter); ok {
			return r.Recount(ctx, scope)
		}
		return nil
	})
}

func (d index) Append(ctx context.Context, scope readapi.Scope, b store.Batch) (seqs []int64, err error) {
	err = d.plan.step("Append", func() (err error) { seqs, err = d.IndexDriver.Append(ctx, scope, b); return err })
	return seqs, err
}

func (d index) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows []store.Artifact, generation int64, err error) {
	err = d.plan.step("Artifacts", func() (err error) { rows, generation, err = d.IndexDriver.Artifacts(ctx, scope, ids); return err })
	return rows, generation, err
}

func (d index) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (rows []store.Artifact, generation int64, err error) {
	err = d.plan.step("ListArtifacts", func() (err error) {
		rows, generation, err = d.IndexDriver.ListArtifacts(ctx, scope, after, limit)
		return err
	})
	return rows, generation, err
}

func (d index) FindArtifacts(ctx context.Context, id readapi.ArtifactID) (out []store.Artifact, err error) {
	err = d.plan.step("FindArtifacts", func() (err error) { out, err = d.IndexDriver.FindArtifacts(ctx, id); return err })
	return out, err
}

func (d index) DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = d.plan.step("DeleteArtifact", func() (err error) { row, ok, err = d.IndexDriver.DeleteArtifact(ctx, scope, id, at); return err })
	return row, ok, err
}

func (d index) PurgeArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row store.Artifact, ok bool, err error) {
	err = d.plan.step("PurgeArtifact", func() (err error) { row, ok, err = d.IndexDriver.PurgeArtifact(ctx, scope, id, at); return err })
	return row, ok, err
}

func (d index) DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error {
	return d.plan.step("DropArtifact", func() error { return d.IndexDriver.DropArtifact(ctx, scope, id) })
}

func (d index) Upload(ctx context.Context, scope readapi.Scope, id string) (u store.Upload, ok bool, err error) {
	err = d.plan.step("Upload", func() (err error) { u, ok, err = d.IndexDriver.Upload(ctx, scope, id); return err })
	return u, ok, err
}

func (d index) Sessions(ctx context.Context, principal readapi.PrincipalID, q store.SessionQuery) (out []store.Session, err error) {
	err = d.plan.step("Sessions", func() (err error) { out, err = d.IndexDriver.Sessions(ctx, principal, q); return err })
	return out, err
}

func (d index) MarkSession(ctx context.Context, scope readapi.Scope, change store.SessionChange, at time.Time) (s store.Session, ok bool, err error) {
	err = d.plan.step("MarkSession", func() (err error) { s, ok, err = d.IndexDriver.MarkSession(ctx, scope, change, at); return err })
	return s, ok, err
}

func (d index) DropSession(ctx context.Context, scope readapi.Scope) error {
	return d.plan.step("DropSession", func() error { return d.IndexDriver.DropSession(ctx, scope) })
}

func (d index) Purges(ctx context.Context, limit int) (out []store.Purge, err error) {
	err = d.plan.step("Purges", func() (err error) { out, err = d.IndexDriver.Purges(ctx, limit); return err })
	return out, err
}

func (d index) Usage(ctx context.Context, principal readapi.PrincipalID) (own, total store.Usage, err error) {
	err = d.plan.step("Usage", func() (err error) { own, total, err = d.IndexDriver.Usage(ctx, principal); return err })
	return own, total, err
}

func (d index) Session(ctx context.Context, scope readapi.Scope) (s store.Session, ok bool, err error) {
	err = d.plan.step("Session", func() (err error) { s, ok, err = d.IndexDriver.Session(ctx, scope); return err })
	return s, ok, err
}

func (d index) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) (out []store.Event, err error) {
	err = d.plan.step("Events", func() (err error) { out, err = d.IndexDriver.Events(ctx, scope, after, limit); return err })
	return out, err
}

func (d index) Event(ctx context.Context, scope readapi.Scope, id string) (e store.Event, ok bool, err error) {
	err = d.plan.step("Event", func() (err error) { e, ok, err = d.IndexDriver.Event(ctx, scope, id); return err })
	return e, ok, err
}

func (d index) LastEvent(ctx context.Context, scope readapi.Scope) (e store.Event, ok bool, err error) {
	err = d.plan.step("LastEvent", func() (err error) { e, ok, err = d.IndexDriver.LastEvent(ctx, scope); return err })
	return e, ok, err
}

func (d index) Decoders(ctx context.Context) (out store.DecoderSet, err error) {
	err = d.plan.step("Decoders", func() (err error) { out, err = d.IndexDriver.Decoders(ctx); return err })
	return out, err
}

func (d index) SetDecoders(ctx context.Context, was int64, decoders []store.DecoderEntry) (out store.DecoderSet, err error) {
	err = d.plan.step("SetDecoders", func() (err error) { out, err = d.IndexDriver.SetDecoders(ctx, was, decoders); return err })
	return out, err
}

func (d index) PutHost(ctx context.Context, host store.HostEntry, ttl time.Duration) (generation int64, err error) {
	err = d.plan.step("PutHost", func() (err error) { generation, err = d.IndexDriver.PutHost(ctx, host, ttl); return err })
	return generation, err
}

func (d index) DropHost(ctx context.Context, id string) error {
	return d.plan.step("DropHost", func() error { return d.IndexDriver.DropHost(ctx, id) })
}

func (d index) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error {
	return d.plan.step("LeaseBlobs", func() error { return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl) })
}

func (d index) EndLeases(ctx context.Context, holder string) error {
	return d.plan.step("EndLeases", func() error { return d.IndexDriver.EndLeases(ctx, holder) })
}

func (d index) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error) {
	err = d.plan.step("ClaimBlob", func() (err error) { ok, err = d.IndexDriver.ClaimBlob(ctx, sha256, ttl); return err })
	return ok, err
}

func (d index) EndClaim(ctx context.Context, sha256 string) error {
	return d.plan.step("EndClaim", func() error { return d.IndexDriver.EndClaim(ctx, sha256) })
}

func (d index) BlobUses(ctx context.Context, digests []string) (out []store.BlobUse, err error) {
	err = d.plan.step("BlobUses", func() (err error) { out, err = d.IndexDriver.BlobUses(ctx, digests); return err })
	return out, err
}

func (d index) BlobNames(ctx context.Context, after string, limit int) (out []string, err error) {
	err = d.plan.step("BlobNames", func() (err error) { out, err = d.IndexDriver.BlobNames(ctx, after, limit); return err })
	return out, err
}

func (d index) ScanArtifacts(ctx context.Context, q store.ArtifactScan) (out []store.Artifact, err error) {
	err = d.plan.step("ScanArtifacts", func() (err error) { out, err = d.IndexDriver.ScanArtifacts(ctx, q); return err })
	return out, err
}

func (d index) ScanSessions(ctx context.Context, after readapi.Scope, limit int) (out []store.Session, err error) {
	err = d.plan.step("ScanSessions", func() (err error) { out, err = d.IndexDriver.ScanSessions(ctx, after, limit); return err })
	return out, err
}

func (d index) ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) (out []store.Upload, err error) {
	err = d.plan.step("ScanUploads", func() (err error) { out, err = d.IndexDriver.ScanUploads(ctx, scope, after, limit); return err })
	return out, err
}

func (d index) Load(ctx context.Context, s store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) error {
	return d.plan.step("Load", func() error { return d.IndexDriver.Load(ctx, s, artifacts, events, uploads) })
}

func (d index) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (ok bool, err error) {
	err = d.plan.step("Acquire", func() (err error) { ok, err = d.IndexDriver.Acquire(ctx, name, holder, ttl); return err })
	return ok, err
}

func (d index) Resign(ctx context.Context, name, holder string) error {
	return d.plan.step("Resign", func() error { return d.IndexDriver.Resign(ctx, name, holder) })
}
