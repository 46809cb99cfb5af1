package store

import (
	"context"
	"errors"
	"io"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// MaxPutAll is how many blobs one PutAll stores: each keeps a file open.
const MaxPutAll = 256

// PutAllOptions say what PutAll takes and what it tells.
type PutAllOptions struct {
	Max    int64 // bytes of each blob at most
	Prefix int   // how many of the first bytes of each are wanted

	// Named is called once the bytes of all are written, and before anybody can find them; see PutOptions.
	Named func(ctx context.Context, blobs []Blob) error
}

// PutAll stores the bytes of several readers, one after the other, in one step: with a driver that can, for little more than the time that
// one of them takes. It returns their digests and first bytes in the same order, and all are durable when it returns.
//
// On an error no blob is promised; what is there of them is whole, and nobody's. What is returned then are those that were read before the
// one that failed, so that their number tells which it was.
//
// Errors: those of Put; invalid_request for more than MaxPutAll.
func (b *Blobs) PutAll(ctx context.Context, readers []io.Reader, o PutAllOptions) (blobs []Blob, heads [][]byte, err error) {
	const op = "store.Blobs.PutAll"
	if o.Max < 0 || o.Prefix < 0 || len(readers) > MaxPutAll {
		return nil, nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "a negative size, or too many blobs at once"}
	}
	var writers []BlobWriter
	defer func() {
		if err != nil {
			err = putError(op, err, abortAll(writers))
		}
	}()
	var digests []string
	for _, r := range readers {
		if r == nil {
			return blobs, heads, invalid("there is no reader")
		}
		if err := ctx.Err(); err != nil {
			return blobs, heads, err
		}
		inner, err := b.driver.Create(ctx)
		if err != nil {
			return blobs, heads, err
		}
		writers = append(writers, inner)
		w := newWriter(inner, PutOptions{Max: o.Max, Prefix: o.Prefix})
		if err := w.readFrom(ctx, r); err != nil {
			return blobs, heads, err
		}
		blob := w.Blob()
		blobs, heads, digests = append(blobs, blob), append(heads, w.head), append(digests, blob.SHA256)
	}
	if o.Named != nil && len(blobs) > 0 {
		if err := o.Named(ctx, blobs); err != nil {
			return blobs, heads, err
		}
	}
	return blobs, heads, b.commitAll(writers, digests)
}

func (b *Blobs) commitAll(writers []BlobWriter, digests []string) error {
	if d, ok := b.driver.(BatchDriver); ok && len(writers) > 1 {
		return d.CommitAll(writers, digests)
	}
	for i, w := range writers {
		if err := w.Commit(digests[i]); err != nil {
			return err
		}
	}
	return nil
}

func abortAll(writers []BlobWriter) (err error) {
	for _, w := range writers {
		err = errors.Join(err, w.Abort())
	}
	return err
}
