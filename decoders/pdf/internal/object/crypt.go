package object

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"

	"github.com/glovebox-wasm/glovebox/plugins/pdk"
)

// crypt decrypts strings and streams by the standard security handler (ISO 32000-2, 7.6): RC4 of 40 to 128 bits, AES of 128 and 256,
// with the empty user password.
type crypt struct {
	key              []byte
	whole            bool // the file's key is every object's (AES-256)
	strAES, stmAES   bool
	strNone, stmNone bool // the Identity crypt filter
	plainMeta        bool // metadata streams are not encrypted
}

// decrypt sets f up for an encrypted file. The error is encrypted when the empty password does not open it.
func (f *File) decrypt() error {
	dict := f.direct(f.trailer.key("Encrypt"))
	if f.crypt != nil || dict.kind == objNull {
		return nil
	}
	for i := 1; i < len(dict.kids); i += 2 {
		dict.kids[i] = f.direct(&dict.kids[i])
	}
	if dict.kind != objDict || !dict.key("Filter").isName("Standard") {
		return pdk.Encrypted("by a security handler that is not the standard one")
	}
	v, r := small(dict.key("V")), small(dict.key("R"))
	c := &crypt{plainMeta: dict.key("EncryptMetadata").kind == objBool && dict.key("EncryptMetadata").num == 0}
	bits := small(dict.key("Length"))
	switch {
	case v == 1 || v == 2 && bits == 0:
		bits = 40
	case v == 4:
		bits = 128
	}
	if v >= 4 {
		var ok, ok2 bool
		c.stmAES, c.stmNone, ok = f.cryptFilter(&dict, "StmF")
		c.strAES, c.strNone, ok2 = f.cryptFilter(&dict, "StrF")
		if !ok || !ok2 {
			return pdk.Unsupported("a crypt filter method")
		}
	}
	var opened bool
	switch {
	case v == 5 && (r == 5 || r == 6):
		c.whole = true
		opened = c.open256(&dict, r)
	case (v == 1 || v == 2 || v == 4) && r >= 2 && r <= 4 && bits >= 40 && bits <= 128 && bits%8 == 0:
		id := f.direct(f.trailer.key("ID"))
		var first object
		if len(id.kids) > 0 {
			first = f.direct(&id.kids[0])
		}
		opened = c.open(&dict, first.s, r, bits/8)
	default:
		return pdk.Unsupported("an encryption version, revision or key length")
	}
	if !opened {
		return pdk.Encrypted("the empty password does not open it")
	}
	f.crypt = c
	f.loads = nil
	clear(f.packs)
	return nil
}

// small returns a small integer, 0 for anything else.
func small(o *object) int {
	n, ok := o.integer()
	if !ok || n < -1<<31 || n > 1<<32 {
		return 0
	}
	return int(n)
}

// cryptFilter reads the crypt filter that key (StmF, StrF) names.
func (f *File) cryptFilter(dict *object, key string) (aes, none, ok bool) {
	name := dict.key(key)
	if name.kind != objName || string(name.s) == "Identity" {
		return false, true, true
	}
	cf := f.direct(dict.key("CF"))
	filter := f.direct(cf.key(string(name.s)))
	method := f.direct(filter.key("CFM"))
	switch string(method.s) {
	case "V2":
		return false, false, true
	case "AESV2", "AESV3":
		return true, false, true
	case "None":
		return false, true, true
	}
	return false, false, false
}

// passwordPad fills a password up to 32 bytes (algorithm 2, step a).
var passwordPad = [32]byte{
	0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
	0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
}

// open derives the key of the empty password (algorithm 2) and checks it against U (algorithms 4 to 6).
func (c *crypt) open(dict *object, id []byte, r, keyLen int) bool {
	o, u := dict.key("O").s, dict.key("U").s
	if len(o) < 32 || len(u) < 16 || r == 2 && len(u) < 32 {
		return false
	}
	perms := uint32(small(dict.key("P")))
	h := md5.New()
	h.Write(passwordPad[:])
	h.Write(o[:32])
	h.Write([]byte{byte(perms), byte(perms >> 8), byte(perms >> 16), byte(perms >> 24)})
	h.Write(id)
	if r >= 4 && c.plainMeta {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	key := h.Sum(nil)
	if r == 2 {
		keyLen = 5
	} else {
		for range 50 {
			sum := md5.Sum(key[:keyLen])
			copy(key, sum[:])
		}
	}
	c.key = key[:keyLen]
	if r == 2 {
		check := rc4Bytes(c.key, passwordPad[:])
		return bytes.Equal(check, u[:32])
	}
	sum := md5.Sum(append(bytes.Clone(passwordPad[:]), id...))
	check := sum[:]
	for i := range 20 {
		round := bytes.Clone(c.key)
		for j := range round {
			round[j] ^= byte(i)
		}
		check = rc4Bytes(round, check)
	}
	return bytes.Equal(check, u[:16])
}

func rc4Bytes(key, src []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		return src
	}
	out := make([]byte, len(src))
	c.XORKeyStream(out, src)
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
	sum := md5.Sum(b)
	return sum[:min(16, len(c.key)+5)]
}

func (c *crypt) bytes(src []byte, num, gen int, useAES bool) []byte {
	key := c.objectKey(num, gen, useAES)
	if !useAES {
		return rc4Bytes(key, src)
	}
	if len(src) < 2*aes.BlockSize {
		return nil
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil
	}
	iv, body := src[:aes.BlockSize], src[aes.BlockSize:]
	out := make([]byte, len(body)-len(body)%aes.BlockSize)
	cipher.NewCBCDecrypter(block, iv).CryptBlocks(out, body[:len(out)])
	if pad := int(out[len(out)-1]); pad >= 1 && pad <= aes.BlockSize {
		out = out[:len(out)-pad]
	}
	return out
}

// strings decrypts the strings inside an object.
func (c *crypt) strings(o *object, num, gen int) {
	if c.strNone {
		return
	}
	if o.kind == objString {
		o.s = c.bytes(o.s, num, gen, c.strAES)
	}
	for i := range o.kids {
		c.strings(&o.kids[i], num, gen)
	}
}

// stream decrypts the data of a stream.
func (c *crypt) stream(f *File, raw []byte, hdr *object, num, gen int) []byte {
	if c.stmNone || c.plainMeta && hdr.key("Type").isName("Metadata") {
		return raw
	}
	filter := f.direct(hdr.key("Filter"))
	if filter.isName("Crypt") || len(filter.kids) > 0 && filter.kids[0].isName("Crypt") {
		return raw // its own crypt filter, which is Identity unless it says otherwise
	}
	return c.bytes(raw, num, gen, c.stmAES)
}
