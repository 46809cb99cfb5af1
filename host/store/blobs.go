package store

import (
	"context"
	"io"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Blobs keeps bytes by digest, each once. It is safe for concurrent use.
type Blobs struct {
	driver BlobDriver
}

// BlobsOptions of Blobs; nil means all defaults.
type BlobsOptions struct {
	MemoryBytes int64 // a blob up to this size is verified in memory when it is opened; default 1 MiB
}

// NewBlobs returns the blobs of a driver, which it closes.
func NewBlobs(driver BlobDriver, opts *BlobsOptions) (*Blobs, error) { panic("todo") }

// Put stores the bytes of r, at most max of them, and returns their digest and first bytes. The blob is durable when Put returns; a
// failure leaves nothing behind. prefix is how many of the first bytes are wanted.
//
// Errors: too_large with the limit max_attachment_bytes; quota_exceeded on a full disk; capability_unavailable where the place cannot be
// written; what r returns as it is; canceled.
func (b *Blobs) Put(ctx context.Context, r io.Reader, max int64, prefix int) (blob Blob, head []byte, err error) {
	panic("todo")
}

// Open returns the bytes of a blob. A small one has been verified when Open returns, a larger one once its Verify has returned nil:
// whatever was made of the bytes may leave only then.
//
// Errors: corrupt when the bytes are not those of the digest, are missing or are no regular file.
func (b *Blobs) Open(ctx context.Context, blob Blob) (*OpenBlob, error) { panic("todo") }

// Remove deletes a blob; one that is not there is no error.
func (b *Blobs) Remove(ctx context.Context, sha256 string) error { panic("todo") }

// Close closes the driver.
func (b *Blobs) Close() error { panic("todo") }

// OpenBlob is an open blob. It is an readapi.Input, safe for concurrent use; Close it when done.
type OpenBlob struct {
	BlobReader
	Blob Blob
}

// Verified reports whether the bytes have been compared with their digest.
func (o *OpenBlob) Verified() bool { panic("todo") }

// Verify reads all bytes and compares them with the digest, once; later calls return what the first found. Errors: corrupt; canceled.
func (o *OpenBlob) Verify(ctx context.Context) error { panic("todo") }

var _ readapi.Input = (*OpenBlob)(nil)
