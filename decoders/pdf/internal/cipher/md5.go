package cipher

import (
	"encoding/binary"
	"math/bits"
)

// MD5 is the MD5 of b (RFC 1321).
func MD5(b []byte) []byte {
	h := [4]uint32{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}
	all := blocks(b, 64)
	// It is padded as SHA-256 is, but the size has its lowest byte first.
	last := all[len(all)-1]
	binary.LittleEndian.PutUint64(last[56:], uint64(len(b))*8)
	for _, block := range all {
		md5Block(&h, block)
	}
	var out []byte
	for _, v := range h {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return out
}

// md5Block is the rounds of one block (3.4).
func md5Block(h *[4]uint32, p []byte) {
	shifts := [4][4]int{{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}}
	a, b, c, d := h[0], h[1], h[2], h[3]
	for i, key := range md5Keys {
		var f uint32
		k := i
		switch i / 16 {
		case 0:
			f = b&c | ^b&d
		case 1:
			f, k = b&d|c&^d, 5*i+1
		case 2:
			f, k = b^c^d, 3*i+5
		default:
			f, k = c^(b|^d), 7*i
		}
		f += a + key + binary.LittleEndian.Uint32(p[k%16*4:])
		a, b, c, d = d, b+bits.RotateLeft32(f, shifts[i/16][i%4]), b, c
	}
	h[0], h[1], h[2], h[3] = h[0]+a, h[1]+b, h[2]+c, h[3]+d
}

// md5Keys are the fractions of sines.
var md5Keys = [64]uint32{
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
	0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
	0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
	0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
	0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
	0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
	0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
}
