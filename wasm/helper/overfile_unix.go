//go:build unix

package helper

import (
	"errors"
	"os/signal"
	"syscall"
)

// letWritesFail makes a file that is over its limit an error of the write that goes too far, not the end of the process.
func letWritesFail() { signal.Ignore(syscall.SIGXFSZ) }

// overFile reports whether a write failed because its file was too long.
func overFile(err error) bool { return errors.Is(err, syscall.EFBIG) }
