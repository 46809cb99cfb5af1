package jpeg

import "io"

// chunk is how much of the file is held at a time.
const chunk = 64 << 10

// source reads a file from front to back in pieces.
type source struct {
	in   io.ReaderAt
	size int64
	next int64  // where in the file the bytes behind buf are
	buf  []byte // what is held
	pos  int    // the first byte of buf that was not taken
	room []byte
}

// offset is where in the file the next byte is.
func (s *source) offset() int64 { return s.next - int64(len(s.buf)-s.pos) }

// seek goes on at off.
func (s *source) seek(off int64) {
	if start := s.next - int64(len(s.buf)); off >= start && off <= s.next {
		s.pos = int(off - start)
		return
	}
	s.next, s.buf, s.pos = off, s.buf[:0], 0
}

// more reads a piece behind what is held and reports whether there was one.
func (s *source) more() bool {
	if s.next >= s.size || s.next < 0 {
		return false
	}
	if s.room == nil {
		s.room = make([]byte, min(chunk, s.size))
	}
	kept := copy(s.room, s.buf[s.pos:])
	n := min(len(s.room)-kept, int(min(s.size-s.next, chunk)))
	n, _ = s.in.ReadAt(s.room[kept:kept+n], s.next)
	s.buf, s.pos = s.room[:kept+n], 0
	s.next += int64(n)
	if n == 0 {
		s.size = s.next // it is shorter than it says
	}
	return n > 0
}

// next1 takes a byte; ok is false at the end.
func (s *source) next1() (c byte, ok bool) {
	if s.pos == len(s.buf) && !s.more() {
		return 0, false
	}
	c = s.buf[s.pos]
	s.pos++
	return c, true
}

// take returns the next n bytes, fewer at the end. They are valid until the next call.
func (s *source) take(n int) []byte {
	for len(s.buf)-s.pos < n && s.more() {
	}
	b := s.buf[s.pos:min(len(s.buf), s.pos+n)]
	s.pos += len(b)
	return b
}

// marker goes to the next marker (T.81, B.1.1.2) and takes it. It passes over at most junk bytes that are none, with the fill bytes before it,
// and says how many it passed.
func (s *source) marker(junk int64) (m byte, passed int64, ok bool) {
	last := byte(0)
	for passed = -2; passed < junk; passed++ {
		c, ok := s.next1()
		if !ok {
			return 0, passed, false
		}
		if last == 0xff && c != 0 && c != 0xff {
			return c, passed + 1, true
		}
		last = c
	}
	return 0, passed, false
}
