package s3blob

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"sync/atomic"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Create implements store.BlobDriver. ctx holds for Write and Commit too.
func (d *Driver) Create(ctx context.Context) (store.BlobWriter, error) {
	w := &writer{driver: d, ctx: ctx, spool: spool{dir: d.opts.SpoolDir, held: &d.held}, whole: md5.New()}
	w.next()
	return w, nil
}

type writer struct {
	driver *Driver
	ctx    context.Context // of the call that the writer lives in
	spool  spool
	failed error // of a Write
	ended  bool

	parts  []part // the finished ones, and behind them the one that is being written
	md5    hash.Hash
	sha256 hash.Hash
	whole  hash.Hash // the MD5 of all parts together
}

// part is a piece of the blob that is sent in one request.
type part struct {
	off, size   int64
	md5, sha256 []byte
}

// next begins a part.
func (w *writer) next() {
	w.parts = append(w.parts, part{off: w.spool.size})
	w.md5, w.sha256 = md5.New(), sha256.New()
}

// finish ends the part that is being written.
func (w *writer) finish() {
	p := &w.parts[len(w.parts)-1]
	p.md5, p.sha256 = w.md5.Sum(nil), w.sha256.Sum(nil)
}

var errEnded = errors.New("s3blob: the blob has been committed or dropped")

func (w *writer) Write(p []byte) (n int, err error) {
	if w.ended {
		return 0, errEnded
	}
	for len(p) > 0 && w.failed == nil {
		last := &w.parts[len(w.parts)-1]
		if last.size == w.driver.partBytes {
			w.finish()
			w.next()
			continue
		}
		some := p[:min(int64(len(p)), w.driver.partBytes-last.size)]
		if len(w.parts) > maxParts {
			w.failed = unusable("the bucket takes no blob of this size", nil)
			break
		}
		if _, w.failed = w.spool.Write(some); w.failed != nil {
			break
		}
		w.md5.Write(some)
		w.sha256.Write(some)
		w.whole.Write(some)
		last.size += int64(len(some))
		n += len(some)
		p = p[len(some):]
	}
	return n, w.failed
}

// Commit sends the bytes unless they are there.
func (w *writer) Commit(sha256 string) error {
	if w.ended {
		return errEnded
	}
	w.ended = true
	defer w.spool.drop()
	if w.failed != nil {
		return w.failed
	}
	w.finish()
	key := w.driver.key(sha256)
	if len(w.parts) > 1 { // it is dear to send them and be told then that they are there
		if there, err := w.there(key); there || err != nil {
			return err
		}
	}
	err := w.send(key, true)
	switch {
	case has(err, http.StatusPreconditionFailed), has(err, http.StatusConflict), noUpload(err):
		there, terr := w.there(key)
		if there || terr != nil {
			return terr
		}
		err = w.send(key, false) // what is there is damaged
	case has(err, http.StatusNotImplemented):
		err = w.send(key, false) // a bucket that knows no conditions
	}
	if errors.Is(fault(w.ctx, err), fs.ErrNotExist) {
		return busy("the bucket lost what was sent", err)
	}
	return fault(w.ctx, err)
}

// there reports whether the bytes are in the bucket. The bucket's own checksum tells; where that is made in another way than ours, the
// bytes are not known to be there.
func (w *writer) there(key string) (bool, error) {
	info, err := w.driver.core.StatObject(w.ctx, w.driver.bucket, key, minio.StatObjectOptions{})
	if err = fault(w.ctx, err); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Size == w.spool.size && w.same(info.ETag), err
}

// same reports whether an object's checksum is that of the bytes. In S3 it is their MD5, or that of the parts' MD5s with their number.
func (w *writer) same(etag string) bool {
	parts := md5.New()
	for _, p := range w.parts {
		parts.Write(p.md5)
	}
	return strings.EqualFold(etag, hex.EncodeToString(w.whole.Sum(nil))) || strings.EqualFold(etag, fmt.Sprintf("%x-%d", parts.Sum(nil), len(w.parts)))
}

// send uploads the bytes; where fresh, only if there is no such object.
func (w *writer) send(key string, fresh bool) error {
	opts := minio.PutObjectOptions{DisableContentSha256: true} // no signature in chunks: each request has the digest of its bytes
	if fresh {
		opts.SetMatchETagExcept("*")
	}
	var info minio.UploadInfo
	var err error
	if len(w.parts) == 1 {
		p := w.parts[0]
		info, err = w.driver.core.PutObject(w.ctx, w.driver.bucket, key, w.spool.part(p), p.size, base64.StdEncoding.EncodeToString(p.md5), hex.EncodeToString(p.sha256), opts)
	} else {
		info, err = w.sendParts(key, opts)
	}
	if err != nil || w.same(info.ETag) {
		return err
	}
	// A bucket that encrypts has checksums of its own. It has compared the bytes with our digests; the size is what is left to ask for.
	stat, err := w.driver.core.StatObject(w.ctx, w.driver.bucket, key, minio.StatObjectOptions{})
	if err == nil && stat.Size != w.spool.size {
		err = unusable("the bucket keeps another size than was sent", nil)
	}
	return err
}

