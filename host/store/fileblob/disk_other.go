//go:build !unix

package fileblob

import "io/fs"

const (
	nonBlocking = 0
	hasModes    = false // files have modes that keep others out
)

func links(fs.FileInfo) uint64 { return 0 }
