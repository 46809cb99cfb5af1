package pgindex

import (
	"context"
	"math"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	sessionColumns = `principal, session, messages, files, bytes, created, updated, archived, deleted, purging`

	// The first condition on updated is the range of the index; the second is the exact place within it.
	listSessions = `SELECT ` + sessionColumns + ` FROM glovebox.sessions WHERE principal || '' = $1 AND updated <= $2
		AND (updated < $2 OR session > $3) AND (NOT archived OR $4) AND (deleted IS NULL OR $5) AND NOT purging
		ORDER BY updated DESC, session LIMIT $6`

	selectSession = `SELECT ` + sessionColumns + ` FROM glovebox.sessions WHERE principal = $1 AND session = $2`

	scanSessions = `SELECT ` + sessionColumns + ` FROM glovebox.sessions WHERE (principal, session) > ($1, $2) ORDER BY principal, session LIMIT $3`

	eventColumns = `seq, id, type, turn, time, message, payload`

	listEvents = `SELECT ` + eventColumns + ` FROM glovebox.events WHERE principal = $1 AND session = $2 AND seq > $3 ORDER BY seq LIMIT $4`

	selectEvent = `SELECT ` + eventColumns + ` FROM glovebox.events WHERE principal || '' = $1 AND session || '' = $2 AND id = $3
		AND hashtextextended(principal || '/' || session || '/' || id, 0) = hashtextextended($1 || '/' || $2 || '/' || $3, 0)`

	lastEvent = `SELECT ` + eventColumns + ` FROM glovebox.events WHERE principal = $1 AND session = $2 ORDER BY seq DESC LIMIT 1`

	addEvents = `INSERT INTO glovebox.events (principal, session, seq, id, type, turn, time, message, payload)
		SELECT $1, $2, * FROM unnest($3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::boolean[], $9::text[]) AS u (seq, id)`
)

func scanSession(rows pgx.Rows) (s store.Session, err error) {
	var created, updated int64
	var deleted *int64
	err = rows.Scan((*string)(&s.Principal), (*string)(&s.ID), &s.Messages, &s.Files, &s.Bytes, &created, &updated, &s.Archived, &deleted, &s.Purging)
	s.Created, s.Updated, s.Deleted = fromMillis(created), fromMillis(updated), fromMaybe(deleted)
	return s, err
}

func scanEvent(rows pgx.Rows) (e store.Event, err error) {
	var ms int64
	err = rows.Scan(&e.Seq, &e.ID, &e.Type, &e.Turn, &ms, &e.Message, (*[]byte)(&e.Payload))
	e.Time = fromMillis(ms)
	return e, err
}

// Sessions implements store.IndexDriver.
func (d *Driver) Sessions(ctx context.Context, principal readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	updated, id := int64(math.MaxInt64), readapi.SessionID("")
	if q.After != nil {
		updated, id = q.After.Updated.UnixMilli(), q.After.ID
	}
	return list(ctx, d, scanSession, listSessions, string(principal), updated, string(id), q.Archived, q.Deleted, q.Limit)
}

// Session implements store.IndexDriver.
func (d *Driver) Session(ctx context.Context, scope readapi.Scope) (store.Session, bool, error) {
	return first(list(ctx, d, scanSession, selectSession, string(scope.Principal), string(scope.Session)))
}

// ScanSessions implements store.IndexDriver.
func (d *Driver) ScanSessions(ctx context.Context, after readapi.Scope, limit int) ([]store.Session, error) {
	return list(ctx, d, scanSession, scanSessions, string(after.Principal), string(after.Session), limit)
}

// Events implements store.IndexDriver.
func (d *Driver) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]store.Event, error) {
	return list(ctx, d, scanEvent, listEvents, string(scope.Principal), string(scope.Session), after, limit)
}

// Event implements store.IndexDriver.
func (d *Driver) Event(ctx context.Context, scope readapi.Scope, id string) (store.Event, bool, error) {
	return first(list(ctx, d, scanEvent, selectEvent, string(scope.Principal), string(scope.Session), id))
}

// LastEvent implements store.IndexDriver.
func (d *Driver) LastEvent(ctx context.Context, scope readapi.Scope) (store.Event, bool, error) {
	return first(list(ctx, d, scanEvent, lastEvent, string(scope.Principal), string(scope.Session)))
}

// eventArgs are those of addEvents.
func eventArgs(scope readapi.Scope, events []store.Event) []any {
	n := len(events)
	seqs, times, message := make([]int64, n), make([]int64, n), make([]bool, n)
	ids, types, turns, payloads := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
	for i, e := range events {
		seqs[i], times[i], message[i] = e.Seq, e.Time.UnixMilli(), e.Message
		ids[i], types[i], turns[i], payloads[i] = e.ID, e.Type, e.Turn, string(e.Payload)
	}
	return []any{string(scope.Principal), string(scope.Session), seqs, ids, types, turns, times, message, payloads}
}
