//go:build unix

package fileblob

import (
	"errors"
	"io/fs"
	"os"
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

// syncFolder makes the names in a folder durable. Some file systems have nothing to sync for a folder and say EINVAL.
func syncFolder(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
