package pgindex_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// appendMany appends until the end, each time an event and a file, and says again what it was told to say later.
func appendMany(t *testing.T, x *pgindex.Driver, who int, end func() bool, done, told *atomic.Int64) (ids []string) {
	s := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s", who))}
	for i := 0; !end(); i++ {
		id := fmt.Sprintf("w%di%d", who, i)
		a := artifact(i)
		a.ID = readapi.ArtifactID(id)
		e := store.Event{ID: id, Type: "user", Time: time.UnixMilli(1), Payload: []byte(`{}`)}
		for {
			b := storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{a}, Events: []store.Event{e}, Again: true})
			_, err := x.Append(t.Context(), s, b)
			if err == nil {
				ids = append(ids, id)
				done.Add(1)
				break
			}
			told.Add(1)
			if code := readapi.CodeOf(err); code != readapi.CodeBusy {
				t.Errorf("%s: %v", code, err)
				return ids
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	return ids
}

// hasAll checks that a session has each of ids once, in order, and counts right.
func hasAll(t *testing.T, x *pgindex.Driver, who int, ids []string) {
	t.Helper()
	s := readapi.Scope{Principal: "local", Session: readapi.SessionID(fmt.Sprint("s", who))}
	var events []store.Event
	var rows []store.Artifact
	for {
		page, err := x.Events(t.Context(), s, int64(len(events))-1, store.MaxPage)
		if err != nil {
			t.Fatal(err)
		}
		more, _, err := x.ListArtifacts(t.Context(), s, int64(len(rows))-1, store.MaxPage)
		if err != nil {
			t.Fatal(err)
		}
		events, rows = append(events, page...), append(rows, more...)
		if len(page)+len(more) == 0 {
			break
		}
	}
	// What was not answered may be there all the same: once.
	if n := len(ids); len(events) < n || len(events) > n+1 || len(rows) != len(events) {
		t.Fatalf("session %d: %d events and %d files, want %d of both", who, len(events), len(rows), n)
	}
	for i, id := range ids {
		if events[i].ID != id || string(rows[i].ID) != id {
			t.Fatalf("session %d: at %d is %s with %s, want %s", who, i, events[i].ID, rows[i].ID, id)
		}
	}
	if now, _, err := x.Session(t.Context(), s); err != nil || now.Files != int64(len(rows)) {
		t.Errorf("session %d counts %d files, and has %d: %v", who, now.Files, len(rows), err)
	}
}

// Connections go at any moment: everything that was answered is there, once, and nobody is told anything but to try again.
func TestLostConnections(t *testing.T) {
	url := pgtest.URL(t)
	x, y := newDriver(t, url), newDriver(t, url)
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	var group sync.WaitGroup
	var done, told atomic.Int64
	end, ids := time.Now().Add(3*time.Second), make([][]string, 4)
	for who := range ids {
		group.Go(func() {
			ids[who] = appendMany(t, []*pgindex.Driver{x, y}[who%2], who, func() bool { return time.Now().After(end) }, &done, &told)
		})
	}
	var cut int64
	for time.Now().Before(end) {
		tag, err := c.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
			AND random() < 0.5`)
		if err != nil {
			t.Fatal(err)
		}
		cut += tag.RowsAffected()
		time.Sleep(15 * time.Millisecond)
	}
	group.Wait()
	t.Logf("%d appends, %d connections cut, %d times told to try again", done.Load(), cut, told.Load())
	if cut < 50 || done.Load() < 50 {
		t.Errorf("%d appends, %d cut: this shows nothing", done.Load(), cut)
	}
	for who := range ids {
		hasAll(t, x, who, ids[who])
	}
}

// The server is killed while hosts append, and starts again: nothing that was answered is lost, and the hosts go on without being told.
func TestServerKilled(t *testing.T) {
	server := pgtest.Start(t, &pgtest.Options{Durable: true})
	url := server.URL(t)
	x := newDriver(t, url)
	if err := x.Answers().Put(t.Context(), digest(1), []byte("answer")); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		var group sync.WaitGroup
		var done, told atomic.Int64
		var over atomic.Bool
		ids := make([][]string, 3)
		for i := range ids {
			group.Go(func() { ids[i] = appendMany(t, x, 10*round+i, over.Load, &done, &told) })
		}
		time.Sleep(300 * time.Millisecond)
		if err := server.Kill(); err != nil {
			t.Fatal(err)
		}
		before := done.Load()
		if err := server.Start(); err != nil {
			t.Fatal(err)
		}
		for wait := time.Now().Add(10 * time.Second); done.Load() == before && time.Now().Before(wait); {
			time.Sleep(20 * time.Millisecond)
		}
		over.Store(true)
		group.Wait()
		if before == 0 || done.Load() == before || told.Load() == 0 {
			t.Errorf("%d appends before, %d with those behind, %d told to try again: this shows nothing", before, done.Load(), told.Load())
		}
		for i := range ids {
			hasAll(t, x, 10*round+i, ids[i])
		}
	}
	if _, ok, err := x.Answers().Get(t.Context(), digest(1)); ok || err != nil {
		t.Errorf("an answer outlives a crash: %v", err) // and none that is damaged is taken for whole
	}
}
