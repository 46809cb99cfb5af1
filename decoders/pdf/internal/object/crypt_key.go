package object

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cipher"
)

// open finds the file's key: with the empty password, then with the one that was given, each as the user's and as the owner's.
func (c *crypt) open(f *File, dict *object) bool {
	r := small(dict.key("R"))
	if r >= 5 {
		c.whole = true
		for _, password := range [][]byte{nil, []byte(f.password)} {
			if c.open256(dict, r, password[:min(len(password), 127)]) {
				return true
			}
		}
		return false
	}
	l := c.lock(f, dict, r)
	for _, password := range passwords(f.password) {
		for _, bytes := range l.lengths {
			if c.key = l.user(password, bytes); c.key != nil {
				return true
			}
			if c.key = l.user(l.owner(password, bytes), bytes); c.key != nil {
				return true
			}
		}
	}
	return false
}

// passwords are the byte strings that a password can have been given as, the empty one first: PDFDocEncoding is the rule for revisions up to
// 4, and writers took what their system has.
func passwords(given string) [][]byte {
	if given == "" {
		return [][]byte{nil}
	}
	return [][]byte{nil, toDocEncoding(given), []byte(given)}
}

// lock is what a password is checked against in revisions 2 to 4.
type lock struct {
	o, u, id []byte
	perms    uint32
	r        int
	plain    bool  // metadata are not encrypted
	lengths  []int // of keys in bytes, the most likely first: what files say of it is often wrong, and the right one shows
}

func (c *crypt) lock(f *File, dict *object, r int) *lock {
	l := &lock{o: dict.key("O").s, u: dict.key("U").s, perms: uint32(small(dict.key("P"))), r: r, plain: c.plainMeta && r >= 4}
	if id := f.direct(f.trailer.key("ID")); len(id.kids) > 0 {
		l.id = f.direct(&id.kids[0]).s
	}
	said := small(dict.key("Length"))
	if said >= 40 { // in bits, as it should be
		said /= 8
	}
	for _, n := range []int{said, 16, 5} {
		if n >= 5 && n <= 16 {
			l.lengths = append(l.lengths, n)
		}
	}
	return l
}

// passwordPad fills a password up to 32 bytes (algorithm 2, step a).
var passwordPad = [32]byte{
	0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
	0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
}

// padded is a password of 32 bytes.
func padded(password []byte) []byte {
	return append(bytes.Clone(password[:min(32, len(password))]), passwordPad[:]...)[:32]
}

// user derives the key of a user password (algorithm 2) and checks it against U (algorithms 4 to 6); nil if it is not the one.
func (l *lock) user(password []byte, length int) []byte {
	pad := padded(password)
	if len(l.o) < 32 || len(l.u) < 16 {
		return nil
	}
	b := append(pad, l.o[:32]...)
	b = append(b, byte(l.perms), byte(l.perms>>8), byte(l.perms>>16), byte(l.perms>>24))
	b = append(b, l.id...)
	if l.plain {
		b = append(b, 0xff, 0xff, 0xff, 0xff)
	}
	key := cipher.MD5(b)
	if l.r < 3 {
		if key = key[:length]; !bytes.Equal(cipher.RC4(key, passwordPad[:len(l.u[:min(32, len(l.u))])]), l.u[:min(32, len(l.u))]) {
			return nil
		}
		return key
	}
	key = hashed(key, length)
	check := cipher.MD5(append(bytes.Clone(passwordPad[:]), l.id...))
	for i := range 20 {
		check = cipher.RC4(salted(key, byte(i)), check)
	}
	if !bytes.Equal(check, l.u[:16]) {
		return nil
	}
	return key
}

// owner returns the user password that an owner password leads to (algorithm 7).
func (l *lock) owner(password []byte, length int) []byte {
	sum := cipher.MD5(padded(password))
	user := l.o[:min(32, len(l.o))]
	if l.r < 3 {
		return cipher.RC4(sum[:length], user)
	}
	key := hashed(sum, length)
	for i := 19; i >= 0; i-- {
		user = cipher.RC4(salted(key, byte(i)), user)
	}
	return user
}

// hashed is what fifty more rounds of MD5 make of the first bytes of a key.
func hashed(key []byte, length int) []byte {
	for range 50 {
		key = cipher.MD5(key[:length])
	}
	return key[:length]
}

// salted is a key each of whose bytes is changed by salt.
func salted(key []byte, salt byte) []byte {
	out := bytes.Clone(key)
	for i := range out {
		out[i] ^= salt
	}
	return out
}

// objectKey is the key for one object (algorithm 1).
func (c *crypt) objectKey(num, gen int, aes bool) []byte {
	if c.whole {
		return c.key
	}
	b := append(bytes.Clone(c.key), byte(num), byte(num>>8), byte(num>>16), byte(gen), byte(gen>>8))
	if aes {
		b = append(b, "sAlT"...)
	}
	sum := cipher.MD5(b)
	return sum[:min(16, len(c.key)+5)]
}
