package host_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// slowBlobs is a place whose first writer does not come back until it is let go.
type slowBlobs struct {
	store.BlobDriver
	begun, done chan struct{}
	taken       atomic.Bool
}

func (d *slowBlobs) Create(ctx context.Context) (store.BlobWriter, error) {
	w, err := d.BlobDriver.Create(ctx)
	if err != nil || d.taken.Swap(true) {
		return w, err
	}
	return &slowWriter{w, d}, nil
}

type slowWriter struct {
	store.BlobWriter
	d *slowBlobs
}

func (w *slowWriter) Write(p []byte) (int, error) {
	close(w.d.begun)
	<-w.d.done
	return w.BlobWriter.Write(p)
}

// An upload whose time is over while its bytes are on their way keeps nobody else waiting, and is not dropped under them.
func TestUploadSlow(t *testing.T) {
	p := newPlace()
	slow := &slowBlobs{BlobDriver: p.blobs, begun: make(chan struct{}), done: make(chan struct{})}
	p.blobs = slow
	var ahead atomic.Int64
	h := p.open(t, newQuick(), &host.Options{Now: func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }})
	s := h.Session(scope("s"))
	if _, err := s.BeginUpload(t.Context(), beginOf("one", "c", "a.txt", "abc")); err != nil {
		t.Fatal(err)
	}
	sent := make(chan error, 1)
	go func() {
		_, err := s.UploadChunk(t.Context(), "c", "one", 0, []byte("abc"))
		sent <- err
	}()
	<-slow.begun
	ahead.Store(int64(100 * time.Hour))
	other := make(chan error, 1)
	go func() {
		_, err := h.Session(readapi.Scope{Principal: "other", Session: "s"}).BeginUpload(t.Context(), beginOf("one", "c", "a.txt", "x"))
		other <- err
	}()
	select {
	case err := <-other:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("another principal waits for the upload")
	}
	close(slow.done)
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if a, err := s.CommitUpload(t.Context(), "c", "one"); err != nil || a.Bytes != 3 {
		t.Errorf("%+v, %v", a, err)
	}
}
