//go:build wasip1

// Command guest is the image decoder as a WebAssembly module: GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared.
package main

import (
	"runtime/debug"

	"github.com/glovebox-wasm/glovebox/decoders/image"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// softMemory makes the collector work before the heap doubles: a guest has 256 MiB, and the pixels alone may take 160 of them.
const softMemory = 192 << 20

func init() {
	debug.SetMemoryLimit(softMemory)
	pdk.Serve(&image.Decoder)
}

func main() {}
