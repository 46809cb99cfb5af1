// Command guest is the decoder of package boxtest as a guest.
package main

import (
	"github.com/glovebox-wasm/glovebox/plugins/boxtest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

func main() {}

func init() { pdk.Serve(&boxtest.Decoder) }
