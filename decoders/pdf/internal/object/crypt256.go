package object

import (
	"bytes"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cipher"
)

// open256 finds the file key under AES-256 (ISO 32000-2, algorithm 2.A): revision 6, and revision 5, which Acrobat 9 wrote. U and O are a
// hash of 32 bytes, a salt to check the password and a salt for the key, of 8 bytes each; the owner's hashes include U.
func (c *crypt) open256(dict *object, r int, password []byte) bool {
	u := dict.key("U").s
	if len(u) < 48 {
		return false
	}
	u = u[:48]
	for _, who := range []struct {
		check, key string
		user       []byte
	}{{"U", "UE", nil}, {"O", "OE", u}} {
		h, sealed := dict.key(who.check).s, dict.key(who.key).s
		if len(h) < 48 || len(sealed) < 32 {
			continue
		}
		if bytes.Equal(hash256(r, password, h[32:40], who.user), h[:32]) {
			c.key = cbcDecrypt(hash256(r, password, h[40:48], who.user), make([]byte, 16), sealed[:32])
			return true
		}
	}
	return false
}

// hash256 is the hash of a password: SHA-256 in revision 5, algorithm 2.B in revision 6.
func hash256(r int, password, salt, user []byte) []byte {
	b := append(append(bytes.Clone(password), salt...), user...)
	k := cipher.SHA256(b)
	if r == 5 {
		return k
	}
	for round := 0; ; round++ {
		aes, _ := cipher.NewAES(k[:16])
		e := aes.EncryptCBC(k[16:32], bytes.Repeat(append(append(bytes.Clone(password), k...), user...), 64))
		mod := 0
		for _, b := range e[:16] { // 256 is 1 modulo 3, so the number is the sum of its bytes
			mod += int(b)
		}
		switch mod % 3 {
		case 0:
			k = cipher.SHA256(e)
		case 1:
			k = cipher.SHA384(e)
		default:
			k = cipher.SHA512(e)
		}
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}
