package sqliteindex

import (
	"context"
	"database/sql"
	"math"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	sessionColumns = `principal, session, messages, files, bytes, created, updated, archived, deleted, purging`

	// The first condition on updated is the range of the index; the second is the exact place within it.
	listSessions = `SELECT ` + sessionColumns + ` FROM sessions WHERE principal = ?1 AND updated <= ?2
		AND (updated < ?2 OR session > ?3) AND (archived = 0 OR ?4) AND (deleted IS NULL OR ?5) AND purging = 0
		ORDER BY updated DESC, session LIMIT ?6`

	selectSession = `SELECT ` + sessionColumns + ` FROM sessions WHERE principal = ?1 AND session = ?2`

	eventColumns = `seq, id, type, turn, time, message, payload`

	listEvents = `SELECT ` + eventColumns + ` FROM events WHERE principal = ?1 AND session = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4`

	selectEvent = `SELECT ` + eventColumns + ` FROM events WHERE principal = ?1 AND session = ?2 AND id = ?3`

	lastEvent = `SELECT ` + eventColumns + ` FROM events WHERE principal = ?1 AND session = ?2 ORDER BY seq DESC LIMIT 1`
)

// Sessions implements store.IndexDriver.
func (d *Driver) Sessions(ctx context.Context, principal readapi.PrincipalID, q store.SessionQuery) ([]store.Session, error) {
	updated, id := int64(math.MaxInt64), readapi.SessionID("")
	if q.After != nil {
		updated, id = q.After.Updated.UnixMilli(), q.After.ID
	}
	return d.sessions(ctx, listSessions, string(principal), updated, string(id), toInt(q.Archived), toInt(q.Deleted), q.Limit)
}

// Session implements store.IndexDriver.
func (d *Driver) Session(ctx context.Context, scope readapi.Scope) (store.Session, bool, error) {
	return first(d.sessions(ctx, selectSession, string(scope.Principal), string(scope.Session)))
}

func (d *Driver) sessions(ctx context.Context, query string, args ...any) (list []store.Session, err error) {
	err = d.rows(ctx, query, scanSession(&list), args...)
	return list, err
}

func scanSession(list *[]store.Session) func(*sql.Rows) error {
	return func(rows *sql.Rows) error {
		var s store.Session
		var created, updated, archived, purging int64
		var deleted sql.NullInt64
		err := rows.Scan((*string)(&s.Principal), (*string)(&s.ID), &s.Messages, &s.Files, &s.Bytes, &created, &updated, &archived, &deleted, &purging)
		if err != nil {
			return err
		}
		s.Created, s.Updated, s.Archived, s.Purging = fromMillis(created), fromMillis(updated), archived != 0, purging != 0
		if deleted.Valid {
			s.Deleted = fromMillis(deleted.Int64)
		}
		*list = append(*list, s)
		return nil
	}
}

func first[T any](list []T, err error) (v T, ok bool, _ error) {
	if err != nil || len(list) == 0 {
		return v, false, err
	}
	return list[0], true, nil
}

// Events implements store.IndexDriver.
func (d *Driver) Events(ctx context.Context, scope readapi.Scope, after int64, limit int) ([]store.Event, error) {
	return d.events(ctx, listEvents, string(scope.Principal), string(scope.Session), after, limit)
}

// Event implements store.IndexDriver.
func (d *Driver) Event(ctx context.Context, scope readapi.Scope, id string) (store.Event, bool, error) {
	return first(d.events(ctx, selectEvent, string(scope.Principal), string(scope.Session), id))
}

// LastEvent implements store.IndexDriver.
func (d *Driver) LastEvent(ctx context.Context, scope readapi.Scope) (store.Event, bool, error) {
	return first(d.events(ctx, lastEvent, string(scope.Principal), string(scope.Session)))
}

func (d *Driver) events(ctx context.Context, query string, args ...any) (list []store.Event, err error) {
	err = d.rows(ctx, query, func(rows *sql.Rows) error {
		var e store.Event
		var ms, message int64
		if err := rows.Scan(&e.Seq, &e.ID, &e.Type, &e.Turn, &ms, &message, (*[]byte)(&e.Payload)); err != nil {
			return err
		}
		e.Time, e.Message = fromMillis(ms), message != 0
		list = append(list, e)
		return nil
	}, args...)
	return list, err
}
