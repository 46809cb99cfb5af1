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
	window      = 32 << 10     // RFC 1951, 2
	longest     = 258          // match, RFC 1951, 3.2.5
	room        = longest + 16 // that a match is written in: words, the last of which may reach beyond it
	maxLiterals = 288          // RFC 1951, 3.2.7; the last two are not used, nor are the last two distances
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
	return &inflater{read: read, out: make([]byte, window+2*max(most, window)+room)}
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
	if d.w+room < len(d.out) {
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

const (
	fastMask = 1<<fastBits - 1
	// matchBits is how many bits a length and its distance take: two codes and what follows them.
	matchBits = 15 + 5 + 15 + 13
)

// value is what entry e of a table and the bits behind its code stand for; spent is how many bits that are.
func value(e uint32, acc uint64) int { return int(e>>16) + int(acc>>(e&15)&(1<<(e>>4&15)-1)) }
func spent(e uint32) uint32          { return e&15 + e>>4&15 }

// damaged ends what is decoded at w.
func (d *inflater) damaged(w int) bool {
	d.w = w
	return false
}

// codes reads symbols until the block ends or out is nearly full. It is where the time goes: the bits are in variables of its own, and that they
// were there at all is looked at once a round, since behind the end of the data they are zero.
func (d *inflater) codes() bool {
	out, w, in, acc, n := d.out, d.w, d.in, d.acc, d.n
	literals, distances := &d.literals.fast, &d.distances.fast
	for w+room < len(out) {
		if n < matchBits {
			if len(in) < 8 {
				d.in, d.acc, d.n = in, acc, n
				d.refill()
				in, acc, n = d.in, d.acc, d.n
			} else {
				acc |= binary.LittleEndian.Uint64(in) << uint(n&63) // what was above n is the same as what comes there
				in, n = in[(63-n)>>3:], n|56
			}
		}
		e := literals[acc&fastMask]
		if e&literal != 0 && n >= matchBits { // most of the time another literal follows, for which there are bits enough
			out[w], w = byte(e>>16), w+1
			acc >>= e & 15
			n -= int(e & 15)
			if e = literals[acc&fastMask]; e&literal != 0 {
				out[w], w = byte(e>>16), w+1
				acc >>= e & 15
				n -= int(e & 15)
			}
			continue
		}
		if e == 0 {
			e = d.literals.slow(acc)
		}
		length := value(e, acc)
		acc >>= spent(e)
		n -= int(spent(e))
		switch {
		case n < 0 || e&15 == 0:
			return d.damaged(w)
		case e&literal != 0:
			out[w], w = byte(e>>16), w+1
			continue
		case e&endOfBlock != 0:
			d.w, d.in, d.acc, d.n = w, in, acc, n
			d.ended()
			return true
		}
		f := distances[acc&fastMask]
		if f == 0 {
			f = d.distances.slow(acc)
		}
		distance := value(f, acc)
		acc >>= spent(f)
		n -= int(spent(f))
		if n < 0 || f&15 == 0 || distance > w {
			return d.damaged(w)
		}
		repeat(out[w-distance:], distance, length)
		w += length
	}
	d.w, d.in, d.acc, d.n = w, in, acc, n
	return true
}

// repeat copies length bytes from the beginning of b to distance in it, where they may run into themselves. Up to sixteen bytes behind them are
// written too.
func repeat(b []byte, distance, length int) {
	from, to := b[:distance+length+16], b[distance:distance+length+16]
	if distance >= 8 {
		for {
			p := binary.LittleEndian.Uint64(from)
			binary.LittleEndian.PutUint64(to, p)
			p = binary.LittleEndian.Uint64(from[8:])
			binary.LittleEndian.PutUint64(to[8:], p)
			if length -= 16; length <= 0 {
				return
			}
			from, to = from[16:], to[16:]
		}
	}
	// Fewer than eight bytes over and over: as often as they fit a word.
	step, bits := distance, uint(distance*8)
	p := binary.LittleEndian.Uint64(from) & (1<<(bits&63) - 1)
	for ; step < 8; step, bits = 2*step, 2*bits {
		p |= p << (bits & 63)
	}
	if step > 8 { // three times two, or one time five and more
		step = 8 / distance * distance
	}
	for ; length > 0; length -= step {
		binary.LittleEndian.PutUint64(to, p)
		to = to[step:]
	}
}
