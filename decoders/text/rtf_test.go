package text

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset/charsettest"
	"github.com/glovebox-wasm/glovebox/readapi"
)

const rtfType = readapi.MediaType("application/rtf")

// letter is a document as Word writes them, with most of what a document has.
const letter = `{\rtf1\ansi\ansicpg1252\deff0\uc1{\fonttbl{\f0\froman\fcharset0{\*\panose 02}Times;}{\f1\fnil\fcharset204 Times CYR;}{\f2\fnil\fcharset128 Gothic;}{\f3\fnil\fcharset2 Symbol;}}
{\colortbl ;\red0\green0\blue0;}{\stylesheet{\s0\v Normal;}}{\*\generator Nobody;}
{\info{\title The \'e9tude}{\author Ada}{\creatim\yr2024\mo2\dy3\hr4\min5}{\*\company Works}{\doccomm a \u8364? b}}
{\header\pard top of the page\par}
\pard\plain caf\'e9\~x \f1 \'cf\'f0\'e8\f2  \'93\'fa\'96\'7b\'83A\f0  \u8364? \u-10179?\u-8704?{\v secret {\b too}}{\deleted gone} \emdash\lquote a\rquote\line second\par
{\listtext\f3 \'b7\tab}item{\footnote \pard a note\par}\par
\trowd\intbl one\cell two\par more\cell\cell\row\trowd\intbl three\cell four\cell\row\pard
see {\field{\*\fldinst{HYPERLINK "https://example.org/x" \\l "y"}}{\fldrslt{\ul the site}}} and {\field{\*\fldinst PAGE}{\fldrslt 7}}\par
{\*\shppict{\pict{\*\blipuid aa}\pngblip\picw1\pich1 89504e47
0d0a1a0a}}{\nonshppict{\pict\wmetafile8 0102}}{\upr{no}{\*\ud{y\u233?s}}}{\*\unknown not this} \{ \} \\
}`

const shownLetter = "[header: top of the page]\ncafé\u00a0x При 日本ア € 😀 —‘a’\nsecond\n•\titem[footnote: a note]\none\ttwo more\nthree\tfour\n" +
	"see the site and 7\n[image: picture-1.png, 8 bytes, file 1]yés { } \\\n"

func TestRTF(t *testing.T) {
	res := read(t, letter, as(rtfType))
	if got := textOf(res); got != shownLetter {
		t.Errorf("%q, want\n%q", got, shownLetter)
	}
	for key, want := range map[string]any{"title": "The étude", "author": "Ada", "created": "2024-02-03T04:05:00", "company": "Works", "comment": "a € b", "charset": "windows-1252"} {
		if res.Meta[key] != want {
			t.Errorf("%s is %v, want %v", key, res.Meta[key], want)
		}
	}
	links := ""
	for _, p := range res.Parts {
		if p.Type == readapi.PartData {
			links += fmt.Sprint(p.At, string(p.Data))
		}
	}
	if links != `7{"links":[{"text":"the site","uri":"https://example.org/x#y"}]}` {
		t.Errorf("the links are %s", links)
	}
	if len(res.Warnings) != 1 || res.Warnings[0].Code != readapi.WarnHiddenText || !strings.HasPrefix(res.Warnings[0].Detail, "14 characters") {
		t.Errorf("warnings %v", res.Warnings)
	}
	file, err := childOf(letter, rtfType, 1)
	if err != nil || string(file.Bytes) != "\x89PNG\r\n\x1a\n" || file.Child.MediaType != "image/png" {
		t.Errorf("the picture is %q, %v", file.Bytes, err)
	}
	shown := read(t, letter, func(req *readapi.Request) { req.MediaType, req.Unescaped = rtfType, true })
	if !strings.Contains(textOf(shown), "😀secret toogone —") {
		t.Errorf("hidden text that is asked for: %q", textOf(shown))
	}
}

