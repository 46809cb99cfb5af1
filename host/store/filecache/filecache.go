// Package filecache keeps answers that can be made again as files below a folder, for one host or several on one machine. It is a
// store.CacheDriver.
//
//	cache, err := filecache.Open(dir)
//	err = cache.Put(ctx, key, value)
//
// A value is the file ab/cdef… of its key, behind a checksum of both: one that is damaged, or that a crash has cut, is not there. Nothing is
// synced. The folder may be removed at any time, also while hosts use it. Folders have mode 0700, files 0600, and no link leads out.
package filecache

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const (
	magic       = "gbc1" // the form of a file: this, the checksum, the value
	headerBytes = len(magic) + sha256.Size
	tmpDir      = "tmp"

	// maxValueBytes is the largest value that is kept: whoever can write to the folder is not to fill the memory.
	maxValueBytes = 64 << 20

	renewAfter = time.Minute // that a value was asked for is noted so often at most
	staleAfter = time.Hour   // what is in tmp for so long is of a writer that died
)

// Cache is a store.CacheDriver.
type Cache struct {
	dir string

	mu     sync.RWMutex
	root   *os.Root
	closed bool
}

// Open returns the cache in the folder dir, which is made if it is not there.
//
// Errors: capability_unavailable where the folder cannot be used; quota_exceeded on a full disk; busy where too many files are open.
func Open(dir string) (*Cache, error) {
	root, err := openRoot(dir)
	if err != nil {
		return nil, store.PlaceError("filecache.Open", err)
	}
	return &Cache{dir: dir, root: root}, nil
}

func openRoot(dir string) (*os.Root, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return os.OpenRoot(dir)
}

var errClosed = &readapi.Error{Code: readapi.CodeCanceled, Detail: "the cache is closed", Final: true}

// use calls f with the folder.
func (c *Cache) use(ctx context.Context, f func(root *os.Root) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.closed {
		return errClosed
	}
	return f(c.root)
}

// reopen makes the folder again where somebody has removed it.
func (c *Cache) reopen() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	root, err := openRoot(c.dir)
	if err != nil {
		return err
	}
	_ = c.root.Close() // it was only the way to a folder that is gone
	c.root = root
	return nil
}

func name(key string) string { return path.Join(key[:2], key[2:]) }

var errKey = &readapi.Error{Code: readapi.CodeInvalidRequest, Detail: "this is no key of a cache"}

func seal(key string, value []byte) [sha256.Size]byte {
	sum := sha256.New()
	sum.Write([]byte(magic + key))
	sum.Write(value)
	return [sha256.Size]byte(sum.Sum(nil))
}

// Get implements store.CacheDriver.
func (c *Cache) Get(ctx context.Context, key string) (value []byte, ok bool, err error) {
	const op = "filecache.Cache.Get"
	if !store.ValidDigest(key) {
		return nil, false, readapi.AsError(op, errKey)
	}
	err = c.use(ctx, func(root *os.Root) error {
		value, ok, err = get(root, key)
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return value, ok, store.PlaceError(op, err)
}

// get reads a value. What is no whole value of the key is not there, and is removed.
func get(root *os.Root, key string) (value []byte, ok bool, err error) {
	file := name(key)
	info, err := root.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false, err
	}
	content, err := read(root, file)
	if err != nil {
		return nil, false, err
	}
	if len(content) < headerBytes || string(content[:len(magic)]) != magic || [sha256.Size]byte(content[len(magic):headerBytes]) != seal(key, content[headerBytes:]) {
		_ = root.Remove(file) // or else the next one to put it does
		return nil, false, nil
	}
	if now := time.Now(); now.Sub(info.ModTime()).Abs() > renewAfter {
		_ = root.Chtimes(file, now, now) // it may have been removed; and it is only a hint
	}
	return content[headerBytes:], true, nil
}

func read(root *os.Root, file string) ([]byte, error) {
	f, err := root.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, int64(headerBytes)+maxValueBytes))
}

// Put implements store.CacheDriver. A value of more than 64 MiB is not kept.
func (c *Cache) Put(ctx context.Context, key string, value []byte) error {
	const op = "filecache.Cache.Put"
	if !store.ValidDigest(key) {
		return readapi.AsError(op, errKey)
	}
	if len(value) > maxValueBytes {
		return nil
	}
	sum := seal(key, value)
	content := slices.Concat([]byte(magic), sum[:], value)
	err := c.use(ctx, func(root *os.Root) error { return put(root, name(key), content) })
	if errors.Is(err, fs.ErrNotExist) { // somebody has removed the folder
		if err = c.reopen(); err == nil {
			err = c.use(ctx, func(root *os.Root) error { return put(root, name(key), content) })
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil // again: there is no place for it just now
	}
	return store.PlaceError(op, err)
}

func put(root *os.Root, file string, content []byte) error {
	for _, dir := range []string{tmpDir, path.Dir(file)} {
		if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	tmp := path.Join(tmpDir, hex.EncodeToString(b[:]))
	err := write(root, tmp, content)
	if err == nil {
		err = root.Rename(tmp, file)
	}
	if err != nil {
		_ = root.Remove(tmp) // or else Trim does
	}
	return err
}

func write(root *os.Root, file string, content []byte) error {
	f, err := root.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// entry is a value in its place.
type entry struct {
	file  string
	bytes int64
	used  time.Time
}

// Trim implements store.CacheDriver. It also removes what writers that died have left.
func (c *Cache) Trim(ctx context.Context, most int64) (left store.Usage, err error) {
	err = c.use(ctx, func(root *os.Root) error {
		entries, err := list(ctx, root)
		if err != nil {
			return err
		}
		slices.SortFunc(entries, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), cmp.Compare(a.file, b.file)) })
		for _, e := range entries {
			left.Bytes += e.bytes
		}
		for left.Files = int64(len(entries)); left.Bytes > most || most == 0 && left.Files > 0; left.Files-- {
			if err := ctx.Err(); err != nil {
				return err
			}
			e := entries[int64(len(entries))-left.Files]
			if err := root.Remove(e.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			left.Bytes -= e.bytes
		}
		return nil
	})
	return left, store.PlaceError("filecache.Cache.Trim", err)
}

// list returns every value, and removes what is stale in tmp.
func list(ctx context.Context, root *os.Root) (entries []entry, err error) {
	folders, err := readDir(root, ".")
	if err != nil {
		return nil, err
	}
	for _, folder := range folders {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !folder.IsDir() || folder.Name() != tmpDir && len(folder.Name()) != 2 {
			continue
		}
		files, err := readDir(root, folder.Name())
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			e := entry{file: path.Join(folder.Name(), f.Name())}
			info, err := root.Lstat(e.file)
			switch {
			case err != nil || !info.Mode().IsRegular(): // another one was faster, or it is none of ours
			case folder.Name() != tmpDir:
				e.bytes, e.used = max(0, info.Size()-int64(headerBytes)), info.ModTime()
				entries = append(entries, e)
			case time.Since(info.ModTime()) > staleAfter:
				_ = root.Remove(e.file)
			}
		}
	}
	return entries, nil
}

// readDir lists a folder; one that is not there has nothing in it.
func readDir(root *os.Root, dir string) ([]fs.DirEntry, error) {
	f, err := root.Open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(-1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return entries, err
}

// Close implements store.CacheDriver.
func (c *Cache) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	c.closed = true
	return readapi.AsError("filecache.Cache.Close", c.root.Close())
}
