package store

import (
	"context"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Index keeps the rows: artifacts, sessions, events and the decoder set. It checks what goes in, and gives every error its code. It is
// safe for concurrent use. What its methods do is said at IndexDriver.
type Index struct {
	driver IndexDriver
}

// NewIndex returns the index of a driver, which it closes.
func NewIndex(driver IndexDriver) (*Index, error) { panic("todo") }

// Append commits artifacts and events of one session, all or nothing. Errors: invalid_request, conflict, busy, quota_exceeded,
// capability_unavailable, corrupt.
func (x *Index) Append(ctx context.Context, scope readapi.Scope, artifacts []Artifact, events []Event) ([]int64, error) {
	panic("todo")
}

// Artifacts returns the rows of scope among ids by id, and the generation of the decoder set, as of one moment.
func (x *Index) Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows map[readapi.ArtifactID]Artifact, generation int64, err error) {
	panic("todo")
}

// ListArtifacts returns up to limit rows of scope behind the Seq after (-1: from the start), and the generation.
func (x *Index) ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (rows []Artifact, generation int64, err error) {
	panic("todo")
}

// FindArtifacts returns the rows with this id in whatever scope: for audit only.
func (x *Index) FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]Artifact, error) {
	panic("todo")
}

// DeleteArtifact marks an artifact deleted; ok is false when scope has none.
func (x *Index) DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error) {
	panic("todo")
}

// Sessions returns sessions of a principal, newest first.
func (x *Index) Sessions(ctx context.Context, principal readapi.PrincipalID, q SessionQuery) ([]Session, error) {
	panic("todo")
}

// Session returns one session; ok is false when there is none.
func (x *Index) Session(ctx context.Context, scope readapi.Scope) (s Session, ok bool, err error) {
	panic("todo")
}

// Events returns up to limit events of scope behind the Seq after (-1: from the start).
func (x *Index) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]Event, error) {
	panic("todo")
}

// Event returns one event by id; ok is false when scope has none.
func (x *Index) Event(ctx context.Context, scope readapi.Scope, id string) (e Event, ok bool, err error) {
	panic("todo")
}

// LastEvent returns the newest event of scope; ok is false when there is none.
func (x *Index) LastEvent(ctx context.Context, scope readapi.Scope) (e Event, ok bool, err error) {
	panic("todo")
}

// Decoders returns the decoder set.
func (x *Index) Decoders(ctx context.Context) (DecoderSet, error) { panic("todo") }

// SetDecoders replaces the decoder set if its generation still is was; else it is conflict.
func (x *Index) SetDecoders(ctx context.Context, was int64, decoders []DecoderEntry) (DecoderSet, error) {
	panic("todo")
}

// BlobNames returns digests that rows name, in rising order, behind after.
func (x *Index) BlobNames(ctx context.Context, after string, limit int) ([]string, error) {
	panic("todo")
}

// Close closes the driver.
func (x *Index) Close() error { panic("todo") }
