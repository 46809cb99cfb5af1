package pdf

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Faults: each takes a sound file and breaks one rule in the way that real writers and networks do.

func replace(data []byte, old, with string) []byte {
	if !bytes.Contains(data, []byte(old)) {
		panic("the generator made no " + old)
	}
	return bytes.Replace(data, []byte(old), []byte(with), 1)
}

// replaceLast replaces the last match only.
func replaceLast(data []byte, old, with string) []byte {
	i := bytes.LastIndex(data, []byte(old))
	if i < 0 {
		panic("the generator made no " + old)
	}
	return append(append(bytes.Clone(data[:i]), with...), data[i+len(old):]...)
}

var startxref = regexp.MustCompile(`startxref\n(\d+)`)

// xrefAt is where the last startxref points.
func xrefAt(data []byte) int {
	m := startxref.FindAllSubmatch(data, -1)
	n, err := strconv.Atoi(string(m[len(m)-1][1]))
	if err != nil {
		panic(err)
	}
	return n
}

// update appends an incremental update that replaces object num; prev is where its table says that the former one is.
func incremental(data []byte, num int, body string, prev int, root int) []byte {
	b := bytes.NewBuffer(bytes.Clone(data))
	off := b.Len()
	fmt.Fprintf(b, "%d 0 obj\n%s\nendobj\n", num, body)
	start := b.Len()
	fmt.Fprintf(b, "xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size 100/Root %d 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", num, off, root, prev, start)
	return b.Bytes()
}

// shifted moves every offset of a cross-reference table by n.
func shifted(data []byte, n int) []byte {
	at := xrefAt(data)
	entry := regexp.MustCompile(`\d{10} 00000 n`)
	tail := entry.ReplaceAllFunc(data[at:], func(m []byte) []byte {
		off, _ := strconv.Atoi(string(m[:10]))
		return fmt.Appendf(nil, "%010d 00000 n", off+n)
	})
	return append(bytes.Clone(data[:at]), tail...)
}

// lzwLiterals codes data without any repetition: 9-bit codes, with a clear code often enough that they stay so.
func lzwLiterals(data string) []byte {
	var out []byte
	var acc, bits uint
	put := func(code uint) {
		acc, bits = acc<<9|code, bits+9
		for bits >= 8 {
			bits -= 8
			out = append(out, byte(acc>>bits))
		}
	}
	for i := range len(data) {
		if i%200 == 0 {
			put(256)
		}
		put(uint(data[i]))
	}
	put(257)
	return append(out, byte(acc<<(8-bits)))
}

func ascii85Encode(data string) string {
	var b strings.Builder
	for len(data) > 0 {
		n := min(4, len(data))
		var v uint32
		for i := range 4 {
			v <<= 8
			if i < n {
				v |= uint32(data[i])
			}
		}
		var digits [5]byte
		for i := 4; i >= 0; i-- {
			digits[i] = byte(v%85) + '!'
			v /= 85
		}
		b.Write(digits[:n+1])
		data = data[n:]
	}
	return b.String() + "~>"
}

// encrypted returns a one-page file under the standard security handler: revision 2 (RC4, 40 bits), 3 (RC4, 128 bits), 4 (AES, 128 bits),
// 5 or 6 (AES, 256 bits).
func encrypted(revision int, password, text string) []byte {
	w := &pdfWriter{}
	f := w.add(helvetica)
	content := w.add("")
	title := w.add("")
	page := w.add("<</Type/Page/Parent 5 0 R/Contents %d 0 R/Resources<</Font<</F1 %d 0 R>>>>>>", content, f)
	w.add("<</Type/Pages/Count 1/Kids[%d 0 R]>>", page)
	w.root = w.add("<</Type/Catalog/Pages 5 0 R>>")
	w.info = title
	c, dict := security(revision, password)
	data := seal(c, []byte(lines(text)), content)
	w.objects[content-1] = fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(data), data)
	w.objects[title-1] = fmt.Sprintf("<</Title<%x>>>", seal(c, []byte("Sealed"), title))
	w.extra = fmt.Sprintf("/Encrypt<</Filter/Standard%s>>/ID[<%x><%x>]", dict, fileID, fileID)
	return w.table()
}

const fileID = "0123456789abcdef"

// security makes a file key and the entries of the encryption dictionary that go with it.
func security(revision int, password string) (*crypt, string) {
	if revision >= 5 {
		return security256(revision, password)
	}
	owner, perms := strings.Repeat("o", 32), int32(-4)
	h := md5.New()
	h.Write(append([]byte(password), passwordPad[:]...)[:32])
	h.Write([]byte(owner))
	h.Write([]byte{byte(perms), byte(perms >> 8), byte(perms >> 16), byte(perms >> 24)})
	h.Write([]byte(fileID))
	c := &crypt{key: h.Sum(nil)[:5], stmAES: revision == 4, strAES: revision == 4}
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
func security256(revision int, password string) (*crypt, string) {
	c := &crypt{key: []byte("a file key of thirty-two bytes.."), whole: true, stmAES: true, strAES: true}
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

func seal(c *crypt, data []byte, num int) []byte {
	key := c.objectKey(num, 0, c.stmAES)
	if !c.stmAES {
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
