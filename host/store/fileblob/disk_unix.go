//go:build unix

package fileblob

import (
	"io/fs"
	"syscall"
)

const (
	nonBlocking = syscall.O_NONBLOCK
	hasModes    = true // files have modes that keep others out
)

// links is how many names a file has; 0 when it cannot be told.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 0
}
