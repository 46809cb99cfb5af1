//go:build unix && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package sandbox

import "golang.org/x/sys/unix"

// region is address space that is reserved at once and made usable bit by bit, so that growing never moves or copies. Reserving costs
// no memory, and with PROT_NONE it does not count where overcommitting is switched off.
type region struct {
	b         []byte
	committed int64
}

func newRegion(size int64) (region, error) {
	b, err := unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|mapNoReserve)
	return region{b: b}, err
}

func (r *region) commit(n int64) error {
	if n <= r.committed {
		return nil
	}
	if err := unix.Mprotect(r.b[:n], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	r.committed = n
	return nil
}

// bytes returns the first n bytes; they must be committed. The slice's capacity ends there, so that nothing can reach beyond.
func (r *region) bytes(n int64) []byte { return r.b[:n:n] }

// dropBytes is the size from which memory is handed back to the system rather than cleared. Clearing 1 MiB that is in use costs about
// 30 us and keeps its pages for the next read; handing back costs the next read a page fault for every 4 KiB that it touches, but keeps
// an instance that once read something large from holding on to that memory.
const dropBytes = 4 << 20

// zero makes the bytes from lo to hi zero; both are multiples of pageBytes.
func (r *region) zero(lo, hi int64) {
	if hi-lo >= dropBytes && discard(r.b[lo:hi]) {
		return
	}
	clear(r.b[lo:hi])
}

func (r *region) free() {
	if r.b != nil {
		_ = unix.Munmap(r.b) // fails only for a slice that Mmap did not return
		r.b = nil
	}
}
