// Package binary is rings 1 and 2 of the wall: it decides which WebAssembly modules may run at all, and rewrites them so that
// they cannot run on for ever, in pure Go and before an engine sees a byte. Standard library only.
//
//	wasm, err := binary.Rewrite(original, nil) // *RuleError says which rule a module breaks
//	state, err := binary.ReadState(wasm)       // where fuel, depth, globals and data are
//
// Parse reads a module's structure, Admit holds it against the rules, Rewrite does both and gives the module that runs in the
// original's place. What Rewrite adds begins with ReservedPrefix, which no admitted module uses.
//
// The rewriter is the wall. Two things keep it honest: every index of the original is checked before anything is added behind
// it, and the tests compare original and output on both engines, over every shape of control, generated modules and guests
// built by Go, with an exact count of what was executed held against what was charged.
//
// How fuel is placed: plan.go, pay.go, look.go. What it costs: weights.go. Next on the data's way: wasm/sandbox, which runs
// the output. binarytest is the assembler of the tests.
package binary
