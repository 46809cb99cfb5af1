//go:build unix

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownOnly checks that a file or folder belongs to this user, that nobody else may write to it, and that a file has no other name, under which
// somebody else could.
func ownOnly(info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return nil
	case int(st.Uid) != os.Geteuid():
		return errors.New("it belongs to somebody else")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it")
	case !info.IsDir() && st.Nlink != 1:
		return errors.New("it has another name")
	}
	return nil
}

// openPlain opens a file for reading. A symbolic link is an error, and a FIFO does not block.
func openPlain(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
}
