package sandbox

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// discard gives the pages of b back; they read as zero afterwards. Only Linux promises that (madvise(2), MADV_DONTNEED on private
// anonymous memory).
func discard(b []byte) bool { return unix.Madvise(b, unix.MADV_DONTNEED) == nil }
