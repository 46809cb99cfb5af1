package pdf

import (
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/readapi"
)

func cryptVectors() []vector {
	sealed := func(s pdftest.Security) []byte { s.Owner = "an owner"; return pdftest.Sealed(hello, s).Table() }
	rc4 := sealed(pdftest.Security{Revision: 3})
	return []vector{
		{name: "rc4-40", comment: "RC4 with 40 bits, empty user password", data: pdftest.Encrypted(2, "", hello), pages: hi},
		{name: "rc4-128", comment: "RC4 with 128 bits, empty user password", data: rc4, pages: hi},
		{name: "rc4-bytes", comment: "the key's length in bytes", data: sealed(pdftest.Security{Revision: 3, Length: 16}), pages: hi},
		{name: "rc4-length-wrong", comment: "a key of 40 bits that is said to have 128", data: sealed(pdftest.Security{Revision: 3, Bits: 40, Length: 128}), pages: hi},
		{name: "rc4-version-1", comment: "version 1 and revision 3", data: replace(sealed(pdftest.Security{Revision: 3, Bits: 40}), "/V 2", "/V 1"), pages: hi},
		{name: "rc4-no-id", comment: "no ID in the trailer", data: sealed(pdftest.Security{Revision: 3, NoID: true}), pages: hi},
		{name: "aes-128", comment: "AESV2, empty user password", data: pdftest.Encrypted(4, "", hello), pages: hi},
		{name: "aes-identity", comment: "the crypt filter Identity for streams", data: sealed(pdftest.Security{Revision: 4, Method: "Identity", Strings: "AESV2"}), pages: hi},
		{name: "rc4-40-password", comment: "RC4 with 40 bits, a password", data: pdftest.Encrypted(2, "secret", hello), code: readapi.CodeEncrypted},
		{name: "rc4-128-password", comment: "RC4 with 128 bits, a password", data: pdftest.Encrypted(3, "secret", hello), code: readapi.CodeEncrypted},
		{name: "aes-128-password", comment: "AESV2, a password", data: pdftest.Encrypted(4, "secret", hello), code: readapi.CodeEncrypted},
		{name: "aes-256-r5", comment: "AESV3 of revision 5, empty user password", data: pdftest.Encrypted(5, "", hello), pages: hi},
		{name: "aes-256-r6", comment: "AESV3 of revision 6, empty user password", data: pdftest.Encrypted(6, "", hello), pages: hi},
		{name: "aes-256-password", comment: "AESV3, a password", data: pdftest.Encrypted(6, "secret", hello), code: readapi.CodeEncrypted},
		{name: "crypt-unknown", comment: "an encryption version that nobody knows", data: replace(rc4, "/V 2/R 3", "/V 7/R 9"), code: readapi.CodeUnsupportedFeature},
		{name: "crypt-filter-unknown", comment: "a crypt filter that nobody knows", data: replace(pdftest.Encrypted(4, "", hello), "/CFM/AESV2", "/CFM/AESV9"), code: readapi.CodeUnsupportedFeature},
		{name: "public-key", comment: "a security handler other than the standard one", data: replace(rc4, "/Filter/Standard", "/Filter/Adobe.PubSec"), code: readapi.CodeUnsupportedFeature},
		{name: "crypt-no-filter", comment: "no handler's name, and what the standard one needs", data: replace(rc4, "/Filter/Standard", ""), pages: hi},
		{name: "crypt-damaged", comment: "an encryption dictionary without what it takes", data: replace(rc4, "/Filter/Standard/V 2/R 3", "/V 2"), code: readapi.CodeMalformed},
		{name: "crypt-no-keys", comment: "an encryption dictionary without O and U", data: replace(replace(rc4, "/O<", "/X<"), "/U<", "/Y<"), code: readapi.CodeMalformed},
		{name: "crypt-no-dictionary", comment: "an encryption that is no dictionary", data: replace(rc4, "<</Filter/Standard", "(x)"), code: readapi.CodeMalformed},
	}
}

// Encryption is no part of what a document says: whatever the revision, the passwords and the layout of the file, what comes out is what was
// put in, with the user's password and with the owner's, and never anything else.
func TestEncryptedReadsAsPlain(t *testing.T) {
	const long = "a password of more than one hundred and twenty-seven bytes: " + "0123456789012345678901234567890123456789012345678901234567890123456789"
	for _, s := range []pdftest.Security{
		{Revision: 2}, {Revision: 3}, {Revision: 3, Bits: 56}, {Revision: 3, NoID: true}, {Revision: 4}, {Revision: 4, PlainMeta: true}, {Revision: 4, Method: "V2"},
		{Revision: 4, Method: "Identity", Strings: "AESV2"}, {Revision: 4, Method: "AESV2", Strings: "Identity"}, {Revision: 5}, {Revision: 5, PlainMeta: true},
		{Revision: 6}, {Revision: 6, PlainMeta: true},
	} {
		for i, p := range [][2]string{{"", ""}, {"", "owner"}, {"user", "owner"}, {"user", ""}, {"gr\u00fc\u00df", "\u20ac"}, {long[:40], long[:50]}} {
			s.User, s.Owner = p[0], p[1]
			if s.Revision >= 5 && s.User != "" {
				s.User += long
			}
			checkSealed(t, s, i == 2)
		}
	}
}

// checkSealed reads a file that is encrypted in a way with each password, and where it is so asked for, in all layouts.
func checkSealed(t *testing.T, s pdftest.Security, layouts bool) {
	t.Helper()
	stored := s // what a writer that keeps to the rules makes of the passwords
	if s.Revision < 5 {
		stored.User, stored.Owner = strings.ReplaceAll(latin(s.User), "\u20ac", "\xa0"), strings.ReplaceAll(latin(s.Owner), "\u20ac", "\xa0")
	} else {
		stored.User, stored.Owner = s.User[:min(127, len(s.User))], s.Owner[:min(127, len(s.Owner))]
	}
	w := pdftest.Plain(pdftest.Lines("One (1)"), pdftest.Lines("Two"))
	w.Info = w.Add("<</Title(A title of some length)/Author(x)/Subject()>>")
	w.Encrypt(stored)
	files := map[string][]byte{"table": w.Table()}
	if layouts {
		files["packed"], files["linear"] = w.Packed(true), w.Linear(4)
	}
	for layout, data := range files {
		name := fmt.Sprintf("%s %+v", layout, s)
		for _, password := range []string{"", "wrong", s.User, s.Owner} {
			res, err := run(data, readapi.Request{Password: password})
			if opens := s.User == "" || s.Owner == "" || password == s.User || password == s.Owner; !opens {
				if e, _ := err.(*readapi.Error); readapi.CodeOf(err) != readapi.CodeEncrypted || strings.Contains(e.Detail, "given does not") != (password != "") {
					t.Errorf("%s, password %q: %v, want encrypted", name, password, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, password %q: %v", name, password, err)
				continue
			}
			wantText(t, res, "One (1)\n", "Two\n")
			if res.Meta["title"] != "A title of some length" || res.Meta["author"] != "x" {
				t.Errorf("%s: meta %v", name, res.Meta)
			}
		}
	}
}

// latin encodes as ISO 8859-1 what that has.
func latin(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < 256 {
			b.WriteByte(byte(r))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
