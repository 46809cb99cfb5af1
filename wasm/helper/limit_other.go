//go:build !unix

package helper

import "github.com/glovebox-wasm/glovebox/wasm/internal/hello"

// limit has nothing to set here; the process watches its own memory.
func limit(hello.CompileArgs) error { return nil }

func tooLarge(error) bool { return false }
