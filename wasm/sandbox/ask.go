package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
)

// Why a helper was stopped.
var (
	errCompileTime   = errors.New("it took too long")
	errCompileMemory = errors.New("it took too much memory")
)

const (
	helperLogBytes = 16 << 10    // of a helper's stderr that is logged
	helperGrace    = time.Second // for its pipes to close after it has ended
	watchEvery     = 25 * time.Millisecond
	watchRoom      = 64 << 20 // what a helper may have resident above its limit: its own code and stacks
	maxHelpers     = 2        // that compile at once, of one runtime
)

// ask starts a helper that compiles m into dir, and waits for it. The helper limits itself before it reads the module; in case that it does not,
// it is watched from here, and killed when it is over its memory or its time. Errors: module_refused, and canceled when the runtime closes.
func (r *Runtime) ask(ctx context.Context, m Module, dir string) error {
	select {
	case r.helpers <- struct{}{}:
		defer func() { <-r.helpers }()
	case <-ctx.Done():
		return errClosed()
	}
	limits := r.opts.CompileLimits
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	late := time.AfterFunc(limits.Timeout, func() { stop(errCompileTime) })
	defer late.Stop()
	out := &capped{limit: hello.MaxBytes + 4}
	log := &capped{limit: helperLogBytes}
	cmd, err := r.helperCommand(ctx, dir)
	if err != nil {
		return uselessHelper("the helper cannot be started", err)
	}
	cmd.Stdout, cmd.Stderr = out, log
	// The helper has itself killed when the thread dies that started it, which is how Linux tells that a parent is gone: no other may use this one
	// and end it.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return cmp.Or(stopped(ctx, limits), uselessHelper("the helper cannot be started", err))
	}
	told := make(chan struct{})
	go func() {
		defer close(told)
		_ = r.tell(in, m, dir) // it stays open: a helper whose parent is gone reads its end, and ends too
	}()
	unwatch := watch(cmd.Process.Pid, limits.MaxMemoryBytes+watchRoom, func() { stop(errCompileMemory) })
	err = cmd.Wait() // closes in, so that nobody writes any more
	unwatch()
	<-told
	return r.judge(ctx, m, cmd, err, out, log)
}

func (r *Runtime) helperCommand(ctx context.Context, dir string) (*exec.Cmd, error) {
	program, err := exec.LookPath(r.opts.Helper[0])
	if err != nil {
		return nil, err
	}
	if program, err = filepath.Abs(program); err != nil { // it starts in another folder
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, r.opts.Helper[1:]...)
	cmd.Args[0] = r.opts.Helper[0]
	cmd.Env = []string{} // not nil, which would be our own
	cmd.Dir = dir
	cmd.WaitDelay = helperGrace
	apart(cmd)
	return cmd, nil
}

// tell sends the helper what it is to do.
func (r *Runtime) tell(w io.Writer, m Module, dir string) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	args, err := json.Marshal(hello.CompileArgs{
		Build: Build(), Engine: r.opts.Engine.String(), Dir: dir, Digest: m.Digest, Bytes: int64(len(m.Wasm)),
		MaxMemoryBytes: r.opts.CompileLimits.MaxMemoryBytes, MaxCodeBytes: r.opts.CompileLimits.MaxCodeBytes,
	})
	if err != nil {
		return err
	}
	if err := hello.Write(w, hello.Request{Version: hello.Version, Task: hello.Compile, Args: args}); err != nil {
		return err
	}
	_, err = w.Write(m.Wasm)
	return err
}

