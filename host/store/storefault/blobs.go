package storefault

import (
	"context"
	"iter"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Blobs returns d with every call but Close under the plan, also those of its writers and readers.
func Blobs(d store.BlobDriver, p *Plan) store.BlobDriver {
	if _, ok := d.(store.BatchDriver); ok {
		return batchBlobs{blobs{d, p}}
	}
	return blobs{d, p}
}

// batchBlobs are those of a driver that commits several at a time.
type batchBlobs struct{ blobs }

// CommitAll implements store.BatchDriver.
func (d batchBlobs) CommitAll(writers []store.BlobWriter, digests []string) error {
	own := make([]store.BlobWriter, len(writers))
	for i, w := range writers {
		own[i] = w
		if w, ok := w.(writer); ok {
			own[i] = w.BlobWriter
		}
	}
	return d.plan.step("CommitAll", func() error { return d.BlobDriver.(store.BatchDriver).CommitAll(own, digests) })
}

type blobs struct { // the methods are those of the interfaces of store
	store.BlobDriver
	plan *Plan
}

func (d blobs) Create(ctx context.Context) (store.BlobWriter, error) {
	var w store.BlobWriter
	err := d.plan.step("Create", func() (err error) { w, err = d.BlobDriver.Create(ctx); return err })
	if err != nil {
		if w != nil {
			_ = w.Abort() // nobody else can
		}
		return nil, err
	}
	return writer{w, d.plan}, nil
}

func (d blobs) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	var r store.BlobReader
	err := d.plan.step("Open", func() (err error) { r, err = d.BlobDriver.Open(ctx, sha256); return err })
	if err != nil {
		if r != nil {
			_ = r.Close()
		}
		return nil, err
	}
	return reader{r, d.plan}, nil
}

func (d blobs) Stat(ctx context.Context, sha256 string) (info store.BlobInfo, err error) {
	err = d.plan.step("Stat", func() (err error) { info, err = d.BlobDriver.Stat(ctx, sha256); return err })
	return info, err
}

func (d blobs) Remove(ctx context.Context, sha256 string) error {
	return d.plan.step("Remove", func() error { return d.BlobDriver.Remove(ctx, sha256) })
}

// List has a call for every blob.
func (d blobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		for info, err := range d.BlobDriver.List(ctx) {
			if err == nil {
				err = d.plan.step("List", func() error { return nil })
			}
			if !yield(info, err) || err != nil {
				return
			}
		}
	}
}

func (d blobs) Sweep(ctx context.Context, before time.Time) (int, error) {
	return sweep(ctx, d.plan, "Blobs.Sweep", d.BlobDriver, before)
}

func (d blobs) Inspect(ctx context.Context, mend bool) iter.Seq2[store.Oddity, error] {
	return inspect(ctx, d.plan, "Blobs.Inspect", d.BlobDriver, mend)
}

type writer struct {
	store.BlobWriter
	plan *Plan
}

func (w writer) Write(b []byte) (n int, err error) {
	f, fails := w.plan.turn("Write")
	if !fails {
		return w.BlobWriter.Write(b)
	}
	switch {
	case f.Behind:
		n, err = w.BlobWriter.Write(b)
	case f.Short:
		n, err = w.BlobWriter.Write(b[:len(b)/2])
	}
	if f.Hook != nil {
		f.Hook()
	}
	switch {
	case f.Err == nil && !f.Behind && !f.Short:
		return w.BlobWriter.Write(b)
	case err == nil && !f.Short:
		err = f.Err
	}
	return n, err
}

func (w writer) Commit(sha256 string) error {
	return w.plan.step("Commit", func() error { return w.BlobWriter.Commit(sha256) })
}

func (w writer) Abort() error { return w.plan.step("Abort", w.BlobWriter.Abort) }

type reader struct {
	store.BlobReader
	plan *Plan
}

func (r reader) ReadAt(b []byte, off int64) (n int, err error) {
	f, fails := r.plan.turn("ReadAt")
	if !fails {
		return r.BlobReader.ReadAt(b, off)
	}
	if f.Behind {
		n, err = r.BlobReader.ReadAt(b, off)
	}
	if f.Hook != nil {
		f.Hook()
	}
	switch {
	case f.Err != nil:
		err = f.Err
	case !f.Behind:
		return r.BlobReader.ReadAt(b, off)
	}
	return n, err
}
