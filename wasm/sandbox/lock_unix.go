//go:build unix && !solaris && !aix

package sandbox

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a lock is asked for that another process has. There is no waiting for a lock that a context could end.
const lockPoll = 20 * time.Millisecond

// lockFile takes the lock at path for this process and returns what gives it back. Without an error there is always an unlock; where the file
// system has no locks, it does nothing, and two processes may then compile the same module. The error is that of ctx.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0o600)
		if err != nil {
			return func() {}, nil
		}
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		switch {
		case err == nil && sameFile(f, path):
			return func() {
				_ = os.Remove(path) // under the lock: who waits for this file sees that it is gone, and makes another
				_ = f.Close()
			}, nil
		case err != nil && !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			_ = f.Close()
			return func() {}, nil
		}
		_ = f.Close()
		if err == nil {
			continue
		}
		timer := time.NewTimer(lockPoll)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
	}
}

// sameFile reports whether f is still what path names: the one who had the lock may have removed it.
func sameFile(f *os.File, path string) bool {
	a, err := f.Stat()
	if err != nil {
		return false
	}
	b, err := os.Lstat(path)
	return err == nil && os.SameFile(a, b)
}
