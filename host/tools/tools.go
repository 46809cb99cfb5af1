// Package tools offers a session to a language model as tools: names, descriptions, JSON Schemas and a Call. The MCP door (host/server) and
// agent loops of one's own (glovebox.Session.Tools) use the same table.
//
//	set := tools.New(session, nil)
//	for _, t := range set.List() { … } // to the provider
//	result, err := set.Call(ctx, "read_attachment", json.RawMessage(`{"uri":"maka://runtime/attachments/…"}`))
package tools

import (
	"context"
	"encoding/json"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// DefaultMaxTokens is the budget of one answer where the model does not name its own.
const DefaultMaxTokens = 20_000

// The names of the tools.
const (
	ReadAttachment = "read_attachment"
	Recall         = "recall"
	Attach         = "attach" // only with Options.Attach
)

// Options of a Set; nil means all defaults.
type Options struct {
	MaxTokens int64 // estimated tokens of one answer, and the most that a call may ask for; default DefaultMaxTokens

	// Attach opens a file that the model names, for the tool attach; nil: there is no such tool.
	Attach func(ctx context.Context, name string) (host.NewFile, error)
}

// Tool describes one tool.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title"`
	Description  string          `json:"description"`
	InputSchema  json.RawMessage `json:"input_schema"`
	OutputSchema json.RawMessage `json:"output_schema"` // of Result.Structured
	ReadOnly     bool            `json:"read_only"`
}

// Result is what a call gives to the model.
type Result struct {
	Text       string          // for models that read text: labelled with its origin
	Images     []readapi.Image // pictures, in order
	Structured json.RawMessage // the answer as the API's JSON, without the pictures' bytes
}

// Set is the tools of one session. It is safe for concurrent use.
type Set struct {
	session *host.Session
	opts    Options
}

// New returns the tools of a session.
func New(session *host.Session, opts *Options) *Set { panic("todo") }

// List describes the tools, in a fixed order.
func (s *Set) List() []Tool { panic("todo") }

// Call runs one tool. args is a JSON object that fits the tool's schema; unknown keys are invalid_request. not_found: no such tool; else
// the errors of host.Session.
func (s *Set) Call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	panic("todo")
}
