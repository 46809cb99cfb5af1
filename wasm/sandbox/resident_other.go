//go:build !linux

package sandbox

// resident is not told here. A helper watches itself as well.
func resident(int) int64 { return 0 }
