//go:build !unix

package fileblob

import (
	"io/fs"
	"os"
)

const (
	nonBlocking = 0
	hasModes    = false // files have modes that keep others out
)

func links(fs.FileInfo) uint64 { return 0 }

// syncFolder does nothing: Windows has no way to sync a folder, and NTFS keeps a journal of names.
func syncFolder(*os.File) error { return nil }
