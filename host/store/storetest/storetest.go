// Package storetest holds what every driver of package store must do. A driver's tests run it:
//
//	func TestConformance(t *testing.T) {
//		storetest.RunIndex(t, storetest.IndexHarness{New: func(storetest.T) store.IndexDriver { return memindex.New() }})
//	}
//
// Each case has a mutant in this package's own tests: a driver that is broken in one way, which exactly this case must catch.
package storetest

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// T is what a case needs of a *testing.T, so that a case can be run against a driver which it must refuse.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
	TempDir() string
	Cleanup(func())
}

// BlobHarness makes the drivers that RunBlobs tests. What it makes it closes itself, by T.Cleanup.
type BlobHarness struct {
	New    func(t T) store.BlobDriver                     // in a new, empty place
	Reopen func(t T, d store.BlobDriver) store.BlobDriver // closes d and opens its place again; nil where nothing outlives d

	// Plant puts into the place of a blob what is none of d's: a link to a file of somebody else's, say. It returns what is wrong with it
	// afterwards, nil when both are as they were. nil where that cannot be.
	Plant func(t T, d store.BlobDriver, name string) (changed func() error)

	// Removed says that a large blob which is open may be gone once it is removed, because d holds no more than a part of it.
	Removed bool
}

// IndexHarness makes the drivers that RunIndex tests. What it makes it closes itself, by T.Cleanup.
type IndexHarness struct {
	New    func(t T) store.IndexDriver                      // in a new, empty place
	Reopen func(t T, d store.IndexDriver) store.IndexDriver // closes d and opens its place again; nil where nothing outlives d
	Beside func(t T, d store.IndexDriver) store.IndexDriver // opens d's place once more, as another process would; nil where that cannot be
}

// testCase is one thing that a driver must do.
type testCase[H any] struct {
	name string
	run  func(t T, h H)
}

// RunBlobs runs every case of a blob driver.
func RunBlobs(t *testing.T, h BlobHarness) { run(t, h, blobCases()) }

// RunIndex runs every case of an index driver.
func RunIndex(t *testing.T, h IndexHarness) { run(t, h, indexCases()) }

func run[H any](t *testing.T, h H, cases []testCase[H]) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, h) })
	}
}

// must fails the case where err is not nil.
func must(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

func equal[V any](t T, what string, got, want V) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s: got %+v, want %+v", what, got, want)
	}
}

// together runs f n times at once and waits. f must not call Fatalf.
func together(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}

// Lessor is a driver or a store.Index.
type Lessor interface {
	LeaseBlobs(ctx context.Context, holder string, digests []string, ttl time.Duration) error
}

var holders atomic.Int64

// Leased leases the bytes of the batch's artifacts for a new holder and returns the batch with it, for an Append that is to succeed.
func Leased(t interface{ Context() context.Context }, d Lessor, b store.Batch) store.Batch {
	b.Holder = fmt.Sprint("test-", os.Getpid(), "-", holders.Add(1))
	var digests []string
	for _, a := range b.Artifacts {
		if store.ValidDigest(a.Blob) {
			digests = append(digests, a.Blob)
		}
	}
	slices.Sort(digests)
	for part := range slices.Chunk(slices.Compact(digests), store.MaxPage) {
		_ = d.LeaseBlobs(t.Context(), b.Holder, part, time.Minute) // without it, Append fails
	}
	return b
}
