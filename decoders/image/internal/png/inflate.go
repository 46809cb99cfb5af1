package png

import "encoding/binary"

// inflater decompresses deflate data (RFC 1951) that come in pieces, and keeps no more of the result than the window and what is asked for:
// a picture that is read row by row never lies in memory as a whole. Damage ends it; what came before is given.
type inflater struct {
	read func(p []byte) int // more of the data; 0 at its end

	in  []byte // what was read and is not used
	buf [inputBytes]byte
	acc uint64 // bits that were taken from in and are not used yet, the first one lowest
	n   int    // how many; what is above them in acc is in in too

	literals, distances table
	sizes               [maxLiterals + maxDistances]uint8

	out  []byte // the window, and what comes from it
	r, w int    // what of out was not asked for yet

	state  state
	final  bool // the block is the last one
	stored int  // bytes that are left of a stored block
}

const (
	inputBytes  = 16 << 10
	window      = 32 << 10 // RFC 1951, 2
	longest     = 258      // match, RFC 1951, 3.2.5
	maxLiterals = 288      // RFC 1951, 3.2.7; the last two are not used, nor are the last two distances
	maxDistance = 30
	// maxDistances is how many the fixed code has.
	maxDistances = 32
)

// state is what the next bits are.
type state byte

const (
	atBlock state = iota // the head of a block
	inStored
	inCodes
	atEnd // nothing comes any more
)

// newInflater gives pieces of up to most bytes.
func newInflater(read func(p []byte) int, most int) *inflater {
	return &inflater{read: read, out: make([]byte, window+2*max(most, window)+longest)}
}

// next returns the next n bytes of the result, which are good until the next call; fewer when there are no more.
func (d *inflater) next(n int) []byte {
	for d.w-d.r < n && d.state != atEnd {
		d.slide()
		d.step()
	}
	b := d.out[d.r:min(d.r+n, d.w)]
	d.r += len(b)
	return b
}

// slide makes room when there is little: what is behind the window and was given out is dropped.
func (d *inflater) slide() {
	if d.w+longest < len(d.out) {
		return
	}
	keep := min(d.r, d.w-window)
	copy(d.out, d.out[keep:d.w])
	d.r -= keep
	d.w -= keep
}

// step makes some of the result, at least one byte, or comes to another state.
func (d *inflater) step() {
	ok := true
	switch d.state {
	case atBlock:
		ok = d.head()
	case inStored:
		ok = d.copyStored()
	case inCodes:
		ok = d.codes()
	}
	if !ok {
		d.state = atEnd
	}
}

// ended goes on behind a block.
func (d *inflater) ended() {
	d.state = atBlock
	if d.final {
		d.state = atEnd
	}
}

// more reads into in, keeping what is not used.
func (d *inflater) more() bool {
	n := copy(d.buf[:], d.in)
	k := d.read(d.buf[n:])
	d.in = d.buf[:n+max(0, k)]
	return k > 0
}

// refill takes bits from the data until there are 56 or the data end.
func (d *inflater) refill() {
	if len(d.in) < 8 {
		for d.more() && len(d.in) < 8 {
		}
	}
	if len(d.in) >= 8 {
		d.acc |= binary.LittleEndian.Uint64(d.in) << uint(d.n&63)
		d.in = d.in[(63-d.n)>>3:]
		d.n |= 56
		return
	}
	for d.n < 56 && len(d.in) > 0 {
		d.acc |= uint64(d.in[0]) << uint(d.n)
		d.in = d.in[1:]
		d.n += 8
	}
}

// bits returns the next n bits, up to 16.
func (d *inflater) bits(n int) (v int, ok bool) {
	if d.n < n {
		d.refill()
		if d.n < n {
			return 0, false
		}
	}
	v = int(d.acc & (1<<uint(n) - 1))
	d.acc >>= uint(n)
	d.n -= n
	return v, true
}

