package text

import (
	"flag"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/decodertest"
	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

var update = flag.Bool("update", false, "write the vectors")

const vectorDir = "../../testdata/vectors/text"

// TestGenerated holds the committed vectors to what this generator makes; -update writes them.
func TestGenerated(t *testing.T) { decodertest.Golden(t, vectorDir, generate(t), *update) }

func generate(t *testing.T) (out []decodertest.Vector) {
	out = append(out, charsetVectors(t)...)
	out = append(out, declaredVectors(t)...)
	out = append(out, lineVectors()...)
	out = append(out, damageVectors()...)
	out = append(out, letterVectors(t)...)
	out = append(out, markupVectors(t)...)
	return append(out, refusalVectors()...)
}

// vector is a good one whose whole text is want.
func vector(name, comment, data, want string) decodertest.Vector {
	return decodertest.Vector{Name: name, Comment: comment, Form: readapi.FormAuto, Data: []byte(data), TextSHA256: decodertest.TextSum(want)}
}

// refusal is a vector that has to end with a code.
func refusal(name, comment, data string, code readapi.Code) decodertest.Vector {
	return decodertest.Vector{Name: name, Comment: comment, Form: readapi.FormAuto, Data: []byte(data), Expect: code}
}

func with(v decodertest.Vector, change func(*decodertest.Vector)) decodertest.Vector {
	change(&v)
	return v
}

func charsetVectors(t *testing.T) (out []decodertest.Vector) {
	for _, l := range charsettest.Languages {
		for charset := range strings.FieldsSeq(l.Charsets) {
			out = append(out, vector("charset-"+charset+"-"+l.Name, l.Name+" in "+charset, charsettest.Encode(t, l.Text, charset), l.Text))
		}
	}
	chinese, german := charsettest.Languages[15].Text, charsettest.Languages[0].Text
	for _, c := range []string{"utf-16le", "utf-16be", "utf-32le", "utf-32be"} {
		out = append(out,
			vector("mark-"+c, c+" with its byte order mark", charsettest.Encode(t, "\ufeff"+german, c), german),
			vector("pattern-"+c, c+" without a mark, Latin script", charsettest.Encode(t, german, c), german),
			vector("pattern-"+c+"-chinese", c+" without a mark and with few NULs", charsettest.Encode(t, chinese, c), chinese),
		)
	}
	rare := chinese + "𠀋㐂 é à\n"
	head := strings.Repeat("a line of ASCII before all else\n", 270)
	return append(out,
		vector("mark-utf-8", "the mark is not part of the text", "\ufeff"+german, german),
		vector("mark-utf-8-alone", "nothing but a mark", "\ufeff", ""),
		vector("utf-8-chinese", "", chinese, chinese),
		vector("gb18030-four-bytes", "characters that GBK does not have", charsettest.Encode(t, rare, "gb18030"), rare),
		vector("gbk-short", "six characters", charsettest.Encode(t, "好的，谢谢\n", "gbk"), "好的，谢谢\n"),
		vector("gbk-behind-ascii", "8.6 kB of ASCII before the first other byte", head+charsettest.Encode(t, chinese, "gbk"), head+chinese),
		vector("iso-2022-jp-behind-ascii", "8.6 kB of ASCII before the first escape", head+charsettest.Encode(t, charsettest.Languages[17].Text, "iso-2022-jp"), head+charsettest.Languages[17].Text),
		vector("charset-iso-2022-kr", "shifts, and a line that begins in ASCII again", "\x1b$)C\n\x0e0!3*\x0f \x0e4Y6s\x0f\n", "\n가나 다라\n"),
		vector("quotes-windows-1252", "nothing above ASCII but typographic marks", charsettest.Encode(t, "“It’s fine” – he said…\n", "windows-1252"), "“It’s fine” – he said…\n"),
	)
}

func declaredVectors(t *testing.T) []decodertest.Vector {
	html := func(charset, body string) string {
		return `<html><head><meta charset="` + charset + `"></head><p>` + body + "</p></html>\n"
	}
	xml := `<?xml version="1.0" encoding="KOI8-R"?>` + "\n<p>да</p>\n"
	python := "#!/usr/bin/env python\n# -*- coding: iso-8859-15 -*-\nprice = '5 \u20ac'\n"
	lie := html("iso-8859-1", "Größe, 流水线")
	misled := html("iso-8859-1", strings.TrimSuffix(charsettest.Languages[8].Text, "\n"))
	markup := func(v *decodertest.Vector) { v.MediaType, v.Form = "text/html", readapi.FormSource }
	return []decodertest.Vector{
		with(vector("declared-html", "two characters, and a page that says which", strings.Replace(html("gb2312", "#"), "#", charsettest.Encode(t, "中文", "gbk"), 1), html("gb2312", "中文")), markup),
		with(vector("declared-html-lies", "valid UTF-8 wins over what the page says", lie, lie), markup),
		with(vector("declared-html-misleads", "Russian in windows-1251 that claims to be Latin", charsettest.Encode(t, misled, "windows-1251"), misled), markup),
		with(vector("declared-xml", "", charsettest.Encode(t, xml, "koi8-r"), xml), func(v *decodertest.Vector) { v.MediaType = "application/xml" }),
		vector("declared-coding-line", "PEP 263: the euro sign of iso-8859-15", charsettest.Encode(t, python, "iso-8859-15"), python),
	}
}

func lineVectors() []decodertest.Vector {
	long := strings.Repeat("ein langer Satz ohne Zeilenende, ", 400)
	flags := strings.Repeat("🇩🇪🇫🇷", 600)
	numbered := "one\ntwo\r\nthree\rfour\n\nsix"
	return []decodertest.Vector{
		vector("empty", "no bytes: a document without lines", "", ""),
		vector("ascii-line", "one short line", "hello\n", "hello\n"),
		vector("newlines-crlf", "", "a\r\nb\r\n", "a\r\nb\r\n"),
		vector("newlines-cr", "", "a\rb\r", "a\rb\r"),
		vector("newlines-mixed", "", numbered, numbered),
		vector("newlines-none", "no line end at the end", "a\nb", "a\nb"),
		vector("newlines-not", "U+2028, U+0085, VT and FF end no line", "a\u2028b\u0085c\vd\fe\n", "a\u2028b\u0085c\vd\fe\n"),
		with(vector("long-line", "13 kB without a line end: its beginning, and how to read on", long, shown(long, 1)), func(v *decodertest.Vector) { v.Form = readapi.FormText }),
		with(vector("long-line-alone", "asked for by its number it is whole", long, long), func(v *decodertest.Vector) { v.Units = []readapi.Range{{From: 1, To: 1}} }),
		with(vector("long-line-source", "the source has all", long, long), func(v *decodertest.Vector) { v.Form = readapi.FormSource }),
		vector("long-line-flags", "the cut would go through a flag", "x"+flags+"\nnext\n", shown("x"+flags+"\n", 1)+"next\n"),
		vector("blank-lines", "", "\n\n\n", "\n\n\n"),
		vector("clusters", "characters that a cut must not take apart", strings.Repeat("👩‍🔧🏳️‍🌈é", 60)+"\n", strings.Repeat("👩‍🔧🏳️‍🌈é", 60)+"\n"),
		with(vector("units", "lines of three kinds by number", numbered, "two\r\nthree\rsix"), func(v *decodertest.Vector) {
			v.Units = []readapi.Range{{From: 2, To: 3}, {From: 6}}
		}),
		with(refusal("units-beyond", "line 7 of 6", numbered, readapi.CodeInvalidRequest), func(v *decodertest.Vector) {
			v.Units = []readapi.Range{{From: 1, To: 1}, {From: 7, To: 7}}
		}),
		with(refusal("units-empty", "line 1 of none", "", readapi.CodeInvalidRequest), func(v *decodertest.Vector) {
			v.Units = []readapi.Range{{From: 1, To: 1}}
		}),
	}
}

func damageVectors() []decodertest.Vector {
	log := strings.Repeat("12:00:00 info the pump runs\n", 20)
	padded := log + strings.Repeat("\x00", 600)
	replaced := func(v *decodertest.Vector) { v.Warnings = []string{readapi.WarnReplaced} }
	hidden := "plain \u202egnp.exe\u202c and \u200b\U000E0041\U000E0042\n"
	seen := func(v *decodertest.Vector) { v.Warnings = []string{readapi.WarnHiddenText} }
	ansi := "\x1b]8;;https://example.org/\x1b\\link\x1b]8;;\x1b\\, \x1b]0;title\atext\x1bPq#0~~\x1b\\\n"
	ordinary := "می\u200cخواهم 👩\u200d🔧 ❤\ufe0f שלום!\u200f 🏴\U000E0067\U000E0062\U000E0077\U000E006C\U000E0073\U000E007F\n"
	return []decodertest.Vector{
		vector("nul-in-log", "one NUL in a log is text", log[:100]+"\x00"+log[100:], log[:100]+"\x00"+log[100:]),
		with(vector("nul-padding", "a log that a crash cut off", padded, log), func(v *decodertest.Vector) { v.Warnings = []string{WarnNULPadding} }),
		with(vector("nul-padding-source", "the source keeps it", padded, padded), func(v *decodertest.Vector) { v.Form = readapi.FormSource }),
		vector("ansi", "terminal escapes are not those of ISO-2022", "\x1b[1;31mred\x1b[0m (B\n", "red (B\n"),
		vector("ansi-strings", "the text of a hyperlink stays, a title and a picture go", ansi, "link, text\n"),
		with(vector("ansi-source", "the source keeps them", ansi, ansi), func(v *decodertest.Vector) { v.Form = readapi.FormSource }),
		vector("ansi-broken", "a string without an end loses no text", "a\x1b]no end\nb\x1b[3\nc\x1b", "ano end\nb\nc"),
		with(vector("hidden", "bidi controls, zero-width and tag characters: the host shows them, the decoder gives them", hidden, hidden), seen),
		with(vector("hidden-selectors", "a run of variation selectors spells bytes", "😀\U000E0158\U000E0155\U000E015C\n", "😀\U000E0158\U000E0155\U000E015C\n"), seen),
		vector("hidden-not", "joiners of Persian and emoji, a mark of Hebrew, a flag: no false alarm", ordinary, ordinary),
		with(vector("utf-8-damaged", "three bad bytes, each a U+FFFD", "Größe ä ö ü\xff ß é\xc3 è\xa0\n", "Größe ä ö ü\uFFFD ß é\uFFFD è\uFFFD\n"), replaced),
		with(vector("utf-8-cut", "the file ends inside a character", "流水线\xe6\xb5", "流水线\uFFFD"), replaced),
		with(vector("utf-8-and-latin", "two charsets in one file", "Café\nCaf\xe9\n", "Café\nCaf\uFFFD\n"), replaced),
		with(vector("utf-16-lone-surrogate", "half a pair", "\xff\xfea\x00\x00\xd8b\x00\n\x00", "a\uFFFDb\n"), replaced),
		with(vector("utf-32-odd", "three bytes too few", "\xff\xfe\x00\x00a\x00\x00\x00\n\x00\x00\x00b", "a\n\uFFFD"), replaced),
		with(vector("utf-32-range", "a code point beyond the last", "\x00\x00\xfe\xff\x00\x00\x00a\x00\x11\x00\x00\x00\x00\x00b", "a\uFFFDb"), replaced),
		with(vector("utf-16-odd", "a byte too few", "\xff\xfea\x00\n\x00b", "a\n\uFFFD"), replaced),
	}
}

func refusalVectors() []decodertest.Vector {
	noise := make([]byte, 2048)
	for i, x := 0, uint32(3); i < len(noise); i++ {
		x = x*1664525 + 1013904223
		noise[i] = byte(x >> 24)
	}
	return []decodertest.Vector{
		refusal("binary-noise", "random bytes", string(noise), readapi.CodeMalformed),
		refusal("binary-png", "the beginning of a PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x10\x00\x00\x00\x10\x08\x02\x00\x00\x00", readapi.CodeMalformed),
		refusal("binary-nuls", "nothing but NULs", strings.Repeat("\x00", 64), readapi.CodeMalformed),
		refusal("charset-iso-2022-cn", "a charset that nobody decodes", "\x1b$)A\n\x0e0!3*\x0f \x0e4Y6s\x0f\n", readapi.CodeUnsupportedFeature),
		refusal("charset-johab", "Korean in the combining code, which would be mojibake as anything else", "\xb7\xa1 \xcfa\x9d\xa1\x8ba\x9c\x91\xb7e \x92\x81\x8a\x81\x90a \xb8a\xb7A\x9d\xb3\x89A \xaca\xb6w\xd0a\xaf\xa9 \xae\x81 \xb7\xb6\xafs\x93\xa1\x94a. \xac\xe9\xc3\xa1\xd0a\x8b\xa1 \xb8\xe5\xb5A \xa4e\x97a\xaf\xa1 \xb7\xaa\xb4\xe1 \xba\x81\xaf\xb3\xaf\xa1\xb5\xa1.\n", readapi.CodeUnsupportedFeature),
		refusal("charset-euc-tw", "Chinese of CNS 11643", "\xd1\xd2\xc4\xa1\xc4\xe2\xc8\xb4\xc4\xa9\xa1\xa4\xce\xfb\xc4\xa1\xd1\xd2\xc4\xe2\xc7\xe3\xc8\xb4\xc4\xa9\xca\xbc\xc5\xec\xdd\xd5\xc4\xe3\xc4\xcb\xcb\xf4\xc4\xb8\xd4\xb6\xd9\xcf\xcc\xaf\xeb\xa9\xd4\xaf\xd2\xb3\xd4\xc3\xf2\xe5\xc6\xab\xc5\xe8\xe8\xd7\xc6\xed\xd7\xe4\xc8\xd4\xcb\xdb\xda\xb5\xcd\xf5\xc8\xdc\n", readapi.CodeUnsupportedFeature),
		refusal("charset-utf-7", "another one", "caf+AOk-, d+AOk-j+AOA- vu\n", readapi.CodeUnsupportedFeature),
		with(refusal("form-image", "a text has no pictures", "hello\n", readapi.CodeInvalidRequest), func(v *decodertest.Vector) { v.Form = readapi.FormImage }),
	}
}
