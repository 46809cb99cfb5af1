package cipher

import (
	"encoding/binary"
	"math/bits"
)

// The hashes are those of FIPS 180-4. The constants of SHA-256 are the upper halves of the first ones of SHA-512: the same roots of the same
// primes, cut off sooner (4.2).

// SHA256 is the SHA-256 of b.
func SHA256(b []byte) []byte {
	var h [8]uint32
	for i, v := range sha512Start {
		h[i] = uint32(v >> 32)
	}
	for _, block := range blocks(b, 64) {
		sha256Block(&h, block)
	}
	var out []byte
	for _, v := range h {
		out = binary.BigEndian.AppendUint32(out, v)
	}
	return out
}

// SHA384 is the SHA-384 of b.
func SHA384(b []byte) []byte { return sha512(sha384Start, b)[:48] }

// SHA512 is the SHA-512 of b.
func SHA512(b []byte) []byte { return sha512(sha512Start, b) }

func sha512(h [8]uint64, b []byte) []byte {
	for _, block := range blocks(b, 128) {
		sha512Block(&h, block)
	}
	var out []byte
	for _, v := range h {
		out = binary.BigEndian.AppendUint64(out, v)
	}
	return out
}

// blocks cuts b into blocks of a size and pads the last (5.1): a bit, zeros, and how many bits b has, in an eighth of a block.
func blocks(b []byte, size int) [][]byte {
	var out [][]byte
	bits := uint64(len(b)) * 8
	for ; len(b) >= size; b = b[size:] {
		out = append(out, b[:size])
	}
	last := make([]byte, size, 2*size)
	if len(b)+1+size/8 > size {
		last = last[:2*size]
	}
	copy(last, b)
	last[len(b)] = 0x80
	binary.BigEndian.PutUint64(last[len(last)-8:], bits)
	for ; len(last) > 0; last = last[size:] {
		out = append(out, last[:size])
	}
	return out
}

// sha256Block is the compression of one block (6.2.2).
func sha256Block(h *[8]uint32, p []byte) {
	var w [64]uint32
	for i := range w {
		if i < 16 {
			w[i] = binary.BigEndian.Uint32(p[4*i:])
			continue
		}
		x, y := w[i-15], w[i-2]
		s0 := bits.RotateLeft32(x, -7) ^ bits.RotateLeft32(x, -18) ^ x>>3
		s1 := bits.RotateLeft32(y, -17) ^ bits.RotateLeft32(y, -19) ^ y>>10
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	a, b, c, d, e, f, g, k := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	for i := range w {
		s1 := bits.RotateLeft32(e, -6) ^ bits.RotateLeft32(e, -11) ^ bits.RotateLeft32(e, -25)
		t1 := k + s1 + (e&f ^ ^e&g) + uint32(roundKeys[i]>>32) + w[i]
		s0 := bits.RotateLeft32(a, -2) ^ bits.RotateLeft32(a, -13) ^ bits.RotateLeft32(a, -22)
		t2 := s0 + (a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, k = t1+t2, a, b, c, d+t1, e, f, g
	}
	for i, v := range [8]uint32{a, b, c, d, e, f, g, k} {
		h[i] += v
	}
}

// sha512Block is the compression of one block (6.4.2).
func sha512Block(h *[8]uint64, p []byte) {
	var w [80]uint64
	for i := range w {
		if i < 16 {
			w[i] = binary.BigEndian.Uint64(p[8*i:])
			continue
		}
		x, y := w[i-15], w[i-2]
		s0 := bits.RotateLeft64(x, -1) ^ bits.RotateLeft64(x, -8) ^ x>>7
		s1 := bits.RotateLeft64(y, -19) ^ bits.RotateLeft64(y, -61) ^ y>>6
		w[i] = w[i-16] + s0 + w[i-7] + s1
	}
	a, b, c, d, e, f, g, k := h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7]
	for i := range w {
		s1 := bits.RotateLeft64(e, -14) ^ bits.RotateLeft64(e, -18) ^ bits.RotateLeft64(e, -41)
		t1 := k + s1 + (e&f ^ ^e&g) + roundKeys[i] + w[i]
		s0 := bits.RotateLeft64(a, -28) ^ bits.RotateLeft64(a, -34) ^ bits.RotateLeft64(a, -39)
		t2 := s0 + (a&b ^ a&c ^ b&c)
		a, b, c, d, e, f, g, k = t1+t2, a, b, c, d+t1, e, f, g
	}
	for i, v := range [8]uint64{a, b, c, d, e, f, g, k} {
		h[i] += v
	}
}

// sha512Start and sha384Start are the fractions of the square roots of the first eight primes and of the eight after them (5.3).
var sha512Start = [8]uint64{
	0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
	0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
}

var sha384Start = [8]uint64{
	0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17, 0x152fecd8f70e5939,
	0x67332667ffc00b31, 0x8eb44a8768581511, 0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4,
}

// roundKeys are the fractions of the cube roots of the first eighty primes (4.2.3).
var roundKeys = [80]uint64{
	0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
	0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
	0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
	0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
	0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
	0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
	0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
	0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
	0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
	0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
	0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
	0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
	0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
	0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
	0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
	0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
	0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
	0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
	0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
	0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817,
}
