package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"syscall"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// source is the bytes of one file, open.
type source struct {
	io.ReaderAt
	size  int64
	close func() error
}

// openFile opens the regular file at path, which the user knows as subject; max bounds what is copied of a file whose size the system
// does not tell. Everything else that a path can name is refused without ever waiting for it: a FIFO without a writer would block a plain
// open for good.
func openFile(ctx context.Context, subject, path string, max int64) (*source, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileFailure(subject, err)
	}
	if err := regular(subject, info); err != nil {
		return nil, err
	}
	// O_NONBLOCK and a second look: the name may have become a FIFO since.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fileFailure(subject, err)
	}
	if info, err = f.Stat(); err == nil {
		err = regular(subject, info)
	}
	if err != nil {
		return nil, errors.Join(fileFailure(subject, err), f.Close())
	}
	if info.Size() > 0 {
		return &source{ReaderAt: f, size: info.Size(), close: f.Close}, nil
	}
	// Files of /proc and the like say 0 and have content.
	s, err := spool(ctx, f, max)
	if err != nil {
		err = fileFailure(subject, err)
	}
	return s, errors.Join(err, f.Close())
}

// regular is the failure for a file that is not a regular one.
func regular(subject string, info fs.FileInfo) error {
	what := ""
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		what = "a folder"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	default:
		what = "not a regular file"
	}
	f := failed(subject, readapi.CodeInvalidRequest, "this is "+what+", not a file to read", nil)
	f.err.Hint = `Standard input is read with "-".`
	return f
}

// spoolBytes is how much of standard input is kept in memory; more goes to a temporary file.
const spoolBytes = 16 << 20

// spool copies r, which has no size and no random access, up to max+1 bytes, so that a longer one is seen to be too large. It does not
// return before r does: who cannot wait leaves it behind.
func spool(ctx context.Context, r io.Reader, max int64) (*source, error) {
	r = &contextReader{ctx, io.LimitReader(r, min(max, math.MaxInt64-1)+1)}
	var head bytes.Buffer
	n, err := io.CopyN(&head, r, spoolBytes)
	if errors.Is(err, io.EOF) {
		return &source{ReaderAt: bytes.NewReader(head.Bytes()), size: n, close: func() error { return nil }}, nil
	}
	if err != nil {
		return nil, err
	}
	f, err := os.CreateTemp("", "glovebox-")
	if err != nil {
		return nil, environment("temporary folder", "cannot be written", err)
	}
	// The name goes at once, so that nothing is left behind by a process that ends while it waits for its input.
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(environment("temporary folder", "cannot be written", err), f.Close())
	}
	size, err := io.Copy(f, io.MultiReader(&head, r))
	if err != nil {
		return nil, errors.Join(spoolFailure(err), f.Close())
	}
	return &source{ReaderAt: f, size: size, close: f.Close}, nil
}

// spoolFailure tells a full disk from an input that cannot be read: os.File wraps what a write met in an error that says "write".
func spoolFailure(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Op == "write" {
		return environment("temporary folder", "cannot be written", err)
	}
	return err
}

// contextReader ends with ctx between two reads.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(b []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(b)
}

// openStdin opens standard input. A regular file, which has a size, is read where it stands; everything else is copied first. A stdin that
// was closed at once, or before the program began, is an empty file.
func (a *app) openStdin(ctx context.Context, max int64) (*source, error) {
	if f, ok := a.in.(*os.File); ok {
		info, err := f.Stat()
		if err == nil && info.IsDir() {
			return nil, regular("-", info)
		}
		if err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			at, err := f.Seek(0, io.SeekCurrent)
			if err == nil {
				size := info.Size() - min(at, info.Size())
				return &source{ReaderAt: io.NewSectionReader(f, at, size), size: size, close: func() error { return nil }}, nil
			}
		}
	}
	s, err := spool(ctx, a.in, max)
	if err != nil {
		return nil, fileFailure("-", err)
	}
	return s, nil
}
