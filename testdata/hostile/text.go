package hostile

import (
	"fmt"
	"strings"
	"unicode/utf16"
)

func textBombFiles() []File {
	entities := func() []byte {
		var b strings.Builder
		b.WriteString("<?xml version=\"1.0\"?>\n<!DOCTYPE lolz [\n<!ENTITY lol0 \"SECRET\">\n")
		for i := range 10 {
			fmt.Fprintf(&b, "<!ENTITY lol%d \"%s\">\n", i+1, strings.Repeat(fmt.Sprintf("&lol%d;", i), 10))
		}
		return []byte(b.String() + "]>\n<lolz>&lol10;</lolz>\n")
	}
	return []File{
		text("json-million-deep", "json", shows("[[[[["), func() []byte { return []byte(repeat("[", 1_000_000) + repeat("]", 1_000_000)) }),
		text("json-objects-deep", "json", shows(`{"a":{"a":`), func() []byte { return []byte(repeat(`{"a":`, 200_000) + "1" + repeat("}", 200_000)) }),
		text("json-key-same", "json", shows(`"__proto__"`), func() []byte { return []byte("{" + repeat("\"__proto__\":{},\n", 100_000) + "\"x\":1}") }),
		text("json-number", "json", shows("99999"), func() []byte { return []byte(repeat("9", 1<<20) + "e" + repeat("9", 1<<20)) }),
		text("json-escapes", "json", shows(`\u202e`), func() []byte { return []byte(`{"a":"\u202e\u0000\ud800"}`) }),
		text("xml-entities", "xml", shows("&lol10;"), entities).lacking("SECRETSECRET"),
		text("xml-external", "xml", shows("&xxe;"), func() []byte {
			return []byte(`<?xml version="1.0"?><!DOCTYPE r [<!ENTITY xxe SYSTEM "file:///etc/passwd"><!ENTITY % p SYSTEM "http://169.254.169.254/">%p;]><r>&xxe;</r>`)
		}).lacking("root:"),
		text("xml-deep", "xml", shows("<a><a><a>"), func() []byte { return []byte("<?xml version=\"1.0\"?>" + repeat("<a>", 300_000)) }),
		text("xml-attributes", "xml", shows("a='"), func() []byte { return []byte("<?xml version=\"1.0\"?><r " + repeat("a='b' ", 300_000) + "/>") }),
		text("svg-script", "svg", shows("<script>"), func() []byte {
			return []byte(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(1)</script><image href="file:///etc/passwd"/><use href="#a" id="a"/></svg>`)
		}),
		text("svg-use-bomb", "svg", shows("<use"), func() []byte {
			return []byte(`<svg xmlns="http://www.w3.org/2000/svg">` + repeat(`<g id="a"><use href="#a"/><use href="#a"/></g>`, 10_000) + "</svg>")
		}),
		text("html-script", "html", answers(), func() []byte {
			return []byte("<!doctype html><html><script>while(1){}</script><p>Hello out there</p><iframe src=file:///etc/passwd></html>")
		}),
		text("html-tags-deep", "html", ends("limit_depth"), func() []byte { return []byte("<!doctype html><html>" + repeat("<div>", 300_000) + "x") }),
		text("csv-quote-unclosed", "csv", shows("a,b"), func() []byte { return []byte("a,b\n\"" + repeat("x,\n", 500_000)) }),
		text("csv-columns", "csv", shows("a,a,a"), func() []byte { return []byte(repeat("a,", 1_000_000) + "\n" + repeat(",", 1_000_000)) }),
		text("csv-formulas", "csv", shows("=cmd|"), func() []byte { return []byte("name,value\n=cmd|'/c calc'!A0,@SUM(1)\n+1+1,-1\n") }),
		text("eml-nested", "eml", answers(), func() []byte {
			var b strings.Builder
			for i := range 5000 {
				fmt.Fprintf(&b, "From: a@b\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b%d\n\n--b%d\nContent-Type: message/rfc822\n\n", i, i)
			}
			return []byte(b.String())
		}),
		text("ipynb-outputs", "ipynb", answers(), func() []byte {
			return []byte(`{"cells":[` + repeat(`{"cell_type":"code","source":[],"outputs":[{"output_type":"display_data","data":{"image/png":"AAAA"}}]},`, 20_000) + `{}],"nbformat":4}`)
		}),
		text("rtf-groups-deep", "rtf", answers(), func() []byte { return []byte(`{\rtf1` + repeat("{", 300_000) + `\bin99999999 x`) }),
		text("vcard-folded", "vcf", answers(), func() []byte {
			return []byte("BEGIN:VCARD\r\nVERSION:3.0\r\nNOTE:a" + repeat("\r\n a", 300_000) + "\r\nEND:VCARD\r\n")
		}),
	}
}

// utf16le is s as UTF-16, without a mark.
func utf16le(s string) []byte {
	var out []byte
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

func textCharsetFiles() []File {
	prose := repeat("A text like any other, line by line.\n", 40)
	return []File{
		text("utf8-invalid", "txt", answers(replaced), func() []byte {
			return []byte(prose + "caf\xe9 \xc0\xaf \xf8\x88\x80\x80\x80 \xed\xa0\x80 \xf4\x90\x80\x80 grüße äöü ß é è ê ç ñ\n")
		}),
		text("utf8-overlong", "txt", answers(), func() []byte {
			return []byte(prose + repeat("ä", 300) + "\xc0\xae\xc0\xae\xc0\xaf\xe0\x80\xae etc/passwd\n")
		}).lacking("../"),
		text("utf8-continuations", "txt", ends("", malformed, noDecoder), func() []byte { return []byte(prose + repeat("\x80", 1<<20)) }),
		text("utf8-cut", "txt", answers(replaced), func() []byte { return []byte(prose + repeat("ü", 500) + "\xf0\x9f\x98") }),
		text("utf16-surrogates", "txt", answers(replaced), func() []byte { return join("\xff\xfe", utf16le(prose), repeat("\x00\xd8", 50), utf16le("end")) }),
		text("utf16-damaged", "txt", ends(noDecoder), func() []byte { return join("\xff\xfe", utf16le(prose), repeat("\x00\xd8", 1000), utf16le("end")) }),
		text("utf16-odd", "txt", answers(replaced), func() []byte { return join("\xff\xfe", utf16le(prose), "x") }),
		text("utf16-no-mark", "txt", shows("A text like"), func() []byte { return utf16le(prose) }),
		text("utf16-swapped", "txt", answers(), func() []byte { return join("\xfe\xff", utf16le(prose)) }).or(malformed, noDecoder),
		text("utf32-range", "txt", answers(replaced), func() []byte {
			return join("\xff\xfe\x00\x00", "a\x00\x00\x00", repeat("\xff\xff\xff\x7f", 200), repeat("b\x00\x00\x00", 2000))
		}).or(malformed, noDecoder),
		text("utf32-odd", "txt", answers(), func() []byte { return join("\x00\x00\xfe\xff", repeat("\x00\x00\x00a", 500), "\x00\x00") }),
		text("boms", "txt", answers(), func() []byte { return []byte(repeat("\ufeff", 10_000) + prose) }).lacking("\ufeff"),
		text("boms-mixed", "txt", answers(), func() []byte { return join("\xef\xbb\xbf\xff\xfe", prose) }),
		text("bom-alone", "txt", answers(), func() []byte { return []byte("\xef\xbb\xbf") }),
		text("bom-utf16-alone", "txt", ends("", malformed, noDecoder), func() []byte { return []byte("\xff\xfe") }),
		text("bom-utf16-binary", "txt", ends("", malformed, noDecoder), func() []byte { return []byte("\xff\xfe" + repeat("\x00\xd8\x01\x00", 3000)) }),
		text("utf7", "txt", shows("+ADw-script+AD4-"), func() []byte { return []byte(prose + "+ADw-script+AD4-alert(1)+ADw-/script+AD4-\n") }).lacking("<script>"),
		text("utf7-declared", "html", ends("", unsupported), func() []byte { return []byte(`<html><meta charset="utf-7">` + prose + "+ADw-script+AD4-") }).lacking("<script>"),
		text("iso2022-escapes", "txt", ends("", malformed), func() []byte { return []byte(prose + repeat("\x1b$B\x1b(B", 50_000) + "\x1b$B!") }),
		text("iso2022-cn", "txt", ends(unsupported), func() []byte { return []byte("\x1b$)A\x0e" + repeat("=;;;VPND", 100) + "\x0f\n") }),
		text("iso2022-hides", "txt", answers(), func() []byte { return []byte("\x1b$B" + repeat("\x41\x42", 200) + "\x1b(B<script>\n" + prose) }),
		text("hz-unclosed", "txt", answers(), func() []byte { return []byte(repeat("~{VPND", 20_000) + "~") }),
		text("gb18030-four-byte", "txt", answers(), func() []byte { return []byte(repeat("\xd6\xd0\xce\xc4", 200) + repeat("\x81\x30\x81\x30\xff", 20_000)) }).or(malformed, noDecoder),
		text("charset-lies", "html", answers(), func() []byte {
			return []byte(`<html><meta charset="` + repeat("x", 900) + `"><meta charset="iso-8859-1">` + repeat("grüße ", 200))
		}),
		text("charset-switches", "txt", answers(replaced), func() []byte {
			return join(repeat("grüße aus köln\n", 400), repeat("\xc4\xe3\xba\xc3", 400), utf16le(prose))
		}),
	}
}

func textByteFiles() []File {
	prose := repeat("A text like any other, line by line.\n", 40)
	return []File{
		text("nul-first", "txt", answers(hiddenText), func() []byte { return []byte("\x00" + prose) }).or(noDecoder, malformed),
		text("nul-one", "log", answers(hiddenText), func() []byte { return []byte(prose + "a\x00b\n" + prose) }),
		text("nul-padding", "log", answers("nul_padding"), func() []byte { return []byte(prose + repeat("\x00", 16<<20)) }),
		text("nul-late", "log", answers(), func() []byte { return []byte(repeat(prose, 10) + repeat("\x00", 1<<20) + "SECRET") }),
		text("controls", "txt", ends("", noDecoder, malformed), func() []byte { return []byte(repeat("\x01\x02\x03\x04\x05\x06\x07\x08\x0b\x0e\x7f", 4000)) }),
		text("c1-controls", "txt", answers(hiddenText), func() []byte { return []byte(prose + repeat("\u0085\u009b2J\u0090", 1000)) }).lacking("\u009b"),
		text("backspaces", "txt", answers(hiddenText), func() []byte { return []byte(prose + "rm -rf /" + repeat("\b", 8) + "ls      \n") }).lacking("\b"),
		text("returns", "txt", answers(), func() []byte { return []byte(repeat("evil\rgood\r", 50_000)) }),
		text("line-separators", "txt", answers(), func() []byte { return []byte(prose + repeat("a\u2028b\u2029c\vd\fe", 5000)) }),
		text("ansi-screen", "txt", answers(), func() []byte {
			return []byte(prose + "\x1b[2J\x1b[H\x1b[8mSECRET\x1b[0m\x1b]0;title\x07\x1b]52;c;cm0gLXJm\x07\n")
		}).lacking("\x1b"),
		text("ansi-flood", "txt", answers(), func() []byte { return []byte(prose + repeat("\x1b[31m", 2000)) }).lacking("\x1b"),
		text("ansi-unclosed", "txt", answers(), func() []byte { return []byte(prose + "\x1b]8;;http://evil/" + repeat("a", 4000)) }).lacking("\x1b"),
		text("ansi-dcs", "txt", answers(), func() []byte { return []byte(prose + "\x1bP+q544e\x1b\\\x1b[?1049h\x1b[6n\x1b[c") }).lacking("\x1b"),
	}
}
