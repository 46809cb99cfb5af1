package pgindex_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

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

func TestConformance(t *testing.T) {
	o := opener{}
	storetest.RunIndex(t, storetest.IndexHarness{
		New: func(t storetest.T) store.IndexDriver { return o.open(t, pgtest.URL(t)) },
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

func newIndex(t pgtest.T, url string) *store.Index {
	t.Helper()
	x, err := store.NewIndex(newDriver(t, url))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return x
}
