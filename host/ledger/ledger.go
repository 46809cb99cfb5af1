package ledger

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// MaxEventBytes is the most that one event's JSON may take: history holds references, not files.
const MaxEventBytes = 1 << 20

const (
	maxIDRunes   = 256
	maxTurnRunes = 512

	eventPage   = 64 // events that are in memory at once; each may take MaxEventBytes
	sessionPage = 256
)

// MaxAppend is how many events one call appends: they are one step of the store, during which nobody else writes.
const MaxAppend = 65_536

// Ledger records sessions. It is safe for concurrent use.
type Ledger struct {
	index *store.Index
}

// New returns a ledger over index, which stays the caller's to close.
func New(index *store.Index) *Ledger { return &Ledger{index: index} }

// Append commits events at the end of a session, and with them what the batch has besides (the artifacts that they carry; no events of its
// own), all or nothing; a new session is made. It returns the events' ids. An event whose id the session has already, with the same content, is not appended again; what the ledger gave it then (its
// turn, its time) may be left out now.
//
// Errors: invalid_request for an event that breaks its rules (the detail says which and why), too_large for one above MaxEventBytes or
// one with inline bytes, conflict for an id that another event has, and those of the store.
func (l *Ledger) Append(ctx context.Context, scope readapi.Scope, b store.Batch, events ...Event) ([]string, error) {
	const op = "ledger.Append"
	if len(events) > MaxAppend {
		return nil, readapi.AsError(op, &readapi.Error{
			Code: readapi.CodeTooLarge, Detail: "too many events at once", Hint: "Append them in parts.",
			Limit: &readapi.LimitHit{Name: "max_append", Value: MaxAppend, Actual: int64(len(events))},
		})
	}
	rows, ids, err := l.rows(ctx, scope, "", events)
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	b.Events = rows
	if _, err := l.index.Append(ctx, scope, b); err != nil {
		return nil, readapi.AsError(op, err)
	}
	return ids, nil
}

// Check returns the error that Append has for e itself, whatever the session has: for a caller who has work to do before it can append.
// What Append adds (an id, a turn, a time) may be missing.
func Check(e Event) error {
	const some = "x"
	e.ID, e.Turn = cmp.Or(e.ID, some), cmp.Or(e.Turn, some)
	if e.Time.IsZero() {
		e.Time = time.Now()
	}
	_, err := e.row()
	return readapi.AsError("ledger.Check", err)
}

// rows makes the events complete and checks them. turn is that of the event before the first; "" asks the store.
func (l *Ledger) rows(ctx context.Context, scope readapi.Scope, turn string, events []Event) (rows []store.Event, ids []string, err error) {
	now := time.Now()
	known := turn != ""
	for i, e := range events {
		if e.ID == "" {
			e.ID = newID()
		} else if err := l.adopt(ctx, scope, &e); err != nil {
			return nil, nil, err
		}
		if e.Turn == "" && e.Type == User {
			e.Turn = e.ID
		}
		if e.Turn == "" && !known {
			if turn, err = l.lastTurn(ctx, scope); err != nil {
				return nil, nil, err
			}
		}
		if e.Turn == "" {
			e.Turn = turn
		}
		if e.Turn == "" { // the first event of all
			e.Turn = e.ID
		}
		turn, known = e.Turn, true
		if e.Time.IsZero() {
			e.Time = now
		}
		row, err := e.row()
		if err != nil {
			return nil, nil, nth(i, len(events), err)
		}
		rows, ids = append(rows, row), append(ids, e.ID)
	}
	return rows, ids, nil
}

// adopt gives an event that the session has already the turn and the time that it has there, where they are left out.
func (l *Ledger) adopt(ctx context.Context, scope readapi.Scope, e *Event) error {
	if e.Turn != "" && !e.Time.IsZero() {
		return nil
	}
	row, ok, err := l.index.Event(ctx, scope, e.ID)
	if err != nil || !ok {
		return err
	}
	if e.Turn == "" {
		e.Turn = row.Turn
	}
	if e.Time.IsZero() {
		e.Time = row.Time
	}
	return nil
}

func (l *Ledger) lastTurn(ctx context.Context, scope readapi.Scope) (string, error) {
	row, _, err := l.index.LastEvent(ctx, scope)
	return row.Turn, err
}

