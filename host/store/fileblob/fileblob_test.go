package fileblob_test

import (
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
	})
}
