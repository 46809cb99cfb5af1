package recall

import (
	"context"
	"encoding/json"
	"time"

	"github.com/glovebox-wasm/glovebox/host/ledger"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// The bounds of a request.
const (
	MaxTerms     = 8
	MaxTermRunes = 500
	DefaultLimit = 8
	MaxLimit     = 25
	MaxSessions  = 200
	MaxAnchor    = 256
	MaxExpand    = 8
)

// Offers says which attachments a scope can open now. The answers stand in the order of refs.
type Offers interface {
	Offer(ctx context.Context, scope readapi.Scope, refs []readapi.AttachmentRef) ([]readapi.Offer, error)
}

// Request is what to look for. Terms are alternatives: a message that has one of them is found, ones that have more come first.
type Request struct {
	Terms []string  // 1 to 8, each 1 to 500 characters after trimming; empty only with Expand
	Limit int       // passages, 1 to 25; 0 is 8
	Since time.Time // only messages at or after this; zero: no bound
	Until time.Time // only messages at or before this; zero: no bound

	Question string // recorded by the caller, never matched or returned; at most 500 characters

	// Expand shows the surroundings of a message that a former answer gave, instead of searching.
	Expand *Expand

	ExcludeTurns []string // turns in flight of the asking session: neither matched nor shown
	Incognito    bool     // the asking session is incognito: incognito_active, and nothing is read
}

// Expand names a message and how much around it to show.
type Expand struct {
	Session readapi.SessionID // "" is the asking session
	Anchor  string            // a message id
	Before  int               // 0 to 8 messages; -1 for the default of 8
	After   int
}

// Answer is what was found. Its JSON is API: keys may be added, never renamed.
type Answer struct {
	Passages       []Passage `json:"passages"` // best first
	Searched       Searched  `json:"searched"`
	UnmatchedTerms []string  `json:"unmatched_terms"` // terms that no message has
}

// Searched says how far the search went.
type Searched struct {
	Sessions int       `json:"sessions"` // that were searched
	Oldest   time.Time `json:"oldest"`   // latest activity of the oldest of them; zero, and null in JSON, when there was none
	Capped   bool      `json:"capped"`   // there are more, which were not searched
}

// MarshalJSON gives the public shape, in which oldest is null when nothing was searched.
func (s Searched) MarshalJSON() ([]byte, error) {
	w := struct {
		Sessions int        `json:"sessions"`
		Oldest   *time.Time `json:"oldest"`
		Capped   bool       `json:"capped"`
	}{Sessions: s.Sessions, Capped: s.Capped}
	if !s.Oldest.IsZero() {
		w.Oldest = &s.Oldest
	}
	return json.Marshal(w)
}

// Passage is a message that was found, with its neighbours in the same turn.
type Passage struct {
	SessionID     readapi.SessionID `json:"session_id"`
	Score         float64           `json:"score"` // BM25, four decimals; 0 with Expand
	AnchorID      string            `json:"anchor_id"`
	Messages      []Message         `json:"messages"` // in order of time
	HasMoreBefore bool              `json:"has_more_before"`
	HasMoreAfter  bool              `json:"has_more_after"`
}

// Message is one message of a passage, redacted.
type Message struct {
	MessageID string      `json:"message_id"`
	Role      ledger.Type `json:"role"`
	Text      string      `json:"text"`
	Timestamp time.Time   `json:"timestamp"`
	Truncated bool        `json:"truncated"`
	Materials []Material  `json:"materials"`
}

// Material is a file that a message carried. Resource is its address, present exactly when the asking session can read it now; to its owner
// Unavailable says why it is absent.
type Material struct {
	Name        string       `json:"name"` // redacted
	Kind        readapi.Kind `json:"kind"`
	MimeType    string       `json:"mime_type"`
	Bytes       int64        `json:"bytes"`
	Resource    string       `json:"resource,omitempty"`
	Unavailable readapi.Code `json:"unavailable,omitempty"`
}

// Recall searches the sessions of a principal. It is safe for concurrent use.
type Recall struct {
	ledger *ledger.Ledger
	offers Offers
	off    ablation
}

// ablation switches single rules off. Only tests do, to see that exactly the test of that rule fails.
type ablation struct {
	names     bool // a message is found by the names of its files
	textless  bool // a message without text is shown for its files
	withhold  bool // another session's file has no address
	malformed bool // a malformed attachment is no material
	redact    bool // names are redacted
}

// New returns a Recall over a ledger; offers says which files can be opened.
func New(l *ledger.Ledger, offers Offers) *Recall { return &Recall{ledger: l, offers: offers} }

// Recall answers req as the session of scope.
//
// Gates come first, in this order, before anything is read: ctx, the request (invalid_request), a term that looks like a credential
// (invalid_request), incognito_active. An anchor that is not there is not_found. A session that does not exist gets an empty answer, one
// that was deleted is gone; what other deleted sessions had is not found. The
// answer takes at most 96 KiB as JSON, a passage 12 KiB, the text of a message 4 KiB; where that cuts, Truncated and HasMore say so.
func (r *Recall) Recall(ctx context.Context, scope readapi.Scope, req Request) (*Answer, error) {
	answer, err := r.recall(ctx, scope, req)
	return answer, readapi.AsError("recall.Recall", err)
}

func (r *Recall) recall(ctx context.Context, scope readapi.Scope, req Request) (*Answer, error) {
	s, err := r.newSearch(ctx, scope, req)
	if err != nil {
		return nil, err
	}
	answer := &Answer{Passages: []Passage{}, UnmatchedTerms: []string{}}
	if known, err := s.known(ctx); err != nil {
		return nil, err
	} else if !known {
		return s.nobody(answer)
	}
	var found []*passage
	if req.Expand != nil {
		found, err = s.expand(ctx, *req.Expand, &answer.Searched)
	} else {
		found, err = s.find(ctx, answer)
	}
	if err != nil {
		return nil, err
	}
	offers, err := s.offers(ctx, found)
	if err != nil {
		return nil, err
	}
	render(answer, found, offers)
	return answer, nil
}

// known reports whether the asking session exists.
func (s *search) known(ctx context.Context) (bool, error) {
	session, err := s.ledger.Session(ctx, s.scope)
	switch {
	case readapi.CodeOf(err) == readapi.CodeNotFound:
		return false, nil
	case err == nil && !session.Deleted.IsZero():
		return false, &readapi.Error{Code: readapi.CodeGone, Detail: "the session was deleted"}
	}
	return err == nil, err
}

// nobody answers a session that does not exist, under a mistyped id perhaps: it is told nothing of the others.
func (s *search) nobody(answer *Answer) (*Answer, error) {
	if s.req.Expand != nil {
		return nil, absentAnchor()
	}
	for _, t := range s.terms {
		answer.UnmatchedTerms = append(answer.UnmatchedTerms, t.text)
	}
	return answer, nil
}
