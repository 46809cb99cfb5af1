//go:build !windows

package store

import "syscall"

var (
	diskFull     = []error{syscall.ENOSPC, syscall.EDQUOT}
	tooManyFiles = []error{syscall.EMFILE, syscall.ENFILE}
	badPlace     = []error{syscall.EROFS, syscall.EIO, syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY}
)
