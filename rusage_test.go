//go:build unix

package glovebox_test

import (
	"os"
	"runtime"
	"syscall"
)

// maxResident is the largest resident memory of a process that ended, in MiB.
func maxResident(state *os.ProcessState) float64 {
	ru, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	kib := float64(ru.Maxrss)
	if runtime.GOOS == "darwin" {
		kib /= 1024 // bytes there
	}
	return kib / 1024
}
