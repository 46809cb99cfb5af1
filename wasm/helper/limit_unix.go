//go:build unix

package helper

import (
	"errors"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/glovebox-wasm/glovebox/wasm/internal/hello"
)

// limit sets the limits of this process: its memory, where the kernel counts it; the length of a file, for the machine code; no core dumps, and
// few descriptors. Compiling needs no more.
func limit(args hello.CompileArgs) error {
	signal.Ignore(syscall.SIGXFSZ) // a file that is too long is an error of the write
	limits := []struct {
		which int
		value uint64
	}{
		{unix.RLIMIT_CORE, 0},
		{unix.RLIMIT_FSIZE, uint64(args.MaxCodeBytes) + fileRoom},
		{unix.RLIMIT_NOFILE, 64},
	}
	if own, ok := dataBytes(); ok {
		limits = append(limits, struct {
			which int
			value uint64
		}{unix.RLIMIT_DATA, own + uint64(args.MaxMemoryBytes) + baseMemory})
	}
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.which, &now); err != nil {
			return err
		}
		if uint64(now.Max) > l.value {
			setRlimit(&now, l.value)
		}
		if err := unix.Setrlimit(l.which, &now); err != nil {
			return err
		}
	}
	return nil
}

// fileRoom is what an entry of the cache has besides machine code.
const fileRoom = 4 << 20

// tooLarge reports whether a write failed because the file was too long.
func tooLarge(err error) bool { return errors.Is(err, unix.EFBIG) }
