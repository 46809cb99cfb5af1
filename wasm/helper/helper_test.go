package helper_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/wasm/binary"
	wat "github.com/glovebox-wasm/glovebox/wasm/binary/binarytest"
	"github.com/glovebox-wasm/glovebox/wasm/helper"
	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "helper" {
		os.Exit(helper.Main(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// child is a helper process that the test speaks with.
type child struct {
	*exec.Cmd
	in  io.WriteCloser
	out io.Reader
}

func start(t *testing.T, files ...*os.File) *child {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &child{Cmd: exec.CommandContext(t.Context(), exe, "helper")}
	c.Env, c.ExtraFiles, c.Stderr = []string{}, files, os.Stderr
	if c.in, err = c.StdinPipe(); err == nil {
		c.out, err = c.StdoutPipe()
	}
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.in.Close()
		_ = c.Wait()
	})
	return c
}

// ask sends a request, and the reply is the helper's only word.
func (c *child) ask(t *testing.T, req hello.Request, module []byte) hello.Reply {
	t.Helper()
	if err := hello.Write(c.in, req); err != nil {
		t.Fatal(err)
	}
	_, _ = c.in.Write(module) // one that refuses the request does not read it
	var reply hello.Reply
	if err := hello.Read(c.out, &reply); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(c.out); err != nil || len(rest) > 0 {
		t.Errorf("it said %q more, %v", rest, err)
	}
	return reply
}

// module is a small one, as a rewriter makes it.
func module(t *testing.T) []byte {
	t.Helper()
	m := wat.New()
	f := m.Func(nil, wat.Types{wat.I32}, nil, wat.I32Const(1))
	m.Memory(1, 1)
	m.ExportMemory("memory")
	m.ExportFunc("f", f)
	w, err := binary.Rewrite(m.Bytes(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func request(t *testing.T, args hello.CompileArgs) hello.Request {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return hello.Request{Version: hello.Version, Task: hello.Compile, Args: b}
}

func arguments(dir string, wasm []byte) hello.CompileArgs {
	return hello.CompileArgs{
		Build: sandbox.Build(), Engine: "compiler", Dir: dir, Bytes: int64(len(wasm)), MaxMemoryBytes: 64 << 20, MaxCodeBytes: 1 << 20,
	}
}

func TestCompile(t *testing.T) {
	wasm := module(t)
	for name, c := range map[string]struct {
		change func(a *hello.CompileArgs)
		module []byte
		want   string
		files  int
	}{
		"good":         {func(*hello.CompileArgs) {}, wasm, hello.Done, 1},
		"interpreter":  {func(a *hello.CompileArgs) { a.Engine = "interpreter" }, wasm, hello.Done, 0},
		"not a module": {func(*hello.CompileArgs) {}, bytes.Repeat([]byte{1}, len(wasm)), hello.Refused, 0},
		"other build":  {func(a *hello.CompileArgs) { a.Build += "x" }, wasm, hello.OtherBuild, 0},
		"no limit":     {func(a *hello.CompileArgs) { a.MaxMemoryBytes = 0 }, wasm, hello.Failed, 0},
		"a huge one":   {func(a *hello.CompileArgs) { a.Bytes = 1 << 40 }, wasm, hello.Failed, 0},
		"a little":     {func(a *hello.CompileArgs) { a.Bytes = -1 }, wasm, hello.Failed, 0},
		"much code":    {func(a *hello.CompileArgs) { a.MaxCodeBytes = 1 }, wasm, hello.OverCode, 1}, // it is there, and its parent does not take it
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := arguments(dir, wasm)
			c.change(&args)
			if reply := start(t).ask(t, request(t, args), c.module); reply.Result != c.want || reply.Version != hello.Version {
				t.Errorf("%+v, want %s", reply, c.want)
			}
			if files, err := filepath.Glob(filepath.Join(dir, "*", "*")); err != nil || len(files) != c.files {
				t.Errorf("%v, %v", files, err)
			}
		})
	}
}

// TestStrangers checks what a helper answers to words that it does not know: its version, whatever else is in them.
func TestStrangers(t *testing.T) {
	for _, req := range []hello.Request{
		{Version: hello.Version + 1, Task: hello.Compile}, {Version: 0, Task: hello.Compile}, {Version: hello.Version, Task: "fly"}, {},
	} {
		if reply := start(t).ask(t, req, nil); reply.Result != hello.OtherVersion || reply.Version != hello.Version {
			t.Errorf("%+v: %+v", req, reply)
		}
	}
}

// TestOrphans checks that a helper ends when its parent is gone, whenever that is.
func TestOrphans(t *testing.T) {
	wasm := module(t)
	for name, send := range map[string]func(c *child) error{
		"at once":      func(*child) error { return nil },
		"in a word":    func(c *child) error { _, err := c.in.Write([]byte{200, 0}); return err },
		"a word":       func(c *child) error { _, err := c.in.Write([]byte{255, 255, 255, 255}); return err },
		"no module":    func(c *child) error { return hello.Write(c.in, request(t, arguments(t.TempDir(), wasm))) },
		"a bad module": func(c *child) error { _, err := c.in.Write([]byte{2, 0, 0, 0, 'x', 'x'}); return err },
	} {
		c := start(t)
		if err := send(c); err != nil {
			t.Fatal(err)
		}
		_ = c.in.Close()
		rest, err := io.ReadAll(c.out)
		if err != nil || len(rest) > 0 {
			t.Errorf("%s: %q, %v", name, rest, err)
		}
		if err := c.Wait(); err == nil {
			t.Errorf("%s: it is content", name)
		}
	}
}

// TestWordsAreShort checks that a length is believed only when it is short.
func TestWordsAreShort(t *testing.T) {
	var out bytes.Buffer
	if err := hello.Write(&out, hello.Reply{Detail: strings.Repeat("x", hello.MaxBytes)}); err == nil || out.Len() > 0 {
		t.Error("a long word was sent")
	}
	var reply hello.Reply
	if err := hello.Read(bytes.NewReader([]byte{0, 0, 0, 1, '{'}), &reply); err == nil || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a long word is waited for: %v", err)
	}
	if err := hello.Write(&out, hello.Reply{Result: "x"}); err != nil {
		t.Fatal(err)
	}
	whole := slices.Clone(out.Bytes())
	in := bytes.NewReader(append(whole, 7))
	if err := hello.Read(in, &reply); err != nil || reply.Result != "x" || in.Len() != 1 {
		t.Errorf("%+v, %v, %d bytes left", reply, err, in.Len())
	}
	for n := range len(whole) {
		if err := hello.Read(bytes.NewReader(whole[:n]), &reply); err == nil {
			t.Errorf("%d bytes are a word", n)
		}
	}
}
