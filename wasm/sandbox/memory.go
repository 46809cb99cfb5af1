package sandbox

import "github.com/tetratelabs/wazero/experimental"

const pageBytes = 64 << 10 // of WebAssembly

// refusal is why a guest did not get memory that it asked for.
type refusal int

const (
	refusedNone   refusal = iota
	refusedCap            // over the read's own limit
	refusedBudget         // the budget of all guests was used up for too long
	refusedSystem         // the operating system has none
	refusedOver           // the call had to end while the memory was made ready
)

// linearMemory is the memory of one instance: wazero's experimental.LinearMemory over a region, charged to the budget by its size.
//
// It can be made smaller, which WebAssembly cannot and wazero does not offer: wazero takes whatever slice Reallocate returns for the
// memory's new extent, so after shrinkTo(n) the host calls Memory().Grow(1) and is handed n bytes. The rewriter leaves room for that
// one page above the cap. None of this is documented by wazero; TestShrink pins it on both engines.
type linearMemory struct {
	region   region
	budget   *budget
	hardCap  int64 // the module's own: its written maximum less the page for shrinking
	softCap  int64 // of the current call
	size     int64 // what the guest has
	dirty    int64 // bytes from 0 that may differ from zero: the largest size since the last clearing
	charged  int64
	shrink   int64 // when not negative: the next Reallocate gives this many bytes
	call     *call // the current one; nil: growing does not wait
	refused  refusal
	wanted   int64 // what the refused request would have made of the memory
	released bool
}

// newLinearMemory reserves room for hardCap bytes and takes the first minBytes from the budget, which must have been acquired.
func newLinearMemory(b *budget, minBytes, hardCap int64) (*linearMemory, error) {
	r, err := newRegion(hardCap)
	if err != nil {
		return nil, err
	}
	return &linearMemory{region: r, budget: b, hardCap: hardCap, softCap: hardCap, charged: minBytes, shrink: -1}, nil
}

var _ experimental.MemoryAllocator = (*linearMemory)(nil)

// Allocate implements experimental.MemoryAllocator: m is the memory of exactly one instance.
func (m *linearMemory) Allocate(_, _ uint64) experimental.LinearMemory { return m }

// Reallocate implements experimental.LinearMemory. nil refuses; the guest's memory.grow is -1 then.
func (m *linearMemory) Reallocate(size uint64) []byte {
	if m.released {
		return nil
	}
	n := int64(size)
	if m.shrink >= 0 {
		n, m.shrink = m.shrink, -1
		m.resize(n)
		return m.region.bytes(n)
	}
	if n > m.hardCap || n > m.softCap {
		return m.refuse(refusedCap, n)
	}
	if more := n - m.charged; more > 0 {
		if !m.acquire(more) {
			return m.refuse(refusedBudget, n)
		}
		m.charged += more
	}
	if err := m.region.commit(n); err != nil {
		return m.refuse(refusedSystem, n)
	}
	if !m.touch(n, func() bool { return m.call == nil || m.call.over() == nil }) {
		return m.refuse(refusedOver, n)
	}
	m.resize(n)
	return m.region.bytes(n)
}

// lazyBytes is how much of a memory the guest's own first touch may bring in.
const lazyBytes = 8 << 20

// touch brings in the pages of the first n bytes, if they are many, as long as goOn says so between two of them. The system brings in a page
// when it is first touched and clears it, up to 5 ms for a huge page on a virtual machine: a guest that touches one after the other would be
// stopped by nothing for a second in the middle of a slice of its fuel.
func (m *linearMemory) touch(n int64, goOn func() bool) bool {
	if n-m.region.present <= lazyBytes {
		return true
	}
	for m.region.present < n {
		if !goOn() {
			return false
		}
		m.region.touch(min(n, m.region.present+touchBytes))
	}
	return true
}

// touchBytes is how much is brought in between two looks at the clock.
const touchBytes = 2 << 20

func (m *linearMemory) resize(n int64) {
	m.size = n
	m.dirty = max(m.dirty, n)
}

func (m *linearMemory) refuse(why refusal, wanted int64) []byte {
	m.refused, m.wanted = why, wanted
	return nil
}

func (m *linearMemory) acquire(n int64) bool {
	if m.call == nil {
		return false
	}
	return m.budget.acquire(m.call.ctx, m.call.deadline, n)
}

// clearAbove makes everything from n up zero again, as memory that a guest grows into must be, and gives what is charged above n back.
// The memory must have been shrunk to n.
func (m *linearMemory) clearAbove(n int64) {
	if m.dirty > n {
		m.region.zero(n, m.dirty)
		m.dirty = n
	}
	m.budget.release(m.charged - n)
	m.charged = n
}

// Free implements experimental.LinearMemory. wazero calls it when the instance is closed.
func (m *linearMemory) Free() {
	if m.released {
		return
	}
	m.released = true
	m.budget.release(m.charged)
	m.charged = 0
	m.region.free()
}
