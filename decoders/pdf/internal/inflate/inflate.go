// Package inflate decompresses deflate data (RFC 1951) that lie in memory, and gives what comes before damage.
//
// compress/flate does the same, but it reads a byte at a time through an interface and brings fmt and os into a guest that needs neither:
// this is twice as fast there, and the module smaller by more than this package.
package inflate

import (
	"encoding/binary"
	"errors"
)

// Why data are not whole.
var (
	ErrDamaged = errors.New("inflate: the data are damaged or end too early")
	ErrLimit   = errors.New("inflate: there are more data than the limit")
)

// Decoder keeps its tables between calls. The zero value is ready; it is for one goroutine.
type Decoder struct {
	literals, distances, lengths table
	sizes                        [maxLiterals + maxDistances]uint8

	src  []byte
	acc  uint64 // bits that were taken from src and are not used yet, the first one lowest
	bits uint   // how many
}

// Sizes of the alphabets (3.2.7). The last two literals and the last two distances are not used.
const (
	maxLiterals  = 288
	maxDistances = 32
	endOfBlock   = 256
)

// mostGuess bounds the room that is made before anything is known but the size of the data.
const mostGuess = 4 << 20

// Decode returns the decompressed src, limit bytes of it at most. With an error the result is what came before it.
func (d *Decoder) Decode(src []byte, limit int) ([]byte, error) {
	d.src, d.acc, d.bits = src, 0, 0
	out, err := d.blocks(make([]byte, 0, max(0, min(limit, 4*len(src)+64, mostGuess))), limit)
	d.src = nil
	if len(out) > limit {
		return out[:limit], ErrLimit
	}
	return out, err
}

func (d *Decoder) blocks(out []byte, limit int) ([]byte, error) {
	for last := false; !last; {
		head, ok := d.take(3)
		if !ok {
			return out, ErrDamaged
		}
		last = head&1 != 0
		switch head >> 1 {
		case 0:
			out, ok = d.stored(out)
		case 1:
			d.fixed()
			out, ok = d.block(out, limit)
		case 2:
			if ok = d.dynamic(); ok {
				out, ok = d.block(out, limit)
			}
		default:
			ok = false
		}
		switch {
		case len(out) > limit:
			return out, ErrLimit
		case !ok:
			return out, ErrDamaged
		}
	}
	return out, nil
}

// refill takes bits from src until there are 56 or src is at its end.
func (d *Decoder) refill() {
	if len(d.src) >= 8 {
		d.acc |= binary.LittleEndian.Uint64(d.src) << d.bits
		d.src = d.src[(63-d.bits)>>3:]
		d.bits |= 56
		return
	}
	for d.bits < 56 && len(d.src) > 0 {
		d.acc |= uint64(d.src[0]) << d.bits
		d.src = d.src[1:]
		d.bits += 8
	}
}

// take returns the next n bits, up to 16.
func (d *Decoder) take(n uint) (v int, ok bool) {
	if d.bits < n {
		d.refill()
		if d.bits < n {
			return 0, false
		}
	}
	v = int(d.acc & (1<<n - 1))
	d.acc >>= n & 63
	d.bits -= n
	return v, true
}

// stored copies a block that is not compressed (3.2.4).
func (d *Decoder) stored(out []byte) ([]byte, bool) {
	d.acc >>= d.bits & 7
	d.bits &^= 7
	size, ok := d.take(16)
	check, ok2 := d.take(16)
	if !ok || !ok2 || size != check^0xffff {
		return out, false
	}
	for size > 0 && d.bits > 0 {
		b, _ := d.take(8)
		out = append(out, byte(b))
		size--
	}
	if size == 0 {
		return out, true
	}
	n := min(size, len(d.src))
	out = append(out, d.src[:n]...)
	// What refill had of src beyond its count of bits is above them in acc, and must not meet what comes from here on.
	d.src, d.acc, d.bits = d.src[n:], 0, 0
	return out, n == size
}

// fixed makes the tables of a block with fixed codes (3.2.6).
func (d *Decoder) fixed() {
	for i := range maxLiterals {
		switch {
		case i < 144, i >= 280:
			d.sizes[i] = 8
		case i < 256:
			d.sizes[i] = 9
		default:
			d.sizes[i] = 7
		}
	}
	for i := range maxDistances {
		d.sizes[maxLiterals+i] = 5
	}
	d.literals.build(d.sizes[:maxLiterals])
	d.distances.build(d.sizes[maxLiterals:])
}

// codeOrder is the order in which the sizes of the codes for sizes come (3.2.7).
var codeOrder = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the tables of a block that has its own codes (3.2.7).
func (d *Decoder) dynamic() bool {
	head, ok := d.take(14)
	literals, distances, codes := head&31+257, head>>5&31+1, head>>10+4
	if !ok || literals > 286 || distances > 30 {
		return false
	}
	clear(d.sizes[:])
	for _, k := range codeOrder[:codes] {
		n, ok := d.take(3)
		if !ok {
			return false
		}
		d.sizes[k] = uint8(n)
	}
	if !d.lengths.build(d.sizes[:19]) {
		return false
	}
	clear(d.sizes[:19])
	for i := 0; i < literals+distances; {
		code, ok := d.symbol(&d.lengths)
		if !ok {
			return false
		}
		if code < 16 {
			d.sizes[i] = uint8(code)
			i++
			continue
		}
		extra, times, size := uint(2), 3, uint8(0)
		switch {
		case code == 16 && i == 0:
			return false
		case code == 16:
			size = d.sizes[i-1]
		case code == 17:
			extra = 3
		default:
			extra, times = 7, 11
		}
		n, ok := d.take(extra)
		if times += n; !ok || i+times > literals+distances {
			return false
		}
		for range times {
			d.sizes[i] = size
			i++
		}
	}
	return d.literals.build(d.sizes[:literals]) && d.distances.build(d.sizes[literals:literals+distances])
}
