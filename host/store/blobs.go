package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

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

// Put stores the bytes of r, at most max of them, and returns their digest and first bytes. The blob is durable when Put returns; a
// failure leaves nothing behind. prefix is how many of the first bytes are wanted.
//
// r is read in a goroutine. Nothing reads it any more when Put returns, except where ctx ended: a Read that does not return is then left
// behind.
//
// Errors: too_large with the limit max_attachment_bytes; quota_exceeded on a full disk; capability_unavailable where the place cannot be
// written; busy where too many files are open; what r returns as it is; canceled, limit_time.
func (b *Blobs) Put(ctx context.Context, r io.Reader, max int64, prefix int) (blob Blob, head []byte, err error) {
	const op = "store.Blobs.Put"
	if max < 0 || prefix < 0 || r == nil {
		return Blob{}, nil, &readapi.Error{Op: op, Code: readapi.CodeInvalidRequest, Detail: "no reader, or a negative size"}
	}
	if err := ctx.Err(); err != nil {
		return Blob{}, nil, readapi.AsError(op, err)
	}
	w, err := b.driver.Create(ctx)
	if err != nil {
		return Blob{}, nil, writeError(op, err)
	}
	blob, head, err = b.put(ctx, w, r, max, prefix)
	if err == nil {
		return blob, head, nil
	}
	abort := w.Abort()
	if e, ok := errors.AsType[*readerError](err); ok {
		return Blob{}, nil, e.err
	}
	return Blob{}, nil, writeError(op, errors.Join(err, abort))
}

// put copies r to w and commits it. An error of r is a *readerError.
func (b *Blobs) put(ctx context.Context, w BlobWriter, r io.Reader, max int64, prefix int) (blob Blob, head []byte, err error) {
	in := startReading(r)
	defer in.stop()
	sum := sha256.New()
	for {
		// One byte more than allowed tells "exactly max" from "too large".
		p, err := in.next(ctx, max-blob.Size)
		if err != nil && err != io.EOF {
			return blob, nil, err
		}
		blob.Size += int64(len(p))
		if blob.Size > max {
			return blob, nil, &readapi.Error{Code: readapi.CodeTooLarge, Limit: &readapi.LimitHit{Name: "max_attachment_bytes", Value: max, Actual: blob.Size}}
		}
		head = append(head, p[:min(len(p), prefix-len(head))]...)
		sum.Write(p)
		if len(p) > 0 {
			n, werr := w.Write(p)
			if werr == nil && n < len(p) {
				werr = io.ErrShortWrite
			}
			if werr != nil {
				return blob, nil, werr
			}
		}
		if err == io.EOF {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return blob, nil, err
	}
	blob.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return blob, head, w.Commit(blob.SHA256)
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

// Remove deletes a blob; one that is not there is no error. Errors: invalid_request, capability_unavailable, canceled.
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
