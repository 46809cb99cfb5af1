package main

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// upload is one file that is being attached. It opens the file at the first Read, so that a thousand names do not take a thousand open
// files before anything refuses them, and it keeps what went wrong in the words of the user, for the host does not know them.
type upload struct {
	ctx       context.Context // of the command; an io.Reader has no place for one
	shown     string          // as typed
	path      string
	name      string // the file's own name
	size      int64  // as it was looked at
	sizeKnown bool   // false for standard input, and where the system says 0
	most      int64  // bound of what is copied of a file without a size
	progress  *progress

	opened bool
	src    io.Reader
	file   *os.File  // the open file whose size and time must stay
	mtime  time.Time // of file when it was opened
	end    func() error
	read   int64
	bar    *bar
	fail   *failure // the first
}

// spoolMost bounds what is copied of a file of /proc or the like, whose size is not known: far above what may be attached.
const spoolMost = 1 << 40

// Read implements io.Reader.
func (u *upload) Read(b []byte) (int, error) {
	if u.fail != nil {
		return 0, u.fail
	}
	if !u.opened {
		if err := u.open(); err != nil {
			return 0, u.failed(err)
		}
	}
	n, err := u.src.Read(b)
	u.read += int64(n)
	u.bar.add(n)
	if u.file != nil && u.read > u.size {
		return n, u.failed(u.didChange())
	}
	if errors.Is(err, io.EOF) {
		u.bar.done()
		if changed := u.changed(); changed != nil {
			return n, u.failed(changed)
		}
		return n, io.EOF
	}
	if err != nil {
		err = u.failed(fileFailure(u.shown, err))
	}
	return n, err
}

func (u *upload) failed(err error) error {
	u.fail = asFailure(u.shown, err)
	return u.fail
}

// open opens the file. It is what was looked at before, or it is an error: something else may have the name by now.
func (u *upload) open() error {
	s, err := openFile(u.ctx, u.shown, u.path, u.most)
	if err != nil {
		return err
	}
	u.opened, u.end = true, s.close
	u.src = &contextReader{u.ctx, io.NewSectionReader(s, 0, s.size)}
	f, ok := s.ReaderAt.(*os.File)
	switch direct := ok && f.Name() == u.path; {
	case direct != u.sizeKnown:
		return u.didChange() // it was empty and is not, or is and was not
	case !direct:
		return nil // a copy stays as it is
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if info.Size() != u.size {
		return u.didChange()
	}
	// One byte more than the file has, so that one that grows is seen to.
	u.file, u.mtime, u.src = f, info.ModTime(), &contextReader{u.ctx, io.NewSectionReader(s, 0, s.size+1)}
	u.bar = u.progress.copying("attaching", u.shown, u.size)
	return nil
}

// changed is the failure of a file that did not stay as it was while it was read: what was read may be of no moment at all.
func (u *upload) changed() error {
	if u.file == nil {
		return nil
	}
	info, err := u.file.Stat()
	if err != nil {
		return fileFailure(u.shown, err)
	}
	if u.read != u.size || info.Size() != u.size || !info.ModTime().Equal(u.mtime) {
		return u.didChange()
	}
	return nil
}

func (u *upload) didChange() error {
	f := failed(u.shown, readapi.CodeConflict, "the file changed while it was attached", nil)
	f.err.Hint = "Nothing was stored. Attach it again, or a copy of it."
	return f
}

func (u *upload) close() {
	u.bar.done()
	if u.end != nil {
		_ = u.end() // it was only read
	}
}

// interruptible is r, which may block for ever, such that a Read ends with ctx. What r gives afterwards is lost.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	return &pump{ctx: ctx, r: r, chunks: make(chan chunk)}
}

// pump reads in a goroutine that is left behind when ctx ends before r does.
type pump struct {
	ctx    context.Context
	r      io.Reader
	chunks chan chunk
	on     bool
	rest   []byte
	err    error
}

type chunk struct {
	bytes []byte
	err   error
}

func (p *pump) Read(b []byte) (int, error) {
	if !p.on {
		p.on = true
		go p.run()
	}
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		select {
		case c := <-p.chunks:
			p.rest, p.err = c.bytes, c.err
		case <-p.ctx.Done():
			return 0, p.ctx.Err()
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *pump) run() {
	for {
		b := make([]byte, 64<<10)
		n, err := p.r.Read(b)
		select {
		case p.chunks <- chunk{b[:n], err}:
		case <-p.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}
