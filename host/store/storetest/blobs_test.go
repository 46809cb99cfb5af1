package storetest

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/host/store/memblob"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// brokenBlobs is a sound driver, but for what the hooks change.
type brokenBlobs struct {
	store.BlobDriver
	open   func(name string) (store.BlobReader, error)
	remove func(name string) error
	stat   func(name string) (store.BlobInfo, error)
	list   iter.Seq2[store.BlobInfo, error]
	writer func(*brokenWriter)
	batch  func(writers []store.BlobWriter, digests []string) error
}

func (d *brokenBlobs) CommitAll(writers []store.BlobWriter, digests []string) error {
	if d.batch != nil {
		return d.batch(writers, digests)
	}
	for i, w := range writers {
		if err := w.Commit(digests[i]); err != nil {
			return err
		}
	}
	return nil
}

type brokenWriter struct {
	store.BlobWriter
	write  func(p []byte) (int, error)
	commit func(name string) error
	abort  func() error
}

func (w *brokenWriter) Write(p []byte) (int, error) { return w.write(p) }
func (w *brokenWriter) Commit(name string) error    { return w.commit(name) }
func (w *brokenWriter) Abort() error                { return w.abort() }

func (d *brokenBlobs) Create(ctx context.Context) (store.BlobWriter, error) {
	w, err := d.BlobDriver.Create(ctx)
	if err != nil || d.writer == nil {
		return w, err
	}
	b := &brokenWriter{w, w.Write, w.Commit, w.Abort}
	d.writer(b)
	return b, nil
}

func (d *brokenBlobs) Open(ctx context.Context, name string) (store.BlobReader, error) {
	if d.open != nil {
		return d.open(name)
	}
	return d.BlobDriver.Open(ctx, name)
}

func (d *brokenBlobs) Remove(ctx context.Context, name string) error {
	if d.remove != nil {
		return d.remove(name)
	}
	return d.BlobDriver.Remove(ctx, name)
}

func (d *brokenBlobs) Stat(ctx context.Context, name string) (store.BlobInfo, error) {
	if d.stat != nil {
		return d.stat(name)
	}
	return d.BlobDriver.Stat(ctx, name)
}

func (d *brokenBlobs) List(ctx context.Context) iter.Seq2[store.BlobInfo, error] {
	if d.list != nil {
		return d.list
	}
	return d.BlobDriver.List(ctx)
}

// brokenReader reads through f.
type brokenReader struct {
	store.BlobReader
	f func(p []byte, off int64) (int, error)
}

func (r brokenReader) ReadAt(p []byte, off int64) (int, error) { return r.f(p, off) }

// reading breaks what is read.
func reading(f func(d store.BlobDriver, name string, r store.BlobReader) func(p []byte, off int64) (int, error)) func(T, *brokenBlobs) {
	return func(t T, d *brokenBlobs) {
		d.open = func(name string) (store.BlobReader, error) {
			r, err := d.BlobDriver.Open(t.Context(), name)
			if err != nil {
				return nil, err
			}
			return brokenReader{r, f(d.BlobDriver, name, r)}, nil
		}
	}
}

// planted is a driver in whose place somebody has put something.
type planted struct {
	store.BlobDriver
	strange sync.Map // names
}

func newPlanted() *planted { return &planted{BlobDriver: memblob.New()} }

func (d *planted) refuse(name string) error {
	if _, ok := d.strange.Load(name); ok {
		return &readapi.Error{Code: readapi.CodeCorrupt}
	}
	return nil
}

func (d *planted) Open(ctx context.Context, name string) (store.BlobReader, error) {
	if err := d.refuse(name); err != nil {
		return nil, err
	}
	return d.BlobDriver.Open(ctx, name)
}

func (d *planted) Stat(ctx context.Context, name string) (store.BlobInfo, error) {
	if err := d.refuse(name); err != nil {
		return store.BlobInfo{}, err
	}
	return d.BlobDriver.Stat(ctx, name)
}

func (d *planted) Remove(ctx context.Context, name string) error {
	if err := d.refuse(name); err != nil {
		return err
	}
	return d.BlobDriver.Remove(ctx, name)
}

