package helper

import (
	"fmt"
	"os"
)

// dataBytes is how much of its RLIMIT_DATA the process has used: since Linux 4.7 that is all private memory that it may write to, which is
// what a Go program's memory is. Address space that is only reserved does not count.
func dataBytes() (uint64, bool) {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0, true
	}
	var p [6]uint64 // size, resident, shared, text, lib, data
	if _, err := fmt.Sscan(string(b), &p[0], &p[1], &p[2], &p[3], &p[4], &p[5]); err != nil {
		return 0, true
	}
	return p[5] * uint64(os.Getpagesize()), true
}
