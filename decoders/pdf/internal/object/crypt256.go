package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/sha512"
)

// open256 finds the file key of the empty user password under AES-256 (ISO 32000-2, algorithm 2.A): revision 6, and revision 5, which
// Acrobat 9 wrote. U is a hash of 32 bytes, a salt to check the password and a salt for the key, of 8 bytes each.
func (c *crypt) open256(dict *object, r int) bool {
	u, ue := dict.key("U").s, dict.key("UE").s
	if len(u) < 48 || len(ue) < 32 {
		return false
	}
	hash := func(salt []byte) []byte {
		if r == 5 {
			sum := sha256.Sum256(salt)
			return sum[:]
		}
		return hash6(salt)
	}
	if !bytes.Equal(hash(u[32:40]), u[:32]) {
		return false
	}
	block, err := aes.NewCipher(hash(u[40:48]))
	if err != nil {
		return false
	}
	c.key = make([]byte, 32)
	cipher.NewCBCDecrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(c.key, ue[:32])
	return true
}

// hash6 is the hash of revision 6 for the empty password (algorithm 2.B).
func hash6(salt []byte) []byte {
	sum := sha256.Sum256(salt)
	k := sum[:]
	for round := 0; ; round++ {
		e := bytes.Repeat(k, 64) // the password, which is empty, and k
		block, err := aes.NewCipher(k[:16])
		if err != nil {
			return nil
		}
		cipher.NewCBCEncrypter(block, k[16:32]).CryptBlocks(e, e)
		mod := 0
		for _, b := range e[:16] { // 256 is 1 modulo 3, so the number is the sum of its bytes
			mod += int(b)
		}
		switch mod % 3 {
		case 0:
			sum := sha256.Sum256(e)
			k = sum[:]
		case 1:
			sum := sha512.Sum384(e)
			k = sum[:]
		default:
			sum := sha512.Sum512(e)
			k = sum[:]
		}
		if round >= 63 && int(e[len(e)-1]) <= round-31 {
			return k[:32]
		}
	}
}
