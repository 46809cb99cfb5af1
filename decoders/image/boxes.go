package image

import (
	"encoding/binary"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// boxReader walks the boxes of an ISO base media file (ISO/IEC 14496-12, 4.2), which JPEG XL and JPEG 2000 share. Their sizes come from the
// file, so all that is walked and read of one file is counted.
type boxReader struct {
	in     readapi.Input
	boxes  int   // that may still be looked at
	budget int64 // bytes that may still be read
}

const (
	// maxBoxes bounds the boxes that are looked at: a burst of pictures has one for each property of each.
	maxBoxes = 16 << 10
	// maxBoxBytes bounds what is read of them, and maxBoxData what is read of one.
	maxBoxBytes = 2 << 20
	maxBoxData  = 256 << 10
)

func newBoxReader(in readapi.Input) *boxReader {
	return &boxReader{in: in, boxes: maxBoxes, budget: maxBoxBytes}
}

// box is one box: its type, and where its payload lies.
type box struct {
	kind string
	span
}

// each calls visit for the boxes in s, in order, until it returns false. A box that is larger than what it lies in ends with it.
func (r *boxReader) each(s span, visit func(b box) bool) {
	var h [16]byte
	for off, end := s.off, min(s.off+s.n, r.in.Size()); off >= 0 && end-off >= 8 && r.boxes > 0; {
		r.boxes--
		if !readInto(r.in, h[:8], off) {
			return
		}
		head, n := int64(8), int64(binary.BigEndian.Uint32(h[:]))
		switch n {
		case 0: // to the end
			n = end - off
		case 1: // a size of 64 bits follows
			if head = 16; !readInto(r.in, h[8:], off+8) {
				return
			}
			n = int64(binary.BigEndian.Uint64(h[8:]))
		}
		if n < head {
			return
		}
		n = min(n, end-off)
		if !visit(box{string(h[4:8]), span{off + head, n - head}}) {
			return
		}
		off += n
	}
}

// find returns the first box of this kind in s.
func (r *boxReader) find(s span, kind string) (found box, ok bool) {
	r.each(s, func(b box) bool {
		if ok = b.kind == kind; ok {
			found = b
		}
		return !ok
	})
	return found, ok
}

// path returns the box at the end of a path of kinds from s.
func (r *boxReader) path(s span, kinds ...string) (b box, ok bool) {
	b.span = s
	for _, kind := range kinds {
		if b, ok = r.find(b.span, kind); !ok {
			return b, false
		}
	}
	return b, ok
}

// data returns up to n bytes of a payload, as far as the budgets allow.
func (r *boxReader) data(s span, n int64) []byte {
	b := readUpTo(r.in, s.off, min(n, s.n, maxBoxData, r.budget))
	r.budget -= int64(len(b))
	return b
}

// rest is the payload without its first n bytes.
func (s span) rest(n int64) span { return span{s.off + min(n, s.n), max(0, s.n-n)} }

// fields reads big-endian numbers one after the other; behind the end they are 0, and short says so.
type fields struct {
	b     []byte
	short bool
}

func (f *fields) uint(bytes int) (v uint64) {
	if len(f.b) < bytes {
		f.b, f.short = nil, true
		return 0
	}
	for _, c := range f.b[:bytes] {
		v = v<<8 | uint64(c)
	}
	f.b = f.b[bytes:]
	return v
}
