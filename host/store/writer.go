package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Writer takes the bytes of one blob piece by piece, over as long as its owner likes. Exactly one of Commit and Abort ends it; Abort after
// Commit does nothing. It is not safe for concurrent use.
type Writer struct {
	w    BlobWriter
	o    PutOptions
	sum  hash.Hash
	size int64
	head []byte
	err  error // of the first write that failed: what came later would stand in the wrong place
}

// Writer begins a blob; ctx covers all that is written to it, until Commit or Abort. Errors: those of Put.
func (b *Blobs) Writer(ctx context.Context, o PutOptions) (*Writer, error) {
	const op = "store.Blobs.Writer"
	if o.Max < 0 || o.Prefix < 0 {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "a negative size"}
	}
	if err := ctx.Err(); err != nil {
		return nil, readapi.AsError(op, err)
	}
	w, err := b.driver.Create(ctx)
	if err != nil {
		return nil, writeError(op, err)
	}
	return newWriter(w, o), nil
}

func newWriter(w BlobWriter, o PutOptions) *Writer { return &Writer{w: w, o: o, sum: sha256.New()} }

// Write implements io.Writer. After an error there is nothing to do but Abort. Errors: those of Put.
func (w *Writer) Write(p []byte) (int, error) {
	const op = "store.Writer.Write"
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.write(p)
	w.err = writeError(op, err)
	return n, w.err
}

func (w *Writer) write(p []byte) (int, error) {
	if size := w.size + int64(len(p)); size > w.o.Max {
		return 0, &readapi.Error{Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_attachment_bytes", Value: w.o.Max, Actual: size}}
	}
	if len(p) == 0 {
		return 0, nil
	}
	n, err := w.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return n, err
	}
	w.head = append(w.head, p[:min(len(p), w.o.Prefix-len(w.head))]...)
	w.sum.Write(p)
	w.size += int64(n)
	return n, nil
}

// Blob is the digest and the size of what was written so far.
func (w *Writer) Blob() Blob { return Blob{hex.EncodeToString(w.sum.Sum(nil)), w.size} }

// Err is why nothing more can be written or committed; nil while it can.
func (w *Writer) Err() error { return w.err }

// Head is the first bytes of what was written so far, as many as PutOptions.Prefix says.
func (w *Writer) Head() []byte { return w.head }

// Commit makes the blob durable and gives it its name. After an error it may be tried again where Err is nil, as when PutOptions.Named
// has failed. Errors: those of Put, and that of Named.
func (w *Writer) Commit(ctx context.Context) (Blob, error) {
	const op = "store.Writer.Commit"
	blob, err := w.commit(ctx)
	return blob, writeError(op, err)
}

func (w *Writer) commit(ctx context.Context) (Blob, error) {
	if w.err != nil {
		return Blob{}, w.err
	}
	if err := ctx.Err(); err != nil {
		return Blob{}, err
	}
	blob := w.Blob()
	if w.o.Named != nil {
		if err := w.o.Named(ctx, blob); err != nil {
			return Blob{}, err
		}
	}
	if err := w.w.Commit(blob.SHA256); err != nil {
		w.err = writeError("store.Writer.Commit", err)
		return Blob{}, err
	}
	return blob, nil
}

// Abort drops what was written.
func (w *Writer) Abort() error { return writeError("store.Writer.Abort", w.w.Abort()) }
