package helper

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// dropInherited closes what the parent had open and let through by accident, as programs with C in them do. Only the three pipes stay, and what
// the Go runtime opened for itself.
func dropInherited() {
	all, err := os.ReadDir("/proc/self/fd") // its own descriptor is closed already
	if err != nil {
		return
	}
	for _, e := range all {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:[event") {
			_ = unix.Close(fd)
		}
	}
}
