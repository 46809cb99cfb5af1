// Command guest is the PDF decoder as a WebAssembly module.
package main

import (
	"github.com/glovebox-wasm/glovebox/decoders/pdf"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

func init() { pdk.Serve(&pdf.Decoder) }

func main() {}
