// Glovebox reads files that strangers sent: PDFs, pictures and texts in any encoding, decoded by WebAssembly modules in a sealed sandbox.
//
//	glovebox read report.pdf
//	glovebox read --json --pages 1-3 report.pdf
//	glovebox doctor
//
// The program is a thin shell around package glovebox, the front door of this module: it turns arguments into open files, and answers into
// text for people or JSON for programs. What it prints as JSON is described in docs/schema.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/helper"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == helperName && !isTerminal(os.Stdin) { // the program starts itself to compile and to decode; nothing else of it may run then
		os.Exit(helper.Main(os.Stdin, os.Stdout))
	}
	// A reader that goes away is an error of a write, so that what is half written elsewhere is taken back before the program ends.
	signal.Ignore(syscall.SIGPIPE)
	os.Exit(Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// helperName is the argument that makes the program a helper of another one. It is for no person to type.
const helperName = "helper"

// helperCommand is the command line of this program as a helper, nil where the program cannot find itself.
func helperCommand() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, helperName}
}

// grace is how long an interrupted command may take to remove its temporary files. A guest stops within milliseconds; a module that is
// being compiled does not stop at all, and is left behind.
const grace = 200 * time.Millisecond

// Main runs the program with args (without its name) and returns its exit code. SIGINT and SIGTERM end it at once.
func Main(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return newApp(stdin, stdout, stderr).main(args)
}

// main runs a and listens for signals meanwhile.
func (a *app) main(args []string) int {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()

	done := make(chan int, 1)
	go func() { done <- a.run(ctx, args) }()
	select {
	case code := <-done:
		return code
	case sig := <-signals:
		a.out.shut()
		cancel()
		select {
		case <-done:
		case <-time.After(grace):
		}
		if sig == syscall.SIGTERM {
			return 128 + int(syscall.SIGTERM)
		}
		return exitInterrupted
	}
}

// errPanic is the cause of what guard returns for a panic.
var errPanic = errors.New("panic")

// guard runs f and turns a panic into an internal error: a bug of ours must not print a stack with paths, nor end the reads beside it.
func guard[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = &readapi.Error{Op: "glovebox", Code: readapi.CodeInternal, Err: errPanic, Hint: "This is a bug in glovebox; please report what you ran."}
		}
	}()
	return f()
}
