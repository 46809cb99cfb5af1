package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/glovebox-wasm/glovebox"
	"github.com/glovebox-wasm/glovebox/readapi"
)

// TestInterrupt: a signal ends a read that would go on for ever, at once and without half a document.
func TestInterrupt(t *testing.T) {
	for sig, want := range map[syscall.Signal]int{syscall.SIGINT: exitInterrupted, syscall.SIGTERM: 128 + 15} {
		var out bytes.Buffer
		f := &fakeReader{}
		f.read = func(ctx context.Context, _ io.ReaderAt, _ int64, _ string) (*glovebox.Document, error) {
			if err := syscall.Kill(os.Getpid(), sig); err != nil {
				t.Error(err)
			}
			<-ctx.Done()
			return textDocument("too late"), nil // a reader that does not notice
		}
		a, stderr := fakeApp(t, f, "text", &out)
		if code := a.main([]string{"read", "--json", "-"}); code != want {
			t.Errorf("%v: exit code %d, want %d", sig, code, want)
		}
		if out.Len()+stderr.Len() > 0 {
			t.Errorf("%v: printed %q and %q", sig, &out, stderr)
		}
	}
}

// TestInterruptStuck: what does not stop, such as the compilation of a module, is left behind.
func TestInterruptStuck(t *testing.T) {
	release, ended := make(chan struct{}), make(chan struct{})
	f := &fakeReader{stuck: true}
	f.read = func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
		defer close(ended)
		if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
			t.Error(err)
		}
		<-release
		return nil, readapi.CodeCanceled
	}
	var out bytes.Buffer
	a, _ := fakeApp(t, f, "text", &out)
	if code := a.main([]string{"read", "-"}); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	close(release)
	<-ended
}

// brokenPipe takes n bytes, then its reader is gone.
type brokenPipe struct{ n int }

func (w *brokenPipe) Write(b []byte) (int, error) {
	if len(b) > w.n {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
	}
	w.n -= len(b)
	return len(b), nil
}

// TestBrokenPipe: when nobody reads any more, the files that are left are not read either, and nothing is said.
func TestBrokenPipe(t *testing.T) {
	dir := t.TempDir()
	args := []string{"read", "--json", "--jobs", "1"}
	for _, name := range strings.Fields("a b c d e f g h") {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, path)
	}
	reads := 0
	f := &fakeReader{read: func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
		reads++
		return textDocument(strings.Repeat("x", 100)), nil
	}}
	a, stderr := fakeApp(t, f, "", &brokenPipe{n: 700})
	if code := a.main(args); code != exitPipe || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr)
	}
	if reads > 4 {
		t.Errorf("%d files were read for a reader that left after the first", reads)
	}
}

// TestPanic: a bug in one read is an internal error of that file, without a stack, and the others are read.
func TestPanic(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"bad", "good"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f := &fakeReader{read: func(_ context.Context, _ io.ReaderAt, _ int64, name string) (*glovebox.Document, error) {
		if name == "bad" {
			panic("secret /path")
		}
		return textDocument("fine"), nil
	}}
	var out bytes.Buffer
	a, stderr := fakeApp(t, f, "", &out)
	if code := a.main([]string{"read", "--json", dir}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `"code":"internal"`) || !strings.Contains(lines[1], `"text":"fine"`) {
		t.Errorf("%q", lines)
	}
	if strings.Contains(out.String()+stderr.String(), "secret") || strings.Contains(stderr.String(), "goroutine") {
		t.Errorf("the panic leaked: %q", stderr)
	}
}

// TestErrors: what people and programs see of an error that the reader returns.
func TestErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		json string
		text string
	}{
		{
			&readapi.Error{Op: "host.Read", Code: readapi.CodeEncrypted},
			`{"error":{"code":"encrypted","message":"The file is encrypted and needs a password.","op":"host.Read","retryable":false}}`,
			"glovebox: -: The file is encrypted and needs a password (encrypted)\n",
		},
		{
			&readapi.Error{Op: "x", Code: readapi.CodeLimitPixels, Limit: &readapi.LimitHit{Name: "max_pixels", Value: 4, Actual: 5}},
			`{"error":{"code":"limit_pixels","message":"The image has more pixels than the limit: max_pixels is 4, and this has 5.","op":"x","retryable":false,"limit":{"name":"max_pixels","value":4,"actual":5},"hint":"--max-pixels raises this limit."}}`,
			"glovebox: -: The image has more pixels than the limit: max_pixels is 4, and this has 5 (limit_pixels)\n  hint: --max-pixels raises this limit.\n",
		},
		{
			errors.New("secret /path"),
			`{"error":{"code":"internal","message":"Something went wrong inside glovebox.","op":"glovebox","retryable":false}}`,
			"glovebox: -: Something went wrong inside glovebox (internal)\n",
		},
	} {
		read := func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) { return nil, c.err }
		var out bytes.Buffer
		a, _ := fakeApp(t, &fakeReader{read: read}, "x", &out)
		if code := a.main([]string{"read", "--json", "-"}); code != exitFailed {
			t.Errorf("exit code %d", code)
		}
		if got := strings.TrimSpace(out.String()); got != c.json {
			t.Errorf("got  %s\nwant %s", got, c.json)
		}
		a, stderr := fakeApp(t, &fakeReader{read: read}, "x", io.Discard)
		if code := a.main([]string{"read", "-"}); code != exitFailed || stderr.String() != c.text {
			t.Errorf("exit code %d, %q, want %q", code, stderr, c.text)
		}
	}
}

