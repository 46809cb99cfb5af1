package host

import (
	"context"
	"io"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Options of a Host; nil means all defaults.
type Options struct {
	Limits             readapi.Limits // of every read
	MaxAttachmentBytes int64          // of one file; default 50 MiB
	MaxAttachments     int            // of one message; default readapi.MaxAttachments
	CacheBytes         int64          // of decoded answers, together; default 64 MiB; -1: no cache
	URIPrefix          string         // of addresses; default readapi.URIPrefix

	// Audit is called for every access and every refusal, with its real cause, one at a time, in order. It may lag behind the call that
	// it is about; Close waits for it. nil: nobody is told.
	Audit func(AuditEvent)

	Now func() time.Time // default time.Now
}

// AuditEvent is one access or refusal, for the operator. It names no path, no file and no text of a user.
type AuditEvent struct {
	Time      time.Time           `json:"time"`
	Op        string              `json:"op"` // "read", "open", "attach", "offer", "delete", "recall", "append"
	Principal readapi.PrincipalID `json:"principal"`
	Session   readapi.SessionID   `json:"session"`
	Ref       readapi.ArtifactID  `json:"ref,omitempty"`
	Code      readapi.Code        `json:"code,omitempty"`  // what the caller was told; "" for success
	Cause     string              `json:"cause,omitempty"` // what was really the matter: see the Cause constants
}

// The causes of refusals. Some share one outward code, so that a stranger learns nothing.
const (
	CauseAbsent          = "not_found"
	CauseForeign         = "session_mismatch"
	CauseDeleted         = "deleted"
	CauseSource          = "not_allowed"
	CauseUnsupportedRef  = "unsupported_ref_kind"
	CauseUnsupportedKind = "unsupported_mime"
	CauseTooLarge        = "too_large"
	CauseInvalidURI      = "invalid_uri"
)

// Host keeps attachments, and reads them by address. It is safe for concurrent use.
type Host struct {
	_ int
}

// New returns a host. The store stays the caller's to close, after the host.
func New(blobs *store.Blobs, index *store.Index, decoders Decoders, opts *Options) (*Host, error) {
	panic("todo")
}

// Session returns the host as a session of a principal sees it. Ids that have not their form make every call invalid_request.
func (h *Host) Session(scope readapi.Scope) *Session { panic("todo") }

// Sessions yields a principal's sessions, newest first, through yield, until it returns false.
func (h *Host) Ledger() *ledger.Ledger { panic("todo") }

// Decoders says which decoders there are and which are enabled, in the order in which they are asked.
func (h *Host) DecoderSet(ctx context.Context) (store.DecoderSet, error) { panic("todo") }

// EnableDecoder switches a decoder on or off, for every host of the store. not_found when there is none of this name.
func (h *Host) EnableDecoder(ctx context.Context, name string, on bool) error { panic("todo") }

// Close ends the audit once everything has been told. The calls that run are finished first.
func (h *Host) Close() error { panic("todo") }

// Message is a message of a user to append, with the files that it carries.
type Message struct {
	ID          string // "" takes a new one
	Turn        string
	Time        time.Time // zero: now
	Text        string
	DisplayText string
	Files       []NewFile
}

// NewFile is a file to attach. Its content is read once, to the end.
type NewFile struct {
	Name      string            // as the user called it
	MediaType readapi.MediaType // as the sender called it; a hint, "" for none
	Size      int64             // as the sender says; the content must have exactly this size; 0 with SizeUnknown
	SizeKnown bool
	Content   io.Reader
	Source    store.Source // "" is user_upload
}

// Attached is what Attach stored.
type Attached struct {
	MessageID   string               `json:"message_id"`
	Attachments []readapi.Attachment `json:"attachments"`
}

// Session is the host as one session sees it. What belongs to another session is as if it were not there.
type Session struct {
	host  *Host
	scope readapi.Scope
}

// Scope says who this is.
func (s *Session) Scope() readapi.Scope { return s.scope }

// Attach stores files and appends the message of the user that carries them, all or nothing.
//
// Errors: invalid_request (more files than a message may carry, a size that is not the content's), too_large, quota_exceeded,
// capability_unavailable, conflict, busy, canceled, and what a file's reader returns.
func (s *Session) Attach(ctx context.Context, m Message) (*Attached, error) { panic("todo") }

// Append commits events; see ledger.Append.
func (s *Session) Append(ctx context.Context, events ...ledger.Event) ([]string, error) {
	panic("todo")
}

// Offer says for each ref whether a read by this session would work now: a URI or a reason. One query answers for all. What is absent,
// foreign or has no address is not_found; the session's own that was deleted is gone.
func (s *Session) Offer(ctx context.Context, refs ...readapi.AttachmentRef) ([]readapi.Offer, error) {
	panic("todo")
}

// Attachments returns up to limit of the session's own files behind the cursor ("": from the start), in order of arrival, and the cursor
// that goes on, "" at the end.
func (s *Session) Attachments(ctx context.Context, cursor string, limit int) (page []readapi.Attachment, next string, err error) {
	panic("todo")
}

// Read decodes the part of the attachment at uri that sel selects; limits replace the host's for this read, except for what may be read at
// all, which Offer promised.
//
// Errors: invalid_uri, not_found (absent or of another session), gone (the session's own, deleted), unsupported_kind, too_large, corrupt,
// and those of Reader.Read.
func (s *Session) Read(ctx context.Context, uri string, sel readapi.Selection, limits *readapi.Limits) (*readapi.Document, error) {
	panic("todo")
}

// OpenBytes returns the original bytes, verified. Who opens, closes. Errors as for Read, less those of decoders: what no decoder reads
// can still be had as bytes.
func (s *Session) OpenBytes(ctx context.Context, uri string) (*Bytes, error) { panic("todo") }

// Delete marks an attachment deleted: its address does not open any more. Deleting it again does nothing. Errors: invalid_uri, not_found.
func (s *Session) Delete(ctx context.Context, uri string) error { panic("todo") }

// Recall searches the principal's sessions; see recall.Recall.
func (s *Session) Recall(ctx context.Context, req recall.Request) (*recall.Answer, error) {
	panic("todo")
}

// Bytes are the original bytes of an attachment.
type Bytes struct {
	io.ReadSeeker
	Attachment readapi.Attachment
	SHA256     string
}

// ReadAt implements io.ReaderAt.
func (b *Bytes) ReadAt(p []byte, off int64) (int, error) { panic("todo") }

// Close frees the bytes.
func (b *Bytes) Close() error { panic("todo") }
