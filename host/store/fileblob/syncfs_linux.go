package fileblob

import (
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// syncFileSystem makes all durable that was written to the file system of f. Before Linux 5.8 it does not tell of writes that failed, and is
// not used.
func syncFileSystem(f *os.File) (bool, error) {
	if !syncfsTells() {
		return false, nil
	}
	for {
		if err := unix.Syncfs(int(f.Fd())); err != unix.EINTR {
			return true, err
		}
	}
}

var syncfsTells = sync.OnceValue(func() bool {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return false
	}
	return tellsSince(unix.ByteSliceToString(u.Release[:]))
})

// tellsSince reports whether a kernel of this release, "5.8.0-1-amd64" say, returns the errors of writes from syncfs(2).
func tellsSince(release string) bool {
	major, rest, _ := strings.Cut(release, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, errA := strconv.Atoi(major)
	b, errB := strconv.Atoi(strings.SplitN(minor, "-", 2)[0])
	return errA == nil && errB == nil && (a > 5 || a == 5 && b >= 8)
}
