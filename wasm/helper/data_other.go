//go:build !linux

package helper

// dataBytes: other kernels do not count what a Go program has by RLIMIT_DATA.
func dataBytes() (uint64, bool) { return 0, false }
