package sqliteindex_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func newIndex(tb testing.TB, path string) *store.Index {
	tb.Helper()
	d, err := sqliteindex.Open(tb.Context(), path, nil)
	if err != nil {
		tb.Fatal(err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = x.Close() })
	return x
}

func BenchmarkArtifacts(b *testing.B) {
	x := newIndex(b, filepath.Join(b.TempDir(), "index.db"))
	var ids []readapi.ArtifactID
	for i := range 100 {
		if _, err := x.Append(b.Context(), scope, storetest.Leased(b, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}})); err != nil {
			b.Fatal(err)
		}
		ids = append(ids, artifact(i).ID)
	}
	foreign := readapi.Scope{Principal: scope.Principal, Session: "other"}
	if _, err := x.Append(b.Context(), foreign, storetest.Leased(b, x, store.Batch{Artifacts: []store.Artifact{artifact(1000)}})); err != nil {
		b.Fatal(err)
	}
	for name, ids := range map[string][]readapi.ArtifactID{"1": ids[:1], "100": ids, "absent": {artifact(1001).ID}, "foreign": {artifact(1000).ID}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := x.Artifacts(b.Context(), scope, ids); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAppend(b *testing.B) {
	x := newIndex(b, filepath.Join(b.TempDir(), "index.db"))
	i := 0
	for b.Loop() {
		i++
		e := store.Event{ID: string(artifact(i).ID), Type: "user", Time: time.Now(), Message: true, Payload: []byte(`{"text":"some words of a message"}`)}
		if _, err := x.Append(b.Context(), scope, storetest.Leased(b, x, store.Batch{Artifacts: []store.Artifact{artifact(i)}, Events: []store.Event{e}})); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpen(b *testing.B) {
	for name, path := range map[string]func() string{
		"new":     func() string { return filepath.Join(b.TempDir(), "index.db") },
		"current": func() func() string { p := filepath.Join(b.TempDir(), "index.db"); return func() string { return p } }(),
	} {
		b.Run(name, func(b *testing.B) {
			open := func() {
				d, err := sqliteindex.Open(b.Context(), path(), nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := d.Close(); err != nil {
					b.Fatal(err)
				}
			}
			open()
			for b.Loop() {
				open()
			}
		})
	}
}
