// Package tools offers a session to a language model as tools: names, descriptions, JSON Schemas and a Call. The MCP door (host/server) and
// agent loops of one's own (glovebox.Session.Tools) use the same table.
//
//	set := tools.New(session, nil)
//	for _, t := range set.List() { … } // to the provider
//	result, err := set.Call(ctx, "read_attachment", json.RawMessage(`{"uri":"maka://runtime/attachments/…"}`))
//
// Result.Text is what the model reads: it says where every text comes from, and fences it so that no file can pretend to be the host.
package tools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/recall"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// DefaultMaxTokens is the budget of one answer where the model does not name its own.
const DefaultMaxTokens = 20_000

// leastMaxTokens is the smallest budget that a call may ask for: below it the label would leave no room for content.
const leastMaxTokens = 1000

// The names of the tools.
const (
	ReadAttachment = "read_attachment"
	Recall         = "recall"
	Attach         = "attach" // only with Options.Attach
)

// Session is what the tools need of a *host.Session.
type Session interface {
	Read(ctx context.Context, uri string, sel readapi.Selection, limits *readapi.Limits) (*readapi.Document, error)
	Recall(ctx context.Context, req recall.Request) (*recall.Answer, error)
	Attach(ctx context.Context, m host.Message) (*host.Attached, error)
}

var _ Session = (*host.Session)(nil)

// Options of a Set; nil means all defaults.
type Options struct {
	MaxTokens int64 // estimated tokens of one answer, and the most that a call may ask for; default DefaultMaxTokens

	URIPrefix string // of addresses, as the host has it; default readapi.URIPrefix

	// ExcludeTurns are turns in flight: recall neither finds nor shows them, so that a question does not find itself.
	ExcludeTurns []string

	// Attach opens a file that the model names, for the tool attach; nil: there is no such tool. Content that is an io.Closer is closed
	// when the call is done.
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
	Text       string          // for models that read text: labelled with its origin, within the budget
	Images     []readapi.Image // pictures, in order
	Structured json.RawMessage // the answer as the API's JSON, without the pictures' bytes: for programs
}

// Set is the tools of one session. It is safe for concurrent use.
type Set struct {
	session Session
	opts    Options
	invalid error // what is wrong with the options, told by every call
}

// New returns the tools of a session. With a negative number in opts every call is invalid_request.
func New(session Session, opts *Options) *Set {
	s := &Set{session: session}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.MaxTokens < 0 {
		s.invalid = invalid("the option MaxTokens is negative", "Leave it at 0 for its default.")
	}
	s.opts.URIPrefix = cmp.Or(s.opts.URIPrefix, readapi.URIPrefix)
	s.opts.MaxTokens = cmp.Or(max(0, s.opts.MaxTokens), DefaultMaxTokens)
	return s
}

// least is the smallest budget that a call may ask for.
func (s *Set) least() int64 { return min(leastMaxTokens, s.opts.MaxTokens) }

// List describes the tools, in a fixed order. The caller owns the list.
func (s *Set) List() []Tool {
	list := []Tool{s.readTool(), s.recallTool()}
	if s.opts.Attach != nil {
		list = append(list, s.attachTool())
	}
	return list
}

// Call runs one tool. args is a JSON object that fits the tool's schema, nil for an empty one; what does not fit, an unknown key too, is
// invalid_request, and so is a tool that there is not. Else the errors are those of host.Session, and limit_output where not even the
// smallest answer fits the budget.
func (s *Set) Call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	result, err := s.call(ctx, name, args)
	if err != nil {
		return nil, readapi.AsError("tools.Call", err)
	}
	return result, nil
}

func (s *Set) call(ctx context.Context, name string, args json.RawMessage) (*Result, error) {
	switch {
	case s.invalid != nil:
		return nil, s.invalid
	case name == ReadAttachment:
		return s.read(ctx, args)
	case name == Recall:
		return s.recall(ctx, args)
	case name == Attach && s.opts.Attach != nil:
		return s.attach(ctx, args)
	}
	return nil, invalid("there is no tool of this name", "Call one of the tools that are listed.")
}

// Failure is what a model is told when Call fails: the code, what is wrong, what to do, and whether to try again.
func Failure(err error) string {
	e, _ := errors.AsType[*readapi.Error](readapi.AsError("tools.Call", err))
	if e == nil {
		return ""
	}
	text := string(e.Code) + ": " + e.Message() + "\n"
	if e.Hint != "" {
		text += "hint: " + e.Hint + "\n"
	}
	if e.Retryable() {
		text += "The same call may succeed later.\n"
	}
	return text
}

func invalid(detail, hint string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail, Hint: hint}
}

// overBudget is the error for an answer that cannot be made small enough.
func overBudget(most, actual int64, hint string) error {
	return &readapi.Error{
		Code: readapi.CodeLimitOutput, Detail: "the answer does not fit the token budget", Hint: hint,
		Limit: &readapi.LimitHit{Name: "max_tokens", Value: most, Actual: actual},
	}
}
