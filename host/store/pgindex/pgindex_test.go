package pgindex_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex"
	"github.com/glovebox-wasm/glovebox/host/store/pgindex/pgtest"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var scope = readapi.Scope{Principal: "local", Session: "s"}

func artifact(i int) store.Artifact {
	return store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", i)), Blob: strings.Repeat("a", 64), Bytes: 3, Name: "a.txt", Kind: "doc",
		Source: store.SourceUserUpload, MediaType: "text/plain", Candidates: []readapi.MediaType{"text/plain"}, Created: time.Now()}
}

// opener opens drivers, and knows where they are.
type opener map[store.IndexDriver]string

func (o opener) open(t storetest.T, url string) store.IndexDriver {
	t.Helper()
	d, err := pgindex.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	o[d] = url
	return d
}

// empty makes a database with the schema as good as new.
const empty = `TRUNCATE glovebox.sessions, glovebox.artifacts, glovebox.events, glovebox.uploads, glovebox.usage, glovebox.leases, glovebox.claims,
		glovebox.names, glovebox.hosts, glovebox.answers;
	UPDATE glovebox.decoder_set SET generation = 0, decoders = '[]'`

// places lends databases to cases, which takes a tenth of making one for each.
type places struct {
	t    *testing.T
	free []string
}

func (p *places) url(t storetest.T) string {
	t.Helper()
	if len(p.free) == 0 {
		p.free = append(p.free, pgtest.URL(p.t))
	} else if c, err := pgx.Connect(t.Context(), p.free[0]); err == nil {
		if _, err := c.Exec(t.Context(), empty); err != nil {
			t.Fatalf("%v", err)
		}
		_ = c.Close(t.Context())
	}
	url := p.free[0]
	p.free = p.free[1:]
	t.Cleanup(func() { p.free = append(p.free, url) })
	return url
}

func TestConformance(t *testing.T) {
	o, p := opener{}, &places{t: t}
	storetest.RunIndex(t, storetest.IndexHarness{
		New: func(t storetest.T) store.IndexDriver { return o.open(t, p.url(t)) },
		Reopen: func(t storetest.T, d store.IndexDriver) store.IndexDriver {
			if err := d.Close(); err != nil {
				t.Errorf("%v", err)
			}
			return o.open(t, o[d])
		},
		Beside: func(t storetest.T, d store.IndexDriver) store.IndexDriver { return o.open(t, o[d]) },
	})
}

func newDriver(t pgtest.T, url string) *pgindex.Driver {
	t.Helper()
	d, err := pgindex.Open(t.Context(), url, nil)
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

// ticking puts a clock that tests can set in the place of the server's.
const ticking = `
	CREATE TABLE IF NOT EXISTS public.clock (ms bigint);
	CREATE OR REPLACE FUNCTION glovebox.now_ms() RETURNS bigint LANGUAGE sql AS 'SELECT ms FROM public.clock';
	DELETE FROM public.clock; INSERT INTO public.clock VALUES (0)`

// Every other history runs without prepared statements, as it must behind a pooler that gives the connection away.
func TestSameAsMemory(t *testing.T) {
	url, n := pgtest.URL(t), 0
	drivers := []*pgindex.Driver{newDriver(t, url), newDriver(t, url+"&default_query_exec_mode=exec")}
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(context.WithoutCancel(t.Context())) }()
	run := func(sql string, args ...any) {
		if _, err := c.Exec(t.Context(), sql, args...); err != nil {
			t.Fatal(err)
		}
	}
	storetest.RunModel(t, storetest.ModelHarness{
		New: func(*rapid.T, func() time.Time) store.IndexDriver {
			run(empty + ";" + ticking)
			n++
			return drivers[n%2]
		},
		Tick: func(now time.Time) { run("UPDATE public.clock SET ms = $1", now.UnixMilli()) },
	})
}
