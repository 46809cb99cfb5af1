package helper

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/glovebox-wasm/glovebox/wasm/confine"
	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
	"github.com/glovebox-wasm/glovebox/wasm/sandbox"
)

const (
	// maxModule is above what admission lets through and what rewriting adds.
	maxModule = 256 << 20

	// entryRoom is what a cache entry holds besides machine code.
	entryRoom = 4 << 20

	// baseMemory is what the process itself needs, besides what compiling takes.
	baseMemory = 32 << 20

	watchEvery = 10 * time.Millisecond
)

// compile is the task hello.Compile. All that it does not need, and the limits, are given up before a byte of the module is read.
func compile(in io.Reader, out io.Writer, raw json.RawMessage) int {
	var args hello.CompileArgs
	if err := json.Unmarshal(raw, &args); err != nil || args.Bytes < 0 || args.Bytes > maxModule || args.MaxMemoryBytes <= 0 || args.MaxCodeBytes <= 0 {
		return answer(out, hello.Failed, "the arguments are of no use")
	}
	if args.Build != sandbox.Build() {
		return answer(out, hello.OtherBuild, sandbox.Build())
	}
	letWritesFail()
	_, err := confine.Apply(confine.Policy{
		MaxMemoryBytes: args.MaxMemoryBytes + baseMemory, MaxFileBytes: args.MaxCodeBytes + entryRoom, WriteDir: args.Dir,
	})
	if err != nil {
		return answer(out, hello.Failed, "the limits cannot be set: "+err.Error())
	}
	debug.SetMemoryLimit(args.MaxMemoryBytes / 4 * 3) // collect harder before it is too late
	go watchMemory(args.MaxMemoryBytes + baseMemory)
	wasm := make([]byte, args.Bytes)
	if _, err := io.ReadFull(in, wasm); err != nil {
		return exitOrphan
	}
	go watchParent(in)
	return produce(out, args, wasm)
}

func produce(out io.Writer, args hello.CompileArgs, wasm []byte) (code int) {
	defer func() {
		if v := recover(); v != nil { // a bug of the compiler's that this module finds
			code = answer(out, hello.Refused, fmt.Sprint("compiling panicked: ", v))
		}
	}()
	engine := sandbox.Compiler
	if args.Engine == sandbox.Interpreter.String() {
		engine = sandbox.Interpreter
	}
	m := sandbox.Module{Wasm: wasm, Digest: args.Digest}
	ctx := context.Background() // this is the root of a program
	switch err := sandbox.Produce(ctx, m, engine, args.Dir, args.MaxCodeBytes); {
	case err == nil:
		return answer(out, hello.Done, "")
	case errors.Is(err, sandbox.ErrCodeSize), overFile(err):
		return answer(out, hello.OverCode, err.Error())
	case ofFiles(err):
		return answer(out, hello.NoPlace, err.Error())
	default:
		return answer(out, hello.Refused, err.Error())
	}
}

// ofFiles reports whether err is about a file that could not be written, and so not about the module.
func ofFiles(err error) bool {
	_, path := errors.AsType[*fs.PathError](err)
	_, link := errors.AsType[*os.LinkError](err)
	return path || link
}

// watchMemory ends the process when the Go runtime holds more than limit. Where the kernel counts too, this is only the kinder way; elsewhere
// it is the only one.
func watchMemory(limit int64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(watchEvery) {
		metrics.Read(samples)
		if held := samples[0].Value.Uint64() - samples[1].Value.Uint64(); held > uint64(limit) {
			os.Exit(hello.ExitMemory)
		}
	}
}

// watchParent ends the process when its parent has gone: the parent says nothing more, and keeps its end open as long as it waits.
func watchParent(in io.Reader) {
	_, _ = in.Read(make([]byte, 1))
	os.Exit(exitOrphan)
}
