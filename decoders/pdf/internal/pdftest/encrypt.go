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
	"regexp"
	"strings"
)

// Security says how a file is encrypted by the standard security handler (ISO 32000-2, 7.6).
type Security struct {
	Revision    int    // 2 (RC4, 40 bits), 3 (RC4, 128 bits), 4 (AES, 128 bits), 5 or 6 (AES, 256 bits)
	User, Owner string // passwords
	Method      string // of streams in revision 4: "" is AESV2; V2, Identity
	Strings     string // of strings in revision 4: "" is Method
	Files       string // of embedded files in revision 4: "" is Method
	PlainMeta   bool   // metadata streams are left as they are
	NoID        bool   // the trailer has no ID
	Length      int    // what the dictionary says of the key's length; 0: what is right
	Bits        int    // of the key in revision 3; 0: 128
}

// sealer encrypts.
type sealer struct {
	key       []byte
	stm, str  string // V2, AESV2, AESV3, Identity
	eff       string // of embedded files; "" is stm
	plainMeta bool
	dict      string // of the encryption dictionary
	num       int    // its object
}

// objectKey is the key for one object (ISO 32000-1, algorithm 1).
func (c *sealer) objectKey(num int, method string) []byte {
	if method == "AESV3" {
		return c.key
	}
	b := append(bytes.Clone(c.key), byte(num), byte(num>>8), byte(num>>16), 0, 0)
	if method == "AESV2" {
		b = append(b, "sAlT"...)
	}
	sum := md5.Sum(b)
	return sum[:min(16, len(c.key)+5)]
}

// bytes encrypts what belongs to the object num.
func (c *sealer) bytes(data []byte, num int, method string) []byte {
	switch method {
	case "Identity":
		return data
	case "V2":
		return rc4Bytes(c.objectKey(num, method), data)
	}
	n := aes.BlockSize - len(data)%aes.BlockSize
	data = append(bytes.Clone(data), bytes.Repeat([]byte{byte(n)}, n)...)
	iv := []byte("an initial value")
	return append(iv, cbc(c.objectKey(num, method), iv, data)...)
}

// cbc encrypts whole blocks.
func cbc(key, iv, data []byte) []byte {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(data))
	cipher.NewCBCEncrypter(block, iv).CryptBlocks(out, data)
	return out
}

var literals = regexp.MustCompile(`\((?:[^()\\]|\\.)*\)`)

// body encrypts the strings of an object and the data of a stream. Strings are literals without parentheses inside.
func (c *sealer) body(body string, num int) string {
	if c == nil || num == c.num {
		return body
	}
	dict, data, stream := strings.Cut(body, "stream\n")
	dict = literals.ReplaceAllStringFunc(dict, func(s string) string {
		return fmt.Sprintf("<%x>", c.bytes([]byte(s[1:len(s)-1]), num, c.str))
	})
	if !stream {
		return dict
	}
	data = strings.TrimSuffix(data, "\nendstream")
	if c.plainMeta && strings.Contains(dict, "/Type/Metadata") {
		return body
	}
	if !strings.Contains(dict, "/Filter[/Crypt") && !strings.Contains(dict, "/Filter/Crypt") {
		was := fmt.Sprintf("/Length %d", len(data))
		method := c.stm
		if c.eff != "" && strings.Contains(dict, "/Type/EmbeddedFile") {
			method = c.eff
		}
		data = string(c.bytes([]byte(data), num, method))
		dict = strings.Replace(dict, was, fmt.Sprintf("/Length %d", len(data)), 1)
	}
	return dict + "stream\n" + data + "\nendstream"
}

// passwordPad fills a password up to 32 bytes (algorithm 2, step a).
var passwordPad = [32]byte{
	0x28, 0xBF, 0x4E, 0x5E, 0x4E, 0x75, 0x8A, 0x41, 0x64, 0x00, 0x4E, 0x56, 0xFF, 0xFA, 0x01, 0x08,
	0x2E, 0x2E, 0x00, 0xB6, 0xD0, 0x68, 0x3E, 0x80, 0x2F, 0x0C, 0xA9, 0xFE, 0x64, 0x53, 0x69, 0x7A,
}

func padded(password string) []byte { return append([]byte(password), passwordPad[:]...)[:32] }

func rc4Bytes(key, src []byte) []byte {
	c, err := rc4.NewCipher(key)
	if err != nil {
		panic(err)
	}
	out := make([]byte, len(src))
	c.XORKeyStream(out, src)
	return out
}

