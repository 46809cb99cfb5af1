// The text decoder as a sandboxed module:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o text.wasm ./decoders/text/guest
package main

import (
	"github.com/glovebox-wasm/glovebox/decoders/text"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

func init() { pdk.Serve(&text.Decoder) }

func main() {}
