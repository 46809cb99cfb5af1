package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func newBlobs(t *testing.T, d store.BlobDriver, opts *store.BlobsOptions) *store.Blobs {
	t.Helper()
	b, err := store.NewBlobs(d, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func stored(t *testing.T, d store.BlobDriver) (n int) {
	t.Helper()
	for _, err := range d.List(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// Exactly the limit is stored, one byte more is too_large, whatever pieces the reader hands out.
func TestPutCap(t *testing.T) {
	for _, size := range []int64{0, 1, 32<<10 - 1, 32 << 10, 32<<10 + 1, 288 << 10, 600_000} {
		content := bytes.Repeat([]byte("0123456"), int(size)/7+1)[:size]
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"plain": func(r io.Reader) io.Reader { return r }, "halves": iotest.HalfReader, "eof with data": iotest.DataErrReader,
		} {
			d := memblob.New()
			b := newBlobs(t, d, nil)
			blob, head, err := b.Put(t.Context(), wrap(bytes.NewReader(content)), store.PutOptions{Max: size, Prefix: 100})
			if err != nil || blob.Size != size || !bytes.Equal(head, content[:min(size, 100)]) {
				t.Fatalf("%d, %s: %+v, %d bytes of head, %v", size, name, blob, len(head), err)
			}
			o, err := b.Open(t.Context(), blob)
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size()))
			if err != nil || !bytes.Equal(got, content) || !o.Verified() {
				t.Fatalf("%d, %s: other bytes: %v", size, name, err)
			}
			_ = o.Close()
			if size == 0 {
				continue
			}
			_ = b.Remove(t.Context(), blob.SHA256)
			_, _, err = b.Put(t.Context(), wrap(bytes.NewReader(content)), store.PutOptions{Max: size - 1, Prefix: 100})
			e, ok := err.(*readapi.Error)
			if !ok || e.Code != readapi.CodeTooLarge || e.Limit == nil || e.Limit.Name != "max_attachment_bytes" || e.Limit.Value != size-1 || e.Limit.Actual != size {
				t.Errorf("%d, %s: %v, want too_large with the limit", size, name, err)
			}
			if n := stored(t, d); n != 0 {
				t.Errorf("%d, %s: %d blobs stay behind", size, name, n)
			}
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// Whatever a reader does, nothing of it is stored, and what it returned is told as it is.
func TestPutBadReader(t *testing.T) {
	own := errors.New("of the reader")
	once := func(then func([]byte) (int, error)) io.Reader {
		return io.MultiReader(strings.NewReader(strings.Repeat("x", 50_000)), readerFunc(then))
	}
	for name, c := range map[string]struct {
		r    io.Reader
		want error
	}{
		"fails":      {once(func([]byte) (int, error) { return 0, own }), own},
		"typed":      {once(func([]byte) (int, error) { return 0, readapi.CodeConflict }), readapi.CodeConflict},
		"panics":     {once(func([]byte) (int, error) { panic("on purpose") }), nil},
		"ends":       {once(func([]byte) (int, error) { runtime.Goexit(); return 0, nil }), nil},
		"too much":   {once(func(p []byte) (int, error) { return len(p) + 1, nil }), nil},
		"negative":   {once(func([]byte) (int, error) { return -1, nil }), nil},
		"idles":      {once(func([]byte) (int, error) { return 0, nil }), io.ErrNoProgress},
		"unexpected": {once(func([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }), io.ErrUnexpectedEOF},
	} {
		d := memblob.New()
		_, _, err := newBlobs(t, d, nil).Put(t.Context(), c.r, store.PutOptions{Max: 1 << 20, Prefix: 0})
		if err == nil || c.want != nil && err != c.want {
			t.Errorf("%s: %v, want %v itself", name, err, c.want)
		}
		if n := stored(t, d); n != 0 {
			t.Errorf("%s: %d blobs stay behind", name, n)
		}
	}
}

// A reader that blocks for good does not hold up a Put whose context ends.
func TestPutBlockedReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		d := memblob.New()
		ctx, cancel := context.WithCancel(t.Context())
		reads := 0
		defer func() {
			synctest.Wait()
			if reads != 1 {
				t.Errorf("%d reads, want only the one that was under way", reads)
			}
		}()
		defer close(release)
		r := readerFunc(func(p []byte) (int, error) {
			reads++
			cancel()
			<-release
			return copy(p, "late"), nil
		})
		_, _, err := newBlobs(t, d, nil).Put(ctx, r, store.PutOptions{Max: 1 << 20, Prefix: 10})
		if readapi.CodeOf(err) != readapi.CodeCanceled {
			t.Errorf("%v, want canceled", err)
		}
		if n := stored(t, d); n != 0 {
			t.Errorf("%d blobs stay behind", n)
		}
	})
}
