package ledger

import (
	"context"
	"iter"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MaxEventBytes is the most that one event's JSON may take: history holds references, not files.
const MaxEventBytes = 1 << 20

// Ledger records sessions. It is safe for concurrent use.
type Ledger struct {
	index *store.Index
}

// New returns a ledger over index, which stays the caller's to close.
func New(index *store.Index) *Ledger { return &Ledger{index: index} }

// Append commits events at the end of a session, and the artifacts that they carry, all or nothing; a new session is made. It returns the
// events' ids. An event whose id the session has already, with the same content, is not appended again.
//
// Errors: invalid_request for an event that breaks its rules (the detail says which and why), too_large for one above MaxEventBytes or
// one with inline bytes, conflict for an id that another event has, and those of the store.
func (l *Ledger) Append(ctx context.Context, scope readapi.Scope, artifacts []store.Artifact, events ...Event) ([]string, error) {
	panic("todo")
}

// Events yields the events of a session behind the Seq after (-1: from the start), in order. A session that is not there has none.
func (l *Ledger) Events(ctx context.Context, scope readapi.Scope, after int64) iter.Seq2[Event, error] {
	panic("todo")
}

// Event returns one event; not_found when the session has none of this id.
func (l *Ledger) Event(ctx context.Context, scope readapi.Scope, id string) (Event, error) {
	panic("todo")
}

// Sessions yields the sessions of a principal, newest first.
func (l *Ledger) Sessions(ctx context.Context, principal readapi.PrincipalID, archived bool) iter.Seq2[store.Session, error] {
	panic("todo")
}

// Session describes one session; not_found when there is none.
func (l *Ledger) Session(ctx context.Context, scope readapi.Scope) (store.Session, error) {
	panic("todo")
}
