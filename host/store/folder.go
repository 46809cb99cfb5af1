package store

import (
	"errors"
	"os"
)

// SyncFolderAt is SyncFolder of the folder at dir.
func SyncFolderAt(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(SyncFolder(f), f.Close())
}