// judge says what became of a helper. Its own words go to the log and nowhere else.
func (r *Runtime) judge(ctx context.Context, m Module, cmd *exec.Cmd, err error, out, log *capped) error {
	limits := r.opts.CompileLimits
	var reply hello.Reply
	answered := err == nil && !out.over && hello.Read(&out.buf, &reply) == nil && out.buf.Len() == 0
	if !answered || reply.Result != hello.Done || log.buf.Len() > 0 {
		r.opts.Log.Warn("a helper that compiled", "module", m.Name, "error", err, "result", escapedLine(reply.Result), "detail", escapedLine(reply.Detail),
			"stderr", escapedLine(log.buf.String()))
	}
	why := stopped(ctx, limits)
	switch {
	case answered:
		return verdict(reply, limits)
	case why != nil:
		return why
	case cmd.ProcessState.ExitCode() == hello.ExitMemory, diedOfMemory(log.buf.String()):
		return overCompile("compiling it took too much memory", "compile_memory", limits.MaxMemoryBytes)
	case err != nil:
		return helperFailed("the helper that was to compile it died", err)
	}
	return helperFailed("the helper's answer is of no use", nil)
}

// stopped says why a helper was stopped from here; nil: it was not.
func stopped(ctx context.Context, limits CompileLimits) *readapi.Error {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return nil
	case errors.Is(cause, errCompileTime):
		return overCompile("compiling it took too long", "compile_timeout_ms", limits.Timeout.Milliseconds())
	case errors.Is(cause, errCompileMemory):
		return overCompile("compiling it took too much memory", "compile_memory", limits.MaxMemoryBytes)
	}
	return errClosed()
}

// verdict is what a helper's answer means.
func verdict(reply hello.Reply, limits CompileLimits) error {
	switch reply.Result {
	case hello.Done:
		return nil
	case hello.Refused:
		return refused("it does not compile")
	case hello.OverMemory:
		return overCompile("compiling it took too much memory", "compile_memory", limits.MaxMemoryBytes)
	case hello.OverCode:
		return overCompile("its machine code is too large", "compile_code_bytes", limits.MaxCodeBytes)
	case hello.NoPlace:
		return noPlace(nil)
	case hello.OtherVersion:
		return uselessHelper(fmt.Sprintf("the helper speaks version %d, and this is version %d", reply.Version, hello.Version), nil)
	case hello.OtherBuild:
		return uselessHelper("the helper is of another build, whose machine code is of no use here", nil)
	}
	return helperFailed("the helper could not do its work", nil)
}

// diedOfMemory reports whether a Go program's last words are that it got no memory. That a helper could lie here does not matter: it is refused
// either way.
func diedOfMemory(stderr string) bool {
	return slices.ContainsFunc(memoryWords, func(w string) bool { return strings.Contains(stderr, w) })
}

// memoryWords are those of the Go runtime and of C libraries when the system gives no memory, or none for another thread's stack.
var memoryWords = []string{
	"out of memory", "cannot allocate memory", "Cannot allocate memory", "cannot map pages", "failed to reserve", "failed to create new OS thread", "pthread_create failed",
}

func overCompile(detail, name string, value int64) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: detail, Limit: &readapi.LimitHit{Name: name, Value: value}}
}

func helperFailed(detail string, err error) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeModuleRefused, Detail: detail, Hint: helperHint, Err: err}
}

// uselessHelper is for a helper that is of no use to any module: nothing is said about this one.
func uselessHelper(detail string, err error) *readapi.Error {
	return &readapi.Error{Code: readapi.CodeCapabilityUnavailable, Detail: detail, Hint: helperHint, Err: err}
}

func escapedLine(s string) string {
	return readapi.EscapeLine(s)
}

// capped keeps what is written up to a limit. What is over it is an error, so that the writer's pipe is closed and a flood ends.
type capped struct {
	buf   bytes.Buffer
	limit int
	over  bool
}

func (c *capped) Write(b []byte) (int, error) {
	if len(b) > c.limit-c.buf.Len() {
		c.buf.Write(b[:c.limit-c.buf.Len()])
		c.over = true
		return 0, errors.New("too much output")
	}
	return c.buf.Write(b)
}

// watch calls stop when the process has more than limit bytes resident, on machines that tell. unwatch ends that, and waits for it.
func watch(pid int, limit int64, stop func()) (unwatch func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				if resident(pid) > limit {
					stop()
					return
				}
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}
