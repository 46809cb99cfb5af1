package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// OpenBlob is an open blob. It is an readapi.Input, safe for concurrent use; Close it when done. Its ReadAt is corrupt where the bytes end
// before their size or cannot be read, what the driver says where it knows better (busy: the place does not answer; gone: they were
// removed), and canceled behind Close.
type OpenBlob struct {
	BlobReader
	Blob Blob

	turn     chan struct{} // holds one token; who has it verifies
	verified atomic.Bool
	failed   error // what Verify found, kept under turn

	closing  sync.Once
	closed   atomic.Bool
	closeErr error
}

var _ readapi.Input = (*OpenBlob)(nil)

func newOpenBlob(blob Blob, r BlobReader) *OpenBlob {
	return &OpenBlob{BlobReader: r, Blob: blob, turn: make(chan struct{}, 1)}
}

// ReadAt implements io.ReaderAt. Errors: io.EOF at the end of the blob; invalid_request for a place before its start; canceled when it is
// closed; busy, gone, capability_unavailable where the driver says so; else corrupt.
func (o *OpenBlob) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, invalid("a blob has nothing before its start")
	}
	n, err := o.BlobReader.ReadAt(p, off)
	switch {
	case o.closed.Load(): // asked last: what a closed file says would be taken for damage
		return 0, &readapi.Error{Code: readapi.CodeCanceled, Detail: "it is closed", Final: true, Err: err}
	case err == nil || err == io.EOF && off+int64(n) >= o.Blob.Size:
		return n, err
	}
	return n, unreadable(err)
}

func unreadable(err error) error {
	if readapi.CodeOf(err) != readapi.CodeInternal {
		return err // the bytes may be as they were
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return &readapi.Error{Code: readapi.CodeCorrupt, Detail: "its bytes cannot be read", Err: err}
}

var errDigest = &readapi.Error{Code: readapi.CodeCorrupt, Detail: "its bytes are not those that were stored"}

// Verified reports whether the bytes have been compared with their digest, and are those.
func (o *OpenBlob) Verified() bool { return o.verified.Load() }

// Verify reads all bytes and compares them with the digest, once; later calls return what the first found, and calls beside it wait for
// it. Errors: corrupt; canceled, limit_time and those of ReadAt, after which a later call tries again.
func (o *OpenBlob) Verify(ctx context.Context) error {
	const op = "store.OpenBlob.Verify"
	if o.verified.Load() {
		return nil
	}
	select {
	case o.turn <- struct{}{}:
		defer func() { <-o.turn }()
	case <-ctx.Done():
		return readapi.AsError(op, ctx.Err())
	}
	if o.verified.Load() || o.failed != nil {
		return readapi.AsError(op, o.failed)
	}
	sum := sha256.New()
	if err := o.copyTo(ctx, sum); err != nil {
		if readapi.CodeOf(err) == readapi.CodeCorrupt {
			o.failed = err
		}
		return readapi.AsError(op, err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != o.Blob.SHA256 {
		o.failed = errDigest
		return readapi.AsError(op, o.failed)
	}
	o.verified.Store(true)
	return nil
}

// load reads the blob into memory and verifies that.
func (o *OpenBlob) load(ctx context.Context) (memory, error) {
	var b bytes.Buffer
	b.Grow(int(o.Blob.Size))
	if err := o.copyTo(ctx, &b); err != nil {
		return memory{}, err
	}
	if sum := sha256.Sum256(b.Bytes()); hex.EncodeToString(sum[:]) != o.Blob.SHA256 {
		return memory{}, errDigest
	}
	return memory{bytes.NewReader(b.Bytes())}, nil
}

func (o *OpenBlob) copyTo(ctx context.Context, w io.Writer) error {
	buf := make([]byte, min(o.Blob.Size, chunkBytes))
	for off := int64(0); off < o.Blob.Size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := buf[:min(int64(len(buf)), o.Blob.Size-off)]
		n, err := o.ReadAt(p, off)
		if n < len(p) {
			if err == nil {
				err = errors.New("store: the driver read less than was asked, without an error")
			}
			return err
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
		off += int64(n)
	}
	return nil
}

// Close frees the blob. It may be called more than once.
func (o *OpenBlob) Close() error {
	o.closed.Store(true)
	o.closing.Do(func() { o.closeErr = readapi.AsError("store.OpenBlob.Close", o.BlobReader.Close()) })
	return o.closeErr
}

// memory is a verified blob.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }
