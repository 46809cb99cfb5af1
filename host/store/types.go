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

	Created time.Time // to the millisecond, UTC
	Deleted time.Time // zero while it is live
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
	ID       readapi.SessionID
	Messages int64     // of the user and of the assistant
	Created  time.Time // of its earliest event
	Updated  time.Time // of its latest event
	Archived bool
}

// SessionQuery selects sessions of a principal, newest first: by Updated falling, then by id rising.
type SessionQuery struct {
	Archived bool     // include the archived ones
	After    *Session // continue behind this one; nil: from the start
	Limit    int      // at most this many; never more than MaxPage
}

// MaxPage is the most rows that one call returns.
const MaxPage = 1000

// DecoderSet says which decoders every host of the store uses, in the order in which they are asked. It is a row of the store, so that it
// survives a restart and is one for all hosts.
type DecoderSet struct {
	Generation int64 // rises with every change; 0: there is no set yet
	Decoders   []DecoderEntry
}

// DecoderEntry is one decoder of the set.
type DecoderEntry struct {
	Name    string `json:"name"`
	Digest  string `json:"digest"`
	Enabled bool   `json:"enabled"`
}

// Blob names stored bytes.
type Blob struct {
	SHA256 string // lower-case hex
	Size   int64
}
