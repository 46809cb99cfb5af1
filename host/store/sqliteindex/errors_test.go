package sqliteindex

import (
	"errors"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestCodes: what SQLite says becomes a code that tells whom it concerns: who runs the host, or who calls it.
func TestCodes(t *testing.T) {
	cause := errors.New("what SQLite said")
	for code, want := range map[int]readapi.Code{
		sqlite3.SQLITE_BUSY: readapi.CodeBusy, sqlite3.SQLITE_BUSY_SNAPSHOT: readapi.CodeBusy, sqlite3.SQLITE_LOCKED_SHAREDCACHE: readapi.CodeBusy,
		sqlite3.SQLITE_CORRUPT: readapi.CodeCorrupt, sqlite3.SQLITE_CORRUPT_INDEX: readapi.CodeCorrupt, sqlite3.SQLITE_NOTADB: readapi.CodeCorrupt,
		sqlite3.SQLITE_FULL: readapi.CodeQuotaExceeded, sqlite3.SQLITE_IOERR_SHMSIZE: readapi.CodeQuotaExceeded,
		sqlite3.SQLITE_READONLY: readapi.CodeCapabilityUnavailable, sqlite3.SQLITE_READONLY_DIRECTORY: readapi.CodeCapabilityUnavailable,
		sqlite3.SQLITE_CANTOPEN: readapi.CodeCapabilityUnavailable, sqlite3.SQLITE_PERM: readapi.CodeCapabilityUnavailable,
		sqlite3.SQLITE_IOERR_WRITE: readapi.CodeCapabilityUnavailable, sqlite3.SQLITE_IOERR_FSYNC: readapi.CodeCapabilityUnavailable,
		sqlite3.SQLITE_TOOBIG: readapi.CodeTooLarge, sqlite3.SQLITE_MISUSE: readapi.CodeInternal, sqlite3.SQLITE_CONSTRAINT: readapi.CodeInternal,
		sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY: readapi.CodeInternal, sqlite3.SQLITE_CONSTRAINT_UNIQUE: readapi.CodeCorrupt,
		sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY: readapi.CodeCorrupt,
	} {
		err := sqliteError(code, cause)
		if readapi.CodeOf(err) != want || !errors.Is(err, cause) {
			t.Errorf("result code %d: %v, want %s", code, err, want)
		}
	}
}
