package pgindex

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func errBusy(detail string, cause error) error {
	return &readapi.Error{Code: readapi.CodeBusy, Detail: detail, RetryAfter: time.Second, Err: cause}
}

func unavailable(detail, hint string, cause error) error {
	return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: detail, Hint: hint, Err: cause}
}

// lost reports whether err says that the connection went, and nothing of what became of what was asked.
func lost(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		// 57P01 to 57P03: the server shuts down, crashed, or starts; 57P05, 25P03: the connection was idle for too long.
		return strings.HasPrefix(e.Code, "08") || strings.HasPrefix(e.Code, "57P0") || e.Code == "25P03"
	}
	_, network := errors.AsType[net.Error](err)
	return network || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) ||
		strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "conn busy") // of pgconn, which has no name for it
}

// unreachable reports whether no connection could be made, for no reason that a server gave.
func unreachable(err error) bool {
	_, connect := errors.AsType[*pgconn.ConnectError](err)
	_, answered := errors.AsType[*pgconn.PgError](err)
	return connect && !answered
}

// passing reports whether a step that failed with err may do better when it is tried again at once. repeat says that it does no harm where
// the step was done after all.
func passing(err error, repeat bool) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok && (e.Code == "40001" || e.Code == "40P01") {
		return true // a conflict with other transactions, or a deadlock: it was rolled back
	}
	if code := readapi.CodeOf(err); code != readapi.CodeInternal {
		return false
	}
	return pgconn.SafeToRetry(err) || repeat && lost(err)
}

// driverError gives an error of PostgreSQL its code; others stay as they are.
func driverError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if readapi.CodeOf(err) != readapi.CodeInternal {
		return err
	}
	if cerr := ctx.Err(); cerr != nil {
		return errors.Join(cerr, text(err))
	}
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return serverError(e, text(err))
	}
	switch {
	case unreachable(err):
		return unavailable("the database cannot be reached", "See that it runs, and that its address is right.", text(err))
	case lost(err):
		return errBusy("the connection to the database was lost", text(err))
	}
	return text(err)
}

// text is err without what hangs on it: an error of a connection holds the connection's configuration, and with it the password.
func text(err error) error { return errors.New(err.Error()) }

// serverError is the error for what the server said. Codes: https://www.postgresql.org/docs/current/errcodes-appendix.html
func serverError(e *pgconn.PgError, cause error) error {
	class := e.Code[:min(2, len(e.Code))]
	switch {
	case e.Code == "53100":
		return &readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the database's disk is full", Hint: "Make room on the disk of the database.", Err: cause}
	case e.Code == "53300":
		return errBusy("the database has no room for another connection", cause)
	case class == "53":
		return errBusy("the database is short of resources", cause)
	case class == "40", e.Code == "55P03", e.Code == "57014":
		return errBusy("others hold the rows", cause)
	case class == "08", class == "57", e.Code == "25P03":
		return errBusy("the database ended the connection", cause)
	case class == "28":
		return unavailable("the database does not let us in", "See that the user and the password are right.", cause)
	case e.Code == "3D000":
		return unavailable("there is no database of this name", "Make it first: createdb.", cause)
	case e.Code == "42501":
		return unavailable("the database does not let us at the index", "Let its user make a schema in the database, or make the schema glovebox for it.", cause)
	case e.Code == "25006":
		return unavailable("the database cannot be written", "Name the primary server: a standby only reads.", cause)
	case e.Code == "42P07":
		return unavailable("the database has a schema glovebox that is not ours", "Use another database.", cause)
	case class == "XX" && e.Code != "XX000", class == "42", class == "3F", e.Code == "23505":
		return damaged(cause)
	case class == "54", e.Code == "22001":
		return &readapi.Error{Code: readapi.CodeTooLarge, Detail: "a row is larger than the index can keep", Err: cause}
	case class == "58":
		return unavailable("the database has a fault of its system", "See the log of the database.", cause)
	}
	return &readapi.Error{Code: readapi.CodeInternal, Err: cause}
}
