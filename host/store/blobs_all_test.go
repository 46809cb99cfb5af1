package store_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/readapi"
)

func readers(contents ...string) (rs []io.Reader) {
	for _, c := range contents {
		rs = append(rs, strings.NewReader(c))
	}
	return rs
}

// All of a batch are stored, and named at once, before any of them can be found.
func TestPutAll(t *testing.T) {
	d := memblob.New()
	b := newBlobs(t, d, nil)
	contents := []string{"one", "", "three", "one"}
	named := 0
	blobs, heads, err := b.PutAll(t.Context(), readers(contents...), store.PutAllOptions{Max: 5, Prefix: 2, Named: func(_ context.Context, blobs []store.Blob) error {
		named++
		if n := stored(t, d); n != 0 || len(blobs) != 4 {
			t.Errorf("%d blobs are named while %d can be found", len(blobs), n)
		}
		return nil
	}})
	if err != nil || named != 1 || len(blobs) != 4 || len(heads) != 4 || stored(t, d) != 3 {
		t.Fatalf("%d blobs, %d heads, named %d times, %d stored: %v", len(blobs), len(heads), named, stored(t, d), err)
	}
	for i, c := range contents {
		if blobs[i].Size != int64(len(c)) || string(heads[i]) != c[:min(len(c), 2)] {
			t.Errorf("%q is %+v with the head %q", c, blobs[i], heads[i])
		}
		o, err := b.Open(t.Context(), blobs[i])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(io.NewSectionReader(o, 0, o.Size())); err != nil || string(got) != c {
			t.Errorf("%q comes back as %q: %v", c, got, err)
		}
		_ = o.Close()
	}
	if blobs, _, err := b.PutAll(t.Context(), nil, store.PutAllOptions{}); err != nil || len(blobs) != 0 {
		t.Errorf("an empty batch: %v", err)
	}
}

// Where one of a batch is at fault nothing of it is stored, and the caller can tell which it was.
func TestPutAllFails(t *testing.T) {
	own := errors.New("of the reader")
	fails := io.MultiReader(strings.NewReader("x"), readerFunc(func([]byte) (int, error) { return 0, own }))
	no := func(context.Context, []store.Blob) error { return own }
	for name, c := range map[string]struct {
		readers []io.Reader
		named   func(context.Context, []store.Blob) error
		want    error
		at      int
	}{
		"a reader fails": {append(readers("a", "b"), fails, strings.NewReader("d")), nil, own, 2},
		"one too large":  {readers("a", "123456"), nil, readapi.CodeTooLarge, 1},
		"no reader":      {append(readers("a"), nil), nil, readapi.CodeInvalidRequest, 1},
		"too many":       {readers(make([]string, store.MaxPutAll+1)...), nil, readapi.CodeInvalidRequest, 0},
		"not leased":     {readers("a", "b"), no, readapi.CodeInternal, 2},
	} {
		d := memblob.New()
		blobs, _, err := newBlobs(t, d, nil).PutAll(t.Context(), c.readers, store.PutAllOptions{Max: 5, Named: c.named})
		if !errors.Is(err, c.want) || len(blobs) != c.at {
			t.Errorf("%s: %v with %d blobs, want %v with %d", name, err, len(blobs), c.want, c.at)
		}
		if n := stored(t, d); n != 0 {
			t.Errorf("%s: %d blobs stay behind", name, n)
		}
	}
	d := memblob.New()
	b := newBlobs(t, &failing{d, "fails"}, nil)
	if _, _, err := b.PutAll(t.Context(), readers("works", "fails", "works too"), store.PutAllOptions{Max: 10}); !errors.Is(err, errFailing) {
		t.Errorf("a commit fails: %v", err)
	}
	for info, err := range b.List(t.Context()) {
		if o, oerr := b.Open(t.Context(), info.Blob); err != nil || oerr != nil {
			t.Errorf("what is there is not whole: %v, %v", err, oerr)
		} else {
			_ = o.Close()
		}
	}
}

// failing fails the commit of one content.
type failing struct {
	store.BlobDriver
	content string
}

var errFailing = errors.New("the commit fails on purpose")

func (d *failing) Create(ctx context.Context) (store.BlobWriter, error) {
	w, err := d.BlobDriver.Create(ctx)
	return &failingWriter{w, d, bytes.Buffer{}}, err
}

type failingWriter struct {
	store.BlobWriter
	d   *failing
	buf bytes.Buffer
}

func (w *failingWriter) Write(p []byte) (int, error) {
	w.buf.Write(p)
	return w.BlobWriter.Write(p)
}

func (w *failingWriter) Commit(name string) error {
	if w.buf.String() == w.d.content {
		return errFailing
	}
	return w.BlobWriter.Commit(name)
}

// A place where nothing stays has nothing to sweep.
func TestSweepNothing(t *testing.T) {
	if n, err := newBlobs(t, memblob.New(), nil).Sweep(t.Context(), time.Now()); n != 0 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// What a driver says of a read is told as it is, and does not count as damage: the next Verify may find the bytes.
func TestReadBusy(t *testing.T) {
	for _, code := range []readapi.Code{readapi.CodeBusy, readapi.CodeGone, readapi.CodeCapabilityUnavailable} {
		fails := false
		d := &counting{BlobDriver: memblob.New(), before: func() error {
			if fails {
				return &readapi.Error{Code: code}
			}
			return nil
		}}
		b := newBlobs(t, d, &store.BlobsOptions{MemoryBytes: 10})
		o, err := b.Open(t.Context(), putBytes(t, b, make([]byte, 1000)))
		if err != nil {
			t.Fatal(err)
		}
		fails = true
		if _, err := o.ReadAt(make([]byte, 10), 0); readapi.CodeOf(err) != code {
			t.Errorf("read: %v, want %s", err, code)
		}
		if err := o.Verify(t.Context()); readapi.CodeOf(err) != code {
			t.Errorf("verify: %v, want %s", err, code)
		}
		fails = false
		if err := o.Verify(t.Context()); err != nil || !o.Verified() {
			t.Errorf("afterwards: %v", err)
		}
		_ = o.Close()
	}
}
