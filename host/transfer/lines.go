package transfer

import (
	"bytes"
	"encoding/json"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// exportVersion is that of the format of an export. Keys may be added within a version.
const exportVersion = 1

// line is one line of an export: exactly one of its fields is there. docs/schema/export.json describes it.
type line struct {
	Export   int                  `json:"glovebox_export,omitempty"` // the first line
	Created  *time.Time           `json:"created,omitempty"`         // of the export; with the first line
	Session  *sessionLine         `json:"session,omitempty"`
	Artifact *artifactLine        `json:"artifact,omitempty"`
	Upload   *uploadLine          `json:"upload,omitempty"`
	Event    *eventLine           `json:"event,omitempty"`
	Decoders []store.DecoderEntry `json:"decoders,omitempty"`
	End      *endLine             `json:"end,omitempty"` // the last line
}

// endLine says how many of each were before it.
type endLine struct {
	Sessions  int64 `json:"sessions"`
	Artifacts int64 `json:"artifacts"`
	Uploads   int64 `json:"uploads"`
	Events    int64 `json:"events"`
}

func toEnd(n Counts) *endLine { return &endLine{n.Sessions, n.Artifacts, n.Uploads, n.Events} }

// sessionLine begins a session; what follows, up to the next one, is its own.
type sessionLine struct {
	Principal  readapi.PrincipalID `json:"principal"`
	ID         readapi.SessionID   `json:"session_id"`
	Messages   int64               `json:"messages"`
	Created    time.Time           `json:"created"`
	Updated    time.Time           `json:"updated"`
	Archived   bool                `json:"archived,omitempty"`
	Deleted    time.Time           `json:"deleted,omitzero"`
	FirstEvent string              `json:"first_event,omitempty"`
	LastEvent  int64               `json:"last_event"` // its number; -1: there is none
}

type artifactLine struct {
	ID         readapi.ArtifactID  `json:"id"`
	Seq        int64               `json:"seq"`
	Version    int64               `json:"version"`
	Blob       string              `json:"sha256,omitempty"`
	Bytes      int64               `json:"bytes"`
	Name       string              `json:"name"`
	Kind       readapi.Kind        `json:"kind"`
	Source     store.Source        `json:"source"`
	Status     readapi.Status      `json:"status"`
	MediaType  readapi.MediaType   `json:"media_type"`
	Candidates []readapi.MediaType `json:"candidates,omitempty"`
	Declared   readapi.MediaType   `json:"declared,omitempty"`
	Mismatch   bool                `json:"mismatch,omitempty"`
	Created    time.Time           `json:"created"`
	Deleted    time.Time           `json:"deleted,omitzero"`
}

type uploadLine struct {
	ID       string             `json:"id"`
	Begin    string             `json:"begin"`
	Artifact readapi.ArtifactID `json:"artifact"`
}

// eventLine has the payload as JSON, or, where JSON on one line could not keep it byte for byte, as a string.
type eventLine struct {
	Seq     int64           `json:"seq"`
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Turn    string          `json:"turn,omitempty"`
	Time    time.Time       `json:"time"`
	Message bool            `json:"message,omitempty"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Text    *string         `json:"payload_text,omitempty"`
}

func toSession(h header) *sessionLine {
	return &sessionLine{h.Principal, h.ID, h.Messages, h.Created, h.Updated, h.Archived, h.Deleted, h.First, h.Last}
}

func (l *sessionLine) header() header {
	return header{store.Session{Principal: l.Principal, ID: l.ID, Messages: l.Messages, Created: l.Created.UTC(), Updated: l.Updated.UTC(),
		Archived: l.Archived, Deleted: l.Deleted.UTC()}, l.FirstEvent, l.LastEvent}
}

func toArtifact(a store.Artifact) *artifactLine {
	return &artifactLine{a.ID, a.Seq, a.Version, a.Blob, a.Bytes, a.Name, a.Kind, a.Source, a.Status, a.MediaType, a.Candidates, a.Declared, a.Mismatch,
		a.Created, a.Deleted}
}

// artifact is the row of a line. What a host has stored has a file's name; of another one the name is made here, too.
func (l *artifactLine) artifact(scope readapi.Scope) store.Artifact {
	return store.Artifact{Scope: scope, ID: l.ID, Seq: l.Seq, Version: l.Version, Blob: l.Blob, Bytes: l.Bytes, Name: readapi.FileName(l.Name), Kind: l.Kind, Source: l.Source,
		Status: l.Status, MediaType: l.MediaType, Candidates: l.Candidates, Declared: l.Declared, Mismatch: l.Mismatch, Created: l.Created.UTC(),
		Deleted: l.Deleted.UTC()}
}

func toEvent(e store.Event) *eventLine {
	l := &eventLine{Seq: e.Seq, ID: e.ID, Type: e.Type, Turn: e.Turn, Time: e.Time, Message: e.Message}
	var compact bytes.Buffer
	if json.Compact(&compact, e.Payload) == nil && bytes.Equal(compact.Bytes(), e.Payload) && !bytes.Equal(e.Payload, []byte("null")) {
		l.Payload = e.Payload
	} else {
		text := string(e.Payload)
		l.Text = &text
	}
	return l
}

func (l *eventLine) event() store.Event {
	e := store.Event{Seq: l.Seq, ID: l.ID, Type: l.Type, Turn: l.Turn, Time: l.Time.UTC(), Message: l.Message, Payload: l.Payload}
	if l.Text != nil {
		e.Payload = json.RawMessage(*l.Text)
	}
	return e
}
