//go:build unix && !freebsd && !dragonfly

package helper

import "golang.org/x/sys/unix"

func setRlimit(r *unix.Rlimit, n uint64) { r.Cur, r.Max = n, n }
