package cipher_test

import (
	"bytes"
	stdaes "crypto/aes"
	stdcipher "crypto/cipher"
	"crypto/md5"
	"crypto/rc4"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/cipher"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// The examples of RFC 1321 (appendix A.5), FIPS 180 (NIST's example values, and the message of a million times a) and RFC 6229's keys.
func TestPublishedVectors(t *testing.T) {
	million := bytes.Repeat([]byte("a"), 1_000_000)
	two := []byte("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
	four := []byte("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")
	for name, c := range map[string]struct {
		got  []byte
		want string
	}{
		"md5 of nothing":    {cipher.MD5(nil), "d41d8cd98f00b204e9800998ecf8427e"},
		"md5 of abc":        {cipher.MD5([]byte("abc")), "900150983cd24fb0d6963f7d28e17f72"},
		"md5 of digits":     {cipher.MD5(bytes.Repeat([]byte("1234567890"), 8)), "57edf4a22be3c955ac49da2e2107b67a"},
		"sha256 of abc":     {cipher.SHA256([]byte("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		"sha256 of two":     {cipher.SHA256(two), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
		"sha256 of million": {cipher.SHA256(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
		"sha384 of abc":     {cipher.SHA384([]byte("abc")), "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"},
		"sha384 of four":    {cipher.SHA384(four), "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"},
		"sha512 of abc":     {cipher.SHA512([]byte("abc")), "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"},
		"sha512 of four":    {cipher.SHA512(four), "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"},
		"rc4 of 40 bits":    {cipher.RC4(unhex("0102030405"), make([]byte, 16)), "b2396305f03dc027ccc3524a0a1118a8"},
		"rc4 of 128 bits":   {cipher.RC4(unhex("0102030405060708090a0b0c0d0e0f10"), make([]byte, 16)), "9ac7cc9a609d1ef7b2932899cde41b97"},
	} {
		if hex.EncodeToString(c.got) != c.want {
			t.Errorf("%s: %x, want %s", name, c.got, c.want)
		}
	}
}

// FIPS 197, appendix C, and the CBC examples of NIST SP 800-38A, F.2.
func TestAESVectors(t *testing.T) {
	plain := unhex("00112233445566778899aabbccddeeff")
	text := unhex("6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51")
	count := "000102030405060708090a0b0c0d0e0f"
	for _, c := range []struct {
		key, iv, want string
		text          []byte
	}{
		{count, strings.Repeat("00", 16), "69c4e0d86a7b0430d8cdb78070b4c55a", plain},
		{count + "1011121314151617", strings.Repeat("00", 16), "dda97ca4864cdfe06eaf70a0ec0d7191", plain},
		{count + "101112131415161718191a1b1c1d1e1f", strings.Repeat("00", 16), "8ea2b7ca516745bfeafc49904b496089", plain},
		{"2b7e151628aed2a6abf7158809cf4f3c", count, "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2", text},
		{"603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", count, "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d", text},
	} {
		k, ok := cipher.NewAES(unhex(c.key))
		if !ok {
			t.Fatal("the key is refused")
		}
		if got := hex.EncodeToString(k.EncryptCBC(unhex(c.iv), c.text)); got != c.want {
			t.Errorf("key %s: %s, want %s", c.key, got, c.want)
		}
		if got := k.DecryptCBC(unhex(c.iv), unhex(c.want)); !bytes.Equal(got, c.text) {
			t.Errorf("key %s: %x, want %x", c.key, got, c.text)
		}
	}
	for _, n := range []int{0, 1, 15, 17, 31, 33} {
		if _, ok := cipher.NewAES(make([]byte, n)); ok {
			t.Errorf("a key of %d bytes is taken", n)
		}
	}
}

// Every size of message around the blocks, and random ones, are what the standard library makes of them.
func TestSameAsStandardLibrary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	for n := range 600 {
		b := random(n)
		m, s2, s3, s5 := md5.Sum(b), sha256.Sum256(b), sha512.Sum384(b), sha512.Sum512(b)
		if !bytes.Equal(cipher.MD5(b), m[:]) || !bytes.Equal(cipher.SHA256(b), s2[:]) || !bytes.Equal(cipher.SHA384(b), s3[:]) || !bytes.Equal(cipher.SHA512(b), s5[:]) {
			t.Fatalf("a hash of %d bytes differs", n)
		}
		key := random(1 + rnd.IntN(32))
		r, err := rc4.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]byte, n)
		if r.XORKeyStream(want, b); !bytes.Equal(cipher.RC4(key, b), want) {
			t.Fatalf("RC4 of %d bytes differs", n)
		}
		key, iv := random([]int{16, 24, 32}[n%3]), random(16)
		block, err := stdaes.NewCipher(key)
		if err != nil {
			t.Fatal(err)
		}
		k, _ := cipher.NewAES(key)
		want = make([]byte, n-n%16)
		stdcipher.NewCBCDecrypter(block, iv).CryptBlocks(want, b[:len(want)])
		if got := k.DecryptCBC(iv, b); !bytes.Equal(got, want) {
			t.Fatalf("decrypting %d bytes differs", n)
		}
		stdcipher.NewCBCEncrypter(block, iv).CryptBlocks(want, b[:len(want)])
		if got := k.EncryptCBC(iv, b); !bytes.Equal(got, want) {
			t.Fatalf("encrypting %d bytes differs", n)
		}
	}
	if b := []byte("x"); !bytes.Equal(cipher.RC4(nil, b), b) {
		t.Error("RC4 without a key")
	}
}
