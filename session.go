package glovebox

import (
	"context"
	"encoding/json"
	"io"
	"iter"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/tools"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Host keeps the files of sessions in a data directory, and reads them by address. It is safe for concurrent use; Close it when done.
type Host struct {
	_ int
}

// Open opens the data directory dir, and makes it if it is not there. Several processes may have one open at a time.
//
// Errors: invalid_request; capability_unavailable where the directory cannot be used or was made by a newer version; busy; corrupt.
func Open(ctx context.Context, dir string, opts *Options) (*Host, error) { panic("todo") }

// Session returns the host as the session called id sees it. An id that has not the form of a session id makes every call invalid_request.
func (h *Host) Session(id readapi.SessionID) *Session { panic("todo") }

// Sessions yields the principal's sessions, newest first.
func (h *Host) Sessions(ctx context.Context, archived bool) iter.Seq2[store.Session, error] {
	panic("todo")
}

// Reader reads files that belong to no session, with the same decoders.
func (h *Host) Reader() *Reader { panic("todo") }

// Decoders says which decoders the store has, in the order in which they are asked.
func (h *Host) Decoders(ctx context.Context) ([]DecoderStatus, error) { panic("todo") }

// EnableDecoder switches a decoder on or off, for every host of the store; addresses come and go with it.
func (h *Host) EnableDecoder(ctx context.Context, name string, on bool) error { panic("todo") }

// Close waits for the calls that run, stops the decoders and closes the store. It is idempotent.
func (h *Host) Close() error { panic("todo") }

// Session is a host as one session sees it: what belongs to another is as if it were not there.
type Session struct {
	s    *host.Session
	host *Host
}

// User is a message of the user with the files that it carries.
func User(text string, files ...host.NewFile) host.Message {
	return host.Message{Text: text, Files: files}
}

// File is a file to attach; its content is read to the end when the message is appended.
func File(name string, content io.Reader) host.NewFile {
	return host.NewFile{Name: name, Content: content}
}

// Appended is what a message of the user became: its id, and a reference per file, which history keeps instead of the bytes.
type Appended struct {
	ID          string
	Attachments []readapi.AttachmentRef
	Files       []readapi.Attachment // the same files with their addresses
}

// ID returns the session's id.
func (s *Session) ID() readapi.SessionID { panic("todo") }

// Append stores the files of a message of the user and appends the message, all or nothing.
func (s *Session) Append(ctx context.Context, m host.Message) (*Appended, error) { panic("todo") }

// Record appends events: what the assistant said, which tools it called. It returns their ids.
func (s *Session) Record(ctx context.Context, events ...ledger.Event) ([]string, error) {
	panic("todo")
}

// Events yields what happened in the session, in order.
func (s *Session) Events(ctx context.Context) iter.Seq2[ledger.Event, error] { panic("todo") }

// Offer says for each ref whether a read would work now: a URI or a reason. One query answers for all.
func (s *Session) Offer(ctx context.Context, refs ...readapi.AttachmentRef) ([]readapi.Offer, error) {
	panic("todo")
}

// Attachments yields the session's own files in order of arrival, deleted ones too.
func (s *Session) Attachments(ctx context.Context) iter.Seq2[readapi.Attachment, error] {
	panic("todo")
}

// Read decodes the part of the attachment at uri that opts selects; see host.Session.Read.
func (s *Session) Read(ctx context.Context, uri string, opts *ReadOptions) (*Document, error) {
	panic("todo")
}

// OpenBytes returns the original bytes of the attachment at uri, verified. Who opens, closes.
func (s *Session) OpenBytes(ctx context.Context, uri string) (*host.Bytes, error) { panic("todo") }

// Delete marks the attachment at uri deleted; deleting it again does nothing.
func (s *Session) Delete(ctx context.Context, uri string) error { panic("todo") }

// Recall finds messages of all of the principal's sessions by what they say and by the names of the files that they carry.
func (s *Session) Recall(ctx context.Context, terms ...string) (*recall.Answer, error) {
	panic("todo")
}

// Search is Recall with all of its options.
func (s *Session) Search(ctx context.Context, req recall.Request) (*recall.Answer, error) {
	panic("todo")
}

// Tools offers the session to a language model: JSON Schemas and a Call for an agent loop of one's own.
func (s *Session) Tools() *tools.Set { panic("todo") }

// Core returns the session that the doors of this module work with.
func (s *Session) Core() *host.Session { return s.s }

var _ json.Marshaler = readapi.Document{}
