package cipher

import (
	"encoding/binary"
	"math/bits"
)

// BlockSize is that of AES in bytes.
const BlockSize = 16

// AES is a key of AES (FIPS 197) of 128, 192 or 256 bits, expanded.
type AES struct {
	encrypt []uint32 // the round keys
	decrypt []uint32 // those of the inverse cipher, in its order
}

// NewAES expands a key; ok is false when it has another size.
func NewAES(key []byte) (c AES, ok bool) {
	if len(key) != 16 && len(key) != 24 && len(key) != 32 {
		return c, false
	}
	n := len(key) / 4
	w := make([]uint32, 4*(n+7))
	round := uint32(1)
	for i := range w {
		if i < n {
			w[i] = binary.BigEndian.Uint32(key[4*i:])
			continue
		}
		t := w[i-1]
		switch {
		case i%n == 0:
			t = substitute(bits.RotateLeft32(t, 8)) ^ round<<24
			round = uint32(double(byte(round)))
		case n > 6 && i%n == 4:
			t = substitute(t)
		}
		w[i] = w[i-n] ^ t
	}
	c.encrypt = w
	c.decrypt = make([]uint32, len(w))
	for i := 0; i < len(w); i += 4 {
		for k := range 4 {
			v := w[len(w)-4-i+k]
			if i > 0 && i < len(w)-4 { // InvMixColumns, by the table that has it behind InvSubBytes
				v = lookup(&aes.inverse, aes.box[v>>24], aes.box[v>>16&255], aes.box[v>>8&255], aes.box[v&255])
			}
			c.decrypt[i+k] = v
		}
	}
	return c, true
}

// DecryptCBC decrypts the whole blocks of src; iv has BlockSize bytes (NIST SP 800-38A, 6.2).
func (c *AES) DecryptCBC(iv, src []byte) []byte {
	out := make([]byte, len(src)-len(src)%BlockSize)
	for i := 0; i < len(out); i += BlockSize {
		block := out[i:][:BlockSize]
		c.decryptBlock(block, src[i:][:BlockSize])
		for k := range block {
			block[k] ^= iv[k]
		}
		iv = src[i:][:BlockSize]
	}
	return out
}

// EncryptCBC encrypts the whole blocks of src.
func (c *AES) EncryptCBC(iv, src []byte) []byte {
	out := make([]byte, len(src)-len(src)%BlockSize)
	for i := 0; i < len(out); i += BlockSize {
		block := out[i:][:BlockSize]
		for k := range block {
			block[k] = src[i+k] ^ iv[k]
		}
		c.encryptBlock(block, block)
		iv = block
	}
	return out
}

func (c *AES) encryptBlock(dst, src []byte) {
	s, k := state(src, c.encrypt)
	for ; len(k) > 4; k = k[4:] {
		s = [4]uint32{
			lookup(&aes.forward, byte(s[0]>>24), byte(s[1]>>16), byte(s[2]>>8), byte(s[3])) ^ k[0],
			lookup(&aes.forward, byte(s[1]>>24), byte(s[2]>>16), byte(s[3]>>8), byte(s[0])) ^ k[1],
			lookup(&aes.forward, byte(s[2]>>24), byte(s[3]>>16), byte(s[0]>>8), byte(s[1])) ^ k[2],
			lookup(&aes.forward, byte(s[3]>>24), byte(s[0]>>16), byte(s[1]>>8), byte(s[2])) ^ k[3],
		}
	}
	for i := range 4 {
		v := word(&aes.box, s[i]>>24, s[(i+1)&3]>>16, s[(i+2)&3]>>8, s[(i+3)&3])
		binary.BigEndian.PutUint32(dst[4*i:], v^k[i])
	}
}

// decryptBlock is the equivalent inverse cipher (5.3.5).
func (c *AES) decryptBlock(dst, src []byte) {
	s, k := state(src, c.decrypt)
	for ; len(k) > 4; k = k[4:] {
		s = [4]uint32{
			lookup(&aes.inverse, byte(s[0]>>24), byte(s[3]>>16), byte(s[2]>>8), byte(s[1])) ^ k[0],
			lookup(&aes.inverse, byte(s[1]>>24), byte(s[0]>>16), byte(s[3]>>8), byte(s[2])) ^ k[1],
			lookup(&aes.inverse, byte(s[2]>>24), byte(s[1]>>16), byte(s[0]>>8), byte(s[3])) ^ k[2],
			lookup(&aes.inverse, byte(s[3]>>24), byte(s[2]>>16), byte(s[1]>>8), byte(s[0])) ^ k[3],
		}
	}
	for i := range 4 {
		v := word(&aes.unbox, s[i]>>24, s[(i+3)&3]>>16, s[(i+2)&3]>>8, s[(i+1)&3])
		binary.BigEndian.PutUint32(dst[4*i:], v^k[i])
	}
}

// state is a block under the first round key, and the keys after that.
func state(src []byte, k []uint32) (s [4]uint32, rest []uint32) {
	for i := range s {
		s[i] = binary.BigEndian.Uint32(src[4*i:]) ^ k[i]
	}
	return s, k[4:]
}

// lookup is a column of a state after SubBytes and MixColumns, or after their inverses.
func lookup(t *[256]uint32, a, b, c, d byte) uint32 {
	return t[a] ^ bits.RotateLeft32(t[b], -8) ^ bits.RotateLeft32(t[c], -16) ^ bits.RotateLeft32(t[d], -24)
}

// word substitutes the lowest bytes of four numbers.
func word(box *[256]byte, a, b, c, d uint32) uint32 {
	return uint32(box[a&255])<<24 | uint32(box[b&255])<<16 | uint32(box[c&255])<<8 | uint32(box[d&255])
}

func substitute(v uint32) uint32 { return word(&aes.box, v>>24, v>>16, v>>8, v) }

// double multiplies by x in the field of AES (4.2.1).
func double(b byte) byte { return b<<1 ^ b>>7*0x1b }

// aesTables are the S-box and its inverse (5.1.1), and both with the columns that MixColumns makes of each byte.
type aesTables struct {
	box, unbox       [256]byte
	forward, inverse [256]uint32
}

var aes = makeTables()

// makeTables goes through the field by a generator, 3, and by its inverse: p and q are inverses of each other all along.
func makeTables() *aesTables {
	t := &aesTables{}
	p, q := byte(1), byte(1)
	for first := true; first || p != 1; first = false {
		p ^= double(p)
		q ^= q << 1
		q ^= q << 2
		q ^= q << 4
		q ^= q >> 7 * 0x09
		t.box[p] = q ^ bits.RotateLeft8(q, 1) ^ bits.RotateLeft8(q, 2) ^ bits.RotateLeft8(q, 3) ^ bits.RotateLeft8(q, 4) ^ 0x63
	}
	t.box[0] = 0x63
	for i := range 256 {
		s := t.box[i]
		t.unbox[s] = byte(i)
		t.forward[i] = uint32(double(s))<<24 | uint32(s)<<16 | uint32(s)<<8 | uint32(double(s)^s)
		b := byte(i)
		b2 := double(b)
		b4 := double(b2)
		b8 := double(b4)
		t.inverse[s] = uint32(b8^b4^b2)<<24 | uint32(b8^b)<<16 | uint32(b8^b4^b)<<8 | uint32(b8^b2^b)
	}
	return t
}
