package pdftest

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"strings"
)

// sealer encrypts.
type sealer struct {
	key   []byte
	aes   bool
	whole bool // the file's key is every object's (AES-256)
}

// objectKey is the key for one object (ISO 32000-1, algorithm 1).
func (c *sealer) objectKey(num int) []byte {
	if c.whole {
		return c.key
	}
	b := append(bytes.Clone(c.key), byte(num), byte(num>>8), byte(num>>16), 0, 0)
	if c.aes {
		b = append(b, "sAlT"...)
	}
	sum := md5.Sum(b)
	return sum[:min(16, len(c.key)+5)]
}

// passwordPad fills a password up to 32 bytes (algorithm 2, step a).
var passwordPad = [32]byte{
	0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
	0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
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

// Encrypted returns a one-page file under the standard security handler: revision 2 (RC4, 40 bits), 3 (RC4, 128 bits), 4 (AES, 128 bits),
// 5 or 6 (AES, 256 bits).
func Encrypted(revision int, password, text string) []byte {
	w := &Writer{}
	f := w.Add(Helvetica)
	content := w.Add("")
	title := w.Add("")
	page := w.Add("<</Type/Page/Parent 5 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", content, f)
	w.Add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.Root = w.Add("<</Type/Catalog/Pages 5 0 R>>")
	w.Info = title
	c, dict := security(revision, password)
	data := seal(c, []byte(Lines(text)), content)
	w.Objects[content-1] = fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(data), data)
	w.Objects[title-1] = fmt.Sprintf("<</Title<%x>>>", seal(c, []byte("Sealed"), title))
	w.Extra = fmt.Sprintf("/Encrypt<</Filter/Standard%s>>/ID[<%x><%x>]", dict, fileID, fileID)
	return w.Table()
}

const fileID = "0123456789abcdef"

// security makes a file key and the entries of the encryption dictionary that go with it.
func security(revision int, password string) (*sealer, string) {
	if revision >= 5 {
		return security256(revision, password)
	}
	owner, perms := strings.Repeat("o", 32), int32(-4)
	h := md5.New()
	h.Write(append([]byte(password), passwordPad[:]...)[:32])
	h.Write([]byte(owner))
	h.Write([]byte{byte(perms), byte(perms >> 8), byte(perms >> 16), byte(perms >> 24)})
	h.Write([]byte(fileID))
	c := &sealer{key: h.Sum(nil)[:5], aes: revision == 4}
	user := rc4Bytes(c.key, passwordPad[:])
	dict := "/V 1/R 2"
	if revision > 2 {
		key := h.Sum(nil)
		for range 50 {
			sum := md5.Sum(key)
			key = sum[:]
		}
		c.key = key
		sum := md5.Sum(append(bytes.Clone(passwordPad[:]), fileID...))
		user = sum[:]
		for i := range 20 {
			round := bytes.Clone(key)
			for j := range round {
				round[j] ^= byte(i)
			}
			user = rc4Bytes(round, user)
		}
		user = append(user, make([]byte, 16)...)
		dict = "/V 2/R 3/Length 128"
	}
	if revision == 4 {
		dict = "/V 4/R 4/CF<</StdCF<</CFM/AESV2/Length 16/AuthEvent/DocOpen>>>>/StmF/StdCF/StrF/StdCF"
	}
	return c, dict + fmt.Sprintf("/P %d/O<%x>/U<%x>", perms, owner, user)
}

// security256 is security for AES-256. A password other than the empty one only has to have another hash.
func security256(revision int, password string) (*sealer, string) {
	c := &sealer{key: []byte("a file key of thirty-two bytes.."), whole: true, aes: true}
	hash := hash6
	if revision == 5 {
		hash = func(salt []byte) []byte { sum := sha256.Sum256(salt); return sum[:] }
	}
	check, salt := []byte("checking"), []byte("the key:")
	user := append(append(hash(append([]byte(password), check...)), check...), salt...)
	block, err := aes.NewCipher(hash(salt))
	if err != nil {
		panic(err)
	}
	sealed := make([]byte, 32)
	cipher.NewCBCEncrypter(block, make([]byte, aes.BlockSize)).CryptBlocks(sealed, c.key)
	return c, fmt.Sprintf("/V 5/R %d/Length 256/P -4/CF<</StdCF<</CFM/AESV3/Length 32/AuthEvent/DocOpen>>>>/StmF/StdCF/StrF/StdCF/O<%x>/OE<%x>/U<%x>/UE<%x>/Perms<00>",
		revision, user, sealed, user, sealed)
}

func seal(c *sealer, data []byte, num int) []byte {
	key := c.objectKey(num)
	if !c.aes {
		return rc4Bytes(key, data)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	n := aes.BlockSize - len(data)%aes.BlockSize
	data = append(data, bytes.Repeat([]byte{byte(n)}, n)...)
	iv := []byte("an initial value")
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, data)
	return append(iv, out...)
}
