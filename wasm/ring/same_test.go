package ring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

// answer is all that a caller sees of a call.
type answer struct {
	Frames []string
	Usage  sandbox.Usage
	Code   readapi.Code
	Detail string
	Limit  *readapi.LimitHit
}

func record(ctx context.Context, decode func(context.Context, *sandbox.Call) (sandbox.Usage, error), c sandbox.Call, stopAt int) answer {
	var a answer
	c.Emit = func(k abi.Kind, b []byte) bool {
		a.Frames = append(a.Frames, fmt.Sprint(k, " ", string(b)))
		return len(a.Frames) == stopAt
	}
	var err error
	a.Usage, err = decode(ctx, &c)
	if e, ok := errors.AsType[*readapi.Error](err); ok {
		a.Code, a.Detail, a.Limit = e.Code, e.Detail, e.Limit
	} else if err != nil {
		a.Code = "not an Error"
	}
	return a
}

// failing is a reader of which a part is missing.
type failing struct {
	*bytes.Reader
	from int64
	err  error
}

func (f failing) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > f.from {
		return 0, f.err
	}
	return f.Reader.ReadAt(p, off)
}

// TestSameAsSandbox: what a guest does, and what becomes of it, is the same in a helper, to the unit of fuel.
func TestSameAsSandbox(t *testing.T) {
	sample := sandbox.Call{Request: told(t, "lines"), Input: bytes.NewReader([]byte("a sample\nof two lines\n"))}
	here, there := both(t, guest(t), []sandbox.Call{sample}, Options{})
	text := []byte(strings.Repeat("a line of text\n", 100))
	large := bytes.Repeat([]byte("0123456789abcde\n"), 1<<17) // 2 MiB
	for name, c := range map[string]struct {
		verb   string
		in     readapi.Input
		limits sandbox.Limits
		stopAt int
		want   readapi.Code
	}{
		"lines":          {verb: "lines", in: bytes.NewReader(text)},
		"empty":          {verb: "lines", in: bytes.NewReader(nil)},
		"nil":            {verb: "lines"},
		"large":          {verb: "sum", in: bytes.NewReader(large)},
		"large file":     {verb: "sum", in: slowBytes{bytes.NewReader(large)}},
		"enough":         {verb: "lines", in: bytes.NewReader(text), stopAt: 3},
		"depth":          {verb: "depth 100000", want: readapi.CodeLimitDepth},
		"fuel":           {verb: "lines", in: bytes.NewReader(text), limits: sandbox.Limits{Fuel: 100_000}, want: readapi.CodeLimitFuel},
		"memory":         {verb: "alloc 100", limits: sandbox.Limits{MaxMemoryBytes: 32 << 20}, want: readapi.CodeLimitMemory},
		"output":         {verb: "lines", in: bytes.NewReader(text), limits: sandbox.Limits{MaxOutputBytes: 500}, want: readapi.CodeLimitOutput},
		"frames":         {verb: "lines", in: bytes.NewReader(text), limits: sandbox.Limits{MaxFrames: 1}, want: readapi.CodeLimitOutput},
		"host calls":     {verb: "lines", in: bytes.NewReader(text), limits: sandbox.Limits{MaxHostCalls: 2}, want: readapi.CodeLimitFuel},
		"panic":          {verb: "panic", want: readapi.CodeTrap},
		"exit":           {verb: "exit 3", want: readapi.CodeTrap},
		"world":          {verb: "world"},
		"negative limit": {verb: "lines", limits: sandbox.Limits{Fuel: -1}, want: readapi.CodeInvalidRequest},
		"not readable":   {verb: "lines", in: failing{bytes.NewReader(text), 10, errors.New("broken")}, want: readapi.CodeNotFound},
		"corrupt":        {verb: "sum", in: failing{bytes.NewReader(large), 1 << 20, &readapi.Error{Code: readapi.CodeCorrupt}}, want: readapi.CodeCorrupt},
		"shorter":        {verb: "sum", in: failing{bytes.NewReader(large), 1 << 20, io.EOF}, want: readapi.CodeMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := here.Instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			b, err := there.Instance(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer b.Close()
			call := sandbox.Call{Request: told(t, c.verb), Input: c.in, Limits: c.limits}
			x, y := record(t.Context(), a.Decode, call, c.stopAt), record(t.Context(), b.Decode, call, c.stopAt)
			j, _ := json.Marshal(x)
			k, _ := json.Marshal(y)
			if !bytes.Equal(j, k) {
				t.Errorf("in process %.3000s\nin a helper %.3000s", j, k)
			}
			if x.Code != c.want {
				t.Errorf("code %q, want %q", x.Code, c.want)
			}
			if (a.Reset() == nil) != (b.Reset() == nil) {
				t.Error("one can be put back and the other cannot")
			}
		})
	}
}

// slowBytes hides that the bytes are in memory.
type slowBytes struct{ r *bytes.Reader }

func (s slowBytes) ReadAt(p []byte, off int64) (int, error) { return s.r.ReadAt(p, off) }
func (s slowBytes) Size() int64                             { return s.r.Size() }