// hash6 is the hash of revision 6 (algorithm 2.B); user is U for the owner's hashes.
func hash6(password, salt, user string) []byte {
	sum := sha256.Sum256([]byte(password + salt + user))
	k := sum[:]
	for round := 0; ; round++ {
		e := cbc(k[:16], k[16:32], []byte(strings.Repeat(password+string(k)+user, 64)))
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

// Encrypted returns a one-page file with a title under the standard security handler, with a user password.
func Encrypted(revision int, password, text string) []byte {
	return Sealed(text, Security{Revision: revision, User: password, Owner: "an owner"}).Table()
}

// Sealed is a document with one page, a title and metadata that is encrypted when it is written.
func Sealed(text string, s Security) *Writer {
	w := Plain(Lines(text))
	w.Info = w.Add("<</Title(Sealed)>>")
	w.Encrypt(s)
	return w
}

const fileID = "0123456789abcdef"

// Encrypt has the file encrypted when it is written. The objects that are there by then are all there will be.
func (w *Writer) Encrypt(s Security) {
	w.seal = s.sealer()
	w.seal.num = w.Add("<</Filter/Standard%s>>", w.seal.dict)
	w.Extra += fmt.Sprintf("/Encrypt %d 0 R", w.seal.num)
	if !s.NoID {
		w.Extra += fmt.Sprintf("/ID[<%x><%x>]", fileID, fileID)
	}
}

// sealer makes the file's key and the entries of the encryption dictionary that go with it.
func (s Security) sealer() *sealer {
	if s.Revision >= 5 {
		return s.sealer256()
	}
	id, perms, length := fileID, int32(-4), 16
	if s.NoID {
		id = ""
	}
	if s.Revision == 2 {
		length = 5
	} else if s.Bits > 0 {
		length = s.Bits / 8
	}
	c := &sealer{plainMeta: s.PlainMeta, stm: "V2", str: "V2"}
	owner := ownerEntry(s, length)
	h := md5.New()
	h.Write(padded(s.User))
	h.Write(owner)
	h.Write([]byte{byte(perms), byte(perms >> 8), byte(perms >> 16), byte(perms >> 24)})
	h.Write([]byte(id))
	if s.Revision == 4 && s.PlainMeta {
		h.Write([]byte{0xff, 0xff, 0xff, 0xff})
	}
	c.key = h.Sum(nil)[:length]
	user := rc4Bytes(c.key, passwordPad[:])
	if s.Revision > 2 {
		c.key = again(c.key)
		sum := md5.Sum(append(bytes.Clone(passwordPad[:]), id...))
		user = append(rounds(c.key, sum[:]), make([]byte, 16)...)
	}
	c.dict = s.entries(c, length) + fmt.Sprintf("/P %d/O<%x>/U<%x>", perms, owner, user)
	return c
}

// entries are those that tell version, revision, key length and crypt filters of revisions 2 to 4.
func (s Security) entries(c *sealer, length int) string {
	said := length * 8
	if s.Length != 0 {
		said = s.Length
	}
	switch s.Revision {
	case 2:
		return "/V 1/R 2"
	case 3:
		return fmt.Sprintf("/V 2/R 3/Length %d", said)
	}
	if c.stm = "AESV2"; s.Method != "" {
		c.stm = s.Method
	}
	if c.str = c.stm; s.Strings != "" {
		c.str = s.Strings
	}
	dict := fmt.Sprintf("/V 4/R 4/Length %d/CF<</V2<</CFM/V2/Length 16>>/AESV2<</CFM/AESV2/Length 16/AuthEvent/DocOpen>>>>/StmF/%s/StrF/%s", said, c.stm, c.str)
	if c.eff = s.Files; s.Files != "" {
		dict += "/EFF/" + s.Files
	}
	if s.PlainMeta {
		dict += "/EncryptMetadata false"
	}
	return dict
}

// again is what fifty more rounds of MD5 make of a key.
func again(key []byte) []byte {
	n := len(key)
	for range 50 {
		sum := md5.Sum(key)
		key = sum[:n]
	}
	return key
}

// rounds encrypts with RC4 twenty times, with another key each time.
func rounds(key, data []byte) []byte {
	for i := range 20 {
		round := bytes.Clone(key)
		for j := range round {
			round[j] ^= byte(i)
		}
		data = rc4Bytes(round, data)
	}
	return data
}

// ownerEntry is O (algorithm 3).
func ownerEntry(s Security, length int) []byte {
	sum := md5.Sum(padded(s.Owner))
	if s.Revision == 2 {
		return rc4Bytes(sum[:length], padded(s.User))
	}
	return rounds(again(sum[:length]), padded(s.User))
}

// sealer256 is sealer for AES-256 (algorithms 8 and 9).
func (s Security) sealer256() *sealer {
	c := &sealer{key: []byte("a file key of thirty-two bytes.."), stm: "AESV3", str: "AESV3", plainMeta: s.PlainMeta}
	entry := func(password, user string) (check, sealed []byte) {
		const salt, keySalt = "checking", "the key:"
		hash := func(salt string) []byte {
			if s.Revision == 5 {
				sum := sha256.Sum256([]byte(password + salt + user))
				return sum[:]
			}
			return hash6(password, salt, user)
		}
		return append(hash(salt), salt+keySalt...), cbc(hash(keySalt), make([]byte, aes.BlockSize), c.key)
	}
	u, ue := entry(s.User, "")
	o, oe := entry(s.Owner, string(u))
	c.dict = fmt.Sprintf("/V 5/R %d/Length 256/P -4/CF<</StdCF<</CFM/AESV3/Length 32/AuthEvent/DocOpen>>>>/StmF/StdCF/StrF/StdCF/O<%x>/OE<%x>/U<%x>/UE<%x>/Perms<00>", s.Revision, o, oe, u, ue)
	if s.PlainMeta {
		c.dict += "/EncryptMetadata false"
	}
	return c
}
