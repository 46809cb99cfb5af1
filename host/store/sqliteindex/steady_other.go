//go:build !linux

package sqliteindex

// steady says that there is no clock that all processes share and nobody sets.
func steady() (boot string, ms int64) { return "", 0 }
