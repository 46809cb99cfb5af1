//go:build unix && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// region is address space that is reserved at once and made usable bit by bit, so that growing never moves or copies. Reserving costs
// no memory, and with PROT_NONE it does not count where overcommitting is switched off.
//
// It begins at a border of huge pages and asks for them: a page fault costs 0.3 us at best and 15 us on some virtual machines, and a new
// instance of a 3 MiB guest would take 768 of them.
type region struct {
	mapped    []byte // what Mmap returned
	b         []byte // the part of it that is used
	committed int64
	present   int64 // bytes from 0 that were touched and not handed back since
	nothing   byte  // always 0; the compiler does not know
}

// touch brings in the pages up to n, whatever they hold.
func (r *region) touch(n int64) {
	for k := r.present; k < n; k += smallPage {
		r.b[k] |= r.nothing
	}
	r.present = max(r.present, n)
}

const smallPage = 4 << 10 // or larger: then it is touched several times

// hugeBytes is the size of a huge page on most systems that have them.
const hugeBytes = 2 << 20

func newRegion(size int64) (region, error) {
	size = roundUp(size, hugeBytes)
	mapped, err := unix.Mmap(-1, 0, int(size+hugeBytes), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|mapNoReserve)
	if err != nil {
		return region{}, err
	}
	start := uintptr(unsafe.Pointer(unsafe.SliceData(mapped)))
	skip := roundUp(int64(start), hugeBytes) - int64(start)
	b := mapped[skip : skip+size]
	adviseHuge(b)
	return region{mapped: mapped, b: b}, nil
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// commit makes the first n bytes usable, and what is left of the last huge page with them.
func (r *region) commit(n int64) error {
	if n <= r.committed {
		return nil
	}
	n = roundUp(n, hugeBytes)
	if err := unix.Mprotect(r.b[:n], unix.PROT_READ|unix.PROT_WRITE); err != nil {
		return err
	}
	r.committed = n
	return nil
}

// bytes returns the first n bytes; they must be committed. The slice's capacity ends there, so that nothing can reach beyond.
func (r *region) bytes(n int64) []byte { return r.b[:n:n] }

// keptBytes is how much of what a guest grew into is cleared and kept for the next read rather than handed back to the system. Clearing
// costs about 10 us for 1 MiB; handing back costs the next read its page faults, but keeps an instance that once read something large
// from holding on to that memory, which the budget no longer counts.
const keptBytes = 16 << 20

// zero makes the bytes from lo to hi zero; both are multiples of pageBytes.
func (r *region) zero(lo, hi int64) {
	if keep := lo + keptBytes; hi > keep && discard(r.b[keep:hi]) {
		hi, r.present = keep, min(r.present, keep)
	}
	clear(r.b[lo:hi])
}

func (r *region) free() {
	if r.mapped != nil {
		_ = unix.Munmap(r.mapped) // fails only for a slice that Mmap did not return
		*r = region{}
	}
}
