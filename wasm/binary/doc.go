// Package binary reads WebAssembly modules before an engine sees a byte of them, refuses what the wall does not admit, and rewrites what it
// does: rings 1 and 2 of the design. Standard library only.
//
//	wasm, err := binary.Rewrite(original, nil) // *RuleError names the rule that a refused module breaks
//	state, err := binary.ReadState(wasm)       // where the host finds fuel, depth, taint, data and globals
//
// Parse reads a module's structure, with every declared count bounded by the bytes that are left. Admit holds it against ring 1. Rewrite
// adds fuel, a depth counter, bulk operations in pieces, maxima, and the exports by which an instance is put back. Package sandbox runs
// the result.
package binary
