// Package lzw decompresses the pixels of a GIF (GIF89a, appendix F), and gives what comes before damage.
//
// compress/lzw does the same for sound data, but it reads a byte at a time through an interface, and refuses codes of more than eight bits,
// which some writers use for eight-bit pixels and every reader takes.
package lzw

// MaxSize is the largest size of a code that pixels can have: one bit less than the longest code.
const MaxSize = 11

const (
	longest = 12 // bits of a code
	codes   = 1 << longest
)

// Decoder decompresses one picture.
type Decoder struct {
	read func(p []byte) int // more of the data; 0 at their end
	in   []byte
	buf  [1024]byte
	acc  uint32
	bits int

	size, width      int // bits of a pixel, and of the next code
	clear, end, next int // codes
	prev             int // the code before; none at the beginning and behind clear

	prefix [codes]uint16
	length [codes]uint16
	first  [codes]byte
	last   [codes]byte

	pending []byte // of a string that did not fit
	store   [codes]byte
	done    bool
}

const none = -1

// New begins a picture whose codes begin at size bits, 1 to MaxSize. read gives the data in pieces, 0 at their end.
func New(size int, read func(p []byte) int) *Decoder {
	d := &Decoder{read: read, size: size, clear: 1 << size, end: 1<<size + 1}
	for i := range d.clear {
		d.first[i], d.last[i], d.length[i] = byte(i), byte(i), 1
	}
	d.reset()
	return d
}

func (d *Decoder) reset() { d.width, d.next, d.prev = d.size+1, d.end+1, none }

// Read fills p with pixels and returns how many there are; fewer than len(p) when there are no more.
func (d *Decoder) Read(p []byte) int {
	n := copy(p, d.pending)
	d.pending = d.pending[n:]
	for n < len(p) && !d.done {
		code := d.code()
		switch {
		case code < 0 || code == d.end:
			d.done = true
			continue
		case code == d.clear:
			d.reset()
			continue
		case d.prev == none && code > d.clear, code > d.next, code == d.next && d.next == codes:
			d.done = true // a code that stands for nothing yet
			continue
		}
		if d.prev != none {
			d.add(code)
		}
		d.prev = code
		if size := int(d.length[code]); size <= len(p)-n {
			d.write(p[n:n+size], code)
			n += size
		} else {
			d.write(d.store[:size], code)
			k := copy(p[n:], d.store[:size])
			d.pending = d.store[k:size]
			n += k
		}
	}
	return n
}

// add makes the string of the code before and of the first pixel of this one, which may be that very string.
func (d *Decoder) add(code int) {
	if d.next == codes {
		return
	}
	at, with := d.next, code
	if code == at {
		with = d.prev
	}
	d.prefix[at] = uint16(d.prev)
	d.length[at] = d.length[d.prev] + 1
	d.first[at] = d.first[d.prev]
	d.last[at] = d.first[with]
	d.next++
	if d.next == 1<<d.width && d.width < longest {
		d.width++
	}
}

// write writes the string of code, from its end.
func (d *Decoder) write(dst []byte, code int) {
	for i := len(dst) - 1; i >= 0; i-- {
		code &= codes - 1
		dst[i] = d.last[code]
		code = int(d.prefix[code])
	}
}

// code returns the next code, negative at the end of the data.
func (d *Decoder) code() int {
	for d.bits < d.width {
		if len(d.in) == 0 {
			n := d.read(d.buf[:])
			if n <= 0 {
				return -1
			}
			d.in = d.buf[:n]
		}
		d.acc |= uint32(d.in[0]) << d.bits
		d.in = d.in[1:]
		d.bits += 8
	}
	c := int(d.acc & (1<<d.width - 1))
	d.acc >>= d.width
	d.bits -= d.width
	return c
}
