//go:build !unix

package store

import "os"

// SyncFolder does nothing: Windows has no way to sync a folder, and NTFS keeps a journal of names.
func SyncFolder(*os.File) error { return nil }