// started is a helper of the Go guest at its snapshot.
func started(t *testing.T, o Options) (*Program, *Instance) {
	t.Helper()
	p, err := newRing(t, o).Compile(t.Context(), guest(t))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Snapshot(t.Context(), []sandbox.Call{{Request: told(t, "lines"), Input: bytes.NewReader([]byte("a\nb\n"))}}); err != nil {
		t.Fatal(err)
	}
	i, err := p.Instance(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p, i
}

// TestNothingStays: the guest that keeps its input has nothing of it after Reset, and all of it without.
func TestNothingStays(t *testing.T) {
	_, i := started(t, Options{})
	memo := func(secret string) string {
		return strings.Join(record(t.Context(), i.Decode, sandbox.Call{Request: told(t, "memo"), Input: bytes.NewReader([]byte(secret))}, 0).Frames, " ")
	}
	memo("one")
	if err := i.Reset(); err != nil {
		t.Fatal(err)
	}
	if got := memo("two"); strings.Contains(got, "one") || !strings.Contains(got, "0 bytes left") {
		t.Errorf("after Reset: %q", got)
	}
	if got := memo("three"); !strings.Contains(got, "two") {
		t.Errorf("without Reset nothing is left either (%q), so this test shows nothing", got)
	}
}

// TestStopped: a guest that is at work ends when its caller, its deadline or its program does, and its helper with it.
func TestStopped(t *testing.T) {
	for name, c := range map[string]struct {
		limits sandbox.Limits
		stop   func(cancel context.CancelFunc, p *Program)
		want   readapi.Code
	}{
		"canceled": {sandbox.Limits{}, func(cancel context.CancelFunc, _ *Program) { cancel() }, readapi.CodeCanceled},
		"closed":   {sandbox.Limits{}, func(_ context.CancelFunc, p *Program) { go p.Close(context.Background()) }, readapi.CodeCanceled},
		"deadline": {sandbox.Limits{Timeout: 300 * time.Millisecond}, nil, readapi.CodeLimitTime},
	} {
		t.Run(name, func(t *testing.T) {
			p, i := started(t, Options{})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			in := newSignalling(t)
			if c.stop != nil {
				go func() {
					<-in.read
					c.stop(cancel, p)
				}()
			}
			c.limits.Fuel = 1 << 60
			call := sandbox.Call{Request: told(t, "spin"), Input: in, Limits: c.limits}
			if c.stop != nil { // it is at work when it is stopped
				call.Request = told(t, "sum")
			}
			_, err := i.Decode(ctx, &call)
			if readapi.CodeOf(err) != c.want {
				t.Errorf("%v, want %s", err, c.want)
			}
			<-i.proc.exited
		})
	}
}

// signalling blocks the first read of it, and tells.
type signalling struct {
	*bytes.Reader
	read chan bool
	over <-chan struct{} // the test's end
}

func newSignalling(t *testing.T) *signalling {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	return &signalling{bytes.NewReader(make([]byte, 1<<20)), make(chan bool), over}
}

func (s *signalling) ReadAt(p []byte, off int64) (int, error) {
	close(s.read)
	<-s.over
	return 0, io.ErrUnexpectedEOF
}

// TestIdleDeath: a helper that died while nobody used it is replaced, and the next read does not notice.
func TestIdleDeath(t *testing.T) {
	_, i := started(t, Options{})
	read := func() answer {
		return record(t.Context(), i.Decode, sandbox.Call{Request: told(t, "lines"), Input: bytes.NewReader([]byte("x\n"))}, 0)
	}
	want := read()
	if err := i.Reset(); err != nil || want.Code != "" {
		t.Fatal(want, err)
	}
	old := i.proc
	if err := old.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-old.exited
	got := read()
	a, _ := json.Marshal(want)
	b, _ := json.Marshal(got)
	if !bytes.Equal(a, b) || i.proc == old {
		t.Errorf("%s, then %s", a, b)
	}
}

// TestDeathDuring: a helper that is killed during a read makes that read decoder_trap, and says that it died.
func TestDeathDuring(t *testing.T) {
	_, i := started(t, Options{})
	in := newSignalling(t)
	go func() {
		<-in.read
		_ = i.proc.cmd.Process.Kill()
	}()
	_, err := i.Decode(t.Context(), &sandbox.Call{Request: told(t, "sum"), Input: in})
	if readapi.CodeOf(err) != readapi.CodeTrap || !errors.Is(err, ErrDied) {
		t.Errorf("%v", err)
	}
}

// TestDetails: every sentence that package sandbox can end a call with is one that gets through.
func TestDetails(t *testing.T) {
	files, err := filepath.Glob("../sandbox/*.go")
	if err != nil {
		t.Fatal(err)
	}
	// Sentences of a process that asks a helper, or that is no call's.
	other := []string{
		"an option is negative", "there is no such engine", "two calls of one instance at once", "the sandbox is closed", "a limit is negative",
		"the instance is of no use after an error", "it does not describe itself", "it does not describe itself in one frame",
		"its description breaks the rules of the ABI", "it brings more samples than a decoder may", "its bytes cannot be read",
		"the file became shorter while it was read", "the decoder is being closed", "a host function outside a call", "compiling the module failed",
		"nobody vouches for it, and there is no helper that could compile it", "there is no place for machine code", "it does not export ", "its export ",
		"its machine code is not what was verified", "the compiler does not support this machine",
	}
	sentence := regexp.MustCompile(`(?:Detail: |abort\(readapi\.Code\w+, |refused\()"([^"]*)"`)
	found := 0
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || strings.Contains(f, "ask.go") || strings.Contains(f, "foreign.go") || strings.Contains(f, "produce.go") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range sentence.FindAllStringSubmatch(string(b), -1) {
			found++
			if known(m[1]) == "" && !slices.Contains(other, m[1]) {
				t.Errorf("%s: %q does not get through", filepath.Base(f), m[1])
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d sentences found", found)
	}
}