func (w *writer) sendParts(key string, opts minio.PutObjectOptions) (info minio.UploadInfo, err error) {
	d := w.driver
	id, err := d.core.NewMultipartUpload(w.ctx, d.bucket, key, minio.PutObjectOptions{})
	if err != nil {
		return info, err
	}
	var done []minio.CompletePart
	for i, p := range w.parts {
		sent, err := d.core.PutObjectPart(w.ctx, d.bucket, key, id, i+1, w.spool.part(p), p.size, minio.PutObjectPartOptions{
			Md5Base64: base64.StdEncoding.EncodeToString(p.md5), Sha256Hex: hex.EncodeToString(p.sha256), DisableContentSha256: true})
		if err != nil {
			w.giveUp(key, id)
			return info, err
		}
		done = append(done, minio.CompletePart{PartNumber: i + 1, ETag: sent.ETag})
	}
	if info, err = d.core.CompleteMultipartUpload(w.ctx, d.bucket, key, id, done, opts); err != nil {
		w.giveUp(key, id)
	}
	return info, err
}

// giveUp ends an upload, also where ctx has ended. What it cannot end, a Sweep does.
func (w *writer) giveUp(key, id string) {
	_ = w.driver.core.AbortMultipartUpload(context.WithoutCancel(w.ctx), w.driver.bucket, key, id)
}

// Abort drops what was written; none of it has been sent.
func (w *writer) Abort() error {
	w.ended = true
	w.spool.drop()
	return nil
}

const (
	memoryBytes = 1 << 20  // how much of a blob is kept in memory while it is written, and how much is asked for when one is opened
	heldBytes   = 16 << 20 // how much of all blobs that are being written is kept in memory
)

// spool keeps what was written until it is sent: in memory, or where it is larger, in a file that nobody else can open.
type spool struct {
	dir  string
	held *atomic.Int64 // of all spools of the driver, in memory
	size int64
	buf  []byte
	file *os.File
	name string // of the file, as long as it has one
}

func (s *spool) Write(p []byte) (int, error) {
	if s.file == nil && !s.hold(int64(len(p))) {
		if err := s.spill(); err != nil {
			return 0, err
		}
	}
	if s.file == nil {
		s.buf = append(s.buf, p...)
	} else if n, err := s.file.Write(p); err != nil {
		return n, err
	}
	s.size += int64(len(p))
	return len(p), nil
}

// hold reports whether n more bytes may be kept in memory.
func (s *spool) hold(n int64) bool {
	if s.size+n > memoryBytes {
		return false
	}
	if s.held.Add(n) > heldBytes {
		s.held.Add(-n)
		return false
	}
	return true
}

// spill moves what is in memory to a file.
func (s *spool) spill() error {
	f, err := os.CreateTemp(s.dir, "glovebox-*") // with mode 0600
	if err != nil {
		return err
	}
	s.file = f
	if os.Remove(f.Name()) != nil { // now, so that nothing stays when the process dies
		s.name = f.Name() // the system does not let us while it is open
	}
	_, err = f.Write(s.buf)
	s.forget()
	return err
}

// forget drops what is in memory.
func (s *spool) forget() {
	s.held.Add(-int64(len(s.buf)))
	s.buf = nil
}

// part returns the bytes of a part, as often as they are sent.
func (s *spool) part(p part) io.ReadSeeker {
	var r io.ReaderAt = bytes.NewReader(s.buf)
	if s.file != nil {
		r = s.file
	}
	return io.NewSectionReader(r, p.off, p.size)
}

func (s *spool) drop() {
	if s.file != nil {
		_ = s.file.Close() // nobody reads it any more
		if s.name != "" {
			_ = os.Remove(s.name)
		}
		s.file, s.name = nil, ""
	}
	s.forget()
}

// commitsAtOnce is how many blobs of a batch are sent at the same time.
const commitsAtOnce = 8

// CommitAll implements store.BatchDriver: a bucket has no step for several objects, but they need not wait for one another.
func (d *Driver) CommitAll(writers []store.BlobWriter, digests []string) error {
	var group errgroup.Group
	group.SetLimit(commitsAtOnce)
	for i, w := range writers {
		group.Go(func() error { return w.Commit(digests[i]) })
	}
	return group.Wait()
}
