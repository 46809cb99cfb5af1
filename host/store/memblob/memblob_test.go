package memblob_test

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.RunBlobs(t, storetest.BlobHarness{New: func(storetest.T) store.BlobDriver { return memblob.New() }})
}
