//go:build !(unix && (amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x))

package sandbox

// region is a slice that grows by copying, for systems without mmap or without the address space to reserve.
type region struct {
	b       []byte
	present int64 // bytes that touch was told of
}

// touch does nothing: growing has copied the whole.
func (r *region) touch(n int64) { r.present = max(r.present, n) }

func newRegion(int64) (region, error) { return region{b: []byte{}}, nil }

func (r *region) commit(n int64) error {
	if n > int64(len(r.b)) {
		b := make([]byte, n)
		copy(b, r.b)
		r.b = b
	}
	return nil
}

func (r *region) bytes(n int64) []byte { return r.b[:n:n] }

func (r *region) zero(lo, hi int64) { clear(r.b[lo:hi]) }

func (r *region) free() { *r = region{} }
