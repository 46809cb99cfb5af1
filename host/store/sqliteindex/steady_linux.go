package sqliteindex

import (
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID tells this run of the kernel from every other; "" where it cannot be read.
var bootID = sync.OnceValue(func() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
})

// steady is the clock that nobody sets and that stands still while the machine sleeps, in milliseconds, and which boot it runs from.
func steady() (boot string, ms int64) {
	var now unix.Timespec
	if bootID() == "" || unix.ClockGettime(unix.CLOCK_MONOTONIC, &now) != nil {
		return "", 0
	}
	return bootID(), now.Nano() / 1e6
}
