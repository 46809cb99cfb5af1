//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// SyncFolder makes the names in an open folder durable. Some file systems have nothing to sync for a folder and say EINVAL or ENOTSUP.
func SyncFolder(f *os.File) error {
	if err := f.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) {
		return err
	}
	return nil
}
