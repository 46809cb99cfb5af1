package memindex_test

import (
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memindex"
	"github.com/glovebox-wasm/glovebox/host/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.RunIndex(t, storetest.IndexHarness{New: func(storetest.T) store.IndexDriver { return memindex.New() }})
}
