package sandbox

import "golang.org/x/sys/unix"

const mapNoReserve = unix.MAP_NORESERVE

// adviseHuge asks for huge pages; a kernel without them says no, and that is fine.
func adviseHuge(b []byte) { _ = unix.Madvise(b, unix.MADV_HUGEPAGE) }

// discard gives the pages of b back; they read as zero afterwards. Only Linux promises that (madvise(2), MADV_DONTNEED on private
// anonymous memory).
func discard(b []byte) bool { return unix.Madvise(b, unix.MADV_DONTNEED) == nil }
