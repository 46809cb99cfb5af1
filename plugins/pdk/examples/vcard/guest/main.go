// The example decoder as a sandboxed module:
//
//	GOOS=wasip1 GOARCH=wasm go build -buildmode=c-shared -o vcard.wasm ./plugins/pdk/examples/vcard/guest
package main

import (
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
	"github.com/glovebox-wasm/glovebox/plugins/pdk/examples/vcard"
)

func init() { pdk.Serve(&vcard.Decoder) }

func main() {}
