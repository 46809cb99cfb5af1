// Package helper is the program that glovebox starts to compile foreign modules, and to run decoders in a process of their own. A binary
// that serves as one calls Main and does nothing else:
//
//	os.Exit(helper.Main(os.Stdin, os.Stdout))
//
// The program glovebox does that for "glovebox helper". The other ends are package sandbox (compile) and package ring (run).
package helper

import "io"

// Main serves one parent, which speaks through in and out, and returns the exit code. It takes every right away from the process that it does
// not need, so nothing else can be done in the process afterwards.
func Main(in io.Reader, out io.Writer) int { return 1 }
