package vcard_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/plugins/pdk/examples/vcard"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var update = flag.Bool("update", false, "write the vectors")

// TestGenerated holds the committed vectors, which authors in other languages may use as they are, to what this generator makes.
func TestGenerated(t *testing.T) { decodertest.Golden(t, "testdata/vectors", vectors(), *update) }

func TestNative(t *testing.T) {
	decodertest.RunVectors(t, vectors(), "vcard", decodertest.Native(&vcard.Decoder))
}

// one is a card of these lines.
func one(lines ...string) string {
	return "BEGIN:VCARD\r\nVERSION:4.0\r\n" + strings.Join(append(lines, "END:VCARD\r\n"), "\r\n")
}

func good(name, comment, data, want string) decodertest.Vector {
	return decodertest.Vector{
		Name: name, Comment: comment, Form: readapi.FormAuto, MediaType: "text/vcard", Data: []byte(data), TextSHA256: decodertest.TextSum(want),
	}
}

func bad(name, comment, data string) decodertest.Vector {
	return decodertest.Vector{Name: name, Comment: comment, Form: readapi.FormAuto, MediaType: "text/vcard", Data: []byte(data), Expect: readapi.CodeMalformed}
}

func with(v decodertest.Vector, change func(*decodertest.Vector)) decodertest.Vector {
	change(&v)
	return v
}

func vectors() []decodertest.Vector { return append(append(texts(), selections()...), refusals()...) }

