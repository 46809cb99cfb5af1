//go:build unix

package transfer

import (
	"errors"
	"os"
	"syscall"
)

// syncDir makes the names in a folder durable. Some file systems have nothing to sync for a folder and say EINVAL.
func syncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
