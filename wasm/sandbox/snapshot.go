package sandbox

import (
	"bytes"
	"errors"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// snapshot is the state that reads start from. It is never written to after it was taken and shared by all instances of a program.
type snapshot struct {
	memory  []byte
	globals []uint64 // in the order of State.Globals
	clock   uint64
}

// capture copies the instance's state.
func (i *Instance) capture() *snapshot {
	mem := i.linear.region.bytes(i.linear.size)
	s := &snapshot{memory: bytes.Clone(mem), globals: make([]uint64, len(i.globals)), clock: i.clock}
	for k, g := range i.globals {
		s.globals[k] = g.Get()
	}
	return s
}

var (
	errNoSnapshot = errors.New("there is no snapshot to go back to")
	errTainted    = errors.New("the guest changed what cannot be put back")
	errShrink     = errors.New("the memory did not shrink")
)

// Reset puts the instance back to the snapshot: memory, globals and clock, so that nothing of a former read is left. An error means that
// it could not and that the instance must be closed: there was an error before, the program has no snapshot, or the guest changed
// what cannot be restored.
func (i *Instance) Reset() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	err := i.usable()
	switch {
	case err != nil:
	case i.snap == nil:
		err = errNoSnapshot
	case i.tainted():
		err = errTainted
	default:
		err = i.putBack(i.snap)
	}
	if err != nil {
		i.dead = true
		return edge("sandbox.Reset", i.prog.name, err)
	}
	return nil
}

// restore brings a new instance to the snapshot.
func (i *Instance) restore(s *snapshot) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if err := i.usable(); err != nil {
		return err
	}
	size := int64(len(s.memory))
	if more := (size - i.linear.size) / pageBytes; more > 0 {
		if _, ok := i.mem.Grow(uint32(more)); !ok || i.linear.size != size {
			return &readapi.Error{Code: readapi.CodeInternal, Detail: "the memory did not grow to the snapshot"}
		}
	}
	copy(i.linear.region.bytes(size), s.memory)
	i.snap = s
	i.putBackGlobals(s)
	return nil
}

func (i *Instance) putBack(s *snapshot) error {
	size := int64(len(s.memory))
	if i.linear.size != size {
		i.linear.shrink = size
		// Grow is refused only if the memory were at its written maximum, one page above what a guest can have.
		if _, ok := i.mem.Grow(1); !ok || i.linear.size != size || int64(i.mem.Size()) != size {
			return errShrink
		}
	}
	copyChanged(i.linear.region.bytes(size), s.memory)
	i.linear.clearAbove(size)
	i.putBackGlobals(s)
	return nil
}

func (i *Instance) putBackGlobals(s *snapshot) {
	for k, g := range i.globals {
		g.Set(s.globals[k])
	}
	i.clock = s.clock
}

// comparedBytes is how much is compared at once.
const comparedBytes = 4 << 10

// copyChanged makes dst equal to src, which is as long. It copies only what differs.
func copyChanged(dst, src []byte) {
	for at := 0; at < len(src); at += comparedBytes {
		end := min(at+comparedBytes, len(src))
		if !bytes.Equal(dst[at:end], src[at:end]) {
			copy(dst[at:end], src[at:end])
		}
	}
}
