package object

import "github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cipher"

// cbcOpen decrypts what AES sealed in blocks that are chained: an initial vector, then the data, filled up to a whole block by as many bytes
// as that takes. Of damaged data it gives the blocks that are whole.
func cbcOpen(key, src []byte) []byte {
	if len(src) < 2*cipher.BlockSize {
		return nil
	}
	body := src[cipher.BlockSize:]
	out := cbcDecrypt(key, src[:cipher.BlockSize], body[:len(body)-len(body)%cipher.BlockSize])
	if len(out) == 0 {
		return nil
	}
	if pad := int(out[len(out)-1]); len(body)%cipher.BlockSize == 0 && pad >= 1 && pad <= cipher.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}

// cbcDecrypt decrypts whole blocks; nil if key has no size of AES.
func cbcDecrypt(key, iv, src []byte) []byte {
	c, ok := cipher.NewAES(key)
	if !ok {
		return nil
	}
	return c.DecryptCBC(iv, src)
}
