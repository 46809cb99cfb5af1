package s3blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"sync"

	"github.com/minio/minio-go/v7"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	windowBytes    = memoryBytes // what a read that jumps asks for
	maxWindowBytes = 4 << 20     // what reads that go on from each other ask for, at most
	windowsKept    = 3
)

// Open implements store.BlobDriver. A blob of up to 1 MiB is read whole. Of a larger one a few pieces are kept, so that one that is removed
// while it is open is gone (the code) where it was not read yet.
func (d *Driver) Open(ctx context.Context, sha256 string) (store.BlobReader, error) {
	r := &reader{driver: d, key: d.key(sha256), size: -1}
	r.ctx, r.cancel = context.WithCancel(context.WithoutCancel(ctx))
	w := &window{p: make([]byte, windowBytes)}
	if err := r.fetch(ctx, w); err != nil {
		r.cancel()
		return nil, err
	}
	r.windows, r.end = []*window{w}, int64(len(w.p))
	return r, nil
}

// reader reads an object by windows. It is safe for concurrent use; one read at a time asks the bucket.
type reader struct {
	driver *Driver
	key    string
	size   int64 // -1 until it is known

	// A ReadAt has no context of its own, so that it ends with Close at the latest.
	ctx    context.Context
	cancel context.CancelFunc

	mu      sync.Mutex
	windows []*window // the last used first
	ask     int64     // how much the next fetch asks for where it goes on from the last
	end     int64     // of the last fetch
}

type window struct {
	off int64
	p   []byte
}

func (r *reader) Size() int64 { return r.size }

func (r *reader) Close() error {
	r.cancel()
	return nil
}

// ReadAt implements io.ReaderAt.
func (r *reader) ReadAt(p []byte, off int64) (n int, err error) {
	if off < 0 {
		return 0, invalid("a blob has nothing before its start")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for n < len(p) {
		if off+int64(n) >= r.size {
			return n, io.EOF
		}
		w, err := r.window(off + int64(n))
		if err != nil {
			return n, err
		}
		n += copy(p[n:], w.p[off+int64(n)-w.off:])
	}
	return n, nil
}

// window returns the window that holds the byte at off, which is in the blob.
func (r *reader) window(off int64) (*window, error) {
	for i, w := range r.windows {
		if w.off <= off && off < w.off+int64(len(w.p)) {
			copy(r.windows[1:i+1], r.windows[:i])
			r.windows[0] = w
			return w, nil
		}
	}
	w := &window{}
	if last := len(r.windows) - 1; last+1 == windowsKept {
		w, r.windows = r.windows[last], r.windows[:last]
	}
	w.off = off - off%windowBytes
	if r.ask = min(max(2*r.ask, 2*windowBytes), maxWindowBytes); w.off != r.end {
		r.ask = windowBytes
	}
	if n := min(r.ask, r.size-w.off); int64(cap(w.p)) >= n {
		w.p = w.p[:n]
	} else {
		w.p = make([]byte, n)
	}
	if err := r.fetch(r.ctx, w); err != nil {
		return nil, err
	}
	r.end = w.off + int64(len(w.p))
	r.windows = append(r.windows, nil)
	copy(r.windows[1:], r.windows)
	r.windows[0] = w
	return w, nil
}

// fetch fills a window from the bucket. The first one makes the size known, and is cut to that.
func (r *reader) fetch(ctx context.Context, w *window) (err error) {
	for range r.driver.opts.Attempts { // an answer that breaks off is asked for again; requests that fail were tried again below
		if err = r.get(ctx, w); !errors.Is(err, errCut) || ctx.Err() != nil {
			break
		}
	}
	opened := r.size >= 0
	if err = fault(ctx, err); opened && errors.Is(err, fs.ErrNotExist) {
		return &readapi.Error{Code: readapi.CodeGone, Detail: "its bytes were removed while they were read", Err: err}
	}
	return err
}

var errCut = errors.New("s3blob: the answer broke off")

func (r *reader) get(ctx context.Context, w *window) error {
	var opts minio.GetObjectOptions
	if err := opts.SetRange(w.off, w.off+int64(len(w.p))-1); err != nil {
		return err
	}
	body, _, header, err := r.driver.core.GetObject(ctx, r.driver.bucket, r.key, opts)
	if has(err, http.StatusRequestedRangeNotSatisfiable) {
		return r.beyond(ctx, w)
	}
	if err != nil {
		return err
	}
	defer body.Close()
	var from, to, total int64
	if _, err = fmt.Sscanf(header.Get("Content-Range"), "bytes %d-%d/%d", &from, &to, &total); err != nil || from != w.off {
		return unusable("the bucket gives no part of an object", err)
	}
	if r.size >= 0 && total != r.size {
		return errResized
	}
	p := w.p[:min(int64(len(w.p)), total-w.off)]
	if _, err := io.ReadFull(body, p); err != nil {
		return errors.Join(errCut, err)
	}
	w.p, r.size = p, total
	return nil
}

var errResized = &readapi.Error{Code: readapi.CodeCorrupt, Detail: "it has another size than before"}

// beyond is asked where the bucket has nothing at the start of a window: an object without bytes has no part that could be asked for.
func (r *reader) beyond(ctx context.Context, w *window) error {
	info, err := r.driver.core.StatObject(ctx, r.driver.bucket, r.key, minio.StatObjectOptions{})
	switch {
	case err != nil:
		return err
	case r.size >= 0:
		return errResized
	case info.Size != 0:
		return errCut // it was replaced in between
	}
	w.p, r.size = w.p[:0], 0
	return nil
}
