package rtf

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/glovebox-wasm/glovebox/decoders/text/internal/charset"
)

// symbolLabel stands for fonts whose bytes are pictures.
const symbolLabel = "symbol"

// charset is the label of the text at hand: that of its font, or of the code page.
func (r *reader) charset() string {
	if r.dest == fonts || r.dest == skip {
		return r.label
	}
	n := r.font
	if n < 0 {
		n = r.font0
	}
	f, ok := r.fonts[n]
	switch {
	case !ok:
		return r.label
	case f.symbol:
		return symbolLabel
	case f.label == "":
		return r.label
	}
	return f.label
}

// pageLabel is the label of a Windows code page; "" for one that nobody decodes.
func pageLabel(page int) string {
	switch page {
	case 0, 1252:
		return "windows-1252"
	case 10000:
		return "macintosh"
	case 10007:
		return "x-mac-cyrillic"
	case 20866:
		return "koi8-r"
	case 21866:
		return "koi8-u"
	case 65001:
		return "utf-8"
	case 1361: // Johab
		return ""
	}
	if page >= 28591 && page <= 28606 {
		return decodable("iso-8859-" + strconv.Itoa(page-28590))
	}
	return decodable("cp" + strconv.Itoa(page))
}

func decodable(name string) string {
	if label := charset.Canonical(name); charset.Encoding(label) != nil {
		return label
	}
	return ""
}

// fontCharset is the code page of a font's \fcharset, 0 for that of the document.
func fontCharset(n int) (page int, symbol bool) {
	const pages = " 0:1252 77:10000 78:932 79:949 80:936 81:950 83:1255 84:1256 85:1253 86:1254 87:874 88:1250 89:10007 128:932 129:949 130:1361" +
		" 134:936 136:950 161:1253 162:1254 163:1258 177:1255 178:1256 186:1257 204:1251 222:874 238:1250 254:437 255:850 "
	if n == 2 {
		return 0, true
	}
	_, rest, found := strings.Cut(pages, " "+strconv.Itoa(n)+":")
	if !found {
		return 0, false
	}
	rest, _, _ = strings.Cut(rest, " ")
	page, _ = strconv.Atoi(rest)
	return page, false
}

// convertRun writes what text waits for its charset.
func (r *reader) convertRun() {
	b := r.run
	if len(b) == 0 {
		return
	}
	r.run = r.run[:0]
	switch {
	case r.runLabel == symbolLabel:
		r.put(symbols(b))
		return
	case charset.ASCIIPrefix(b) == len(b):
		r.put(b)
		return
	case r.runLabel == "utf-8":
		out, n := charset.Repair(nil, b)
		r.doc.Replaced += n
		r.put(out)
		return
	}
	enc := charset.Encoding(r.runLabel)
	if enc == nil {
		enc = charset.Encoding("windows-1252")
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil || !utf8.Valid(out) {
		out, _ = charset.Repair(nil, b)
	}
	r.doc.Replaced += int64(bytes.Count(out, []byte("\uFFFD")))
	r.put(out)
}

// symbols gives bytes of a symbol font as characters: letters as the Greek that the font Symbol has in their places, the usual bullets as
// bullets, anything else as the box that stands for a sign one cannot write.
func symbols(b []byte) []byte {
	const (
		upper = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
		lower = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
	)
	var out []byte
	for _, c := range b {
		switch {
		case 'A' <= c && c <= 'Z':
			out = append(out, upper[2*(c-'A'):2*(c-'A')+2]...)
		case 'a' <= c && c <= 'z':
			out = append(out, lower[2*(c-'a'):2*(c-'a')+2]...)
		case c >= 0x20 && c < 0x7f:
			out = append(out, c)
		case c == 0xb7, c == 0xa7, c == 0xa8, c == 0xd8, c == 0x9f, c == 0x6c, c == 0x6e:
			out = append(out, "•"...)
		case c == 0xfc, c == 0xfe:
			out = append(out, "✓"...)
		case c == 0xe0, c == 0xe8, c == 0xf0, c == 0xae:
			out = append(out, "→"...)
		case c >= 0x80:
			out = append(out, "□"...)
		}
	}
	return out
}