// TestRTFCharsets: text in the code page of the document and in that of a font, for every charset that has one.
func TestRTFCharsets(t *testing.T) {
	pages := map[string][2]int{
		"windows-1250": {1250, 238}, "windows-1251": {1251, 204}, "windows-1252": {1252, 0}, "windows-1253": {1253, 161}, "windows-1254": {1254, 162},
		"windows-1255": {1255, 177}, "windows-1256": {1256, 178}, "windows-1257": {1257, 186}, "windows-874": {874, 222}, "shift_jis": {932, 128},
		"gbk": {936, 134}, "euc-kr": {949, 129}, "big5": {950, 136}, "ibm866": {866, -1}, "macintosh": {10000, 77},
	}
	escaped := func(s string) string {
		var b strings.Builder
		for i := range len(s) {
			if c := s[i]; c >= 0x80 || c == '\\' || c == '{' || c == '}' { // what follows may be the second byte of a character
				fmt.Fprintf(&b, `\'%02x`, c)
			} else {
				b.WriteByte(c)
			}
		}
		return b.String()
	}
	seen := map[string]bool{}
	for _, l := range charsettest.Languages {
		line, _, _ := strings.Cut(l.Text, "\n")
		for label := range strings.FieldsSeq(l.Charsets) {
			p, ok := pages[label]
			if !ok {
				continue
			}
			seen[label] = true
			text := escaped(charsettest.Encode(t, line, label))
			forms := []string{fmt.Sprintf(`{\rtf1\ansi\ansicpg%d %s}`, p[0], text)}
			if p[1] >= 0 {
				forms = append(forms, fmt.Sprintf(`{\rtf1\ansi\ansicpg1252\deff7{\fonttbl{\f0\fcharset0 A;}{\f7\fcharset%d B;}}%s}`, p[1], text))
				forms = append(forms, fmt.Sprintf(`{\rtf1\ansi{\fonttbl{\f7\fcharset%d B;}}{\f7\b %s\b0}\par}`, p[1], text))
			}
			for _, in := range forms {
				if got := textOf(read(t, in, as(rtfType))); got != line+"\n" {
					t.Errorf("%s in %s: %q", l.Name, label, got)
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d of the charsets are tested", len(seen))
	}
}

// TestRTFUnicode: characters of \u, and the ones that stand for them in old readers.
func TestRTFUnicode(t *testing.T) {
	for in, want := range map[string]string{
		`\u228?b`: "äb", `\u228\'e4b`: "äb", `\uc2\u228??b`: "äb", `\uc0\u228 b`: "äb", `{\uc0\u228}b`: "äb", `\u228{}?b`: "ä?b", `\uc1\u8211\endash b`: "–b",
		`\u-3913?`: "\uf0b7", `\u55357?x`: "\uFFFDx", `\u56832?`: "\uFFFD", `{\u55357?}\u56832?`: "\uFFFD\uFFFD", `\uc1\u-10179\'5f\u-8704\'5fx`: "😀x",
	} {
		if got := textOf(read(t, `{\rtf1\ansi `+in+`}`, as(rtfType))); got != want+"\n" {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestRTFSymbols: the font Symbol is a charset, other fonts of pictures are not; a field may be a character.
func TestRTFSymbols(t *testing.T) {
	const head = `{\rtf1\ansi{\fonttbl{\f0\fcharset0 Symbols;}{\f1\fcharset2 Symbol;}{\f2\fcharset2 Wingdings;}}`
	for in, want := range map[string]string{
		`\f1 abc\'a3\'b7\u-4007?`: "αβχ≤•Ψ", `\f2 J\'fc\'a7x\u-3844?`: "☺✓•□✓", `\f0 abc`: "abc",
		`{\field{\*\fldinst SYMBOL 183 \\f "Symbol" \\s 12}{\fldrslt\f1\fs24 ?}} a`:     "• a",
		`{\field{\*\fldinst {SYMBOL 74 \\f "Wingdings" \\s 12}}{\fldrslt\f2\fs24 J}} a`: "☺ a",
		`{\header\pard\par}a{\footnote\pard \par}b{\footer\par}`:                        "ab", `a{\*\annotation c\par}b`: "a[comment: c]b",
	} {
		if got := textOf(read(t, head+in+"}", as(rtfType))); got != want+"\n" {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}

// TestRTFObjects: objects are files inside, and come out of what OLE wrapped them in.
func TestRTFObjects(t *testing.T) {
	le := func(n int) string { return string([]byte{byte(n), byte(n >> 8), byte(n >> 16), byte(n >> 24)}) }
	counted := func(s string) string { return le(len(s)) + s }
	ole := func(class, native string) string {
		return le(0x501) + le(2) + counted(class+"\x00") + le(0) + le(0) + counted(native)
	}
	packed := "\x02\x00a.txt\x00C:\\a.txt\x00" + le(0x30000) + counted("C:\\a.txt\x00") + counted("packed\n")
	for name, c := range map[string]struct {
		data, file, want string
		mt               readapi.MediaType
	}{
		"a packed file": {ole("Package", packed), "a.txt", "packed\n", "text/plain"},
		"a compound":    {ole("Excel.Sheet.8", "\xd0\xcf\x11\xe0rest"), "object-1-Excel-Sheet-8.ole", "\xd0\xcf\x11\xe0rest", "application/x-ole-storage"},
		"anything else": {ole("Thing", "data"), "object-1.bin", "data", readapi.OctetStream},
		"damaged":       {"\x01\x05", "object-1.bin", "\x01\x05", readapi.OctetStream},
	} {
		for how, data := range map[string]string{"hex": hex.EncodeToString([]byte(c.data)), "bin": fmt.Sprintf(`\bin%d %s`, len(c.data), c.data)} {
			in := `{\rtf1 before {\object\objemb{\*\objclass Thing}{\*\objdata ` + data + `}{\result shown}} after}`
			file, err := childOf(in, rtfType, 1)
			if err != nil || string(file.Bytes) != c.want || file.Child.Name != c.file || file.Child.MediaType != c.mt {
				t.Errorf("%s in %s: %+v %q, %v", name, how, file.Child, file.Bytes, err)
			}
			if got := textOf(read(t, in, as(rtfType))); !strings.HasPrefix(got, "before [file: "+c.file) || !strings.HasSuffix(got, "]shown after\n") {
				t.Errorf("%s in %s: %q", name, how, got)
			}
		}
	}
}

// TestRTFPage: a mail of Outlook is the page that it was.
func TestRTFPage(t *testing.T) {
	in := `{\rtf1\ansi\ansicpg1252\fromhtml1 \deff0{\fonttbl{\f0 Arial;}}{\*\htmltag19 <html>}{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 Gr\'fc\'dfe ` +
		`{\*\htmltag84 <b>}\htmlrtf \b\htmlrtf0 bold{\*\htmltag92 </b>}\htmlrtf \b0 not this\htmlrtf0 {\*\mhtmltag64 <p>}{\*\htmltag84 &lt;}\htmlrtf\par}\htmlrtf0` +
		`{\*\htmltag72 </p>}{\*\htmltag64 <p>}next{\*\htmltag72 </p>}{\*\htmltag27 </html>}}`
	if got := textOf(read(t, in, as(rtfType))); got != "Grüße bold<\n\nnext\n" {
		t.Errorf("%q", got)
	}
}

// TestRTFDamaged: what is there is shown, and what is missing is said.
func TestRTFDamaged(t *testing.T) {
	deep := `{\rtf1 a` + strings.Repeat(`{\b `, 200_000) + "lost" + strings.Repeat("}", 200_000) + " b}"
	for _, c := range []struct {
		in, want string
		partial  bool
	}{
		{`{\rtf1 a{\b b`, "ab\n", true},
		{`{\rtf1 a}b}`, "ab\n", true},
		{`{\rtf1 a}` + "\x00\r\n", "a\n", false},
		{`{\rtf1 a\'zz b}`, "azz b\n", true},
		{`{\rtf1 a\bin99 b}`, "a\n", true},
		{`{\rtf1 a\`, "a\n", true},
		{`{\rtf1{\footnote`, "", true},
		{`{\rtf1{\pict\pngblip 8950`, "[image: picture-1.png, 2 bytes, file 1]\n", true},
		{deep, "a b\n", true},
		{`{\rtf1}`, "", false},
		{"no RTF {\n", "no RTF {\n", false},
	} {
		res := read(t, c.in, as(rtfType))
		partial := len(res.Warnings) > 0 && res.Warnings[0].Code == readapi.WarnPartial
		if got := textOf(res); got != c.want || partial != c.partial {
			t.Errorf("%.40q: %q, partial %v, want %q", c.in, got, partial, c.want)
		}
	}
}

var rtfSeeds = []string{letter, strings.ReplaceAll(letter, "\n", "\r\n"), `{\rtf1\ansi\fromhtml1{\*\htmltag64 <p>}a\htmlrtf b\htmlrtf0 c}`, `{\rtf1 {\object{\*\objdata \bin3 abc}{\result x}}}`}

func FuzzRTF(f *testing.F) {
	seedAs(f, rtfType)
	fuzzAs(f, rtfType)
}
