package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/adrg/xdg"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// fakeReader answers with what read returns. It is for what real decoders do not do on demand: block, panic, fail with a given error.
type fakeReader struct {
	read     func(ctx context.Context, in io.ReaderAt, size int64, name string) (*glovebox.Document, error)
	decoders []glovebox.DecoderStatus
	stuck    bool // nobody gets to close it
	closed   atomic.Int64
}

func (f *fakeReader) ReadFile(ctx context.Context, in io.ReaderAt, size int64, name string, _ *glovebox.ReadOptions) (*glovebox.Document, error) {
	return f.read(ctx, in, size, name)
}

func (f *fakeReader) Decoders() []glovebox.DecoderStatus { return f.decoders }

func (f *fakeReader) Warm(context.Context) error { return nil }

func (f *fakeReader) Close() error {
	f.closed.Add(1)
	return nil
}

// textDocument is an answer with one text.
func textDocument(text string) *glovebox.Document {
	return &glovebox.Document{Document: readapi.Document{
		MediaType: "text/plain", Kind: readapi.KindOther, Unit: readapi.UnitLine, Total: 1, Covers: readapi.Range{From: 1, To: 1},
		Parts: []readapi.Part{{Type: readapi.PartText, At: 1, Text: text}},
	}}
}

// fakeApp is the program on a fake reader and an empty configuration.
func fakeApp(t *testing.T, f *fakeReader, stdin string, stdout io.Writer) (a *app, stderr *bytes.Buffer) {
	t.Helper()
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_DIRS", t.TempDir())
	xdg.Reload()
	stderr = &bytes.Buffer{}
	a = newApp(strings.NewReader(stdin), stdout, stderr)
	a.getenv = func(string) string { return "" }
	a.open = func(*glovebox.Options) (reader, error) { return f, nil }
	t.Cleanup(func() {
		if n := f.closed.Load(); n != 1 && !f.stuck {
			t.Errorf("the reader was closed %d times", n)
		}
	})
	return a, stderr
}
