package sqliteindex_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var scope = readapi.Scope{Principal: "local", Session: "s"}

func artifact(i int) store.Artifact {
	return store.Artifact{ID: readapi.ArtifactID(fmt.Sprintf("%032x", i)), Blob: strings.Repeat("a", 64), Bytes: 3, Name: "a.txt", Kind: "doc",
		Source: store.SourceUserUpload, MediaType: "text/plain", Candidates: []readapi.MediaType{"text/plain"}, Created: time.Now()}
}

func TestConformance(t *testing.T) {
	paths := map[store.IndexDriver]string{}
	open := func(t storetest.T, path string) store.IndexDriver {
		d, err := sqliteindex.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.Cleanup(func() { _ = d.Close() })
		paths[d] = path
		return d
	}
	storetest.RunIndex(t, storetest.IndexHarness{
		New: func(t storetest.T) store.IndexDriver { return open(t, filepath.Join(t.TempDir(), "a b?#%25.db")) },
		Reopen: func(t storetest.T, d store.IndexDriver) store.IndexDriver {
			if err := d.Close(); err != nil {
				t.Errorf("%v", err)
			}
			return open(t, paths[d])
		},
		Beside: func(t storetest.T, d store.IndexDriver) store.IndexDriver { return open(t, paths[d]) },
	})
}

func TestSameAsMemory(t *testing.T) {
	dir, run := t.TempDir(), 0
	storetest.RunModel(t, storetest.ModelHarness{New: func(t *rapid.T, now func() time.Time) store.IndexDriver {
		run++
		d, err := sqliteindex.Open(t.Context(), filepath.Join(dir, fmt.Sprint(run)), &sqliteindex.Options{Now: now, Readers: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = d.Close() })
		return d
	}})
}
