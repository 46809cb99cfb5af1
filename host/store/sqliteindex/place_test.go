package sqliteindex_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// raw opens the database beside the driver.
func raw(t testing.TB, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func mustExec(t *testing.T, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
}

// openAgain opens an existing database, uses it and closes it.
func openAgain(t *testing.T, path string) error {
	t.Helper()
	d, err := sqliteindex.Open(t.Context(), path, nil)
	if err != nil {
		return err
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = x.Artifacts(t.Context(), scope, []readapi.ArtifactID{artifact(1).ID})
	if err == nil {
		_, err = x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(int(time.Now().UnixNano()))}}))
	}
	return errors.Join(err, x.Close())
}

func newPath(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	if err := openAgain(t, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// The schema of version 2 is what the databases of this version have, for good: a change is a new migration.
func TestSchema(t *testing.T) { checkSchema(t, newPath(t)) }

func checkSchema(t *testing.T, path string) {
	t.Helper()
	rows, err := raw(t, path).QueryContext(t.Context(), "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE '%goose%' AND name NOT LIKE 'sqlite_%' ORDER BY name")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var got strings.Builder
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		got.WriteString(s + ";\n\n")
	}
	want, err := os.ReadFile("testdata/schema-v2.sql")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("the schema is another (-want +got):\n%s", diff)
	}
}

func TestOtherDatabases(t *testing.T) {
	for name, c := range map[string]struct {
		make func(t *testing.T, path string)
		want readapi.Code
		text string
	}{
		"of this version": {func(*testing.T, string) {}, "", ""},
		"of a newer version": {func(t *testing.T, path string) { mustExec(t, raw(t, path), "PRAGMA user_version = 99") },
			readapi.CodeCapabilityUnavailable, "the index was made by a newer version of glovebox"},
		"of another program": {func(t *testing.T, path string) {
			_ = os.Remove(path)
			mustExec(t, raw(t, path), "CREATE TABLE t (x)", "PRAGMA user_version = 1")
		}, readapi.CodeCapabilityUnavailable, "the index was made by another program"},
		"no database": {func(t *testing.T, path string) {
			if err := os.WriteFile(path, bytes.Repeat([]byte("no database"), 1000), 0o600); err != nil {
				t.Fatal(err)
			}
		}, readapi.CodeCorrupt, "the index is damaged"},
		"damaged": {func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			if err == nil {
				for i := 4096; i < len(b); i++ {
					b[i] ^= 0x5a
				}
				err = os.WriteFile(path, b, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}, readapi.CodeCorrupt, "the index is damaged"},
		"empty": {func(t *testing.T, path string) {
			if err := os.Truncate(path, 0); err != nil {
				t.Fatal(err)
			}
		}, "", ""},
		"a folder": {func(t *testing.T, path string) {
			if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o700)); err != nil {
				t.Fatal(err)
			}
		}, readapi.CodeCapabilityUnavailable, "the data directory cannot be used"},
	} {
		path := newPath(t)
		c.make(t, path)
		err := openAgain(t, path)
		e, _ := errors.AsType[*readapi.Error](err)
		if readapi.CodeOf(err) != c.want || e != nil && (e.Detail != c.text || e.Op == "") {
			t.Errorf("%s: %v, want %q %q", name, err, c.want, c.text)
		}
	}
	if _, err := sqliteindex.Open(t.Context(), filepath.Join(t.TempDir(), "no", "folder", "index.db"), nil); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
		t.Errorf("no folder: %v", err)
	}
	if _, err := sqliteindex.Open(t.Context(), filepath.Join(t.TempDir(), "index.db"), &sqliteindex.Options{Readers: -1}); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
		t.Errorf("a negative option: %v", err)
	}
}

// Many open a new database at once; each can write.
func TestOpenTogether(t *testing.T) {
	for range 5 {
		path := filepath.Join(t.TempDir(), "index.db")
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				d, err := sqliteindex.Open(t.Context(), path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				defer d.Close()
				x, err := store.NewIndex(d)
				if err == nil {
					_, err = x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}}))
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		rows, _, err := newIndex(t, path).ListArtifacts(t.Context(), scope, -1, 100)
		if err != nil || len(rows) != 6 {
			t.Errorf("%d rows, %v", len(rows), err)
		}
	}
}

// Another process that holds the lock for long makes a call busy, a short one only waits; reading goes on.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	d, err := sqliteindex.Open(t.Context(), path, &sqliteindex.Options{BusyTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(1)}})); err != nil {
		t.Fatal(err)
	}
	other, err := raw(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	_, err = x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(2)}}))
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || e.RetryAfter == 0 {
		t.Errorf("%v, want busy and when to try again", err)
	}
	if rows, _, err := x.Artifacts(t.Context(), scope, []readapi.ArtifactID{artifact(1).ID}); err != nil || len(rows) != 1 {
		t.Errorf("reading beside a writer: %v", err)
	}
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(2)}})); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// A context that ends while another process holds the lock ends the wait, long before it is busy.
func TestCanceledWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	d, err := sqliteindex.Open(t.Context(), path, &sqliteindex.Options{BusyTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var batches []store.Batch
	for i := range 3 {
		batches = append(batches, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}}))
	}
	other, err := raw(t, path).Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	var wg sync.WaitGroup
	for i := range 3 { // one waits for the other process, the others for the one
		wg.Go(func() {
			if _, err := x.Append(ctx, scope, batches[i]); readapi.CodeOf(err) != readapi.CodeLimitTime {
				t.Errorf("%v, want limit_time", err)
			}
		})
	}
	wg.Wait()
	if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(9)}})); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	if rows, _, err := x.ListArtifacts(t.Context(), scope, -1, 10); err != nil || len(rows) != 1 {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// A context that ends at any moment of an append: it is committed or it is canceled, and what is told is what is so.
func TestCanceledAnywhere(t *testing.T) {
	x := newIndex(t, filepath.Join(t.TempDir(), "index.db"))
	told := map[readapi.ArtifactID]bool{}
	for i := range 300 {
		ctx, cancel := context.WithCancel(t.Context())
		timer := time.AfterFunc(time.Duration(i)*5*time.Microsecond, cancel)
		e := store.Event{ID: string(artifact(i).ID), Type: "user", Time: time.Now(), Payload: []byte(`{}`)}
		_, err := x.Append(ctx, scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}, Events: []store.Event{e}}))
		if readapi.CodeOf(err) != readapi.CodeCanceled && err != nil {
			t.Errorf("%d: %v, want canceled", i, err)
		}
		told[artifact(i).ID] = err == nil
		if _, _, err := x.Artifacts(ctx, scope, []readapi.ArtifactID{artifact(i).ID}); err != nil && readapi.CodeOf(err) != readapi.CodeCanceled {
			t.Errorf("reading, %d: %v, want canceled", i, err)
		}
		timer.Stop()
		cancel()
	}
	rows, _, err := x.ListArtifacts(t.Context(), scope, -1, 0)
	if err != nil {
		t.Fatal(err)
	}
	committed := 0
	for _, ok := range told {
		if ok {
			committed++
		}
	}
	for i, a := range rows {
		if !told[a.ID] || a.Seq != int64(i) {
			t.Errorf("%s is there with the number %d at %d, and was told to be canceled", a.ID, a.Seq, i)
		}
	}
	if len(rows) != committed {
		t.Errorf("%d rows, %d committed", len(rows), committed)
	}
	t.Logf("%d of %d committed", committed, len(told))
}
