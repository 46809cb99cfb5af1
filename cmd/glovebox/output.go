package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"
	"syscall"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/term"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// errShut is what a write returns after an interrupt.
var errShut = &readapi.Error{Op: "glovebox", Code: readapi.CodeCanceled}

// output is standard output. It remembers the first write that failed, and is shut when the program is interrupted: nothing follows then,
// so that an interrupted --json prints a whole document or none.
type output struct {
	w    io.Writer
	tty  bool
	gone atomic.Bool
	err  error // of the first failed write; of the one goroutine that prints
}

func newOutput(w io.Writer) *output { return &output{w: w, tty: isTerminal(w)} }

func (o *output) shut() { o.gone.Store(true) }

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	if o.err == nil && o.gone.Load() {
		o.err = errShut
	}
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.w.Write(b)
	o.err = err
	return n, err
}

// failure is what a failed write means for the program: quiet when the reader went away, else the environment is at fault.
func (o *output) failure() *failure {
	switch {
	case o.err == nil:
		return nil
	case errors.Is(o.err, syscall.EPIPE), errors.Is(o.err, io.ErrClosedPipe):
		return &failure{exit: exitPipe, err: &readapi.Error{Op: "glovebox", Code: readapi.CodeCanceled, Err: o.err}}
	case errors.Is(o.err, readapi.CodeCanceled):
		return &failure{exit: exitInterrupted, err: errShut}
	}
	return environment("standard output", "cannot be written", o.err)
}

// printJSON writes v and a line end in one write.
func (o *output) printJSON(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = o.Write(append(visible(b), '\n'))
	return err
}

// printLine is printJSON for one of several answers: file, the name as typed or found in a folder, becomes the first key.
func (o *output) printLine(file string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	key, err := json.Marshal(file)
	if err != nil {
		return err
	}
	line := append([]byte(`{"file":`), key...)
	line = append(append(line, ','), b[1:]...)
	_, err = o.Write(append(visible(line), '\n'))
	return err
}

// visible writes the characters of JSON text that a terminal would obey or not show (readapi.Hidden) as \u escapes. They can only stand
// inside strings, so the value stays the same.
func visible(b []byte) []byte {
	var out []byte
	kept := 0
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if b[i] >= 0x7f && readapi.Hidden(r) {
			out = append(out, b[kept:i]...)
			for _, u := range utf16.Encode([]rune{r}) {
				out = fmt.Appendf(out, `\u%04x`, u)
			}
			kept = i + n
		}
		i += n
	}
	if kept == 0 {
		return b
	}
	return append(out, b[kept:]...)
}

// errorDocument is what --json prints for a failure.
type errorDocument struct {
	Error *readapi.Error `json:"error"`
}

// report prints the failure f: on standard output as a document with --json, else on standard error for people. A reader of the output that
// went away and an interrupt are not reported.
func (a *app) report(f *failure) {
	if f.exit == exitPipe || f.exit == exitInterrupted {
		return
	}
	if a.global.json && a.out.err == nil {
		_ = a.out.printJSON(errorDocument{f.err}) // what a write did is asked once, at the end of run
		return
	}
	a.complain(f)
}

// complain prints the failure f for people.
func (a *app) complain(f *failure) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "glovebox: %s\n", f.text())
	if f.err.Hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", readapi.EscapeLine(f.err.Hint))
	}
	_, _ = a.err.Write(b.Bytes()) // nobody is left to tell
}

// isTerminal reports whether v is a file that is a terminal.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
