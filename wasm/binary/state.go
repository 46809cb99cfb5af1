package binary

import (
	"bytes"
	"compress/flate"
	"io"
)

// stateSection is the custom section that carries a State.
const stateSection = ReservedPrefix + "state"

// stateVersion is the version of State's encoding.
const stateVersion = 2

// State is what a host must know to run a rewritten module and to put an instance of it back. It travels in the module.
type State struct {
	Version  int      // of this encoding
	Rewriter int      // RewriterVersion that made the module
	Original [32]byte // sha256 of the module before rewriting

	MemoryMinPages uint32 // 64 KiB each
	MemoryMaxPages uint32 // what the guest can grow to; the module's written maximum is one page more, for the host
	MaxDepth       int32  // calls open at once: when a trap leaves Depth above it, the depth limit was the cause

	Globals []Global  // every mutable numeric global: the original's, then the wall's
	Data    []Segment // to be written to memory in this order, once, before Start; within MemoryMinPages
	Start   string    // export to call after Data is written, or "" if the original has no start function

	Fuel  string // export of the i64 that counts down; the guest calls WallRefuel when it is negative. It begins at 0
	Depth string // export of the i32 that counts open calls
	Taint string // export of the i32 that is not 0 once the guest has changed a table, a segment or a reference or v128 global
}

// Global is an exported mutable global.
type Global struct {
	Export string
	Type   ValType
}

// Segment is data for the guest's memory. Bytes is a part of the module that ReadState was given, or of its data unpacked.
type Segment struct {
	Offset uint32
	Bytes  []byte
}

// encode writes s; packed compresses the data.
func (s *State) encode(packed bool) []byte {
	e := &encoder{}
	e.u32(stateVersion)
	e.u32(uint32(s.Rewriter))
	e.raw(s.Original[:]...)
	e.u32(s.MemoryMinPages)
	e.u32(s.MemoryMaxPages)
	e.u32(uint32(s.MaxDepth))
	e.u32(uint32(len(s.Globals)))
	for _, g := range s.Globals {
		e.name(g.Export)
		e.raw(byte(g.Type))
	}
	for _, name := range []string{s.Start, s.Fuel, s.Depth, s.Taint} {
		e.name(name)
	}
	e.u32(uint32(len(s.Data)))
	end := uint32(0)
	for _, d := range s.Data {
		e.u32(d.Offset - end) // modulo 2^32: a segment may lie before the end of the former
		e.u32(uint32(len(d.Bytes)))
		end = d.Offset + uint32(len(d.Bytes))
	}
	if !packed {
		e.raw(0)
		for _, d := range s.Data {
			e.raw(d.Bytes...)
		}
		return e.b
	}
	e.raw(1)
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		panic(err) // there is such a level
	}
	for _, d := range s.Data {
		w.Write(d.Bytes)
	}
	w.Close()
	e.raw(b.Bytes()...)
	return e.b
}

// ReadState finds the State of a module that Rewrite made. Segments refer to rewritten, which must not change.
//
// It holds every count and every segment against its bounds, but it cannot know whether the module is what Rewrite wrote: the
// caller vouches for that by its digest. Errors are *RuleError with the rule "state".
func ReadState(rewritten []byte) (*State, error) {
	c := cursor{b: rewritten, end: len(rewritten)}
	if string(c.bytes(len(header))) != string(header) {
		return nil, refuse(RuleState, "not a WebAssembly module of version 1")
	}
	var s *State
	for c.err == nil && c.left() > 0 {
		at, id := c.pos, c.u8()
		body := cursor{b: rewritten, end: c.pos}
		size := c.u32()
		body.pos = c.pos
		c.bytes(int(size))
		body.end = c.pos
		if c.err != nil || id != sectionCustom || body.name(1024) != stateSection {
			continue
		}
		if s != nil {
			return nil, refuse(RuleState, "two state sections")
		}
		if s = readState(&body); s == nil {
			return nil, &RuleError{Rule: RuleState, Detail: body.err.Detail, Offset: int64(at)}
		}
	}
	if c.err != nil {
		return nil, &RuleError{Rule: RuleState, Detail: c.err.Detail, Offset: c.err.Offset}
	}
	if s == nil {
		return nil, refuse(RuleState, "not a rewritten module")
	}
	return s, nil
}

