package sandbox

import (
	"fmt"
	"os"
)

// resident is how many bytes of memory a process has, 0 when it is gone.
func resident(pid int) int64 {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var all, pages int64
	if _, err := fmt.Sscan(string(b), &all, &pages); err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
