//go:build freebsd || dragonfly

package helper

import "golang.org/x/sys/unix"

func setRlimit(r *unix.Rlimit, n uint64) { r.Cur, r.Max = int64(n), int64(n) }