// head reads the head of a block (RFC 1951, 3.2.3).
func (d *inflater) head() bool {
	v, ok := d.bits(3)
	d.final = v&1 != 0
	switch {
	case !ok:
		return false
	case v>>1 == 0:
		_, _ = d.bits(d.n & 7)
		size, ok1 := d.bits(16)
		check, ok2 := d.bits(16)
		d.state, d.stored = inStored, size
		return ok1 && ok2 && size == check^0xffff
	case v>>1 == 1:
		d.state = inCodes
		return d.fixed()
	case v>>1 == 2:
		d.state = inCodes
		return d.dynamic()
	}
	return false
}

func (d *inflater) copyStored() bool {
	for d.stored > 0 && d.n >= 8 && d.w < len(d.out) {
		v, _ := d.bits(8)
		d.out[d.w] = byte(v)
		d.w++
		d.stored--
	}
	if d.n < 8 { // the bits that are above those of n are in the data still
		d.acc, d.n = 0, 0
	}
	if d.stored == 0 {
		d.ended()
		return true
	}
	if len(d.in) == 0 && !d.more() {
		return false
	}
	n := copy(d.out[d.w:], d.in[:min(d.stored, len(d.in))])
	d.in = d.in[n:]
	d.w += n
	d.stored -= n
	return true
}

// codes reads symbols until the block ends or out is nearly full. It is where the time goes: the bits are in variables of its own, and that they
// were there at all is looked at once a round, since behind the end of the data they are zero.
func (d *inflater) codes() bool {
	// most is how many bits a length and its distance take: two codes and what follows them.
	const most = 15 + 5 + 15 + 13
	out, w := d.out, d.w
	in, acc, n := d.in, d.acc, d.n
	for w+longest < len(out) {
		if n < most {
			if len(in) >= 8 {
				acc |= binary.LittleEndian.Uint64(in) << uint(n&63) // what was above n is the same as what comes there
				in = in[(63-n)>>3:]
				n |= 56
			} else {
				d.in, d.acc, d.n = in, acc, n
				d.refill()
				in, acc, n = d.in, d.acc, d.n
			}
		}
		e := d.literals.find(acc)
		size := int(e & 15)
		acc >>= uint(size & 63)
		n -= size
		if e&(15|literal) > literal && n >= 0 { // most of the time another literal follows
			out[w] = byte(e >> 16)
			w++
			continue
		}
		if n < 0 || e&endOfBlock != 0 || size == 0 {
			d.w, d.in, d.acc, d.n = w, in, acc, n
			if n >= 0 && size != 0 {
				d.ended()
			}
			return n >= 0 && size != 0
		}
		extra := int(e >> 4 & 15)
		length := int(e>>16) + int(acc&(1<<uint(extra)-1))
		acc >>= uint(extra & 63)
		n -= extra
		e = d.distances.find(acc)
		size = int(e & 15)
		acc >>= uint(size & 63)
		extra = int(e >> 4 & 15)
		distance := int(e>>16) + int(acc&(1<<uint(extra)-1))
		acc >>= uint(extra & 63)
		n -= size + extra
		if n < 0 || size == 0 || distance > w {
			d.w = w
			return false
		}
		w = repeat(out, w, distance, length)
	}
	d.w, d.in, d.acc, d.n = w, in, acc, n
	return true
}

// repeat copies length bytes from distance before w, and returns where they end. They may run into themselves.
func repeat(out []byte, w, distance, length int) int {
	to := out[w : w+length]
	from := out[w-distance:]
	if distance >= length && length >= 16 {
		copy(to, from)
		return w + length
	}
	if distance == 1 && length >= 16 {
		v := uint64(from[0]) * 0x0101010101010101
		for len(to) >= 8 {
			binary.LittleEndian.PutUint64(to, v)
			to = to[8:]
		}
	}
	from = from[:len(to)]
	for i := range to {
		to[i] = from[i]
	}
	return w + length
}
