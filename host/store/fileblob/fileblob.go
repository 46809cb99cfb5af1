// Package fileblob keeps blobs as files below a folder. It is a driver of store.Blobs.
//
//	driver, err := fileblob.Open(dir, nil)
//	blobs, err := store.NewBlobs(driver, nil)
//
// The bytes of a digest are in blobs/<its first two characters>/<digest>; what is being written is in tmp. Folders have mode 0700, files
// 0600. All access goes through an os.Root: no link leads out of the folder. Several processes may use one folder.
package fileblob

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"iter"
	"path"
	"slices"
	"sync/atomic"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	blobsDir = "blobs"
	tmpDir   = "tmp"
)

// Options of a Driver; nil means all defaults.
type Options struct {
	StaleAfter time.Duration // what is in tmp and was not written to for so long is swept when the folder is opened; default 1 h
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.StaleAfter < 0 {
		return out, &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "StaleAfter is negative"}
	}
	if out.StaleAfter == 0 {
		out.StaleAfter = time.Hour
	}
	return out, nil
}

// Driver is a store.BlobDriver.
type Driver struct {
	disk disk

	// Which folders are known to be durable. A folder that is there may have been made by another process a moment ago, so being there
	// is not enough. fanout is by the first byte of a digest.
	base   atomic.Bool
	fanout [256]atomic.Bool
}

// Open returns the blobs in the folder dir, which is made if it is not there, and sweeps what writers that died have left in tmp.
//
// Errors: capability_unavailable where the folder cannot be used; quota_exceeded on a full disk; busy where too many files are open;
// invalid_request for a negative option.
func Open(dir string, opts *Options) (*Driver, error) {
	const op = "fileblob.Open"
	o, err := opts.withDefaults()
	if err != nil {
		return nil, readapi.AsError(op, err)
	}
	d, err := openRoot(dir)
	if err != nil {
		return nil, store.PlaceError(op, err)
	}
	driver, err := open(d, o)
	if err != nil {
		_ = d.close()
		return nil, store.PlaceError(op, err)
	}
	return driver, nil
}

func open(d disk, o Options) (*Driver, error) {
	for _, name := range []string{blobsDir, tmpDir} {
		if err := d.mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	_, _ = sweep(d, time.Now().Add(-o.StaleAfter)) // housekeeping: a folder that cannot be listed fails where it is needed
	return &Driver{disk: d}, nil
}

// sweep removes what was last written before a time. What it cannot remove, another one will, or has already.
func sweep(d disk, before time.Time) (removed int, err error) {
	entries, err := d.readDir(tmpDir)
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		name := path.Join(tmpDir, e.Name())
		if info, err := d.lstat(name); err == nil && !info.IsDir() && info.ModTime().Before(before) && d.remove(name) == nil {
			removed++
		}
	}
	return removed, nil
}

func blobPath(sha256 string) string { return path.Join(blobsDir, sha256[:2], sha256) }

// Create implements store.BlobDriver.
func (d *Driver) Create(context.Context) (store.BlobWriter, error) {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	name := path.Join(tmpDir, hex.EncodeToString(b[:]))
	f, err := d.disk.create(name)
	if err != nil {
		return nil, err
	}
	return &writer{driver: d, file: f, name: name}, nil
}

// Open implements store.BlobDriver. A file with a second name (a hard link) is refused too: who has the other name may change it.
func (d *Driver) Open(_ context.Context, sha256 string) (store.BlobReader, error) {
	name := blobPath(sha256)
	// os.Root follows links within the root, whatever the flags say. So the name is looked at first, and then whether it was that file
	// that was opened. Another process may replace the file in between; a link that comes and goes is refused at the latest then.
	for range 10 {
		before, err := d.disk.lstat(name)
		if err != nil {
			return nil, err
		}
		if !before.Mode().IsRegular() {
			return nil, refused("it is no regular file")
		}
		f, err := d.disk.open(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		switch {
		case err != nil:
		case !sameFile(before, info):
			_ = f.Close()
			continue
		case links(info) > 1:
			err = refused("its file has a second name")
		default:
			return &reader{f, info.Size()}, nil
		}
		_ = f.Close()
		return nil, err
	}
	return nil, refused("its file is replaced again and again")
}

func refused(detail string) error { return &readapi.Error{Code: readapi.CodeCorrupt, Detail: detail} }

// Stat implements store.BlobDriver.
func (d *Driver) Stat(_ context.Context, sha256 string) (store.BlobInfo, error) {
	info, err := d.regular(sha256)
	if err != nil {
		return store.BlobInfo{}, err
	}
	return store.BlobInfo{Blob: store.Blob{SHA256: sha256, Size: info.Size()}, Committed: info.ModTime()}, nil
}

// regular describes the file of a blob, which must be one of ours: no link, no pipe, and no other name of a file elsewhere.
func (d *Driver) regular(sha256 string) (fs.FileInfo, error) {
	info, err := d.disk.lstat(blobPath(sha256))
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, refused("it is no regular file")
	case links(info) > 1:
		return nil, refused("its file has a second name")
	}
	return info, nil
}

