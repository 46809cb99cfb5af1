package glovebox

import (
	"context"
	"encoding/json"
	"io"
	"iter"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/tools"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Session is a host as one session sees it: what belongs to another is as if it were not there. It is safe for concurrent use and needs
// no closing.
type Session struct {
	s    *host.Session
	host *Host
}

// User is a message of the user with the files that it carries; the text may be empty when there are files.
func User(text string, files ...host.NewFile) host.Message {
	return host.Message{Text: text, Files: files}
}

// File is a file to attach under a name as its user knows it; the content is read to the end when the message is appended.
func File(name string, content io.Reader) host.NewFile {
	return host.NewFile{Name: name, Content: content}
}

// Assistant is an answer of the model.
func Assistant(text string) ledger.Event { return ledger.Event{Type: ledger.Assistant, Text: text} }

// ToolCall is a call of a tool by the model: intent says in the model's words what it is for.
func ToolCall(tool, callID, intent string, arguments json.RawMessage) ledger.Event {
	return ledger.Event{Type: ledger.ToolCall, Tool: tool, CallID: callID, Intent: intent, Arguments: arguments}
}

// ToolResult is what a tool gave back.
func ToolResult(tool, callID string, result json.RawMessage) ledger.Event {
	return ledger.Event{Type: ledger.ToolResult, Tool: tool, CallID: callID, Result: result}
}

// Appended is what a message of the user became.
type Appended struct {
	ID          string                  // of the message
	Attachments []readapi.AttachmentRef // what history keeps of the files: references, no bytes
	Files       []readapi.Attachment    // the same files as their session sees them now, each with its address or why it has none
}

// ID returns the session's id.
func (s *Session) ID() readapi.SessionID { return s.s.Scope().Session }

// Append stores the files of a message of the user and appends the message, all or nothing.
//
// Errors: invalid_request for more files than a message may carry, too_large, quota_exceeded, conflict, busy, canceled, and what the
// content of a file returns; not_found with that as its cause where it has no code.
func (s *Session) Append(ctx context.Context, m host.Message) (*Appended, error) {
	got, err := s.s.Attach(ctx, m)
	if err != nil {
		return nil, err
	}
	out := &Appended{ID: got.MessageID, Files: got.Attachments}
	for _, a := range got.Attachments {
		out.Attachments = append(out.Attachments, a.Ref(s.ID()))
	}
	return out, nil
}

// Record appends events, all or nothing: what the assistant said, which tools it called, messages of another system. It returns their
// ids; an event whose id the session has already, with the same content, is not appended again.
//
// Errors: invalid_request, too_large, conflict, busy, quota_exceeded.
func (s *Session) Record(ctx context.Context, events ...ledger.Event) ([]string, error) {
	return s.s.Append(ctx, events...)
}

// Events yields what happened in the session, in order; a session that is not there has none.
func (s *Session) Events(ctx context.Context) iter.Seq2[ledger.Event, error] {
	return s.s.Events(ctx)
}

// Offer says for each ref whether a read by this session would work now: a URI or a reason, never both. One query answers for all.
func (s *Session) Offer(ctx context.Context, refs ...readapi.AttachmentRef) ([]readapi.Offer, error) {
	return s.s.Offer(ctx, refs...)
}

// Attachments yields the session's own files in order of arrival, deleted ones too, each with its address or why it has none.
func (s *Session) Attachments(ctx context.Context) iter.Seq2[readapi.Attachment, error] {
	const page = 100
	return func(yield func(readapi.Attachment, error) bool) {
		for cursor := ""; ; {
			files, next, err := s.s.Attachments(ctx, cursor, page)
			if err != nil {
				yield(readapi.Attachment{}, err)
				return
			}
			for _, f := range files {
				if !yield(f, nil) {
					return
				}
			}
			if cursor = next; cursor == "" {
				return
			}
		}
	}
}

// Read decodes the part of the attachment at uri that opts selects; nil is the whole file within the default budgets.
//
// Errors: invalid_uri; not_found (absent or of another session: the two look the same); gone (the session's own, deleted);
// unsupported_kind, too_large (never behind an offer); stale_cursor, malformed_input and the other codes of a decoder; corrupt.
func (s *Session) Read(ctx context.Context, uri string, opts *ReadOptions) (*Document, error) {
	if opts == nil {
		opts = &ReadOptions{}
	}
	return opts.document(func(sel readapi.Selection) (*readapi.Document, error) { return s.s.Read(ctx, uri, sel, opts.Limits) })
}

// OpenBytes returns the original bytes of the attachment at uri, verified against their digest. Who opens, closes. Files that no decoder
// reads can be had too.
//
// Errors: invalid_uri, not_found, gone, corrupt.
func (s *Session) OpenBytes(ctx context.Context, uri string) (*host.Bytes, error) {
	return s.s.OpenBytes(ctx, uri)
}

// Delete marks the attachment at uri deleted: its address does not open any more. Deleting it again does nothing. Errors: invalid_uri,
// not_found.
func (s *Session) Delete(ctx context.Context, uri string) error { return s.s.Delete(ctx, uri) }

// Purge removes the attachment at uri for good: its row, and its bytes if nothing else names them. What is not there is no error. Errors:
// invalid_uri; corrupt where something else stands in the place of its bytes.
func (s *Session) Purge(ctx context.Context, uri string) error { return s.s.Purge(ctx, uri) }

// SetArchived archives the session, or takes it back: lists leave an archived one out unless they are asked for it. Errors: not_found, gone.
func (s *Session) SetArchived(ctx context.Context, archived bool) error {
	return s.s.SetArchived(ctx, archived)
}

// DeleteSession marks the session and its files deleted: nothing of it can be read, found or added to any more. Deleting it again does
// nothing. Errors: not_found.
func (s *Session) DeleteSession(ctx context.Context) error { return s.s.DeleteSession(ctx) }

// PurgeSession removes the session, its files and its ledger for good. What is not there is no error. Errors: corrupt where something else
// stands in the place of its bytes.
func (s *Session) PurgeSession(ctx context.Context) error { return s.s.PurgeSession(ctx) }

// CopyTo copies the session into another one of its principal, with its files and what happened; the copy stands for itself. It is
// idempotent. Errors: see host.Session.CopyTo.
func (s *Session) CopyTo(ctx context.Context, dst readapi.SessionID) (*host.Copied, error) {
	return s.s.CopyTo(ctx, dst)
}

// OpenFrom copies a file of another session of the principal into this one, so that it can be read here. It is idempotent. Errors: not_found
// for whatever cannot be had; gone for a copy that was deleted; quota_exceeded.
func (s *Session) OpenFrom(ctx context.Context, source readapi.SessionID, id readapi.ArtifactID) (readapi.Attachment, error) {
	return s.s.OpenFrom(ctx, source, id)
}

// Import appends events that stand in r, one as JSON on each line. Lines that are none are reported and left out; what the session has
// already is not appended again. Errors: see ledger.Import.
func (s *Session) Import(ctx context.Context, r io.Reader, opts ledger.ImportOptions) (ledger.Report, error) {
	return s.s.Import(ctx, r, opts)
}

// BeginUpload begins to take a file in parts, or says how far it is. Errors: see host.Session.BeginUpload.
func (s *Session) BeginUpload(ctx context.Context, b host.UploadBegin) (host.UploadState, error) {
	return s.s.BeginUpload(ctx, b)
}

// UploadChunk takes the part of an upload that begins at offset, and returns where the next one begins. Errors: see host.Session.UploadChunk.
func (s *Session) UploadChunk(ctx context.Context, owner, id string, offset int64, data []byte) (next int64, err error) {
	return s.s.UploadChunk(ctx, owner, id, offset, data)
}

// CommitUpload makes an attachment of an upload; a message carries it by host.Message.Attached. Errors: see host.Session.CommitUpload.
func (s *Session) CommitUpload(ctx context.Context, owner, id string) (readapi.Attachment, error) {
	return s.s.CommitUpload(ctx, owner, id)
}

// AbortUpload drops an upload. Errors: not_found; conflict for one that was committed.
func (s *Session) AbortUpload(ctx context.Context, owner, id string) error {
	return s.s.AbortUpload(ctx, owner, id)
}

// Recall finds messages of all of the principal's sessions that have one of the terms in what they say or in the name of a file that
// they carry.
//
// Errors: invalid_request, also for a term that looks like a credential; canceled.
func (s *Session) Recall(ctx context.Context, terms ...string) (*recall.Answer, error) {
	return s.Search(ctx, recall.Request{Terms: terms})
}

// Search is Recall with all of its options. Errors: those of Recall, incognito_active, and not_found for an anchor that is not there.
func (s *Session) Search(ctx context.Context, req recall.Request) (*recall.Answer, error) {
	return s.s.Recall(ctx, req)
}

// Tools offers the session to a language model: JSON Schemas and a Call, for an agent loop of one's own. turns are those in flight, which
// recall leaves out, so that a question does not find itself. When a call fails, tools.Failure is what to tell the model. Other options,
// a budget or the tool attach, are those of tools.New, which takes Core.
func (s *Session) Tools(turns ...string) *tools.Set {
	return tools.New(s.s, &tools.Options{URIPrefix: s.s.URIPrefix(), ExcludeTurns: turns})
}

// URI is how a file of this id is named to OpenBytes, Delete and Read, also where it has no address for reading.
func (s *Session) URI(id readapi.ArtifactID) string { return s.s.URI(id) }

// Core returns the session that the doors below host, tools among them, work with.
func (s *Session) Core() *host.Session { return s.s }
