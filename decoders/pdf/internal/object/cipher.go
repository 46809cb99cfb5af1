package object

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rc4"
)

// rc4Bytes encrypts or decrypts with RC4.
func rc4Bytes(key, src []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return src
	}
	out := make([]byte, len(src))
	c.XORKeyStream(out, src)
	return out
}

// cbcOpen decrypts what AES sealed in blocks that are chained: an initial vector, then the data, filled up to a whole block by as many bytes
// as that takes. Of damaged data it gives the blocks that are whole.
func cbcOpen(key, src []byte) []byte {
	if len(src) < 2*aes.BlockSize {
		return nil
	}
	body := src[aes.BlockSize:]
	out := cbcDecrypt(key, src[:aes.BlockSize], body[:len(body)-len(body)%aes.BlockSize])
	if len(out) == 0 {
		return nil
	}
	if pad := int(out[len(out)-1]); len(body)%aes.BlockSize == 0 && pad >= 1 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}

// cbcDecrypt decrypts whole blocks.
func cbcDecrypt(key, iv, src []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	out := make([]byte, len(src))
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, src)
	return out
}

// cbcEncrypt encrypts whole blocks in place.
func cbcEncrypt(key, iv, b []byte) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return
	}
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(b, b)
}