// TestLaterFailure: with --all a failure behind the first answer is the failure of the whole, and says what can be had.
func TestLaterFailure(t *testing.T) {
	err := laterError(&readapi.Error{Code: readapi.CodeTrap})
	e, ok := errors.AsType[*readapi.Error](err)
	if !ok || e.Code != readapi.CodeTrap || e.Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestNoCache: a compiled decoder that the cache does not have afterwards is told once, on standard error, and changes nothing else.
func TestNoCache(t *testing.T) {
	for _, kept := range []bool{false, true} {
		f := &fakeReader{decoders: []glovebox.DecoderStatus{{DecoderInfo: readapi.DecoderInfo{Name: "text"}, Compiled: kept}}}
		var onCompile func(string) func()
		f.read = func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
			onCompile("text")()
			onCompile("text")()
			return textDocument("x"), nil
		}
		var out bytes.Buffer
		a, stderr := fakeApp(t, f, "x", &out)
		a.open = func(o *glovebox.Options) (reader, error) {
			onCompile = o.OnCompile
			return f, nil
		}
		if code := a.main([]string{"read", "--cache", "somewhere", "-"}); code != exitOK {
			t.Errorf("exit code %d", code)
		}
		if told := strings.Count(stderr.String(), "could not be kept"); told != map[bool]int{false: 1, true: 0}[kept] {
			t.Errorf("kept %v: told %d times: %q", kept, told, stderr)
		}
	}
}

// TestStoppedCompiling: a read that ended while its decoder was compiled says nothing of the cache, which had no time to be filled.
func TestStoppedCompiling(t *testing.T) {
	f := &fakeReader{decoders: []glovebox.DecoderStatus{{DecoderInfo: readapi.DecoderInfo{Name: "text"}}}}
	var onCompile func(string) func()
	f.read = func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
		onCompile("text")()
		return nil, readapi.CodeLimitTime
	}
	a, stderr := fakeApp(t, f, "x", io.Discard)
	a.open = func(o *glovebox.Options) (reader, error) {
		onCompile = o.OnCompile
		return f, nil
	}
	if code := a.main([]string{"read", "--cache", "somewhere", "-"}); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(stderr.String(), "could not be kept") {
		t.Errorf("told: %q", stderr)
	}
}

// TestRoom: files that are read at once do not get in each other's way, whatever they may take.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		args []string
		want glovebox.Options
	}{
		{[]string{"-"}, glovebox.Options{OneShot: true, MaxTotalMemoryBytes: 2 << 30}},
		{[]string{"-", "--max-memory", "3GiB"}, glovebox.Options{OneShot: true, MaxTotalMemoryBytes: 6 << 30}},
		{[]string{".", "--jobs", "5"}, glovebox.Options{MaxInstances: 5, MaxTotalMemoryBytes: 2 << 30}},
		{[]string{".", "--jobs", "60"}, glovebox.Options{MaxInstances: 60, MaxTotalMemoryBytes: 61 * 256 << 20}},
	} {
		f := &fakeReader{read: func(context.Context, io.ReaderAt, int64, string) (*glovebox.Document, error) {
			return textDocument("x"), nil
		}}
		a, stderr := fakeApp(t, f, "x", io.Discard)
		var got glovebox.Options
		a.open = func(o *glovebox.Options) (reader, error) {
			got = *o
			return f, nil
		}
		if code := a.main(append([]string{"read"}, c.args...)); code != exitOK {
			t.Errorf("%v: exit code %d: %s", c.args, code, stderr)
		}
		if got.OneShot != c.want.OneShot || got.MaxInstances != c.want.MaxInstances || got.MaxTotalMemoryBytes != c.want.MaxTotalMemoryBytes {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
}

// TestWarmUnkept: a warm cache is what the command is for, so one that keeps nothing is a failure.
func TestWarmUnkept(t *testing.T) {
	var out bytes.Buffer
	f := &fakeReader{decoders: []glovebox.DecoderStatus{{DecoderInfo: readapi.DecoderInfo{Name: "pdf"}, Compiled: true}, {DecoderInfo: readapi.DecoderInfo{Name: "text"}}}}
	a, stderr := fakeApp(t, f, "", &out)
	if code := a.run(t.Context(), []string{"cache", "warm", "--cache", t.TempDir()}); code != exitEnvironment || out.Len() != 0 {
		t.Errorf("exit code %d, output %q, %s", code, &out, stderr)
	}
}
