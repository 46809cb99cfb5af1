package vp8

import (
	"encoding/binary"
	"math/bits"
)

// boolReader reads the arithmetic coding of VP8 (RFC 6386, 7).
type boolReader struct {
	data  []byte
	at    int    // of data: what is in value
	value uint64 // the next bits, highest first
	have  int    // how many of value's bits are behind the first eight
	width uint32 // of the range, 128 to 255
	ended bool   // bits were asked for that are not there
}

func newBoolReader(data []byte) boolReader { return boolReader{data: data, have: -8, width: 255} }

// fill loads more bits.
func (r *boolReader) fill() {
	b := r.data[r.at:]
	if len(b) >= 8 {
		n := (55 - r.have) >> 3 // bytes that fit above the lowest ones
		r.value |= binary.BigEndian.Uint64(b) >> ((64 - 8*uint(n)) & 63) << (uint(56-r.have-8*n) & 63)
		r.have += 8 * n
		r.at += n
		return
	}
	if len(b) == 0 {
		r.ended = true
		r.have += 8
		return
	}
	for r.have < 48 && r.at < len(r.data) {
		r.value |= uint64(r.data[r.at]) << uint(48-r.have)
		r.have += 8
		r.at++
	}
}

// bit reads a bool that is 0 with probability p of 256.
func (r *boolReader) bit(p uint8) bool {
	if r.have < 0 {
		r.fill()
	}
	split := 1 + ((r.width-1)*uint32(p))>>8
	one := r.value >= uint64(split)<<56
	if one {
		r.value -= uint64(split) << 56
		split = r.width - split
	}
	shift := bits.LeadingZeros8(uint8(split))
	r.value <<= uint(shift & 7)
	r.have -= shift
	r.width = split << uint(shift&7)
	return one
}

// is1 is bit as a number.
func (r *boolReader) is1(p uint8) int {
	if r.bit(p) {
		return 1
	}
	return 0
}

// number reads n bits, the highest first.
func (r *boolReader) number(n int) (v int) {
	for range n {
		v = v<<1 | r.is1(128)
	}
	return v
}

// optional reads n bits and a sign, if a flag says that they are there (RFC 6386, 9.6).
func (r *boolReader) optional(n int) int {
	if !r.bit(128) {
		return 0
	}
	v := r.number(n)
	if r.bit(128) {
		return -v
	}
	return v
}
