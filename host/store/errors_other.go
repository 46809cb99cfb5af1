//go:build !windows

package store

import "syscall"

var (
	diskFull     = []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG} // the last also where files may not grow beyond a limit (ulimit -f)
	tooManyFiles = []error{syscall.EMFILE, syscall.ENFILE}
	badPlace     = []error{syscall.EROFS, syscall.EIO, syscall.ENOTDIR, syscall.EISDIR, syscall.EEXIST, syscall.ENOTEMPTY}
)