// texts are good cards. The sums are of text that stands here, not of what a decoder made.
func texts() []decodertest.Vector {
	replaced := func(v *decodertest.Vector) { v.Warnings = []string{readapi.WarnReplaced} }
	long := strings.Repeat("a long note without an end, ", 500)
	marks := strings.Repeat("e\u0301\u0323👩‍🔧", 200)
	hidden := "a\u202eb\u200bc\u00add\u0007e\U000E0041f\U000F0000g\u2028h"
	return []decodertest.Vector{
		good("simple", "", one("FN:Ada Lovelace"), "Name: Ada Lovelace\n\n"),
		good("bare", "a card with nothing to show", one(), "\n"),
		good("newlines", "LF alone, no line end at the end", "BEGIN:VCARD\nFN:Ada\nEND:VCARD", "Name: Ada\n\n"),
		good("mark", "a byte order mark", "\ufeff"+one("FN:Ada"), "Name: Ada\n\n"),
		good("blank-lines", "between lines and cards", "\r\n \t\r\n"+one("FN:Ada", "", "NOTE:x")+"\r\n\r\n", "Name: Ada\nNote: x\n\n"),
		good("folded", "RFC 6350, 3.2: one blank goes, a character may be cut", one("NOTE:This is fol\r\n ded\r\n\t here\r\n   and\xe6\xb5\r\n \x81"), "Note: This is folded here  and\u6d41\n\n"),
		good("escapes", "", one(`NOTE:a\, b\; c\\ d\ne\Nf\xg\`), "Note: a, b; c\\ d\n  e\n  f\\xg\\\n\n"),
		good("structured", "empty components go", one(`N:Lovelace;Ada;;;`, `ADR;TYPE=home:;;1 High\; St\, B;London;;;UK`, `ORG:;;`), "Name parts: Lovelace, Ada\nAddress (home): 1 High; St, B, London, UK\nOrganization: \n\n"),
		good("types", "TYPE in its shapes", one(`TEL;TYPE=HOME,voice;TYPE="work,cell";PREF=1:+1`, `item1.EMAIL;INTERNET;HOME:a@b.example`), "Phone (home, voice, work, cell): +1\nEmail (internet, home): a@b.example\n\n"),
		good("colon-in-parameter", "", one(`NOTE;X-A="a:b;c":text:more`), "Note: text:more\n\n"),
		good("case", "names and BEGIN in any case", "begin:vcard\r\nfn:Ada\r\nx-Skype:ada\r\nend:vcard\r\n", "Name: Ada\nX-SKYPE: ada\n\n"),
		good("silent", "what is of no use to a reader", one("PRODID:x", "REV:2020", "UID:1", "FN:Ada"), "Name: Ada\n\n"),
		good("quoted-printable", "vCard 2.1", one("NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Gr=C3=B6=C3=9Fe=0D=0Aand =\r\n=3D more=ZZ=4"), "Note: Größe\n  and = more=ZZ=4\n\n"),
		good("quoted-printable-bare", "", one("FN;QUOTED-PRINTABLE:M=c3=bcller"), "Name: Müller\n\n"),
		with(good("media", "left out, and said so", one("FN:Ada", "PHOTO;ENCODING=b;TYPE=JPEG:/9j/4AAQ\r\n SkZJRg=="), "Name: Ada\n\n"), func(v *decodertest.Vector) { v.Warnings = []string{readapi.WarnPartial} }),
		with(good("latin-1", "each byte that is no character is one U+FFFD", one("FN:M\xfcller \xe6\xb5 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf \xf4\x90\x80\x80."), "Name: M\ufffdller \ufffd\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd\ufffd \ufffd\ufffd \ufffd\ufffd\ufffd\ufffd.\n\n"), replaced),
		good("replacement", "U+FFFD that stands in the file is no damage", one("FN:a\ufffdb"), "Name: a\ufffdb\n\n"),
		good("edges", "the first and last character of each length", one("NOTE:\x7f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010FFFF"), "Note: \x7f\u0080\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010FFFF\n\n"),
		good("hidden", "the host escapes it, and it costs as much", one("NOTE:"+hidden), "Note: "+hidden+"\n\n"),
		good("nul", "", one("NOTE:a\x00b"), "Note: a\x00b\n\n"),
		good("long", "one card that no small answer holds", one("NOTE:"+long), "Note: "+long+"\n\n"),
		good("marks", "a cut falls between clusters", one("NOTE:"+marks), "Note: "+marks+"\n\n"),
		good("unbroken", "no blank to cut at", one("NOTE:"+strings.Repeat("漢字", 900)), "Note: "+strings.Repeat("漢字", 900)+"\n\n"),
		good("chinese", "", one("FN:王小明", "ORG:流水线;研发"), "Name: 王小明\nOrganization: 流水线, 研发\n\n"),
	}
}

// many are forty cards of different size.
func many() (data string, texts []string) {
	for i := range 40 {
		note := strings.Repeat("words of card ", i*i%37)
		data += one("FN:Person "+string(rune('A'+i%26)), "NOTE:"+note)
		texts = append(texts, "Name: Person "+string(rune('A'+i%26))+"\nNote: "+note+"\n\n")
	}
	return data, texts
}

func selections() []decodertest.Vector {
	data, texts := many()
	units := func(ranges ...readapi.Range) func(*decodertest.Vector) {
		return func(v *decodertest.Vector) { v.Units = ranges }
	}
	refused := func(change func(*decodertest.Vector)) func(*decodertest.Vector) {
		return func(v *decodertest.Vector) {
			v.TextSHA256, v.Expect = "", readapi.CodeInvalidRequest
			change(v)
		}
	}
	return []decodertest.Vector{
		good("several", "forty units", data, strings.Join(texts, "")),
		with(good("units", "cards by number", data, texts[1]+texts[2]+texts[6]+strings.Join(texts[35:], "")), units(readapi.Range{From: 2, To: 3}, readapi.Range{From: 7, To: 7}, readapi.Range{From: 36})),
		with(good("units-last", "", data, texts[39]), units(readapi.Range{From: 40, To: 40})),
		with(good("units-beyond", "card 41 of 40", data, ""), refused(units(readapi.Range{From: 1, To: 1}, readapi.Range{From: 41, To: 41}))),
		with(good("units-open-beyond", "from card 41 of 40", data, ""), refused(units(readapi.Range{From: 41}))),
		with(good("form-text", "", one("FN:Ada"), "Name: Ada\n\n"), func(v *decodertest.Vector) { v.Form = readapi.FormText }),
		with(good("form-image", "a card has no picture here", data, ""), refused(func(v *decodertest.Vector) { v.Form = readapi.FormImage })),
		with(good("media-type-old", "the name that others use", one("FN:Ada"), "Name: Ada\n\n"), func(v *decodertest.Vector) { v.MediaType = "text/x-vcard" }),
	}
}

func refusals() []decodertest.Vector {
	return []decodertest.Vector{
		bad("empty", "no bytes", ""),
		bad("blank", "only blanks", "\r\n \r\n"),
		bad("garbage", "", "%PDF-1.4 not really a card"),
		bad("nuls", "", strings.Repeat("\x00", 64)),
		bad("cut", "a card does not end", "BEGIN:VCARD\r\nFN:Ada\r\n"),
		bad("end-alone", "", "END:VCARD\r\n"),
		bad("nested", "a card begins inside a card", "BEGIN:VCARD\r\nBEGIN:VCARD\r\nEND:VCARD\r\nEND:VCARD\r\n"),
		bad("no-colon", "a line of a card is no property", one("FN Ada")),
		bad("bad-name", "", one("F_N:Ada")),
		bad("no-name", "", one("item1.:Ada")),
		bad("open-quote", "the colon stands inside quotes to the end", one(`NOTE;X="a:b`)),
		bad("between", "text between two cards", one("FN:Ada")+"hello\r\n"+one("FN:Bob")),
		bad("second-cut", "one good card, one that does not end", one("FN:Ada")+"BEGIN:VCARD\r\nFN:Bob\r\n"),
	}
}
