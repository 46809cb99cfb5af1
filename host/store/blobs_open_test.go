package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// counting counts what is read from the driver, and does before on each read.
type counting struct {
	store.BlobDriver
	before func() error
	bytes  atomic.Int64
	closed atomic.Int64
}

type countingReader struct {
	store.BlobReader
	d *counting
}

func (d *counting) Open(ctx context.Context, name string) (store.BlobReader, error) {
	r, err := d.BlobDriver.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return &countingReader{r, d}, nil
}

func (r *countingReader) ReadAt(p []byte, off int64) (int, error) {
	if r.d.before != nil {
		if err := r.d.before(); err != nil {
			return 0, err
		}
	}
	n, err := r.BlobReader.ReadAt(p, off)
	r.d.bytes.Add(int64(n))
	return n, err
}

func (r *countingReader) Close() error {
	r.d.closed.Add(1)
	return r.BlobReader.Close()
}

func putBytes(t *testing.T, b *store.Blobs, content []byte) store.Blob {
	t.Helper()
	blob, _, err := b.Put(t.Context(), bytes.NewReader(content), store.PutOptions{Max: int64(len(content))})
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

// A blob up to MemoryBytes is read once, at Open, and never again; a larger one is read where it is asked for.
func TestOpenInMemory(t *testing.T) {
	for _, c := range []struct {
		size    int
		closed  int64
		atOpen  int64
		further int64
	}{{1000, 1, 1000, 1000}, {1001, 0, 0, 1}} {
		d := &counting{BlobDriver: memblob.New()}
		b := newBlobs(t, d, &store.BlobsOptions{MemoryBytes: 1000})
		o, err := b.Open(t.Context(), putBytes(t, b, make([]byte, c.size)))
		if err != nil {
			t.Fatal(err)
		}
		if d.bytes.Load() != c.atOpen || d.closed.Load() != c.closed || o.Verified() != (c.closed == 1) {
			t.Errorf("%d: read %d, closed %d, verified %v", c.size, d.bytes.Load(), d.closed.Load(), o.Verified())
		}
		if _, err := o.ReadAt(make([]byte, 1), 5); err != nil || d.bytes.Load() != c.further {
			t.Errorf("%d: %d bytes read, %v", c.size, d.bytes.Load(), err)
		}
		if _, err := o.ReadAt(make([]byte, 1), -1); readapi.CodeOf(err) != readapi.CodeInvalidRequest {
			t.Errorf("%d: read before the start: %v", c.size, err)
		}
		for range 2 {
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
		if d.closed.Load() != 1 {
			t.Errorf("%d: closed %d times", c.size, d.closed.Load())
		}
		d.before = func() error { return fs.ErrClosed }
		if _, err := o.ReadAt(make([]byte, 1), 5); readapi.CodeOf(err) != readapi.CodeCanceled {
			t.Errorf("%d: read behind Close: %v", c.size, err)
		}
	}
}

// Many verify at once, and the bytes are read once; a context that ends decides nothing.
func TestVerifyOnce(t *testing.T) {
	const size = 3 << 20
	d := &counting{BlobDriver: memblob.New()}
	b := newBlobs(t, d, nil)
	o, err := b.Open(t.Context(), putBytes(t, b, make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	ctx, cancel := context.WithCancel(t.Context())
	d.before = func() error { cancel(); return nil }
	if err := o.Verify(ctx); readapi.CodeOf(err) != readapi.CodeCanceled || o.Verified() {
		t.Errorf("canceled in between: %v, verified %v", err, o.Verified())
	}
	d.before = nil
	d.bytes.Store(0)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := o.Verify(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := d.bytes.Load(); n != size || !o.Verified() {
		t.Errorf("%d bytes were read, want %d once", n, size)
	}
}

// Damage is corrupt, wherever it shows, for small blobs and large ones.
func TestDamaged(t *testing.T) {
	broken := errors.New("broken")
	for _, memory := range []int64{1, 1 << 20} {
		for name, damage := range map[string]func(*counting, *store.Blob){
			"other digest": func(_ *counting, b *store.Blob) {},
			"size":         func(_ *counting, b *store.Blob) { b.Size++ },
			"missing":      func(d *counting, b *store.Blob) { _ = d.Remove(t.Context(), b.SHA256) },
			"unreadable":   func(d *counting, _ *store.Blob) { d.before = func() error { return broken } },
			"too short":    func(d *counting, _ *store.Blob) { d.before = func() error { return io.EOF } },
		} {
			d := &counting{BlobDriver: memblob.New()}
			b := newBlobs(t, d, &store.BlobsOptions{MemoryBytes: memory})
			blob := putBytes(t, b, make([]byte, 100))
			w, err := d.Create(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			bad := blob
			if name == "other digest" {
				if _, err := w.Write(bytes.Repeat([]byte{1}, 100)); err != nil {
					t.Fatal(err)
				}
				if err := w.Commit(bad.SHA256); err != nil {
					t.Fatal(err)
				}
			}
			damage(d, &bad)
			o, err := b.Open(t.Context(), bad)
			if err == nil {
				err = o.Verify(t.Context())
				_ = o.Close()
			}
			if readapi.CodeOf(err) != readapi.CodeCorrupt {
				t.Errorf("%s, %d: %v, want corrupt", name, memory, err)
			}
		}
	}
}

func TestBlobsArguments(t *testing.T) {
	b := newBlobs(t, memblob.New(), nil)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	good := putBytes(t, b, []byte("good"))
	for name, c := range map[string]struct {
		f    func() error
		want readapi.Code
	}{
		"negative option": {func() error {
			_, err := store.NewBlobs(memblob.New(), &store.BlobsOptions{MemoryBytes: -1})
			return err
		}, readapi.CodeInvalidRequest},
		"no driver": {func() error { _, err := store.NewBlobs(nil, nil); return err }, readapi.CodeInvalidRequest},
		"negative maximum": {func() error {
			_, _, err := b.Put(t.Context(), bytes.NewReader(nil), store.PutOptions{Max: -1, Prefix: 0})
			return err
		}, readapi.CodeInvalidRequest},
		"no reader": {func() error { _, _, err := b.Put(t.Context(), nil, store.PutOptions{Max: 1, Prefix: 0}); return err }, readapi.CodeInvalidRequest},
		"canceled put": {func() error {
			_, _, err := b.Put(canceled, bytes.NewReader(nil), store.PutOptions{Max: 1, Prefix: 0})
			return err
		}, readapi.CodeCanceled},
		"canceled open": {func() error { _, err := b.Open(canceled, good); return err }, readapi.CodeCanceled},
		"a path":        {func() error { _, err := b.Open(t.Context(), store.Blob{SHA256: "../../etc/passwd"}); return err }, readapi.CodeInvalidRequest},
		"upper case": {func() error {
			return b.Remove(t.Context(), "ABCDEF0000000000000000000000000000000000000000000000000000000000")
		}, readapi.CodeInvalidRequest},
		"fine": {func() error { return b.Remove(t.Context(), good.SHA256) }, ""},
	} {
		err := c.f()
		if readapi.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if e, ok := errors.AsType[*readapi.Error](err); err != nil && (!ok || e.Op == "") {
			t.Errorf("%s: %#v has no operation", name, err)
		}
	}
}
