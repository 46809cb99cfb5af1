package transfer

import (
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// tap is what is asked before every call of a driver; its error is that of the call.
type tap func(call string) error

// tappedIndex is an index driver with a tap.
type tappedIndex struct {
	store.IndexDriver
	tap tap
}

func (d tappedIndex) Append(ctx context.Context, scope readapi.Scope, b store.Batch) (r0 []int64, err error) {
	if err = d.tap("Append"); err != nil {
		return
	}
	return d.IndexDriver.Append(ctx, scope, b)
}

func (d tappedIndex) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (r0 []store.Artifact, r1 int64, err error) {
	if err = d.tap("Artifacts"); err != nil {
		return
	}
	return d.IndexDriver.Artifacts(ctx, scope, ids)
}

func (d tappedIndex) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (r0 []store.Artifact, r1 int64, err error) {
	if err = d.tap("ListArtifacts"); err != nil {
		return
	}
	return d.IndexDriver.ListArtifacts(ctx, scope, after, limit)
}

func (d tappedIndex) FindArtifacts(ctx context.Context, id readapi.ArtifactID) (r0 []store.Artifact, err error) {
	if err = d.tap("FindArtifacts"); err != nil {
		return
	}
	return d.IndexDriver.FindArtifacts(ctx, id)
}

func (d tappedIndex) DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (r0 store.Artifact, r1 bool, err error) {
	if err = d.tap("DeleteArtifact"); err != nil {
		return
	}
	return d.IndexDriver.DeleteArtifact(ctx, scope, id, at)
}

func (d tappedIndex) PurgeArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (r0 store.Artifact, r1 bool, err error) {
	if err = d.tap("PurgeArtifact"); err != nil {
		return
	}
	return d.IndexDriver.PurgeArtifact(ctx, scope, id, at)
}

func (d tappedIndex) DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) (err error) {
	if err = d.tap("DropArtifact"); err != nil {
		return
	}
	return d.IndexDriver.DropArtifact(ctx, scope, id)
}

func (d tappedIndex) Upload(ctx context.Context, scope readapi.Scope, id string) (r0 store.Upload, r1 bool, err error) {
	if err = d.tap("Upload"); err != nil {
		return
	}
	return d.IndexDriver.Upload(ctx, scope, id)
}

func (d tappedIndex) Sessions(ctx context.Context, principal readapi.PrincipalID, q store.SessionQuery) (r0 []store.Session, err error) {
	if err = d.tap("Sessions"); err != nil {
		return
	}
	return d.IndexDriver.Sessions(ctx, principal, q)
}

func (d tappedIndex) MarkSession(ctx context.Context, scope readapi.Scope, change store.SessionChange, at time.Time) (r0 store.Session, r1 bool, err error) {
	if err = d.tap("MarkSession"); err != nil {
		return
	}
	return d.IndexDriver.MarkSession(ctx, scope, change, at)
}

func (d tappedIndex) DropSession(ctx context.Context, scope readapi.Scope) (err error) {
	if err = d.tap("DropSession"); err != nil {
		return
	}
	return d.IndexDriver.DropSession(ctx, scope)
}

func (d tappedIndex) Purges(ctx context.Context, limit int) (r0 []store.Purge, err error) {
	if err = d.tap("Purges"); err != nil {
		return
	}
	return d.IndexDriver.Purges(ctx, limit)
}

func (d tappedIndex) Usage(ctx context.Context, principal readapi.PrincipalID) (r0 store.Usage, r1 store.Usage, err error) {
	if err = d.tap("Usage"); err != nil {
		return
	}
	return d.IndexDriver.Usage(ctx, principal)
}

func (d tappedIndex) Session(ctx context.Context, scope readapi.Scope) (r0 store.Session, r1 bool, err error) {
	if err = d.tap("Session"); err != nil {
		return
	}
	return d.IndexDriver.Session(ctx, scope)
}

func (d tappedIndex) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) (r0 []store.Event, err error) {
	if err = d.tap("Events"); err != nil {
		return
	}
	return d.IndexDriver.Events(ctx, scope, after, limit)
}

func (d tappedIndex) Event(ctx context.Context, scope readapi.Scope, id string) (r0 store.Event, r1 bool, err error) {
	if err = d.tap("Event"); err != nil {
		return
	}
	return d.IndexDriver.Event(ctx, scope, id)
}

func (d tappedIndex) LastEvent(ctx context.Context, scope readapi.Scope) (r0 store.Event, r1 bool, err error) {
	if err = d.tap("LastEvent"); err != nil {
		return
	}
	return d.IndexDriver.LastEvent(ctx, scope)
}

func (d tappedIndex) Decoders(ctx context.Context) (r0 store.DecoderSet, err error) {
	if err = d.tap("Decoders"); err != nil {
		return
	}
	return d.IndexDriver.Decoders(ctx)
}

