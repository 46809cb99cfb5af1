//go:build !windows

package sqliteindex_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Nobody else can look at the database, its log or its shared memory.
func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	x := newIndex(t, path)
	if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(1)}})); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
		info, err := os.Stat(path + suffix)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", suffix, info, err)
		}
	}
	left, err := filepath.Glob(path + "-new-*")
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left", left)
	}
}

// A database that has been taken away from under its host is written to no more: what it commits would be lost, and nobody told. Nothing
// is made in its place.
func TestMoved(t *testing.T) {
	for name, move := range map[string]func(path string) error{
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+"-old"), os.WriteFile(path, nil, 0o600))
		},
		"renamed": func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-old") },
	} {
		folder := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, "index.db")
		x := newIndex(t, path)
		if _, err := x.Append(t.Context(), scope, storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(1)}})); err != nil {
			t.Fatal(err)
		}
		second := storetest.Leased(t, x, store.Batch{Artifacts: []store.Artifact{artifact(2)}})
		if err := move(path); err != nil {
			t.Fatal(err)
		}
		if _, err := x.Append(t.Context(), scope, second); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
			t.Errorf("%s: %v, want capability_unavailable", name, err)
		}
		// No connection has read so far, and none can be made any more.
		if _, _, err := x.ListArtifacts(t.Context(), scope, -1, 10); readapi.CodeOf(err) != readapi.CodeCapabilityUnavailable {
			t.Errorf("%s: reading: %v, want capability_unavailable", name, err)
		}
		if info, err := os.Stat(path); err == nil && (name != "replaced" || info.Size() > 0) {
			t.Errorf("%s: a database was made in its place", name)
		}
	}
}