func plant(_ T, d store.BlobDriver, name string) func() error {
	if b, ok := d.(*brokenBlobs); ok {
		d = b.BlobDriver
	}
	p := d.(*planted)
	p.strange.Store(name, true)
	return func() error {
		if _, ok := p.strange.Load(name); !ok {
			return errBroken
		}
		return nil
	}
}

func soundBlobs() BlobHarness {
	return BlobHarness{
		New:    func(T) store.BlobDriver { return newPlanted() },
		Reopen: func(_ T, d store.BlobDriver) store.BlobDriver { return d },
		Plant:  plant,
	}
}

func infos(t T, d store.BlobDriver) (list []store.BlobInfo) {
	for info, err := range d.List(t.Context()) {
		must(t, err)
		list = append(list, info)
	}
	return list
}

func values(list []store.BlobInfo) iter.Seq2[store.BlobInfo, error] {
	return func(yield func(store.BlobInfo, error) bool) {
		for _, info := range list {
			if !yield(info, nil) {
				return
			}
		}
	}
}

// listing breaks what is listed.
func listing(f func([]store.BlobInfo) []store.BlobInfo) func(T, *brokenBlobs) {
	return func(t T, d *brokenBlobs) {
		d.list = func(yield func(store.BlobInfo, error) bool) { values(f(infos(t, d.BlobDriver)))(yield) }
	}
}

var errBroken = errors.New("broken on purpose")

