package sqliteindex

import (
	"context"
	"errors"
	"os"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func errBusy(cause error) error {
	return &readapi.Error{Code: readapi.CodeBusy, Detail: "another writer holds the index", RetryAfter: time.Second, Err: cause}
}

// driverError gives an error of SQLite its code, by https://sqlite.org/rescode.html; others stay as they are.
func driverError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if readapi.CodeOf(err) != readapi.CodeInternal {
		return err
	}
	if cerr := ctx.Err(); cerr != nil {
		return errors.Join(cerr, err) // what runs is interrupted, and its transaction is gone, whatever the error is called then
	}
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return store.PlaceError("", err) // of the file system
	}
	if e.Code()&0xff == sqlite3.SQLITE_CANTOPEN {
		if full := canOpen(); full != nil {
			return store.PlaceError("", errors.Join(full, err))
		}
	}
	return sqliteError(e.Code(), err)
}

// canOpen tries whether the process may open a file at all, which SQLite does not tell.
func canOpen() error {
	f, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	return f.Close()
}

// sqliteError is the error for an extended result code of SQLite.
func sqliteError(code int, err error) error {
	out := &readapi.Error{Code: readapi.CodeInternal, Err: err}
	if code == sqlite3.SQLITE_CONSTRAINT_UNIQUE || code == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY {
		// A row is where a session's counter says that the next one goes: one of the two is damaged.
		out.Code, out.Detail = readapi.CodeCorrupt, "the index is damaged"
		return out
	}
	switch code & 0xff { // the rest of an extended code only says more exactly where
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return errBusy(err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT:
		out.Code, out.Detail = readapi.CodeCorrupt, "the index is damaged"
	case sqlite3.SQLITE_FULL:
		return errFull(err)
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_IOERR:
		// Readers and writers meet in a small shared file. That it cannot be made larger is how a full disk shows at opening.
		if code == sqlite3.SQLITE_IOERR_SHMSIZE {
			return errFull(err)
		}
		out.Code, out.Detail = readapi.CodeCapabilityUnavailable, "the data directory cannot be used"
		out.Hint = "Let the user that runs glovebox read and write the data directory."
	case sqlite3.SQLITE_TOOBIG:
		out.Code, out.Detail = readapi.CodeTooLarge, "a row is larger than the index can keep"
	}
	return out
}

func errFull(cause error) error {
	return &readapi.Error{Code: readapi.CodeQuotaExceeded, Detail: "the disk is full", Hint: "Make room on the disk of the data directory.", Err: cause}
}