// readState decodes the section's content; nil means that c holds the reason why not.
func readState(c *cursor) *State {
	s := &State{Version: int(c.u32())}
	if c.err == nil && s.Version != stateVersion {
		c.fail(RuleState, c.pos, "version %d, not %d", s.Version, stateVersion)
	}
	s.Rewriter = int(c.u32())
	copy(s.Original[:], c.bytes(len(s.Original)))
	s.MemoryMinPages, s.MemoryMaxPages, s.MaxDepth = c.u32(), c.u32(), int32(c.u32())
	if c.err == nil && (s.MemoryMinPages > s.MemoryMaxPages || s.MemoryMaxPages >= maxPages || s.MaxDepth <= 0) {
		c.fail(RuleState, c.pos, "memory or depth out of range")
	}
	for range c.count("globals", 2, 1<<20) {
		g := Global{c.name(1024), c.valType()}
		if c.err == nil && !g.Type.Numeric() {
			c.fail(RuleState, c.pos, "a global of type %s", g.Type)
		}
		if c.err != nil {
			return nil
		}
		s.Globals = append(s.Globals, g)
	}
	for _, name := range []*string{&s.Start, &s.Fuel, &s.Depth, &s.Taint} {
		*name = c.name(1024)
	}
	if !s.readData(c) {
		return nil
	}
	if c.err == nil && c.left() > 0 {
		c.fail(RuleState, c.pos, "%d bytes too many", c.left())
	}
	if c.err != nil {
		return nil
	}
	return s
}

// readData decodes the segments: where each begins, counted from the end of the former, and how long it is; then the bytes of all. A
// module of Go has tens of thousands of segments of some bytes, which take half the room so.
func (s *State) readData(c *cursor) bool {
	n := c.count("segments", 2, 1<<20)
	sizes, end := make([]uint32, 0, n), uint32(0)
	for range n {
		offset := end + c.u32()
		size := c.u32() // its bytes may be packed; they are held against what is left below
		if c.err == nil && int64(offset)+int64(size) > int64(s.MemoryMinPages)<<16 {
			c.fail(RuleState, c.pos, "a segment outside of the memory")
		}
		if c.err != nil {
			return false
		}
		s.Data, sizes = append(s.Data, Segment{Offset: offset}), append(sizes, size)
		end = offset + size
	}
	data := c
	if packed := c.u8(); packed == 1 {
		data = unpacked(c, sizes)
	} else if packed != 0 {
		c.fail(RuleState, c.pos, "data is packed in another way")
	}
	for i, size := range sizes {
		s.Data[i].Bytes = data.bytes(int(size))
	}
	if data.err != nil && c.err == nil {
		c.fail(RuleState, c.pos, "the data does not go as far as its segments")
	}
	return c.err == nil
}

// maxPackedData bounds what is unpacked; admission lets through less.
const maxPackedData = 256 << 20

// unpacked decompresses the data of segments with these sizes, no more of it than they take.
func unpacked(c *cursor, sizes []uint32) *cursor {
	total := int64(0)
	for _, size := range sizes {
		total += int64(size)
	}
	if total > maxPackedData {
		c.fail(RuleState, c.pos, "more than %d bytes of packed data", maxPackedData)
		return c
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, flate.NewReader(bytes.NewReader(c.bytes(c.left()))), total); err != nil {
		c.fail(RuleState, c.pos, "data that is not packed")
	}
	return &cursor{b: b.Bytes(), end: b.Len()}
}