func TestBlobMutants(t *testing.T) {
	breaks := []struct {
		of string
		f  func(T, *brokenBlobs)
	}{
		{"RoundTrip", func(t T, d *brokenBlobs) { // drops the last byte of a write of exactly one block
			d.writer = func(w *brokenWriter) {
				w.write = func(p []byte) (int, error) {
					n := len(p)
					if n == 4096 {
						p = p[:n-1]
					}
					_, err := w.BlobWriter.Write(p)
					return n, err
				}
			}
		}},
		{"Large", func(t T, d *brokenBlobs) { // keeps only the first 4 MiB
			d.writer = func(w *brokenWriter) {
				total := 0
				w.write = func(p []byte) (int, error) {
					if total += len(p); total > 4<<20 {
						return len(p), nil
					}
					return w.BlobWriter.Write(p)
				}
			}
		}},
		{"ReadAt", reading(func(_ store.BlobDriver, _ string, r store.BlobReader) func([]byte, int64) (int, error) {
			return func(p []byte, off int64) (int, error) { // no io.EOF with the last bytes
				n, err := r.ReadAt(p, off)
				if n > 0 {
					err = nil
				}
				return n, err
			}
		})},
		{"Absent", func(t T, d *brokenBlobs) {
			d.open = func(name string) (store.BlobReader, error) {
				r, err := d.BlobDriver.Open(t.Context(), name)
				if errors.Is(err, fs.ErrNotExist) {
					err = errBroken
				}
				return r, err
			}
		}},
		{"Remove", func(_ T, d *brokenBlobs) { d.remove = d.BlobDriver.(*planted).refuse }},
		{"RemoveAbsent", func(t T, d *brokenBlobs) {
			d.remove = func(name string) error {
				if _, err := d.BlobDriver.Open(t.Context(), name); err != nil {
					return err
				}
				return d.BlobDriver.Remove(t.Context(), name)
			}
		}},
		{"RemoveStrange", func(t T, d *brokenBlobs) { // removes whatever is there
			d.remove = func(name string) error {
				d.BlobDriver.(*planted).strange.Delete(name)
				return d.BlobDriver.Remove(t.Context(), name)
			}
		}},
		{"Stat", func(t T, d *brokenBlobs) { // a size that is rounded up
			d.stat = func(name string) (store.BlobInfo, error) {
				info, err := d.BlobDriver.Stat(t.Context(), name)
				info.Size = (info.Size + 1) &^ 1
				return info, err
			}
		}},
		{"OpenOutlivesRemove", reading(func(d store.BlobDriver, name string, r store.BlobReader) func([]byte, int64) (int, error) {
			return func(p []byte, off int64) (int, error) {
				if _, err := d.Open(context.Background(), name); err != nil {
					return 0, err
				}
				return r.ReadAt(p, off)
			}
		})},
		{"Abort", func(t T, d *brokenBlobs) { // what was dropped can still be committed
			d.writer = func(w *brokenWriter) { w.abort = func() error { return nil } }
		}},
		{"AbortAfterCommit", func(t T, d *brokenBlobs) {
			d.writer = func(w *brokenWriter) {
				name := ""
				w.commit = func(n string) error { name = n; return w.BlobWriter.Commit(n) }
				w.abort = func() error {
					if name != "" {
						return d.BlobDriver.Remove(t.Context(), name)
					}
					return w.BlobWriter.Abort()
				}
			}
		}},
		{"Uncommitted", func(t T, d *brokenBlobs) { // lists what is being written, unless that is dropped
			var open atomic.Int64
			d.writer = func(w *brokenWriter) {
				open.Add(1)
				w.commit = func(n string) error { open.Add(-1); return w.BlobWriter.Commit(n) }
				w.abort = func() error { open.Store(0); return w.BlobWriter.Abort() }
			}
			listing(func(l []store.BlobInfo) []store.BlobInfo { return append(l, make([]store.BlobInfo, open.Load())...) })(t, d)
		}},
		{"CommitAgain", func(t T, d *brokenBlobs) { // a blob that is there is left as it is
			d.writer = func(w *brokenWriter) {
				w.commit = func(n string) error {
					if _, err := d.BlobDriver.Open(t.Context(), n); err == nil {
						return w.BlobWriter.Abort()
					}
					return w.BlobWriter.Commit(n)
				}
			}
		}},
		{"CommitTime", listing(func(l []store.BlobInfo) []store.BlobInfo {
			for i := range l {
				l[i].Committed = time.Time{}
			}
			return l
		})},
		{"List", listing(func(l []store.BlobInfo) []store.BlobInfo { return l[:min(len(l), 19)] })},
		{"ListStops", func(t T, d *brokenBlobs) {
			d.list = func(yield func(store.BlobInfo, error) bool) {
				for _, info := range infos(t, d.BlobDriver) {
					yield(info, nil)
				}
			}
		}},
		{"Interleaved", func(t T, d *brokenBlobs) { // small writes of all writers go through one buffer
			var mu sync.Mutex
			var shared []byte
			d.writer = func(w *brokenWriter) {
				w.write = func(p []byte) (int, error) {
					if len(p) > 1 {
						return w.BlobWriter.Write(p)
					}
					mu.Lock()
					defer mu.Unlock()
					shared = append(shared, p...)
					return len(p), nil
				}
				w.commit = func(n string) error {
					mu.Lock()
					_, _ = w.BlobWriter.Write(shared)
					shared = nil
					mu.Unlock()
					return w.BlobWriter.Commit(n)
				}
			}
		}},
		{"Batch", func(_ T, d *brokenBlobs) { // each blob of a batch gets the name of the next
			d.batch = func(writers []store.BlobWriter, digests []string) error {
				for i, w := range writers {
					if err := w.Commit(digests[(i+1)%len(digests)]); err != nil {
						return err
					}
				}
				return nil
			}
		}},
		{"Concurrent", func(t T, d *brokenBlobs) { // a second commit of one name at the same time fails
			var m sync.Map
			d.writer = func(w *brokenWriter) {
				w.commit = func(n string) error {
					if _, busy := m.LoadOrStore(n, true); busy {
						return errBroken
					}
					for range 100 {
						runtime.Gosched()
					}
					defer m.Delete(n)
					return w.BlobWriter.Commit(n)
				}
			}
		}},
	}
	var mutants []mutant[BlobHarness]
	for _, b := range breaks {
		h := soundBlobs()
		h.New = func(t T) store.BlobDriver {
			d := &brokenBlobs{BlobDriver: newPlanted()}
			b.f(t, d)
			return d
		}
		mutants = append(mutants, mutant[BlobHarness]{b.of, h})
	}
	forgets := soundBlobs()
	forgets.Reopen = func(T, store.BlobDriver) store.BlobDriver { return memblob.New() }
	mutants = append(mutants, mutant[BlobHarness]{"Reopen", forgets})
	runMutants(t, blobCases(), soundBlobs(), mutants)
}