// newID is 128 random bits. It is no credential, so that 32 digits are enough, and fewer than redaction takes for a digest.
func newID() string {
	var b [16]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// nth says which of several events err is about.
func nth(i, of int, err error) error {
	e, ok := err.(*readapi.Error)
	if !ok || of == 1 {
		return err
	}
	c := *e
	c.Detail = fmt.Sprintf("event %d: %s", i+1, e.Detail)
	return &c
}

// row checks a complete event and returns it as it is stored.
func (e Event) row() (store.Event, error) {
	if err := e.check(); err != nil {
		return store.Event{}, err
	}
	payload, err := e.encode()
	if err != nil {
		return store.Event{}, err
	}
	if n := len(payload); n > MaxEventBytes {
		return store.Event{}, &readapi.Error{Code: readapi.CodeTooLarge, Detail: "an event is larger than history takes",
			Hint: "Attach long content as a file.", Limit: &readapi.LimitHit{Name: "max_event_bytes", Value: MaxEventBytes, Actual: int64(n)}}
	}
	if n := inlineBytes(payload); n > 0 {
		return store.Event{}, &readapi.Error{Code: readapi.CodeTooLarge, Detail: "an event holds the bytes of a file",
			Hint:  "Attach the file instead: history keeps its address, not its bytes.",
			Limit: &readapi.LimitHit{Name: "max_inline_bytes", Value: maxInlineBytes, Actual: int64(n)}}
	}
	return store.Event{ID: e.ID, Type: string(e.Type), Turn: e.Turn, Time: e.Time, Message: e.Type == User || e.Type == Assistant, Payload: payload}, nil
}

// check says which rule e breaks.
func (e Event) check() error {
	if !e.Type.valid() {
		return invalid("its type is none of user, assistant, tool_call and tool_result")
	}
	if !handle(e.ID, maxIDRunes) {
		return invalid("its id is not 1 to 256 characters without control characters")
	}
	if !handle(e.Turn, maxTurnRunes) {
		return invalid("its turn is not 1 to 512 characters without control characters")
	}
	if t := e.Time.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return invalid("its time is outside the years 1 to 9999")
	}
	tool := e.Type == ToolCall || e.Type == ToolResult
	for _, r := range []struct {
		broken bool
		why    string
	}{
		{len(e.Attachments) > 0 && e.Type != User, "only a user's message carries attachments"},
		{e.DisplayText != "" && e.Type != User, "only a user's message has a display_text"},
		{e.Text != "" && tool, "a tool's event has no text: what a call is for is its intent, what came back is the result"},
		{(e.Tool != "" || e.CallID != "") && !tool, "only a tool's event has a tool and a call_id"},
		{(e.Intent != "" || e.Arguments != nil) && e.Type != ToolCall, "only a tool call has an intent and arguments"},
		{e.Result != nil && e.Type != ToolResult, "only a tool's result has a result"},
		{e.Type == User && e.Text == "" && e.DisplayText == "" && len(e.Attachments) == 0, "a user's message has neither text nor attachments"},
		{e.Type == Assistant && e.Text == "", "an assistant's message has no text"},
		{e.Type == ToolCall && e.Tool == "" && e.Intent == "", "a tool call has neither a tool nor an intent"},
	} {
		if r.broken {
			return invalid(r.why)
		}
	}
	return nil
}

// handle reports whether s can name something: it has 1 to max characters, all of them text.
func handle(s string, max int) bool {
	if s == "" || !utf8.ValidString(s) || utf8.RuneCountInString(s) > max {
		return false
	}
	for _, r := range s {
		if unicode.IsControl(r) {
			return false
		}
	}
	return true
}

func invalid(detail string) error {
	return &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: detail}
}

// Events yields the events of a session behind the Seq after (-1: from the start), in order. A session that is not there has none. It ends
// at the first error.
func (l *Ledger) Events(ctx context.Context, scope readapi.Scope, after int64) iter.Seq2[Event, error] {
	const op = "ledger.Events"
	return func(yield func(Event, error) bool) {
		for after := after; ; {
			page, err := l.index.Events(ctx, scope, after, eventPage)
			if err != nil {
				yield(Event{}, readapi.AsError(op, err))
				return
			}
			for _, row := range page {
				e, err := read(row)
				if !yield(e, readapi.AsError(op, err)) || err != nil {
					return
				}
				after = row.Seq
			}
			if len(page) < eventPage {
				return
			}
		}
	}
}

// read makes an event of its row.
func read(row store.Event) (e Event, err error) {
	if !json.Valid(row.Payload) || len(bytes.TrimSpace(row.Payload)) == 0 {
		err = invalid("no JSON")
	} else {
		err = e.decode(row.Payload)
	}
	if err != nil {
		return Event{}, &readapi.Error{Code: readapi.CodeCorrupt, Detail: "an event of the ledger cannot be read", Err: err}
	}
	e.Seq = row.Seq
	return e, nil
}

// Event returns one event; not_found when the session has none of this id.
func (l *Ledger) Event(ctx context.Context, scope readapi.Scope, id string) (Event, error) {
	const op = "ledger.Event"
	row, ok, err := l.index.Event(ctx, scope, id)
	if err != nil {
		return Event{}, readapi.AsError(op, err)
	}
	if !ok {
		return Event{}, &readapi.Error{Op: op, Code: readapi.CodeNotFound, Detail: "the session has no message of this id"}
	}
	e, err := read(row)
	return e, readapi.AsError(op, err)
}

// Sessions yields the sessions of a principal, newest first: by their latest event, then by id. archived includes the archived ones. It ends
// at the first error.
func (l *Ledger) Sessions(ctx context.Context, principal readapi.PrincipalID, archived bool) iter.Seq2[store.Session, error] {
	const op = "ledger.Sessions"
	return func(yield func(store.Session, error) bool) {
		q := store.SessionQuery{Archived: archived, Limit: sessionPage}
		for {
			page, err := l.index.Sessions(ctx, principal, q)
			if err != nil {
				yield(store.Session{}, readapi.AsError(op, err))
				return
			}
			for _, s := range page {
				if !yield(s, nil) {
					return
				}
			}
			if len(page) < sessionPage {
				return
			}
			q.After = &page[len(page)-1]
		}
	}
}

// Session describes one session; not_found when there is none.
func (l *Ledger) Session(ctx context.Context, scope readapi.Scope) (store.Session, error) {
	const op = "ledger.Session"
	s, ok, err := l.index.Session(ctx, scope)
	if err != nil {
		return store.Session{}, readapi.AsError(op, err)
	}
	if !ok {
		return store.Session{}, &readapi.Error{Op: op, Code: readapi.CodeNotFound, Detail: "there is no session of this id"}
	}
	return s, nil
}
