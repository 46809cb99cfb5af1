package fileblob_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/fileblob"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

func TestConformance(t *testing.T) {
	dirs := map[store.BlobDriver]string{}
	open := func(t storetest.T, dir string) store.BlobDriver {
		d, err := fileblob.Open(dir, nil)
		if err != nil {
			t.Fatalf("%v", err)
		}
		t.Cleanup(func() { _ = d.Close() })
		dirs[d] = dir
		return d
	}
	storetest.RunBlobs(t, storetest.BlobHarness{
		New: func(t storetest.T) store.BlobDriver { return open(t, t.TempDir()) },
		Reopen: func(t storetest.T, d store.BlobDriver) store.BlobDriver {
			if err := d.Close(); err != nil {
				t.Errorf("%v", err)
			}
			return open(t, dirs[d])
		},
		Plant: func(t storetest.T, d store.BlobDriver, name string) func() error { return plant(t, dirs[d], name) },
	})
}

// plant puts a link to a file outside into the place of a blob.
func plant(t storetest.T, dir, name string) func() error {
	outside := filepath.Join(t.TempDir(), "outside")
	place := filepath.Join(dir, "blobs", name[:2], name)
	if err := errors.Join(os.WriteFile(outside, []byte("not ours"), 0o600), os.Remove(place), os.Symlink(outside, place)); err != nil {
		t.Fatalf("%v", err)
	}
	return func() error {
		if to, err := os.Readlink(place); err != nil || to != outside {
			return fmt.Errorf("the link is to %q: %v", to, err)
		}
		if b, err := os.ReadFile(outside); err != nil || string(b) != "not ours" {
			return fmt.Errorf("outside has %q: %v", b, err)
		}
		return nil
	}
}