// Remove implements store.BlobDriver. What somebody has put in the place of a blob stays: it is not ours.
func (d *Driver) Remove(_ context.Context, sha256 string) error {
	if _, err := d.regular(sha256); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	if err := d.disk.remove(blobPath(sha256)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// List implements store.BlobDriver. What has not the name or the form of a blob is left out.
func (d *Driver) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		folders, err := d.disk.readDir(blobsDir)
		if err != nil {
			yield(store.BlobInfo{}, err)
			return
		}
		for _, f := range folders {
			if f.IsDir() && len(f.Name()) == 2 && !d.listFolder(ctx, f.Name(), yield) {
				return
			}
		}
	}
}

func (d *Driver) listFolder(ctx context.Context, folder string, yield func(store.BlobInfo, error) bool) bool {
	entries, err := d.disk.readDir(path.Join(blobsDir, folder))
	if err != nil {
		return yield(store.BlobInfo{}, err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return yield(store.BlobInfo{}, err) && false
		}
		if !store.ValidDigest(e.Name()) || e.Name()[:2] != folder || !e.Type().IsRegular() {
			continue
		}
		info, err := d.disk.lstat(path.Join(blobsDir, folder, e.Name()))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			if !yield(store.BlobInfo{}, err) {
				return false
			}
			continue
		}
		if !yield(store.BlobInfo{Blob: store.Blob{SHA256: e.Name(), Size: info.Size()}, Committed: info.ModTime()}, nil) {
			return false
		}
	}
	return true
}

// Close implements store.BlobDriver.
func (d *Driver) Close() error { return d.disk.close() }

// prepare makes the folders that digests go to, and makes them durable with all that lead to them.
func (d *Driver) prepare(digests ...string) error {
	var fresh []*atomic.Bool
	for _, sum := range digests {
		b, err := hex.DecodeString(sum[:2])
		if err != nil {
			return err
		}
		known := &d.fanout[b[0]]
		if known.Load() || slices.Contains(fresh, known) {
			continue
		}
		if err := d.disk.mkdir(path.Join(blobsDir, sum[:2])); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		fresh = append(fresh, known)
	}
	if len(fresh) == 0 {
		return nil
	}
	if !d.base.Load() {
		if err := d.disk.syncDir("."); err != nil {
			return err
		}
		d.base.Store(true)
	}
	if err := d.disk.syncDir(blobsDir); err != nil {
		return err
	}
	for _, known := range fresh {
		known.Store(true)
	}
	return nil
}

type writer struct {
	driver *Driver
	file   file
	name   string
	failed error // of a Write
	ended  bool
}

var errEnded = errors.New("fileblob: the blob has been committed or dropped")

func (w *writer) Write(p []byte) (int, error) {
	if w.ended {
		return 0, errEnded
	}
	if w.failed != nil {
		return 0, w.failed
	}
	n, err := w.file.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	w.failed = err
	return n, err
}

// Commit follows the order that loses nothing: the bytes are on the disk before they have their name, and the name before anybody is told.
func (w *writer) Commit(sha256 string) error {
	if w.ended {
		return errEnded
	}
	w.ended = true
	err := w.finish()
	if err == nil {
		err = w.driver.prepare(sha256)
	}
	if err == nil {
		if err = w.driver.rename(w.name, sha256); err == nil {
			return w.driver.disk.syncDir(path.Join(blobsDir, sha256[:2]))
		}
	}
	_ = w.driver.disk.remove(w.name) // or else a sweep takes it
	return err
}

// finish makes the bytes durable, under no name of a blob yet.
func (w *writer) finish() error {
	err := w.failed
	if err == nil {
		err = w.file.Sync()
	}
	return w.close(err)
}

// close closes the file; err is what was wrong before.
func (w *writer) close(err error) error {
	if cerr := w.file.Close(); err == nil {
		err = cerr
	}
	return err
}

// rename gives what was written the name of its digest.
func (d *Driver) rename(name, sha256 string) error {
	place := blobPath(sha256)
	err := d.disk.rename(name, place)
	if err != nil {
		if info, lerr := d.disk.lstat(place); lerr == nil && info.IsDir() { // it is not ours to remove
			return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "a folder is in the place of the file's bytes",
				Hint: "Move it out of the data directory: it is not of the store. fsck names the digest that it is called by.", Err: err}
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		// Another process swept it, or somebody removed the folder; then the next writer makes it again.
		d.forget()
		err = &readapi.Error{Code: readapi.CodeBusy, Detail: "what was written has been swept away meanwhile", RetryAfter: time.Second, Err: err}
	}
	return err
}

// forget makes the next writer look at the folders again.
func (d *Driver) forget() {
	d.base.Store(false)
	for i := range d.fanout {
		d.fanout[i].Store(false)
	}
}

func (w *writer) Abort() error {
	if w.ended {
		return nil
	}
	w.ended = true
	_ = w.file.Close() // nobody wants these bytes
	return w.driver.disk.remove(w.name)
}

type reader struct {
	file
	size int64
}

func (r *reader) Size() int64 { return r.size }
