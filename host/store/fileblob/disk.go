package fileblob

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// disk is what a Driver does with the file system, a step a method, so that a test can record the order and fail any of them. Names are
// relative to the root, with slashes.
type disk interface {
	mkdir(name string) error
	create(name string) (file, error) // a new file, to write
	open(name string) (file, error)   // to read; never waits, as opening a pipe would
	lstat(name string) (fs.FileInfo, error)
	rename(from, to string) error
	remove(name string) error
	chmod(name string, mode fs.FileMode) error
	syncDir(name string) error
	syncAll() (ok bool, err error) // all that was written and named before; not ok: there is no such thing here
	readDir(name string) ([]fs.DirEntry, error)
	close() error
}

type file interface {
	io.Writer
	io.ReaderAt
	Stat() (fs.FileInfo, error)
	Sync() error
	Close() error
}

// sameFile is os.SameFile, which knows only what package os made.
func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

type rootDisk struct {
	root *os.Root
	self *os.File // the folder, open since before anything was written, so that syncAll is told of every write that failed
}

// openRoot opens dir, and makes it durably if it is not there.
func openRoot(dir string) (*rootDisk, error) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := makeDir(dir); err != nil {
			return nil, err
		}
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: "the data directory is not a folder"}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	self, err := root.Open(".")
	if err != nil {
		_ = root.Close()
		return nil, err
	}
	return &rootDisk{root, self}, nil
}

// makeDir is os.MkdirAll that syncs the folder which a new one is in.
func makeDir(dir string) error {
	parent := filepath.Dir(dir)
	if _, err := os.Stat(parent); errors.Is(err, fs.ErrNotExist) && parent != dir {
		if err := makeDir(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	f, err := os.Open(parent)
	if errors.Is(err, fs.ErrPermission) {
		return nil // a folder that we may not list is somebody else's, and has been there for long
	}
	if err != nil {
		return err
	}
	return errors.Join(store.SyncFolder(f), f.Close())
}

func (d *rootDisk) mkdir(name string) error { return d.root.Mkdir(name, 0o700) }

func (d *rootDisk) create(name string) (file, error) {
	return asFile(d.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600))
}

func (d *rootDisk) open(name string) (file, error) {
	return asFile(d.root.OpenFile(name, os.O_RDONLY|nonBlocking, 0))
}

// asFile keeps a nil *os.File from becoming a file that is not nil.
func asFile(f *os.File, err error) (file, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (d *rootDisk) lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
func (d *rootDisk) rename(from, to string) error           { return d.root.Rename(from, to) }
func (d *rootDisk) remove(name string) error               { return d.root.Remove(name) }
func (d *rootDisk) syncAll() (bool, error)                 { return syncFileSystem(d.self) }
func (d *rootDisk) close() error                           { return errors.Join(d.self.Close(), d.root.Close()) }

func (d *rootDisk) chmod(name string, mode fs.FileMode) error { return d.root.Chmod(name, mode) }

func (d *rootDisk) readDir(name string) ([]fs.DirEntry, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

func (d *rootDisk) syncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(store.SyncFolder(f), f.Close())
}