func (d tappedIndex) SetDecoders(ctx context.Context, was int64, decoders []store.DecoderEntry) (r0 store.DecoderSet, err error) {
	if err = d.tap("SetDecoders"); err != nil {
		return
	}
	return d.IndexDriver.SetDecoders(ctx, was, decoders)
}

func (d tappedIndex) PutHost(ctx context.Context, host store.HostEntry, ttl time.Duration) (r0 int64, err error) {
	if err = d.tap("PutHost"); err != nil {
		return
	}
	return d.IndexDriver.PutHost(ctx, host, ttl)
}

func (d tappedIndex) DropHost(ctx context.Context, id string) (err error) {
	if err = d.tap("DropHost"); err != nil {
		return
	}
	return d.IndexDriver.DropHost(ctx, id)
}

func (d tappedIndex) LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) (err error) {
	if err = d.tap("LeaseBlobs"); err != nil {
		return
	}
	return d.IndexDriver.LeaseBlobs(ctx, holder, digests, ttl)
}

func (d tappedIndex) EndLeases(ctx context.Context, holder string) (err error) {
	if err = d.tap("EndLeases"); err != nil {
		return
	}
	return d.IndexDriver.EndLeases(ctx, holder)
}

func (d tappedIndex) ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (r0 bool, err error) {
	if err = d.tap("ClaimBlob"); err != nil {
		return
	}
	return d.IndexDriver.ClaimBlob(ctx, sha256, ttl)
}

func (d tappedIndex) EndClaim(ctx context.Context, sha256 string) (err error) {
	if err = d.tap("EndClaim"); err != nil {
		return
	}
	return d.IndexDriver.EndClaim(ctx, sha256)
}

func (d tappedIndex) BlobUses(ctx context.Context, digests []string) (r0 []store.BlobUse, err error) {
	if err = d.tap("BlobUses"); err != nil {
		return
	}
	return d.IndexDriver.BlobUses(ctx, digests)
}

func (d tappedIndex) BlobNames(ctx context.Context, after string, limit int) (r0 []string, err error) {
	if err = d.tap("BlobNames"); err != nil {
		return
	}
	return d.IndexDriver.BlobNames(ctx, after, limit)
}

func (d tappedIndex) ScanArtifacts(ctx context.Context, q store.ArtifactScan) (r0 []store.Artifact, err error) {
	if err = d.tap("ScanArtifacts"); err != nil {
		return
	}
	return d.IndexDriver.ScanArtifacts(ctx, q)
}

func (d tappedIndex) ScanSessions(ctx context.Context, after readapi.Scope, limit int) (r0 []store.Session, err error) {
	if err = d.tap("ScanSessions"); err != nil {
		return
	}
	return d.IndexDriver.ScanSessions(ctx, after, limit)
}

func (d tappedIndex) ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) (r0 []store.Upload, err error) {
	if err = d.tap("ScanUploads"); err != nil {
		return
	}
	return d.IndexDriver.ScanUploads(ctx, scope, after, limit)
}

func (d tappedIndex) Load(ctx context.Context, s store.Session, artifacts []store.Artifact, events []store.Event, uploads []store.Upload) (err error) {
	if err = d.tap("Load"); err != nil {
		return
	}
	return d.IndexDriver.Load(ctx, s, artifacts, events, uploads)
}

func (d tappedIndex) Acquire(ctx context.Context, name, holder string, ttl time.Duration) (r0 bool, err error) {
	if err = d.tap("Acquire"); err != nil {
		return
	}
	return d.IndexDriver.Acquire(ctx, name, holder, ttl)
}

func (d tappedIndex) Resign(ctx context.Context, name, holder string) (err error) {
	if err = d.tap("Resign"); err != nil {
		return
	}
	return d.IndexDriver.Resign(ctx, name, holder)
}

// tappedBlobs is a blob driver with a tap.
type tappedBlobs struct {
	store.BlobDriver
	tap tap
}

func (d tappedBlobs) Create(ctx context.Context) (store.BlobWriter, error) {
	if err := d.tap("Create"); err != nil {
		return nil, err
	}
	w, err := d.BlobDriver.Create(ctx)
	return tappedWriter{w, d.tap}, err
}

func (d tappedBlobs) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	if err := d.tap("Open"); err != nil {
		return nil, err
	}
	return d.BlobDriver.Open(ctx, sha256)
}

func (d tappedBlobs) Stat(ctx context.Context, sha256 string) (store.BlobInfo, error) {
	if err := d.tap("Stat"); err != nil {
		return store.BlobInfo{}, err
	}
	return d.BlobDriver.Stat(ctx, sha256)
}

func (d tappedBlobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return d.BlobDriver.List(ctx)
}

type tappedWriter struct {
	store.BlobWriter
	tap tap
}

func (w tappedWriter) Write(p []byte) (int, error) {
	if err := w.tap("Write"); err != nil {
		return 0, err
	}
	return w.BlobWriter.Write(p)
}

func (w tappedWriter) Commit(sha256 string) error {
	if err := w.tap("Commit"); err != nil {
		return err
	}
	return w.BlobWriter.Commit(sha256)
}
