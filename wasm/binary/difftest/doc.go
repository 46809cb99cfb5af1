// Package difftest holds what binary.Rewrite gives against what it was given, on both of wazero's engines.
//
//	difftest.Differential(t, wasm, nil, []difftest.Call{{Name: "f", Args: []uint64{3}}})
//
// Results, traps, memory, globals and what was emitted must be those of the original; the fuel and the depth must be the same
// on both engines, whatever the slice. It is for tests, of this package's neighbours and of whoever makes modules with another
// toolchain; nothing else imports it, and with it an engine.
package difftest
