package sandbox

import (
	"bytes"
	"errors"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// snapshot is the state that reads start from. It is never written to after it was taken and shared by all instances of a program.
type snapshot struct {
	memory  image
	globals []uint64 // in the order of State.Globals
	clock   uint64
}

// capture copies the instance's state.
func (i *Instance) capture() *snapshot {
	s := &snapshot{memory: newImage(i.linear.region.bytes(i.linear.size)), globals: make([]uint64, len(i.globals)), clock: i.clock}
	for k, g := range i.globals {
		s.globals[k] = g.Get()
	}
	return s
}

// image is the content of a memory, without the blocks that are all zero: in a Go guest that is a third of them.
type image struct {
	size int64
	zero []bool // by block
	data []byte // the other blocks, one after the other
}

// blockBytes is how much is compared and copied at once; it divides pageBytes.
const blockBytes = 4 << 10

var zeroBlock [blockBytes]byte

func newImage(mem []byte) image {
	m := image{size: int64(len(mem)), zero: make([]bool, len(mem)/blockBytes)}
	for k := range m.zero {
		if b := mem[k*blockBytes:][:blockBytes]; bytes.Equal(b, zeroBlock[:]) {
			m.zero[k] = true
		} else {
			m.data = append(m.data, b...)
		}
	}
	m.data = bytes.Clone(m.data) // without the room that append left
	return m
}

// copyTo fills mem, which is as large and all zero.
func (m *image) copyTo(mem []byte) {
	data := m.data
	for k, zero := range m.zero {
		if !zero {
			copy(mem[k*blockBytes:], data[:blockBytes])
			data = data[blockBytes:]
		}
	}
}

// putBack makes mem equal to the image again, copying only what differs. Comparing everything takes as long as copying everything: both
// wait for memory, about 100 us for 4.5 MiB. But comparing leaves most cache lines clean, and for a zero block it reads one side only.
// What would be cheaper, having the system tell which pages were written to, costs a page fault for each of them during the read.
func (m *image) putBack(mem []byte) {
	data := m.data
	for k, zero := range m.zero {
		src, dst := zeroBlock[:], mem[k*blockBytes:][:blockBytes]
		if !zero {
			src, data = data[:blockBytes], data[blockBytes:]
		}
		if !bytes.Equal(dst, src) {
			copy(dst, src)
		}
	}
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
	size := s.memory.size
	if more := (size - i.linear.size) / pageBytes; more > 0 {
		if _, ok := i.mem.Grow(uint32(more)); !ok || i.linear.size != size {
			return &readapi.Error{Code: readapi.CodeInternal, Detail: "the memory did not grow to the snapshot"}
		}
	}
	s.memory.copyTo(i.linear.region.bytes(size))
	i.snap = s
	i.putBackGlobals(s)
	return nil
}

func (i *Instance) putBack(s *snapshot) error {
	size := s.memory.size
	if i.linear.size != size {
		i.linear.shrink = size
		// Grow is refused only if the memory were at its written maximum, one page above what a guest can have.
		if _, ok := i.mem.Grow(1); !ok || i.linear.size != size || int64(i.mem.Size()) != size {
			return errShrink
		}
	}
	s.memory.putBack(i.linear.region.bytes(size))
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
