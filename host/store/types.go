package store

import (
	"encoding/json"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Source says how an artifact came into a session.
type Source string

// The sources.
const (
	SourceUserUpload      Source = "user_upload"
	SourceGenerated       Source = "generated" // by a model
	SourceCopy            Source = "copy"      // from another session of the principal
	SourceMemoryAddBase64 Source = "memory_add_base64"
	SourceResourceUpload  Source = "resource_upload"
	SourceMemoryAddURI    Source = "memory_add_uri" // a foreign URI: recorded, without bytes, never opened
)

// Valid reports whether s is one of the sources.
func (s Source) Valid() bool { return s == SourceMemoryAddURI || s.Readable() }

// Readable reports whether artifacts of this source have bytes of their own that may be read.
func (s Source) Readable() bool {
	switch s {
	case SourceUserUpload, SourceGenerated, SourceCopy, SourceMemoryAddBase64, SourceResourceUpload:
		return true
	}
	return false
}

// Artifact is a session's own record of a file: one row. What the file is was decided once, from its bytes, when it came.
type Artifact struct {
	Scope  readapi.Scope
	ID     readapi.ArtifactID // opaque and random: it says nothing about the content
	Seq    int64              // of the artifact in its session, from 0 in order of arrival; the store's to give
	Blob   string             // sha256, lower-case hex; "" only with SourceMemoryAddURI
	Bytes  int64
	Name   string // as readapi.FileName makes it
	Kind   readapi.Kind
	Source Source
	Status readapi.Status

	MediaType  readapi.MediaType
	Candidates []readapi.MediaType // what else the bytes might be, MediaType first
	Declared   readapi.MediaType   // what the sender or the name said
	Mismatch   bool                // the bytes say something else than Declared

	Version int64     // 1 for the first artifact of this name in its session, 2 for the next; the store's to give
	Created time.Time // to the millisecond, UTC
	Deleted time.Time // zero while it is live
	Purging bool      // its bytes and its row are being removed; it never opens again
}

// Event is one entry of a session's append-only ledger. Payload is JSON that package ledger reads; the other fields are taken from it, so
// that a driver can order and count without knowing the JSON.
type Event struct {
	Seq     int64  // 0-based index in the transcript; the store's to give
	ID      string // unique in its session
	Type    string
	Turn    string
	Time    time.Time // to the millisecond, UTC
	Message bool      // counts as a message: of the user or of the assistant
	Payload json.RawMessage
}

// Session describes one session. As long as it has no event, its times are those of its artifacts.
type Session struct {
	Principal readapi.PrincipalID
	ID        readapi.SessionID
	Messages  int64     // of the user and of the assistant
	Files     int64     // artifacts with bytes, deleted ones too until they are purged
	Bytes     int64     // of those
	Created   time.Time // of its earliest event
	Updated   time.Time // of its latest event
	Archived  bool
	Deleted   time.Time // zero while it is not deleted; a deleted session takes nothing more
	Purging   bool      // its bytes and its rows are being removed
}

// Scope says whose session it is.
func (s Session) Scope() readapi.Scope { return readapi.Scope{Principal: s.Principal, Session: s.ID} }

// SessionQuery selects sessions of a principal, newest first: by Updated falling, then by id rising.
type SessionQuery struct {
	Archived bool     // include the archived ones
	Deleted  bool     // include the deleted ones
	After    *Session // continue behind this one; nil: from the start
	Limit    int      // at most this many; never more than MaxPage
}

// SessionChange is what MarkSession does.
type SessionChange string

// The changes of a session. Deleting marks its live artifacts deleted too; purging does what deleting does and lets DropSession follow. What
// was deleted does not come back.
const (
	ArchiveSession   SessionChange = "archive"
	UnarchiveSession SessionChange = "unarchive"
	DeleteSession    SessionChange = "delete"
	PurgeSession     SessionChange = "purge"
)

// Batch is what one step adds to a session.
type Batch struct {
	Artifacts []Artifact
	Events    []Event
	Uploads   []Upload // that become artifacts of the batch

	Holder string // whose leases cover the bytes of Artifacts; they end with the step
	Quota  Quota  // what must hold afterwards
	Again  bool   // an artifact that the session has already, with the same bytes and the same name, is not added again
}

// Quota is how much may be kept; 0 is no limit. What is deleted counts until it is purged.
type Quota struct {
	SessionFiles   int64
	SessionBytes   int64
	PrincipalFiles int64
	PrincipalBytes int64
	TotalBytes     int64
}

// Valid reports whether no limit of q is negative.
func (q Quota) Valid() bool {
	return min(q.SessionFiles, q.SessionBytes, q.PrincipalFiles, q.PrincipalBytes, q.TotalBytes) >= 0
}

// Usage is how much is kept.
type Usage struct {
	Files int64
	Bytes int64
}

// Upload is a finished upload: asked for again, it answers with the same artifact. It goes with its artifact.
type Upload struct {
	ID       string // the sender's, 1 to 128 characters of [A-Za-z0-9_-], unique in the session
	Begin    string // digest of what the upload was begun with, so that another one under its id is told apart
	Artifact readapi.ArtifactID
}

// Purge is a removal that was begun: of one artifact, or of a whole session where Artifact is "".
type Purge struct {
	Scope    readapi.Scope
	Artifact readapi.ArtifactID
}

// ArtifactScan selects artifacts of all sessions, in the order of principal, session and id.
type ArtifactScan struct {
	After         *Artifact // continue behind this one; nil: from the start
	Limit         int       // at most this many; never more than MaxPage
	Source        Source    // "": of any
	CreatedBefore time.Time // zero: whenever
	DeletedBefore time.Time // only those that were deleted before; zero: all
}

// BlobUse says why a blob is kept.
type BlobUse struct {
	SHA256 string
	Rows   int64     // artifacts that name it and are not being purged, deleted ones too
	Lease  time.Time // when the last lease on it ends; zero: there is none
	Claim  time.Time // until when somebody is removing it; zero: nobody is
}

// HostEntry is a host of the store, as it last said of itself.
type HostEntry struct {
	ID       string
	Decoders []DecoderEntry // that it has loaded; Enabled says nothing here
	Until    time.Time      // when it may be forgotten unless it is heard from
}

// MaxPage is the most rows that one call returns.
const MaxPage = 1000

// DecoderSet says which decoders every host of the store uses, in the order in which they are asked. It is a row of the store, so that it
// survives a restart and is one for all hosts.
type DecoderSet struct {
	Generation int64 // rises with every change, also of the hosts; 0: there is no set yet
	Decoders   []DecoderEntry

	// Hosts are those that were not forgotten, by id: an address is offered only for what each of them can read. One whose time is over is
	// among them until it is forgotten, so that a set is the same for whoever asks for it at its generation.
	Hosts []HostEntry
}

// DecoderEntry is one decoder of the set.
type DecoderEntry struct {
	Name    string `json:"name"`
	Digest  string `json:"digest"`
	Enabled bool   `json:"enabled"`
	Takes   string `json:"takes,omitempty"` // of a host's: what it reads with it, as package host writes it
}

// Blob names stored bytes.
type Blob struct {
	SHA256 string // lower-case hex
	Size   int64
}
