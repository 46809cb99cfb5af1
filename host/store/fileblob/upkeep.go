package fileblob

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"path"
	"time"

	"github.com/glovebox-wasm/glovebox/host/store"
)

// Sweep implements store.Sweeper: it removes what was being written and was last written to before a time.
func (d *Driver) Sweep(_ context.Context, before time.Time) (int, error) {
	return sweep(d.disk, before)
}

// Inspect implements store.Inspector: folders have mode 0700, files 0600, and below blobs is nothing but blobs. What is no file of ours
// is told and left as it is.
func (d *Driver) Inspect(ctx context.Context, mend bool) iter.Seq2[store.Oddity, error] {
	return func(yield func(store.Oddity, error) bool) {
		v := visit{ctx: ctx, disk: d.disk, mend: mend, yield: yield}
		_ = v.mode(".", "", 0o700, "the folder of the files") && v.mode(blobsDir, "", 0o700, "the folder of the blobs") &&
			v.mode(tmpDir, "", 0o700, "the folder of what is being written") && v.folders()
	}
}

// visit is one walk of Inspect. Its methods return false when it ends.
type visit struct {
	ctx   context.Context
	disk  disk
	mend  bool
	yield func(store.Oddity, error) bool
}

func (v visit) folders() bool {
	entries, err := v.disk.readDir(blobsDir)
	if err != nil {
		return v.yield(store.Oddity{}, err)
	}
	for _, e := range entries {
		name := path.Join(blobsDir, e.Name())
		if !e.IsDir() || len(e.Name()) != 2 {
			if !v.yield(store.Oddity{Code: store.OddForeign, Detail: "among the folders of the blobs is something else"}, nil) {
				return false
			}
			continue
		}
		if !v.mode(name, "", 0o700, "a folder of blobs") || !v.files(name, e.Name()) {
			return false
		}
	}
	return true
}

func (v visit) files(folder, prefix string) bool {
	entries, err := v.disk.readDir(folder)
	if err != nil {
		return v.yield(store.Oddity{}, err)
	}
	for _, e := range entries {
		if err := v.ctx.Err(); err != nil {
			v.yield(store.Oddity{}, err)
			return false
		}
		switch {
		case !store.ValidDigest(e.Name()) || e.Name()[:2] != prefix:
			if !v.yield(store.Oddity{Code: store.OddForeign, Detail: "among the blobs is a file that is none"}, nil) {
				return false
			}
		case !v.blob(path.Join(folder, e.Name()), e.Name()):
			return false
		}
	}
	return true
}

func (v visit) blob(name, sha256 string) bool {
	info, err := v.disk.lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true // it was removed meanwhile
	case err != nil:
		return v.yield(store.Oddity{}, err)
	case !info.Mode().IsRegular():
		return v.yield(store.Oddity{Code: store.OddNotRegular, SHA256: sha256, Detail: "in the place of a blob is no regular file"}, nil)
	case links(info) > 1:
		return v.yield(store.Oddity{Code: store.OddNotRegular, SHA256: sha256, Detail: "the file of a blob has a second name"}, nil)
	}
	return v.mode(name, sha256, 0o600, "the file of a blob")
}

// mode checks a file or folder of ours. Windows knows no such modes.
func (v visit) mode(name, sha256 string, want fs.FileMode, what string) bool {
	info, err := v.disk.lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return true
	}
	if err != nil {
		return v.yield(store.Oddity{}, err)
	}
	if !hasModes || info.Mode().Perm() == want || info.Mode()&fs.ModeSymlink != 0 {
		return true
	}
	o := store.Oddity{Code: store.OddMode, SHA256: sha256, Detail: what + " has another mode than it was made with"}
	if v.mend {
		o.Mended = v.disk.chmod(name, want) == nil
	}
	return v.yield(o, nil)
}
