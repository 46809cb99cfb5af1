package main

import (
	"bytes"
	"context"
	"io"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/host"
	"github.com/glovebox-wasm/glovebox/host/store"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fakeKeeper is a data directory that does what real ones do not on demand. A method that the test does not give panics, which the program
// reports as internal.
type fakeKeeper struct {
	keeper
	append   func(ctx context.Context, m host.Message) (*glovebox.Appended, error)
	read     func(ctx context.Context, uri string) (*glovebox.Document, error)
	sessions iter.Seq2[store.Session, error]
	closeErr error
	stuck    bool // nobody gets to close it

	opened, closed atomic.Int64
	opts           glovebox.Options // with which it was opened
	dir            string
	ids            []readapi.SessionID // that were asked for
}

func (f *fakeKeeper) session(id readapi.SessionID) session {
	f.ids = append(f.ids, id)
	return fakeSession{f: f}
}

func (f *fakeKeeper) Sessions(context.Context, bool) iter.Seq2[store.Session, error] {
	return f.sessions
}

func (f *fakeKeeper) Close() error {
	f.closed.Add(1)
	return f.closeErr
}

func (f *fakeKeeper) Decoders(context.Context) ([]glovebox.DecoderStatus, error) { return nil, nil }

type fakeSession struct {
	session
	f *fakeKeeper
}

func (s fakeSession) Append(ctx context.Context, m host.Message) (*glovebox.Appended, error) {
	return s.f.append(ctx, m)
}

func (s fakeSession) Attachments(context.Context) iter.Seq2[readapi.Attachment, error] {
	return func(func(readapi.Attachment, error) bool) {}
}

func (s fakeSession) Read(ctx context.Context, uri string, _ *glovebox.ReadOptions) (*glovebox.Document, error) {
	return s.f.read(ctx, uri)
}

// keptApp is the program on a fake data directory, and on a fake reader for files.
func keptApp(t *testing.T, k *fakeKeeper, stdin io.Reader, stdout io.Writer) (a *app, stderr *bytes.Buffer) {
	t.Helper()
	r := &fakeReader{stuck: true, read: func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
		return textDocument("of a file"), nil
	}}
	a, stderr = fakeApp(t, r, "", stdout)
	a.in = stdin
	a.openKeeper = func(_ context.Context, dir string, o *glovebox.Options) (keeper, error) {
		k.opened.Add(1)
		k.opts, k.dir = *o, dir
		return k, nil
	}
	t.Cleanup(func() {
		if k.opened.Load() != k.closed.Load() && !k.stuck {
			t.Errorf("opened %d times, closed %d times", k.opened.Load(), k.closed.Load())
		}
	})
	return a, stderr
}
