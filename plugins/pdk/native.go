//go:build !wasip1

package pdk

// Log writes a line to the host's log: level 0 debug, 1 info, 2 warn, 3 error. Natively it does nothing.
func Log(level int, line string) {}

// Serve makes d the decoder of this guest; see the package comment. Natively, where there is no guest, it does nothing.
func Serve(d *Decoder) {}
