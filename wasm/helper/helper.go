// Package helper is the program that glovebox starts to compile foreign modules, and to run decoders in a process of their own. A binary
// that serves as one calls Main and does nothing else:
//
//	os.Exit(helper.Main(os.Stdin, os.Stdout))
//
// The program glovebox does that for "glovebox helper". The other ends are package sandbox (compile) and package ring (run).
package helper

import (
	"io"

	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
	"github.com/glovebox-wasm/glovebox/wasm/internal/serve"
)

// Exit codes of Main. A helper that has told its parent what went wrong exits with exitDone.
const (
	exitDone    = 0
	exitNothing = 64 // nobody spoke
	exitOrphan  = 65 // the parent is gone
)

// Main serves one parent, which speaks through in and out, and returns the exit code. It takes every right away from the process that it does
// not need, so nothing else can be done in the process afterwards.
func Main(in io.Reader, out io.Writer) int {
	dropInherited()
	var req hello.Request
	if err := hello.Read(in, &req); err != nil {
		return exitNothing
	}
	if req.Version == hello.Version {
		switch req.Task {
		case hello.Compile:
			return compile(in, out, req.Args)
		case hello.Run:
			return serve.Main(in, out, req.Args)
		}
	}
	return answer(out, hello.OtherVersion, "")
}

// answer sends the reply and returns the exit code.
func answer(out io.Writer, result, detail string) int {
	const maxDetail = 4 << 10
	if err := hello.Write(out, hello.Reply{Version: hello.Version, Result: result, Detail: detail[:min(len(detail), maxDetail)]}); err != nil {
		return exitOrphan
	}
	return exitDone
}
