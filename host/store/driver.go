package store

import (
	"context"
	"io"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// BlobDriver moves bytes. It knows nothing of sessions. Digests are 64 characters of lower-case hex, checked by the caller. It is safe for
// concurrent use, in this process and beside others that use the same place. An absent blob is fs.ErrNotExist.
type BlobDriver interface {
	// Create begins a blob whose digest is not known yet.
	Create(ctx context.Context) (BlobWriter, error)

	// Open returns the bytes of a blob. What is not a regular file, a link too, is an *readapi.Error with the code corrupt.
	Open(ctx context.Context, sha256 string) (BlobReader, error)

	// Remove deletes a blob; one that is not there is no error.
	Remove(ctx context.Context, sha256 string) error

	// List yields every blob, in no order.
	List(ctx context.Context) iter.Seq2[BlobInfo, error]

	Close() error
}

// BlobInfo is a stored blob and when it was last committed.
type BlobInfo struct {
	Blob
	Committed time.Time
}

// BlobWriter takes the bytes of one blob. Exactly one of Commit and Abort ends it; Abort after Commit does nothing.
type BlobWriter interface {
	io.Writer

	// Commit makes what was written durable and readable under sha256: after it returns nil, a crash cannot lose it. A blob that is there
	// already is replaced by the same bytes, which renews its time of commit and mends it if it was damaged. A write that failed leaves
	// nothing under the name, but for one case: where only the last step failed, that makes the name durable, the whole bytes may be
	// there. Taking the name away again would take it from another writer of the same bytes who has succeeded.
	Commit(sha256 string) error

	// Abort drops what was written.
	Abort() error
}

// BlobReader is an open blob. It stays readable while it is open, even if the blob is removed.
type BlobReader interface {
	io.ReaderAt
	Size() int64
	Close() error
}

// IndexDriver keeps rows. Every method answers for the scope or principal that it is given and for no other, within the one query, so
// that a foreign row costs what an absent one costs. It is safe for concurrent use, in this process and beside others on the same place.
//
// Arguments were checked by the caller: text is UTF-8 without NUL, times are whole milliseconds in UTC, limits are 1 to MaxPage. Rows that
// are returned are the caller's. Errors are *readapi.Error where the driver knows the code (busy, conflict, corrupt), else as they
// come from below.
type IndexDriver interface {
	// Append commits artifacts and events of one session in one step, and makes the session if it is new: all of it or nothing. It
	// returns the events' numbers in the transcript. An event id that the session has with the same payload is not appended again and
	// keeps its number; with another payload it is conflict. An artifact id that the session has is conflict.
	Append(ctx context.Context, scope readapi.Scope, artifacts []Artifact, events []Event) (seqs []int64, err error)

	// Artifacts returns the rows of scope among ids, in no order and each once, and the generation of the decoder set, as of one moment.
	Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows []Artifact, generation int64, err error)

	// ListArtifacts returns up to limit rows of scope whose Seq is above after, by rising Seq, and the generation.
	ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (rows []Artifact, generation int64, err error)

	// FindArtifacts returns the rows with this id in whatever scope: for audit only.
	FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]Artifact, error)

	// DeleteArtifact marks a live artifact of scope deleted at the given time. It returns the row as it is afterwards; ok is false when
	// scope has no such row. One that was deleted before stays as it was.
	DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error)

	// Sessions returns sessions of a principal.
	Sessions(ctx context.Context, principal readapi.PrincipalID, q SessionQuery) ([]Session, error)

	// Session returns one session; ok is false when there is none.
	Session(ctx context.Context, scope readapi.Scope) (s Session, ok bool, err error)

	// Events returns up to limit events of scope whose Seq is above after, by rising Seq.
	Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]Event, error)

	// Event returns one event by id; ok is false when scope has none.
	Event(ctx context.Context, scope readapi.Scope, id string) (e Event, ok bool, err error)

	// LastEvent returns the event of scope with the highest Seq; ok is false when there is none.
	LastEvent(ctx context.Context, scope readapi.Scope) (e Event, ok bool, err error)

	// Decoders returns the decoder set; Generation 0 when none was set.
	Decoders(ctx context.Context) (DecoderSet, error)

	// SetDecoders replaces the set if its generation still is was, and returns the new one; else it is conflict.
	SetDecoders(ctx context.Context, was int64, decoders []DecoderEntry) (DecoderSet, error)

	// BlobNames returns up to limit digests that rows name, above after, in rising order, each once, whatever the status of the rows.
	BlobNames(ctx context.Context, after string, limit int) ([]string, error)

	Close() error
}
