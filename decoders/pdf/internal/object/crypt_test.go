package object_test

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/object"
	"github.com/glovebox-wasm/glovebox/decoders/pdf/internal/pdftest"

	"github.com/glovebox-wasm/glovebox/readapi"
)

// Each stream is decrypted as what it is: by the filter for streams, for embedded files or its own, or not at all.
func TestCryptFilters(t *testing.T) {
	for _, s := range []pdftest.Security{
		{Revision: 2}, {Revision: 3}, {Revision: 4}, {Revision: 4, PlainMeta: true}, {Revision: 4, Files: "V2"}, {Revision: 4, Files: "Identity"},
		{Revision: 4, Method: "Identity", Strings: "Identity", Files: "AESV2"}, {Revision: 4, Method: "V2", Strings: "AESV2"}, {Revision: 6, PlainMeta: true},
	} {
		w := pdftest.Plain("")
		want := map[int]string{
			w.Stream("", []byte("a stream")):                                                             "a stream",
			w.Stream("/Type/Metadata/Subtype/XML", []byte("<metadata>")):                                 "<metadata>",
			w.Stream("/Type/EmbeddedFile", []byte("an embedded file")):                                   "an embedded file",
			w.Stream("/Filter[/Crypt]/DecodeParms[<</Name/Identity>>]", []byte("not encrypted")):         "not encrypted",
			w.Stream("/Filter/Crypt", []byte("not encrypted, by default")):                               "not encrypted, by default",
			w.Flate("/Title(a string in a stream's dictionary)", "compressed, then encrypted"):           "compressed, then encrypted",
			w.Add("<</Type/Sig/Nested[(one)<</Deep(two)>>]>>"):                                           "onetwo",
			w.Stream("/Type/EmbeddedFile/Filter/Crypt/DecodeParms<</Name/Identity>>", []byte("its own")): "its own",
		}
		w.Encrypt(s)
		for layout, data := range map[string][]byte{"table": w.Table(), "packed": w.Packed(false)} {
			f, err := object.Open(bytes.NewReader(data), "")
			if err != nil {
				t.Fatal(err)
			}
			if !f.Encrypted() {
				t.Errorf("%+v: not encrypted", s)
			}
			for num, text := range want {
				n := f.Object(num)
				got, err := n.Data(1000)
				if n.Is(object.Dict) {
					got = []byte(n.Key("Nested").Index(0).Raw() + n.Key("Nested").Index(1).Key("Deep").Raw())
				}
				if err != nil || string(got) != text {
					t.Errorf("%s, %+v: %q, %v, want %q", layout, s, got, err, text)
				}
				if title := n.Key("Title"); !title.Null() && title.Raw() != "a string in a stream's dictionary" {
					t.Errorf("%s, %+v: the string is %q", layout, s, title.Raw())
				}
			}
		}
	}
}

// A string that is damaged gives the blocks that are whole.
func TestDamagedStrings(t *testing.T) {
	const title = "sixteen letters, and sixteen more, and some"
	w := pdftest.Plain("")
	info := w.Add("<</Title(" + title + ")>>")
	w.Encrypt(pdftest.Security{Revision: 6})
	data := w.Table()
	hex := regexp.MustCompile("/Title<([0-9a-f]+)>").FindSubmatch(data)[1]
	for cut, want := range map[int]string{0: title, 2: title[:32], 32: title[:32], 40: title[:16], 90: "", len(hex): ""} {
		cutHex := append(bytes.Repeat([]byte(" "), cut), hex[:len(hex)-cut]...) // as long as it was
		f, err := object.Open(bytes.NewReader(bytes.Replace(data, hex, cutHex, 1)), "")
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Object(info).Key("Title").Raw(); got != want {
			t.Errorf("without its last %d digits: %q, want %q", cut, got, want)
		}
	}
}

// Whatever is done to the encryption dictionary, the file is read right, or refused with a code that says why.
func TestDamagedEncryption(t *testing.T) {
	const text = "a stream of some length"
	for revision := 2; revision <= 6; revision++ {
		w := pdftest.Plain("")
		num := w.Stream("", []byte(text))
		w.Encrypt(pdftest.Security{Revision: revision})
		data := w.Table()
		at := bytes.Index(data, []byte("<</Filter/Standard"))
		end := at + bytes.Index(data[at:], []byte("\nendobj"))
		if revision >= 5 { // nothing tells that the key itself, which UE holds, is damaged
			end = at + bytes.Index(data[at:], []byte("/O<"))
		}
		filters := bytes.Index(data, []byte("/StmF")) // without it nothing is encrypted, as the file says
		for i := at; i < end; i += 3 {
			if i >= filters && i < filters+len("/StmF/StdCF") && filters > 0 {
				continue
			}
			for _, c := range []byte{' ', '1', '/', '>'} {
				broken := bytes.Clone(data)
				broken[i] = c
				f, err := object.Open(bytes.NewReader(broken), "")
				switch readapi.CodeOf(err) {
				case "":
					if got, _ := f.Object(num).Data(100); f.Encrypted() && string(got) != text {
						t.Fatalf("revision %d, %q: %q", revision, broken[at:], got)
					}
				case readapi.CodeEncrypted, readapi.CodeUnsupportedFeature, readapi.CodeMalformed:
				default:
					t.Fatalf("revision %d, %q: %v", revision, broken[at:end], err)
				}
			}
		}
	}
}
