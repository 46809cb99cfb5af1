package ledger

import (
	"encoding/json"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Type says what an event is.
type Type string

// The types.
const (
	User       Type = "user"
	Assistant  Type = "assistant"
	ToolCall   Type = "tool_call"
	ToolResult Type = "tool_result"
)

// Event is one entry of a session. Its JSON is API: one event per line is what session append reads and session show prints. Keys that
// this version does not know are kept and given back. A key that belongs to other types of events is refused by Append, so that nothing
// stands where nobody looks for it.
type Event struct {
	ID   string    // unique in its session, 1 to 256 characters, no control characters; "" takes a new one
	Type Type      // "role" is read as another name of the key
	Turn string    // 1 to 512 characters, no control characters; "": a user's event begins a turn, the others belong to the one before
	Time time.Time // "timestamp": RFC 3339, or milliseconds since 1970 when read; zero takes the time of appending
	Seq  int64     // place in the transcript, from 0; set when it is read from the ledger, not part of what is stored

	Text        string            // what was said; "" for a tool's events
	DisplayText string            // of a user: what the person typed, where Text has more than that
	Attachments []json.RawMessage // of a user: references as they came; Refs gives those that are well-formed

	Tool      string          // of a tool's events: its name
	CallID    string          // of a tool's events: which call
	Intent    string          // of a call: what it is for, in the model's words
	Arguments json.RawMessage // of a call
	Result    json.RawMessage // of a result: any JSON; nil when it was archived away

	Extra map[string]json.RawMessage // keys of others
}

// Refs returns the well-formed attachments that a message of the user carries, at most MaxAttachments; what is malformed is left out
// before it is counted. Other events carry none.
func (e Event) Refs() []readapi.AttachmentRef {
	if e.Type != User {
		return nil
	}
	var out []readapi.AttachmentRef
	for _, raw := range e.Attachments {
		if len(out) == readapi.MaxAttachments {
			break
		}
		if ref, ok := readapi.ParseAttachmentRef(raw); ok {
			out = append(out, ref)
		}
	}
	return out
}
