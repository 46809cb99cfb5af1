package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"iter"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Blobs keeps bytes by digest, each once. It is safe for concurrent use.
type Blobs struct {
	driver BlobDriver
	opts   BlobsOptions
}

// BlobsOptions of Blobs; nil means all defaults.
type BlobsOptions struct {
	MemoryBytes int64 // a blob up to this size is verified in memory when it is opened; default 1 MiB
}

func (o *BlobsOptions) withDefaults() (BlobsOptions, error) {
	var out BlobsOptions
	if o != nil {
		out = *o
	}
	if out.MemoryBytes < 0 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "MemoryBytes is negative"}
	}
	if out.MemoryBytes == 0 {
		out.MemoryBytes = 1 << 20
	}
	return out, nil
}

// NewBlobs returns the blobs of a driver, which it closes. Errors: invalid_request for a negative option or no driver.
func NewBlobs(driver BlobDriver, opts *BlobsOptions) (*Blobs, error) {
	const op = "store.NewBlobs"
	if driver == nil {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "there is no driver"}
	}
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	return &Blobs{driver, o}, nil
}

// PutOptions say what Put takes and what it tells.
type PutOptions struct {
	Max    int64 // bytes at most
	Prefix int   // how many of the first bytes are wanted

	// Named is called once the bytes are written and their digest is known, and before anybody can find them under it: the time to have
	// them leased, so that nobody removes them before a row names them. Its error drops them. nil: nobody asks.
	Named func(ctx context.Context, blob Blob) error
}

// Put stores the bytes of r and returns their digest and first bytes. The blob is durable when Put returns; a failure leaves nothing
// behind.
//
// r is read in a goroutine. Nothing reads it any more when Put returns, except where ctx ended: a Read that does not return is then left
// behind.
//
// Errors: too_large with the limit max_attachment_bytes; quota_exceeded on a full disk; capability_unavailable where the place cannot be
// written; busy where too many files are open; what r returns as it is; canceled, limit_time.
func (b *Blobs) Put(ctx context.Context, r io.Reader, o PutOptions) (blob Blob, head []byte, err error) {
	const op = "store.Blobs.Put"
	if o.Max < 0 || o.Prefix < 0 || r == nil {
		return Blob{}, nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "no reader, or a negative size"}
	}
	if err := ctx.Err(); err != nil {
		return Blob{}, nil, readapi.AsError(op, err)
	}
	w, err := b.driver.Create(ctx)
	if err != nil {
		return Blob{}, nil, writeError(op, err)
	}
	blob, head, err = b.put(ctx, newWriter(w, o), r)
	if err == nil {
		return blob, head, nil
	}
	return Blob{}, nil, putError(op, err, w.Abort())
}

// putError is the error of a blob that was not stored; abort is that of dropping it.
func putError(op string, err, abort error) error {
	if e, ok := errors.AsType[*readerError](err); ok {
		return e.err
	}
	return writeError(op, errors.Join(err, abort))
}

// put copies r to w and commits it. An error of r is a *readerError.
func (b *Blobs) put(ctx context.Context, w *Writer, r io.Reader) (blob Blob, head []byte, err error) {
	if err := w.readFrom(ctx, r); err != nil {
		return Blob{}, nil, err
	}
	blob, err = w.commit(ctx)
	return blob, w.head, err
}

// readFrom copies r to w. An error of r is a *readerError.
func (w *Writer) readFrom(ctx context.Context, r io.Reader) error {
	in := startReading(r)
	defer in.stop()
	for {
		// One byte more than allowed tells "exactly max" from "too large".
		p, err := in.next(ctx, w.o.Max-w.size)
		if err != nil && err != io.EOF {
			return err
		}
		if _, err := w.write(p); err != nil {
			return err
		}
		if err == io.EOF {
			break
		}
	}
	return ctx.Err()
}

// Open returns the bytes of a blob. A small one has been verified when Open returns, a larger one once its Verify has returned nil:
// whatever was made of the bytes may leave only then.
//
// Errors: corrupt when the bytes are not those of the digest, are missing or are no regular file; capability_unavailable where the place
// cannot be read; busy where too many files are open; invalid_request for a digest or size that cannot be; canceled, limit_time.
func (b *Blobs) Open(ctx context.Context, blob Blob) (*OpenBlob, error) {
	const op = "store.Blobs.Open"
	if !ValidDigest(blob.SHA256) || blob.Size < 0 {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "this names no blob"}
	}
	if err := ctx.Err(); err != nil {
		return nil, readapi.AsError(op, err)
	}
	r, err := b.driver.Open(ctx, blob.SHA256)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &readapi.Error{Op: op, Code: readapi.CodeCorrupt, Detail: "its bytes are missing", Err: err}
	}
	if err != nil {
		return nil, readError(op, err)
	}
	o, err := b.open(ctx, blob, r)
	if err != nil {
		_ = r.Close() // it was only read; the error that matters is the one before
		return nil, readError(op, err)
	}
	return o, nil
}

func (b *Blobs) open(ctx context.Context, blob Blob, r BlobReader) (*OpenBlob, error) {
	if r.Size() != blob.Size {
		return nil, &readapi.Error{Code: readapi.CodeCorrupt, Detail: "it has another size than was stored"}
	}
	o := newOpenBlob(blob, r)
	if blob.Size > b.opts.MemoryBytes {
		return o, nil
	}
	content, err := o.load(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	o = newOpenBlob(blob, content)
	o.verified.Store(true)
	return o, nil
}

// Stat returns the size of a blob and when it was last stored. Errors: not_found where there is none; those of Open.
func (b *Blobs) Stat(ctx context.Context, digest string) (BlobInfo, error) {
	const op = "store.Blobs.Stat"
	if !ValidDigest(digest) {
		return BlobInfo{}, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "this names no blob"}
	}
	if err := ctx.Err(); err != nil {
		return BlobInfo{}, readapi.AsError(op, err)
	}
	info, err := b.driver.Stat(ctx, digest)
	if errors.Is(err, fs.ErrNotExist) {
		return BlobInfo{}, &readapi.Error{Op: op, Code: readapi.CodeNotFound, Detail: "there are no such bytes", Err: err}
	}
	return info, readError(op, err)
}

// List yields every blob, in no order. Errors: those of the place, each one where it is met; canceled ends it.
func (b *Blobs) List(ctx context.Context) iter.Seq2[BlobInfo, error] {
	return func(yield func(BlobInfo, error) bool) {
		for info, err := range b.driver.List(ctx) {
			if !yield(info, readError("store.Blobs.List", err)) {
				return
			}
		}
	}
}

// Remove deletes a blob; one that is not there is no error. Errors: corrupt for what is no regular file, which stays; invalid_request,
// capability_unavailable, canceled.
func (b *Blobs) Remove(ctx context.Context, digest string) error {
	const op = "store.Blobs.Remove"
	if !ValidDigest(digest) {
		return &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "this names no blob"}
	}
	if err := ctx.Err(); err != nil {
		return readapi.AsError(op, err)
	}
	return writeError(op, b.driver.Remove(ctx, digest))
}

// Close closes the driver.
func (b *Blobs) Close() error { return readapi.AsError("store.Blobs.Close", b.driver.Close()) }

// ValidDigest reports whether s is a sha256 as it is written here: 64 characters of lower-case hex.
func ValidDigest(s string) bool {
	if len(s) != 2*sha256.Size {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
