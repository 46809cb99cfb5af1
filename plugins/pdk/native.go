//go:build !wasip1

package pdk

import (
	"github.com/glovebox-wasm/glovebox/readapi"
	"github.com/glovebox-wasm/glovebox/wasm/abi"
)

// Run decodes natively, without the wall: for tests, fuzzing and comparison. It goes through the same frames as a guest.
func Run(d *Decoder, in readapi.Input, req readapi.Request) (readapi.Result, error) {
	c := abi.Collector{MaxFileBytes: req.MaxFileBytes, Child: len(req.Child) > 0}
	run(d, in, &req, c.Add)
	res, err := c.Result()
	res.Unit = d.Unit
	return res, err
}

// Log writes a line to the host's log: level 0 debug, 1 info, 2 warn, 3 error. Natively it does nothing.
func Log(level int, line string) {}

// Serve makes d the decoder of this guest; see the package comment. Natively, where there is no guest, it does nothing.
func Serve(d *Decoder) {}
