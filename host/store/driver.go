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

	// Stat returns the size of a blob and when it was last committed; errors as of Open.
	Stat(ctx context.Context, sha256 string) (BlobInfo, error)

	// Remove deletes a blob; one that is not there is no error. What is not a regular file, a link too, is corrupt and stays.
	Remove(ctx context.Context, sha256 string) error

	// List yields every blob, in no order.
	List(ctx context.Context) iter.Seq2[BlobInfo, error]

	Close() error
}

// BatchDriver is what a BlobDriver may be besides: it commits several blobs in one step, and waits less for the place than one after another
// would.
type BatchDriver interface {
	// CommitAll does for each of writers, which are its own and are finished, what Commit does; digests names them in the same order. The
	// same digest may be there more than once. After an error each blob is there whole or not at all, and none is promised.
	CommitAll(writers []BlobWriter, digests []string) error
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
	// already is replaced by the same bytes, which renews its time of commit and mends it if it was damaged; only where the place itself
	// says that they are the same may it stay as it is, and its time. A write that failed leaves nothing under the name, but for one case:
	// where only the last step failed, that makes the name durable, the whole bytes may be there. Taking the name away again would take it
	// from another writer of the same bytes who has succeeded.
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
	// Append commits the batch in one step, and makes the session if it is new: all of it or nothing. It returns the events' numbers in the
	// transcript. An event id that the session has with the same payload is not appended again and keeps its number; with another payload
	// it is conflict. An artifact id that the session has is conflict, unless Again says otherwise, and so is the id of an upload, unless it
	// is the same one. A deleted session is gone. Where more than one is wrong, gone comes first, then conflict, busy, quota_exceeded.
	//
	// A new artifact may have been deleted, as a copy of such a one is.
	//
	// An artifact with bytes needs a lease of Holder on them that nobody's ClaimBlob has ended: else it is busy, because the bytes may be
	// gone. The leases of Holder end with the step. A quota that would not hold is quota_exceeded with the limit's name, which is the
	// field's: session_files, session_bytes, principal_files, principal_bytes, total_bytes.
	Append(ctx context.Context, scope readapi.Scope, b Batch) (seqs []int64, err error)

	// Artifacts returns the rows of scope among ids, in no order and each once, and the generation of the decoder set, as of one moment.
	Artifacts(ctx context.Context, scope readapi.Scope, ids []readapi.ArtifactID) (rows []Artifact, generation int64, err error)

	// ListArtifacts returns up to limit rows of scope whose Seq is above after, by rising Seq, and the generation.
	ListArtifacts(ctx context.Context, scope readapi.Scope, after int64, limit int) (rows []Artifact, generation int64, err error)

	// FindArtifacts returns the rows with this id in whatever scope: for audit only.
	FindArtifacts(ctx context.Context, id readapi.ArtifactID) ([]Artifact, error)

	// DeleteArtifact marks a live artifact of scope deleted at the given time. It returns the row as it is afterwards; ok is false when
	// scope has no such row. One that was deleted before stays as it was.
	DeleteArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error)

	// PurgeArtifact marks an artifact of scope deleted, if it is not yet, and being purged. ok is false when scope has no such row.
	PurgeArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID, at time.Time) (row Artifact, ok bool, err error)

	// DropArtifact removes the row of an artifact that is being purged, and its upload; one that is not there, or is not being purged, is
	// left as it is.
	DropArtifact(ctx context.Context, scope readapi.Scope, id readapi.ArtifactID) error

	// Upload returns a finished upload; ok is false when scope has none of this id.
	Upload(ctx context.Context, scope readapi.Scope, id string) (u Upload, ok bool, err error)

	// Sessions returns sessions of a principal; one that is being purged is not among them.
	Sessions(ctx context.Context, principal readapi.PrincipalID, q SessionQuery) ([]Session, error)

	// MarkSession changes a session and returns it as it is afterwards; ok is false when there is none. A deleted session can only be
	// purged; another change leaves it as it is.
	MarkSession(ctx context.Context, scope readapi.Scope, change SessionChange, at time.Time) (s Session, ok bool, err error)

	// DropSession removes all rows of a session that is being purged; another one is left as it is.
	DropSession(ctx context.Context, scope readapi.Scope) error

	// Purges returns up to limit removals that were begun and have not ended, the sessions first.
	Purges(ctx context.Context, limit int) ([]Purge, error)

	// Usage returns how much a principal keeps, and all together.
	Usage(ctx context.Context, principal readapi.PrincipalID) (own, total Usage, err error)

	// Session returns one session, also one that is deleted; ok is false when there is none.
	Session(ctx context.Context, scope readapi.Scope) (s Session, ok bool, err error)

	// Events returns up to limit events of scope whose Seq is above after, by rising Seq.
	Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]Event, error)

	// Event returns one event by id; ok is false when scope has none.
	Event(ctx context.Context, scope readapi.Scope, id string) (e Event, ok bool, err error)

	// LastEvent returns the event of scope with the highest Seq; ok is false when there is none.
	LastEvent(ctx context.Context, scope readapi.Scope) (e Event, ok bool, err error)

	// Decoders returns the decoder set and its hosts, as of one moment and whatever the time; Generation 0 when none was set.
	Decoders(ctx context.Context) (DecoderSet, error)

	// SetDecoders replaces the set if its generation still is was, and returns the new one; else it is conflict.
	SetDecoders(ctx context.Context, was int64, decoders []DecoderEntry) (DecoderSet, error)

	// PutHost says that a host is there, with these decoders, for as long as ttl, and forgets the hosts whose time is over. The generation
	// rises when a host came, went or has other decoders than before; it is returned. One that is late and was not forgotten has not gone.
	PutHost(ctx context.Context, host HostEntry, ttl time.Duration) (generation int64, err error)

	// DropHost forgets a host; the generation rises if it was there.
	DropHost(ctx context.Context, id string) error

	// LeaseBlobs keeps blobs from being removed for as long as ttl, in the name of holder, who may have leases on others. A blob that
	// somebody is removing just now is busy, and none is leased then. A claim whose time is over ends. Of a lease that holder has already,
	// the later end counts.
	LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error

	// EndLeases ends all leases of holder.
	EndLeases(ctx context.Context, holder string) error

	// ClaimBlob lets the caller remove a blob until ttl is over: ok only when no artifact names it but those that are being purged, no
	// lease on it is live, and nobody else has claimed it. Leases that are over end.
	ClaimBlob(ctx context.Context, sha256 string, ttl time.Duration) (ok bool, err error)

	// EndClaim ends a claim, once the blob is removed or is not to be.
	EndClaim(ctx context.Context, sha256 string) error

	// BlobUses says for each of the digests why it is kept, in no order; a digest that nothing keeps may be left out.
	BlobUses(ctx context.Context, digests []string) ([]BlobUse, error)

	// BlobNames returns up to limit digests that rows name, above after, in rising order, each once, whatever the status of the rows.
	BlobNames(ctx context.Context, after string, limit int) ([]string, error)

	// ScanArtifacts returns artifacts of all sessions.
	ScanArtifacts(ctx context.Context, q ArtifactScan) ([]Artifact, error)

	// ScanSessions returns up to limit sessions of all principals, whatever their state, behind after, in the order of principal and id.
	ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]Session, error)

	// ScanUploads returns up to limit uploads of scope whose id is above after, by rising id.
	ScanUploads(ctx context.Context, scope readapi.Scope, after string, limit int) ([]Upload, error)

	// Load puts rows of one session where they are not yet, exactly as they are (numbers, versions and times too), and makes the session
	// what s says, but that one which was deleted, or is being purged, stays so, and what is loaded into it is Session.Loaded; what is
	// appended later goes on behind them. A row whose number another one has is conflict, and then nothing is loaded. It asks for no lease
	// and no quota, and is for moving and restoring.
	Load(ctx context.Context, s Session, artifacts []Artifact, events []Event, uploads []Upload) error

	// Acquire takes or renews a lease on a name, for what one host at a time may do. ok is false while another holder has it.
	Acquire(ctx context.Context, name, holder string, ttl time.Duration) (ok bool, err error)

	// Resign ends a holder's lease on a name.
	Resign(ctx context.Context, name, holder string) error

	Close() error
}

// CacheDriver keeps answers that can be made again. Losing any of them, or all, changes nothing but time. It is safe for concurrent use,
// in this process and beside others. Keys are 64 characters of lower-case hex.
type CacheDriver interface {
	// Get returns a value; ok is false when there is none.
	Get(ctx context.Context, key string) (value []byte, ok bool, err error)

	// Put keeps a value until it is trimmed.
	Put(ctx context.Context, key string, value []byte) error

	// Trim removes the values that were not asked for the longest, until at most max bytes are left, and returns what is left.
	Trim(ctx context.Context, max int64) (left Usage, err error)

	Close() error
}
