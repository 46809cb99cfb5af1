package server

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// filesBelow opens regular files of a folder by the path that a model names. os.Root keeps every step of the path within the folder, links
// too. Whatever else a path can name is refused without waiting for it: a FIFO without a writer would block a plain open for good.
func filesBelow(root *os.Root) func(ctx context.Context, name string) (host.NewFile, error) {
	return func(ctx context.Context, name string) (host.NewFile, error) {
		if err := ctx.Err(); err != nil {
			return host.NewFile{}, err
		}
		if !filepath.IsLocal(name) { // said apart from what the system says, which differs
			return host.NewFile{}, refused("the path leads out of the folder", nil)
		}
		info, err := root.Stat(name)
		if err != nil {
			return host.NewFile{}, fileError(err)
		}
		if !info.Mode().IsRegular() {
			return host.NewFile{}, refused("this is not a regular file", nil)
		}
		// O_NONBLOCK and a second look: the name may have become a FIFO since.
		f, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return host.NewFile{}, fileError(err)
		}
		if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
			err = refused("this is not a regular file", nil)
		}
		if err != nil {
			return host.NewFile{}, errors.Join(fileError(err), f.Close())
		}
		return host.NewFile{Name: filepath.Base(name), Size: info.Size(), SizeKnown: true, Content: opened{f}}, nil
	}
}

// opened is a file of which only the content and the end matter to those who get it.
type opened struct{ io.ReadCloser }

// Read implements io.Reader. What the system says of a file names its path, so it does not go on.
func (o opened) Read(b []byte) (int, error) {
	n, err := o.ReadCloser.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = fileError(err)
	}
	return n, err
}

func refused(detail string, cause error) error {
	return &readapi.Error{
		Op: "server.Attach", Code: readapi.CodeInvalidRequest, Detail: detail, Hint: "Name a file by its path relative to the folder.", Err: cause,
	}
}

// fileError says in words of ours why a file cannot be opened.
func fileError(err error) error {
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		return e
	}
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return &readapi.Error{Op: "server.Attach", Code: readapi.CodeNotFound, Detail: "the folder has no such file", Hint: "Name a file by its path relative to the folder.", Err: err}
	case errors.Is(err, fs.ErrPermission):
		return &readapi.Error{Op: "server.Attach", Code: readapi.CodeUnauthorized, Detail: "the file may not be read", Err: err}
	}
	return refused("the file cannot be opened", err)
}
