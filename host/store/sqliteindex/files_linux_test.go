package sqliteindex_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/sqliteindex"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// Where the process may open no more files, a call is busy, and works again when others have closed theirs.
func TestTooManyFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	d, err := sqliteindex.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	x, err := store.NewIndex(d)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 64
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	var open []*os.File
	free := func() {
		for _, f := range open {
			_ = f.Close()
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}
	for range few.Cur {
		if f, err := os.Open(os.DevNull); err == nil {
			open = append(open, f)
		}
	}
	_, _, err = x.Artifacts(t.Context(), scope, []readapi.ArtifactID{artifact(1).ID}) // the first read: it needs a connection
	free()
	if e, ok := errors.AsType[*readapi.Error](err); !ok || e.Code != readapi.CodeBusy || e.RetryAfter == 0 {
		t.Errorf("%v, want busy and when to try again", err)
	}
	if _, _, err := x.Artifacts(t.Context(), scope, []readapi.ArtifactID{artifact(1).ID}); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
