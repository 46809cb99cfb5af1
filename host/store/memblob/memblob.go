// Package memblob keeps blobs in memory, for tests and for hosts that need not remember. It is a driver of store.Blobs.
//
//	blobs, err := store.NewBlobs(memblob.New(), nil)
package memblob

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"iter"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Driver is a store.BlobDriver.
type Driver struct {
	mu    sync.RWMutex
	blobs map[string]entry
}

type entry struct {
	content   []byte // never written to
	committed time.Time
}

// New returns an empty driver.
func New() *Driver { return &Driver{blobs: map[string]entry{}} }

// Create implements store.BlobDriver.
func (d *Driver) Create(context.Context) (store.BlobWriter, error) { return &writer{driver: d}, nil }

// Open implements store.BlobDriver.
func (d *Driver) Open(_ context.Context, sha256 string) (store.BlobReader, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e, ok := d.blobs[sha256]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return reader{bytes.NewReader(e.content)}, nil
}

// Remove implements store.BlobDriver.
func (d *Driver) Remove(_ context.Context, sha256 string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.blobs, sha256)
	return nil
}

// Stat implements store.BlobDriver.
func (d *Driver) Stat(_ context.Context, sha256 string) (store.BlobInfo, error) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	e, ok := d.blobs[sha256]
	if !ok {
		return store.BlobInfo{}, fs.ErrNotExist
	}
	return store.BlobInfo{Blob: store.Blob{SHA256: sha256, Size: int64(len(e.content))}, Committed: e.committed}, nil
}

// List implements store.BlobDriver. It yields what was there when it began.
func (d *Driver) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		d.mu.RLock()
		infos := make([]store.BlobInfo, 0, len(d.blobs))
		for sum, e := range d.blobs {
			infos = append(infos, store.BlobInfo{Blob: store.Blob{SHA256: sum, Size: int64(len(e.content))}, Committed: e.committed})
		}
		d.mu.RUnlock()
		for _, info := range infos {
			if err := ctx.Err(); err != nil {
				yield(store.BlobInfo{}, err)
				return
			}
			if !yield(info, nil) {
				return
			}
		}
	}
}

// Close implements store.BlobDriver.
func (d *Driver) Close() error { return nil }

type writer struct {
	driver *Driver
	buf    bytes.Buffer
	ended  bool
}

var errEnded = errors.New("memblob: the blob has been committed or dropped")

func (w *writer) Write(p []byte) (int, error) {
	if w.ended {
		return 0, errEnded
	}
	return w.buf.Write(p)
}

func (w *writer) Commit(sha256 string) error {
	if w.ended {
		return errEnded
	}
	w.ended = true
	w.driver.mu.Lock()
	defer w.driver.mu.Unlock()
	w.driver.blobs[sha256] = entry{bytes.Clone(w.buf.Bytes()), time.Now()}
	return nil
}

func (w *writer) Abort() error {
	w.ended = true
	w.buf = bytes.Buffer{}
	return nil
}

type reader struct{ *bytes.Reader }

func (reader) Close() error { return nil }
